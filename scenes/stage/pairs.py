"""A sentence over the grid of its words' dot products: every word against every word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manim import BOLD, LEFT, UP, VGroup

from . import theme
from .boxes import Cell, Chip
from .grid import MatrixGrid, Name
from .words import Words, bold, shortened

WIDEST_CELL = 1.5
WIDEST_NAME = 1.0
SIDE_GAP = 0.2


class SentenceGrid(VGroup):
    """Title, position numbers and chips of a sentence as the headings of a grid of pairs.

    Parameters: the trace and a key with two axes of positions; the words with their colours; the title; the room in
    units for everything side by side (`width`) and for the rows of the grid (`height`). Long words are shortened
    where their column is narrower. It is centred on `x`, its top edge is `top`.
    """

    def __init__(
        self, trace: Any, key: str, names: Sequence[Name], title: str, width: float, height: float, x: float, top: float
    ) -> None:
        widest = max(bold(name.text, theme.NUMBER_SIZE).width for name in names)
        room = min(max(bold(name.text, theme.LABEL_SIZE).width for name in names), WIDEST_NAME) + SIDE_GAP
        self.grid = MatrixGrid(
            trace,
            key,
            cell=(min(max(1.04, widest + 0.4), WIDEST_CELL), 0.64),
            max_width=width - room,
            max_height=height,
        )
        size, (cell_width, cell_height) = self.grid.size, self.grid.cell_size
        room = max(width - self.grid.body.width - SIDE_GAP, 0.3)
        self.row_names = VGroup()
        self.chips = VGroup()
        self.positions = VGroup()
        label_size = max(min(size, theme.LABEL_SIZE), theme.SMALL_SIZE)
        for i, name in enumerate(names):
            text = shortened(name.text, min(room, WIDEST_NAME), label_size, BOLD)
            self.row_names.add(bold(text, label_size, name.color).next_to(self.grid.cell(i, 0), LEFT, SIDE_GAP))
            text = shortened(name.text, cell_width - 0.12, size, BOLD)
            chip = Chip(text, name.color, size, width=cell_width, height=max(cell_height * 0.86, 0.4))
            self.chips.add(chip.next_to(self.grid.cell(0, i), UP, 0.17))
            self.positions.add(bold(str(i), label_size, theme.INK).next_to(chip, UP, 0.14))
        self.title = Words(title, theme.LABEL_SIZE, theme.DIM)
        self.title.next_to(self.positions, UP, 0.2)
        super().__init__(self.title, self.positions, self.chips, self.row_names, self.grid.body)
        self.move_to([x, top, 0], aligned_edge=UP)

    def cell(self, i: int, j: int) -> Cell:
        """The cell of word i (row) and word j (column)."""
        return self.grid.cell(i, j)

    def row_with_name(self, i: int) -> VGroup:
        """Row i with the word it belongs to."""
        return VGroup(self.row_names[i], *self.grid.row(i))

    def rest(self, *kept: Cell) -> VGroup:
        """All cells but these."""
        return VGroup(*[cell for cell in self.grid.body if cell not in kept])
