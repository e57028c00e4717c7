"""Sums of matrices: side by side with their signs, and written out term by term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import BOLD, RIGHT, VGroup

from . import theme
from .grid import MatrixGrid, elision, shape_tag
from .words import Number, Words, as_printed, equals

SIGN_SIZE = 34.0


class SpelledSum(VGroup):
    """a + b = c, each a value of the trace in its own colour.

    Parameters: the trace, the three keys, the index they share, decimals, the colours of a and b.
    """

    def __init__(
        self,
        trace: Any,
        keys: tuple[str, str, str],
        index: tuple[int, ...],
        decimals: int,
        colors: tuple[str, str],
        size: float = theme.NUMBER_SIZE,
    ) -> None:
        self.first = Number(trace, keys[0], index, decimals, size, colors[0])
        self.plus = Words("+", size, theme.DIM)
        self.second = Number(trace, keys[1], index, decimals, size, colors[1])
        a, b, c = (as_printed(float(np.asarray(trace[key])[index]), decimals) for key in keys)
        self.equals = Words(equals(a + b, c), size, theme.DIM)
        self.total = Number(trace, keys[2], index, decimals, size, theme.INK, BOLD)
        super().__init__(self.first, self.plus, self.second, self.equals, self.total)
        self.arrange(RIGHT, buff=0.13)


def side_by_side(parts: Sequence[VGroup], width: float, buff: float = 0.5) -> VGroup:
    """Parts in a row, closer together where they would be wider than `width`."""
    row = VGroup(*parts).arrange(RIGHT, buff=buff)
    if row.width > width and len(parts) > 1:
        row.arrange(RIGHT, buff=max(buff - (row.width - width) / (len(parts) - 1), 0.25))
    return row


class NamedGrid(VGroup):
    """A grid with its name below it and marks for the columns that it does not draw."""

    def __init__(self, grid: MatrixGrid, text: str) -> None:
        self.grid, self.tag, self.more = grid, shape_tag(grid, text), elision(grid)
        super().__init__(grid, self.tag, self.more)

    def to(self, x: float, y: float) -> np.ndarray:
        """The shift that brings the middle of the grid's cells to (x, y)."""
        return np.array([x, y, 0.0]) - self.grid.body.get_center()

    def glide(self, x: float, y: float, factor: float = 1.0) -> Any:
        """The middle of the cells travels to (x, y), the picture growing by `factor`."""
        middle = self.grid.body.get_center()
        return self.animate.scale(factor, about_point=middle).shift(self.to(x, y))


def sum_places(parts: Sequence[NamedGrid], gap: float) -> tuple[list[float], list[float]]:
    """Where the cells' middles and the signs between them stand on the x axis, the row being centred.

    `gap` is the room that a sign has between what stands left and right of it.
    """
    lefts = [part.grid.body.get_x() - part.get_left()[0] for part in parts]
    rights = [part.get_right()[0] - part.grid.body.get_x() for part in parts]
    width = sum(lefts) + sum(rights) + gap * (len(parts) - 1)
    x, middles, signs = -width / 2, [], []
    for left, right in zip(lefts, rights, strict=True):
        middles.append(x + left)
        signs.append(x + left + right + gap / 2)
        x += left + right + gap
    return middles, signs[:-1]


def line_up(parts: Sequence[NamedGrid], signs: str, room: float, y: float) -> tuple[list[Any], list[Words]]:
    """How matrices with a sign between each two come to stand in a row at height y.

    All but the last glide to their places (the animations are returned); the last is put into its own at once. The
    signs are returned as well.
    """
    middles, gaps = sum_places(parts, room)
    moves = [part.glide(x, y) for part, x in zip(parts[:-1], middles, strict=False)]
    parts[-1].shift(parts[-1].to(middles[-1], y))
    marks = [Words(sign, SIGN_SIZE, theme.DIM, BOLD) for sign in signs]
    return moves, [mark.move_to([x, y, 0]) for mark, x in zip(marks, gaps, strict=True)]
