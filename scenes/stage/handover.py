"""Pictures that two scenes share: one closes on it, the next one opens on it, so that the joined film flows.

Each function takes the scene (for trace, tokens and colours) and gives the picture in its place. The same call gives
the same picture, whichever scene makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from manim import BOLD, DOWN, RIGHT, UP, VGroup

from . import theme
from .boxes import focus_frame
from .fit import MARK, WIDEST_NUMBER, narrowest_pitch, that_fit
from .flow import FlowArrow
from .formula import Formula
from .grid import Heatmap, MatrixGrid, elision
from .roles import KEY, QUERY, Role, tinge
from .tokens import TokenRow
from .words import Words, bold, shortened

if TYPE_CHECKING:
    from .scene import ExplainerScene

MIDDLE = (0.0, -0.1, 0.0)
SENTENCE_Y = 0.75
CELL = (1.3, 0.72)
MATRIX_SIZE = 30.0
MATRIX_WIDTH = 8.0
HEAT_CELL = (1.06, 0.66)
MASKED_WEIGHT = "0"  # exactly: softmax of minus infinity


def sentence(scene: ExplainerScene, ids: Sequence[int]) -> TokenRow:
    """A sentence as a row of chips in the upper middle."""
    tokens = scene.tokens(ids)
    size, buff = 36.0, 0.8
    row = TokenRow(tokens, RIGHT, size=size, buff=buff)
    while row.width > 2 * theme.SAFE_X and size > theme.SMALL_SIZE:
        size, buff = max(size * 0.9, theme.SMALL_SIZE), buff * 0.8
        row = TokenRow(tokens, RIGHT, size=size, buff=buff)
    if row.width > 2 * theme.SAFE_X:  # words too long for the frame are cut
        room = 2 * theme.SAFE_X / len(tokens) - buff - 0.4
        cut = [(shortened(text, room, size, BOLD), color) for text, color in tokens]
        row = TokenRow(cut, RIGHT, size=size, buff=buff)
    row.move_to([0, SENTENCE_Y, 0])
    return row


class SentenceWithIds(VGroup):
    """A sentence with the id below every token: `chips`, `arrows`, `ids`."""

    def __init__(self, scene: ExplainerScene, ids: Sequence[int]) -> None:
        self.chips = sentence(scene, ids)
        size = self.chips.chip(0).words.size
        self.ids = VGroup(
            *[
                bold(str(i), size, scene.token_color(i)).next_to(chip, DOWN, 1.0)
                for i, chip in zip(ids, self.chips, strict=True)
            ]
        )
        self.arrows = VGroup(
            *[
                FlowArrow([chip.get_bottom(), number.get_top()], buff=0.16)
                for chip, number in zip(self.chips, self.ids, strict=True)
            ]
        )
        super().__init__(self.chips, self.arrows, self.ids)


def named_matrix(
    scene: ExplainerScene,
    key: str,
    ids: Sequence[int],
    index: tuple[int, ...] = (),
    decimals: int = 2,
    max_height: float = 4.4,
) -> MatrixGrid:
    """A matrix with one named row a token, in the middle of the frame; of a very wide one, as much as can be read."""
    there = scene.trace[key][index].shape[-1]
    shown = there
    if there * WIDEST_NUMBER > MATRIX_WIDTH:
        shown = that_fit(there, narrowest_pitch(scene.trace, key, index, decimals), MATRIX_WIDTH)
    grid = scene.grid(
        key,
        index,
        decimals=decimals,
        row_names=scene.names(ids),
        size=MATRIX_SIZE,
        cell=CELL,
        max_height=max_height,
        max_width=MATRIX_WIDTH - (MARK if shown < there else 0.0),
        first_rows=len(ids),
        first_columns=shown,
        marked=True,
    )
    grid.shift(MIDDLE - grid.body.get_center())
    return grid


class QueriesAndKeys(VGroup):
    """Queries and keys of one head beside each other in their colours: `q`, `k`, `letters`, `more`."""

    WIDTH, HEIGHT, BETWEEN = 4.4, 4.2, 1.6

    def __init__(self, scene: ExplainerScene, stem: str, ids: Sequence[int], head: int = 0) -> None:
        self.q, self.k = (self._grid(scene, role, stem, ids, head) for role in (QUERY, KEY))
        self.more = VGroup(elision(self.q), elision(self.k))
        VGroup(VGroup(self.q, self.more[0]), VGroup(self.k, self.more[1])).arrange(RIGHT, buff=self.BETWEEN)
        self.letters = VGroup(
            *[
                Formula(role.matrix, 40, role.color).next_to(grid.body, UP, 0.24)
                for role, grid in ((QUERY, self.q), (KEY, self.k))
            ]
        )
        super().__init__(self.q, self.k, self.more, self.letters)
        self.shift([-self.get_center()[0], MIDDLE[1] - self.q.body.get_y(), 0])

    def _grid(self, scene: ExplainerScene, role: Role, stem: str, ids: Sequence[int], head: int) -> MatrixGrid:
        key = f"{stem}.{role.letter}"
        pitch = narrowest_pitch(scene.trace, key, (head,))
        grid = scene.grid(
            key,
            (head,),
            row_names=scene.names(ids),
            size=MATRIX_SIZE,
            cell=CELL,
            max_height=self.HEIGHT,
            max_width=self.WIDTH,
            first_columns=that_fit(scene.trace[key].shape[-1], pitch, self.WIDTH),
        )
        tinge(grid.body, role.color)
        return grid


def heads_to_show(scene: ExplainerScene, best: int = 0) -> tuple[int, ...]:
    """The first two heads, or the first and `best` where that is another; the only one where there is one."""
    return tuple(range(scene.model.heads))[:2] if best < 2 else (0, best)


class HeadMaps(VGroup):
    """Attention maps of heads beside each other, each a Heatmap with named rows and columns.

    `maps` are the heat maps; `more` is a mark at the right where the model has more heads than are shown. Large maps
    stand closer together, and where that is not enough, their numbers have one decimal.
    """

    def __init__(
        self,
        scene: ExplainerScene,
        key: str,
        row_ids: Sequence[int],
        column_ids: Sequence[int],
        heads: Sequence[int] = (0, 1),
    ) -> None:
        room = 2 * theme.SAFE_X - (2 * MARK if len(heads) < scene.model.heads else 0.0)
        for decimals, between in ((2, 1.35), (2, 0.7), (1, 0.7)):
            self.maps: list[Heatmap] = [
                scene.heatmap(
                    key,
                    (head,),
                    decimals=decimals,
                    row_names=scene.names(row_ids),
                    column_names=scene.names(column_ids),
                    cell=HEAT_CELL,
                    max_height=3.6,
                    max_width=4.4,
                )
                for head in heads
            ]
            pair = VGroup(*self.maps).arrange(RIGHT, buff=between)
            if pair.width <= room:
                break
        self.more = VGroup()
        if len(heads) < scene.model.heads:
            self.more.add(Words("…", theme.TOKEN_SIZE, theme.DIM).next_to(self.maps[-1].body, RIGHT, 0.25))
        super().__init__(*self.maps, self.more)
        self.shift([-self.get_center()[0], MIDDLE[1] - self.maps[0].body.get_y(), 0])


def masked_map(scene: ExplainerScene, key: str, ids: Sequence[int], head: int = 0) -> Heatmap:
    """A masked attention map in the middle: what the mask closed is red and a plain 0."""
    names = scene.names(ids)
    grid = scene.heatmap(
        key, (head,), row_names=names, column_names=names, cell=HEAT_CELL, max_height=3.0, max_width=4.6
    )
    grid.shift(MIDDLE - grid.body.get_center())
    return close_future(grid)


def close_future(grid: Heatmap) -> Heatmap:
    """Paint the weights of later words as the mask leaves them: red, a plain 0; returns the grid."""
    for i in range(grid.rows):
        for j in range(i + 1, grid.columns):
            cell = grid.cell(i, j).set_words(Words(MASKED_WEIGHT, grid.size))
            cell.paint(fill=theme.tint(theme.MASKED, 0.16), stroke=theme.MASKED, ink=theme.MASKED_INK)
    return grid


class FramedMemory(VGroup):
    """The encoder's output, framed: what the decoder will see of the source. `grid`, `frame`, `tag`."""

    def __init__(self, scene: ExplainerScene, ids: Sequence[int], tag: str) -> None:
        self.grid = named_matrix(scene, "encoder.out", ids, max_height=3.8)
        self.frame = focus_frame(self.grid, buff=0.25, color=theme.SHARED)
        self.tag = Words(tag, theme.LABEL_SIZE, theme.DIM).next_to(self.frame, DOWN, 0.24)
        super().__init__(self.grid, self.frame, self.tag)
