"""Functions of one variable drawn as curves, one panel each, over a common axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from manim import LEFT, RIGHT, UP, Animation, Dot, Line, RoundedRectangle, UpdateFromAlphaFunc, VGroup, VMobject, smooth

from . import theme
from .boxes import Cell, panel
from .words import Words

SAMPLES_PER_TURN = 32
FEWEST_SAMPLES, MOST_SAMPLES = 160, 3600
AMPLITUDE = 0.74  # of half a panel, so that a crest keeps clear of the panel's edge


class CurvePanels(VGroup):
    """Curves between −1 and 1, one panel each from top to bottom, over one axis from 0 to `reach`.

    Parameters: `function` from points (n,) to values (n, curves); a colour and a period (in units of the axis) for
    each curve; `left` and `right`, where the axis starts and ends; `top` and `bottom` of all panels together; `reach`;
    the points at which a thin line crosses all panels; `pad`, by which the panels begin before the axis. `lay` gives
    the picture another right edge or reach at once, `relay` as an animation.
    """

    def __init__(
        self,
        function: Callable[[np.ndarray], np.ndarray],
        colors: Sequence[str],
        periods: Sequence[float],
        left: float,
        right: float,
        top: float,
        bottom: float,
        reach: float,
        guides_at: Sequence[float] = (),
        gap: float = 0.12,
        pad: float = 0.22,
    ) -> None:
        super().__init__()
        self.function, self.periods, self.guides_at = function, list(periods), list(guides_at)
        self.left, self.right, self.top, self.bottom, self.reach = left, right, top, bottom, reach
        self.pad = pad
        count = len(colors)
        pitch = (top - bottom + gap) / count
        self.panel_height = pitch - gap
        self.middles = [top - self.panel_height / 2 - pitch * j for j in range(count)]
        self.boxes = VGroup(*[panel(1, 1) for _ in colors])
        self.guides = VGroup(*[Line(stroke_color=theme.LINE, stroke_width=theme.THIN) for _ in self.guides_at])
        self.zeros = VGroup(*[Line(stroke_color=theme.FAINT, stroke_width=theme.THIN) for _ in colors])
        self.curves = VGroup(
            *[VMobject(stroke_color=color, stroke_width=4.0, fill_opacity=0).set_z_index(1) for color in colors]
        )
        self.add(self.boxes, self.guides, self.zeros, self.curves)
        self.lay(right, reach)

    # -- places -------------------------------------------------------------------------------------------------
    def x_of(self, point: float) -> float:
        """Where a point of the axis lies."""
        return self.left + (self.right - self.left) * point / self.reach

    def y_of(self, j: int, value: float) -> float:
        """Where a value lies in panel j."""
        return self.middles[j] + value * AMPLITUDE * self.panel_height / 2

    def on_curve(self, j: int, point: float) -> np.ndarray:
        """The place on curve j above a point of the axis."""
        return np.array([self.x_of(point), self.y_of(j, self.function(np.array([point]))[0, j]), 0.0])

    # -- changes ------------------------------------------------------------------------------------------------
    def lay(self, right: float, reach: float) -> None:
        """Redraw for another right edge and reach."""
        self.right, self.reach = right, reach
        for j, middle in enumerate(self.middles):
            self._lay_box(self.boxes[j], middle)
            self.zeros[j].put_start_and_end_on([self.left - self.pad, middle, 0], [right, middle, 0])
            self._lay_curve(j)
        for guide, point in zip(self.guides, self.guides_at, strict=True):
            x = self.x_of(point)
            guide.put_start_and_end_on([x, self.top, 0], [x, self.bottom, 0])

    def relay(self, right: float, reach: float, **settings: object) -> Animation:
        """The same as an animation; the reach changes by equal factors in equal times, as a zoom does."""
        from_right, from_reach = self.right, self.reach

        def move(_: VMobject, alpha: float) -> None:
            self.lay(from_right + (right - from_right) * alpha, from_reach * (reach / from_reach) ** alpha)

        settings.setdefault("rate_func", smooth)
        return UpdateFromAlphaFunc(self, move, **settings)

    def ticks(self, points: Sequence[float], right: float | None = None) -> VGroup:
        """Whole numbers under the axis, or where they will be when its right edge is `right`."""
        scale = ((self.right if right is None else right) - self.left) / self.reach
        y = self.bottom - 0.16
        words = [Words(f"{point:.0f}", theme.LABEL_SIZE) for point in points]
        places = [[self.left + scale * point, y, 0] for point in points]
        return VGroup(*[word.move_to(place, aligned_edge=UP) for word, place in zip(words, places, strict=True)])

    def scale_marks(self) -> VGroup:
        """1 and −1 left of each panel, at the heights of crest and trough."""
        marks = VGroup()
        for j in range(len(self.middles)):
            for value, text in ((1.0, "1"), (-1.0, "−1")):
                mark = Words(text, theme.SMALL_SIZE, theme.DIM)
                marks.add(mark.move_to([self.left - self.pad - 0.12, self.y_of(j, value), 0], aligned_edge=RIGHT))
        return marks

    def _lay_box(self, box: RoundedRectangle, middle: float) -> None:
        left = self.left - self.pad
        new = panel(self.right - left, self.panel_height).move_to([(left + self.right) / 2, middle, 0])
        box.set_points(new.points)

    def _lay_curve(self, j: int) -> None:
        count = int(np.clip(SAMPLES_PER_TURN * self.reach / self.periods[j], FEWEST_SAMPLES, MOST_SAMPLES))
        points = np.linspace(0.0, self.reach, count)
        xs = self.left + (self.right - self.left) * points / self.reach
        ys = self.middles[j] + self.function(points)[:, j] * AMPLITUDE * self.panel_height / 2
        self.curves[j].set_points_as_corners(np.column_stack([xs, ys, np.zeros(count)]))


class ReadingLine(VGroup):
    """An upright line across all panels with a dot where it meets each curve."""

    def __init__(self, panels: CurvePanels, point: float = 0.0, radius: float = 0.1) -> None:
        self.panels, self.point = panels, point
        self.line = Line([0, panels.top + 0.06, 0], [0, panels.bottom - 0.06, 0], stroke_color=theme.FOCUS)
        self.line.set_stroke(width=theme.FOCUS_WIDTH).set_z_index(theme.Z_ARROW + 1)
        self.dots = VGroup(
            *[
                Dot(radius=radius, color=curve.get_stroke_color(), stroke_color=theme.FOCUS, stroke_width=2)
                for curve in panels.curves
            ]
        ).set_z_index(theme.Z_ARROW + 2)
        super().__init__(self.line, self.dots)
        self.put(point)

    def put(self, point: float) -> None:
        """Stand at a point of the axis, at once."""
        self.point = point
        self.line.set_x(self.panels.x_of(point))
        for j, dot in enumerate(self.dots):
            dot.move_to(self.panels.on_curve(j, point))

    def beside(self, j: int, number: Words, width: float, height: float) -> Cell:
        """A box with a number beside dot j, inside its panel: right of the line, or left where it would not fit."""
        dot, middle = self.dots[j], self.panels.middles[j]
        box = Cell(number, width, height, stroke=dot.get_fill_color().to_hex(), stroke_width=theme.STRONG)
        box.next_to(dot, RIGHT, 0.14)
        if box.get_right()[0] > self.panels.right:
            box.next_to(dot, LEFT, 0.14)
        slack = max(self.panels.panel_height - height, 0) / 2
        return box.set_y(middle + float(np.clip(dot.get_y() - middle, -slack, slack)))

    def slide(self, point: float, **settings: object) -> Animation:
        """Move to a point of the axis; the dots stay on their curves."""
        start = self.point

        def move(_: VMobject, alpha: float) -> None:
            self.put(start + (point - start) * alpha)

        settings.setdefault("rate_func", smooth)
        return UpdateFromAlphaFunc(self, move, **settings)


def round_steps(reach: float, fewest: int = 3) -> list[int]:
    """Round whole numbers from 0 up to `reach`, equally spaced, at least `fewest` of them where that is possible."""
    sizes = [factor * 10**power for power in range(12) for factor in (1, 2, 5)]
    step = next((big for big, bigger in pairwise(sizes) if reach / bigger < fewest - 1), 1)
    return list(range(0, int(reach) + 1, step))
