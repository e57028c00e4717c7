"""Probabilities over the vocabulary as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, Rectangle, VGroup

from . import theme
from .grid import Name
from .words import Number, Words, bold


class Bar(VGroup):
    """One word of the vocabulary: name, bar, probability."""

    def __init__(self, name: Words, groove: Rectangle, bar: Rectangle, number: Number) -> None:
        super().__init__(groove, bar, name, number)
        self.name_words, self.groove, self.bar, self.number = name, groove, bar, number


class ProbabilityBars(VGroup):
    """One horizontal bar a word; its length is the probability on a common scale from 0 to `full`.

    Parameters: the trace, a key and an index that leave the axis V; names in the order of the ids; the length in
    units that stands for `full`; the distance from row to row.
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...],
        names: Sequence[Name],
        length: float = 2.2,
        pitch: float = 0.46,
        decimals: int = 2,
        size: float = theme.LABEL_SIZE,
        full: float = 1.0,
    ) -> None:
        super().__init__()
        self.values = np.asarray(trace[key])[index]
        if self.values.shape != (len(names),):
            raise IndexError(f"{key}{list(index)} has shape {self.values.shape}; {len(names)} words have names")
        self.length, self.full = length, full
        left = max(bold(name.text, size).width for name in names)
        self.entries = [
            self._entry(trace, key, (*index, i), name, left, decimals, size, pitch).shift(DOWN * i * pitch)
            for i, name in enumerate(names)
        ]
        self.add(*self.entries)

    @property
    def best(self) -> int:
        """The id with the highest probability."""
        return int(np.argmax(self.values))

    def bar_width(self, i: int) -> float:
        """Length of bar i in units; never zero, so that it can be seen and transformed."""
        return max(self.length * float(self.values[i]) / self.full, 0.02)

    def _entry(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...],
        name: Name,
        left: float,
        decimals: int,
        size: float,
        pitch: float,
    ) -> Bar:
        label = bold(name.text, size, name.color)
        height = min(1.45 * label.cap_height, 0.8 * pitch)
        groove = Rectangle(
            width=self.length, height=height, stroke_width=0, fill_color=theme.PANEL_RAISED, fill_opacity=1.0
        ).move_to([left + 0.2, 0, 0], aligned_edge=LEFT)
        bar = Rectangle(
            width=self.bar_width(index[-1]), height=height, stroke_width=0, fill_color=name.color, fill_opacity=1.0
        ).move_to(groove.get_left(), aligned_edge=LEFT)
        label.next_to(groove, LEFT, 0.2)
        number = Number(trace, key, index, decimals, size).next_to(groove, RIGHT, 0.18)
        return Bar(label, groove, bar, number)
