"""Bézier points as Cairo paths, built in NumPy and appended to a context in one call.

What manim does with one call a curve (`move_to`, `curve_to`, `close_path`) is written here into one array of Cairo's
own path data (`cairo_path_data_t`: 16 bytes an element, a header before the points of each command) and handed over by
`cairo_append_path`, which issues the very same commands, so the picture is the same to the last bit.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cairo
import numpy as np

# numpy.isclose's relative tolerance, which manim's test for "the same point" uses.
RELATIVE_TOLERANCE = 1.0e-5
CURVE_POINTS = 4


def _header(kind: int, length: int) -> np.ndarray:
    """A `cairo_path_data_t` header, as the two doubles that have its bytes."""
    return np.array([kind, length, 0, 0], np.int32).view(np.float64)


_MOVE, _CURVE, _CLOSE = _header(0, 2), _header(2, 4), _header(3, 1)


class _CairoPath(ctypes.Structure):
    """`cairo_path_t`."""

    _fields_ = (("status", ctypes.c_int), ("data", ctypes.c_void_p), ("num_data", ctypes.c_int))


@dataclass(frozen=True)
class Layout:
    """Where the commands and points of a set of subpaths lie in the path data.

    `template` has every header in place, in the rows `headers`; `moves` are the rows for the subpaths' first points
    `firsts`; `curves` the rows, three a curve, for the points of the curves. `lasts` are the subpaths' last points.
    """

    template: np.ndarray
    headers: np.ndarray
    firsts: np.ndarray
    lasts: np.ndarray
    moves: np.ndarray
    curves: np.ndarray

    @property
    def single(self) -> bool:
        """One subpath: its points lie side by side in the path data."""
        return len(self.firsts) == 1


class Outline:
    """A path that can be appended to a context as often as wanted.

    `low` and `high` are the corners of a box around all its points in manim units; `reach` is how far its joins
    reach, in half line widths, once somebody has asked.
    """

    __slots__ = ("_path", "data", "high", "layout", "low", "pointer", "reach")

    def __init__(self, data: np.ndarray, layout: Layout, low: tuple[float, float], high: tuple[float, float]) -> None:
        self.data = data
        self.layout = layout
        self.low, self.high = low, high
        self.reach: float | None = None
        self._path = _CairoPath(0, data.ctypes.data, len(data))
        self.pointer = ctypes.addressof(self._path)


def outline_of(points: np.ndarray, tolerance: float, layout: Layout | None = None) -> Outline | None:
    """The outline of `points` (n, 2 or 3), finite: four a curve; None when there is no whole curve.

    Subpaths end where a curve does not begin at the end of the one before, within `tolerance` and a relative
    tolerance, and are closed when they end where they began: manim's rules to the letter. Who knows the layout can
    say it.
    """
    layout = layout or layout_of(points, tolerance)
    if layout is None:
        return None
    xy = points[:, :2].astype(np.float64, copy=False)
    count = len(points) // CURVE_POINTS
    data = layout.template.copy()
    curves = xy[: count * CURVE_POINTS].reshape(count, CURVE_POINTS, 2)[:, 1:]
    if layout.single:
        data[1] = xy[layout.firsts[0]]
        data[2 : 2 + count * CURVE_POINTS].reshape(count, CURVE_POINTS, 2)[:, 1:] = curves
    else:
        data[layout.moves] = xy[layout.firsts]
        data[layout.curves] = curves.reshape(-1, 2)
    low, high = xy.min(axis=0).tolist(), xy.max(axis=0).tolist()
    return Outline(data, layout, (low[0], low[1]), (high[0], high[1]))


def layout_of(points: np.ndarray, tolerance: float) -> Layout | None:
    """How `points` fall into subpaths; None when there is no whole curve."""
    total = len(points)
    if total < CURVE_POINTS:
        return None
    xy = points[:, :2]
    starts = xy[CURVE_POINTS::CURVE_POINTS]
    ends = xy[CURVE_POINTS - 1 :: CURVE_POINTS][: len(starts)]
    splits = np.flatnonzero(~_close(ends, starts, tolerance)) + 1 if len(starts) else np.empty(0, np.int64)
    firsts = np.concatenate([[0], splits * CURVE_POINTS])
    lasts = np.concatenate([splits * CURVE_POINTS, [total]])
    whole = lasts - firsts >= CURVE_POINTS
    if not whole.all():
        firsts, lasts = firsts[whole], lasts[whole]
    closed = _close(xy[firsts], xy[lasts - 1], tolerance)
    return _layout(firsts.tobytes(), lasts.tobytes(), closed.tobytes())


def _close(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Which rows of `a` and `b` (n, 2), finite, are the same point."""
    return (np.abs(a - b) <= tolerance + RELATIVE_TOLERANCE * np.abs(b)).all(axis=1)


