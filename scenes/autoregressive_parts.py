"""Layout and parts of the autoregressive loop: where every word has its column, the mask, the memory, the K/V cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from manim import RIGHT, RoundedRectangle, VGroup

from scenes.stage import theme
from scenes.stage.boxes import Cell, panel
from scenes.stage.grid import Name
from scenes.stage.marks import Tick
from scenes.stage.words import Number, Words, bold, format_value

MINUS_INFINITY = "−∞"
DOTS = "…"
CELL_GAP = 0.045  # between the numbers of one cached vector

EDGE = theme.SAFE_X - 0.03  # where boxes end, so that their strokes stay inside the safe area
LEFT_ZONE = 1.78  # width of the encoder and its memory once they have stepped aside
ZONE_GAP = 0.44
SLOT_GAP = 0.12
BARS_GAP = 0.15
NUMBER_WIDTH = bold(format_value(0.0, 3), theme.SMALL_SIZE).width
SHORTEST_BAR, LONGEST_BAR = 0.7, 1.6
LEAST_PANEL = 5.0  # the decoder's name, what it shows and the number of the pass stand side by side
ENOUGH_BAR = 1.05  # what large type must leave


@dataclass(frozen=True)
class Plan:
    """Where things stand, left to right. Lengths and places in units.

    `centers` and `widths` are those of the chips of the input row, one more than there are passes; `columns` and
    `column_widths` those of the decoder's columns, one per word that is read. Where the words are few enough the two
    agree, so that a word, its column of the mask and its column of the cache stand above one another.
    """

    size: float
    left_zone: float
    centers: tuple[float, ...]
    widths: tuple[float, ...]
    columns: tuple[float, ...]
    column_widths: tuple[float, ...]
    named: bool
    aligned: bool
    panel_left: float
    panel_right: float
    bars_left: float
    bars_right: float
    bar_length: float
    lane: float


def make_plan(said: Sequence[str], vocabulary: Sequence[str]) -> Plan:
    """The largest type, the most regular columns and the most headings that the words leave room for."""
    for size, named, equal, shortest in (
        (22.0, True, True, ENOUGH_BAR),
        (20.0, True, True, ENOUGH_BAR),
        (theme.SMALL_SIZE, True, True, SHORTEST_BAR),
        (theme.SMALL_SIZE, True, False, SHORTEST_BAR),
        (theme.SMALL_SIZE, False, True, SHORTEST_BAR),
        (theme.SMALL_SIZE, False, False, SHORTEST_BAR),
    ):
        plan = _aligned(said, vocabulary, size, named, equal, shortest)
        if plan is not None:
            return plan
    return _spread(said, vocabulary)


def _chip_widths(said: Sequence[str], size: float, equal: bool) -> tuple[float, ...]:
    cap = bold("H", size).cap_height
    least = 1.2 if equal and size > theme.SMALL_SIZE else 0.78
    widths = [max(bold(word, size).width + 1.2 * cap, least) for word in said]
    return (max(widths),) * len(widths) if equal else tuple(widths)


def _names_width(words: Sequence[str], size: float = theme.SMALL_SIZE) -> float:
    return max(bold(word, size).width for word in words)


def _aligned(
    said: Sequence[str], vocabulary: Sequence[str], size: float, named: bool, equal: bool, shortest: float
) -> Plan | None:
    widths = _chip_widths(said, size, equal)
    passes = len(said) - 1
    panel_left = -EDGE + LEFT_ZONE + ZONE_GAP
    first_edge = panel_left + (_names_width(said[:passes]) + 0.42 if named else 0.54)
    edges = list(accumulate((width + SLOT_GAP for width in widths), initial=first_edge))
    centers = tuple(edge + width / 2 for edge, width in zip(edges, widths, strict=False))
    panel_right = max(edges[passes] - SLOT_GAP + 0.2, panel_left + LEAST_PANEL)
    lane = EDGE - max(widths) / 2
    bars_left = panel_right + ZONE_GAP
    numbers_right = lane - max(widths) / 2 - 0.08
    length = numbers_right - bars_left - _names_width(vocabulary) - 2 * BARS_GAP - 0.1 - NUMBER_WIDTH
    if length < shortest or centers[-1] + widths[-1] / 2 > lane - 0.5:
        return None
    # Room that the bars do not need goes to the decoder.
    spare = max(length - LONGEST_BAR, 0.0)
    return Plan(
        size=size,
        left_zone=LEFT_ZONE,
        centers=tuple(center + spare / 4 for center in centers),
        widths=widths,
        columns=tuple(center + spare / 4 for center in centers[:passes]),
        column_widths=widths[:passes],
        named=named,
        aligned=True,
        panel_left=panel_left,
        panel_right=panel_right + spare / 2,
        bars_left=bars_left + spare,
        bars_right=numbers_right,
        bar_length=length - spare,
        lane=lane,
    )


def _spread(said: Sequence[str], vocabulary: Sequence[str]) -> Plan:
    """Many or long words: the input row takes the whole width, the decoder's columns are narrow and unnamed."""
    passes = len(said) - 1
    panel_left = -EDGE + LEFT_ZONE + ZONE_GAP
    widths = _chip_widths(said, theme.SMALL_SIZE, equal=False)
    lane = EDGE - max(widths) / 2
    room = lane - 0.5 - panel_left - sum(widths)
    first_edge = panel_left if room > 0.04 * passes else -EDGE
    gap = min(SLOT_GAP, max((lane - 0.5 - first_edge - sum(widths)) / passes, 0.02))
    edges = accumulate((width + gap for width in widths), initial=first_edge)
    numbers_right = lane - max(widths) / 2 - 0.08
    bars_left = numbers_right - SHORTEST_BAR - _names_width(vocabulary) - 2 * BARS_GAP - 0.1 - NUMBER_WIDTH
    panel_right = bars_left - ZONE_GAP
    pitch = (panel_right - panel_left - 0.68) / passes
    return Plan(
        size=theme.SMALL_SIZE,
        left_zone=LEFT_ZONE,
        centers=tuple(edge + width / 2 for edge, width in zip(edges, widths, strict=False)),
        widths=widths,
        columns=tuple(panel_left + 0.5 + pitch * (i + 0.5) for i in range(passes)),
        column_widths=(pitch - 0.08,) * passes,
        named=False,
        aligned=False,
        panel_left=panel_left,
        panel_right=panel_right,
        bars_left=bars_left,
        bars_right=numbers_right,
        bar_length=SHORTEST_BAR,
        lane=lane,
    )


