"""Scenes 16-18: one pass of inference each, with untrained and with trained weights."""

from __future__ import annotations

from manim import DOWN, LEFT, RIGHT, FadeIn, FadeOut, VGroup

from scenes.stage import theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import focus_frame
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.grid import MatrixGrid
from scenes.stage.handover import HEAT_CELL, close_future, sentence
from scenes.stage.layer import LayerScene
from scenes.stage.marks import CrossMark, Tick
from scenes.stage.motion import dim, fly, raise_above, settle
from scenes.stage.tokens import TokenRow
from scenes.stage.words import Words

HEAD = 0
TRAINED = "trained.one_sentence"
BARS_X = 3.25
BARS_Y = -0.2


class InferenceStep(LayerScene):
    """A pass on a prefix of the target: mask, decoder, last row, probabilities before and after training."""

    which_pass = 1

    def construct(self) -> None:
        self.k = min(self.which_pass, self.model.prefixes)
        self.pass_key = f"generate.{self.k}"
        self.ids = [int(i) for i in self.trace[f"{self.pass_key}.tokens"]]
        self.row_names = self.names(self.ids)
        self.last = len(self.ids) - 1
        words = [self.model.vocabulary[i] for i in self.ids]
        self.prefix = " ".join(words)
        self.first_word = words[0]
        self.right = self.model.target_ids[
            min(self.k - (self.model.start_symbol is not None), len(self.model.target_ids) - 1)
        ]
        self.play_input()
        self.play_mask()
        self.play_decoder()
        self.play_one_row()
        self.play_random_weights()
        self.play_trained_weights()
        self.play_lesson()
        self.play_what_next()

    # -- beats ----------------------------------------------------------------------------------------------------
    def play_input(self) -> None:
        with self.beat("input", prefix=self.prefix) as beat:
            self.chips = sentence(self, self.ids)
            self.add(self.chips)
            self.wait(beat.share(0.3))
            frame = focus_frame(self.chips, buff=0.2)
            self.play(FadeIn(frame), run_time=beat.share(0.2))
            self.wait(beat.share(0.25))
            self.play(FadeOut(frame), run_time=beat.share(0.12))

    def play_mask(self) -> None:
        with self.beat("mask", n_prefix=len(self.ids), first=self.first_word) as beat:
            key = f"{self.pass_key}.decoder.0.self_attn.pattern"
            self.map = self.heatmap(
                key,
                (HEAD,),
                row_names=self.row_names,
                column_names=self.row_names,
                cell=HEAT_CELL,
                max_height=3.0,
                max_width=4.2,
            )
            self.map.shift([-theme.SAFE_X + 0.1 - self.map.get_left()[0], -0.1 - self.map.body.get_y(), 0])
            close_future(self.map)
            tag = Words(self.label("masked_map"), theme.LABEL_SIZE, theme.DIM).next_to(self.map.body, DOWN, 0.3)
            tag.shift(RIGHT * max(0.0, -theme.SAFE_X + 0.05 - tag.get_left()[0]))
            names = [chip.words for chip in self.chips]
            self.play(
                *[FadeOut(chip.box) for chip in self.chips],
                *[fly(name, label) for name, label in zip(names, self.map.row_labels, strict=True)],
                *[fly(name, label) for name, label in zip(names, self.map.column_labels, strict=True)],
                *[FadeOut(name) for name in names],
                run_time=beat.share(0.3),
            )
            for i in range(self.map.rows):
                self.play(FadeIn(self.map.row(i)), run_time=beat.share(0.3 / self.map.rows))
            self.play(FadeIn(tag), run_time=beat.share(0.12))

    def play_decoder(self) -> None:
        with self.beat("decoder") as beat:
            box = FlowBox(
                [self.label("decoder"), self.label("layers", n=self.model.decoder_layers)], 2.2, 2.2, theme.INFERENCE
            )
            self.out = self._out()
            box.move_to([(self.map.body.get_right()[0] + self.out.get_left()[0]) / 2, -0.1, 0])
            enter = FlowArrow([[self.map.body.get_right()[0], -0.1, 0], box.get_left()], color=theme.INFERENCE)
            leave = FlowArrow([box.get_right(), [self.out.get_left()[0], -0.1, 0]], color=theme.INFERENCE)
            self.play(FadeIn(enter), FadeIn(box), run_time=beat.share(0.25))
            travelling = raise_above(self.map.body.copy())
            self.play(FadeOut(travelling, target_position=box, scale=0.4), run_time=beat.share(0.25))
            self.play(FadeIn(leave), FadeIn(self.out, shift=RIGHT * 0.5), run_time=beat.share(0.25))

    def play_one_row(self) -> None:
        with self.beat("one_row") as beat:
            rest = VGroup(*[cell for i in range(self.last) for cell in self.out.row(i)])
            frame = focus_frame(self.out.row(self.last))
            self.play(FadeIn(frame), *([dim(rest)] if len(rest) else []), run_time=beat.share(0.25))
            self.wait(beat.share(0.25))
            box = FlowBox([self.film_word("map_output")], 3.0, 0.8, theme.INFERENCE)
            box.move_to([self.out.body.get_center()[0], self.out.body.get_bottom()[1] - 1.0, 0])
            arrow = FlowArrow([frame.get_bottom(), box.get_top()], color=theme.INFERENCE)
            self.play(FadeIn(arrow), FadeIn(box), run_time=beat.share(0.2))

    def play_random_weights(self) -> None:
        probs = f"{self.pass_key}.probs"
        same = self.trace["probs"][self.last]
        with self.beat(
            "random_weights",
            best=self.model.vocabulary[int(self.trace[probs][self.last].argmax())],
            p_best=self.value(probs, (self.last, int(self.trace[probs][self.last].argmax()))),
            p_training=self.value("probs", (self.last, int(same.argmax()))),
            random_sentence=self._sentence("greedy.tokens"),
        ) as beat:
            self.before = self._bars(probs, -BARS_X)
            head = self._head(self.label("untrained"), -BARS_X)
            self.clear_for(FadeIn(head), seconds=beat.share(0.15))
            self._bars_grow(self.before, beat.share(0.35))
            self.play(FadeIn(self._best_frame(self.before)), run_time=beat.share(0.12))

    def play_trained_weights(self) -> None:
        probs = f"{TRAINED}.{self.pass_key}.probs"
        best = int(self.trace[probs][self.last].argmax())
        with self.beat(
            "trained_weights",
            trained_best=self.model.vocabulary[best],
            p_trained=self.value(probs, (self.last, best)),
            right_word=self.model.vocabulary[self.right],
            trained_sentence=self._sentence(f"{TRAINED}.greedy.tokens"),
        ) as beat:
            self.after = self._bars(probs, BARS_X)
            head = self._head(self.label("trained"), BARS_X)
            self.play(FadeIn(head), run_time=beat.share(0.1))
            self._bars_grow(self.after, beat.share(0.3))
            self.play(FadeIn(self._best_frame(self.after)), run_time=beat.share(0.12))
            self.marks = [self._verdict(bars) for bars in (self.before, self.after)]
            self.play(*[FadeIn(mark) for mark in self.marks], run_time=beat.share(0.12))

    def play_lesson(self) -> None:
        with self.beat("lesson") as beat:
            chips = TokenRow(self.tokens(self.ids), DOWN, size=theme.SMALL_SIZE, buff=0.14)
            left = max(bars.get_right()[0] for bars in (self.before, self.marks[0]))
            chips.move_to([(left + self.after.get_left()[0]) / 2, BARS_Y + 0.3, 0])
            note = Words(self.label("same_input"), theme.SMALL_SIZE, theme.DIM).next_to(chips, DOWN, 0.25)
            self.play(FadeIn(chips), FadeIn(note), run_time=beat.share(0.2))
            frames = [focus_frame(entry, buff=0.16) for entry in (chips,)]
            self.wait(beat.share(0.3))
            self.play(*[FadeIn(frame) for frame in frames], run_time=beat.share(0.15))

    def play_what_next(self) -> None:
        with self.beat("what_next") as beat:
            closing = sentence(self, [*self.ids, self.right])
            new = raise_above(closing[-1])
            self.clear_for(FadeIn(closing[:-1]), seconds=beat.share(0.28))
            self.play(FadeIn(new, shift=LEFT * 1.0), run_time=beat.share(0.25))
            settle(new)

    # -- pictures -------------------------------------------------------------------------------------------------
    def _out(self) -> MatrixGrid:
        """The rows that leave the decoder, at the right."""
        grid = self.grid(
            f"{self.pass_key}.decoder.out", row_names=self.row_names, max_width=3.2, max_height=3.0, cell=(0.86, 0.66)
        )
        return grid.shift([theme.SAFE_X - 0.13 - grid.body.get_right()[0], -0.1 - grid.body.get_y(), 0])

    def _bars(self, key: str, x: float) -> ProbabilityBars:
        names = self.names(range(len(self.model.vocabulary)))
        pitch = min(0.5, 4.2 / len(names))
        bars = ProbabilityBars(
            self.trace, key, (self.last,), names, length=1.9, pitch=pitch, decimals=3, size=theme.LABEL_SIZE
        )
        return bars.move_to([x, BARS_Y - 0.2, 0])

    def _head(self, text: str, x: float) -> Words:
        return Words(text, theme.BODY_SIZE, theme.INK).move_to([x, 2.15, 0])

    def _bars_grow(self, bars: ProbabilityBars, seconds: float) -> None:
        quiet = VGroup(*[VGroup(entry.name_words, entry.groove) for entry in bars.entries])
        self.play(FadeIn(quiet), run_time=seconds * 0.35)
        loud = [FadeIn(VGroup(entry.bar, entry.number), shift=RIGHT * 0.2) for entry in bars.entries]
        self.play(*loud, run_time=seconds * 0.65)

    def _best_frame(self, bars: ProbabilityBars) -> VGroup:
        best = bars.entries[bars.best]
        crowded = len(bars.entries) > 8
        return VGroup(focus_frame(best.groove, buff=0.03) if crowded else focus_frame(best, buff=0.13))

    def _verdict(self, bars: ProbabilityBars) -> VGroup:
        """A tick or a cross beside the word that was chosen."""
        mark = Tick() if bars.best == self.right else CrossMark()
        return mark.next_to(bars.entries[bars.best], RIGHT, 0.3)

    def _sentence(self, key: str) -> str:
        """What a greedy run wrote, without the start symbol."""
        words = [self.model.vocabulary[int(i)] for i in self.trace[key]]
        return " ".join(word for word in words if word != self.model.start_symbol)


class InferenceStep1(InferenceStep):
    """Input [I]: what untrained weights say, then what trained ones say."""

    which_pass = 1


class InferenceStep2(InferenceStep):
    """Two words: the last row equals the training pass's row for the same prefix."""

    which_pass = 2


class InferenceStep3(InferenceStep):
    """Three words, and the sentence is complete."""

    which_pass = 3
