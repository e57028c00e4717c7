"""Scene 11: the next decoder layer at speed, up to its masked self-attention; the same positions, refined."""

from __future__ import annotations

import numpy as np
from manim import Create, FadeIn, FadeOut

from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.facts import told
from scenes.stage.handover import close_future, named_matrix
from scenes.stage.motion import raise_above
from scenes.stage.replay import ReplayScene

HEAD = 0


class DecoderSecondLayer(ReplayScene):
    """Masked self-attention once more, with its own weights; row 0 still sees only itself."""

    map_layer = -1

    def construct(self) -> None:
        self.follow("tgt.tokens")
        self.last = self.model.decoder_layers - 1
        self.layer = f"decoder.{self.last}"
        self.rows_come_up()
        self.same_mask()
        self.compare_rows()
        self.first_row()
        self.mix()
        self.refined()
        self.ask_the_source()

    # -- beats ----------------------------------------------------------------------------------------------------
    def rows_come_up(self) -> None:
        with self.beat("rows_come_up") as beat:
            below = max(self.last - 1, 0)
            opening = named_matrix(self, f"decoder.{below}.out", self.ids)
            self.add(opening)
            self.stack = self.make_stack([self.label("layer", n=i + 1) for i in range(self.model.decoder_layers)])
            self.stack.light(below)
            self.state = self.named_state(f"decoder.{below}.out", self.label("layer_out"))
            self.wait(beat.share(0.08))
            self.play(
                *self.become(opening, self.state[0][0]),
                FadeIn(self.state[1]),
                FadeIn(self.stack),
                run_time=beat.share(0.22),
            )
            self.remove(opening)
            self.add(self.state)
            rows = raise_above(self.state[0][0].body.copy())
            self.play(FadeOut(rows, target_position=self.stack.boxes[self.last], scale=0.3), run_time=beat.share(0.2))
            self.play(*self.stack.lighting(self.last), run_time=beat.share(0.08))
            made = self.head_states(
                [
                    (f"{self.layer}.self_attn.q", self.label("queries"), theme.QUERY),
                    (f"{self.layer}.self_attn.k", self.label("keys"), theme.KEY),
                    (f"{self.layer}.self_attn.v", self.label("values"), theme.VALUE),
                ],
                HEAD,
            )
            self.show(made, beat.share(0.2))

    def same_mask(self) -> None:
        with self.beat("same_mask") as beat:
            attention = f"{self.layer}.self_attn"
            self.show(self.score_state(f"{attention}.dots", self.label("dots"), HEAD), beat.share(0.12))
            self.wait(beat.share(0.2))
            scaled = self.score_state(f"{attention}.scaled", self.label("scaled"), HEAD)
            self.show(scaled, beat.share(0.12))
            self.wait(beat.share(0.1))
            self.play(*self.masked(scaled[0][0]), run_time=beat.share(0.2))

    def compare_rows(self) -> None:
        first, last = "decoder.0.self_attn.pattern", f"{self.layer}.self_attn.pattern"
        row = self._row_that_changed(first, last)
        tops = [int(np.argmax(self.trace[key][HEAD, row])) for key in (first, last)]
        words = [name.text for name in self.row_names]
        with self.beat(
            "compare_rows",
            word=words[row],
            top_in_first_layer=words[tops[0]],
            top_in_this_layer=words[tops[1]],
        ) as beat:
            self.both = self.map_states(
                [(first, self.label("layer", n=1)), (last, self.label("layer", n=self.last + 1))], HEAD
            )
            for grid in self.both[0]:
                close_future(grid)
            self.show(self.both, beat.share(0.15))
            self.frames = [self.frame_row(self.both, which, row) for which in (0, 1)]
            for which, frame in enumerate(self.frames):
                self.play(FadeIn(frame), run_time=beat.share(0.12))
                cell = self.both[0][which].cell(row, tops[which])
                self.play(frame.animate.become(focus_frame(cell)), run_time=beat.share(0.14))

    def first_row(self) -> None:
        with self.beat("first_row", first=self.row_names[0].text) as beat:
            self.play(
                *[frame.animate.become(self.frame_row(self.both, which, 0)) for which, frame in enumerate(self.frames)],
                run_time=beat.share(0.25),
            )
            self.wait(beat.share(0.2))
            cells = [grid.cell(0, 0) for grid in self.both[0]]
            self.play(
                *[frame.animate.become(focus_frame(cell)) for frame, cell in zip(self.frames, cells, strict=True)],
                run_time=beat.share(0.2),
            )

    def mix(self) -> None:
        with self.beat("mix") as beat:
            states = (("self_attn.concat", self.label("blend")), ("self_attn.out", self.label("attention_out")))
            self.pass_states(self.layer, states, beat.share(0.97))

    def refined(self) -> None:
        with self.beat("refined") as beat:
            states = (("resid_mid", self.label("residual")), ("ln1.out", self.label("normed")))
            self.pass_states(self.layer, states, beat.share(0.97))

    def ask_the_source(self) -> None:
        crossed = [i + 1 for i in range(self.model.decoder_layers) if f"decoder.{i}.cross_attn.out" in self.trace]
        layers = told(", ".join(str(i) for i in crossed), setting="decoder_layers")
        with self.beat("ask_the_source", cross_attention_layers=layers) as beat:
            closing = named_matrix(self, f"{self.layer}.ln1.out", self.ids)
            grid = self.state[0][0]
            asking = [focus_frame(self.stack.boxes[i - 1], color=theme.SHARED) for i in crossed]
            self.play(*[Create(frame) for frame in asking], run_time=beat.share(0.2))
            self.wait(beat.share(0.25))
            self.play(
                FadeOut(self.stack),
                *[FadeOut(frame) for frame in asking],
                FadeOut(self.state[1]),
                *self.become(grid, closing),
                run_time=beat.share(0.3),
            )

    # -- pictures -------------------------------------------------------------------------------------------------
    def _row_that_changed(self, first: str, last: str) -> int:
        """A row, not the first, whose top word differs between the layers; the last one if there is none."""
        tops = [np.argmax(self.trace[key][HEAD], axis=-1) for key in (first, last)]
        changed = [int(i) for i in np.flatnonzero(tops[0] != tops[1]) if i > 0]
        return changed[0] if changed else len(self.ids) - 1
