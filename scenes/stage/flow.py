"""Parts of the machine as boxes, and arrows that say where values go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import DOWN, Polygon, RoundedRectangle, VGroup, VMobject

from . import theme
from .boxes import panel
from .words import Words, bold


class FlowBox(VGroup):
    """A part of the model: a panel with one or more lines of text in its middle.

    The panel is at least `width` by `height`, and larger where its text needs the room.
    """

    def __init__(
        self,
        lines: Sequence[str],
        width: float,
        height: float,
        color: str = theme.SHARED,
        size: float = theme.BODY_SIZE,
        note_size: float = theme.LABEL_SIZE,
    ) -> None:
        head, *notes = lines
        fill = theme.tint(color, 0.14)
        quiet = theme.quiet_ink_on(fill)
        self.lines = VGroup(bold(head, size, theme.INK), *[Words(note, note_size, quiet) for note in notes])
        self.lines.arrange(DOWN, buff=0.2)
        air = self.lines[0].cap_height
        self.box: RoundedRectangle = panel(
            max(width, self.lines.width + 1.6 * air),
            max(height, self.lines.height + 1.6 * air),
            fill=fill,
            stroke=color,
            stroke_width=theme.STRONG,
            corner=0.16,
        )
        self.lines.move_to(self.box)
        super().__init__(self.box, self.lines)

    def paint(self, fill: str, stroke: str, ink: str) -> FlowBox:
        """Repaint panel, edge and text; can be animated."""
        box, lines = self.submobjects
        box.set_fill(fill, opacity=1.0)
        box.set_stroke(stroke)
        lines.set_fill(ink, opacity=1.0)
        return self


class FlowArrow(VGroup):
    """An arrow through the given points, with square turns where the points make them.

    `buff` is left free at both ends; the head is a small filled triangle in the direction of the last leg.
    """

    def __init__(
        self,
        points: Sequence[np.ndarray | Sequence[float]],
        color: str = theme.DIM,
        width: float = 3.0,
        buff: float = 0.1,
        head: float = 0.15,
        corner: float = 0.18,
    ) -> None:
        path = [np.array([*point, 0.0][:3], dtype=float) for point in points]
        if len(path) < 2:
            raise ValueError("an arrow needs at least two points")
        first, last = _unit(path[1] - path[0]), _unit(path[-1] - path[-2])
        path[0] = path[0] + first * buff
        tip = path[-1] - last * buff
        path[-1] = tip - last * head * 0.8
        self.shaft = VMobject(stroke_color=color, stroke_width=width, fill_opacity=0)
        self.shaft.set_points_as_corners([path[0], path[0]])
        self._trace_rounded(path, corner)
        side = np.array([-last[1], last[0], 0.0]) * head * 0.55
        self.head = Polygon(
            tip, tip - last * head + side, tip - last * head - side, stroke_width=0, fill_color=color, fill_opacity=1.0
        )
        super().__init__(self.shaft, self.head)
        self.set_z_index(theme.Z_ARROW)

    def _trace_rounded(self, path: list[np.ndarray], corner: float) -> None:
        """Lay the shaft along the path, turning in small arcs."""
        self.shaft.clear_points()
        self.shaft.start_new_path(path[0])
        for before, turn, after in zip(path, path[1:], path[2:], strict=False):
            reach = min(corner, np.linalg.norm(turn - before) / 2, np.linalg.norm(after - turn) / 2)
            enter, leave = turn - _unit(turn - before) * reach, turn + _unit(after - turn) * reach
            self.shaft.add_line_to(enter)
            self.shaft.add_cubic_bezier_curve_to(enter + (turn - enter) * 0.55, leave + (turn - leave) * 0.55, leave)
        self.shaft.add_line_to(path[-1])


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    if length == 0:
        raise ValueError("two points of an arrow coincide")
    return np.asarray(vector / length)
