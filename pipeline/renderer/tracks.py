"""The way of one leaf through a Transform: its Drawing for any progress, straight from start and target.

manim interpolates points, colours and widths of every leaf on every frame, in arrays of its own. Here the same
arithmetic, `(1 - alpha) * start + alpha * target`, is done only on what differs and only where Cairo can see it, with
the same results to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from manim import Mobject, VMobject
from manim.camera.camera import CAP_STYLE_MAP, LINE_JOIN_MAP
from manim.utils.bezier import interpolate

from .drawings import Drawing, Paint, View
from .joins import SUBPIXELS, miter_reach, same_directions
from .leaves import PATH_METHODS, STYLE_METHODS, is_plain
from .outlines import CURVE_POINTS, RELATIVE_TOLERANCE, Layout, Outline, layout_of, outline_of

# Start and target closer than this, in manim units, differ by rounding only.
SAME = 1e-12
# How close to the middle between two subpixels a coordinate may lie and still surely be rounded as its neighbours.
TIE = 1e-6

Rgba = tuple[float, float, float, float]


class UnfitError(Exception):
    """This leaf's way cannot be foreseen."""


class Track:
    """A leaf between `start` and `target`. Raises UnfitError when its way cannot be foreseen."""

    def __init__(self, leaf: Any, start: Any, target: Any, path: Any, view: View) -> None:
        if not all(isinstance(one, VMobject) for one in (leaf, start, target)):
            raise UnfitError("not made of curves")
        self.leaf: Mobject = leaf
        self.alpha: float | None = None
        self.drawing: Drawing | None = None
        self._view = view
        self._shape = _shape_of(leaf, start.points, target.points, path, view)
        self._style = _Style(leaf, start, target, view.unit_width)

    def move_to(self, alpha: float) -> Drawing:
        """The leaf's look at the progress `alpha`, 0 at the start, 1 at the target, possibly beyond."""
        if self.drawing is None or alpha != self.alpha:
            self.alpha = alpha = float(alpha)
            paints = self._style.at(alpha)
            self.drawing = Drawing(self._shape.at(alpha) if paints else None, paints, self._view)
        return self.drawing


class _Style:
    """Colours and widths between two leaves of one colour each."""

    def __init__(self, leaf: VMobject, start: VMobject, target: VMobject, unit_width: float) -> None:
        if not is_plain(type(leaf), VMobject, (*STYLE_METHODS, "interpolate", "interpolate_color")):
            raise UnfitError(type(leaf).__name__)
        if leaf.background_image is not None or leaf.shade_in_3d:
            raise UnfitError("not a plain style")
        self._fill = _rgbas(start.fill_rgbas, target.fill_rgbas)
        self._strokes = [
            (
                _numbers(start.background_stroke_width, target.background_stroke_width),
                _rgbas(start.background_stroke_rgbas, target.background_stroke_rgbas),
            ),
            (
                _numbers(start.stroke_width, target.stroke_width),
                _rgbas(start.stroke_rgbas, target.stroke_rgbas),
            ),
        ]
        self._join, self._cap = LINE_JOIN_MAP[leaf.joint_type], CAP_STYLE_MAP[leaf.cap_style]
        self._unit_width = unit_width

    def at(self, alpha: float) -> tuple[Paint, ...]:
        """The visible paints at `alpha`, in drawing order."""
        back, front = (self._stroke(widths, colors, alpha) for widths, colors in self._strokes)
        fill = _mixed(self._fill, alpha)
        paints = (back, None if fill is None else Paint(fill), front)
        return tuple(paint for paint in paints if paint is not None)

    def _stroke(self, widths: tuple[float, float], colors: tuple[Rgba, Rgba], alpha: float) -> Paint | None:
        width = (1 - alpha) * widths[0] + alpha * widths[1]
        if width <= 0:
            return None
        color = _mixed(colors, alpha)
        return None if color is None else Paint(color, width * self._unit_width, self._join, self._cap)


def _mixed(colors: tuple[Rgba, Rgba], alpha: float) -> Rgba | None:
    """The colour at `alpha` in Cairo's order of components, None when it is wholly transparent."""
    (red, green, blue, opacity), (to_red, to_green, to_blue, to_opacity) = colors
    rest = 1 - alpha
    mixed = rest * opacity + alpha * to_opacity
    if mixed <= 0:
        return None
    return (rest * blue + alpha * to_blue, rest * green + alpha * to_green, rest * red + alpha * to_red, mixed)


def _rgbas(start: np.ndarray, target: np.ndarray) -> tuple[Rgba, Rgba]:
    if start.shape != (1, 4) or target.shape != (1, 4):
        raise UnfitError("a gradient")
    return tuple(start[0].tolist()), tuple(target[0].tolist())


def _numbers(start: Any, target: Any) -> tuple[float, float]:
    if isinstance(start, str) or isinstance(target, str):
        raise UnfitError("a stroke width in words")
    return float(start), float(target)


