"""Boards of the autoregressive loop: input row, bars, verdict. They build and move; the scene says when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Animation,
    AnimationGroup,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    ReplacementTransform,
    VGroup,
    VMobject,
)

from scenes.autoregressive_parts import Plan
from scenes.stage import theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import Chip, focus_frame, panel
from scenes.stage.flow import FlowArrow
from scenes.stage.grid import Name
from scenes.stage.motion import carry
from scenes.stage.words import Number, Words, bold

CROWDED = 14  # more bars than this leave no room for a title
ROOMY = 0.42  # from bar to bar in units: less leaves no room for a frame around name and number


def draw(arrow: FlowArrow) -> Animation:
    """The arrow grows from its tail."""
    return AnimationGroup(Create(arrow.shaft), FadeIn(arrow.head), lag_ratio=0.6)


def grey(chip: Chip) -> Animation:
    """The chip steps back."""
    return chip.animate.paint(fill=theme.PANEL, stroke=theme.LINE, ink=theme.DIM)


def relight(chip: Chip) -> Animation:
    """The chip takes its own colour again."""
    color = chip.color_of_token
    return chip.animate.paint(fill=theme.tint(color, 0.16), stroke=color, ink=color)


class InputRow:
    """The words read so far, the empty slot of the next one, and when each was said."""

    def __init__(self, plan: Plan, words: Sequence[Name], row_y: float, tag_y: float) -> None:
        self.plan, self.words, self.row_y, self.tag_y = plan, words, row_y, tag_y
        self.chips: list[Chip] = []
        self.arrows: list[FlowArrow] = []
        self.tags = VGroup()
        self.slot: VGroup | None = None

    def chip(self, position: int) -> Chip:
        """The chip of the word at a position, in its place."""
        name = self.words[position]
        chip = Chip(name.text, name.color, self.plan.size, self.plan.widths[position])
        return chip.move_to([self.plan.centers[position], self.row_y, 0])

    def enter(self, position: int) -> list[Animation]:
        """The first word comes in from the left."""
        chip = self.chip(position)
        self.chips.append(chip)
        return [FadeIn(chip, shift=RIGHT * 0.3)]

    def tag(self, text: str, position: int) -> Animation:
        """Under the chip: where the word comes from."""
        words = Words(text, theme.SMALL_SIZE, theme.DIM).move_to([self.plan.centers[position], self.tag_y, 0])
        self.tags.add(words)
        return FadeIn(words)

    def open_slot(self, position: int) -> Animation:
        """The empty place of the word to come."""
        box = panel(self.plan.widths[position], self.chips[0].height, theme.BACKGROUND, theme.FAINT, corner=0.14)
        mark = bold("?", self.plan.size, theme.DIM).move_to(box)
        self.slot = VGroup(box, mark).move_to([self.plan.centers[position], self.row_y, 0])
        return FadeIn(self.slot)

    def connect(self, position: int, up_to: float) -> list[Animation]:
        """An arrow from the word to its column of the decoder, that begins at height `up_to`; older ones follow."""
        plays: list[Animation] = [arrow.animate.become(self._arrow(i, up_to)) for i, arrow in enumerate(self.arrows)]
        if position == len(self.arrows):
            self.arrows.append(self._arrow(position, up_to))
            plays.append(draw(self.arrows[-1]))
        return plays

    def disconnect(self) -> list[FlowArrow]:
        """Forget the arrows; returns them, to be faded out."""
        old, self.arrows = self.arrows, []
        return old

    def _arrow(self, position: int, up_to: float) -> FlowArrow:
        low = [self.plan.centers[position], self.chips[0].get_top()[1], 0]
        return FlowArrow([low, [self.plan.columns[position], up_to, 0]], theme.FAINT, buff=0.06, head=0.13)

    def label(self, text: str) -> list[Animation]:
        """The name of the row, where there is room for it."""
        if not self.plan.aligned:
            return []
        words = Words(text, theme.SMALL_SIZE, theme.DIM)
        words.move_to([self.chips[0].get_left()[0] - 0.22, self.row_y, 0], RIGHT)
        return [FadeIn(words)] if words.get_left()[0] > -theme.SAFE_X else []

    def loop(self, y: float, position: int) -> FlowArrow:
        """The way back: from a bar at height `y` around below to the place `position`."""
        lane = self.plan.lane
        start = [self.plan.bars_right + 0.12, y, 0]
        end = [self.plan.centers[position] + self.plan.widths[position] / 2, self.row_y, 0]
        return FlowArrow([start, [lane, y, 0], [lane, self.row_y, 0], end], theme.INFERENCE, buff=0.06)

    def idle_loop(self, position: int) -> FlowArrow:
        """The same way while no word is picked: its last part only, in grey."""
        lane = self.plan.lane
        end = [self.plan.centers[position] + self.plan.widths[position] / 2, self.row_y, 0]
        return FlowArrow([[lane, self.row_y + 0.7, 0], [lane, self.row_y, 0], end], theme.FAINT, buff=0.06)

    def way(self, y: float, position: int) -> VMobject:
        """What a word's middle follows from the lane beside its bar to its place."""
        lane, home = self.plan.lane, self.plan.centers[position]
        return FlowArrow([[lane, y, 0], [lane, self.row_y, 0], [home, self.row_y, 0]], buff=0.0, head=0.001).shaft