@lru_cache(maxsize=4096)
def _layout(firsts_bytes: bytes, lasts_bytes: bytes, closed_bytes: bytes) -> Layout:
    firsts = np.frombuffer(firsts_bytes, np.int64)
    lasts = np.frombuffer(lasts_bytes, np.int64)
    closed = np.frombuffer(closed_bytes, bool)
    counts = (lasts - firsts) // CURVE_POINTS
    sizes = 2 + CURVE_POINTS * counts + closed
    bases = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    template = np.zeros((int(sizes.sum()), 2))
    template[bases] = _MOVE
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    headers = np.repeat(bases + 2, counts) + CURVE_POINTS * within
    template[headers] = _CURVE
    template[(bases + sizes - 1)[closed]] = _CLOSE
    curves = (headers[:, None] + np.arange(1, CURVE_POINTS)).ravel()
    every_header = np.flatnonzero(template.any(axis=1))
    return Layout(template, every_header, firsts, lasts - 1, bases + 1, curves)


# -- handing paths over ---------------------------------------------------------------------------------------------
Append = Callable[[Outline], None]


def appender(context: cairo.Context) -> Append:
    """A function that appends outlines to `context`: through Cairo itself, or with pycairo's calls where its library
    cannot be reached."""
    native = _native_append()
    if native is None:
        return lambda outline: trace(context, outline)
    handle = _handle(context)
    return lambda outline: native(handle, outline.pointer)


def trace(context: cairo.Context, outline: Outline) -> None:
    """Append `outline` command by command."""
    kinds = outline.data.view(np.int32)
    rows = outline.data.tolist()
    position = 0
    while position < len(rows):
        kind, length = int(kinds[position, 0]), int(kinds[position, 1])
        points = [number for row in rows[position + 1 : position + length] for number in row]
        if kind == 0:
            context.move_to(*points)
        elif kind == 2:
            context.curve_to(*points)
        else:
            context.close_path()
        position += length


def _handle(context: cairo.Context) -> int:
    """The `cairo_t *` of a pycairo context: the first field after the object's header (py3cairo.h)."""
    return int(ctypes.c_void_p.from_address(id(context) + object.__basicsize__).value or 0)


@lru_cache(maxsize=1)
def _native_append() -> Any | None:
    """`cairo_append_path` of the library that pycairo draws with; None when it cannot be used.

    The symbol is looked up through pycairo's own extension module, so that it is that library and no other one on the
    machine. It is tried once on a small path before it is trusted.
    """
    try:
        library = ctypes.CDLL(importlib.import_module("cairo._cairo").__file__)
        append = library.cairo_append_path
    except (AttributeError, ImportError, OSError):
        return None
    append.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    append.restype = None
    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, 8, 8)
    context, expected = cairo.Context(surface), cairo.Context(surface)
    outline = outline_of(np.array([[1, 1], [2, 5], [5, 2], [6, 6], [6, 6], [4, 7], [2, 3], [1, 1]], float), 1e-6)
    handle = _handle(context)
    if outline is None or handle == 0:
        return None
    append(handle, outline.pointer)
    trace(expected, outline)
    return append if list(context.copy_path()) == list(expected.copy_path()) else None
