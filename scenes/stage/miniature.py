"""Scenes in thumbnail size: coloured squares and bars from trace values, without numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import DOWN, RIGHT, UP, Cross, Rectangle, Square, VGroup, VMobject

from . import theme
from .flow import FlowArrow

HEIGHT = 0.34  # units: the height of a thumbnail


def squares(colors: Sequence[Sequence[str]], height: float = HEIGHT) -> VGroup:
    """A grid of filled squares in the given colours, as high as `height`."""
    side = height / len(colors)
    group = VGroup()
    for i, row in enumerate(colors):
        for j, color in enumerate(row):
            one = Square(side * 0.86, stroke_width=0, fill_color=color, fill_opacity=1)
            group.add(one.move_to([j * side, -i * side, 0]))
    return group


def tokens(colors: Sequence[str], height: float = HEIGHT) -> VGroup:
    """A sentence: one rounded square a token."""
    return VGroup(
        *[Square(height * 0.62, stroke_width=0, fill_color=color, fill_opacity=1) for color in colors]
    ).arrange(RIGHT, buff=height * 0.16)


def matrix(values: np.ndarray, color: str, height: float = HEIGHT) -> VGroup:
    """A matrix: the larger a value, the fuller its colour."""
    low, high = float(values.min()), float(values.max())
    span = (high - low) or 1.0
    return squares([[theme.heat((float(v) - low) / span, color) for v in row] for row in values], height)


def masked(count: int, rows: int | None = None, height: float = HEIGHT) -> VGroup:
    """A causal map: green below, red above the diagonal; only the first `rows` rows are filled."""
    shown = count if rows is None else rows
    colors = []
    for i in range(count):
        if i < shown:
            colors.append([theme.SHARED if j <= i else theme.tint(theme.MASKED, 0.6) for j in range(count)])
        else:
            colors.append([theme.PANEL_RAISED] * count)
    return squares(colors, height)


def bars(values: np.ndarray, colors: Sequence[str], height: float = HEIGHT) -> VGroup:
    """Probabilities as upright bars on one line."""
    top = float(values.max())
    group = VGroup(
        *[
            Rectangle(
                width=0.07,
                height=max(height * float(v) / top, 0.02),
                stroke_width=0,
                fill_color=color,
                fill_opacity=1,
            )
            for v, color in zip(values, colors, strict=True)
        ]
    )
    return group.arrange(RIGHT, buff=0.035, aligned_edge=DOWN)


def loop(color: str, height: float = HEIGHT * 0.8) -> VMobject:
    """An arrow that goes round and comes back."""
    width = height * 2
    path = np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], dtype=float)
    return FlowArrow(list(path), color=color, width=2.5, buff=0.0, head=0.11, corner=0.1)


def straight(color: str, back: bool = False, crossed: bool = False) -> VGroup:
    """A straight arrow, forwards or back; crossed out where nothing goes."""
    ends = [np.array([0.0, 0.0, 0.0]), np.array([0.55, 0.0, 0.0])]
    arrow = FlowArrow(ends[::-1] if back else ends, color=color, width=2.5, buff=0.0, head=0.12)
    picture = VGroup(arrow)
    if crossed:
        picture.add(Cross(stroke_color=theme.MASKED, stroke_width=4).scale(0.11).move_to(arrow))
    return picture


def stacked(*parts: VMobject) -> VGroup:
    """Thumbnails side by side."""
    return VGroup(*parts).arrange(RIGHT, buff=0.16)


def framed_rows(count: int, last_only: bool, color: str, height: float = HEIGHT) -> VGroup:
    """Rows of an output: all of them in colour, or only the last."""
    side = height / count
    rows = VGroup(
        *[
            Rectangle(
                width=0.5,
                height=side * 0.8,
                stroke_width=0,
                fill_color=color if i == count - 1 or not last_only else theme.PANEL_RAISED,
                fill_opacity=1,
            )
            for i in range(count)
        ]
    )
    return rows.arrange(DOWN, buff=side * 0.2).move_to(UP * 0)
