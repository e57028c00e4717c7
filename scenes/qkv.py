"""Scene 5: three matrices make of every row a query, a key and a value; every head has three of its own."""

from __future__ import annotations

from manim import DOWN, RIGHT, UP, Animation, FadeIn, FadeOut, LaggedStart, Line, ReplacementTransform, VGroup, VMobject

from scenes.qkv_parts import (
    EDGE,
    TABLE_HEIGHT,
    WEIGHTS,
    HeadTable,
    Lane,
    WeightsChip,
    WeightsStack,
    lane_sizes,
)
from scenes.stage import theme
from scenes.stage.beats import Beat
from scenes.stage.boxes import focus_frame
from scenes.stage.dot_product import DotProduct
from scenes.stage.fit import GAP
from scenes.stage.formula import Formula
from scenes.stage.grid import MatrixGrid, elision
from scenes.stage.handover import MIDDLE, QueriesAndKeys, named_matrix
from scenes.stage.motion import all_but, appear, dim, fly, grid_moves, light, raise_above, settle, unlight
from scenes.stage.reckoning import Entry, row_of
from scenes.stage.roles import KEY, QUERY, ROLES, VALUE, Role
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import bold

STEM = "encoder.0.attn"


class QueryKeyValue(ExplainerScene):
    """One row times three matrices, then all rows, then another head."""

    LANES_Y = (1.62, -0.12, -1.86)
    TITLE_Y = 2.2
    TURN = 0.35  # from the row to where the three ways part
    HALF_GAP = 0.25  # from the middle to either head

    def construct(self) -> None:
        self.ids = [int(i) for i in self.trace["src.tokens"]]
        self.count = len(self.ids)
        self.followed = min(1, self.count - 1)  # the row that is followed through the scene
        self.word = self.model.vocabulary[self.ids[self.followed]]
        self.three_parts()
        self.one_number()
        self.query()
        self.key()
        self.value_of_a_row()
        self.all_rows()
        self.more_heads()
        self.own_view()
        self.what_next()

    # -- beats ----------------------------------------------------------------------------------------------------
    def three_parts(self) -> None:
        with self.beat("three_parts") as beat:
            opening = named_matrix(self, "src.input", self.ids)
            self.add(opening)
            self.sizes = lane_sizes(self, STEM, self.ids)
            self.x = self._input()
            self.x_more = elision(self.x)
            self.x_letter = Formula("X", 36, theme.INK).next_to(self.x.body, UP, 0.2)
            said = {
                QUERY: (self.label("query"), self.label("seeks")),
                KEY: (self.label("key"), self.label("is")),
                VALUE: (self.label("value"), self.label("carries")),
            }
            self.lanes: dict[Role, Lane] = {}
            for role, y in zip(ROLES, self.LANES_Y, strict=True):
                lane = Lane(self, STEM, role, self.followed, self.sizes, y, *said[role])
                lane.start_from(self.x.row(self.followed), self.TURN)
                self.lanes[role] = lane
            self.wait(beat.share(0.08))
            self.play(
                *grid_moves(opening, self.x),
                *[ReplacementTransform(a, b) for a, b in zip(opening.row_labels, self.x.row_labels, strict=True)],
                *appear(*self.x_more, self.x_letter),
                run_time=beat.share(0.16),
            )
            self.play(
                light(self.x.row(self.followed), self.token_color(self.ids[self.followed])), run_time=beat.share(0.1)
            )
            for lane in self.lanes.values():
                self.play(*[FadeIn(part, shift=RIGHT * 0.2) for part in lane.skeleton()], run_time=beat.share(0.16))

    def one_number(self) -> None:
        value = self.value(f"{STEM}.q", (0, self.followed, 0))
        with self.beat("one_number", word=self.word, value=value) as beat:
            others = [part for role in (KEY, VALUE) for part in self.lanes[role].skeleton()]
            rest = [dim(self.x.row(i)) for i in range(self.count) if i != self.followed]
            self.play(*rest, *[FadeOut(part) for part in others], run_time=beat.share(0.12))
            self.play(light(self.lanes[QUERY].weights.row(0), QUERY.color), run_time=beat.share(0.08))
            self.sheet = self._worksheet(0)
            self._work_out(self.sheet, 0, beat.share(0.66))

    def query(self) -> None:
        with self.beat("query") as beat:
            lane = self.lanes[QUERY]
            last = min(1, lane.drawn - 1)
            if last:
                rows = lane.weights.row(0), lane.weights.row(1)
                self.play(FadeOut(self.sheet), unlight(rows[0]), light(rows[1], QUERY.color), run_time=beat.share(0.1))
                self.sheet = self._worksheet(1)
                self._work_out(self.sheet, 1, beat.share(0.4))
            else:  # one row, one number: it stays in view for a while
                self.wait(beat.share(0.35))
            for r in range(2, lane.drawn):
                self._one_more(lane, r, beat.share(0.2 / lane.drawn))
            waiting = [part for role in (KEY, VALUE) for part in self.lanes[role].skeleton()]
            self.play(
                FadeOut(self.sheet),
                dim(lane.weights.body),
                *lane.name_it(),
                run_time=beat.share(0.15),
            )
            for role in (KEY, VALUE):
                for cell in self.lanes[role].weights.body:
                    cell.paint(fill=theme.PANEL, stroke=theme.LINE, ink=theme.DIM)
            self.play(*[FadeIn(part) for part in waiting], run_time=beat.share(0.12))

    def key(self) -> None:
        with self.beat("key") as beat:
            self._run_lane(KEY, beat.share(0.85))

    def value_of_a_row(self) -> None:
        with self.beat("value") as beat:
            self._run_lane(VALUE, beat.share(0.85))

    def all_rows(self) -> None:
        with self.beat("all_rows") as beat:
            left = self.x.body.get_right()[0] + 0.7
            self.table = HeadTable(self, STEM, 0, left, EDGE, beside=self.x)
            chips = self.chips = {role: WeightsChip(role, self.table.grids[role]) for role in ROLES}
            self.feet = VGroup()
            flights: list[Animation] = [FadeIn(chip, shift=UP * 0.15) for chip in chips.values()]
            leave: list[Animation] = []
            for role, lane in self.lanes.items():
                letter, phrase = self.table.letters[role], lane.phrase.copy()
                foot = VGroup(letter, phrase).arrange(RIGHT, buff=0.2).next_to(self.table.grids[role].body, DOWN, 0.24)
                foot.shift(RIGHT * min(EDGE - foot.get_right()[0], 0.0))
                self.feet.add(foot)
                flights += [ReplacementTransform(lane.letter, letter), ReplacementTransform(lane.phrase, phrase)]
                old, new = lane.vector.cells[0], self.table.grids[role].cells[self.followed]
                flights += [ReplacementTransform(a, b) for a, b in zip(old, new, strict=False)]
                flights += [FadeIn(cell) for cell in new[len(old) :]]
                leave += [FadeOut(cell) for cell in old[len(new) :]]
                leave += [FadeOut(part) for part in (*lane.skeleton(), *lane.vector_more)]
            self.play(*flights, *leave, *appear(*self.table.more), run_time=beat.share(0.26))
            self.remove(*[lane.places for lane in self.lanes.values()])
            others = [i for i in range(self.count) if i != self.followed]
            self.play(unlight(self.x.body), run_time=beat.share(0.06))
            for i in others:
                self._row_through(i, chips, beat.share(0.58 / len(others)))

    def more_heads(self) -> None:
        other = min(1, self.model.heads - 1)
        with self.beat("more_heads") as beat:
            if other == 0:
                self._look_along([self.chips[role] for role in ROLES], beat)
                return
            left = HeadTable(self, STEM, 0, -EDGE, -self.HALF_GAP, self.ids)
            right = HeadTable(self, STEM, other, self.HALF_GAP, EDGE, self.ids)
            titles = [
                bold(self.label("head", n=head + 1), theme.BODY_SIZE).move_to([table.middle, self.TITLE_Y, 0])
                for head, table in ((0, left), (other, right))
            ]
            line = Line([0, self.TITLE_Y + 0.1, 0], [0, left.row(self.count - 1).get_bottom()[1], 0])
            line.set_stroke(theme.LINE, width=theme.THIN)
            kept = (self.chrome, *self.x.row_labels, *self.table.parts())
            self.play(
                *[FadeOut(thing) for thing in all_but(self.mobjects, *kept)],
                *[ReplacementTransform(old, new) for old, new in zip(self.x.row_labels, left.names, strict=True)],
                *self.table.turn_into(left),
                FadeIn(titles[0]),
                run_time=beat.share(0.2),
            )
            self.heads = (left, right)
            stack = WeightsStack(self, other, right.middle)
            self.play(
                FadeIn(titles[1]),
                FadeIn(line),
                LaggedStart(*[FadeIn(one, shift=UP * 0.2) for one in stack], lag_ratio=0.4),
                run_time=beat.share(0.28),
            )
            self.play(
                *[
                    FadeOut(one, target_position=right.letters[role], scale=0.4)
                    for role, one in zip(ROLES, stack, strict=True)
                ],
                *[FadeIn(letter) for letter in right.letters.values()],
                run_time=beat.share(0.12),
            )
            self.play(
                LaggedStart(*[FadeIn(right.row(i), shift=DOWN * 0.15) for i in range(self.count)], lag_ratio=0.3),
                *appear(*right.more),
                run_time=beat.share(0.22),
            )

    def own_view(self) -> None:
        with self.beat("own_view", word=self.word) as beat:
            if self.model.heads == 1:
                self._look_along([self.table.grids[role].row(self.followed) for role in ROLES], beat)
                return
            rows = [table.row(self.followed) for table in self.heads]
            rest = [dim(table.row_cells(i)) for table in self.heads for i in range(self.count) if i != self.followed]
            frame = focus_frame(rows[0])
            self.play(*rest, FadeIn(frame), run_time=beat.share(0.15))
            self.wait(beat.share(0.15))
            self.play(frame.animate.become(focus_frame(rows[1])), run_time=beat.share(0.2))
            self.wait(beat.share(0.15))
            self.play(frame.animate.become(focus_frame(*rows)), run_time=beat.share(0.15))

    def what_next(self) -> None:
        with self.beat("what_next") as beat:
            closing = QueriesAndKeys(self, STEM, self.ids)
            table = self.table if self.model.heads == 1 else self.heads[0]
            names = self.x.row_labels if self.model.heads == 1 else table.names
            pairs = ((QUERY, closing.q), (KEY, closing.k))
            kept = [table.grids[role].body for role, _ in pairs] + [table.letters[role] for role, _ in pairs]
            self.play(
                *[FadeOut(thing) for thing in self.others(*kept, *names)],
                *[move for role, grid in pairs for move in grid_moves(table.grids[role], grid)],
                *[
                    ReplacementTransform(table.letters[role], letter)
                    for (role, _), letter in zip(pairs, closing.letters, strict=True)
                ],
                *[FadeIn(label) for label in closing.k.row_labels],
                *[ReplacementTransform(name, label) for name, label in zip(names, closing.q.row_labels, strict=True)],
                *appear(*closing.more),
                run_time=beat.share(0.45),
            )

    # -- motion ---------------------------------------------------------------------------------------------------
    def _look_along(self, places: list[VMobject], beat: Beat) -> None:
        """One frame goes from place to place: for a model with a single head, which has no other to be set beside."""
        frame = focus_frame(places[0])
        self.play(FadeIn(frame), run_time=beat.share(0.12))
        for place in places[1:]:
            self.wait(beat.share(0.14))
            self.play(frame.animate.become(focus_frame(place)), run_time=beat.share(0.14))
        self.play(FadeOut(frame), run_time=beat.share(0.1))

    def _work_out(self, sheet: DotProduct, r: int, seconds: float) -> None:
        """Factors fly to the worksheet, are multiplied and added up; the sum flies to its place in the query."""
        lane = self.lanes[QUERY]
        self.play(sheet.arrive(self.x.row(self.followed), lane.weights.row(r)), run_time=seconds * 0.34)
        sheet.settle()
        self.play(sheet.multiply(), run_time=seconds * 0.26)
        self.play(sheet.add_up(), run_time=seconds * 0.22)
        target = raise_above(lane.vector.cell(0, r))
        self.play(fly(sheet.total, target), run_time=seconds * 0.18)
        settle(target)

    def _one_more(self, lane: Lane, r: int, seconds: float) -> None:
        """Another row of the weights gives its number, without the worksheet."""
        copy = raise_above(self.x.row(self.followed).copy())
        row, target = lane.weights.row(r), lane.vector.cell(0, r)
        self.play(FadeOut(copy, target_position=row), light(row, lane.role.color), run_time=seconds * 0.5)
        self.play(FadeIn(target, target_position=row), unlight(row), run_time=seconds * 0.5)

    def _run_lane(self, role: Role, seconds: float) -> None:
        """Row after row of a role's weights turns the word's row into one number."""
        lane = self.lanes[role]
        before = self.lanes[ROLES[ROLES.index(role) - 1]]
        self.play(unlight(lane.weights.body), dim(before.weights.body), run_time=seconds * 0.12)
        for r in range(lane.drawn):
            self._one_more(lane, r, seconds * 0.66 / lane.drawn)
        self.play(*lane.name_it(), run_time=seconds * 0.2)

    def _row_through(self, i: int, chips: dict[Role, WeightsChip], seconds: float) -> None:
        """Row i goes through all three matrices at once."""
        source = self.x.row(i)
        self.play(light(source, self.token_color(self.ids[i])), run_time=seconds * 0.2)
        copies = {role: raise_above(source.copy()) for role in ROLES}
        self.play(
            *[FadeOut(copy, target_position=chips[role], scale=0.4) for role, copy in copies.items()],
            run_time=seconds * 0.35,
        )
        self.play(
            *[FadeIn(self.table.grids[role].row(i), shift=DOWN * 0.3) for role in ROLES],
            unlight(source),
            run_time=seconds * 0.45,
        )

    # -- pictures -------------------------------------------------------------------------------------------------
    def _input(self) -> MatrixGrid:
        """The input at the left edge."""
        grid = self.grid(
            "src.input",
            row_names=self.names(self.ids),
            size=self.sizes.type_size,
            cell=(self.sizes.pitch - GAP, 0.74),
            max_height=TABLE_HEIGHT,
            first_columns=self.sizes.columns,
        )
        return grid.shift([-EDGE - grid.get_left()[0], MIDDLE[1] - grid.body.get_y(), 0])

    def _worksheet(self, r: int) -> DotProduct:
        """The word's row times row r of the query's weights, below the query's lane."""
        left = self.lanes[QUERY].weights.get_left()[0]
        sheet = DotProduct(
            self.trace,
            row_of(self.trace, "src.input", (self.followed,)),
            row_of(self.trace, f"{WEIGHTS}.{QUERY.weights}", (0, r)),
            Entry(f"{STEM}.q", (0, self.followed, r)),
            (2, self.sizes.weight_decimals, 2),
            (self.token_color(self.ids[self.followed]), QUERY.color, QUERY.color),
            size=26,
            max_width=EDGE - left,
        )
        return sheet.move_to([(left + EDGE) / 2, -1.05, 0])
