"""Matrices in a row with signs between them: X + PE = X′, X · Wᵀ = Q, and their like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manim import DOWN, RIGHT, AnimationGroup, FadeIn, FadeOut, LaggedStart, VGroup

from . import theme
from .fit import MARK, WIDEST_NUMBER, narrowest_pitch, shares_of
from .formula import Formula
from .grid import WIDEST_ROW_NAME, Heatmap, MatrixGrid, Name
from .motion import paint_now, raise_above
from .words import Words, bold

if TYPE_CHECKING:
    from .scene import ExplainerScene

SIGN_SIZE = 34.0
TAG_GAP = 0.26
LEAST_AIR = 0.13
CROWDED_AIR = 0.2  # between terms that do not draw all of their columns
TAG_FORMULA_SIZE = 36.0


@dataclass(frozen=True)
class Term:
    """One matrix of an equation: where it comes from, what stands under it, how it is drawn.

    `tag` is text, `formula` is set in Typst instead. `named` gives the rows the names of the equation; `heat` draws a
    heat map from `low` to `high` in `color`; `transposed` draws rows as columns (every product here is x · Wᵀ);
    `role` is a colour of the theme that the cells are tinted with. `row_names` and `column_names` name rows and columns
    that are other tokens than the equation's; `first_rows` draws only so many rows.
    """

    key: str
    tag: str
    index: tuple[int, ...] = ()
    decimals: int = 2
    named: bool = False
    heat: bool = False
    low: float = 0.0
    high: float = 1.0
    color: str = theme.SHARED
    columns_named: bool = False
    transposed: bool = False
    formula: str = ""
    role: str = ""
    first_rows: int | None = None
    row_names: tuple[Name, ...] = ()
    column_names: tuple[Name, ...] = ()


class Equation(VGroup):
    """Terms and signs on one line, centred in the frame, with the same cells in every term.

    Parameters: the scene; terms (matrices) and strings (signs) from left to right; the names of the rows; the height
    of the line; the largest cell; the air between the parts, and the least that there must be. Type and cells shrink to
    the width of the safe area, never below what can be read.
    """

    def __init__(
        self,
        scene: ExplainerScene,
        parts: Sequence[Term | str],
        names: Sequence[Name],
        y: float = -0.1,
        cell: tuple[float, float] = (0.96, 0.72),
        size: float = theme.NUMBER_SIZE,
        buff: float = 0.3,
        width: float = 2 * theme.SAFE_X - 0.06,
        least_air: float = LEAST_AIR,
    ) -> None:
        super().__init__()
        terms = [part for part in parts if isinstance(part, Term)]
        signs = {i: bold(part, SIGN_SIZE, theme.DIM) for i, part in enumerate(parts) if isinstance(part, str)}
        columns = [self._columns(scene, term) for term in terms]
        taken = sum(sign.width for sign in signs.values())
        # Row names are as large as the numbers, up to the size of a label: small numbers leave more room.
        rooms = [
            width - taken - sum(self._heading(term, names, label) for term in terms)
            for label in (theme.LABEL_SIZE, theme.SMALL_SIZE)
        ]
        drawn, widths = self._shares(scene, terms, columns, (rooms[0], rooms[1]), (buff, least_air), len(parts) - 1)
        self.grids: list[MatrixGrid] = []
        self.tags = VGroup()
        self.signs = VGroup(*signs.values())
        placed = VGroup()
        for i, part in enumerate(parts):
            if isinstance(part, str):
                placed.add(signs[i])
                continue
            which = len(self.grids)
            shown = drawn[which] if drawn[which] < columns[which] else None
            grid = self._grid(scene, part, names, cell, size, widths[which], shown)
            self.grids.append(grid)
            placed.add(grid)
        placed.arrange(RIGHT, buff=buff)
        if placed.width > width:  # numbers that may not get smaller: the air between the terms gives way
            placed.arrange(RIGHT, buff=max(buff - (placed.width - width) / (len(parts) - 1), least_air))
        for part in placed:
            middle = part.body if isinstance(part, MatrixGrid) else part
            part.shift([0, y - middle.get_y(), 0])
        placed.shift([-placed.get_center()[0], 0, 0])
        for term, grid in zip(terms, self.grids, strict=True):
            self.tags.add(self._tag(term).next_to(grid.body, DOWN, TAG_GAP))
        self.add(*placed, self.tags)

    @staticmethod
    def _shares(
        scene: ExplainerScene,
        terms: Sequence[Term],
        columns: Sequence[int],
        widths: tuple[float, float],
        air: tuple[float, float],
        gaps: int,
    ) -> tuple[list[int], list[float]]:
        """How many columns of each term are drawn, and how wide each may be.

        `widths` are for all columns and the air between the terms, with large and with small names before the rows;
        `air` is as asked and the least, at each of the `gaps`.
        """
        buff, least = air
        width = widths[1]
        room = widths[0] - buff * gaps
        fair = [room / sum(columns) * count for count in columns]
        if room / sum(columns) >= WIDEST_NUMBER:
            return list(columns), fair
        pitches = [narrowest_pitch(scene.trace, term.key, term.index, term.decimals) for term in terms]
        needs = [n * pitch for n, pitch in zip(columns, pitches, strict=True)]
        if all(share >= need for share, need in zip(fair, needs, strict=True)):
            return list(columns), fair
        if sum(needs) <= width - least * gaps:  # wide numbers get more room than narrow ones
            spare = max(room - sum(needs), 0.0) / sum(columns)
            return list(columns), [need + spare * count for need, count in zip(needs, columns, strict=True)]
        room = width - max(least, CROWDED_AIR) * gaps
        drawn = shares_of(columns, pitches, room)
        marks = [MARK if shown < there else 0.0 for shown, there in zip(drawn, columns, strict=True)]
        needed = [shown * pitch for shown, pitch in zip(drawn, pitches, strict=True)]
        spare = max(room - sum(needed) - sum(marks), 0.0) / sum(drawn)
        return drawn, [need + spare * shown for need, shown in zip(needed, drawn, strict=True)]

    @staticmethod
    def _columns(scene: ExplainerScene, term: Term) -> int:
        return int(scene.trace[term.key][term.index].shape[-2 if term.transposed else -1])

    @staticmethod
    def _heading(term: Term, names: Sequence[Name], size: float) -> float:
        """The width of the names before the rows of a term."""
        shown = term.row_names or (names if term.named else ())
        widths = (min(bold(name.text, size).width, WIDEST_ROW_NAME) + 0.2 for name in shown)
        return max(widths, default=0.0)

    @staticmethod
    def _tag(term: Term) -> VGroup | Words:
        """What stands under a term: a formula, words, or nothing."""
        if term.formula:
            return Formula(term.formula, TAG_FORMULA_SIZE, theme.DIM)
        return Words(term.tag, theme.LABEL_SIZE, theme.DIM) if term.tag else VGroup()

    @staticmethod
    def _grid(
        scene: ExplainerScene,
        term: Term,
        names: Sequence[Name],
        cell: tuple[float, float],
        size: float,
        room: float,
        shown: int | None,
    ) -> MatrixGrid:
        """The picture of a term, no wider than `room`; `shown` columns of it, or all for None."""
        settings: dict[str, Any] = {
            "decimals": term.decimals,
            "cell": cell,
            "size": size,
            "max_width": room,
            "max_height": 3.9,
            "row_names": term.row_names or (names if term.named else None),
            "column_names": term.column_names or (names if term.columns_named else None),
            "transposed": term.transposed,
            "first_rows": shown if term.transposed and shown else term.first_rows,
            "first_columns": None if term.transposed else shown,
            "marked": True,
        }
        if term.heat:
            return Heatmap(
                scene.trace, term.key, term.index, low=term.low, high=term.high, color=term.color, **settings
            )
        grid = MatrixGrid(scene.trace, term.key, term.index, **settings)
        if term.role:
            paint_now(grid.body, term.role, 0.16)
        return grid

    # -- movement -------------------------------------------------------------------------------------------------
    def operands_appear(self, count: int | None = None, **settings: float) -> LaggedStart:
        """All terms and signs but the last `=` and result fade in from the left (or the first `count` parts)."""
        parts = list(self.submobjects[:-1])[: count if count is not None else -2]
        tags = list(self.tags[: sum(isinstance(part, MatrixGrid) for part in parts)])
        shown = [FadeIn(part) for part in parts] + [FadeIn(tag) for tag in tags]
        return LaggedStart(*shown, lag_ratio=0.3, **settings)

    def result_appears(self, *sources: MatrixGrid, **settings: float) -> AnimationGroup:
        """The last sign, tag and term come in; every row of the result gathers from the same row of the sources."""
        result = self.grids[-1]
        rows = []
        for i in range(result.rows):
            copies = [raise_above(source.row(i).copy()) for source in sources]
            gather = [FadeOut(copy, target_position=result.row(i)) for copy in copies]
            rows.append(AnimationGroup(*gather, FadeIn(result.row_with_label(i))))
        return AnimationGroup(
            FadeIn(self.signs[-1]), FadeIn(self.tags[-1]), LaggedStart(*rows, lag_ratio=0.35), **settings
        )
