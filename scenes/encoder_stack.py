"""Scene 8: the next encoder layer at speed; what it changes, and the memory that is left."""

from __future__ import annotations

import numpy as np
from manim import Create, FadeIn, FadeOut

from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.handover import FramedMemory, named_matrix
from scenes.stage.motion import raise_above, read_along, settle
from scenes.stage.replay import ReplayScene

HEAD = 0


class EncoderStack(ReplayScene):
    """Layer upon layer of the same build; the last one's output is the memory."""

    map_layer = -1

    def construct(self) -> None:
        self.follow("src.tokens")
        self.last = self.model.encoder_layers - 1
        self.layer = f"encoder.{self.last}"
        self.same_build()
        self.feeds_the_next()
        self.new_map()
        self.compare_rows()
        self.words_in_context()
        self.same_shape()
        self.memory()
        self.keep_it()

    # -- beats ----------------------------------------------------------------------------------------------------
    def same_build(self) -> None:
        with self.beat("same_build") as beat:
            opening = named_matrix(self, f"encoder.{max(self.last - 1, 0)}.out", self.ids)
            self.add(opening)
            self.stack = self.make_stack([self.label("layer", n=i + 1) for i in range(self.model.encoder_layers)])
            self.stack.light(max(self.last - 1, 0))
            self.state = self.named_state(f"encoder.{max(self.last - 1, 0)}.out", self.label("layer_out"))
            self.wait(beat.share(0.08))
            grid = self.state[0][0]
            self.play(*self.become(opening, grid), FadeIn(self.state[1]), run_time=beat.share(0.2))
            self.remove(opening)
            self.add(self.state)
            appear = [FadeIn(part) for part in (*self.stack.boxes, *self.stack[1:])]
            for animation in appear:
                self.play(animation, run_time=beat.share(0.4 / len(appear)))
            self.add(self.stack)

    def feeds_the_next(self) -> None:
        with self.beat("feeds_the_next") as beat:
            rows = raise_above(self.state[0][0].body.copy())
            self.play(FadeOut(rows, target_position=self.stack.boxes[self.last], scale=0.3), run_time=beat.share(0.25))
            self.play(*self.stack.lighting(self.last), run_time=beat.share(0.1))
            made = self.head_states(
                [
                    (f"{self.layer}.attn.q", self.label("queries"), theme.QUERY),
                    (f"{self.layer}.attn.k", self.label("keys"), theme.KEY),
                    (f"{self.layer}.attn.v", self.label("values"), theme.VALUE),
                ],
                HEAD,
            )
            self.show(made, beat.share(0.25))

    def new_map(self) -> None:
        with self.beat("new_map") as beat:
            for what, tag in (("dots", self.label("dots")), ("scores", self.label("scaled"))):
                self.show(self.score_state(f"{self.layer}.attn.{what}", tag, HEAD), beat.share(0.14))
                self.wait(beat.share(0.18))
            self.show(self.map_states([(f"{self.layer}.attn.pattern", self.label("weights"))], HEAD), beat.share(0.12))

    def compare_rows(self) -> None:
        first = "encoder.0.attn.pattern"
        last = f"{self.layer}.attn.pattern"
        row = self._row_that_changed(first, last)
        tops = [int(np.argmax(self.trace[key][HEAD, row])) for key in (first, last)]
        words = [name.text for name in self.row_names]
        with self.beat(
            "compare_rows",
            word=words[row],
            top_in_first_layer=words[tops[0]],
            top_in_last_layer=words[tops[1]],
        ) as beat:
            both = self.map_states(
                [(first, self.label("layer", n=1)), (last, self.label("layer", n=self.last + 1))], HEAD
            )
            self.show(both, beat.share(0.15))
            frames = [self.frame_row(both, which, row) for which in (0, 1)]
            self.play(FadeIn(frames[0]), run_time=beat.share(0.12))
            self.wait(beat.share(0.1))
            self.play(frames[0].animate.become(focus_frame(both[0][0].cell(row, tops[0]))), run_time=beat.share(0.12))
            self.play(FadeIn(frames[1]), run_time=beat.share(0.1))
            self.play(frames[1].animate.become(focus_frame(both[0][1].cell(row, tops[1]))), run_time=beat.share(0.12))

    def words_in_context(self) -> None:
        with self.beat("words_in_context") as beat:
            states = (
                ("attn.concat", self.label("blend")),
                ("attn.out", self.label("attention_out")),
                ("resid_mid", self.label("residual")),
                ("ln1.out", self.label("normed")),
            )
            self.pass_states(self.layer, states, beat.share(0.97))

    def same_shape(self) -> None:
        with self.beat("same_shape") as beat:
            states = (
                ("mlp.post", self.label("hidden")),
                ("mlp.out", self.label("ffn_out")),
                ("resid_post", self.label("residual")),
                ("ln2.out", self.label("normed")),
            )
            self.pass_states(self.layer, states, beat.share(0.97))

    def memory(self) -> None:
        with self.beat("memory") as beat:
            self.framed = FramedMemory(self, self.ids, self.label("memory"))
            grid = self.state[0][0]
            raise_above(self.framed.grid)
            self.play(
                *[FadeOut(part) for part in self.others(self.state)],
                FadeOut(self.state[1]),
                *self.become(grid, self.framed.grid),
                run_time=beat.share(0.3),
            )
            self.remove(self.state)
            settle(self.framed.grid)
            self.add(self.framed.grid)
            self.play(FadeIn(self.framed.tag), run_time=beat.share(0.12))
            self.play(read_along(self.framed.grid, theme.SHARED), run_time=beat.share(0.45))

    def keep_it(self) -> None:
        with self.beat("keep_it") as beat:
            self.play(Create(self.framed.frame), run_time=beat.share(0.4))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _row_that_changed(self, first: str, last: str) -> int:
        """A row whose top word differs between the layers, if there is one, else the first."""
        tops = [np.argmax(self.trace[key][HEAD], axis=-1) for key in (first, last)]
        changed = np.flatnonzero(tops[0] != tops[1])
        return int(changed[0]) if changed.size else 0
