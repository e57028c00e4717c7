"""The waves of the positional encoding, and the matrix that is read off them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from manim import LEFT, RIGHT, AnimationGroup, VGroup

from engine.ops import positional_encoding

from . import theme
from .curves import CurvePanels
from .formula import Formula
from .grid import MatrixGrid, Name
from .words import bold

TALLEST_PANEL = 1.6


class PositionWaves(CurvePanels):
    """The first `shown` dimensions of the encoding as curves over real positions, each with its name and law.

    Parameters: d_model; how many dimensions are drawn; how many positions the sentence has; the box of the panels.
    """

    def __init__(
        self, d_model: int, shown: int, positions: int, left: float, right: float, top: float, bottom: float
    ) -> None:
        self.d_model = d_model
        middle, half = (top + bottom) / 2, min(top - bottom, TALLEST_PANEL * shown) / 2
        super().__init__(
            lambda points: positional_encoding(points, d_model)[:, :shown],
            theme.DIMENSIONS[:shown],
            [self.period(j) for j in range(shown)],
            left,
            right,
            middle + half,
            middle - half,
            max(positions - 1, 1) + 0.5,
            range(positions),
        )

    def period(self, j: int) -> float:
        """Positions in which wave j turns once."""
        return float(2 * math.pi * 10000 ** (2 * (j // 2) / self.d_model))

    def law(self, j: int, name: str, x: float) -> VGroup:
        """The name of wave j, beginning at x, and its formula, left of its panel."""
        wave, color, y = ("sin", "cos")[j % 2], theme.DIMENSIONS[j], self.middles[j]
        formula = Formula(f"{wave}(p / 10000^({j // 2 * 2} slash {self.d_model}))", theme.FORMULA_SIZE * 0.8, color)
        formula.move_to([self.left - self.pad - 0.5, y, 0], aligned_edge=RIGHT)
        return VGroup(bold(name, theme.LABEL_SIZE, color).move_to([x, y, 0], aligned_edge=LEFT), formula)


class WaveGrid(MatrixGrid):
    """Values of the encoding in the colours of their waves: the larger the value, the stronger the colour.

    Light ink stays readable on all of them. Parameters: the trace, a key with the axes pos and d, the names of the
    dimensions, and those of `MatrixGrid`.
    """

    def __init__(self, trace: Any, key: str, dimensions: Sequence[str], **settings: Any) -> None:
        names = [Name(text, color) for text, color in zip(dimensions, theme.DIMENSIONS, strict=False)]
        super().__init__(trace, key, column_names=names, **settings)
        for i in range(self.rows):
            for j, cell in enumerate(self.row(i)):
                cell.paint(**self.paint_of(i, j))

    def paint_of(self, i: int, j: int) -> dict[str, Any]:
        """How the cell in row i, column j is painted (see `Cell.paint`)."""
        share = 0.04 + 0.36 * (float(self.values[i, j]) + 1) / 2
        fill = theme.mix(theme.DIMENSIONS[j], theme.PANEL, share)
        return {"fill": fill, "stroke": quiet(j), "ink": theme.INK, "stroke_width": theme.THIN}

    def light_up(self, i: int) -> AnimationGroup:
        """Row i takes on its colours again."""
        return AnimationGroup(*[cell.animate.paint(**self.paint_of(i, j)) for j, cell in enumerate(self.row(i))])


def quiet(j: int) -> str:
    """The colour of wave j where it is not spoken of."""
    return theme.mix(theme.DIMENSIONS[j], theme.PANEL, 0.35)
