"""A dot product on a worksheet: factor under factor, their products in a line, and the sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import BOLD, Animation, AnimationGroup, FadeIn, FadeOut, LaggedStart, Mobject, VGroup

from . import theme
from .boxes import Cell
from .motion import fly, raise_above, settle
from .reckoning import Entry, Product, Result
from .roles import tinge
from .words import Number, Words, as_printed, equals

_SIGN_AIR = 0.17  # on both sides of a plus, in units at any size


class DotProduct(VGroup):
    """a₁·b₁ + a₂·b₂ + … = c, written in columns.

    Parameters: the trace; the entries of both vectors and of their product; decimals of a, of b and of all results;
    colours of a, of b and of the sum; the type size, which shrinks down to the smallest readable one to keep within
    `max_width`, and then so many terms are drawn as fit, with a mark for the others.
    Raises ValueError when the trace does not hold the sum of the products in `total`.
    """

    def __init__(
        self,
        trace: Any,
        left: Sequence[Entry],
        right: Sequence[Entry],
        total: Entry,
        decimals: tuple[int, int, int] = (2, 2, 2),
        colors: tuple[str, str, str] = (theme.INK, theme.INK, theme.INK),
        size: float = theme.NUMBER_SIZE,
        max_width: float | None = None,
    ) -> None:
        pairs = list(zip(left, right, strict=True))
        reckoned = sum(a.value(trace) * b.value(trace) for a, b in pairs)
        if not np.isclose(reckoned, total.value(trace), rtol=1e-9, atol=1e-12):
            raise ValueError(f"{total} is {total.value(trace)}, but the products add up to {reckoned}")
        self.trace, self.pairs, self.total_entry = trace, pairs, total
        self.decimals, self.colors = decimals, colors
        self.size, self.shown = self._fit(size, max_width)
        super().__init__()
        self._write()

    # -- making -------------------------------------------------------------------------------------------------
    def _fit(self, size: float, max_width: float | None) -> tuple[float, int]:
        """Type size and how many terms are drawn."""
        count = len(self.pairs)
        if max_width is None:
            return size, count
        while size > theme.SMALL_SIZE and self._width(size, count) > max_width:
            size = max(size - 0.5, theme.SMALL_SIZE)
        while count > 1 and self._width(size, count) > max_width:
            count -= 1
        return size, count

    def _pitch(self, size: float) -> float:
        """Distance of neighbouring columns: a product and a plus fit between their middles."""
        widest = max(Result(self.trace, Product(pair), self.decimals[2], size).width for pair in self.pairs)
        return max(widest + Words("+", size).width + 2 * _SIGN_AIR, self._cell(size)[0] + 0.12)

    def _cell(self, size: float) -> tuple[float, float]:
        entries = [e for pair in self.pairs for e in pair]
        d = max(self.decimals[:2])
        widest = max(Number(self.trace, e.key, e.index, d, size).width for e in entries)
        cap = Words("0", size).cap_height
        return widest + 1.2 * cap, 2.3 * cap

    def _width(self, size: float, count: int) -> float:
        more = 0.6 if count < len(self.pairs) else 0.0
        total = Number(self.trace, self.total_entry.key, self.total_entry.index, self.decimals[2], size, weight=BOLD)
        return (count - 1) * self._pitch(size) + self._cell(size)[0] + more + 0.5 + total.width + 2.4 * total.cap_height

    def _write(self) -> None:
        size, pitch = self.size, self._pitch(self.size)
        width, height = self._cell(size)
        cap = Words("0", size).cap_height
        rows = (0.0, -(height + 1.25 * cap), -(2 * height + 1.25 * cap + 1.15 * cap))  # factors, factors, products
        self.left, self.right = VGroup(), VGroup()
        self.times, self.products, self.pluses = VGroup(), VGroup(), VGroup()
        for j, (a, b) in enumerate(self.pairs[: self.shown]):
            x = j * pitch
            for cells, entry, k in ((self.left, a, 0), (self.right, b, 1)):
                cell = Cell(Number(self.trace, entry.key, entry.index, self.decimals[k], size), width, height)
                tinge([cell], self.colors[k])
                cells.add(cell.move_to([x, rows[k], 0]))
            self.times.add(Words("×", max(size * 0.9, theme.SMALL_SIZE), theme.DIM).move_to([x, rows[1] / 2, 0]))
            product = Result(self.trace, Product((a, b)), self.decimals[2], size)
            self.products.add(product.move_to([x, rows[2], 0]))
            if j:
                # In the middle of the gap, which is not that of the columns when the numbers differ in width.
                gap = (self.products[j - 1].get_right()[0] + product.get_left()[0]) / 2
                self.pluses.add(Words("+", size, theme.DIM).move_to([gap, rows[2], 0]))
        x = self.products[-1].get_right()[0]
        self.more = VGroup()
        if self.shown < len(self.pairs):
            x = max(x, self.left[-1].get_right()[0]) + 0.3
            self.more.add(*[Words("…", size, theme.DIM).move_to([x, y, 0]) for y in rows])
            x += 0.15
        self.equals = Words(self._sign(), size, theme.DIM)
        self.equals.move_to([x + _SIGN_AIR + self.equals.width / 2, rows[2], 0])
        entry = self.total_entry
        number = Number(self.trace, entry.key, entry.index, self.decimals[2], size, weight=BOLD)
        self.total = Cell(number, number.width + 2.0 * cap, height)
        tinge([self.total], self.colors[2])
        self.total.next_to(self.equals, buff=0.2)
        self.factors = VGroup(self.left, self.right)
        self.add(self.factors, self.times, self.products, self.pluses, self.more, self.equals, self.total)

    def _sign(self) -> str:
        """Whether the products as they are printed add up to the sum as it is printed."""
        d = self.decimals[2]
        products = sum(as_printed(Product(pair).value(self.trace), d) for pair in self.pairs)
        return equals(products, as_printed(self.total_entry.value(self.trace), d))

    # -- motion -------------------------------------------------------------------------------------------------
    def arrive(self, left: Sequence[Mobject], right: Sequence[Mobject], lag: float = 0.35) -> Animation:
        """The factors fly in pairwise, from the cells of `left` and `right`; call `settle` after the play.

        A factor whose cell is not among them (its matrix draws fewer columns) fades in.
        """
        raise_above(self.factors)
        pairs = [
            AnimationGroup(
                *[
                    fly(sources[j], cells[j]) if j < len(sources) else FadeIn(cells[j])
                    for sources, cells in ((left, self.left), (right, self.right))
                ],
                FadeIn(self.times[j]),
            )
            for j in range(self.shown)
        ]
        return LaggedStart(*pairs, *[FadeIn(mark) for mark in self.more[:2]], lag_ratio=lag)

    def settle(self) -> None:
        """The factors lie still among other things again."""
        settle(self.factors)

    def multiply(self, lag: float = 0.5) -> Animation:
        """Column by column the two factors fall together into their product."""
        falls = []
        for j in range(self.shown):
            copies = [self.left[j].words.copy(), self.right[j].words.copy()]
            for copy in copies:
                raise_above(copy)
            product = self.products[j]
            fall = [FadeOut(copy, target_position=product) for copy in copies]
            falls.append(AnimationGroup(*fall, FadeIn(product, target_position=self.right[j])))
        return LaggedStart(*falls, lag_ratio=lag)

    def add_up(self) -> Animation:
        """Pluses between the products, then all of them run into the sum."""
        signs = [FadeIn(sign) for sign in (*self.pluses, *self.more[2:], self.equals)]
        copies = [raise_above(product.copy()) for product in self.products]
        run = AnimationGroup(
            *[FadeOut(copy, target_position=self.total) for copy in copies], FadeIn(self.total, scale=0.7)
        )
        return LaggedStart(AnimationGroup(*signs), run, lag_ratio=0.6)
