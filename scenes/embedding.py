"""Scene 3: an id is a row number; embedding looks the row up."""

from __future__ import annotations

from manim import (
    DOWN,
    RIGHT,
    UP,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    Succession,
    VGroup,
)

from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.grid import MatrixGrid, Name
from scenes.stage.motion import dim, fly, light, paint_now, raise_above, rows_appear, settle, unlight
from scenes.stage.scene import ExplainerScene
from scenes.stage.tokens import TokenRow
from scenes.stage.words import Words, bold


class Embedding(ExplainerScene):
    """Ids pick rows of E; the rows, in the order of the sentence, are its vectors."""

    CHIPS_X = -5.45
    TABLE_X = -0.75
    ROWS_X = 4.45
    MIDDLE_Y = -0.2
    HEIGHT = 4.55

    def construct(self) -> None:
        self.ids_only()
        self.the_table()
        self.look_up()
        self.whole_source()
        self.whole_target()
        self.one_row_one_word()
        self.learned_then_frozen()

    # -- beats ----------------------------------------------------------------------------------------------------
    def ids_only(self) -> None:
        with self.beat("ids_only") as beat:
            self.source_ids = [int(i) for i in self.trace["src.tokens"]]
            self.target_ids = [int(i) for i in self.trace["tgt.tokens"]]
            self.chips = TokenRow(self.tokens(self.source_ids), RIGHT, size=34, buff=0.7).move_to([0, 0.75, 0])
            self.ids = VGroup(
                *[
                    bold(str(i), 34, self.token_color(i)).next_to(chip, DOWN, 0.75)
                    for i, chip in zip(self.source_ids, self.chips, strict=True)
                ]
            )
            arrows = VGroup(
                *[
                    FlowArrow([chip.get_bottom(), number.get_top()], buff=0.14)
                    for chip, number in zip(self.chips, self.ids, strict=True)
                ]
            )
            self.play(
                LaggedStart(*[FadeIn(chip, shift=UP * 0.2) for chip in self.chips], lag_ratio=0.2),
                run_time=beat.share(0.25),
            )
            self.play(
                LaggedStart(*[Create(arrow.shaft) for arrow in arrows], lag_ratio=0.2),
                LaggedStart(*[FadeIn(arrow.head) for arrow in arrows], lag_ratio=0.2),
                LaggedStart(*[FadeIn(number, shift=DOWN * 0.2) for number in self.ids], lag_ratio=0.2),
                run_time=beat.share(0.35),
            )
            self.arrows = arrows

    def the_table(self) -> None:
        with self.beat("the_table") as beat:
            self.table = self._table()
            column = self._column(self.source_ids)
            numbers = self._id_column(column, self.source_ids)
            self.play(
                FadeOut(self.arrows),
                *[chip.animate.become(new) for chip, new in zip(self.chips, column, strict=True)],
                *[old.animate.become(new) for old, new in zip(self.ids, numbers, strict=True)],
                run_time=beat.share(0.2),
            )
            tag = Words(self.label("table"), theme.LABEL_SIZE, theme.DIM)
            tag.next_to(self.table.body, DOWN, 0.24)
            self.play(rows_appear(self.table), run_time=beat.share(0.4))
            self.play(FadeIn(tag), run_time=beat.share(0.1))
            self.table_tag = tag

    def look_up(self) -> None:
        first = self.source_ids[0]
        with self.beat("look_up", word=self.model.vocabulary[first], id=first) as beat:
            self.vectors: list[VGroup] = []
            row = self.table.row(first)
            color = self.token_color(first)
            travelling = raise_above(self.ids[0].copy())
            self.play(
                travelling.animate.move_to(self.table.row_labels[first]),
                run_time=beat.share(0.25),
            )
            self.play(light(row, color), FadeOut(travelling), run_time=beat.share(0.12))
            vector = self._vector_slot(first, self.chips[0].get_y())
            path = FlowArrow([row.get_right(), vector.get_left()], color=color, buff=0.12)
            self.play(fly(row, raise_above(vector)), run_time=beat.share(0.3))
            settle(vector)
            self.play(FadeIn(path), run_time=beat.share(0.1))
            self.vectors.append(vector)
            self.path = path

    def whole_source(self) -> None:
        with self.beat("whole_source") as beat:
            self.play(unlight(self.table.row(self.source_ids[0])), FadeOut(self.path), run_time=beat.share(0.08))
            others = list(zip(self.source_ids, self.chips, strict=True))[1:]
            for token_id, chip in others:
                self._one_look_up(
                    token_id,
                    chip.get_y(),
                    self.ids[self.chips.submobjects.index(chip)],
                    beat.share(0.8 / max(len(others), 1)),
                )
            tag = Words(self.label("source_rows"), theme.LABEL_SIZE, theme.DIM)
            tag.next_to(VGroup(*self.vectors), DOWN, 0.24)
            self.play(FadeIn(tag), run_time=beat.share(0.08))
            self.rows_tag = tag

    def whole_target(self) -> None:
        with self.beat("whole_target") as beat:
            everything = self.source_ids + self.target_ids
            column = self._column(everything)
            numbers = self._id_column(column, everything)
            split = len(self.source_ids)
            self.play(
                FadeOut(self.rows_tag),
                *[chip.animate.become(new) for chip, new in zip(self.chips, column[:split], strict=True)],
                *[old.animate.become(new) for old, new in zip(self.ids, numbers[:split], strict=True)],
                *[
                    vector.animate.become(self._vector_slot(i, chip.get_y(), len(everything)))
                    for vector, i, chip in zip(self.vectors, self.source_ids, column[:split], strict=True)
                ],
                run_time=beat.share(0.2),
            )
            self.target_chips, self.target_numbers = VGroup(*column[split:]), VGroup(*numbers[split:])
            self.play(
                FadeIn(self.target_chips, shift=UP * 0.2),
                FadeIn(self.target_numbers, shift=UP * 0.2),
                run_time=beat.share(0.12),
            )
            for token_id, chip, number in zip(self.target_ids, self.target_chips, self.target_numbers, strict=True):
                self._one_look_up(
                    token_id, chip.get_y(), number, beat.share(0.6 / len(self.target_ids)), len(everything)
                )

    def one_row_one_word(self) -> None:
        word_id = self.source_ids[0]
        with self.beat("one_row_one_word", word=self.model.vocabulary[word_id]) as beat:
            color = self.token_color(word_id)
            row, vector = self.table.row(word_id), self.vectors[0]
            rest = VGroup(*[cell for i in range(self.table.rows) if i != word_id for cell in self.table.row(i)])
            frames = [focus_frame(self.chips[0]), focus_frame(row), focus_frame(vector)]
            self.play(dim(rest), light(row, color), FadeIn(frames[0]), run_time=beat.share(0.2))
            self.play(FadeIn(frames[1]), run_time=beat.share(0.15))
            self.play(FadeIn(frames[2]), run_time=beat.share(0.15))
            self.wait(beat.share(0.35))
            self.play(*[FadeOut(frame) for frame in frames], unlight(self.table.body), run_time=beat.share(0.12))

    def learned_then_frozen(self) -> None:
        with self.beat("learned_then_frozen") as beat:
            left = VGroup(self.chips, self.ids, self.target_chips, self.target_numbers)
            train = FlowBox([self.film_word("track_training"), self.label("learned")], 3.3, 1.3, theme.TRAINING)
            infer = FlowBox([self.film_word("track_inference"), self.label("frozen")], 3.3, 1.3, theme.INFERENCE)
            VGroup(train, infer).arrange(DOWN, buff=0.7).move_to([-4.7, self.MIDDLE_Y, 0])
            self.play(FadeOut(left), run_time=beat.share(0.1))
            target = [self.table.row_labels.get_left()[0], train.get_y(), 0]
            learn = FlowArrow([train.get_right(), target], color=theme.TRAINING)
            self.play(FadeIn(train), FadeIn(learn), run_time=beat.share(0.12))
            wave = [light(self.table.row(i), theme.TRAINING) for i in range(self.table.rows)]
            back = [unlight(self.table.row(i)) for i in range(self.table.rows)]
            self.play(
                LaggedStart(*[Succession(a, b) for a, b in zip(wave, back, strict=True)], lag_ratio=0.2),
                run_time=beat.share(0.3),
            )
            frozen = [self.table.row_labels.get_left()[0], infer.get_y(), 0]
            keep = FlowArrow([frozen, infer.get_right()], color=theme.INFERENCE)
            self.play(FadeIn(infer), FadeIn(keep), run_time=beat.share(0.12))
            self.play(
                *[box.animate.set_stroke(theme.INFERENCE, width=theme.STRONG) for box in self.table.boxes()],
                run_time=beat.share(0.12),
            )

    # -- pictures -------------------------------------------------------------------------------------------------
    def _table(self) -> MatrixGrid:
        names = [Name(str(i), self.token_color(i)) for i in range(len(self.model.vocabulary))]
        table = self.grid(
            "embed.weight", decimals=1, row_names=names, cell=(0.94, 0.5), max_height=self.HEIGHT, max_width=3.9
        )
        table.shift([self.TABLE_X, self.MIDDLE_Y, 0] - table.body.get_center())
        return table

    def _column(self, ids: list[int]) -> TokenRow:
        """The sentence as a column of chips at the left."""
        pitch = min(self.HEIGHT / len(ids), 1.0)
        size = min(theme.TOKEN_SIZE, max(theme.SMALL_SIZE, pitch * 40))
        column = TokenRow(self.tokens(ids), DOWN, size=size)
        for i, chip in enumerate(column):
            chip.move_to([self.CHIPS_X, self.MIDDLE_Y + pitch * ((len(ids) - 1) / 2 - i), 0])
        return column

    def _id_column(self, column: TokenRow, ids: list[int]) -> VGroup:
        size = column.chip(0).words.size
        right = column.get_right()[0] + 0.45
        return VGroup(
            *[
                bold(str(i), size, self.token_color(i)).move_to([right, chip.get_y(), 0])
                for i, chip in zip(ids, column, strict=True)
            ]
        )

    def _vector_slot(self, token_id: int, y: float, count: int = 0) -> VGroup:
        """The vector of a token at the right, at height y, in the token's colour."""
        position = self._position(token_id)
        which, index = position
        grid = self.grid(
            which,
            (index,),
            decimals=1,
            cell=(0.94, 0.5),
            max_height=self.HEIGHT / count if count else None,
            max_width=3.9,
        )
        grid.move_to([self.ROWS_X, y, 0])
        paint_now(grid.body, self.token_color(token_id), 0.24)
        return grid.body

    def _position(self, token_id: int) -> tuple[str, int]:
        if token_id in self.source_ids:
            return "src.embed", self.source_ids.index(token_id)
        return "tgt.embed", self.target_ids.index(token_id)

    def _one_look_up(self, token_id: int, y: float, number: Words, seconds: float, count: int = 0) -> None:
        """An id finds its row, the row lights up and a copy of it travels to its place."""
        row, vector = self.table.row(token_id), self._vector_slot(token_id, y, count)
        travelling = raise_above(number.copy())
        self.play(travelling.animate.move_to(self.table.row_labels[token_id]), run_time=seconds * 0.3)
        self.remove(travelling)
        raise_above(vector)
        self.play(light(row, self.token_color(token_id)), run_time=seconds * 0.15)
        self.play(fly(row, vector), run_time=seconds * 0.4)
        settle(vector)
        self.play(unlight(row), run_time=seconds * 0.15)
        self.vectors.append(vector)
