"""Who attends to whom as lines: askers at the left, asked at the right, the thicker the more attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import DOWN, Line, VGroup

from . import theme
from .boxes import Chip
from .tokens import TokenRow, token_width

THINNEST, THICKEST = 1.2, 13.0  # stroke widths for no attention and for all of it
FAINTEST = 0.22  # share of the asker's colour in the line of a weight of 0


class AttentionLinks(VGroup):
    """Two columns of chips and a line from every asker to everyone it asks: `askers`, `asked`, `lines[i][j]`.

    Parameters: the trace; a key and an index that leave (asker, asked); the tokens of both sides as (word, colour);
    the distance of the chips' rows and between the two columns; the type size. The middle is the origin.
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...],
        askers: Sequence[tuple[str, str]],
        asked: Sequence[tuple[str, str]],
        pitch: float,
        span: float,
        size: float = theme.TOKEN_SIZE,
    ) -> None:
        self.weights = np.array(np.asarray(trace[key])[index])
        if self.weights.shape != (len(askers), len(asked)):
            raise IndexError(f"{key}{list(index)} has shape {self.weights.shape}, not {(len(askers), len(asked))}")
        width = token_width([*askers, *asked], size)
        self.askers, self.asked = (self._column(tokens, pitch, size, width) for tokens in (askers, asked))
        self.askers.set_x(-(span + width) / 2)
        self.asked.set_x((span + width) / 2)
        self.lines = [[self._line(i, j) for j in range(len(asked))] for i in range(len(askers))]
        super().__init__(self.askers, self.asked, *[line for row in self.lines for line in row])

    @staticmethod
    def _column(tokens: Sequence[tuple[str, str]], pitch: float, size: float, width: float) -> TokenRow:
        column = TokenRow(tokens, DOWN, size=size, width=width, height=min(0.64, pitch * 0.86))
        for i, chip in enumerate(column):
            chip.move_to([0, ((len(tokens) - 1) / 2 - i) * pitch, 0])
        return column

    def chip(self, i: int, asks: bool = True) -> Chip:
        """The chip of an asker, or of someone asked."""
        return (self.askers if asks else self.asked).chip(i)

    def lines_of(self, i: int) -> VGroup:
        """All lines of one asker."""
        return VGroup(*self.lines[i])

    def _line(self, i: int, j: int) -> Line:
        weight, asker = float(self.weights[i, j]), self.askers.chip(i)
        start, end = asker.get_right(), self.asked.chip(j).get_left()
        line = Line(start + np.array([0.05, 0, 0]), end - np.array([0.05, 0, 0]))
        color = theme.mix(asker.color_of_token, theme.BACKGROUND, FAINTEST + (1 - FAINTEST) * weight)
        return line.set_stroke(color, width=THINNEST + (THICKEST - THINNEST) * weight)
