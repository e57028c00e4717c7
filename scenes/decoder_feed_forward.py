"""Scene 13: residual, norm and feed-forward network behind the bridge; the vector that leaves is all that goes on."""

from __future__ import annotations

import numpy as np
from manim import LEFT, RIGHT, UP, FadeIn, FadeOut

from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.equation import Term
from scenes.stage.facts import told
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.formula import Formula
from scenes.stage.handover import MIDDLE, named_matrix
from scenes.stage.layer import LayerScene
from scenes.stage.motion import dim, unlight
from scenes.stage.reckoning import Entry


class DecoderFeedForward(LayerScene):
    """The last layer's second half, and what becomes of its rows in training and in inference."""

    map_layer = -1

    def construct(self) -> None:
        self.follow("tgt.tokens")
        self.layer = f"decoder.{self.model.decoder_layers - 1}"
        self.add_the_source()
        self.normalise()
        self.expand()
        self.what_stays_lit()
        self.contract()
        self.decoder_out()
        self.rows_that_go_on()
        self.all_in_here()

    # -- beats ----------------------------------------------------------------------------------------------------
    def add_the_source(self) -> None:
        with self.beat("add_the_source") as beat:
            opening = named_matrix(self, f"{self.layer}.cross_attn.out", self.ids)
            self.add(opening)
            self.wait(beat.share(0.08))
            self.total = self.add_rows(
                beat,
                Term(f"{self.layer}.ln1.out", self.label("before"), named=True),
                Term(f"{self.layer}.cross_attn.out", self.label("from_source")),
                Term(f"{self.layer}.resid_mid_cross", self.label("sum")),
                share=0.85,
            )

    def normalise(self) -> None:
        with self.beat("normalise", word=self.row_names[0].text) as beat:
            norm = self.norm_picture(
                f"{self.layer}.resid_mid_cross", f"{self.layer}.ln2", self.label("sum"), self.label("normed")
            )
            rows, mean, variance, _ = norm.grids
            self.carry_over(self.total.grids[-1], rows, beat.share(0.25), [norm.tags[0]])
            heads = [Formula("mu").next_to(mean.body, UP, 0.25), Formula("sigma^2").next_to(variance.body, UP, 0.25)]
            self.play(
                *[FadeIn(part) for part in (*heads, mean, variance, norm.signs, norm.tags[-1])],
                run_time=beat.share(0.15),
            )
            self.rows_normalised(norm, beat.share(0.4))
            self.norm = norm

    def expand(self) -> None:
        with self.beat("expand") as beat:
            wide = self.network_picture(
                f"{self.layer}.ln2.out", f"{self.layer}.mlp.pre", self.label("normed"), self.label("hidden")
            )
            self.carry_over(self.norm.grids[-1], wide.grids[0], beat.share(0.18), [wide.tags[0]])
            through = self.network_arrow(wide, "dot W_1^top")
            self.play(*[FadeIn(part) for part in through], FadeIn(wide.tags[1]), run_time=beat.share(0.1))
            self.rows_through(wide, beat.share(0.3))
            self.darken_negatives(wide.grids[1], f"{self.layer}.mlp.post", beat.share(0.32))
            self.wide = wide

    def what_stays_lit(self) -> None:
        key = f"{self.layer}.mlp.post"
        lit = told(int(np.sum(self.trace[key][0] > 0)), Entry(key), how=f"#({key}[0] > 0)")
        with self.beat("what_stays_lit", word=self.row_names[0].text, n_lit=lit) as beat:
            frame = focus_frame(self.wide.grids[1].row(0))
            self.play(FadeIn(frame), dim(self.wide.grids[0].body), run_time=beat.share(0.2))
            self.wait(beat.share(0.5))
            self.play(FadeOut(frame), unlight(self.wide.grids[0].body), run_time=beat.share(0.15))

    def contract(self) -> None:
        with self.beat("contract") as beat:
            narrow = self.network_picture(
                f"{self.layer}.mlp.post", f"{self.layer}.mlp.out", self.label("hidden"), self.label("ffn_out")
            )
            self.paint_hidden(narrow.grids[0])
            self.carry_over(self.wide.grids[1], narrow.grids[0], beat.share(0.25), [narrow.tags[0]])
            through = self.network_arrow(narrow, "dot W_2^top")
            self.play(*[FadeIn(part) for part in through], FadeIn(narrow.tags[1]), run_time=beat.share(0.12))
            self.rows_through(narrow, beat.share(0.45))

    def decoder_out(self) -> None:
        with self.beat("decoder_out") as beat:
            total = self.add_rows(
                beat,
                Term(f"{self.layer}.ln2.out", self.label("normed"), named=True),
                Term(f"{self.layer}.mlp.out", self.label("ffn_out")),
                Term(f"{self.layer}.resid_post", self.label("sum")),
                share=0.6,
            )
            self.out = named_matrix(self, "decoder.out", self.ids)
            self.carry_over(total.grids[-1], self.out, beat.share(0.25))

    def rows_that_go_on(self) -> None:
        with self.beat("rows_that_go_on") as beat:
            self.add(self.out)
            away = 4.75
            train = FlowBox([self.film_word("track_training"), self.label("all_rows")], 2.4, 1.2, theme.TRAINING)
            infer = FlowBox([self.film_word("track_inference"), self.label("last_row")], 2.4, 1.2, theme.INFERENCE)
            train.move_to([away, self.out.row(0).get_y() - 0.1, 0])
            infer.move_to([away, self.out.row(self.out.rows - 1).get_y(), 0])
            room = self.out.get_left()[0] + theme.SAFE_X - 0.15
            self.play(self.out.animate.shift(LEFT * min(2.4, room)), run_time=beat.share(0.15))
            right = self.out.body.get_right()[0]
            every = focus_frame(self.out.body, color=theme.TRAINING, buff=0.12)
            last = focus_frame(self.out.row(self.out.rows - 1), color=theme.INFERENCE, buff=0.04)
            up = FlowArrow([[right + 0.12, train.get_y(), 0], train.get_left()], color=theme.TRAINING)
            down = FlowArrow(
                [[right + 0.05, last.get_y(), 0], [infer.get_left()[0], infer.get_y(), 0]], color=theme.INFERENCE
            )
            self.play(FadeIn(every), FadeIn(up), FadeIn(train), run_time=beat.share(0.2))
            self.wait(beat.share(0.2))
            self.play(FadeOut(every), FadeIn(last), FadeIn(down), FadeIn(infer), run_time=beat.share(0.2))

    def all_in_here(self) -> None:
        with self.beat("all_in_here") as beat:
            box = FlowBox([self.film_word("map_output")], 2.6, 0.8, theme.TRAINING)
            box.move_to([theme.SAFE_X - 1.4, self.out.body.get_y(), 0])
            # A wide matrix stands further left until it is alone.
            x = min(MIDDLE[0], box.get_left()[0] - 0.8 - self.out.body.width / 2)
            self.play(
                *[FadeOut(part) for part in self.others(self.out)],
                self.out.animate.shift(RIGHT * (x - self.out.body.get_center()[0])),
                run_time=beat.share(0.2),
            )
            arrow = FlowArrow([self.out.body.get_right(), box.get_left()], color=theme.TRAINING)
            self.play(FadeIn(box), FadeIn(arrow), run_time=beat.share(0.2))
            self.wait(beat.share(0.3))
            home = [self.out.animate.shift(RIGHT * (MIDDLE[0] - x))] if x < MIDDLE[0] else []
            self.play(FadeOut(box), FadeOut(arrow), *home, run_time=beat.share(0.12))
