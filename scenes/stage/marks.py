"""Marks that say right or wrong without words and without colour alone: a tick and a cross, drawn as strokes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import VGroup, VMobject

from . import theme

# Corners in a square of side 1 around the origin.
_TICK = ([-0.5, 0.02, 0.0], [-0.14, -0.36, 0.0], [0.5, 0.4, 0.0])
_CROSS = (([-0.4, 0.4, 0.0], [0.4, -0.4, 0.0]), ([-0.4, -0.4, 0.0], [0.4, 0.4, 0.0]))


class Tick(VGroup):
    """A tick `size` units wide."""

    def __init__(self, size: float = 0.26, color: str = theme.RIGHT_ANSWER, width: float = 5.0) -> None:
        super().__init__(_stroke(_TICK, size, color, width))


class CrossMark(VGroup):
    """Two crossing strokes, `size` units wide."""

    def __init__(self, size: float = 0.26, color: str = theme.WRONG_ANSWER, width: float = 5.0) -> None:
        super().__init__(*[_stroke(line, size, color, width) for line in _CROSS])


def _stroke(corners: Sequence[Sequence[float]], size: float, color: str, width: float) -> VMobject:
    stroke = VMobject(stroke_color=color, stroke_width=width, fill_opacity=0)
    stroke.set_points_as_corners([np.array(corner) * size for corner in corners])
    return stroke.set_z_index(theme.Z_WORDS)
