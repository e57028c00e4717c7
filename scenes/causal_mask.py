"""Scene 9: a position sees itself and its left; the mask makes training on all positions at once honest."""

from __future__ import annotations

from typing import Any

import numpy as np
from manim import (
    BOLD,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    ArcBetweenPoints,
    Create,
    Cross,
    FadeIn,
    FadeOut,
    LaggedStart,
    ReplacementTransform,
    VGroup,
    Wait,
)

from engine.ops import MASKED
from scenes.stage import theme
from scenes.stage.beats import Beat
from scenes.stage.boxes import Chip, focus_frame
from scenes.stage.equation import Equation, Term
from scenes.stage.facts import told
from scenes.stage.flow import FlowArrow
from scenes.stage.formula import Formula
from scenes.stage.grid import MatrixGrid
from scenes.stage.handover import HEAT_CELL, MIDDLE, FramedMemory, masked_map
from scenes.stage.motion import fly, mask_cell, pulse, raise_above, settle
from scenes.stage.reckoning import Entry
from scenes.stage.scene import ExplainerScene
from scenes.stage.tokens import TokenRow, token_width
from scenes.stage.words import Words, power_of_ten, shortened

LAYER = "decoder.0.self_attn"
HEAD = 0


class CausalMask(ExplainerScene):
    """Scores of the future become minus infinity, and softmax turns them into 0."""

    map_layer = 0

    GRID_Y = MIDDLE[1]
    BETWEEN = 1.35
    TOKENS_Y = -0.5
    READS_Y = 0.75
    GUESSES_Y = -1.35

    def construct(self) -> None:
        self.ids = [int(i) for i in self.trace["tgt.tokens"]]
        self.count = len(self.ids)
        self.decoder_input()
        self.fill_in_the_blank()
        self.no_peeking()
        self.scores()
        self.mask_out()
        self.softmax()
        self.in_parallel()
        self.one_pass()

    # -- beats ----------------------------------------------------------------------------------------------------
    def decoder_input(self) -> None:
        with self.beat("decoder_input") as beat:
            picture = Equation(
                self,
                [
                    Term("tgt.embed", self.label("embedding"), named=True),
                    "+",
                    Term("pos_embed", self.label("positions"), first_rows=self.count),
                    "=",
                    Term("tgt.input", self.label("input")),
                ],
                self.names(self.ids),
            )
            memory = FramedMemory(self, [int(i) for i in self.trace["src.tokens"]], self.label("memory"))
            self.add(memory)
            self.wait(beat.share(0.08))
            self.play(FadeOut(memory, shift=LEFT * 3), run_time=beat.share(0.14))
            self.play(picture.operands_appear(), run_time=beat.share(0.36))
            self.play(picture.result_appears(*picture.grids[:2]), run_time=beat.share(0.3))
            self.embed = picture.grids[0]

    def fill_in_the_blank(self) -> None:
        with self.beat("fill_in_the_blank") as beat:
            tokens = self.tokens(self.ids)
            step, left = self._token_step(self.count + 1), self._token_left(self.count + 1)
            sentence = self._tokens_at(tokens, left, step, self.READS_Y)
            labels = self.embed.row_labels
            old = [thing for thing in self.mobjects if thing not in (self.chrome, self.embed)]
            self.play(
                *[FadeOut(thing) for thing in [*old, self.embed.body, *self.embed.more]],
                *[ReplacementTransform(name, chip.words) for name, chip in zip(labels, sentence, strict=True)],
                *[FadeIn(chip.box) for chip in sentence],
                run_time=beat.share(0.12),
            )
            self.add(sentence)
            guesses = self._tokens_at(tokens, left, step, self.GUESSES_Y)
            reads = Words(self.label("reads"), theme.BODY_SIZE, theme.DIM).move_to(
                [-theme.SAFE_X, self.READS_Y, 0], LEFT
            )
            guess = Words(self.label("guesses"), theme.BODY_SIZE, theme.DIM).move_to(
                [-theme.SAFE_X, self.GUESSES_Y, 0], LEFT
            )
            self.play(fly(sentence, guesses), FadeIn(guess), run_time=beat.share(0.12))
            start = Chip(self.label("start"), theme.START_TOKEN, sentence.chip(0).words.size, sentence.chip(0).width)
            start.move_to([left, self.READS_Y, 0])
            self.play(
                *[chip.animate.shift(RIGHT * step) for chip in sentence],
                FadeIn(start, shift=RIGHT * step),
                FadeIn(reads),
                run_time=beat.share(0.14),
            )
            self.play(FadeOut(sentence.chip(self.count - 1), shift=DOWN * 0.3), run_time=beat.share(0.08))
            self.readers = [start, *sentence[: self.count - 1]]
            arrows = []
            seen = focus_frame(start, buff=0.12)
            for count, (reader, answer) in enumerate(zip(self.readers, guesses, strict=True), 1):
                arrow = FlowArrow([reader.get_bottom(), answer.get_top()], color=answer.color_of_token, buff=0.14)
                arrows.append(arrow)
                wider = focus_frame(*self.readers[:count], buff=0.12)
                look = FadeIn(seen) if count == 1 else seen.animate.become(wider)
                self.play(look, FadeIn(arrow, shift=DOWN * 0.2), run_time=beat.share(0.36 / self.count))
            self.seen, self.guesses, self.blank = seen, guesses, [start, reads, guess, *arrows]

    def no_peeking(self) -> None:
        reader = min(1, self.count - 1)
        answer = min(reader + 1, self.count - 1)
        words = [self.model.vocabulary[i] for i in self.ids]
        with self.beat("no_peeking", reader=words[reader], answer=words[answer]) as beat:
            step = self._token_step(self.count)
            left = -step * (self.count - 1) / 2
            row = self.guesses
            said = [(chip.words.string, chip.color_of_token) for chip in row]  # cut as they are
            places = self._tokens_at(said, left, step, self.TOKENS_Y)
            self.play(
                FadeOut(self.seen),
                *[FadeOut(part) for part in self.blank],
                *[FadeOut(chip) for chip in self.readers[1:]],
                *[chip.animate.become(new) for chip, new in zip(row, places, strict=True)],
                run_time=beat.share(0.15),
            )
            frame = focus_frame(row[reader])
            self.play(FadeIn(frame), run_time=beat.share(0.1))
            for j in range(reader + 1):
                self.play(FadeIn(self._look(row, reader, j, allowed=True)), run_time=beat.share(0.1))
            forbidden = [self._look(row, reader, j, allowed=False) for j in range(reader + 1, self.count)]
            if forbidden:
                note = Words(self.label("future"), theme.BODY_SIZE, theme.MASKED_INK)
                right = VGroup(*row[reader + 1 :])
                note.next_to(right, DOWN, 0.45)
                self.play(
                    LaggedStart(*[FadeIn(look) for look in forbidden], lag_ratio=0.4),
                    FadeIn(note),
                    run_time=beat.share(0.3),
                )

    def scores(self) -> None:
        with self.beat("scores") as beat:
            self.grid_ = self._grid("scaled", 0.35)
            self.formula = Formula("(q dot k) / sqrt(d_k)", color=theme.DIM)
            room = self.grid_.body.get_bottom()[1] - theme.CONTENT_BOTTOM - self.formula.height
            self.formula.next_to(self.grid_.body, DOWN, max(min(0.3, room), 0.12))
            old = [thing for thing in self.mobjects if thing not in (self.chrome, self.guesses)]
            rows, columns = self.grid_.row_labels, self.grid_.column_labels
            chips = list(self.guesses)
            self.play(
                *[FadeOut(thing) for thing in old],
                *[FadeOut(chip.box) for chip in chips],
                *[fly(chip.words, label) for chip, label in zip(chips, rows, strict=True)],
                *[ReplacementTransform(chip.words, label) for chip, label in zip(chips, columns, strict=True)],
                run_time=beat.share(0.25),
            )
            self.play(
                LaggedStart(*[FadeIn(self.grid_.row(i)) for i in range(self.count)], lag_ratio=0.5),
                run_time=beat.share(0.4),
            )
            self.play(FadeIn(self.formula), run_time=beat.share(0.1))

    def mask_out(self) -> None:
        mask = float(np.min(self.trace["decoder.mask"])) if self.count > 1 else MASKED
        said = told(power_of_ten(mask), Entry("decoder.mask", (0, 1))) if self.count > 1 else power_of_ten(mask)
        with self.beat("mask_out", mask_value=said) as beat:
            tag = Words(self.label("mask", value=power_of_ten(mask)), theme.LABEL_SIZE, theme.MASKED_INK)
            together = VGroup(self.formula.copy(), tag).arrange(RIGHT, buff=0.3)
            together.move_to([self.grid_.body.get_center()[0], self.formula.get_y(), 0])
            self.play(
                self.formula.animate.move_to(together[0]), FadeIn(tag, shift=LEFT * 0.3), run_time=beat.share(0.15)
            )
            self.mask_tag = tag
            upper = [(i, j) for i in range(self.count) for j in range(i + 1, self.count)]
            # Row by row from the top: the longest stretch of future is closed first.
            waves = [mask_cell(self.grid_, i, j) for i, j in upper]
            if waves:
                self.play(LaggedStart(*waves, lag_ratio=0.25), run_time=beat.share(0.5))

    def softmax(self) -> None:
        with self.beat("softmax") as beat:
            self.weights = masked_map(self, f"{LAYER}.pattern", self.ids, HEAD)
            self.tag = Words(self.label("weights"), theme.LABEL_SIZE, theme.DIM)
            half = (self.grid_.width + self.BETWEEN + self.weights.width) / 2
            if half > theme.SAFE_X:
                self._softmax_in_place(beat)
                return
            self.weights.shift(RIGHT * (half - self.weights.get_right()[0]))
            whole = VGroup(self.grid_, self.formula, self.mask_tag)
            shift = LEFT * (self.grid_.get_left()[0] + half)
            self.play(whole.animate.shift(shift), run_time=beat.share(0.12))
            arrow = FlowArrow(
                [
                    [self.grid_.body.get_right()[0], self.GRID_Y, 0],
                    [self.weights.row_labels.get_left()[0], self.GRID_Y, 0],
                ],
                buff=0.2,
            )
            name = Words("softmax", theme.LABEL_SIZE, theme.DIM).next_to(arrow, UP, 0.18)
            self.tag.next_to(self.weights.body, DOWN, 0.3)
            self.play(
                FadeIn(arrow),
                FadeIn(name),
                FadeIn(self.weights.column_labels),
                FadeIn(self.weights.row_labels),
                FadeIn(self.tag),
                run_time=beat.share(0.12),
            )
            frame = focus_frame(self.grid_.row(0))
            self.play(FadeIn(frame), run_time=beat.share(0.06))
            for i in range(self.count):
                seconds = beat.share(0.56 / self.count)
                if i:
                    self.play(frame.animate.move_to(self.grid_.row(i)), run_time=seconds * 0.3)
                travelling = raise_above(self.weights.row(i))
                self.play(FadeIn(travelling, target_position=self.grid_.row(i)), run_time=seconds * 0.7)
                settle(travelling)
            self.play(FadeOut(frame), run_time=beat.share(0.05))
            self.before = [*self.grid_, self.formula, self.mask_tag, arrow, name]

    def _softmax_in_place(self, beat: Beat) -> None:
        """For more words than two maps side by side have room for: the weights take the place of the scores."""
        self.tag.next_to(self.weights.body, DOWN, 0.3)
        self.play(
            *[FadeOut(part) for part in (self.grid_, self.formula, self.mask_tag)],
            FadeIn(self.weights.column_labels),
            FadeIn(self.weights.row_labels),
            FadeIn(self.tag),
            run_time=beat.share(0.2),
        )
        for i in range(self.count):
            self.play(FadeIn(self.weights.row(i), shift=RIGHT * 0.3), run_time=beat.share(0.6 / self.count))
        self.before = []

    def in_parallel(self) -> None:
        with self.beat("in_parallel") as beat:
            self.add(self.weights)  # its rows came one by one; from here on it moves as a whole
            shift = RIGHT * (-1.5 - self.weights.body.get_center()[0])
            self.play(
                *[FadeOut(part) for part in self.before],
                self.weights.animate.shift(shift),
                self.tag.animate.shift(shift),
                run_time=beat.share(0.15),
            )
            answers = []
            for i, token_id in enumerate(self.ids[1:]):
                word = Chip(self.model.vocabulary[token_id], self.token_color(token_id), self.weights.size)
                height = self.weights.row(i).get_y()
                answers.append(word.move_to([2.9, height, 0], aligned_edge=LEFT))
            self.arrows = [
                FlowArrow([self.weights.row(i).get_right(), chip.get_left()], color=chip.color_of_token, buff=0.2)
                for i, chip in enumerate(answers)
            ]
            frame = focus_frame(self.weights.cell(0, 0))
            self.play(FadeIn(frame), run_time=beat.share(0.06))
            for i in range(1, self.count):
                wider = focus_frame(VGroup(*self.weights.row(i)[: i + 1]))
                self.play(frame.animate.become(wider), run_time=beat.share(0.3 / self.count))
            self.play(FadeOut(frame), run_time=beat.share(0.05))
            if answers:
                guess = Words(self.label("guesses"), theme.LABEL_SIZE, theme.DIM)
                guess.next_to(VGroup(*answers), UP, 0.3)
                self.play(
                    *[FadeIn(arrow) for arrow in self.arrows],
                    *[FadeIn(chip, shift=RIGHT * 0.3) for chip in answers],
                    FadeIn(guess),
                    run_time=beat.share(0.18),
                )

    def one_pass(self) -> None:
        with self.beat("one_pass") as beat:
            together = focus_frame(self.weights.body, color=theme.TRAINING, buff=0.12)
            self.play(Create(together), run_time=beat.share(0.16))
            self.play(*[pulse(arrow, theme.TRAINING) for arrow in self.arrows] or [Wait()], run_time=beat.share(0.2))
            self.wait(beat.share(0.1))
            rest = [thing for thing in self.mobjects if thing not in (self.chrome, self.weights)]
            self.play(
                *[FadeOut(thing) for thing in rest],
                self.weights.animate.shift(MIDDLE - self.weights.body.get_center()),
                run_time=beat.share(0.3),
            )

    # -- pictures -------------------------------------------------------------------------------------------------
    def _headings(self) -> float:
        """Width of the words that stand before the rows of tokens."""
        said = (self.label("reads"), self.label("guesses"))
        return max(Words(text, theme.BODY_SIZE).width for text in said) + 0.4

    def _token_step(self, count: int) -> float:
        """Distance of neighbouring chips when `count` of them stand in a row beside a heading."""
        return min((2 * theme.SAFE_X - self._headings() - 0.3) / count, 2.3)

    def _token_left(self, count: int) -> float:
        """Where the first of `count` chips stands so that the row is centred in the room right of the headings."""
        return self._headings() / 2 - self._token_step(count) * (count - 1) / 2

    def _tokens_at(self, tokens: list[tuple[str, str]], left: float, step: float, y: float) -> TokenRow:
        size = theme.TOKEN_SIZE if step > 1.9 else max(theme.SMALL_SIZE, theme.TOKEN_SIZE * step / 2.1)
        room = step - 0.3  # a frame around some of them must not touch the next
        while token_width(tokens, size) > room and size > theme.SMALL_SIZE:
            size = max(size * 0.95, theme.SMALL_SIZE)
        if token_width(tokens, size) > room:
            tokens = [(shortened(text, room - 0.3, size, BOLD), color) for text, color in tokens]
        row = TokenRow(tokens, size=size)
        for i, chip in enumerate(row):
            chip.move_to([left + i * step, y, 0])
        return row

    def _look(self, row: TokenRow, reader: int, j: int, allowed: bool) -> VGroup:
        """An arc from a reader to the word it looks at; a forbidden one is red and crossed out."""
        color = theme.SHARED if allowed else theme.MASKED
        start = row[reader].get_top() + UP * 0.12
        if j == reader:
            stop = start + RIGHT * 0.01
            arc = FlowArrow([start + UP * 0.75, start], color=color, buff=0.04)
            return VGroup(arc)
        stop = row[j].get_top() + UP * 0.12
        bend = ArcBetweenPoints(start, stop, angle=-np.pi / 2 if j > reader else np.pi / 2)
        bend.set_stroke(color, width=3.5)
        tip = FlowArrow([stop + UP * 0.2, stop], color=color, buff=0.0)
        look = VGroup(bend, tip.head)
        if not allowed:
            cross = (
                Cross(stroke_color=theme.MASKED, stroke_width=5).scale(0.16).move_to(bend.point_from_proportion(0.5))
            )
            look.add(cross)
        return look

    def _fit(self) -> dict[str, Any]:
        names = self.names(self.ids)
        return {
            "row_names": names,
            "column_names": names,
            "cell": HEAT_CELL,
            "max_height": 3.0,
            "max_width": 4.6,
        }

    def _grid(self, what: str, x: float) -> MatrixGrid:
        grid = self.grid(f"{LAYER}.{what}", (HEAD,), **self._fit())
        return grid.shift([x, self.GRID_Y, 0] - grid.body.get_center())
