"""Scene 3: an id is a row number; embedding looks the row up."""

from __future__ import annotations

from manim import (
    BOLD,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Animation,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    ReplacementTransform,
    Succession,
    VGroup,
)

from scenes.embedding_parts import CELL, HEIGHT, MOST_ROWS, Table, columns_drawn, width_drawn
from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.facts import told
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.grid import elision
from scenes.stage.handover import SentenceWithIds, named_matrix
from scenes.stage.motion import appear, dim, fly, light, paint_now, raise_above, rows_appear, settle, unlight
from scenes.stage.reckoning import Entry
from scenes.stage.scene import ExplainerScene
from scenes.stage.tokens import TokenRow, token_width
from scenes.stage.words import Words, bold, shortened


class Embedding(ExplainerScene):
    """Ids pick rows of E; the rows, in the order of the sentence, are its vectors."""

    CHIPS_X = -5.4
    TABLE_X = -0.85
    TABLE_X_WITH_NAMES = -2.5
    ROWS_X = 4.3
    MIDDLE_Y = -0.1
    SENTENCE_GAP = 0.22
    WIDEST_WORD = 1.4
    LEAST_CHIP = 0.44  # units: rows closer than this have room for words, not for boxes around them

    def construct(self) -> None:
        self.source_ids = [int(i) for i in self.trace["src.tokens"]]
        self.target_ids = [int(i) for i in self.trace["tgt.tokens"]]
        self.vectors: list[VGroup] = []
        counts = (len(self.source_ids), len(self.target_ids))
        self.crowded = sum(counts) > MOST_ROWS
        self.counts = counts[1:] if self.crowded else counts
        self.ids_only()
        self.the_table()
        self.look_up()
        self.whole_source()
        self.whole_target()
        self.one_row_one_word()
        self.learned_then_frozen()
        self.source_matrix()

    # -- beats ----------------------------------------------------------------------------------------------------
    def ids_only(self) -> None:
        with self.beat("ids_only") as beat:
            opening = SentenceWithIds(self, self.source_ids)
            self.add(opening)
            self.ids = opening.ids
            self.wait(beat.share(0.25))
            self.play(FadeOut(opening.chips, shift=UP * 0.3), FadeOut(opening.arrows), run_time=beat.share(0.25))
            larger = min(1.3, (2 * theme.SAFE_X - 0.3) / self.ids.width)
            self.play(self.ids.animate.move_to([0, self.MIDDLE_Y, 0]).scale(larger), run_time=beat.share(0.25))

    def the_table(self) -> None:
        with self.beat("the_table") as beat:
            self.table = Table(self, self.TABLE_X, self.MIDDLE_Y)
            ys = self._slots(len(self.source_ids))
            self.chips = self._column(self.source_ids, ys)
            numbers = self._numbers(self.chips, self.source_ids)
            self.play(
                *[old.animate.become(new) for old, new in zip(self.ids, numbers, strict=True)],
                FadeIn(self.chips),
                run_time=beat.share(0.22),
            )
            self.play(rows_appear(self.table), *appear(self.table.more), run_time=beat.share(0.45))
            self.add(self.table)  # its rows came one by one; from here on it is one thing
            self.table_tag = Words(self.label("table"), theme.LABEL_SIZE, theme.DIM)
            self.table_tag.next_to(self.table, DOWN, 0.24).set_x(self.table.body.get_x())
            self.play(FadeIn(self.table_tag), run_time=beat.share(0.12))

    def look_up(self) -> None:
        first = self.source_ids[0]
        with self.beat("look_up", word=self.model.vocabulary[first], id=told(first, Entry("src.tokens", (0,)))) as beat:
            row, color = self.table.row_of(first), self.token_color(first)
            travelling = raise_above(self.ids[0].copy())
            self.play(FadeOut(travelling, target_position=self.table.name_of(first)), run_time=beat.share(0.28))
            self.play(light(self.table.cells_of(first), color), run_time=beat.share(0.15))
            vector = raise_above(self._vector("src.embed", 0, self.ids[0].get_y()))
            self.path = FlowArrow([row.get_right(), vector.get_left()], color=color, buff=0.12)
            self.play(fly(row, vector), FadeIn(self.path), run_time=beat.share(0.35))
            self.vectors.append(settle(vector))

    def whole_source(self) -> None:
        with self.beat("whole_source") as beat:
            first_row = self.table.cells_of(self.source_ids[0])
            self.play(unlight(first_row), FadeOut(self.path), run_time=beat.share(0.08))
            share = 0.72 / max(len(self.source_ids) - 1, 1)
            for i in range(1, len(self.source_ids)):
                self._look_up(self.source_ids[i], self.ids[i], "src.embed", i, beat.share(share))
            self.rows_tag = Words(self.label("source_rows"), theme.LABEL_SIZE, theme.DIM)
            self.rows_tag.next_to(VGroup(*self.vectors), DOWN, 0.24)
            self.play(FadeIn(self.rows_tag), run_time=beat.share(0.08))

    def whole_target(self) -> None:
        with self.beat("whole_target") as beat:
            # Where both sentences have no room, the source makes way for the target.
            split = 0 if self.crowded else len(self.source_ids)
            ys = self._slots(*self.counts)
            pitch = self._pitch(*self.counts)
            if self.crowded:
                away = [FadeOut(part) for part in (self.rows_tag, *self.chips, *self.ids, *self.vectors)]
                self.vectors = []
            else:
                away = [
                    FadeOut(self.rows_tag),
                    *self._move_column(self.source_ids, ys[:split], pitch),
                    *[
                        vector.animate.become(self._vector("src.embed", i, ys[i], pitch))
                        for i, vector in enumerate(self.vectors)
                    ],
                ]
            self.play(*away, run_time=beat.share(0.2))
            self.target_chips = self._column(self.target_ids, ys[split:], pitch)
            self.target_numbers = self._numbers(self.target_chips, self.target_ids)
            self.play(
                FadeIn(self.target_chips, shift=UP * 0.2),
                FadeIn(self.target_numbers, shift=UP * 0.2),
                run_time=beat.share(0.1),
            )
            for i, token_id in enumerate(self.target_ids):
                seconds = beat.share(0.6 / len(self.target_ids))
                self._look_up(token_id, self.target_numbers[i], "tgt.embed", i, seconds, pitch)

    def one_row_one_word(self) -> None:
        word_id = (self.target_ids if self.crowded else self.source_ids)[0]
        with self.beat("one_row_one_word", word=self.model.vocabulary[word_id]) as beat:
            self._turn_to(word_id, beat.share(0.1))
            chips = [*(() if self.crowded else self.chips), *self.target_chips]
            names = []
            for chip, vector in zip(chips, self.vectors, strict=True):
                size = min(chip.words.size, theme.LABEL_SIZE)
                names.append(bold(chip.token, size, chip.color_of_token).next_to(vector, LEFT, 0.22))
            shift = RIGHT * (self.TABLE_X_WITH_NAMES - self.TABLE_X)
            self.play(
                self.table.animate.shift(shift),
                self.table_tag.animate.shift(shift),
                *[FadeOut(chip.box) for chip in chips],
                *(() if self.crowded else [FadeOut(self.ids)]),
                FadeOut(self.target_numbers),
                *[ReplacementTransform(chip.words, name) for chip, name in zip(chips, names, strict=True)],
                run_time=beat.share(0.3),
            )
            self.row_names = VGroup(*names)
            row, vector = self.table.cells_of(word_id), self.vectors[0]
            color = self.token_color(word_id)
            rest = VGroup(*[cell for cell in self.table.body if cell not in row.submobjects])
            pitch = self._pitch(*self.counts)
            frame = focus_frame(vector, buff=0.06 if pitch > self.LEAST_CHIP else 0.015)
            if len(self.table.marks):
                frame.stretch_to_fit_width(vector.width + 0.17)
            self.play(dim(rest), light(row, color, 0.24), run_time=beat.share(0.15))
            self.play(FadeIn(frame), run_time=beat.share(0.12))
            self.play(
                Create(FlowArrow([self.table.row_of(word_id).get_right(), names[0].get_left()], color=color)),
                run_time=beat.share(0.15),
            )
            self.frame = frame

    def learned_then_frozen(self) -> None:
        with self.beat("learned_then_frozen") as beat:
            self.add(self.table)  # animating single cells has taken it apart
            self.play(
                *[FadeOut(thing) for thing in self.mobjects if thing not in (self.chrome, self.table, self.table_tag)],
                unlight(self.table.body),
                run_time=beat.share(0.1),
            )
            shift = LEFT * self.table.body.get_center()[0]
            self.play(self.table.animate.shift(shift), self.table_tag.animate.shift(shift), run_time=beat.share(0.12))
            edge = self.table.row_labels.get_left()[0]
            train = FlowBox([self.film_word("track_training"), self.label("learned")], 2.9, 1.4, theme.TRAINING)
            infer = FlowBox([self.film_word("track_inference"), self.label("frozen")], 2.9, 1.4, theme.INFERENCE)
            train.move_to([-theme.SAFE_X + 0.03, self.MIDDLE_Y, 0], aligned_edge=LEFT)
            infer.move_to([theme.SAFE_X - 0.03, self.MIDDLE_Y, 0], aligned_edge=RIGHT)
            learn = FlowArrow([train.get_right(), [edge, self.MIDDLE_Y, 0]], color=theme.TRAINING)
            self.play(FadeIn(train), FadeIn(learn), run_time=beat.share(0.12))
            changed = [
                Succession(light(self.table.row(i), theme.TRAINING, 0.35), unlight(self.table.row(i)))
                for i in range(self.table.rows)
            ]
            self.play(LaggedStart(*changed, lag_ratio=0.2), run_time=beat.share(0.28))
            keep = FlowArrow([[self.table.get_right()[0], self.MIDDLE_Y, 0], infer.get_left()], color=theme.INFERENCE)
            self.play(
                FadeIn(infer),
                FadeIn(keep),
                *[box.animate.set_stroke(theme.INFERENCE, width=theme.STRONG) for box in self.table.boxes()],
                run_time=beat.share(0.15),
            )

    def source_matrix(self) -> None:
        with self.beat("source_matrix") as beat:
            matrix = raise_above(named_matrix(self, "src.embed", self.source_ids, decimals=1))
            rest = [thing for thing in self.mobjects if thing is not self.chrome]
            self.play(
                *[move for k, i in enumerate(self.source_ids) for move in self._widen(i, matrix.row(k))],
                FadeIn(matrix.row_labels),
                *[FadeOut(thing) for thing in rest],
                run_time=beat.share(0.4),
            )
            settle(matrix)

    # -- pictures -------------------------------------------------------------------------------------------------
    def _widen(self, token_id: int, target: VGroup) -> list[Animation]:
        """The row of an id goes to a row of a matrix, which may draw more columns of it."""
        cells = self.table.cells_of(token_id)
        fresh = [FadeIn(cell) for cell in target[len(cells) :]]
        return [fly(cells, VGroup(*target[: len(cells)])), *fresh]

    def _turn_to(self, token_id: int, seconds: float) -> None:
        """The table turns to the page that has the row of an id, if it has more than one page."""
        if self.table.holds(token_id):
            return
        on = token_id >= self.table.skip_rows
        page = Table(self, self.table.body.get_x(), self.MIDDLE_Y, token_id if on else 0)
        way = UP * 0.5 if on else DOWN * 0.5
        self.play(FadeOut(self.table, shift=way), FadeIn(page, shift=way), run_time=seconds)
        self.table = page

    def _pitch(self, *counts: int) -> float:
        """Distance of the rows when sentences of these lengths stand one above the other."""
        room = HEIGHT - self.SENTENCE_GAP * (len(counts) - 1)
        return min(room / sum(counts), 1.05)

    def _slots(self, *counts: int) -> list[float]:
        """Heights of the rows of one or more sentences, a little apart from each other."""
        pitch = self._pitch(*counts)
        ys: list[float] = []
        y = 0.0
        for count in counts:
            ys += [y - pitch * i for i in range(count)]
            y -= pitch * count + self.SENTENCE_GAP
        return [self.MIDDLE_Y + y - (ys[0] + ys[-1]) / 2 for y in ys]

    def _column(self, ids: list[int], ys: list[float], pitch: float = 1.05) -> TokenRow:
        """A sentence as a column of chips at the left."""
        size = min(theme.TOKEN_SIZE, max(theme.SMALL_SIZE, pitch * 33))
        width = token_width(self._cut(self.source_ids + self.target_ids, size), size)
        column = TokenRow(self._cut(ids, size), DOWN, size=size, width=width, height=min(0.64, pitch * 0.86))
        for chip, y in zip(column, ys, strict=True):
            chip.move_to([self.CHIPS_X, y, 0])
            if pitch < self.LEAST_CHIP:
                chip.box.set_fill(opacity=0).set_stroke(opacity=0)
        return column

    def _cut(self, ids: list[int], size: float) -> list[tuple[str, str]]:
        """Tokens with their colours; a word wider than its chip may be is cut."""
        return [(shortened(text, self.WIDEST_WORD, size, BOLD), color) for text, color in self.tokens(ids)]

    def _numbers(self, column: TokenRow, ids: list[int]) -> VGroup:
        """The ids beside a column of chips."""
        size, x = column.chip(0).words.size, self.CHIPS_X + 1.25
        return VGroup(
            *[
                bold(str(i), size, self.token_color(i)).move_to([x, chip.get_y(), 0])
                for i, chip in zip(ids, column, strict=True)
            ]
        )

    def _move_column(self, ids: list[int], ys: list[float], pitch: float = 1.05) -> list:
        """Chips and ids of the source sentence go to new places at the left."""
        column = self._column(ids, ys, pitch)
        numbers = self._numbers(column, ids)
        return [
            *[chip.animate.become(new) for chip, new in zip(self.chips, column, strict=True)],
            *[old.animate.become(new) for old, new in zip(self.ids, numbers, strict=True)],
        ]

    def _vector(self, key: str, position: int, y: float, pitch: float = 1.05) -> VGroup:
        """One token's vector at the right, at height y, in the token's colour."""
        shown = columns_drawn(self)
        grid = self.grid(
            key, (position,), decimals=1, cell=CELL, max_height=pitch, max_width=width_drawn(self), first_columns=shown
        )
        marks = elision(grid)
        VGroup(grid, *marks).move_to([self.ROWS_X, y, 0])
        ids = self.source_ids if key == "src.embed" else self.target_ids
        paint_now(grid.body, self.token_color(ids[position]), 0.24)
        return VGroup(*grid.body, *marks)

    def _look_up(
        self, token_id: int, number: Words, key: str, position: int, seconds: float, pitch: float = 1.05
    ) -> None:
        """An id finds its row, the row lights up and a copy of it travels to its place."""
        self._turn_to(token_id, seconds * 0.3)
        row = self.table.cells_of(token_id)
        vector = raise_above(self._vector(key, position, number.get_y(), pitch))
        travelling = raise_above(number.copy())
        self.play(FadeOut(travelling, target_position=self.table.name_of(token_id)), run_time=seconds * 0.3)
        self.play(light(row, self.token_color(token_id)), run_time=seconds * 0.15)
        self.play(fly(self.table.row_of(token_id), vector), run_time=seconds * 0.4)
        self.vectors.append(settle(vector))
        self.play(unlight(row), run_time=seconds * 0.15)
