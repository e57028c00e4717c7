"""Scene 19: nine rows, what training and inference share and where they part."""

from __future__ import annotations

from dataclasses import dataclass

from manim import LEFT, RIGHT, UP, Animation, FadeIn, FadeOut, VGroup, VMobject

from scenes.stage import miniature, theme
from scenes.stage.beats import Beat
from scenes.stage.boxes import focus_frame, panel
from scenes.stage.handover import sentence
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words, bold

ROWS = 9
TOP = 1.8
BOTTOM = theme.CONTENT_BOTTOM + 0.02
PITCH = (TOP - BOTTOM) / ROWS
NAME_X = -theme.SAFE_X
CELLS_X = -3.25
GAP = 0.16
SIZE = theme.SMALL_SIZE
RIGHT_EDGE = theme.SAFE_X - 0.02


Told = tuple[Words, VGroup, list[str]]  # heading, cells, their colours


@dataclass
class Side:
    """What one track does in a row: a thumbnail and a few words."""

    picture: VMobject
    text: str
    color: str


class TrainingVsInference(ExplainerScene):
    """Parallel with answers and gradients, against serial with its own words and none."""

    def construct(self) -> None:
        self.source_ids = [int(i) for i in self.trace["src.tokens"]]
        self.target_ids = [int(i) for i in self.trace["tgt.tokens"]]
        self.rows_shown = 0
        self.told: list[Told] = []  # the row that is being told
        self.all_told: list[Told] = []
        self.same_input()
        self.same_encoder()
        self.decoder_input()
        self.masked_self_attention()
        self.cross_attention()
        self.output_layer()
        self.next_input()
        self.gradients()
        self.one_model()

    # -- beats ----------------------------------------------------------------------------------------------------
    def same_input(self) -> None:
        with self.beat("same_input") as beat:
            opening = sentence(self, self.target_ids)
            self.add(opening)
            self.wait(beat.share(0.06))
            # Nine empty places from the start: how much is to be compared, and how far it has come.
            width = RIGHT_EDGE - CELLS_X
            self.places = VGroup(
                *[
                    panel(width, PITCH - 0.07, theme.BACKGROUND, theme.PANEL_RAISED).move_to(
                        [CELLS_X + width / 2, TOP - PITCH * (i + 0.5), 0]
                    )
                    for i in range(ROWS)
                ]
            )
            self.heads = VGroup(
                self._head(self.film_word("track_training"), 0, theme.TRAINING),
                self._head(self.film_word("track_inference"), 1, theme.INFERENCE),
            )
            self.play(
                FadeOut(opening, shift=UP * 0.4), FadeIn(self.heads), FadeIn(self.places), run_time=beat.share(0.2)
            )
            chips = miniature.tokens([self.token_color(i) for i in self.source_ids])
            self._row(beat, self.label("tokens"), [Side(chips, self.label("same_ids"), theme.SHARED)], 0.25)
            tables = miniature.stacked(
                miniature.matrix(self.trace["src.embed"], theme.QUERY),
                miniature.matrix(self.trace["pos_embed"][: len(self.source_ids)], theme.VALUE),
            )
            self._row(beat, self.label("embedding"), [Side(tables, self.label("same_tables"), theme.SHARED)], 0.25)

    def same_encoder(self) -> None:
        with self.beat("same_encoder") as beat:
            picture = miniature.matrix(self.trace["encoder.out"], theme.SHARED)
            self._row(beat, self.label("encoder"), [Side(picture, self.label("one_run"), theme.SHARED)])

    def decoder_input(self) -> None:
        with self.beat("decoder_input") as beat:
            colors = [self.token_color(i) for i in self.target_ids]
            whole = miniature.tokens(colors)
            grown = miniature.tokens([*colors[:1], *[theme.PANEL_RAISED] * (len(colors) - 1)])
            self._row(
                beat,
                self.label("input"),
                [
                    Side(whole, self.label("input_training"), theme.TRAINING),
                    Side(grown, self.label("input_inference"), theme.INFERENCE),
                ],
            )

    def masked_self_attention(self) -> None:
        with self.beat("masked_self_attention") as beat:
            count = len(self.target_ids)
            self._row(
                beat,
                self.label("masked"),
                [
                    Side(miniature.masked(count), self.label("masked_training"), theme.TRAINING),
                    Side(miniature.masked(count, min(2, count)), self.label("masked_inference"), theme.INFERENCE),
                ],
            )

    def cross_attention(self) -> None:
        with self.beat("cross_attention") as beat:
            last = self.model.decoder_layers - 1
            picture = miniature.matrix(self.trace[f"decoder.{last}.cross_attn.pattern"][0], theme.SHARED)
            self._row(beat, self.label("cross"), [Side(picture, self.label("same_memory"), theme.SHARED)])

    def output_layer(self) -> None:
        with self.beat("output_layer") as beat:
            count = len(self.target_ids)
            self._row(
                beat,
                self.label("output"),
                [
                    Side(
                        miniature.framed_rows(count, False, theme.TRAINING),
                        self.label("output_training"),
                        theme.TRAINING,
                    ),
                    Side(
                        miniature.framed_rows(count, True, theme.INFERENCE),
                        self.label("output_inference"),
                        theme.INFERENCE,
                    ),
                ],
            )

    def next_input(self) -> None:
        with self.beat("next_input") as beat:
            self._row(
                beat,
                self.label("next"),
                [
                    Side(miniature.straight(theme.TRAINING), self.label("next_training"), theme.TRAINING),
                    Side(miniature.loop(theme.INFERENCE), self.label("next_inference"), theme.INFERENCE),
                ],
            )

    def gradients(self) -> None:
        with self.beat("gradients") as beat:
            back = miniature.straight(theme.TRAINING, back=True)
            none = miniature.straight(theme.DIM, back=True, crossed=True)
            self._row(
                beat,
                self.label("gradients"),
                [
                    Side(back, self.label("gradients_training"), theme.TRAINING),
                    Side(none, self.label("gradients_inference"), theme.INFERENCE),
                ],
            )

    def one_model(self) -> None:
        with self.beat("one_model") as beat:
            colors = theme.TRACKS["both"]
            frames = [focus_frame(head, color=color, buff=0.19) for head, color in zip(self.heads, colors, strict=True)]
            self.play(*self._come_forward(), run_time=beat.share(0.15))
            self.play(FadeIn(frames[0]), run_time=beat.share(0.15))
            self.wait(beat.share(0.25))
            self.play(FadeIn(frames[1]), run_time=beat.share(0.15))

    # -- pictures -------------------------------------------------------------------------------------------------
    def _column(self, which: int) -> tuple[float, float]:
        """Left edge and width of the training (0) or inference (1) column."""
        width = (RIGHT_EDGE - CELLS_X - GAP) / 2
        return CELLS_X + which * (width + GAP), width

    def _head(self, text: str, which: int, color: str) -> Words:
        left, width = self._column(which)
        return bold(text, theme.BODY_SIZE, color).move_to([left + width / 2, TOP + 0.4, 0])

    def _row(self, beat: Beat, name: str, sides: list[Side], share: float = 0.5) -> None:
        """The next row of the table: its name, then what both tracks do (one cell) or each of them (two)."""
        y = TOP - PITCH * (self.rows_shown + 0.5)
        heading = bold(name, SIZE).move_to([NAME_X, y, 0], aligned_edge=LEFT)
        cells = []
        for which, side in enumerate(sides):
            left, width = self._column(which)
            if len(sides) == 1:
                width = RIGHT_EDGE - CELLS_X
            box = panel(width, PITCH - 0.07, fill=theme.tint(side.color, 0.12), stroke=side.color)
            box.move_to([left, y, 0], aligned_edge=LEFT)
            words = Words(side.text, SIZE)
            inside = VGroup(side.picture, words).arrange(RIGHT, buff=0.25).move_to(box)
            cells.append(VGroup(box, *inside))
        self.play(FadeIn(heading, shift=RIGHT * 0.2), *self._step_back(), run_time=beat.share(share * 0.3))
        for cell in cells:
            self.play(FadeIn(cell, shift=RIGHT * 0.2), run_time=beat.share(share * 0.7 / len(cells)))
        self.rows_shown += 1
        self.told = [(heading, VGroup(*cells), [side.color for side in sides])]
        self.all_told += self.told

    def _step_back(self) -> list[Animation]:
        """The row told before steps back, its pictures stay."""
        return [
            move
            for heading, cells, _ in self.told
            for move in (
                heading.animate.paint(theme.DIM),
                *[cell[0].animate.set_stroke(theme.LINE) for cell in cells],
                *[cell[-1].animate.paint(theme.DIM) for cell in cells],
            )
        ]

    def _come_forward(self) -> list[Animation]:
        """All rows are lit again."""
        return [
            move
            for heading, cells, colors in self.all_told
            for move in (
                heading.animate.paint(theme.INK),
                *[cell[0].animate.set_stroke(color) for cell, color in zip(cells, colors, strict=True)],
                *[cell[-1].animate.paint(theme.INK) for cell in cells],
            )
        ]
