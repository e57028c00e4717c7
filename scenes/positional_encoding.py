"""Scene 4: products of words know no order; waves give every position a fingerprint that is added to its word."""

from __future__ import annotations

from typing import Any

from manim import (
    BOLD,
    DOWN,
    LEFT,
    RIGHT,
    Create,
    FadeIn,
    FadeOut,
    GrowFromCenter,
    LaggedStart,
    ReplacementTransform,
    Succession,
    VGroup,
)

from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.curves import ReadingLine, round_steps
from scenes.stage.facts import told
from scenes.stage.grid import MatrixGrid, Name, empty_places
from scenes.stage.handover import named_matrix
from scenes.stage.motion import (
    appear,
    carry_all,
    fly,
    light,
    paint_now,
    raise_above,
    rows_appear,
    step_back,
    vanish,
)
from scenes.stage.pairs import SentenceAndReverse, tell, turn_over
from scenes.stage.reckoning import Entry
from scenes.stage.scene import ExplainerScene
from scenes.stage.sums import NamedGrid, SpelledSum, line_up, side_by_side
from scenes.stage.waves import PositionWaves, WaveGrid, quiet
from scenes.stage.words import Words, bold, shortened

MOST_DIMENSIONS = 4  # drawn; more are told of in words
DECIMALS = 2
MIDDLE_Y = (theme.CONTENT_TOP + theme.CONTENT_BOTTOM) / 2
NAME_ROOM = 0.6
LOWER = 0.3  # the matrices sink by this when the line under them is gone
LARGE = 1.15  # what stands alone is drawn larger by this


