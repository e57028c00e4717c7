"""Pictures of learning: a table of probabilities with bars in its cells, and a loss that falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Dot, Line, Rectangle, VGroup, VMobject

from . import theme
from .boxes import panel
from .grid import MatrixGrid, Name
from .words import Number, Words

AIR = 0.15  # units: between a number and the curve beside it


class BarGrid(MatrixGrid):
    """Probabilities as a matrix: in each cell a bar as long as the value, in the quiet colour of its column's word."""

    def __init__(
        self, trace: Any, key: str, index: tuple[int, ...] = (), *, bar_names: Sequence[Name], **settings: Any
    ):
        super().__init__(trace, key, index, **settings)
        self.bars = [[self._bar(i, j, bar_names[j].color) for j in range(self.columns)] for i in range(self.rows)]
        for row in self.bars:
            self.body.add(*row)

    def _bar(self, i: int, j: int, color: str) -> Rectangle:
        box = self.cell(i, j).box
        width = max((box.width - 0.06) * float(self.values[i, j]), 0.02)
        bar = Rectangle(
            width=width,
            height=box.height - 0.06,
            stroke_width=0,
            fill_color=theme.mix(color, theme.PANEL, 0.36),
            fill_opacity=1,
        )
        return bar.move_to(box.get_left() + RIGHT * 0.03, aligned_edge=LEFT).set_z_index(1)

    def row_with_bars(self, i: int) -> VGroup:
        """Row i: heading, cells and bars."""
        return VGroup(self.row_with_label(i), *self.bars[i])


class LossCurve(VGroup):
    """The loss along a training, from the first update to the last, with its first and last value beside it.

    `pieces` are the stretches of the curve between the chosen `moments` (indices into the keys' step axis), so that a
    scene can draw them one after the other; `points` are the places of the moments.
    """

    def __init__(
        self,
        trace: Any,
        corpus: str,
        moments: Sequence[int],
        left: float,
        right: float,
        bottom: float,
        top: float,
        across: str,
        up: str,
    ) -> None:
        super().__init__()
        self.steps = np.asarray(trace[f"training.{corpus}.steps"])
        self.loss = np.asarray(trace[f"training.{corpus}.loss"])
        self.edges = (left, right, bottom, top)
        self.box = panel(right - left, top - bottom).move_to([(left + right) / 2, (bottom + top) / 2, 0])
        self.axis = Line([left, bottom, 0], [right, bottom, 0], stroke_color=theme.DIM, stroke_width=theme.STRONG)
        self.points = [self._place(t) for t in moments]
        self.pieces = VGroup()
        for a, b in pairwise(moments):
            piece = VMobject(stroke_color=theme.TRAINING, stroke_width=5, fill_opacity=0).set_z_index(theme.Z_ARROW)
            piece.set_points_as_corners([self._place(t) for t in range(a, b + 1)])
            self.pieces.add(piece)
        self.dot = Dot(self.points[0], radius=0.09, color=theme.INK).set_z_index(theme.Z_WORDS)
        first = Number(trace, f"training.{corpus}.loss", (0,), 2, theme.LABEL_SIZE)
        self.first = self._beside_the_curve(first)
        last = Number(trace, f"training.{corpus}.loss", (len(self.loss) - 1,), 3, theme.LABEL_SIZE)
        self.last = last.next_to(self.points[-1], UP, 0.35).shift(LEFT * 0.25)
        self.across = Words(across, theme.LABEL_SIZE, theme.DIM).next_to(self.box, DOWN, 0.24)
        self.up = Words(up, theme.LABEL_SIZE, theme.DIM).next_to(self.box, UP, 0.2, aligned_edge=LEFT)
        self.frame = VGroup(self.box, self.axis, self.across, self.up, self.first, self.dot)
        self.add(self.frame, self.pieces, self.last)

    def _beside_the_curve(self, number: Number) -> Number:
        """The number at the height of the first point, right of all of the curve that comes by at that height."""
        number.next_to(self.points[0], RIGHT, 0.3)
        x, y, _ = np.array([self._place(t) for t in range(len(self.steps))]).T
        along = np.linspace(0, len(x) - 1, 20 * len(x))  # between the moments, too: a steep line passes in one step
        near = np.abs(np.interp(along, np.arange(len(x)), y) - number.get_y()) < number.height / 2 + AIR
        passing = np.interp(along, np.arange(len(x)), x)[near]
        return number.shift(RIGHT * max(0.0, float(passing.max(initial=-np.inf)) + AIR - number.get_left()[0]))

    def _place(self, t: int) -> np.ndarray:
        """Where the t-th moment of the training stands in the panel."""
        left, right, bottom, top = self.edges
        x = left + 0.25 + (right - left - 0.5) * float(self.steps[t] / self.steps[-1])
        y = bottom + 0.2 + (top - bottom - 0.6) * float(self.loss[t] / self.loss.max())
        return np.array([x, y, 0.0])
