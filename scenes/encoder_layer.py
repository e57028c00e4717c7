"""Scene 7: what one encoder layer does with the attention weights, from the weighted sum to the second norm."""

from __future__ import annotations

import numpy as np
from manim import LEFT, UP, FadeIn, FadeOut, LaggedStart, VGroup

from scenes.stage.boxes import focus_frame
from scenes.stage.equation import Equation, Term
from scenes.stage.facts import told
from scenes.stage.formula import Formula
from scenes.stage.handover import HEAT_CELL, HeadMaps, heads_to_show, named_matrix
from scenes.stage.layer import LayerScene
from scenes.stage.motion import fly, rows_appear, unlight, vanish
from scenes.stage.reckoning import Entry

LAYER = "encoder.0"


class EncoderLayer(LayerScene):
    """Attention gathers, the residual keeps, LayerNorm evens out, the feed-forward network works on each row."""

    map_layer = 0

    def construct(self) -> None:
        self.follow("src.tokens")
        self.weighted_sum()
        self.join_heads()
        self.residual()
        self.mean_and_variance()
        self.normalise()
        self.expand()
        self.relu()
        self.contract()
        self.add_and_norm()

    # -- beats ----------------------------------------------------------------------------------------------------
    def weighted_sum(self) -> None:
        with self.beat("weighted_sum", word=self.row_names[0].text) as beat:
            opening = HeadMaps(self, f"{LAYER}.attn.pattern", self.ids, self.ids, heads_to_show(self))
            self.add(opening)
            self.picture = self._blend(0)
            pattern, values, blend = self.picture.grids
            self.wait(beat.share(0.06))
            others = vanish(*opening.maps[1:], opening.more)
            self.play(*others, *self.become(opening.maps[0], pattern), run_time=beat.share(0.16))
            self.remove(opening)
            self.add(pattern)
            self.play(
                FadeIn(self.picture.signs),
                FadeIn(self.picture.tags),
                rows_appear(values),
                run_time=beat.share(0.14),
            )
            for i in range(blend.rows):
                self.gather_row(self.picture, i, beat.share(0.52 / blend.rows))
            self.play(unlight(values.body), run_time=beat.share(0.05))

    def join_heads(self) -> None:
        with self.beat("join_heads") as beat:
            parts: list[Term | str] = [
                Term(f"{LAYER}.attn.concat", self.label("heads_joined"), named=True),
                "·",
                Term(f"weights.{LAYER}.attn.W_O", "", decimals=1, transposed=True, formula="W_O^top"),
                "=",
                Term(f"{LAYER}.attn.out", self.label("attention_out")),
            ]
            joined = Equation(self, parts, self.row_names)
            heads = joined.grids[0]
            self.tint_heads(heads)
            blend = self.picture.grids[2]
            pairs = [
                pair
                for mine, theirs in zip(blend.cells, heads.cells, strict=True)
                for pair in zip(mine, theirs[: self.model.d_head], strict=False)
            ]
            first = VGroup(*[there for _, there in pairs])
            others = VGroup(*[cell for cell in heads.body if cell not in first.submobjects], *heads.more)
            self.play(
                *[FadeOut(part) for part in self.others()],
                fly(VGroup(*[here for here, _ in pairs]), first),
                FadeIn(heads.row_labels),
                FadeIn(joined.tags[0]),
                run_time=beat.share(0.25),
            )
            if len(others):
                self.play(FadeIn(others, shift=LEFT * 0.4), run_time=beat.share(0.15))
            self.play(
                FadeIn(joined.signs[0]),
                FadeIn(joined.tags[1]),
                rows_appear(joined.grids[1]),
                run_time=beat.share(0.2),
            )
            self.play(joined.result_appears(heads), run_time=beat.share(0.28))

    def residual(self) -> None:
        with self.beat("residual") as beat:
            self.picture = self.add_rows(
                beat,
                Term("src.input", self.label("before"), named=True),
                Term(f"{LAYER}.attn.out", self.label("attention_out")),
                Term(f"{LAYER}.resid_mid", self.label("sum")),
            )

    def mean_and_variance(self) -> None:
        mean, variance = self.value(f"{LAYER}.ln1.mean", (0, 0)), self.value(f"{LAYER}.ln1.var", (0, 0))
        with self.beat("mean_and_variance", mean=mean, variance=variance) as beat:
            self.norm = self.norm_picture(f"{LAYER}.resid_mid", f"{LAYER}.ln1", self.label("sum"), self.label("normed"))
            rows, mu, var, _ = self.norm.grids
            self.carry_over(self.picture.grids[-1], rows, beat.share(0.2), [self.norm.tags[0]])
            heads = [Formula("mu").next_to(mu.body, UP, 0.25), Formula("sigma^2").next_to(var.body, UP, 0.25)]
            frame = focus_frame(rows.row(0))
            self.play(FadeIn(frame), run_time=beat.share(0.08))
            self.play(FadeIn(heads[0]), fly(rows.row(0), mu.row(0)), run_time=beat.share(0.18))
            self.play(FadeIn(heads[1]), fly(rows.row(0), var.row(0)), run_time=beat.share(0.18))
            rest = [FadeIn(grid.row(i)) for grid in (mu, var) for i in range(1, rows.rows)]
            self.play(FadeOut(frame), LaggedStart(*rest, lag_ratio=0.15), run_time=beat.share(0.18))

    def normalise(self) -> None:
        with self.beat("normalise") as beat:
            formula = Formula("(x - mu) / sqrt(sigma^2 + epsilon)").next_to(self.norm.grids[-1].body, UP, 0.3)
            self.play(
                FadeIn(formula),
                FadeIn(self.norm.signs[-1]),
                FadeIn(self.norm.tags[-1]),
                run_time=beat.share(0.2),
            )
            self.rows_normalised(self.norm, beat.share(0.5))

    def expand(self) -> None:
        with self.beat("expand") as beat:
            wide = self.network_picture(
                f"{LAYER}.ln1.out", f"{LAYER}.mlp.pre", self.label("normed"), self.label("hidden")
            )
            self.carry_over(self.norm.grids[-1], wide.grids[0], beat.share(0.25), [wide.tags[0]])
            through = self.network_arrow(wide, "dot W_1^top")
            self.play(*[FadeIn(part) for part in through], FadeIn(wide.tags[1]), run_time=beat.share(0.12))
            self.rows_through(wide, beat.share(0.45))
            self.wide = wide

    def relu(self) -> None:
        key = f"{LAYER}.mlp.pre"
        with self.beat("relu", n_dark=told(int(np.sum(self.trace[key] < 0)), Entry(key), how=f"#({key} < 0)")) as beat:
            self.darken_negatives(self.wide.grids[1], f"{LAYER}.mlp.post", beat.share(0.8))

    def contract(self) -> None:
        with self.beat("contract") as beat:
            narrow = self.network_picture(
                f"{LAYER}.mlp.post", f"{LAYER}.mlp.out", self.label("hidden"), self.label("ffn_out")
            )
            self.paint_hidden(narrow.grids[0])
            self.carry_over(self.wide.grids[1], narrow.grids[0], beat.share(0.25), [narrow.tags[0]])
            through = self.network_arrow(narrow, "dot W_2^top")
            self.play(*[FadeIn(part) for part in through], FadeIn(narrow.tags[1]), run_time=beat.share(0.12))
            self.rows_through(narrow, beat.share(0.4))

    def add_and_norm(self) -> None:
        with self.beat("add_and_norm") as beat:
            picture = self.add_rows(
                beat,
                Term(f"{LAYER}.ln1.out", self.label("normed"), named=True),
                Term(f"{LAYER}.mlp.out", self.label("ffn_out")),
                Term(f"{LAYER}.resid_post", self.label("sum")),
                share=0.55,
            )
            self.carry_over(picture.grids[-1], named_matrix(self, f"{LAYER}.out", self.ids), beat.share(0.25))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _blend(self, head: int) -> Equation:
        parts: list[Term | str] = [
            Term(f"{LAYER}.attn.pattern", self.label("weights"), (head,), named=True, heat=True, columns_named=True),
            "·",
            Term(f"{LAYER}.attn.v", self.label("values"), (head,)),
            "=",
            Term(f"{LAYER}.attn.z", self.label("blend"), (head,)),
        ]
        return Equation(self, parts, self.row_names, cell=HEAT_CELL, buff=0.45)
