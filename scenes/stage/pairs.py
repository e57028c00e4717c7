"""A sentence over the grid of its words' dot products: every word against every word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import BOLD, LEFT, RIGHT, UP, Animation, FadeIn, LaggedStart, VGroup, VMobject

from . import theme
from .boxes import Cell, Chip
from .grid import MatrixGrid, Name
from .motion import carry_all, fly, raise_above
from .words import Number, Words, bold, format_value, shortened

if TYPE_CHECKING:
    from .scene import ExplainerScene

WIDEST_CELL = 1.5
WIDEST_NAME = 1.0
SIDE_GAP = 0.2
GAP = 0.07
DECIMALS = 2


class SentenceGrid(VGroup):
    """Title, position numbers and chips of a sentence as the headings of a grid of pairs.

    Parameters: the trace and a key with two axes of positions; the words with their colours; the title; the room in
    units for everything side by side (`width`) and for the rows of the grid (`height`). Long words are shortened
    where their column is narrower, and numbers keep one decimal where two do not fit.
    """

    def __init__(self, trace: Any, key: str, names: Sequence[Name], title: str, width: float, height: float) -> None:
        widest = max(bold(name.text, theme.NUMBER_SIZE).width for name in names)
        room = min(max(bold(name.text, theme.LABEL_SIZE).width for name in names), WIDEST_NAME) + SIDE_GAP
        cell = (min(max(1.04, widest + 0.4), WIDEST_CELL), 0.62)
        for decimals in (DECIMALS, 1):
            self.grid = MatrixGrid(
                trace, key, decimals=decimals, cell=cell, max_width=width - room, max_height=height, gap=GAP
            )
            if self.grid.body.width <= width - room:
                break
        size, (cell_width, cell_height) = self.grid.size, self.grid.cell_size
        room = max(width - self.grid.body.width - SIDE_GAP, 0.3)
        self.row_names = VGroup()
        self.chips = VGroup()
        self.positions = VGroup()
        label_size = max(min(size, theme.LABEL_SIZE), theme.SMALL_SIZE)
        for i, name in enumerate(names):
            text = shortened(name.text, min(room, WIDEST_NAME), label_size, BOLD)
            self.row_names.add(bold(text, label_size, name.color).next_to(self.grid.cell(i, 0), LEFT, SIDE_GAP))
            text = shortened(name.text, cell_width - 0.28, size, BOLD)
            chip = Chip(text, name.color, size, width=cell_width, height=max(cell_height * 0.86, 0.4))
            self.chips.add(chip.next_to(self.grid.cell(0, i), UP, 0.17))
            self.positions.add(bold(str(i), label_size, theme.INK).next_to(chip, UP, 0.14))
        self.title = Words(title, theme.LABEL_SIZE, theme.DIM)
        self.title.next_to(self.positions, UP, 0.2)
        super().__init__(self.title, self.positions, self.chips, self.row_names, self.grid.body)

    def cell(self, i: int, j: int) -> Cell:
        """The cell of word i (row) and word j (column)."""
        return self.grid.cell(i, j)

    def row_with_name(self, i: int) -> VGroup:
        """Row i with the word it belongs to."""
        return VGroup(self.row_names[i], *self.grid.row(i))

    def rest(self, *kept: Cell) -> VGroup:
        """All cells but these."""
        return VGroup(*[cell for cell in self.grid.body if cell not in kept])

    def turn_columns(self, mirror: SentenceGrid, pair: tuple[int, int], frame: VMobject) -> Animation:
        """Column after column goes to its place in `mirror`, the same sentence read backwards; `frame` goes with the
        column of the pair."""
        columns = [VGroup(chip, *self.grid.column(j)) for j, chip in enumerate(self.chips)]
        raise_above(columns[pair[1]].add(frame), 10 * len(columns))
        places = [chip.get_x() for chip in reversed(mirror.chips.submobjects)]
        return _one_after_the_other([(one, [x, one.get_y(), 0]) for one, x in zip(columns, places, strict=True)])

    def turn_rows(self, mirror: SentenceGrid, pair: tuple[int, int], frame: VMobject) -> Animation:
        """The same for the rows; it follows `turn_columns`."""
        rows = [self.row_with_name(i) for i in range(self.grid.rows)]
        raise_above(rows[pair[0]].add(frame), 10 * len(rows))
        places = [name.get_y() for name in reversed(mirror.row_names.submobjects)]
        return _one_after_the_other([(one, [one.get_x(), y, 0]) for one, y in zip(rows, places, strict=True)])

    def parts(self) -> tuple[VGroup, VGroup, VGroup]:
        """Chips, names of the rows and cells."""
        return self.chips, self.row_names, self.grid.body

    def rows_in(self) -> LaggedStart:
        """The rows of the grid fade in from the top, each with its word."""
        return LaggedStart(*[FadeIn(self.row_with_name(i)) for i in range(self.grid.rows)], lag_ratio=0.25)


def _one_after_the_other(moves: Sequence[tuple[VGroup, Sequence[float]]]) -> LaggedStart:
    """Groups move to places, each above those before it, so that what passes covers what it passes whole."""
    for level, (group, _) in enumerate(moves):
        raise_above(group, 10 * level)
    return LaggedStart(*[group.animate.move_to(place) for group, place in moves], lag_ratio=0.3)


class SentenceAndReverse:
    """A sentence and the same read backwards, side by side, and one pair of its words in both.

    Parameters: the trace; a key with two axes of positions, to which "_reversed" is added for the reversed sentence;
    the words; the two titles; the pair of positions in the sentence; the distance of the pictures from the middle;
    the room of each (see `SentenceGrid`).
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        names: Sequence[Name],
        titles: tuple[str, str],
        pair: tuple[int, int],
        x: float,
        y: float,
        room: tuple[float, float],
    ) -> None:
        self.trace, self.key = trace, key
        self.left = SentenceGrid(trace, key, names, titles[0], *room).move_to([-x, y, 0])
        self.right = SentenceGrid(trace, f"{key}_reversed", list(names)[::-1], titles[1], *room).move_to([x, y, 0])
        self.sides = (self.left, self.right)
        last = len(names) - 1
        self.pair, self.mirrored = pair, (last - pair[0], last - pair[1])
        self.cells = (self.left.cell(*self.pair), self.right.cell(*self.mirrored))

    @property
    def below(self) -> float:
        """The height of a line of text under the grids."""
        return max(float(self.left.get_bottom()[1]) - 0.55, theme.CONTENT_BOTTOM + 0.15)

    def rest(self) -> VGroup:
        """All cells on both sides but the pair's."""
        return VGroup(*[cell for side in self.sides for cell in side.rest(*self.cells)])

    def comparison(self, decimals: int, heading: VMobject, color: str = theme.INK) -> Comparison:
        """The pair's values on both sides, compared."""
        here, there = (self.key, self.pair), (f"{self.key}_reversed", self.mirrored)
        return Comparison(self.trace, here, there, decimals, heading, color)


