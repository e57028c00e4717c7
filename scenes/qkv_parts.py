"""Parts of the scene about queries, keys and values: lanes from a row to its vectors, and tables of one head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Animation, FadeIn, Mobject, ReplacementTransform, VGroup

from scenes.stage import theme
from scenes.stage.boxes import panel
from scenes.stage.fit import GAP, MARK, narrowest_pitch, size_that_fits, that_fit
from scenes.stage.flow import FlowArrow
from scenes.stage.formula import Formula
from scenes.stage.grid import MatrixGrid, elision, empty_places
from scenes.stage.motion import appear, grid_moves, vanish
from scenes.stage.roles import ROLES, Role, tinge
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words, bold

WEIGHTS = "weights.encoder.0.attn"
EDGE = theme.SAFE_X - 0.12  # so that a frame around what stands at the edge is still inside
WIDEST_PITCH = 1.02
FAN = 0.95  # room for the arrows between a matrix and the next
LANE_ROWS = 3  # rows of weights that a lane has room for
TABLE_HEIGHT = 3.9
HEADED_HEIGHT = 3.6  # of a table under a title
TABLE_Y = -0.4
STACK_PITCH = 1.5


def decimals_of(values: np.ndarray) -> int:
    """One decimal where one says it all, else two."""
    return 1 if np.allclose(values, np.round(values, 1), atol=1e-9) else 2


@dataclass(frozen=True)
class LaneSizes:
    """What a lane draws: `columns` of the input and the weights, `rows` of the weights, columns `pitch` apart."""

    columns: int
    rows: int
    pitch: float
    type_size: float
    weight_decimals: int


def lane_sizes(scene: ExplainerScene, stem: str, ids: Sequence[int]) -> LaneSizes:
    """Sizes with which the input, the weights and their vectors stand side by side."""
    model = scene.model
    names = max(bold(name.text, theme.LABEL_SIZE).width for name in scene.names(ids)) + 0.2
    rows = model.d_head if model.d_head <= LANE_ROWS else LANE_ROWS - 1
    room = 2 * EDGE - names - 2 * FAN
    narrowest = max(narrowest_pitch(scene.trace, key) for key in ("src.input", f"{stem}.q"))
    columns = that_fit(2 * model.d_model, narrowest, room - rows * narrowest) // 2
    if columns < model.d_model:
        room -= 2 * MARK
        columns = int(room / narrowest - rows) // 2
    decimals = max(decimals_of(scene.trace[f"{WEIGHTS}.{role.weights}"]) for role in ROLES)
    pitch = min(room / (2 * columns + rows), WIDEST_PITCH)
    return LaneSizes(columns, rows, pitch, size_that_fits(pitch, narrowest), decimals)


class Lane:
    """One role on its way: `tag` over `weights`, an arrow `onward` to `places`, where the `vector` comes to lie.

    `letter` stands over the vector, `phrase` under it; `more` and `vector_more` mark what is not drawn.
    """

    def __init__(
        self,
        scene: ExplainerScene,
        stem: str,
        role: Role,
        word: int,
        sizes: LaneSizes,
        y: float,
        name: str,
        phrase: str,
    ) -> None:
        self.role, self.drawn = role, sizes.rows
        head = 0
        self.weights = scene.grid(
            f"{WEIGHTS}.{role.weights}",
            (head,),
            decimals=sizes.weight_decimals,
            size=sizes.type_size,
            cell=(sizes.pitch - GAP, 0.52),
            max_height=1.16,
            first_rows=sizes.rows,
            first_columns=sizes.columns,
        )
        self.vector = scene.grid(
            f"{stem}.{role.letter}",
            (head, word),
            size=sizes.type_size,
            cell=(sizes.pitch - GAP, 0.56),
            first_columns=sizes.rows,
        )
        tinge(self.vector.body, role.color)
        self.vector.move_to([EDGE, y - 0.16, 0], aligned_edge=RIGHT)
        marks = elision(self.vector)
        self.vector.shift(LEFT * (MARK if len(marks) else 0.0))
        self.vector_more = VGroup(*[mark.next_to(self.vector, RIGHT, 0.12) for mark in marks])
        left_out = MARK if sizes.columns < scene.model.d_model else 0.0
        self.weights.move_to([self.vector.get_left()[0] - FAN - left_out, self.vector.get_y(), 0], aligned_edge=RIGHT)
        self.tag = VGroup(Formula(role.weights, 32, role.color), Words(name, theme.LABEL_SIZE, role.color))
        self.tag.arrange(RIGHT, buff=0.22).next_to(self.weights, UP, 0.16)
        self.more = elision(self.weights)
        self.places = empty_places(self.vector)
        self.onward = FlowArrow(
            [self.weights.get_right() + RIGHT * left_out, self.vector.get_left()], color=role.color, buff=0.16
        )
        self.letter = Formula(role.letter, 36, role.color).next_to(self.vector, UP, 0.16)
        self.phrase = Words(phrase, theme.LABEL_SIZE, role.color).next_to(self.vector, DOWN, 0.2)
        self.phrase.shift(LEFT * max(self.phrase.get_right()[0] - EDGE, 0))
        self.way = VGroup()

    def start_from(self, row: VGroup, turn: float) -> None:
        """Lay the arrow `way` from the input's row to the weights; the three ways part `turn` units behind the row."""
        start, end = row.get_right() + RIGHT * (MARK if len(self.more) else 0.0), self.weights.get_left()
        corner = start[0] + turn
        points = [start, [corner, start[1], 0], [corner, end[1], 0], end]
        self.way = FlowArrow(points, color=self.role.color, buff=0.12)

    def skeleton(self) -> list[Mobject]:
        """What stands there before anything is computed."""
        return [self.way, self.weights, self.tag, *self.more, self.onward, self.places]

    def name_it(self) -> list[Animation]:
        """The vector gets its letter and its meaning."""
        return [*appear(self.letter, self.vector_more), FadeIn(self.phrase, shift=UP * 0.1)]


