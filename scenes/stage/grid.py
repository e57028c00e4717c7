"""Matrices of trace values: every cell a number that knows its key and index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from manim import BOLD, DOWN, LEFT, RIGHT, UP, Dot, VGroup

from . import theme
from .boxes import Cell, panel
from .words import Number, Words, bold, shortened

WIDEST_ROW_NAME = 1.45  # units; longer words are cut
HEADING_AIR = 0.12  # between the headings of neighbouring columns


@dataclass(frozen=True)
class Name:
    """A row or column heading: what it says and in which colour."""

    text: str
    color: str = theme.DIM


class MatrixGrid(VGroup):
    """Rows and columns of numbers with optional headings.

    Parameters: the trace; a key and the leading `index` that leaves one or two axes (one axis is drawn as one row);
    decimals; headings; type size; `cell` = (width, height) or None to take what the widest number needs; gap between
    cells; `max_height` and `max_width` shrink type and cells down to the smallest readable size to fit;
    `first_rows` draws only so many rows from the top (after leaving out `skip_rows`), `first_columns` only so many
    columns from the left; `marked` adds `more`, a mark beside every row whose end is not drawn;
    `transposed` draws the rows (after that choice) as columns.
    Raises IndexError when the index leaves anything but one or two axes.
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...] = (),
        decimals: int = 2,
        row_names: Sequence[Name] | None = None,
        column_names: Sequence[Name] | None = None,
        size: float = theme.NUMBER_SIZE,
        cell: tuple[float, float] | None = None,
        gap: float = 0.07,
        max_height: float | None = None,
        max_width: float | None = None,
        fill: str = theme.PANEL,
        first_rows: int | None = None,
        transposed: bool = False,
        first_columns: int | None = None,
        skip_rows: int = 0,
        marked: bool = False,
    ) -> None:
        super().__init__()
        values = np.asarray(trace[key])[index]
        if values.ndim not in (1, 2):
            raise IndexError(f"{key}{list(index)} leaves {values.ndim} axes; a grid draws one or two")
        self.trace, self.key, self.index, self.decimals = trace, key, tuple(index), decimals
        self.values = values if values.ndim == 2 else values[None, :]
        self.skip_rows = skip_rows
        self.values = self.values[skip_rows:][:first_rows, :first_columns]
        self.transposed = transposed
        if transposed:
            self.values = self.values.T
        self.rows, self.columns = self.values.shape
        self._one_row = values.ndim == 1
        size, cell = self._fit(size, cell, gap, max_height, max_width)
        self.size, self.cell_size, self.gap = size, cell, gap
        self.cells = [[self._make_cell(i, j, fill) for j in range(self.columns)] for i in range(self.rows)]
        self.body = VGroup(*[one for row in self.cells for one in row])
        self.row_labels = VGroup(*[self._row_label(i, name) for i, name in enumerate(row_names or ())])
        self.column_labels = self._column_headings((column_names or ())[: self.columns])
        self.add(self.body, self.row_labels, self.column_labels)
        self.more = elision(self) if marked else VGroup()
        if len(self.more):
            self.add(self.more)

    # -- parts --------------------------------------------------------------------------------------------------
    def cell(self, i: int, j: int) -> Cell:
        """The cell in row i, column j."""
        return self.cells[i][j]

    def number(self, i: int, j: int) -> Words:
        """The number in row i, column j."""
        return self.cells[i][j].words

    def row(self, i: int) -> VGroup:
        """The cells of row i."""
        return VGroup(*self.cells[i])

    def column(self, j: int) -> VGroup:
        """The cells of column j."""
        return VGroup(*[row[j] for row in self.cells])

    def numbers(self) -> VGroup:
        """All numbers, row by row."""
        return VGroup(*[one.words for row in self.cells for one in row])

    def boxes(self) -> VGroup:
        """All boxes, row by row."""
        return VGroup(*[one.box for row in self.cells for one in row])

    def full_index(self, i: int, j: int) -> tuple[int, ...]:
        """Index into the key's array of the cell in row i, column j."""
        if self._one_row:
            return (*self.index, i if self.transposed else j)
        row, column = (j, i) if self.transposed else (i, j)
        return (*self.index, row + self.skip_rows, column)

    def row_with_mark(self, i: int) -> VGroup:
        """Row i with the mark for what is not drawn, if it has one."""
        return VGroup(*self.cells[i], *self.more[i : i + 1])

    def row_with_label(self, i: int) -> VGroup:
        """Row i with its heading and the mark for what is not drawn, if it has them."""
        label = [self.row_labels[i]] if len(self.row_labels) else []
        return VGroup(*label, *self.row_with_mark(i))

    # -- making -------------------------------------------------------------------------------------------------
    def _number(self, i: int, j: int, size: float) -> Number:
        return Number(self.trace, self.key, self.full_index(i, j), self.decimals, size)

    def _fit(
        self,
        size: float,
        cell: tuple[float, float] | None,
        gap: float,
        max_height: float | None,
        max_width: float | None,
    ) -> tuple[float, tuple[float, float]]:
        """Type size and cell size: as asked when it fits, else as large as fits and still readable."""
        widest = max(self._number(i, j, size).width for i in range(self.rows) for j in range(self.columns))
        cap = self._number(0, 0, size).cap_height
        width, height = cell or (widest + 1.5 * cap, 2.35 * cap)
        shrink = 1.0
        if max_height is not None:
            shrink = min(shrink, (max_height / self.rows - gap) / height)
        if max_width is not None:
            # A number wider than the cell asked for widens it, and so the type has to shrink by more.
            shrink = min(shrink, (max_width / self.columns - gap) / max(width, widest + 0.85 * cap))
        new_size = max(size * shrink, theme.SMALL_SIZE)
        ratio = new_size / size
        # Type stops shrinking at the smallest readable size; the air around it may shrink a little further.
        if max_height is not None:
            height = min(height, max_height / self.rows - gap)
        new_height = max(height, cap * ratio * 1.85)
        new_width = max(width * shrink, (widest + 0.85 * cap) * ratio)
        return new_size, (new_width, new_height)

    def _make_cell(self, i: int, j: int, fill: str) -> Cell:
        width, height = self.cell_size
        one = Cell(self._number(i, j, self.size), width, height, fill=fill)
        one.move_to([j * (width + self.gap), -i * (height + self.gap), 0])
        return one

    def _row_label(self, i: int, name: Name) -> Words:
        size = max(min(self.size, theme.LABEL_SIZE), theme.SMALL_SIZE)
        label = bold(shortened(name.text, WIDEST_ROW_NAME, size, BOLD), size, name.color)
        return label.next_to(self.cells[i][0], LEFT, 0.2)

    def _column_headings(self, names: Sequence[Name]) -> VGroup:
        """Headings of the columns; where neighbours would touch, both are cut to the width of their columns."""
        size = max(min(self.size, theme.LABEL_SIZE), theme.SMALL_SIZE)
        pitch = self.cell_size[0] + self.gap
        texts = [name.text for name in names]
        widths = [bold(text, size).width for text in texts]
        for left, right in pairwise(range(len(texts))):
            if (widths[left] + widths[right]) / 2 > pitch - HEADING_AIR:
                for k in (left, right):
                    texts[k] = shortened(names[k].text, pitch - HEADING_AIR, size, BOLD)
        return VGroup(
            *[
                bold(text, size, name.color).next_to(self.cells[0][j], UP, 0.22)
                for j, (text, name) in enumerate(zip(texts, names, strict=True))
            ]
        )


