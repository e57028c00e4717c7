"""Parts of the scene about attention scores: queries crossing keys, scores on a line, sums beside rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import LEFT, RIGHT, UP, Animation, AnimationGroup, Dot, Line, VGroup

from scenes.stage import theme
from scenes.stage.fit import GAP, MARK, narrowest_pitch, size_that_fits, that_fit
from scenes.stage.formula import Formula
from scenes.stage.grid import Heatmap, MatrixGrid, elision, upright_mark
from scenes.stage.handover import CELL, MATRIX_SIZE, MIDDLE, QueriesAndKeys
from scenes.stage.roles import KEY, QUERY, Role, tinge
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words, bold, format_value

LARGEST_PITCH = (1.13, 0.7)
LOWEST_PITCH = 0.41  # rows at the smallest type
ROOM = (2 * theme.SAFE_X - 0.9, 5.15)  # the keys' letter stands right of them
BETWEEN = 0.26  # from the queries to the scores, and from the keys to the scores
MIDDLE_Y = -0.12


class Crossing(VGroup):
    """Queries at the left, keys standing on top, and where row and column meet, their dot product.

    `q`, `k`, `scores` are the grids, `letters` their names, `names` the headings, `more` the marks for what is not
    drawn.
    """

    def __init__(self, scene: ExplainerScene, stem: str, head: int, ids: Sequence[int]) -> None:
        trace, names, count = scene.trace, scene.names(ids), len(ids)
        keys = {"q": f"{stem}.q", "k": f"{stem}.k", "scores": f"{stem}.dots"}
        narrowest = max(narrowest_pitch(trace, key, (head,)) for key in keys.values())
        named = max(bold(name.text, theme.LABEL_SIZE).width for name in names) + 0.2
        wide, high = ROOM[0] - named - BETWEEN, ROOM[1] - 0.45 - BETWEEN
        there = scene.model.d_head
        drawn = min(
            that_fit(there, narrowest, wide - count * narrowest),
            that_fit(there, LOWEST_PITCH, high - count * LOWEST_PITCH),
        )
        left_out = MARK if drawn < there else 0.0
        across = min(LARGEST_PITCH[0], (wide - left_out) / (drawn + count))
        down = min(LARGEST_PITCH[1], (high - left_out) / (drawn + count))
        settings: dict[str, Any] = {
            "size": min(size_that_fits(across, narrowest), theme.NUMBER_SIZE * down / 0.5, theme.NUMBER_SIZE),
            "cell": (across - GAP, down - GAP),
        }
        settings["size"] = max(settings["size"], theme.SMALL_SIZE)
        self.scores = scene.grid(keys["scores"], (head,), **settings)
        self.q = scene.grid(keys["q"], (head,), row_names=names, first_columns=drawn, **settings)
        self.k = scene.grid(keys["k"], (head,), column_names=names, first_columns=drawn, transposed=True, **settings)
        tinge(self.q.body, QUERY.color)
        tinge(self.k.body, KEY.color)
        self.q.shift(self.scores.cell(0, 0).get_left() - self.q.cell(0, drawn - 1).get_right())
        self.q.shift(LEFT * (BETWEEN + left_out))
        self.k.shift(self.scores.cell(0, 0).get_top() - self.k.cell(drawn - 1, 0).get_bottom())
        self.k.shift(UP * (BETWEEN + left_out))
        self.more = VGroup(*elision(self.q)) if left_out else VGroup()
        if left_out:
            self.more.add(*[upright_mark().next_to(self.k.cell(drawn - 1, j), -UP, 0.14) for j in range(count)])
        self.letters = VGroup(
            Formula(QUERY.matrix, 36, QUERY.color).next_to(self.q.body, UP, 0.2),
            Formula(f"{KEY.matrix}^top", 36, KEY.color).next_to(self.k.body, RIGHT, 0.25),
        )
        super().__init__(self.q, self.k, self.scores, self.letters, self.more)
        self.shift([-self.get_center()[0], MIDDLE_Y - self.get_center()[1], 0])


class ScoreLine(VGroup):
    """A number line from −reach to reach with a dot for every entry of a square matrix: `axis`, `ticks`, `dots`.

    `traces` stay where the dots were at first.

    Parameters: the values (n, n); one colour a row; the length in units.
    """

    def __init__(self, values: np.ndarray, colors: Sequence[str], length: float) -> None:
        self.reach = max(math.ceil(float(np.abs(values).max(initial=0.0))), 1)
        self.length = length
        self.axis = Line([-length / 2, 0, 0], [length / 2, 0, 0], stroke_color=theme.FAINT, stroke_width=theme.STRONG)
        step = max(1, math.ceil(self.reach / 4))
        marks = range(-(self.reach // step) * step, self.reach + 1, step)
        self.ticks = VGroup()
        for mark in marks:
            x = self.x_of(mark)
            tick = Line([x, -0.07, 0], [x, 0.07, 0], stroke_color=theme.FAINT, stroke_width=theme.STRONG)
            text = Words(f"{mark}".replace("-", "−"), theme.SMALL_SIZE, theme.DIM).move_to([x, -0.3, 0])
            self.ticks.add(VGroup(tick, text))
        self.dots = VGroup(
            *[
                Dot(
                    [self.x_of(float(value)), 0.16, 0],
                    radius=0.1,
                    color=color,
                    stroke_color=theme.BACKGROUND,
                    stroke_width=1.5,
                )
                for row, color in zip(values, colors, strict=True)
                for value in row
            ]
        )
        self.traces = VGroup(
            *[Dot(dot.get_center(), radius=0.05, color=theme.FAINT, stroke_width=0) for dot in self.dots]
        )
        self.dots.set_z_index(theme.Z_ARROW)
        super().__init__(self.axis, self.ticks, self.traces, self.dots)

    def x_of(self, value: float) -> float:
        """Where a value lies when the line's middle is at 0."""
        return value / self.reach * self.length / 2

    def move(self, values: np.ndarray) -> list[Animation]:
        """Every dot goes to its new value."""
        middle = self.axis.get_center()[0]
        return [
            dot.animate.set_x(middle + self.x_of(float(value)))
            for dot, value in zip(self.dots, values.flat, strict=True)
        ]


