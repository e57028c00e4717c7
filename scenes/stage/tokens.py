"""Tokens in a line, each a chip in its own colour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import RIGHT, VGroup

from . import theme
from .boxes import Chip


class TokenRow(VGroup):
    """Chips of tokens along a direction (RIGHT for a row, DOWN for a column).

    `equal` gives every chip the width of the widest, which a column wants.
    """

    def __init__(
        self,
        tokens: Sequence[tuple[str, str]],
        direction: np.ndarray = RIGHT,
        size: float = theme.TOKEN_SIZE,
        buff: float = 0.22,
        equal: bool = True,
    ) -> None:
        chips = [Chip(text, color, size) for text, color in tokens]
        if equal and chips:
            widest = max(chip.width for chip in chips)
            chips = [Chip(text, color, size, width=widest) for text, color in tokens]
        super().__init__(*chips)
        self.arrange(direction, buff=buff)

    def chip(self, i: int) -> Chip:
        """The i-th token's chip."""
        chip = self.submobjects[i]
        assert isinstance(chip, Chip)
        return chip
