"""Tokens in a line, each a chip in its own colour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import RIGHT, VGroup

from . import theme
from .boxes import Chip


class TokenRow(VGroup):
    """Chips of tokens along a direction (RIGHT for a row, DOWN for a column).

    All chips are as wide as the widest needs, or `width`; `height` overrides that of the type size.
    """

    def __init__(
        self,
        tokens: Sequence[tuple[str, str]],
        direction: np.ndarray = RIGHT,
        size: float = theme.TOKEN_SIZE,
        buff: float = 0.22,
        width: float | None = None,
        height: float | None = None,
    ) -> None:
        width = width or token_width(tokens, size)
        super().__init__(*[Chip(text, color, size, width=width, height=height) for text, color in tokens])
        self.arrange(direction, buff=buff)

    def chip(self, i: int) -> Chip:
        """The i-th token's chip."""
        chip = self.submobjects[i]
        assert isinstance(chip, Chip)
        return chip


def token_width(tokens: Sequence[tuple[str, str]], size: float = theme.TOKEN_SIZE) -> float:
    """The width of a chip that is wide enough for each of these tokens."""
    return max((Chip(text, color, size).width for text, color in tokens), default=0.0)