class HeadTable:
    """Q, K and V of one head side by side between `left` and `right`.

    With `beside`, the rows stand in line with that grid's; else they are headed by the names of the tokens.
    `letters` stand over the three, `more` marks the columns that are not drawn, `middle` is the x of the whole.
    """

    def __init__(
        self,
        scene: ExplainerScene,
        stem: str,
        head: int,
        left: float,
        right: float,
        ids: Sequence[int] = (),
        beside: MatrixGrid | None = None,
    ) -> None:
        names = scene.names(ids)
        if names:
            left += max(bold(name.text, theme.LABEL_SIZE).width for name in names) + 0.2
        between = 0.5 if beside is not None else 0.16
        room = (right - left - 2 * between) / 3
        there = scene.model.d_head
        keys = {role: f"{stem}.{role.letter}" for role in ROLES}
        narrowest = max(narrowest_pitch(scene.trace, key, (head,)) for key in keys.values())
        drawn = that_fit(there, narrowest, room)
        pitch = min((room - (MARK if drawn < there else 0.0)) / drawn, WIDEST_PITCH)
        self.grids: dict[Role, MatrixGrid] = {}
        for role, key in keys.items():
            grid = scene.grid(
                key,
                (head,),
                size=size_that_fits(pitch, narrowest),
                cell=(pitch - GAP, beside.cell_size[1] if beside is not None else 0.7),
                max_height=TABLE_HEIGHT if beside is not None else HEADED_HEIGHT,
                first_columns=drawn,
            )
            tinge(grid.body, role.color)
            self.grids[role] = grid
        blocks = VGroup(*[VGroup(grid, elision(grid)) for grid in self.grids.values()]).arrange(RIGHT, buff=between)
        blocks.move_to([(left + right) / 2, beside.body.get_y() if beside is not None else TABLE_Y, 0])
        if beside is not None:
            # Each in the middle of its third, however narrow it is: there is room for words under it.
            for k, block in enumerate(blocks):
                block.set_x(left + (right - left) * (k + 0.5) / 3)
        first = self.grids[ROLES[0]]
        size = max(min(first.size, theme.LABEL_SIZE), theme.SMALL_SIZE)
        self.names = VGroup(
            *[bold(n.text, size, n.color).next_to(first.cell(i, 0), LEFT, 0.2) for i, n in enumerate(names)]
        )
        self.letters = {
            role: Formula(role.matrix, 36, role.color).next_to(grid.body, UP, 0.2) for role, grid in self.grids.items()
        }
        self.more = VGroup(*[mark for block in blocks for mark in block[1]])
        self.middle = blocks.get_center()[0]

    def row_cells(self, i: int) -> VGroup:
        """The cells of row i of all three."""
        return VGroup(*[cell for grid in self.grids.values() for cell in grid.row(i)])

    def row(self, i: int) -> VGroup:
        """The same with the token's name."""
        return VGroup(*self.names[i : i + 1], *self.row_cells(i))

    def parts(self) -> list[Mobject]:
        """Everything that is drawn."""
        return [*[grid.body for grid in self.grids.values()], *self.letters.values(), *self.names, *self.more]

    def turn_into(self, other: HeadTable) -> list[Animation]:
        """The same head in another place."""
        moves = [move for role in ROLES for move in grid_moves(self.grids[role], other.grids[role])]
        letters = [ReplacementTransform(self.letters[role], other.letters[role]) for role in ROLES]
        return [*moves, *letters, *appear(*other.more), *vanish(*self.more)]


class WeightsStack(VGroup):
    """The three weight matrices of a head, one above the other, each behind its name."""

    WIDTH = 4.3

    def __init__(self, scene: ExplainerScene, head: int, middle: float) -> None:
        super().__init__()
        for k, role in enumerate(ROLES):
            key = f"{WEIGHTS}.{role.weights}"
            decimals = decimals_of(scene.trace[key])
            narrowest = narrowest_pitch(scene.trace, key, (head,), decimals)
            columns = that_fit(scene.model.d_model, narrowest, self.WIDTH)
            pitch = min((self.WIDTH - (MARK if columns < scene.model.d_model else 0.0)) / columns, WIDEST_PITCH)
            grid = scene.grid(
                key,
                (head,),
                decimals=decimals,
                size=size_that_fits(pitch, narrowest),
                cell=(pitch - GAP, 0.52),
                max_height=1.16,
                first_rows=min(scene.model.d_head, LANE_ROWS),
                first_columns=columns,
            )
            tinge(grid.body, role.color)
            name = Formula(role.weights, 34, role.color).next_to(grid, LEFT, 0.3)
            self.add(VGroup(name, grid, *elision(grid)).move_to([middle, TABLE_Y + STACK_PITCH * (1 - k), 0]))


class WeightsChip(VGroup):
    """A weight matrix as a small box over the columns that it makes."""

    def __init__(self, role: Role, over: MatrixGrid) -> None:
        name = Formula(role.weights, 30, role.color)
        box = panel(max(name.width + 0.6, 1.1), 0.54, theme.tint(role.color, 0.14), role.color, theme.STRONG, 0.14)
        super().__init__(box, name.move_to(box))
        self.next_to(over.body, UP, 0.16)
