"""Scene 6: every query meets every key; softmax turns each row of scores into shares of attention."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from manim import (
    BOLD,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    AnimationGroup,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    ReplacementTransform,
    VGroup,
)

from scenes.attention_parts import MIDDLE_Y, Crossing, ScoreLine, decimals_that_fit, one_side, warm, word_that_differs
from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.dot_product import DotProduct
from scenes.stage.facts import told
from scenes.stage.formula import Formula
from scenes.stage.grid import Heatmap, MatrixGrid
from scenes.stage.handover import HeadMaps, QueriesAndKeys, heads_to_show
from scenes.stage.links import AttentionLinks
from scenes.stage.motion import (
    all_but,
    appear,
    carry_all,
    dim,
    fly,
    grid_moves,
    light,
    raise_above,
    reword,
    settle,
    vanish,
)
from scenes.stage.reckoning import Entry, Exponential, Length, Root, Sum, row_of
from scenes.stage.roles import KEY, QUERY, tinged
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words, bold

STEM = "encoder.0.attn"
HEAD = 0
PATTERN = f"{STEM}.pattern"


class AttentionScores(ExplainerScene):
    """Dot products, scaled, become a pattern whose rows sum to 1."""

    GRID: ClassVar[dict[str, Any]] = {"cell": (1.06, 0.64), "max_height": 3.1, "max_width": 6.9}
    GRID_Y = 0.35
    LINE_Y = -2.25
    FORMULA_Y = -2.2
    LINKS_Y = -0.15
    SIDE = 3.9  # width of the queries and of the keys when a worksheet stands between them

    def construct(self) -> None:
        self.ids = [int(i) for i in self.trace["src.tokens"]]
        self.count = len(self.ids)
        self.words = [self.model.vocabulary[i] for i in self.ids]
        self.other = min(1, self.model.heads - 1)
        self.asker = 0
        self.asked = int(np.argmax(self.trace[f"{STEM}.dots"][HEAD, self.asker]))
        self.one_dot()
        self.all_dots()
        self.scale()
        self.softmax()
        self.read_a_row()
        self.no_mask()
        self.heads_differ()
        self.not_trained_yet()

    # -- beats ----------------------------------------------------------------------------------------------------
    def one_dot(self) -> None:
        asker, asked = self.asker, self.asked
        value = self.value(f"{STEM}.dots", (HEAD, asker, asked))
        with self.beat("one_dot", asker=self.words[asker], asked=self.words[asked], dot=value) as beat:
            pair = QueriesAndKeys(self, STEM, self.ids, HEAD)
            self.add(pair)
            self.wait(beat.share(0.08))
            edge = theme.SAFE_X - 0.15
            sides = [one_side(self, role, STEM, HEAD, self.ids, self.SIDE) for role in (QUERY, KEY)]
            sides[0].shift(RIGHT * (-edge - sides[0].get_left()[0]))
            sides[1].shift(RIGHT * (edge - sides[1].get_right()[0]))
            (q, *_), (k, *_) = sides
            self.play(
                *grid_moves(pair.q, q),
                *carry_all(pair.q.row_labels, q.row_labels, leave=False),
                *grid_moves(pair.k, k),
                *carry_all(pair.k.row_labels, k.row_labels, leave=False),
                *[ReplacementTransform(old, side[1]) for old, side in zip(pair.letters, sides, strict=True)],
                *vanish(*pair.more),
                *[FadeIn(mark) for side in sides for mark in side[2:]],
                run_time=beat.share(0.13),
            )
            others = [i for i in range(self.count) if i != asker]
            self.play(
                light(q.row(asker), QUERY.color, 0.4),
                light(k.row(asked), KEY.color, 0.4),
                *[dim(q.row(i)) for i in others],
                *[dim(k.row(i)) for i in range(self.count) if i != asked],
                run_time=beat.share(0.12),
            )
            middle = (sides[0].get_right() + sides[1].get_left()) / 2
            sheet = DotProduct(
                self.trace,
                row_of(self.trace, f"{STEM}.q", (HEAD, asker)),
                row_of(self.trace, f"{STEM}.k", (HEAD, asked)),
                Entry(f"{STEM}.dots", (HEAD, asker, asked)),
                colors=(QUERY.color, KEY.color, theme.SHARED),
                size=28,
                max_width=sides[1].get_left()[0] - sides[0].get_right()[0] - 0.5,
            )
            sheet.move_to([middle[0], MIDDLE_Y, 0])
            self.play(sheet.arrive(q.row(asker), k.row(asked)), run_time=beat.share(0.2))
            sheet.settle()
            self.play(sheet.multiply(), run_time=beat.share(0.17))
            self.play(sheet.add_up(), run_time=beat.share(0.17))
            self.sides_, self.sheet = sides, sheet

    def all_dots(self) -> None:
        with self.beat("all_dots") as beat:
            crossing = Crossing(self, STEM, HEAD, self.ids)
            (q, q_letter, *_), (k, k_letter, *_) = self.sides_
            first = raise_above(crossing.scores.cell(self.asker, self.asked))
            kept = [q, k, q_letter, k_letter, self.sheet.total]
            self.play(
                *[FadeOut(thing) for thing in all_but(self.mobjects, self.chrome, *kept)],
                *grid_moves(q, crossing.q),
                *carry_all(q.row_labels, crossing.q.row_labels, leave=False),
                *grid_moves(k, crossing.k, turned=True),
                *carry_all(k.row_labels, crossing.k.column_labels, leave=False),
                FadeOut(k_letter),
                FadeIn(crossing.letters[1]),
                ReplacementTransform(q_letter, crossing.letters[0]),
                ReplacementTransform(self.sheet.total, first),
                *appear(*crossing.more),
                run_time=beat.share(0.3),
            )
            settle(first)
            share = 0.55 / self.count
            for i in range(self.count):
                cells = [crossing.scores.cell(i, j) for j in range(self.count) if (i, j) != (self.asker, self.asked)]
                row = crossing.q.row(i)
                last = [tinged(crossing.q.row(i - 1), QUERY.color)] if i else []
                self.play(*last, light(row, QUERY.color, 0.5), run_time=beat.share(share * 0.3))
                if cells:
                    self.play(
                        LaggedStart(*[FadeIn(cell, shift=RIGHT * 0.25) for cell in cells], lag_ratio=0.4),
                        run_time=beat.share(share * 0.7),
                    )
            self.play(tinged(crossing.q.row(self.count - 1), QUERY.color), run_time=beat.share(0.06))
            self.crossing = crossing

    def scale(self) -> None:
        root = Root(Length(f"{STEM}.q"))
        with self.beat("scale", root=self.reckoned(root)) as beat:
            grid = self._grid()
            number = self.result(root, 2, size=28)
            sign = VGroup(
                Formula("div sqrt(d_k)", 40, theme.INK),
                Words(number.sign, theme.BODY_SIZE, theme.DIM),
                number,
            ).arrange(RIGHT, buff=0.2)
            sign.next_to(grid.body, RIGHT, 0.5)
            whole = VGroup(grid, sign)
            whole.shift(RIGHT * -whole.get_center()[0])
            names = [*self.crossing.q.row_labels], [*self.crossing.k.column_labels]
            kept = [self.chrome, *self.crossing.scores.body, *names[0], *names[1]]
            line = ScoreLine(self.trace[f"{STEM}.dots"][HEAD], [name.color for name in self.names(self.ids)], 8.0)
            line.move_to([0, self.LINE_Y, 0])
            self.play(
                *[FadeOut(thing) for thing in all_but(self.mobjects, *kept)],
                *grid_moves(self.crossing.scores, grid),
                *carry_all(names[0], grid.row_labels, leave=False),
                *carry_all(names[1], grid.column_labels, leave=False),
                run_time=beat.share(0.16),
            )
            self.play(
                FadeIn(line.axis),
                FadeIn(line.ticks),
                LaggedStart(
                    *[FadeIn(dot, target_position=cell) for dot, cell in zip(line.dots, grid.body, strict=True)],
                    lag_ratio=0.05,
                ),
                run_time=beat.share(0.2),
            )
            self.play(FadeIn(sign, shift=LEFT * 0.2), run_time=beat.share(0.1))
            scaled = [
                reword(grid.cell(i, j), self.number(f"{STEM}.scores", (HEAD, i, j), size=grid.size))
                for i in range(self.count)
                for j in range(self.count)
            ]
            self.play(
                FadeIn(line.traces),
                *line.move(self.trace[f"{STEM}.scores"][HEAD]),
                LaggedStart(*scaled, lag_ratio=0.05),
                run_time=beat.share(0.32),
            )
            self.grid_, self.line, self.sign = grid, line, sign

    def softmax(self) -> None:
        with self.beat("softmax") as beat:
            grid = self.grid_
            heading = Words(self.label("sum"), theme.LABEL_SIZE, theme.DIM)
            heading.next_to(grid.body, RIGHT, 0.4).set_y(grid.column_labels.get_y())
            formula = Formula('"softmax"(s) = {{e^s}} / {{sum e^s}}', 38, theme.DIM)
            whole = VGroup(grid, heading)
            shift = RIGHT * -whole.get_center()[0]
            heading.shift(shift)
            self.play(
                FadeOut(self.line),
                FadeOut(self.sign),
                grid.animate.shift(shift),
                run_time=beat.share(0.1),
            )
            formula.move_to([grid.body.get_center()[0], self.FORMULA_Y, 0])
            frame = focus_frame(grid.row(0))
            self.play(FadeIn(frame), FadeIn(formula), FadeIn(heading), run_time=beat.share(0.08))
            self.sums: list[Words] = []
            self.formula = formula
            self.decimals = decimals_that_fit(np.exp(self.trace[f"{STEM}.scores"][HEAD]), grid)
            self._exponentials([0], heading, beat.share(0.14))
            self._shares([0], beat.share(0.14))
            rest = list(range(1, self.count))
            if rest:
                self.play(frame.animate.become(focus_frame(*[grid.row(i) for i in rest])), run_time=beat.share(0.07))
                self._exponentials(rest, heading, beat.share(0.15))
                self._shares(rest, beat.share(0.15))
            self.play(FadeOut(frame), run_time=beat.share(0.05))
            self.rest = VGroup(heading, formula, *self.sums)

    def read_a_row(self) -> None:
        weights = self.trace[PATTERN][HEAD, self.asker]
        top = int(np.argmax(weights))
        weight = self.value(PATTERN, (HEAD, self.asker, top))
        with self.beat("read_a_row", asker=self.words[self.asker], top=self.words[top], weight=weight) as beat:
            heat = self._heat()
            links = self._links(heat)
            self.play(
                FadeOut(self.rest),
                *grid_moves(self.grid_, heat),
                *carry_all(self.grid_.row_labels, heat.row_labels, leave=False),
                *carry_all(self.grid_.column_labels, heat.column_labels, leave=False),
                run_time=beat.share(0.18),
            )
            frame = focus_frame(heat.row(self.asker))
            others = [dim(heat.row(i)) for i in range(self.count) if i != self.asker]
            sides = VGroup(
                Words(self.label("query"), theme.LABEL_SIZE, QUERY.color).next_to(links.askers, UP, 0.22),
                Words(self.label("key"), theme.LABEL_SIZE, KEY.color).next_to(links.asked, UP, 0.22),
            )
            chips = [FadeIn(side) for side in (links.askers, links.asked, sides)]
            self.play(*others, FadeIn(frame), *chips, run_time=beat.share(0.16))
            order = [int(j) for j in np.argsort(weights)]
            self.play(
                LaggedStart(*[Create(links.lines[self.asker][j]) for j in order], lag_ratio=0.4),
                run_time=beat.share(0.3),
            )
            self.play(frame.animate.become(focus_frame(heat.cell(self.asker, top))), run_time=beat.share(0.12))
            self.heat, self.links, self.sides, self.frame = heat, links, sides, frame

    def no_mask(self) -> None:
        with self.beat("no_mask") as beat:
            self.play(FadeOut(self.frame), run_time=beat.share(0.06))
            others = [i for i in range(self.count) if i != self.asker]
            for i in others:
                self.play(
                    warm(self.heat, i),
                    *[Create(line) for line in self.links.lines[i]],
                    run_time=beat.share(0.7 / len(others)),
                )

    def heads_differ(self) -> None:
        word = word_that_differs(self.trace[PATTERN][HEAD], self.trace[PATTERN][self.other])
        here, there = (int(np.argmax(self.trace[PATTERN][head, word])) for head in (HEAD, self.other))
        with self.beat(
            "heads_differ",
            word=self.words[word],
            top_here=self.words[here],
            top_there=self.words[there],
            other_head=told(self.other + 1, setting="heads"),
        ) as beat:
            heads = heads_to_show(self)
            pair = HeadMaps(self, PATTERN, self.ids, self.ids, heads)
            maps = pair.maps
            titles = [
                bold(self.label("head", n=head + 1), theme.BODY_SIZE).next_to(map_.body, DOWN, 0.32)
                for head, map_ in zip(heads, maps, strict=True)
            ]
            self.play(
                FadeOut(self.links),
                FadeOut(self.sides),
                *grid_moves(self.heat, maps[0]),
                *carry_all(self.heat.row_labels, maps[0].row_labels, leave=False),
                *carry_all(self.heat.column_labels, maps[0].column_labels, leave=False),
                FadeIn(titles[0]),
                run_time=beat.share(0.14),
            )
            for title, map_ in zip(titles[1:], maps[1:], strict=True):
                self.play(
                    FadeIn(title),
                    FadeIn(map_.column_labels),
                    LaggedStart(*[FadeIn(map_.row_with_label(i)) for i in range(self.count)], lag_ratio=0.3),
                    run_time=beat.share(0.18),
                )
            rest = [dim(map_.row(i)) for map_ in maps for i in range(self.count) if i != word] + appear(pair.more)
            frame = focus_frame(maps[0].cell(word, here))
            if len(maps) == 1:
                frame = focus_frame(maps[0].row(word))
            self.play(*rest, FadeIn(frame), run_time=beat.share(0.14))
            if len(maps) == 1:
                self.wait(beat.share(0.2))
                self.play(frame.animate.become(focus_frame(maps[0].cell(word, here))), run_time=beat.share(0.14))
            else:
                self.wait(beat.share(0.12))
                second = focus_frame(maps[1].cell(word, there))
                self.play(fly(frame, second), run_time=beat.share(0.14))
                frame = VGroup(frame, second)
            self.maps, self.titles, self.frame, self.word = maps, titles, frame, word

    def not_trained_yet(self) -> None:
        with self.beat("not_trained_yet") as beat:
            self.play(FadeOut(self.frame), run_time=beat.share(0.08))
            for i in range(self.count):
                if i != self.word:
                    self.play(*[warm(map_, i) for map_ in self.maps], run_time=beat.share(0.42 / self.count))
            self.play(*[FadeOut(title) for title in self.titles], run_time=beat.share(0.12))

    # -- motion ---------------------------------------------------------------------------------------------------
    def _exponentials(self, rows: list[int], heading: Words, seconds: float) -> None:
        """The scores of rows give way to their exponentials, whose sums appear at the right."""
        grid, changes = self.grid_, []
        sums = []
        for i in rows:
            terms = [Exponential(entry) for entry in row_of(self.trace, f"{STEM}.scores", (HEAD, i))]
            exponentials = [self.result(term, self.decimals, size=grid.size) for term in terms]
            changes += [reword(cell, number) for cell, number in zip(grid.row(i), exponentials, strict=True)]
            total = self.result(Sum(tuple(terms)), self.decimals, size=grid.size, weight=BOLD)
            sums.append(total.move_to([heading.get_x(), grid.row(i).get_y(), 0]))
        numerator, denominator = (self.formula.part(k) for k in (0, 1))
        self.play(LaggedStart(*changes, lag_ratio=0.1), numerator.animate.set_color(theme.INK), run_time=seconds * 0.6)
        copies = [raise_above(grid.cell(i, j).words.copy()) for i in rows for j in range(self.count)]
        self.play(
            *[FadeOut(copy, target_position=sums[n // self.count]) for n, copy in enumerate(copies)],
            *[FadeIn(total) for total in sums],
            denominator.animate.set_color(theme.INK),
            run_time=seconds * 0.4,
        )
        self.sums += sums

    def _shares(self, rows: list[int], seconds: float) -> None:
        """The exponentials of rows are divided by their sum: the cells brighten, the sum is 1."""
        grid, changes = self.grid_, []
        for i in rows:
            entries = row_of(self.trace, PATTERN, (HEAD, i))
            changes += [
                reword(
                    grid.cell(i, j),
                    self.number(PATTERN, (HEAD, i, j), size=grid.size),
                    fill=theme.heat(float(self.trace[PATTERN][HEAD, i, j])),
                )
                for j in range(self.count)
            ]
            one = self.result(Sum(tuple(entries)), 2, size=grid.size, color=theme.SHARED, weight=BOLD)
            old = self.sums[i]
            changes.append(AnimationGroup(FadeOut(old), FadeIn(one.move_to(old))))
            self.sums[i] = one
        self.play(LaggedStart(*changes, lag_ratio=0.08), run_time=seconds)

    # -- pictures -------------------------------------------------------------------------------------------------
    def _grid(self) -> MatrixGrid:
        names = self.names(self.ids)
        grid = self.grid(f"{STEM}.dots", (HEAD,), row_names=names, column_names=names, **self.GRID)
        return grid.shift(UP * (self.GRID_Y - grid.body.get_y()))

    def _heat(self) -> Heatmap:
        """The pattern at the left, with room for the links at the right."""
        names = self.names(self.ids)
        heat = self.heatmap(PATTERN, (HEAD,), row_names=names, column_names=names, **self.GRID)
        return heat.shift([-theme.SAFE_X + 0.15 - heat.get_left()[0], self.LINKS_Y - heat.body.get_y(), 0])

    def _links(self, heat: Heatmap) -> AttentionLinks:
        """Lines between words, right of the map."""
        tokens = self.tokens(self.ids)
        pitch = min(0.95, 4.2 / self.count)
        size = min(theme.TOKEN_SIZE, max(theme.SMALL_SIZE, pitch * 34))
        links = AttentionLinks(self.trace, PATTERN, (HEAD,), tokens, tokens, pitch, 2.6, size)
        left = heat.get_right()[0]
        return links.move_to([(left + theme.SAFE_X) / 2, self.LINKS_Y, 0])
