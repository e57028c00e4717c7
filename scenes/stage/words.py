"""Text as one leaf: a whole line of glyphs in one mobject whose box is its cap height and advance.

Two reasons for a class of its own. Lines that are aligned by their *ink* jump up and down with every descender; here
the box runs from the baseline to the cap height, so `next_to`, `move_to` and `arrange` put all text on a common
baseline. And a line is one leaf for the renderer instead of one per glyph.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from manim import BOLD, NORMAL, VMobject

from . import outlines, theme

REFERENCE_SIZE = 96.0  # outlines are made once at this size and scaled: small sizes would be hinted unevenly
_BOX_POINTS = 8  # two degenerate curves at the corners of the box lead every outline
_STEM = "H"  # leads every line while it is measured: its foot is the baseline, its head the cap height


@lru_cache(maxsize=8192)
def _outline(string: str, weight: str) -> np.ndarray:
    """Points of `string` at REFERENCE_SIZE, shape (4 * curves, 3), baseline at y = 0, ink from x = 0.

    The first eight points are the box: lower left corner four times, upper right corner four times.
    """
    stem, *glyphs = outlines.glyphs(_STEM + string, REFERENCE_SIZE, weight)
    if not glyphs:
        raise ValueError(f"nothing of {string!r} can be seen")
    baseline, cap = stem[:, 1].min(), np.ptp(stem[:, 1])
    ink = np.concatenate(glyphs)
    left, right = ink[:, 0].min(), ink[:, 0].max()
    low, high = np.array([left, baseline, 0.0]), np.array([right, baseline + cap, 0.0])
    points = np.concatenate([np.tile(low, (4, 1)), np.tile(high, (4, 1)), ink])
    points -= low
    points.setflags(write=False)
    return points


@lru_cache(maxsize=1)
def cap_height_per_size() -> float:
    """Cap height of one font-size point in manim units."""
    return float(_outline("H", NORMAL)[4, 1]) / REFERENCE_SIZE


class Origin(Protocol):
    """Where a number on screen comes from, so that it can be found again in any trace."""

    @property
    def decimals(self) -> int:
        """How many decimals are printed."""

    def value(self, trace: Any) -> float:
        """What the trace says; KeyError or IndexError when it has no such entry."""


@dataclass(frozen=True)
class Provenance:
    """The origin of most numbers: a trace key, an index into its array, and how it is printed."""

    key: str
    index: tuple[int, ...]
    decimals: int

    def value(self, trace: Any) -> float:
        """The entry; TypeError when the index names more than one."""
        return float(np.asarray(trace[self.key])[self.index])

    def __str__(self) -> str:
        return f"{self.key}{list(self.index)}"


def format_value(value: float, decimals: int) -> str:
    """`value` with a fixed number of decimals and a true minus sign; a rounded zero has no sign."""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def as_printed(value: float, decimals: int) -> float:
    """The number that a reader sees for `value`."""
    return float(f"{value:.{decimals}f}")


def equals(reckoned: float, printed: float) -> str:
    """The sign between what a reader can reckon and the printed result: "=" where both are one, else "≈"."""
    return "=" if math.isclose(reckoned, printed, rel_tol=0, abs_tol=1e-9) else "≈"


def power_of_ten(value: float) -> str:
    """A power of ten as programs write it: "−1e9" (the font has no raised 9). Raises ValueError for other numbers."""
    exponent = round(math.log10(abs(value))) if value else 0
    if abs(abs(value) / 10.0**exponent - 1) > 1e-12:
        raise ValueError(f"{value} is not a power of ten")
    return f"{'−' if value < 0 else ''}1e{exponent}".replace("-", "−")


class Words(VMobject):
    """One line of text.

    Parameters: the string (not blank), font size, colour, weight. Its box (`width`, `height`, `get_left` ...) is cap
    height by ink width, so that descenders and accents do not move it; `ink_box` is what is really painted.
    """

    def __init__(
        self,
        string: str,
        size: float = theme.BODY_SIZE,
        color: str = theme.INK,
        weight: str = NORMAL,
        provenance: Origin | None = None,
    ) -> None:
        if not string.strip():
            raise ValueError("Words needs at least one visible character")
        super().__init__(stroke_width=0, fill_opacity=1.0, fill_color=color, color=color)
        self.string = string
        self.size = size
        self.weight = weight
        self.provenance = provenance
        self.points = _outline(string, weight) * (size / REFERENCE_SIZE)
        self.set_z_index(theme.Z_WORDS)

    # -- the box ----------------------------------------------------------------------------------------------
    def get_anchors(self) -> np.ndarray:
        """The corners of the box (2, 3): what layout and grouping see."""
        return self.points[[0, 4]]

    def get_points_defining_boundary(self) -> np.ndarray:
        """The corners of the box (2, 3)."""
        return self.get_anchors()

    def reduce_across_dimension(self, reduce_func: Callable[[Iterable[float]], float], dim: int) -> float:
        """Extent of the box along one axis."""
        return float(reduce_func(self.get_anchors()[:, dim]))

    @property
    def cap_height(self) -> float:
        """Height of a capital letter as drawn now, in manim units."""
        return float(self.points[4, 1] - self.points[0, 1])

    def pattern(self) -> np.ndarray:
        """The outline that the string has by itself (4 * curves, 3), wherever and however large it is drawn."""
        return _outline(self.string, self.weight)

    def ink_box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top of the painted glyphs."""
        ink = self.points[_BOX_POINTS:]
        low, high = ink.min(axis=0), ink.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def paint(self, color: str) -> Words:
        """Set the ink; can be animated."""
        self.set_fill(color, opacity=1.0)
        return self


def bold(string: str, size: float = theme.BODY_SIZE, color: str = theme.INK) -> Words:
    """A line in the bold weight."""
    return Words(string, size, color, BOLD)


def shortened(string: str, width: float, size: float = theme.BODY_SIZE, weight: str = NORMAL) -> str:
    """`string` if it is at most `width` units wide at `size`, else its beginning with an ellipsis, or one character."""

    def fits(text: str) -> bool:
        return Words(text, size, weight=weight).width <= width

    if len(string) < 2 or fits(string):
        return string
    # Halving: setting a line takes long, and a longer line is a wider one.
    length = bisect_left(range(1, len(string)), True, key=lambda n: not fits(string[:n] + "…"))
    return string[:length] + "…" if length else string[:1]


class Number(Words):
    """A value of the trace as text; it knows where it comes from.

    Parameters: the trace (anything with `__getitem__` from key to array), key, index of one entry, decimals.
    Raises IndexError when the index does not name one entry.
    """

    def __init__(
        self,
        trace: Any,
        key: str,
        index: tuple[int, ...] = (),
        decimals: int = 2,
        size: float = theme.NUMBER_SIZE,
        color: str = theme.INK,
        weight: str = NORMAL,
    ) -> None:
        entry = np.asarray(trace[key])[index]
        if np.ndim(entry) != 0:
            raise IndexError(f"{key}[{index}] is an array of shape {np.shape(entry)}, not one value")
        self.value = float(entry)
        super().__init__(
            format_value(self.value, decimals), size, color, weight, Provenance(key, tuple(index), decimals)
        )