# -- shapes -----------------------------------------------------------------------------------------------------------
class _StillShape:
    """The same path all the way."""

    def __init__(self, outline: Outline | None) -> None:
        self._outline = outline

    def at(self, _alpha: float) -> Outline | None:
        return self._outline


class _FreeShape:
    """Points on any path, looked at afresh each time."""

    def __init__(self, points: tuple[np.ndarray, np.ndarray], path: Any, tolerance: float) -> None:
        self._points, self._path, self._tolerance = points, path, tolerance

    def at(self, alpha: float) -> Outline | None:
        points = self._path(*self._points, alpha)
        return outline_of(points, self._tolerance) if np.isfinite(points).all() else None


class _StraightShape:
    """Points on straight lines whose subpaths stay what they are."""

    def __init__(self, free: _FreeShape, start: Outline, target: Outline, view: View) -> None:
        self._free = free
        self._layout = start.layout
        self._low, self._high = (start.low, target.low), (start.high, target.high)
        # Path data with nothing where headers belong: a header's bytes are no number to calculate with.
        self._start, self._target = start.data.copy(), target.data.copy()
        self._headers = start.layout.template[start.layout.headers]
        for data in (self._start, self._target):
            data[start.layout.headers] = 0.0
        self._reach: float | None = None
        if same_directions(start, target, view.matrix):
            self._reach = max(miter_reach(start, view.matrix), miter_reach(target, view.matrix))

    def at(self, alpha: float) -> Outline | None:
        if not 0 <= alpha <= 1:
            return self._free.at(alpha)
        data = (1 - alpha) * self._start
        data += alpha * self._target
        data[self._layout.headers] = self._headers
        rest = 1 - alpha
        low, high = (
            (rest * start[0] + alpha * target[0], rest * start[1] + alpha * target[1])
            for start, target in (self._low, self._high)
        )
        outline = Outline(data, self._layout, low, high)
        outline.reach = self._reach
        return outline


def _shape_of(leaf: Any, start: np.ndarray, target: np.ndarray, path: Any, view: View) -> Any:
    if not is_plain(type(leaf), VMobject, PATH_METHODS) or leaf.n_points_per_cubic_curve != CURVE_POINTS:
        raise UnfitError(type(leaf).__name__)
    if start.shape != target.shape or start.dtype != np.float64 or target.dtype != np.float64:
        raise UnfitError("points that do not match")
    if not np.isfinite(start).all() or not np.isfinite(target).all():
        raise UnfitError("points that are no numbers")
    tolerance = leaf.tolerance_for_point_equality
    free = _FreeShape((start, target), path, tolerance)
    if len(start) < CURVE_POINTS:
        return _StillShape(None)
    if path is not interpolate:
        return free
    layout = fixed_layout(start, target, tolerance)
    if layout is None:
        return free
    outlines = outline_of(start, tolerance, layout), outline_of(target, tolerance, layout)
    if outlines[0] is None or outlines[1] is None:
        return free
    if _is_still(start, target, view):
        return _StillShape(outlines[0])
    return _StraightShape(free, outlines[0], outlines[1], view)


def fixed_layout(start: np.ndarray, target: np.ndarray, tolerance: float) -> Layout | None:
    """The subpaths of all points on the straight way from `start` to `target`; None when they may change on it."""
    layout = layout_of(start, tolerance)
    if layout is None or layout_of(target, tolerance) is not layout:
        return None
    firsts = np.arange(CURVE_POINTS, len(start), CURVE_POINTS)
    if not _is_certain(start, target, firsts - 1, firsts, tolerance):
        return None
    return layout if _is_certain(start, target, layout.firsts, layout.lasts, tolerance) else None


def _is_certain(start: np.ndarray, target: np.ndarray, a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether the points `a` and `b` are, each pair, surely the same or surely not, on the whole straight way."""
    before, after = start[a, :2] - start[b, :2], target[a, :2] - target[b, :2]
    same = np.maximum(np.abs(before), np.abs(after)).max(axis=1) <= tolerance * 0.99
    farthest = np.maximum(np.abs(start[b, :2]), np.abs(target[b, :2]))
    least = np.minimum(np.abs(before), np.abs(after))
    apart = ((before * after > 0) & (least > 1.01 * (tolerance + RELATIVE_TOLERANCE * farthest))).any(axis=1)
    return bool((same | apart).all())


def _is_still(start: np.ndarray, target: np.ndarray, view: View) -> bool:
    """Whether Cairo rounds every point on the straight way to the same subpixel."""
    if np.abs(start - target).max() > SAME:
        return False
    scale, origin = np.array((view.matrix[0], view.matrix[3])), np.array(view.matrix[4:])
    subpixels = (start[:, :2] * scale + origin) * SUBPIXELS
    return bool(np.abs(subpixels - np.floor(subpixels) - 0.5).min() > TIE)