class Comparison(VGroup):
    """Two values of the trace with = or ≠ between them, as their printed digits have it, behind a heading.

    Parameters: the trace, two (key, index) pairs, decimals, the heading, colours of the numbers and of a ≠.
    """

    def __init__(
        self,
        trace: Any,
        here: tuple[str, tuple[int, ...]],
        there: tuple[str, tuple[int, ...]],
        decimals: int,
        heading: VMobject,
        color: str = theme.INK,
        unequal: str = theme.RIGHT_ANSWER,
        size: float = theme.TOKEN_SIZE,
    ) -> None:
        self.heading = heading
        self.here, self.there = (Number(trace, key, index, decimals, size, color, BOLD) for key, index in (here, there))
        self.same = format_value(self.here.value, decimals) == format_value(self.there.value, decimals)
        self.sign = bold("=" if self.same else "≠", size, color if self.same else unequal)
        super().__init__(heading, self.here, self.sign, self.there)
        self.arrange(RIGHT, buff=0.3)


def turn_over(
    scene: ExplainerScene, both: SentenceAndReverse, frame: VMobject, copying: float, turning: float
) -> VMobject:
    """A copy of the left picture goes to the right and is read backwards: every pair takes its number along.

    `frame` is around the pair at the left; its copy at the right is returned. Times in seconds.
    """
    left, right = both.sides
    shift = right.grid.body.get_center() - left.grid.body.get_center()
    twin, twin_frame = left.copy().shift(shift), frame.copy().shift(shift)
    flights = [fly(a, raise_above(b)) for a, b in zip(left.parts(), twin.parts(), strict=True)]
    scene.play(*flights, fly(frame, raise_above(twin_frame)), run_time=copying)
    scene.play(FadeIn(right.title), twin.turn_columns(right, both.pair, twin_frame), run_time=turning / 2)
    scene.play(twin.turn_rows(right, both.pair, twin_frame), run_time=turning / 2)
    scene.remove(*[one for part in twin.parts() for one in part.get_family()])
    for mine, theirs in zip(reversed(twin.grid.body.submobjects), right.grid.body, strict=True):
        box, ink = mine.box, mine.words.get_fill_color().to_hex()
        theirs.paint(box.get_fill_color().to_hex(), box.get_stroke_color().to_hex(), ink, box.get_stroke_width())
    scene.add(*right.parts())
    return twin_frame.set_z_index(theme.Z_FOCUS)


def tell(scene: ExplainerScene, both: SentenceAndReverse, result: Comparison, seconds: float) -> None:
    """Both numbers come down from their cells and are compared."""
    numbers = carry_all([cell.words for cell in both.cells], [result.here, result.there])
    scene.play(FadeIn(result.heading), *numbers, run_time=seconds * 0.7)
    scene.play(FadeIn(result.sign), run_time=seconds * 0.3)