class BarsBoard:
    """The whole vocabulary as bars: filled in a pass, one picked, emptied for the next pass."""

    def __init__(self, trace: Any, plan: Plan, vocabulary: Sequence[Name], passes: int, top: float, low: float) -> None:
        self.trace, self.plan, self.vocabulary = trace, plan, vocabulary
        count = len(vocabulary)
        self.top, low = (top, low) if count <= CROWDED else (top + 0.78, low - 0.12)
        self.pitch = min(0.46, (self.top - low) / max(count - 1, 1))
        largest = max(float(trace[f"greedy.{k}.probs"][-1].max()) for k in range(1, passes + 1))
        self.full = min(1.0, -(-largest // 0.25) * 0.25)  # the scale ends at the next quarter
        entries = self._bars(1).entries
        self.names = [entry.name_words for entry in entries]
        self.grooves = [entry.groove for entry in entries]
        self.boxes = [entry.bar.stretch_to_fit_width(0.02, about_edge=LEFT) for entry in entries]
        for box in self.boxes:
            box.set_z_index(theme.Z_ARROW)
        self.numbers: list[Number] = []

    def _bars(self, k: int) -> ProbabilityBars:
        bars = ProbabilityBars(
            self.trace,
            f"greedy.{k}.probs",
            (k - 1,),
            self.vocabulary,
            length=self.plan.bar_length,
            pitch=self.pitch,
            decimals=3,
            size=theme.SMALL_SIZE,
            full=self.full,
        )
        return bars.shift(RIGHT * self.plan.bars_left + UP * self.top)

    def appear(self, title: str) -> list[Animation]:
        """Names and empty grooves; the title only where the bars leave room for it."""
        words = Words(title, theme.SMALL_SIZE, theme.DIM)
        words.move_to([self.plan.bars_left, self.top + 0.48, 0], LEFT)
        things = VGroup(*self.grooves, *self.boxes, *self.names, *([words] if len(self.vocabulary) <= CROWDED else []))
        return [FadeIn(things)]

    def fill(self, k: int) -> list[Animation]:
        """The probabilities of pass k's last row."""
        entries = self._bars(k).entries
        self.numbers = [entry.number for entry in entries]
        return [
            *[box.animate.become(entry.bar) for box, entry in zip(self.boxes, entries, strict=True)],
            *[name.animate.paint(word.color) for name, word in zip(self.names, self.vocabulary, strict=True)],
            LaggedStart(*[FadeIn(number) for number in self.numbers], lag_ratio=0.1),
        ]

    def empty(self) -> list[Animation]:
        """Ready for the next pass: nothing known, names dimmed."""
        plays: list[Animation] = [FadeOut(number) for number in self.numbers]
        self.numbers = []
        plays += [box.animate.stretch_to_fit_width(0.02, about_edge=LEFT) for box in self.boxes]
        return plays + [name.animate.paint(theme.DIM) for name in self.names]

    def pick(self, best: int) -> list[Animation]:
        """One bar stays bright."""
        plays: list[Animation] = []
        for i, word in enumerate(self.vocabulary):
            if i != best:
                plays.append(self.boxes[i].animate.set_fill(theme.mix(word.color, theme.PANEL_RAISED, 0.3)))
                plays += [self.names[i].animate.paint(theme.DIM), self.numbers[i].animate.paint(theme.DIM)]
        row = [self.grooves[best], self.names[best], self.numbers[best]]
        self.frame = focus_frame(*row, buff=0.1) if self.pitch > ROOMY else focus_frame(row[0], buff=0.04)
        return [*plays, FadeIn(self.frame)]

    def y(self, i: int) -> float:
        """Height of bar i."""
        return float(self.grooves[i].get_y())


def turn_into(chip: Chip, other: Chip) -> list[Animation]:
    """A chip goes to where another chip of the same word stands, and becomes it."""
    return [ReplacementTransform(chip.box, other.box), *carry(chip.words, other.words, leave=False)]


def verdicts_on(said: Sequence[int], target: Sequence[int], given: bool) -> list[bool]:
    """Right or wrong of every predicted id that the right translation has a word for.

    `said` begins with the id that the loop was given: the first target word (`given`), or a start symbol.
    """
    return [one == right for one, right in zip(said[1:], target[1:] if given else target, strict=False)]


class Verdict:
    """What should have been said above what was said, word by word.

    `shift` is the number of given symbols in front of the sentence that have no word above them.
    """

    WANTED_Y, SAID_Y, LOW_Y = 1.2, -0.3, -1.7

    def __init__(
        self, wanted: Sequence[Name], said: Sequence[Name], shift: int, labels: tuple[str, str], largest: float = 30.0
    ) -> None:
        self.labels = VGroup(*[Words(text, theme.LABEL_SIZE, theme.DIM) for text in labels])
        columns = max(len(said), len(wanted) + shift)
        margin = self.labels.width + 0.45
        pitch = min(2.1, (2 * theme.SAFE_X - margin) / columns)
        size, widest = largest, self._widest([*wanted, *said], largest)
        while size > theme.SMALL_SIZE and widest + 0.5 > pitch - 0.25:
            size -= 1.0
            widest = self._widest([*wanted, *said], size)
        width = min(max(widest + 0.5, 1.25), pitch - 0.06)
        left = -(margin + columns * pitch) / 2
        self.x = [left + margin + (i + 0.5) * pitch for i in range(columns)]
        for words, y in zip(self.labels, (self.WANTED_Y, self.SAID_Y), strict=True):
            words.move_to([self.x[0] - width / 2 - 0.35, y, 0], RIGHT)
        self.wanted = self._row(wanted, self.x[shift:], size, width, self.WANTED_Y)
        self.said = self._row(said, self.x, size, width, self.SAID_Y)

    @staticmethod
    def _widest(names: Sequence[Name], size: float) -> float:
        return max(bold(name.text, size).width for name in names)

    @staticmethod
    def _row(names: Sequence[Name], x: Sequence[float], size: float, width: float, y: float) -> list[Chip]:
        return [
            Chip(name.text, name.color, size, width).move_to([place, y, 0])
            for name, place in zip(names, x, strict=False)
        ]

    @property
    def mark_y(self) -> float:
        """Between the two rows."""
        return (self.WANTED_Y + self.SAID_Y) / 2

    def given(self, text: str) -> Words:
        """What stands in place of a verdict over the first word, which was not predicted."""
        return Words(text, theme.SMALL_SIZE, theme.DIM).move_to([self.x[0], self.mark_y, 0])

    def link(self, k: int) -> FlowArrow:
        """Under the row, from word k to the word that pass k says."""
        a, b = self.x[k - 1], self.x[k]
        foot = self.said[0].get_bottom()[1]
        reach = min(0.2, (b - a) / 6)
        return FlowArrow(
            [[a + reach, foot, 0], [a + reach, self.LOW_Y, 0], [b - reach, self.LOW_Y, 0], [b - reach, foot, 0]],
            theme.INFERENCE,
            buff=0.08,
        )

    def traveller(self, k: int, color: str) -> tuple[Chip, VMobject]:
        """Word k as a small chip with an edge in `color`, below its place, and the way that it takes."""
        chip = Chip(self.said[k - 1].token, self.said[k - 1].color_of_token, theme.SMALL_SIZE)
        chip.paint(stroke=color)
        a, b = self.x[k - 1], self.x[k]
        reach = min(0.2, (b - a) / 6)
        high = self.said[0].get_bottom()[1] - 0.36
        corners = [[a + reach, high, 0], [a + reach, self.LOW_Y, 0], [b - reach, self.LOW_Y, 0], [b - reach, high, 0]]
        way = FlowArrow(corners, buff=0.0, head=0.001).shaft
        return chip.move_to(way.get_start()), way

    def link_tag(self, k: int, text: str) -> Words:
        """The pass, under its arrow."""
        middle = (self.x[k - 1] + self.x[k]) / 2
        return Words(text, theme.SMALL_SIZE, theme.DIM).move_to([middle, self.LOW_Y, 0]).shift(DOWN * 0.48)