class Heatmap(MatrixGrid):
    """A matrix whose fills say how large the values are.

    `low` and `high` are the values that are drawn as the panel and as the full colour. The numbers stay on top, in
    the ink that is readable on their fill.
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...] = (),
        *,
        low: float = 0.0,
        high: float = 1.0,
        color: str = theme.SHARED,
        warm: bool = True,
        **settings: Any,
    ) -> None:
        self.low, self.high, self.heat_color = low, high, color
        super().__init__(trace, key, index, **settings)
        if warm:
            for i in range(self.rows):
                for j in range(self.columns):
                    self.cell(i, j).paint(fill=self.fill_of(i, j))

    def fill_of(self, i: int, j: int) -> str:
        """The fill that the value in row i, column j stands for."""
        share = (float(self.values[i, j]) - self.low) / (self.high - self.low)
        return theme.heat(share, self.heat_color)


class VectorColumn(MatrixGrid):
    """One vector standing upright: a grid of one column from a key and index that leave one axis."""

    def __init__(self, trace: Any, key: str, index: tuple[int, ...] = (), **settings: Any) -> None:
        super().__init__(trace, key, index, **settings)
        _, height = self.cell_size
        for j, one in enumerate(self.cells[0]):
            one.move_to([0, -j * (height + self.gap), 0])


def shape_tag(grid: MatrixGrid, text: str, color: str = theme.DIM, size: float = theme.LABEL_SIZE) -> Words:
    """A line under a grid that names it."""
    return Words(text, size, color).next_to(grid.body, DOWN, 0.22)


def empty_places(grid: MatrixGrid) -> VGroup:
    """The outlines of a grid's cells, for values that are still to come."""
    places = [panel(one.box.width, one.box.height, fill=theme.BACKGROUND).move_to(one.box) for one in grid.body]
    return VGroup(*places)


def elision(grid: MatrixGrid) -> VGroup:
    """A mark beside each row when the grid draws only the first columns of its matrix, else nothing."""
    shape = np.asarray(grid.trace[grid.key])[grid.index].shape
    there = shape[0] if grid.transposed and len(shape) == 2 else shape[-1]
    rows = range(grid.rows) if there > grid.columns and not (grid.transposed and len(shape) == 1) else ()
    return VGroup(*[Words("…", grid.size, theme.DIM).next_to(grid.row(i), RIGHT, 0.12) for i in rows])


def upright_mark() -> VGroup:
    """Three dots one above the other: rows are left out here."""
    return VGroup(*[Dot(radius=0.025, color=theme.DIM).shift(UP * 0.08 * k) for k in (-1, 0, 1)])


def beside(grid: MatrixGrid, i: int) -> np.ndarray:
    """The point just right of row i, where its result can be put."""
    return grid.row(i).get_right() + RIGHT * 0.2
