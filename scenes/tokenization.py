"""Scene 2: a sentence is cut into tokens, and the vocabulary turns every token into its id."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from manim import (
    BOLD,
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
)

from scenes.stage import theme
from scenes.stage.boxes import Cell, Chip, focus_frame, panel
from scenes.stage.facts import told
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.handover import SentenceWithIds, sentence
from scenes.stage.marks import CrossMark, Tick
from scenes.stage.motion import fly, raise_above, settle
from scenes.stage.reckoning import Entry
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words
from scenes.tokenization_parts import RunningText, VocabularyTable, chips_in_a_row, lit, quiet


class Tokenization(ExplainerScene):
    """Text, cut into tokens, drops into the vocabulary and comes back as integers."""

    TEXT_Y = 1.25
    MODEL_Y = -1.55
    ROWS_Y = (1.6, 0.0, -1.6)
    HEADINGS_X = -theme.SAFE_X + 0.1
    CONTENT = (-4.5, theme.SAFE_X - 0.1)  # left and right of what stands beside the headings
    PIECES_Y = -0.05
    SENTENCES_Y = (2.02, 1.26)
    TABLE_Y = -0.14
    TABLE_HEIGHT = 1.84
    LOWER = 0.75  # how much lower all stands as long as there are no ids below
    NUMBERS_Y = (-1.66, -2.38)

    def construct(self) -> None:
        self.source_ids = [int(i) for i in self.trace["src.tokens"]]
        # The words of the target, not the decoder's input: with a start symbol that is shifted by one.
        self.target_key = "labels.shifted" if self.model.start_symbol else "labels.aligned"
        self.target_ids = [int(i) for i in self.trace[self.target_key]]
        self.the_sentence()
        self.cut()
        self.how_to_cut()
        self.vocabulary()
        self.look_up_source()
        self.look_up_target()
        self.no_more_text()

    # -- beats ----------------------------------------------------------------------------------------------------
    def the_sentence(self) -> None:
        with self.beat("the_sentence") as beat:
            chips = sentence(self, self.source_ids)
            self.add(chips)
            self.wait(beat.share(0.1))
            self.text = RunningText(self.tokens(self.source_ids), size=54.0, max_width=10.0)
            self.text.move_to([0, self.TEXT_Y, 0])
            page = self._page(self.text)
            self.play(
                *[FadeOut(chip.box) for chip in chips],
                *[ReplacementTransform(chip.words, word) for chip, word in zip(chips, self.text, strict=True)],
                FadeIn(page),
                run_time=beat.share(0.22),
            )
            model, arrow = self._model(), self._into_model(page)
            self.play(FadeIn(model, shift=UP * 0.2), run_time=beat.share(0.14))
            self.play(Create(arrow.shaft), FadeIn(arrow.head), run_time=beat.share(0.14))
            cross = CrossMark(0.44, width=7.0).move_to(arrow)
            self.play(FadeIn(cross), run_time=beat.share(0.1))
            self.in_the_way = VGroup(page, model, arrow, cross)

    def cut(self) -> None:
        with self.beat("cut") as beat:
            row = chips_in_a_row(self.tokens(self.source_ids), 54.0, 11.4, 0.6).move_to([0, self.PIECES_Y + 0.5, 0])
            self.play(
                FadeOut(self.in_the_way),
                self.text.animate.scale(row[0].words.size / self.text[0].size).move_to(row),
                run_time=beat.share(0.16),
            )
            self._cut(self.text, row, beat.share(0.5))
            tag = Words(self.label("tokens"), theme.TOKEN_SIZE, theme.DIM).next_to(row, DOWN, 0.7)
            self.play(FadeIn(tag, shift=UP * 0.15), run_time=beat.share(0.12))
            self.source_row, self.tag = row, tag

    def how_to_cut(self) -> None:
        with self.beat("how_to_cut") as beat:
            headings, rows = self._three_ways()
            self.play(
                FadeOut(self.tag),
                *self._chips_move(self.source_row, rows[0]),
                FadeIn(headings[0]),
                run_time=beat.share(0.16),
            )
            self.add(rows[0])
            for row, heading, joiner in ((rows[1], headings[1], " "), (rows[2], headings[2], "")):
                tokens = [(chip.token, chip.color_of_token) for chip in row]
                text = RunningText(tokens, 40.0, 8.4, joiner)
                text.move_to([row.get_left()[0], row.get_y(), 0], aligned_edge=LEFT)
                self.play(FadeIn(text), FadeIn(heading), run_time=beat.share(0.1))
                self._cut(text, row, beat.share(0.24))
            self.source_row, self.target_row = rows[0], rows[1]
            self.leftovers = [*headings, rows[2]]

    def vocabulary(self) -> None:
        with self.beat("vocabulary") as beat:
            left, right = self.CONTENT
            self.table = VocabularyTable(self, right - left, self.TABLE_HEIGHT)
            self.table.move_to([(left + right) / 2, self.TABLE_Y, 0])
            self.rows, self.headings = self._sentences(), self._headings()
            VGroup(self.table, *self.rows, *self.headings[:3]).shift(DOWN * self.LOWER)
            self.play(
                *[FadeOut(thing) for thing in self.leftovers],
                *self._chips_move(self.source_row, self.rows[0]),
                *self._chips_move(self.target_row, self.rows[1]),
                FadeIn(self.headings[:2]),
                run_time=beat.share(0.16),
            )
            self.add(*self.rows)
            slots = [FadeIn(entry.slot) for entry in self.table]
            self.play(FadeIn(self.headings[2]), LaggedStart(*slots, lag_ratio=0.1), run_time=beat.share(0.14))
            words = [raise_above(entry.word.copy()) for entry in self.table]
            drops = [self._registered(entry.token_id, word) for entry, word in zip(self.table, words, strict=True)]
            self.play(LaggedStart(*drops, lag_ratio=0.35), run_time=beat.share(0.4))
            self.remove(*[part for word in words for part in (word, word.box, word.words)])
            self.add(*[entry.word for entry in self.table])
            numbers = [FadeIn(entry.number.words, shift=DOWN * 0.1) for entry in self.table]
            self.play(LaggedStart(*numbers, lag_ratio=0.2), run_time=beat.share(0.22))
            self.add(self.table)

    def look_up_source(self) -> None:
        with self.beat("source_ids", source_ids=self._ids("src.tokens", self.source_ids)) as beat:
            self.play(
                *[thing.animate.shift(UP * self.LOWER) for thing in (self.rows[0], self.table, *self.headings[:3])],
                *[chip.animate.shift(UP * self.LOWER).quiet() for chip in self.rows[1]],
                run_time=beat.share(0.1),
            )
            self.play(FadeIn(self.headings[3]), run_time=beat.share(0.05))
            self.source_numbers = self._look_up(0, "src.tokens", self.source_ids, beat.share(0.82))

    def look_up_target(self) -> None:
        with self.beat("target_ids", target_ids=self._ids(self.target_key, self.target_ids)) as beat:
            self.play(
                *[chip.animate.quiet() for chip in self.rows[0]],
                *[chip.animate.wake() for chip in self.rows[1]],
                FadeIn(self.headings[4]),
                run_time=beat.share(0.08),
            )
            self.target_numbers = self._look_up(1, self.target_key, self.target_ids, beat.share(0.88))

    def no_more_text(self) -> None:
        with self.beat("no_more_text") as beat:
            closing = SentenceWithIds(self, self.source_ids)
            source, target = self._as_read()
            both = VGroup(source, target).arrange(RIGHT, buff=0.6).move_to([0, self.TEXT_Y, 0])
            model, arrow = self._model(), self._into_model(both)
            self.play(
                *[FadeOut(thing) for thing in (*self.rows, self.table, *self.headings)],
                *[
                    ReplacementTransform(old, new)
                    for old, new in zip([*self.source_numbers, *self.target_numbers], [*source, *target], strict=True)
                ],
                FadeIn(model),
                run_time=beat.share(0.2),
            )
            self.play(Create(arrow.shaft), FadeIn(arrow.head), run_time=beat.share(0.1))
            tick = Tick(0.44, width=7.0).next_to(arrow, RIGHT, 0.25)
            self.play(FadeIn(tick), run_time=beat.share(0.08))
            self.wait(beat.share(0.12))
            self.play(
                FadeOut(model, arrow, tick, target),
                *[FadeOut(cell.box) for cell in source],
                *[ReplacementTransform(cell.words, i) for cell, i in zip(source, closing.ids, strict=True)],
                run_time=beat.share(0.18),
            )
            self.play(FadeIn(closing.chips, shift=DOWN * 0.2), FadeIn(closing.arrows), run_time=beat.share(0.14))
            self.add(closing)

    # -- movements ------------------------------------------------------------------------------------------------
    def _cut(self, text: RunningText, row: VGroup, seconds: float) -> None:
        """Lines part a text between its tokens; the pieces move apart and become the chips of `row`."""
        lines = text.cuts(0.8)
        if len(lines):
            self.play(LaggedStart(*[Create(line) for line in lines], lag_ratio=0.5), run_time=seconds * 0.5)
        self.play(
            FadeOut(lines),
            *[FadeIn(chip.box) for chip in row],
            *[ReplacementTransform(piece, chip.words) for piece, chip in zip(text, row, strict=True)],
            run_time=seconds * 0.5,
        )
        self.add(row)

    def _chips_move(self, old: VGroup, new: VGroup) -> list[Animation]:
        """Chips go to the places, sizes and spellings of others."""
        return [ReplacementTransform(a, b) for a, b in zip(old, new, strict=True)]

    def _registered(self, token_id: int, word: Cell) -> Animation:
        """A word drops from its sentence into its place in the table; a word of no sentence is simply there."""
        for ids, row in zip((self.source_ids, self.target_ids), self.rows, strict=True):
            if token_id in ids:
                return _drop(row[ids.index(token_id)], word)
        return FadeIn(word)

    def _look_up(self, which: int, key: str, ids: Sequence[int], seconds: float) -> list[Cell]:
        """Every token of a sentence drops into its entry, and the entry's id goes to the sentence's line of ids."""
        row, numbers = self.rows[which], []
        first = 1.8 if which == 0 else 1.0  # the first of all is shown slowly
        unit = seconds / (first + len(ids) - 1 + 0.15)
        frame = None
        for i, token_id in enumerate(ids):
            share = unit if i else unit * first
            chip, entry = row[i], self.table.entry(token_id)
            here = focus_frame(chip, buff=0.07)
            arrival = FadeIn(here) if frame is None else ReplacementTransform(frame, here)
            frame = here
            self.play(arrival, run_time=share * 0.2)
            color = entry.color_of_token
            dropped = raise_above(lit(entry.word.copy(), color))
            self.play(_drop(chip, dropped), *[lit(cell.animate, color) for cell in entry], run_time=share * 0.34)
            self.remove(dropped, dropped.box, dropped.words)
            number = raise_above(self._number(key, i, token_id)).move_to([chip.get_x(), self.NUMBERS_Y[which], 0])
            self.play(fly(entry.number, number), run_time=share * 0.32)
            numbers.append(settle(number))
            self.play(*[quiet(cell.animate, color) for cell in entry], run_time=share * 0.14)
        self.play(FadeOut(frame), run_time=unit * 0.15)
        return numbers

    # -- pictures -------------------------------------------------------------------------------------------------
    def _page(self, text: VGroup) -> VGroup:
        """The sheet that text is written on."""
        return panel(text.width + 1.3, 1.5, corner=0.18).move_to(text)

    def _model(self) -> FlowBox:
        """The model as a closed box."""
        box = FlowBox(
            [self.label("model"), self.label("only_sums")], 5.0, 1.5, size=theme.TITLE_SIZE, note_size=theme.BODY_SIZE
        )
        box.move_to([0, self.MODEL_Y, 0])
        return box

    def _into_model(self, above: VGroup) -> FlowArrow:
        return FlowArrow([above.get_bottom(), [0, self.MODEL_Y + 0.75, 0]], width=4.0, head=0.2, buff=0.16)

    def _three_ways(self) -> tuple[list[Words], list[VGroup]]:
        """Three ways to cut, each a heading and a row of chips, as one block in the middle."""
        source, target = self.tokens(self.source_ids), self.tokens(self.target_ids)
        parts = [(part, theme.START_TOKEN) for part in self.label("subwords").split()]
        rows = [
            chips_in_a_row(tokens, 32.0, 8.4, buff) for tokens, buff in ((source, 0.3), (target, 0.3), (parts, 0.1))
        ]
        signs = all(len(word) == 1 for word, _ in source)
        first, second, third = self.label("by_character"), self.label("by_word"), self.label("by_part")
        headings = [
            Words(heading, theme.BODY_SIZE, theme.DIM) for heading in (first if signs else second, second, third)
        ]
        left, gap = max(heading.width for heading in headings), 0.8
        x = -(left + gap + max(row.width for row in rows)) / 2
        for heading, row, y in zip(headings, rows, self.ROWS_Y, strict=True):
            heading.move_to([x + left, y, 0], aligned_edge=RIGHT)
            row.move_to([x + left + gap, y, 0], aligned_edge=LEFT)
        return headings, rows

    def _sentences(self) -> list[VGroup]:
        """Both sentences above the table."""
        left, right = self.CONTENT
        return [
            chips_in_a_row(self.tokens(ids), 26.0, right - left, 0.5, like=self.tokens(other)).move_to(
                [(left + right) / 2, y, 0]
            )
            for ids, other, y in (
                (self.source_ids, self.target_ids, self.SENTENCES_Y[0]),
                (self.target_ids, self.source_ids, self.SENTENCES_Y[1]),
            )
        ]

    def _headings(self) -> VGroup:
        """What stands in each line, at the left: two sentences, the table, two lines of ids."""
        names = (
            self.label("source"),
            self.label("target"),
            self.label("vocabulary"),
            self.label("source_ids"),
            self.label("target_ids"),
        )
        ys = (*self.SENTENCES_Y, self.TABLE_Y, *self.NUMBERS_Y)
        return VGroup(
            *[
                Words(name, theme.LABEL_SIZE, theme.DIM).move_to([self.HEADINGS_X, y, 0], aligned_edge=LEFT)
                for name, y in zip(names, ys, strict=True)
            ]
        )

    def _number(self, key: str, position: int, token_id: int, width: float = 0.86, size: float = 24.0) -> Cell:
        """The id of one token of a sentence."""
        color = self.token_color(token_id)
        words = self.number(key, (position,), 0, size=size, weight=BOLD)
        return Cell(words, width, words.cap_height * 2.4, theme.tint(color, 0.16), color, color)

    def _as_read(self) -> list[VGroup]:
        """The ids of both sentences, each side by side, as the model gets them."""
        count = len(self.source_ids) + len(self.target_ids)
        pitch = min((2 * theme.SAFE_X - 0.7) / count, 1.2)
        return [
            VGroup(*[self._number(key, i, k, pitch - 0.1, min(32.0, 34.0 * pitch)) for i, k in enumerate(ids)]).arrange(
                RIGHT, buff=0.1
            )
            for key, ids in (("src.tokens", self.source_ids), (self.target_key, self.target_ids))
        ]

    def _ids(self, key: str, ids: Sequence[int]) -> str:
        """Ids as the words say them, with where each comes from."""
        said: str = told(self._listed(ids), *[Entry(key, (at,)) for at in range(len(ids))])
        return said

    def _listed(self, ids: Sequence[int]) -> str:
        """Ids as the words say them."""
        return reduce(lambda before, after: self.label("listed", before=before, after=after), map(str, ids))


def _drop(chip: Chip, place: Cell) -> Animation:
    """A copy of a chip travels to a cell of the table and becomes it, with the spelling that the cell has room for."""
    if chip.words.string == place.words.string:
        return fly(chip, place)
    return AnimationGroup(fly(chip.box, place.box), FadeIn(place.words))