def decoder_panel(plan: Plan, top: float, low: float) -> RoundedRectangle:
    """The decoder's own ground, in the hue of its track."""
    return panel(
        plan.panel_right - plan.panel_left,
        top - low,
        theme.mix(theme.INFERENCE, theme.BACKGROUND, 0.05),
        theme.mix(theme.INFERENCE, theme.BACKGROUND, 0.6),
        theme.STRONG,
        corner=0.16,
    ).move_to([(plan.panel_left + plan.panel_right) / 2, (top + low) / 2, 0])


class MaskCell(VGroup):
    """One cell of a mask: green with a tick where a word may look, red with −∞ where it may not."""

    def __init__(self, value: float, width: float, height: float) -> None:
        self.masked = value < 0
        color = theme.MASKED if self.masked else theme.SHARED
        self.box: RoundedRectangle = panel(width, height, theme.tint(color, 0.3), color)
        self.mark = (
            Words(MINUS_INFINITY, theme.LABEL_SIZE, theme.MASKED_INK)
            if self.masked
            else Tick(0.24, theme.POSITIVE, width=4.5)
        )
        self.mark.move_to(self.box)
        super().__init__(self.box, self.mark)

    def quiet(self) -> MaskCell:
        """Step back: the same marks on the panel, in grey."""
        self.box.set_fill(theme.PANEL, opacity=1.0)
        self.box.set_stroke(theme.LINE)
        if self.masked:
            self.mark.set_fill(theme.DIM, opacity=1.0)
        else:
            self.mark.set_stroke(theme.DIM)
        return self


class MemoryTiles(VGroup):
    """A matrix as a block of tiles without numbers: the larger the value, the brighter the tile."""

    def __init__(self, values: np.ndarray, width: float, height: float, gap: float = 0.04) -> None:
        low, high = memory_range(values)
        self.row_groups = [
            VGroup(
                *[
                    panel(width, height, theme.heat((value - low) / (high - low)), stroke_width=0, corner=0.05).move_to(
                        [j * (width + gap), -i * (height + gap), 0]
                    )
                    for j, value in enumerate(row)
                ]
            )
            for i, row in enumerate(values)
        ]
        super().__init__(*[tile for row in self.row_groups for tile in row])


def memory_range(values: np.ndarray) -> tuple[float, float]:
    """The values drawn as panel and as full colour; the largest stays below the full colour, so that ink is light."""
    low, high = float(values.min()), float(values.max())
    return low, low + (max(high - low, 1e-9)) * 1.9


class CacheColumn(VGroup):
    """One word's key or value in one head, standing upright: every number in its own cell.

    A vector longer than `most` shows its beginning and dots.
    """

    def __init__(self, numbers: Sequence[Number], color: str, width: float, height: float, most: int) -> None:
        self.color_of_cells = color
        shown: list[Words] = list(numbers)
        if len(numbers) > most:
            shown = [*numbers[: most - 1], Words(DOTS, theme.SMALL_SIZE)]
        cells = [Cell(one, width, height, fill=theme.tint(color, 0.34), stroke=color) for one in shown]
        super().__init__(*[cell.move_to([0, -i * (height + CELL_GAP), 0]) for i, cell in enumerate(cells)])

    def quiet(self) -> CacheColumn:
        """Kept from an earlier pass: the hue stays, the light goes."""
        for cell in self:
            assert isinstance(cell, Cell)
            cell.paint(
                fill=theme.tint(self.color_of_cells, 0.1),
                stroke=theme.mix(self.color_of_cells, theme.PANEL, 0.4),
                ink=theme.DIM,
            )
        return self


