"""What a leaf of a scene looks like at one moment: path, paints and the pixels that they can touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import floor
from typing import Any, NamedTuple

import cairo
import numpy as np
from manim.camera.camera import CAP_STYLE_MAP, LINE_JOIN_MAP

from .joins import CAP_REACH, MITER_LIMIT, miter_reach
from .outlines import Append, Outline

# left, top, right, bottom in pixels, the last two exclusive.
Box = tuple[int, int, int, int]
NOWHERE: Box = (0, 0, 0, 0)
# Anti-aliasing touches the pixels under an edge; one more for rounding.
MARGIN = 2.0
# Cairo's coordinates have 24 bits before the point. What lies farther out than this may come back in on the other side.
FARTHEST = 4e6


@dataclass(frozen=True)
class View:
    """How manim units become pixels: the camera's matrix (no rotation), its stroke width unit, the picture's size."""

    matrix: tuple[float, float, float, float, float, float]
    unit_width: float
    width: int
    height: int

    @cached_property
    def scale(self) -> float:
        """Pixels a manim unit, the larger of both directions."""
        return max(abs(self.matrix[0]), abs(self.matrix[3]))

    def box(self, low: tuple[float, float], high: tuple[float, float], pad: float) -> Box:
        """The pixels of a box in manim units, widened by `pad` units, inside the picture."""
        xx, _, _, yy, x0, y0 = self.matrix
        x, x_end = (low[0] - pad) * xx + x0, (high[0] + pad) * xx + x0
        y, y_end = (low[1] - pad) * yy + y0, (high[1] + pad) * yy + y0
        if x > x_end:
            x, x_end = x_end, x
        if y > y_end:
            y, y_end = y_end, y
        if not (x > -FARTHEST and x_end < FARTHEST and y > -FARTHEST and y_end < FARTHEST):
            return (0, 0, self.width, self.height)
        left, top = max(0, floor(x - MARGIN)), max(0, floor(y - MARGIN))
        right, bottom = min(self.width, floor(x_end + MARGIN) + 1), min(self.height, floor(y_end + MARGIN) + 1)
        return (left, top, right, bottom) if left < right and top < bottom else NOWHERE


class Paint(NamedTuple):
    """One fill or stroke. `width` is None for a fill; `source` is a colour or a gradient."""

    source: tuple[float, float, float, float] | cairo.Pattern
    width: float | None = None
    join: Any = None
    cap: Any = None


class Drawing:
    """A vector leaf as it was drawn. It never changes: another look of the leaf is another Drawing."""

    __slots__ = ("box", "outline", "paints")

    def __init__(self, outline: Outline | None, paints: tuple[Paint, ...], view: View) -> None:
        self.outline = outline
        self.paints = paints
        self.box = NOWHERE
        if outline is not None and paints:
            self.box = view.box(outline.low, outline.high, _pad(outline, paints, view))

    def draw(self, context: cairo.Context, append: Append) -> None:
        """Paint it, as manim's camera does: background stroke, fill, stroke."""
        assert self.outline is not None
        context.new_path()
        append(self.outline)
        for paint in self.paints:
            source = paint.source
            if isinstance(source, tuple):
                context.set_source_rgba(*source)
            else:
                context.set_source(source)
            if paint.width is None:
                context.fill_preserve()
            else:
                context.set_line_width(paint.width)
                context.set_line_join(paint.join)
                context.set_line_cap(paint.cap)
                context.stroke_preserve()


class Raster:
    """A leaf that manim puts into the pixels itself (image, point cloud), kept as it was.

    `put` writes it into an array of the picture's shape and touches nothing outside `box`.
    """

    __slots__ = ("box", "put")

    def __init__(self, put: Callable[[np.ndarray], None], box: Box) -> None:
        self.put = put
        self.box = box


def _pad(outline: Outline, paints: tuple[Paint, ...], view: View) -> float:
    """How far the paints reach outside the box of the path's points, in manim units."""
    pad = 0.0
    for paint in paints:
        if paint.width is None:
            continue
        half = paint.width / 2
        if paint.join != cairo.LineJoin.MITER:
            factor = CAP_REACH
        elif half * view.scale <= 0.5:
            factor = MITER_LIMIT
        else:
            if outline.reach is None:
                outline.reach = miter_reach(outline, view.matrix)
            factor = outline.reach
        pad = max(pad, half * factor)
    return pad


def paints_of(
    fill: np.ndarray,
    strokes: tuple[tuple[float, np.ndarray], tuple[float, np.ndarray]],
    style: tuple[Any, Any],
    gradient: Callable[[], Any],
    unit_width: float,
) -> tuple[Paint, ...]:
    """The visible paints of a leaf in drawing order.

    `strokes`: width and colours (n, 4) of the background stroke and of the stroke; `style`: manim's joint and cap;
    `gradient`: gives the two ends of the gradient, asked only when a paint has more than one colour.
    """
    join, cap = LINE_JOIN_MAP[style[0]], CAP_STYLE_MAP[style[1]]
    paints: list[Paint] = []

    def add_stroke(width: float, rgbas: np.ndarray) -> None:
        if width != 0 and (source := _source(rgbas, gradient)) is not None:
            paints.append(Paint(source, width * unit_width, join, cap))

    add_stroke(*strokes[0])
    if (source := _source(fill, gradient)) is not None:
        paints.append(Paint(source))
    add_stroke(*strokes[1])
    return tuple(paints)


def _source(rgbas: np.ndarray, gradient: Callable[[], Any]) -> tuple[float, float, float, float] | cairo.Pattern | None:
    """A colour or gradient for Cairo, red and blue changed as manim does; None when it is wholly transparent."""
    if len(rgbas) == 1:
        red, green, blue, alpha = rgbas[0].tolist()
        return None if alpha <= 0 else (blue, green, red, alpha)
    if (rgbas[:, 3] <= 0).all():
        return None
    pattern = cairo.LinearGradient(*chain(*(point[:2] for point in gradient())))
    for offset, (red, green, blue, alpha) in zip(np.linspace(0, 1, len(rgbas)), rgbas.tolist(), strict=True):
        pattern.add_color_stop_rgba(offset, blue, green, red, alpha)
    return pattern
