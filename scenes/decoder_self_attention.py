"""Scene 10: the decoder's first layer in training; what the encoder does, plus one mask, on all positions at once."""

from __future__ import annotations

import numpy as np
from manim import UP, FadeIn, FadeOut, LaggedStart

from scenes.stage import theme
from scenes.stage.equation import Equation, Term
from scenes.stage.formula import Formula
from scenes.stage.grid import Heatmap, MatrixGrid
from scenes.stage.handover import HEAT_CELL, MIDDLE, close_future, masked_map, named_matrix
from scenes.stage.layer import LayerScene
from scenes.stage.motion import appear, fly, grid_flights, mask_cell, raise_above, reword, rows_appear, settle
from scenes.stage.words import Words

LAYER = "decoder.0"
ATTENTION = f"{LAYER}.self_attn"
HEAD = 0


class DecoderSelfAttention(LayerScene):
    """Queries, keys and values of the target; scores, mask, weights, blend; residual, norm, feed-forward network."""

    map_layer = 0

    def construct(self) -> None:
        self.follow("tgt.tokens")
        crossed = f"{LAYER}.cross_attn.out" in self.trace
        # With cross-attention in every layer it stands between the two halves; its own scene shows it.
        self.before_network = f"{LAYER}.ln2.out" if crossed else f"{LAYER}.ln1.out"
        self.all_at_once()
        self.scores()
        self.mask()
        self.pattern()
        self.mix()
        self.add_and_norm()
        self.feed_forward()
        self.one_pass()

    # -- beats ----------------------------------------------------------------------------------------------------
    def all_at_once(self) -> None:
        with self.beat("all_at_once") as beat:
            opening = masked_map(self, f"{ATTENTION}.pattern", self.ids, HEAD)
            self.add(opening)
            parts: list[Term | str] = [
                Term("tgt.input", self.label("input"), named=True),
                "→",
                Term(f"{ATTENTION}.q", self.label("queries"), (HEAD,), role=theme.QUERY),
                Term(f"{ATTENTION}.k", self.label("keys"), (HEAD,), role=theme.KEY),
                Term(f"{ATTENTION}.v", self.label("values"), (HEAD,), role=theme.VALUE),
            ]
            picture = Equation(self, parts, self.row_names, buff=0.5)
            rows, *made = picture.grids
            self.wait(beat.share(0.1))
            self.play(FadeOut(opening), run_time=beat.share(0.12))
            self.play(rows_appear(rows), FadeIn(picture.tags[0]), FadeIn(picture.signs), run_time=beat.share(0.25))
            for grid in made:
                raise_above(grid)
            self.play(
                *[fly(rows.body, grid.body) for grid in made],
                *appear(*[grid.more for grid in made]),
                *[FadeIn(tag) for tag in picture.tags[1:]],
                run_time=beat.share(0.3),
            )
            for grid in made:
                settle(grid)
            self.made = made

    def scores(self) -> None:
        with self.beat("scores") as beat:
            parts: list[Term | str] = [
                Term(f"{ATTENTION}.q", self.label("queries"), (HEAD,), named=True, role=theme.QUERY),
                "·",
                self.keys_across(f"{ATTENTION}.k", HEAD),
                "=",
                Term(f"{ATTENTION}.dots", self.label("scores"), (HEAD,)),
            ]
            picture = Equation(self, parts, self.row_names, buff=0.45)
            queries, keys, dots = picture.grids
            kept = (self.made[0].body, self.made[1].body)
            raise_above(queries)
            self.play(
                *[FadeOut(part) for part in self.others(*kept)],
                *grid_flights(self.made[0], queries),
                FadeOut(kept[0]),
                FadeOut(kept[1]),
                FadeIn(keys),
                FadeIn(queries.row_labels),
                FadeIn(picture.tags[:2]),
                FadeIn(picture.signs[0]),
                run_time=beat.share(0.2),
            )
            settle(queries)
            self.play(picture.result_appears(queries), run_time=beat.share(0.3))
            scale = Formula(f"div sqrt({self.model.d_head})").next_to(dots.body, UP, 0.3)
            self.play(FadeIn(scale), run_time=beat.share(0.1))
            self.play(*self._reworded(dots, f"{ATTENTION}.scaled"), run_time=beat.share(0.25))

    def mask(self) -> None:
        with self.beat("mask") as beat:
            self.map = self._map("scaled")
            self.clear_for(FadeIn(self.map), seconds=beat.share(0.2))
            upper = [mask_cell(self.map, i, j) for i, j in self._future()]
            if upper:
                self.play(LaggedStart(*upper, lag_ratio=0.2), run_time=beat.share(0.5))

    def pattern(self) -> None:
        words = [name.text for name in self.row_names]
        with self.beat("pattern", first=words[0], last=words[-1]) as beat:
            weights = masked_map(self, f"{ATTENTION}.pattern", self.ids, HEAD)
            name = Words("softmax", theme.LABEL_SIZE, theme.DIM).next_to(self.map.body, UP, 0.75)
            if self.map.cell_size == weights.cell_size:
                self.play(FadeIn(name), run_time=beat.share(0.08))
                for i in range(weights.rows):
                    old, new = self.map.row(i), weights.row(i)
                    self.play(FadeOut(old), FadeIn(new), run_time=beat.share(0.6 / weights.rows))
                self.remove(self.map)
            else:  # weights are narrower than scores: with many words their map is set larger
                self.play(FadeOut(self.map), FadeIn(name), run_time=beat.share(0.2))
                self.play(FadeIn(weights), run_time=beat.share(0.4))
            self.add(weights)
            self.map = weights

    def mix(self) -> None:
        with self.beat("mix") as beat:
            parts: list[Term | str] = [
                Term(f"{ATTENTION}.concat", self.label("heads_joined"), named=True),
                "·",
                Term(f"weights.{ATTENTION}.W_O", "", decimals=1, transposed=True, formula="W_O^top"),
                "=",
                Term(f"{ATTENTION}.out", self.label("attention_out")),
            ]
            blend = self._blend()
            pattern, values, z = blend.grids
            self.play(
                *[FadeOut(part) for part in self.others(self.map)],
                *self.become(self.map, pattern),
                FadeIn(values),
                FadeIn(blend.signs),
                FadeIn(blend.tags),
                run_time=beat.share(0.16),
            )
            copies = [raise_above(values.body.copy())]
            self.play(
                *[FadeOut(copy, target_position=z.body) for copy in copies],
                FadeIn(z.body),
                *appear(z.more),
                run_time=beat.share(0.2),
            )
            joined = Equation(self, parts, self.row_names)
            self.tint_heads(joined.grids[0])
            self.clear_for(joined.operands_appear(), seconds=beat.share(0.25))
            self.play(joined.result_appears(joined.grids[0]), run_time=beat.share(0.25))

    def add_and_norm(self) -> None:
        with self.beat("add_and_norm") as beat:
            total = self.add_rows(
                beat,
                Term("tgt.input", self.label("input"), named=True),
                Term(f"{ATTENTION}.out", self.label("attention_out")),
                Term(f"{LAYER}.resid_mid", self.label("sum")),
                share=0.5,
            )
            norm = self.norm_picture(f"{LAYER}.resid_mid", f"{LAYER}.ln1", self.label("sum"), self.label("normed"))
            rows, mean, variance, _ = norm.grids
            self.carry_over(total.grids[-1], rows, beat.share(0.14), [norm.tags[0]])
            heads = [Formula("mu").next_to(mean.body, UP, 0.25), Formula("sigma^2").next_to(variance.body, UP, 0.25)]
            self.play(
                *[FadeIn(part) for part in (*heads, mean, variance, norm.signs, norm.tags[-1])],
                run_time=beat.share(0.1),
            )
            self.rows_normalised(norm, beat.share(0.2))

    def feed_forward(self) -> None:
        with self.beat("feed_forward") as beat:
            wide = self.network_picture(
                self.before_network, f"{LAYER}.mlp.post", self.label("normed"), self.label("hidden")
            )
            self._through(wide, "dot W_1^top", beat.share(0.4), painted=1)
            narrow = self.network_picture(
                f"{LAYER}.mlp.post", f"{LAYER}.mlp.out", self.label("hidden"), self.label("ffn_out")
            )
            self._through(narrow, "dot W_2^top", beat.share(0.4), painted=0)

    def one_pass(self) -> None:
        with self.beat("one_pass") as beat:
            total = self.add_rows(
                beat,
                Term(self.before_network, self.label("normed"), named=True),
                Term(f"{LAYER}.mlp.out", self.label("ffn_out")),
                Term(f"{LAYER}.resid_post", self.label("sum")),
                share=0.5,
            )
            self.carry_over(total.grids[-1], named_matrix(self, f"{LAYER}.out", self.ids), beat.share(0.25))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _future(self) -> list[tuple[int, int]]:
        count = len(self.ids)
        return [(i, j) for i in range(count) for j in range(i + 1, count)]

    def _map(self, what: str) -> MatrixGrid:
        """The scores as a grid in the place of the masked map."""
        grid = self.grid(
            f"{ATTENTION}.{what}",
            (HEAD,),
            row_names=self.row_names,
            column_names=self.row_names,
            cell=HEAT_CELL,
            max_height=3.0,
            max_width=4.6,
        )
        return grid.shift(MIDDLE - grid.body.get_center())

    def _reworded(self, grid: MatrixGrid, key: str) -> list:
        """Every number of a grid gives way to the same entry of another key."""
        return [
            reword(grid.cell(i, j), self.number(key, (HEAD, i, j), size=grid.size), fill=theme.PANEL)
            for i, j in np.ndindex(grid.rows, grid.columns)
        ]

    def _blend(self) -> Equation:
        parts: list[Term | str] = [
            Term(f"{ATTENTION}.pattern", self.label("weights"), (HEAD,), named=True, heat=True, columns_named=True),
            "·",
            Term(f"{ATTENTION}.v", self.label("values"), (HEAD,), role=theme.VALUE),
            "=",
            Term(f"{ATTENTION}.z", self.label("blend"), (HEAD,)),
        ]
        picture = Equation(self, parts, self.row_names, cell=HEAT_CELL, buff=0.45)
        weights = picture.grids[0]
        assert isinstance(weights, Heatmap)
        close_future(weights)
        return picture

    def _through(self, picture: Equation, formula: str, seconds: float, painted: int) -> None:
        """All rows go through one half of the network at once; `painted` is the matrix behind the ReLU."""
        self.paint_hidden(picture.grids[painted])
        self.clear_for(FadeIn(picture.grids[0]), FadeIn(picture.tags[0]), seconds=seconds * 0.35)
        arrow = self.network_arrow(picture, formula)
        self.play(*[FadeIn(part) for part in arrow], FadeIn(picture.tags[1]), run_time=seconds * 0.15)
        travelling = raise_above(picture.grids[0].body.copy())
        result = picture.grids[1]
        self.play(
            FadeOut(travelling, target_position=result.body),
            FadeIn(result.body),
            *appear(result.more),
            run_time=seconds * 0.4,
        )