class Pill(VGroup):
    """A rounded badge with one bold line."""

    def __init__(self, text: str, color: str, size: float = theme.LABEL_SIZE) -> None:
        self.words = bold(text, size, color)
        cap = self.words.cap_height
        self.box = panel(
            self.words.width + 2 * cap,
            2.4 * cap,
            theme.tint(color, 0.14),
            color,
            corner=1.19 * cap,
        )
        self.words.move_to(self.box)
        super().__init__(self.box, self.words)


def memory_names(names: Sequence[Name], rows: Sequence[VGroup]) -> VGroup:
    """The source words in front of their rows of the memory."""
    return VGroup(
        *[
            bold(name.text, theme.SMALL_SIZE, name.color).move_to(row.get_left() - RIGHT * 0.16, RIGHT)
            for name, row in zip(names, rows, strict=True)
        ]
    )


class MaskBoard:
    """The mask of the pass: it grows by a column and a row, and the last row is the word that asks now."""

    def __init__(self, plan: Plan, words: Sequence[Name], names_y: float, top: float, pitch: float) -> None:
        self.plan, self.words, self.names_y, self.top, self.pitch = plan, words, names_y, top, pitch
        self.cells: dict[tuple[int, int], MaskCell] = {}
        self.names = VGroup()
        self.size = 0

    def y(self, i: int) -> float:
        """Height of row i."""
        return self.top - i * self.pitch

    @property
    def left(self) -> float:
        """Where the first column begins."""
        return self.plan.columns[0] - self.plan.column_widths[0] / 2

    def grow(self, values: np.ndarray) -> list[MaskCell]:
        """The cells that the mask `values` (q, k) has more than the one before; to be shown by the scene."""
        k = len(values)
        new = []
        for i, j in [*[(i, k - 1) for i in range(k - 1)], *[(k - 1, j) for j in range(k)]]:
            cell = MaskCell(float(values[i, j]), self.plan.column_widths[j], self.pitch - 0.08)
            self.cells[i, j] = cell.move_to([self.plan.columns[j], self.y(i), 0])
            new.append(cell)
        self.size = k
        return new

    def older(self) -> list[MaskCell]:
        """The cells of the passes before."""
        last = self.size - 1
        return [cell for (i, j), cell in self.cells.items() if i < last and j < last]

    def last_row(self) -> VGroup:
        """The row of the newest word."""
        return VGroup(*[self.cells[self.size - 1, j] for j in range(self.size)])

    def headings(self, k: int) -> list[Words]:
        """The k-th word above its column and before its row; none where there is no room."""
        if not self.plan.named:
            return []
        name = self.words[k - 1]
        above = bold(name.text, theme.SMALL_SIZE, name.color).move_to([self.plan.columns[k - 1], self.names_y, 0])
        before = bold(name.text, theme.SMALL_SIZE, name.color).move_to([self.left - 0.16, self.y(k - 1), 0], RIGHT)
        self.names.add(above, before)
        return [above, before]

    @property
    def foot(self) -> float:
        """Just below the last row, where the arrows from the input end."""
        return self.y(self.size - 1) - self.pitch / 2


class CacheBoard:
    """Keys above values, one column a word; a long vector shows its beginning."""

    MOST, ROOM = 3, 2.28

    def __init__(self, plan: Plan, d_head: int, top: float) -> None:
        self.plan = plan
        self.shown = min(d_head, self.MOST)
        self.pitch = max(min(0.5, self.ROOM / (2 * self.shown)), 0.37)
        height = self.shown * self.pitch
        self.key_y = top - height / 2
        self.value_y = self.key_y - height - 0.2
        x = plan.columns[0] - plan.column_widths[0] / 2 - 0.16
        self.letters = VGroup(
            bold("K", theme.BODY_SIZE, theme.KEY).move_to([x, self.key_y, 0], RIGHT),
            bold("V", theme.BODY_SIZE, theme.VALUE).move_to([x, self.value_y, 0], RIGHT),
        )
        self.foot = self.value_y - height / 2 - 0.08
        self.columns: list[tuple[CacheColumn, CacheColumn]] = []
        self.tags: list[Words] = []

    def column(self, key: Sequence[Number], value: Sequence[Number]) -> tuple[CacheColumn, CacheColumn]:
        """The next word's column, in place."""
        j = len(self.columns)
        width = min(self.plan.column_widths[j], 1.1)
        pair = (
            CacheColumn(key, theme.KEY, width, self.pitch - CELL_GAP, self.shown),
            CacheColumn(value, theme.VALUE, width, self.pitch - CELL_GAP, self.shown),
        )
        for one, y in zip(pair, (self.key_y, self.value_y), strict=True):
            one.move_to([self.plan.columns[j], y, 0])
        self.columns.append(pair)
        return pair
