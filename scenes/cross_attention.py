"""Scene 12: the bridge. Queries from the decoder, keys and values from the memory; what training makes of it."""

from __future__ import annotations

import numpy as np
from manim import DOWN, LEFT, RIGHT, FadeIn, FadeOut, LaggedStart, VGroup

from engine.corpora import word_by_word
from scenes.stage import theme
from scenes.stage.beats import Beat
from scenes.stage.boxes import Chip, focus_frame
from scenes.stage.equation import Equation, Term
from scenes.stage.facts import Value, told
from scenes.stage.flow import FlowArrow
from scenes.stage.formula import Formula
from scenes.stage.grid import Heatmap
from scenes.stage.handover import HEAT_CELL, MIDDLE, HeadMaps, heads_to_show, named_matrix
from scenes.stage.layer import FEW_WORDS, LayerScene
from scenes.stage.motion import appear, fly, grid_flights, raise_above, reword, rows_appear, settle, unlight
from scenes.stage.reckoning import Entry
from scenes.stage.words import Words

HEAD = 0
ONE_SENTENCE = "trained.one_sentence"
MANY_SENTENCES = "trained.word_by_word"


class CrossAttention(LayerScene):
    """Target rows ask the source; untrained weights say little, trained ones line the words up."""

    map_layer = -1

    def construct(self) -> None:
        self.follow("tgt.tokens")
        self.source_ids = [int(i) for i in self.trace["src.tokens"]]
        self.source_names = tuple(self.names(self.source_ids))
        self.layer = f"decoder.{self.model.decoder_layers - 1}"
        self.attention = f"{self.layer}.cross_attn"
        self.best = int(self.trace["training.word_by_word.head"])
        self.heads = heads_to_show(self, self.best)
        self.queries()
        self.keys_and_values()
        self.scores()
        self.no_mask()
        self.over_the_bridge()
        self.random_map()
        self.one_sentence_map()
        self.many_sentences()
        self.word_alignment()
        self.go_on()

    # -- beats ----------------------------------------------------------------------------------------------------
    def queries(self) -> None:
        with self.beat("queries") as beat:
            opening = named_matrix(self, f"{self.layer}.ln1.out", self.ids)
            self.add(opening)
            picture = Equation(
                self,
                [
                    Term(f"{self.layer}.ln1.out", self.label("decoder_rows"), named=True),
                    Term(f"{self.attention}.q", self.label("queries"), (HEAD,), role=theme.QUERY),
                ],
                self.row_names,
                buff=1.7,
                cell=(1.1, 0.72),
                size=27,
            )
            rows, made = picture.grids
            self.wait(beat.share(0.08))
            self.play(*self.become(opening, rows), FadeIn(picture.tags[0]), run_time=beat.share(0.25))
            arrow = self.network_arrow(picture, "dot W_Q^top")
            raise_above(made)
            self.play(*[FadeIn(part) for part in arrow], run_time=beat.share(0.12))
            self.play(fly(rows.body, made.body), *appear(made.more), FadeIn(picture.tags[1]), run_time=beat.share(0.3))
            settle(made)
            self.asked = made

    def keys_and_values(self) -> None:
        with self.beat("keys_and_values") as beat:
            picture = Equation(
                self,
                [
                    Term(f"{self.attention}.q", self.label("queries"), (HEAD,), named=True, role=theme.QUERY),
                    Term("encoder.out", self.label("memory"), row_names=self.source_names),
                    Term(f"{self.attention}.k", self.label("keys"), (HEAD,), role=theme.KEY),
                    Term(f"{self.attention}.v", self.label("values"), (HEAD,), role=theme.VALUE),
                ],
                self.row_names,
                buff=0.75,
            )
            queries, memory, keys, values = picture.grids
            raise_above(queries)
            self.play(
                *[FadeOut(part) for part in self.others()],
                *grid_flights(self.asked, queries),
                FadeIn(queries.row_labels),
                FadeIn(picture.tags[0]),
                run_time=beat.share(0.16),
            )
            settle(queries)
            self.play(
                *[FadeIn(part, shift=LEFT * 1.5) for part in (memory, picture.tags[1])],
                run_time=beat.share(0.22),
            )
            frame = focus_frame(VGroup(memory.body, memory.row_labels, *memory.more), color=theme.SHARED, buff=0.12)
            self.play(FadeIn(frame), run_time=beat.share(0.1))
            for made in (keys, values):
                raise_above(made)
            self.play(
                *[fly(memory.row(i), made.row(i)) for made in (keys, values) for i in range(memory.rows)],
                *appear(keys.more, values.more),
                FadeIn(picture.tags[2:]),
                run_time=beat.share(0.25),
            )
            for made in (keys, values):
                settle(made)

    def scores(self) -> None:
        with self.beat("scores") as beat:
            picture = Equation(
                self,
                [
                    Term(f"{self.attention}.q", self.label("queries"), (HEAD,), named=True, role=theme.QUERY),
                    "·",
                    self.keys_across(f"{self.attention}.k", HEAD),
                    "=",
                    Term(
                        f"{self.attention}.dots",
                        self.label("scores"),
                        (HEAD,),
                        row_names=tuple(self.row_names) if len(self.source_ids) <= FEW_WORDS else (),
                        column_names=self.source_names,
                    ),
                ],
                self.row_names,
                buff=0.4,
            )
            dots = picture.grids[-1]
            self.clear_for(picture.operands_appear(), seconds=beat.share(0.25))
            self.play(picture.result_appears(picture.grids[0]), FadeIn(dots.column_labels), run_time=beat.share(0.3))
            scale = Formula(f"div sqrt({self.model.d_head})").next_to(dots.column_labels, LEFT, 0.35)
            self.play(FadeIn(scale), run_time=beat.share(0.08))
            scaled = [
                reword(
                    dots.cell(i, j),
                    self.number(f"{self.attention}.scores", (HEAD, i, j), size=dots.size),
                    fill=theme.PANEL,
                )
                for i, j in np.ndindex(dots.rows, dots.columns)
            ]
            self.play(*scaled, run_time=beat.share(0.2))

    def no_mask(self) -> None:
        with self.beat("no_mask") as beat:
            weights = self._map(f"{self.attention}.pattern", HEAD, 0)
            self.clear_for(FadeIn(weights.row_labels), FadeIn(weights.column_labels), seconds=beat.share(0.18))
            for i in range(weights.rows):
                self.play(FadeIn(weights.row(i), shift=RIGHT * 0.2), run_time=beat.share(0.6 / weights.rows))
            self.add(weights)
            self.weights = weights

    def over_the_bridge(self) -> None:
        with self.beat("over_the_bridge") as beat:
            blend = Equation(
                self,
                [
                    Term(
                        f"{self.attention}.pattern",
                        self.label("weights"),
                        (HEAD,),
                        heat=True,
                        named=True,
                        column_names=self.source_names,
                    ),
                    "·",
                    Term(
                        f"{self.attention}.v",
                        self.label("values"),
                        (HEAD,),
                        row_names=self.source_names,
                        role=theme.VALUE,
                    ),
                    "=",
                    Term(f"{self.attention}.z", self.label("blend"), (HEAD,)),
                ],
                self.row_names,
                cell=HEAT_CELL,
                buff=0.45,
            )
            pattern, values, z = blend.grids
            self.play(
                *[FadeOut(part) for part in self.others(self.weights)],
                *self.become(self.weights, pattern),
                run_time=beat.share(0.12),
            )
            self.remove(self.weights)
            self.add(pattern)
            self.play(FadeIn(blend.signs), FadeIn(blend.tags), rows_appear(values), run_time=beat.share(0.1))
            for i in range(z.rows):
                self.gather_row(blend, i, beat.share(0.28 / z.rows))
            self.play(unlight(values.body), run_time=beat.share(0.03))
            joined = Equation(
                self,
                [
                    Term(f"{self.attention}.concat", self.label("heads_joined"), named=True),
                    "·",
                    Term(f"weights.{self.attention}.W_O", "", decimals=1, transposed=True, formula="W_O^top"),
                    "=",
                    Term(f"{self.attention}.out", self.label("from_source")),
                ],
                self.row_names,
            )
            self.tint_heads(joined.grids[0])
            self.clear_for(joined.operands_appear(), seconds=beat.share(0.16))
            self.play(joined.result_appears(joined.grids[0]), run_time=beat.share(0.2))

    def random_map(self) -> None:
        key = f"{self.attention}.pattern"
        lowest, highest = self._extremes(key)
        with self.beat("random_map", random_lowest=lowest, random_highest=highest) as beat:
            self._show_maps(key, self.label("untrained"), theme.DIM, beat.share(0.25))
            self._frame_extremes(key, beat)

    def one_sentence_map(self) -> None:
        key = f"{ONE_SENTENCE}.{self.attention}.pattern"
        lowest, highest = self._extremes(key)
        with self.beat("one_sentence_map", single_lowest=lowest, single_highest=highest) as beat:
            self._show_maps(key, self.label("one_sentence"), theme.INK, beat.share(0.3))
            self._frame_extremes(key, beat)

    def many_sentences(self) -> None:
        loss = Entry("training.word_by_word.loss")
        n_sentences = told(len(word_by_word(self.model)), loss, how="#(training.word_by_word)")
        with self.beat("many_sentences", n_sentences=n_sentences) as beat:
            key = f"{MANY_SENTENCES}.{self.attention}.pattern"
            self._show_maps(key, self.label("many_sentences"), theme.INK, beat.share(0.3))
            # It has to look: each row's largest share, one after the other.
            best = self.maps.maps[self.heads.index(self.best)]
            tops = [best.cell(i, int(np.argmax(best.values[i]))) for i in range(best.rows)]
            frames = [FadeIn(focus_frame(cell, buff=0.02)) for cell in tops]
            self.play(LaggedStart(*frames, lag_ratio=0.8), run_time=beat.share(0.45))

    def word_alignment(self) -> None:
        head = self.best
        pattern = self.trace[f"{MANY_SENTENCES}.{self.attention}.pattern"][head]
        following = [int(i) for i in self.trace["labels.shifted"]]
        row = self._sharpest(pattern, len(following))
        top = int(np.argmax(pattern[row]))
        vocabulary = self.model.vocabulary
        with self.beat(
            "word_alignment",
            next_word=vocabulary[following[row]] if following else vocabulary[self.ids[row]],
            reader=self.row_names[row].text,
            top_source=self.source_names[top].text,
            weight=self.value(f"{MANY_SENTENCES}.{self.attention}.pattern", (head, row, top)),
        ) as beat:
            best = self._map(f"{MANY_SENTENCES}.{self.attention}.pattern", head, 0)
            tag = self._weights_tag(self.label("best_head", n=head + 1), theme.INK, VGroup(best))
            self.clear_for(FadeIn(best), FadeIn(tag), seconds=beat.share(0.18))
            frame = focus_frame(best.row(row))
            self.play(FadeIn(frame), run_time=beat.share(0.1))
            self.play(frame.animate.become(focus_frame(best.cell(row, top))), run_time=beat.share(0.12))
            if following:
                word = Chip(vocabulary[following[row]], self.token_color(following[row]), theme.BODY_SIZE)
                word.move_to([4.6, best.row(row).get_y(), 0])
                arrow = FlowArrow([best.row(row).get_right(), word.get_left()], color=word.color_of_token, buff=0.2)
                self.play(FadeIn(arrow), FadeIn(word, shift=RIGHT * 0.3), run_time=beat.share(0.15))

    def go_on(self) -> None:
        with self.beat("go_on") as beat:
            closing = named_matrix(self, f"{self.attention}.out", self.ids)
            self.clear_for(FadeIn(closing), seconds=beat.share(0.4))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _map(self, key: str, head: int, x: float) -> Heatmap:
        """One head's map of target rows over source columns, its cells around x."""
        grid = self.heatmap(
            key,
            (head,),
            row_names=self.row_names,
            column_names=self.source_names,
            cell=HEAT_CELL,
            max_height=3.6,
            max_width=4.4,
        )
        return grid.shift([x, MIDDLE[1], 0] - grid.body.get_center())

    def _weights_tag(self, text: str, color: str, maps: VGroup) -> Words:
        """Which weights are shown, under the maps."""
        tag = Words(text, theme.BODY_SIZE, color)
        room = maps.get_bottom()[1] - theme.CONTENT_BOTTOM - tag.height
        return tag.next_to(maps, DOWN, max(min(0.4, room), 0.16)).set_x(0)

    def _show_maps(self, key: str, text: str, color: str, seconds: float) -> None:
        """The maps of two heads, each with its number below, take the place of what is on stage."""
        self.maps = HeadMaps(self, key, self.ids, self.source_ids, self.heads)
        numbers = [
            Words(self.label("head", n=head + 1), theme.LABEL_SIZE, theme.DIM).next_to(one.body, DOWN, 0.24)
            for head, one in zip(self.heads, self.maps.maps, strict=True)
        ]
        tag = self._weights_tag(text, color, VGroup(self.maps, *numbers))
        self.clear_for(FadeIn(self.maps), *[FadeIn(n) for n in numbers], FadeIn(tag), seconds=seconds)

    def _extremes(self, key: str) -> tuple[Value, Value]:
        """The smallest and the largest weight of the heads that are shown."""
        shown = self.trace[key][list(self.heads)]
        ends = (np.unravel_index(int(flat), shown.shape) for flat in (np.argmin(shown), np.argmax(shown)))
        low, high = (self.value(key, (self.heads[int(head)], int(row), int(column))) for head, row, column in ends)
        return low, high

    def _frame_extremes(self, key: str, beat: Beat) -> None:
        """The smallest weight on stage is framed, then the largest."""
        shown = self.trace[key][list(self.heads)]
        low, high = (np.unravel_index(int(flat), shown.shape) for flat in (np.argmin(shown), np.argmax(shown)))
        frame, other = (
            focus_frame(self.maps.maps[int(which)].cell(int(i), int(j)), buff=0.04) for which, i, j in (low, high)
        )
        self.play(FadeIn(frame), run_time=beat.share(0.12))
        self.wait(beat.share(0.14))
        self.play(frame.animate.become(other), run_time=beat.share(0.16))

    @staticmethod
    def _sharpest(pattern: np.ndarray, rows: int) -> int:
        """The row, among the first `rows`, that looks most at one word."""
        return int(np.argmax(pattern[: max(rows, 1)].max(axis=-1)))