class PositionalEncoding(ExplainerScene):
    """Without positions a reversed sentence gives the same products; with them it does not."""

    PAIRS_X = 3.2
    PAIRS_ROOM = (6.0, 3.05)
    WAVES_LEFT, WAVES_WIDE, WAVES_NARROW = -2.75, theme.SAFE_X - 0.05, 1.75
    WAVES_TOP, WAVES_BOTTOM = 2.4, -2.3
    MATRIX_HEIGHT = 3.2

    def construct(self) -> None:
        self.ids = [int(i) for i in self.trace["src.tokens"]]
        self.count, self.width = len(self.ids), self.model.d_model
        self.shown = min(self.width, MOST_DIMENSIONS)
        self.colors = theme.DIMENSIONS[: self.shown]
        self.sign_room = 0.62 if self.width == self.shown else 0.5
        self.order_is_lost()
        self.who_is_where()
        self.waves()
        self.slow_waves()
        self.read_position_zero()
        self.read_all()
        self.fixed()
        self.add_first()
        self.add_all()
        self.order_is_back()
        self.input_x()

    # -- step 7: order is lost ------------------------------------------------------------------------------------
    def order_is_lost(self) -> None:
        i, j = self.pair = (0, min(1, self.count - 1))
        words = self.model.source
        dot = self.value("order.embed_dots", self.pair)
        with self.beat("order_is_lost", first=words[i], second=words[j], dot=dot) as beat:
            self.titles = self.label("forward"), self.label("backward")
            both = self.both = self._both("order.embed_dots")
            left, (pair, _) = both.left, both.cells
            opening = named_matrix(self, "src.embed", self.ids, decimals=1)
            self.add(opening)
            self.play(
                FadeIn(left.title),
                *carry_all(opening.row_labels, [chip.words for chip in left.chips], leave=False),
                *[FadeOut(opening.row(i), target_position=chip, scale=0.2) for i, chip in enumerate(left.chips)],
                *appear(*[chip.box for chip in left.chips]),
                run_time=beat.share(0.13),
            )
            self.add(*left.chips)
            self.play(left.rows_in(), run_time=beat.share(0.13))
            frame = focus_frame(pair)
            self.play(
                FadeIn(frame), light(VGroup(pair), theme.SHARED), *step_back(left.rest(pair)), run_time=beat.share(0.1)
            )
            self.frames = (frame, turn_over(self, both, frame, beat.share(0.12), beat.share(0.28)))
            first, second = self.names([self.ids[i], self.ids[j]])
            heading = VGroup(bold(first.text, color=first.color), bold("·"), bold(second.text, color=second.color))
            same = self.same = both.comparison(DECIMALS, heading.arrange(RIGHT, buff=0.14))
            same.shift([-same.sign.get_x(), both.below - same.sign.get_y(), 0])
            tell(self, both, same, beat.share(0.13))

    def who_is_where(self) -> None:
        with self.beat("who_is_where") as beat:
            sides = list(zip(self.both.sides, (0, self.count - 1), self.frames, strict=True))
            self.play(
                FadeOut(self.same),
                *[frame.animate.become(focus_frame(side.row_with_name(row))) for side, row, frame in sides],
                *step_back(*[side.rest(*side.grid.row(row)) for side, row, _ in sides]),
                *[light(side.grid.row(row), self.token_color(self.ids[0])) for side, row, _ in sides],
                run_time=beat.share(0.2),
            )
            self.wait(beat.share(0.2))
            counted = [
                LaggedStart(*[FadeIn(number, shift=DOWN * 0.15) for number in side.positions], lag_ratio=0.2)
                for side in self.both.sides
            ]
            self.play(*counted, run_time=beat.share(0.2))
            heads = [focus_frame(side.positions[row], side.chips[row]) for side, row, _ in sides]
            self.play(
                *[frame.animate.become(head) for (_, _, frame), head in zip(sides, heads, strict=True)],
                run_time=beat.share(0.15),
            )

    # -- step 8: waves --------------------------------------------------------------------------------------------
    def waves(self) -> None:
        with self.beat("waves") as beat:
            self.panels = PositionWaves(
                self.width, self.shown, self.count, self.WAVES_LEFT, self.WAVES_WIDE, self.WAVES_TOP, self.WAVES_BOTTOM
            )
            self.ticks = self.panels.ticks(range(self.count))
            y = self.ticks[0].get_y()
            axis = Words(self.label("position"), theme.LABEL_SIZE, theme.DIM)
            axis.move_to([self.WAVES_LEFT - 0.35, y, 0], aligned_edge=RIGHT)
            laws = [self.panels.law(j, self.label("dimension", i=j), -theme.SAFE_X) for j in range(self.shown)]
            more = Words(self.label("more", n=self.width - self.shown), theme.LABEL_SIZE, theme.DIM)
            more.move_to([-theme.SAFE_X, y, 0], aligned_edge=LEFT)
            self.play(
                *vanish(*self.others(*self.both.left.positions)),
                *[ReplacementTransform(a, b) for a, b in zip(self.both.left.positions, self.ticks, strict=True)],
                *appear(self.panels.boxes, self.panels.guides, self.panels.zeros, self.panels.scale_marks(), axis),
                run_time=beat.share(0.2),
            )
            for curve, law in zip(self.panels.curves, laws, strict=True):
                self.play(Create(curve), FadeIn(law), run_time=beat.share(0.64 / self.shown))
            if self.width > self.shown:
                self.play(FadeIn(more), run_time=beat.share(0.06))

    def slow_waves(self) -> None:
        period = self.panels.period(self.shown - 1)
        law = f"2π · 10000^({(self.shown - 1) // 2 * 2} / d_model)"
        with self.beat("slow_waves", period=told(f"{period:.0f}", setting="d_model", how=law)) as beat:
            near, far = self.panels.reach, period * 1.06
            # The waves that are not spoken of step back; so they do not shimmer either when they get dense.
            fast = [j for j in range(self.shown) if self.panels.period(j) < period]
            self.play(
                FadeOut(self.ticks),
                *[self.panels.curves[j].animate.set_stroke(quiet(j)) for j in fast],
                run_time=beat.share(0.07),
            )
            self.play(self.panels.relay(self.WAVES_WIDE, far), run_time=beat.share(0.34))
            steps = self.panels.ticks(round_steps(far)[1:])
            ours = Words(f"0–{self.count - 1}", theme.LABEL_SIZE, theme.INK)
            ours.move_to([self.WAVES_LEFT + ours.width / 2 - 0.1, self.ticks.get_y(), 0])
            self.play(*appear(steps, ours), run_time=beat.share(0.06))
            self.wait(beat.share(0.16))
            self.play(*vanish(steps, ours), run_time=beat.share(0.05))
            self.play(self.panels.relay(self.WAVES_WIDE, near), run_time=beat.share(0.2))
            self.ticks = self.panels.ticks(range(self.count))
            self.play(
                FadeIn(self.ticks),
                *[self.panels.curves[j].animate.set_stroke(self.colors[j]) for j in fast],
                run_time=beat.share(0.06),
            )

    # -- steps 9 and 10: the waves become rows ----------------------------------------------------------------------
    def read_position_zero(self) -> None:
        with self.beat("read_position_zero") as beat:
            heads = [self.label("dimension", i=j) for j in range(self.shown)]
            positions = [Name(str(i), theme.INK) for i in range(self.count)]
            grid = self.code_grid = WaveGrid(self.trace, "pos_embed", heads, row_names=positions, **self._room())
            codes = self.codes = NamedGrid(grid, self.label("matrix"))
            codes.shift(codes.to((self.WAVES_NARROW + theme.SAFE_X) / 2 + 0.15, 0.05))
            ticks = self.panels.ticks(range(self.count), self.WAVES_NARROW)
            self.play(
                self.panels.relay(self.WAVES_NARROW, self.panels.reach),
                *[tick.animate.move_to(place) for tick, place in zip(self.ticks, ticks, strict=True)],
                *appear(empty_places(grid), grid.row_labels, grid.column_labels, codes.tag, codes.more),
                run_time=beat.share(0.16),
            )
            self.reader = ReadingLine(self.panels)
            self.play(Create(self.reader.line), run_time=beat.share(0.1))
            dots = [GrowFromCenter(dot) for dot in self.reader.dots]
            self.play(LaggedStart(*dots, lag_ratio=0.3), run_time=beat.share(0.12))
            self._read(0, beat.share(0.5), lag=0.5)

    def read_all(self) -> None:
        with self.beat("read_all") as beat:
            for position in range(1, self.count):
                seconds = beat.share(0.84 / (self.count - 1))
                self.play(self.reader.slide(position), run_time=seconds * 0.3)
                self._read(position, seconds * 0.7)
            self.play(FadeOut(self.reader), run_time=beat.share(0.06))

    def fixed(self) -> None:
        with self.beat("fixed") as beat:
            self.embed = NamedGrid(self._word_rows("src.embed", row_names=self._row_names()), self.label("embedding"))
            y = MIDDLE_Y + 0.1
            self.play(
                *vanish(*self.others(self.codes)), self.codes.glide(0, MIDDLE_Y, LARGE), run_time=beat.share(0.13)
            )
            rows = [self.code_grid.row(i) for i in range(self.count)]
            frame = focus_frame(rows[0], buff=0.05)
            self.play(FadeIn(frame), run_time=beat.share(0.05))
            for row in rows[1:]:
                self.play(frame.animate.move_to(row), run_time=beat.share(0.18 / (self.count - 1)))
            self.embed.shift(self.embed.to(-2.9, y))
            self.play(
                FadeOut(frame),
                self.codes.glide(2.9, y, 1 / LARGE),
                rows_appear(self.embed.grid),
                *appear(self.embed.tag, self.embed.more),
                run_time=beat.share(0.18),
            )
            formula = Words(self.label("formula"), theme.LABEL_SIZE, theme.SHARED)
            formula.next_to(self.codes.tag, DOWN, 0.22)
            learned = Words(self.label("learned"), theme.LABEL_SIZE, theme.TRAINING)
            learned.next_to(self.embed.tag, DOWN, 0.22)
            self.play(FadeIn(formula), run_time=beat.share(0.08))
            waves = [
                Succession(
                    light(self.embed.grid.row(i), theme.TRAINING, 0.45),
                    light(self.embed.grid.row(i), self.token_color(token_id), 0.2),
                )
                for i, token_id in enumerate(self.ids)
            ]
            self.play(FadeIn(learned), LaggedStart(*waves, lag_ratio=0.3), run_time=beat.share(0.26))
            self.notes = VGroup(formula, learned)

    # -- steps 11 and 12: the sum -----------------------------------------------------------------------------------
    def add_first(self) -> None:
        at = self.at = min(1, self.count - 1)
        with self.beat(
            "add_first", word=self.model.source[at], position=told(at, Entry("pos_embed"), how=f"pos_embed[{at}]")
        ) as beat:
            self.total = NamedGrid(self._word_rows("src.input"), self.label("sum"))
            parts = (self.embed, self.codes, self.total)
            moves, signs = line_up(parts, "+=", self.sign_room, MIDDLE_Y + 0.4)
            places = empty_places(self.total.grid)
            self.play(
                FadeOut(self.notes),
                *moves,
                *appear(*signs, places, self.total.tag, self.total.more),
                run_time=beat.share(0.14),
            )
            embed, codes, total = self.embed.grid, self.code_grid, self.total.grid
            self.frames = tuple(focus_frame(grid.row(at), buff=0.05) for grid in (embed, codes))
            self.play(
                *appear(*self.frames),
                *step_back(*[grid.row(i) for grid in (embed, codes) for i in range(self.count) if i != at]),
                run_time=beat.share(0.1),
            )
            keys, color = ("src.embed", "pos_embed", "src.input"), self.token_color(self.ids[at])
            sums = [SpelledSum(self.trace, keys, (at, j), DECIMALS, (color, self.colors[j])) for j in range(self.shown)]
            side_by_side(sums, 2 * theme.SAFE_X)
            VGroup(*sums).move_to([0, self.total.tag.get_bottom()[1] - 0.75, 0])
            self.play(*[fly(embed.number(at, j), one.first) for j, one in enumerate(sums)], run_time=beat.share(0.14))
            self.play(
                *appear(*[one.plus for one in sums]),
                *[fly(codes.number(at, j), one.second) for j, one in enumerate(sums)],
                run_time=beat.share(0.14),
            )
            results = [FadeIn(VGroup(one.equals, one.total), shift=RIGHT * 0.15) for one in sums]
            self.play(LaggedStart(*results, lag_ratio=0.3), run_time=beat.share(0.18))
            self.play(
                *appear(*[cell.box for cell in total.row(at)]),
                *[fly(one.total, cell.words) for one, cell in zip(sums, total.row(at), strict=True)],
                run_time=beat.share(0.15),
            )
            self.add(*total.row(at))
            self.sums = VGroup(*sums)

    def add_all(self) -> None:
        with self.beat("add_all") as beat:
            others = [i for i in range(self.count) if i != self.at]
            embed, codes, total = self.embed.grid, self.code_grid, self.total.grid
            rest = self.others(self.sums, *self.frames)
            self.play(
                *vanish(self.sums, *self.frames),
                *[part.animate.shift(DOWN * LOWER) for part in rest],
                run_time=beat.share(0.08),
            )
            lit = [light(embed.row(i), self.token_color(self.ids[i]), 0.2) for i in others]
            if others:
                self.play(*lit, *[codes.light_up(i) for i in others], run_time=beat.share(0.08))
            for i in others:
                target = total.row(i).shift(DOWN * LOWER)
                copies = [raise_above(grid.row(i).copy()) for grid in (embed, codes)]
                gone = [FadeOut(copy, target_position=target) for copy in copies]
                self.play(*gone, FadeIn(target), run_time=beat.share(0.5 / len(others)))
            self.play(FadeIn(focus_frame(total.body)), run_time=beat.share(0.08))
            tags = [part.tag for part in (self.embed, self.codes, self.total)]
            shapes = [Words(self.label("shape"), theme.LABEL_SIZE).next_to(tag, DOWN, 0.24) for tag in tags]
            self.play(LaggedStart(*[FadeIn(one) for one in shapes], lag_ratio=0.4), run_time=beat.share(0.16))

    # -- step 13: order is back -------------------------------------------------------------------------------------
    def order_is_back(self) -> None:
        both = self._both("order.input_dots")
        left, right = both.sides
        forward = self.value("order.input_dots", both.pair)
        backward = self.value("order.input_dots_reversed", both.mirrored)
        with self.beat("order_is_back", forward=forward, backward=backward) as beat:
            self.play(
                *vanish(*self.others()),
                *appear(left.title, left.positions, *[chip.box for chip in left.chips]),
                *carry_all(self.embed.grid.row_labels, [chip.words for chip in left.chips]),
                run_time=beat.share(0.13),
            )
            self.add(*left.chips)
            self.play(left.rows_in(), run_time=beat.share(0.11))
            chips = list(zip(left.chips, reversed(right.chips.submobjects), strict=True))
            self.play(
                *appear(right.title, right.positions),
                LaggedStart(*[fly(*pair) for pair in reversed(chips)], lag_ratio=0.25),
                run_time=beat.share(0.16),
            )
            self.play(right.rows_in(), run_time=beat.share(0.11))
            self.play(
                *appear(*[focus_frame(cell) for cell in both.cells]),
                light(VGroup(*both.cells), theme.SHARED),
                *step_back(both.rest()),
                run_time=beat.share(0.1),
            )
            said = [Words(text, theme.LABEL_SIZE) for text in (self.label("dots_without"), self.label("dots_with"))]
            before = self.both.comparison(DECIMALS, said[0].paint(theme.DIM), theme.DIM)
            after = both.comparison(DECIMALS, said[1])
            VGroup(before, after).arrange(RIGHT, buff=0.9).move_to([0, both.below, 0])
            self.play(FadeIn(before), run_time=beat.share(0.07))
            tell(self, both, after, beat.share(0.16))
            self.both = both

    def input_x(self) -> None:
        with self.beat("input_x") as beat:
            closing = named_matrix(self, "src.input", self.ids)
            chips = self.both.left.chips
            self.play(
                *vanish(*self.others(*[chip.words for chip in chips])),
                *carry_all([chip.words for chip in chips], closing.row_labels, leave=False),
                *[FadeIn(closing.row(i), target_position=chip, scale=0.2) for i, chip in enumerate(chips)],
                run_time=beat.share(0.4),
            )
            self.add(closing)

    # -- pictures: pairs ------------------------------------------------------------------------------------------
    def _both(self, key: str) -> SentenceAndReverse:
        names, middle = self.names(self.ids), (self.PAIRS_X, MIDDLE_Y + 0.2)
        return SentenceAndReverse(self.trace, key, names, self.titles, self.pair, *middle, self.PAIRS_ROOM)

    # -- pictures: waves ------------------------------------------------------------------------------------------
    def _read(self, position: int, seconds: float, lag: float = 0.0) -> None:
        """The values under the line show beside their dots and travel into their row of the matrix."""
        grid, values = self.code_grid, []
        for j in range(self.shown):
            number = self.number("pos_embed", (position, j), DECIMALS, size=grid.size)
            values.append(raise_above(self.reader.beside(j, number, *grid.cell_size)))
        self.play(LaggedStart(*appear(*values), lag_ratio=lag), run_time=seconds * 0.35)
        moves = [ReplacementTransform(*pair) for pair in zip(values, grid.row(position), strict=True)]
        self.play(LaggedStart(*moves, lag_ratio=lag), run_time=seconds * 0.65)

    # -- pictures: matrices ---------------------------------------------------------------------------------------
    def _row_names(self) -> list[Name]:
        """The words of the sentence, shortened to what stands left of the matrices."""
        names = self.names(self.ids)
        return [Name(shortened(name.text, NAME_ROOM, theme.LABEL_SIZE, BOLD), name.color) for name in names]

    def _room(self) -> dict[str, Any]:
        """What three matrices share: the width beside the words, the signs and the marks for what is left out."""
        words = max(bold(name.text, theme.LABEL_SIZE).width for name in self._row_names())
        marks = 3 * 0.36 if self.width > self.shown else 0.0
        width = (2 * theme.SAFE_X - words - 2 * self.sign_room - marks - 0.75) / 3
        room = {"cell": (1.0, 0.68), "max_width": width, "max_height": self.MATRIX_HEIGHT}
        return {**room, "decimals": DECIMALS, "first_rows": self.count, "first_columns": self.shown}

    def _word_rows(self, key: str, **settings: Any) -> MatrixGrid:
        """A matrix with one row a word, in the colour of the word."""
        grid = self.grid(key, **self._room(), **settings)
        for i, token_id in enumerate(self.ids):
            paint_now(grid.row(i), self.token_color(token_id), 0.2)
        return grid