def one_side(scene: ExplainerScene, role: Role, stem: str, head: int, ids: Sequence[int], room: float) -> VGroup:
    """All vectors of a role as a grid, its letter and the marks for what is not drawn, no wider than `room`."""
    key = f"{stem}.{role.letter}"
    names = scene.names(ids)
    room -= max(bold(name.text, theme.LABEL_SIZE).width for name in names) + 0.2
    narrowest = narrowest_pitch(scene.trace, key, (head,))
    drawn = that_fit(scene.model.d_head, narrowest, room)
    pitch = min((room - (MARK if drawn < scene.model.d_head else 0.0)) / drawn, CELL[0] + GAP)
    grid = scene.grid(
        key,
        (head,),
        row_names=names,
        size=size_that_fits(pitch, narrowest, MATRIX_SIZE),
        cell=(pitch - GAP, CELL[1]),
        max_height=QueriesAndKeys.HEIGHT,
        first_columns=drawn,
    )
    tinge(grid.body, role.color)
    grid.shift([0, MIDDLE[1] - grid.body.get_y(), 0])
    letter = Formula(role.matrix, 40, role.color).next_to(grid.body, UP, 0.24)
    return VGroup(grid, letter, *elision(grid))


def warm(heat: Heatmap, i: int) -> Animation:
    """A row that was dimmed shows its heat again."""
    return AnimationGroup(
        *[
            cell.animate.paint(fill=heat.fill_of(i, j), stroke=theme.LINE, stroke_width=theme.THIN)
            for j, cell in enumerate(heat.row(i))
        ]
    )


def decimals_that_fit(values: np.ndarray, grid: MatrixGrid) -> int:
    """With how many decimals, at most two, every one of the values can stand in a cell of the grid."""
    largest = float(np.abs(values).max())
    for decimals in (2, 1):
        words = Words(format_value(largest, decimals), grid.size)
        if words.width + 0.8 * words.cap_height <= grid.cell_size[0]:
            return decimals
    return 0


def word_that_differs(first: np.ndarray, second: np.ndarray) -> int:
    """The first row (word) whose largest share goes to different words in two patterns, else the most different row."""
    differs = np.flatnonzero(first.argmax(axis=1) != second.argmax(axis=1))
    return int(differs[0]) if len(differs) else int(np.abs(first - second).sum(axis=1).argmax())
