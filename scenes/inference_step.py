"""Scenes 16-18: one pass of inference each, with untrained and with trained weights."""

from __future__ import annotations

from manim import DOWN, LEFT, RIGHT, FadeIn, FadeOut, VGroup

from scenes.inference_parts import (
    MAP_WIDTH,
    PANEL_LEFT,
    PANEL_RIGHT,
    DecoderBoard,
    MemoryBoard,
    below,
    cut_names,
    map_middle,
    names_width,
)
from scenes.stage import theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import focus_frame
from scenes.stage.facts import told
from scenes.stage.fit import MARK, narrowest_pitch, that_fit
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.grid import MatrixGrid, empty_places
from scenes.stage.handover import HEAT_CELL, close_future, sentence
from scenes.stage.layer import LayerScene
from scenes.stage.marks import CrossMark, Tick
from scenes.stage.motion import carry_all, dim, pulse, raise_above, settle
from scenes.stage.reckoning import Length
from scenes.stage.tokens import TokenRow
from scenes.stage.words import Words

HEAD = 0
TRAINED = "trained.one_sentence"
BARS_X = 3.25
BARS_Y = -0.2
CLOSE = 0.34  # units: bars as near to each other are named in the smallest type
CHIPS_Y, CHIPS_SCALE = 2.06, 0.7
MOST_READ = 3  # words in the longest of the three passes
LARGER = 0.25  # a map with fewer words is set so much larger for each
OUT_WIDTH, OUT_Y = 3.6, -0.3


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
            self.decoder = DecoderBoard(
                self.label("decoder"), self.label("layers", n=self.model.decoder_layers), self.model.decoder_layers
            )
            names = self.names(self.trace["src.tokens"])
            self.memory = MemoryBoard(self.trace["encoder.out"], names, self.label("memory"))
            ground = self.decoder.ground
            self.wait(beat.share(0.1))
            self.play(
                self.chips.animate.scale(CHIPS_SCALE).move_to([ground.get_x(), CHIPS_Y, 0]), run_time=beat.share(0.2)
            )
            self.into = FlowArrow([[ground.get_x(), self.chips.get_bottom()[1], 0], ground.get_top()], theme.INFERENCE)
            self.play(FadeIn(self.decoder), FadeIn(self.into), run_time=beat.share(0.2))
            side = self.memory.frame.get_right()
            self.recall = FlowArrow([side, [PANEL_LEFT, side[1], 0]], theme.SHARED)
            self.out = self._out()
            self.places = empty_places(self.out)
            self.reader = FlowBox([self.film_word("map_output")], 3.0, 0.8, theme.INFERENCE)
            self.reader.move_to([self.out.body.get_center()[0], self.out.body.get_bottom()[1] - 1.0, 0])
            self.reader.paint(theme.PANEL, theme.LINE, theme.DIM)
            self.play(FadeIn(self.memory, shift=RIGHT * 0.3), FadeIn(self.recall), run_time=beat.share(0.18))
            self.play(FadeIn(self.places), FadeIn(self.reader), run_time=beat.share(0.12))

    def play_mask(self) -> None:
        with self.beat(
            "mask", n_prefix=told(len(self.ids), Length(f"{self.pass_key}.mask", 0)), first=self.first_word
        ) as beat:
            larger = 1.0 + LARGER * (MOST_READ - len(self.ids))
            self.map = self.heatmap(
                f"{self.pass_key}.decoder.0.self_attn.pattern",
                (HEAD,),
                row_names=cut_names(self.row_names),
                column_names=self.row_names,
                cell=(HEAT_CELL[0] * larger, HEAT_CELL[1] * larger),
                size=theme.NUMBER_SIZE * larger,
                max_height=2.3,
                max_width=MAP_WIDTH - names_width(self.row_names),
            )
            self.map.shift([*map_middle(), 0] - self.map.get_center())
            close_future(self.map)
            tag = below(self.map.body, self.label("masked_map"))
            names = [chip.words for chip in self.chips]
            self.play(
                *carry_all(names, self.map.row_labels),
                *carry_all(names, self.map.column_labels),
                run_time=beat.share(0.3),
            )
            for i in range(self.map.rows):
                self.play(FadeIn(self.map.row(i)), run_time=beat.share(0.3 / self.map.rows))
            self.play(FadeIn(tag), run_time=beat.share(0.12))

    def play_decoder(self) -> None:
        with self.beat("decoder") as beat:
            older = VGroup(*[cell for i in range(self.last) for cell in self.map.row(i)])
            self.play(
                pulse(self.into, theme.INFERENCE),
                pulse(self.recall, theme.SHARED),
                *([dim(older)] if len(older) else []),
                run_time=beat.share(0.18),
            )
            count = self.model.decoder_layers
            for i in range(count):
                self.play(*self.decoder.light(i), run_time=beat.share(0.3 / count))
            y = self.out.body.get_y()
            leave = FlowArrow([[PANEL_RIGHT, y, 0], [self.out.get_left()[0], y, 0]], theme.INFERENCE)
            self.play(
                FadeIn(leave), FadeIn(self.out, shift=RIGHT * 0.5), FadeOut(self.places), run_time=beat.share(0.25)
            )

    def play_one_row(self) -> None:
        with self.beat("one_row") as beat:
            rest = VGroup(*[cell for i in range(self.last) for cell in self.out.row(i)])
            frame = focus_frame(self.out.row(self.last))
            self.play(FadeIn(frame), *([dim(rest)] if len(rest) else []), run_time=beat.share(0.25))
            self.wait(beat.share(0.25))
            arrow = FlowArrow([frame.get_bottom(), self.reader.get_top()], color=theme.INFERENCE)
            lit = self.reader.animate.paint(theme.tint(theme.INFERENCE, 0.3), theme.INFERENCE, theme.INK)
            self.play(FadeIn(arrow), lit, run_time=beat.share(0.2))

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
            self.before = self._bars(probs, 0.0)
            self.said = self._head(self.label("untrained"), 0.0)
            self.clear_for(FadeIn(self.said), seconds=beat.share(0.15))
            self._bars_grow(self.before, beat.share(0.35))
            self.framed = self._best_frame(self.before)
            self.play(FadeIn(self.framed), run_time=beat.share(0.12))

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
            aside = [one.animate.shift(LEFT * BARS_X) for one in (self.before, self.said, self.framed)]
            self.add(self.before)  # its parts came one by one; from here on it is one thing
            self.play(*aside, run_time=beat.share(0.12))
            self.play(FadeIn(head), run_time=beat.share(0.08))
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
        key = f"{self.pass_key}.decoder.out"
        shown = that_fit(self.model.d_model, narrowest_pitch(self.trace, key), OUT_WIDTH)
        grid = self.grid(
            key,
            row_names=self.row_names,
            max_width=OUT_WIDTH - (MARK if shown < self.model.d_model else 0.0),
            max_height=3.0,
            cell=(0.86, 0.66),
            first_columns=shown,
            marked=True,
        )
        return grid.shift([theme.SAFE_X - 0.13 - grid.get_right()[0], OUT_Y - grid.body.get_y(), 0])

    def _bars(self, key: str, x: float) -> ProbabilityBars:
        names = self.names(range(len(self.model.vocabulary)))
        pitch = min(0.5, 4.2 / len(names))
        bars = ProbabilityBars(
            self.trace,
            key,
            (self.last,),
            names,
            length=1.9,
            pitch=pitch,
            decimals=3,
            size=theme.LABEL_SIZE if pitch > CLOSE else theme.SMALL_SIZE,
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
