"""Movements of one Transformer layer, shared by the scenes that walk through encoder and decoder layers.

A `LayerScene` names the rows it follows (`follow`) and plays sums, norms, weighted sums and the feed-forward network on
them. Texts come from the scene, since they are its storyboard entry's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import UP, Animation, FadeIn, FadeOut, LaggedStart, VMobject

from . import theme
from .beats import Beat
from .boxes import Cell, focus_frame
from .equation import Equation, Term
from .flow import FlowArrow
from .formula import Formula
from .grid import MatrixGrid
from .motion import appear, grid_flights, raise_above, reword, settle, vanish
from .scene import ExplainerScene
from .words import Words, bold

HEAD_TINTS = (theme.tint(theme.VALUE, 0.22), theme.tint(theme.KEY, 0.22))
ARROW_FORMULA_SIZE = 36.0
ARROW_ROOM = 1.35  # for an arrow with its formula
FEW_WORDS = 5


class LayerScene(ExplainerScene):
    """A scene that follows the rows of a sentence through the parts of a layer."""

    def follow(self, key: str) -> None:
        """Follow the tokens whose ids stand under `key` ("src.tokens", "tgt.tokens")."""
        self.ids = [int(i) for i in self.trace[key]]
        self.row_names = self.names(self.ids)

    def clear_for(self, *incoming: Animation, seconds: float, keep: Sequence[VMobject] = ()) -> None:
        """What was on stage leaves first, and only then the new things come: two pictures never lie over each other."""
        leaving = [FadeOut(part) for part in self.others(*keep)]
        if leaving:
            self.play(*leaving, run_time=seconds * 0.35)
        self.play(*incoming, run_time=seconds * (0.65 if leaving else 1.0))

    # -- attention ------------------------------------------------------------------------------------------------
    def gather_row(self, picture: Equation, i: int, seconds: float) -> None:
        """Row i of the weights lights the value rows by their weight; they run together into row i of the blend.

        `picture` holds pattern, values and blend in this order.
        """
        pattern, values, blend = picture.grids
        weights = np.asarray(pattern.trace[pattern.key])[pattern.index]
        lit = [
            cell.animate.paint(fill=theme.heat(float(weights[i, j]), theme.VALUE))
            for j in range(values.rows)
            for cell in values.row(j)
        ]
        frame = focus_frame(pattern.row(i))
        self.play(FadeIn(frame), *lit, run_time=seconds * 0.45)
        target = raise_above(blend.row(i))
        copies = [raise_above(values.row(j).copy()) for j in range(values.rows)]
        self.play(
            *[FadeOut(copy, target_position=target) for copy in copies],
            FadeIn(target),
            *appear(*blend.more[i : i + 1]),
            FadeOut(frame),
            run_time=seconds * 0.45,
        )
        settle(target)

    def keys_across(self, key: str, head: int) -> Term:
        """The keys of one head, transposed, as a term; many words leave room for one decimal only."""
        decimals = 2 if self.trace[key].shape[1] <= FEW_WORDS else 1
        return Term(key, "", (head,), decimals, transposed=True, formula="K^top", role=theme.KEY)

    def tint_heads(self, joined: MatrixGrid) -> None:
        """Neighbouring heads get different quiet tints, so that it can be seen what came from where."""
        for i in range(joined.rows):
            for j in range(joined.columns):
                joined.cell(i, j).paint(fill=HEAD_TINTS[j // self.model.d_head % len(HEAD_TINTS)])

    # -- residual and norm ----------------------------------------------------------------------------------------
    def add_rows(self, beat: Beat, left: Term, right: Term, total: Term, share: float = 0.9) -> Equation:
        """Two matrices are added row by row in `share` of the beat; what was on stage makes room."""
        picture = Equation(self, [left, "+", right, "=", total], self.row_names)
        self.clear_for(picture.operands_appear(), seconds=beat.share(0.45 * share))
        self.play(picture.result_appears(*picture.grids[:2]), run_time=beat.share(0.5 * share))
        return picture

    def norm_picture(self, source: str, norm: str, tag: str, normed: str) -> Equation:
        """Rows, their mean, their variance and the normalised rows, from the keys `source` and `norm`.*."""
        parts: list[Term | str] = [
            Term(source, tag, named=True),
            Term(f"{norm}.mean", ""),
            Term(f"{norm}.var", ""),
            "→",
            Term(f"{norm}.out", normed),
        ]
        return Equation(self, parts, self.row_names, y=-0.35, buff=0.5)

    def rows_normalised(self, picture: Equation, seconds: float) -> None:
        """Rows, mean and variance run together into the normalised rows, one row after the other."""
        rows, mean, variance, out = picture.grids
        arrive: list[Animation] = []
        for i in range(rows.rows):
            sources = [raise_above(grid.row(i).copy()) for grid in (rows, mean, variance)]
            arrive += [FadeOut(row, target_position=out.row(i)) for row in sources]
            arrive.append(FadeIn(out.row_with_mark(i)))
        self.play(LaggedStart(*arrive, lag_ratio=0.12), run_time=seconds)

    # -- feed-forward ---------------------------------------------------------------------------------------------
    def network_picture(self, source: str, result: str, left: str, right: str) -> Equation:
        """Two matrices with room for an arrow between them."""
        parts = [Term(source, left, named=True), Term(result, right)]
        return Equation(
            self,
            parts,
            self.row_names,
            buff=1.6,
            cell=(0.9, 0.72),
            size=22,
            width=2 * theme.SAFE_X - 0.28,  # a frame may go around its last column
            least_air=ARROW_ROOM,
        )

    def network_arrow(self, picture: Equation, formula: str) -> list[VMobject]:
        """The arrow between the two matrices and what is multiplied on the way."""
        source, result = picture.grids
        arrow = FlowArrow([source.body.get_right(), [result.body.get_left()[0], source.body.get_y(), 0]])
        return [arrow, Formula(formula, ARROW_FORMULA_SIZE, theme.DIM).next_to(arrow, UP, 0.18)]

    def rows_through(self, picture: Equation, seconds: float) -> None:
        """Each row goes through the network by itself."""
        source, result = picture.grids
        for i in range(source.rows):
            travelling = raise_above(source.row(i).copy())
            self.play(
                FadeOut(travelling, target_position=result.row(i)),
                FadeIn(result.row_with_mark(i)),
                run_time=seconds / source.rows,
            )

    def darken_negatives(self, hidden: MatrixGrid, post: str, seconds: float) -> None:
        """ReLU in place: negatives become the zeros of the key `post` and go dark, the rest lights up by its size."""
        name = bold("ReLU", theme.LABEL_SIZE, theme.INK).next_to(hidden.body, UP, 0.25)
        self.play(FadeIn(name), run_time=seconds * 0.15)
        top = float(np.max(self.trace[post])) or 1.0
        dark, lit = [], []
        for i, j in np.ndindex(hidden.rows, hidden.columns):
            cell = hidden.cell(i, j)
            if float(hidden.values[i, j]) < 0:
                zero = self.number(post, (i, j), size=hidden.size)
                dark.append(reword(cell, zero, fill=theme.BACKGROUND, stroke=theme.LINE, ink=theme.DIM))
            else:
                lit.append(cell.animate.paint(fill=theme.heat(float(hidden.values[i, j]) / top)))
        if dark:
            self.play(LaggedStart(*dark, lag_ratio=0.1), run_time=seconds * 0.6)
        if lit:
            self.play(*lit, run_time=seconds * 0.25)

    def paint_hidden(self, hidden: MatrixGrid) -> None:
        """Paint a matrix behind the ReLU as `darken_negatives` leaves it."""
        top = float(hidden.values.max()) or 1.0
        for i, j in np.ndindex(hidden.rows, hidden.columns):
            value = float(hidden.values[i, j])
            cell: Cell = hidden.cell(i, j)
            if value == 0:
                cell.paint(fill=theme.BACKGROUND, ink=theme.DIM)
            else:
                cell.paint(fill=theme.heat(value / top))

    # -- passing on -----------------------------------------------------------------------------------------------
    def carry_over(self, old: MatrixGrid, new: MatrixGrid, seconds: float, also: Sequence[Words] = ()) -> None:
        """The matrix `old` moves to where `new`, the same matrix, stands; everything else leaves the stage."""
        raise_above(new)
        self.play(
            *[FadeOut(part) for part in self.others()],
            *grid_flights(old, new),
            FadeIn(new.row_labels),
            *[FadeIn(part) for part in also],
            run_time=seconds,
        )
        settle(new)

    def become(self, old: MatrixGrid, new: MatrixGrid) -> list[Animation]:
        """One grid with its headings moves to where the other stands, which may draw more or fewer columns of it."""
        moves: list[Animation] = [*vanish(old.more), *appear(new.more)]
        rows = [*zip(old.cells, new.cells, strict=True)]
        for mine, theirs in [*rows, (list(old.row_labels), list(new.row_labels)), self._headings(old, new)]:
            for one, other in zip(mine, theirs, strict=False):
                # A heading cut to another length, or a number with fewer decimals, gives way.
                same = text_of(one) == text_of(other)
                moves += [one.animate.become(other)] if same else [FadeOut(one), FadeIn(other)]
            moves += [FadeOut(one) for one in mine[len(theirs) :]] + [FadeIn(one) for one in theirs[len(mine) :]]
        return moves

    @staticmethod
    def _headings(old: MatrixGrid, new: MatrixGrid) -> tuple[list[VMobject], list[VMobject]]:
        return list(old.column_labels), list(new.column_labels)


def text_of(one: Cell | Words) -> str:
    """What a cell or a heading says."""
    return one.words.string if isinstance(one, Cell) else one.string
