"""Audits of colour and light: a masked cell says so without its colour too; nothing flashes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from manim import Line, VMobject

from .. import theme
from . import geometry
from .findings import Fault
from .picture import VISIBLE, Picture, Rgb, Shape, leaves, rgb
from .texts import place

# -- colour is never the only signal ---------------------------------------------------------------------------------
MARKS = ("−∞", "×")  # what may stand in a cell of the masked hue, besides a zero
_ZERO = {"0", "0.0", "0.00", "0.000", "0.0000"}
_GROUNDS = (theme.PANEL, theme.BACKGROUND)
_SAME_HUE = 3.5 / 255
_CELL = 0.25  # units; boxes smaller than this are heads of arrows and dots
_NEAR = 0.12  # units around a cell in which its mark may stand


def is_masked_hue(colour: Rgb) -> bool:
    """Whether a colour is the masked role's, in full or as the tint that the theme makes of it."""
    hue = rgb(theme.MASKED)
    for ground in (rgb(name) for name in _GROUNDS):
        share = float(np.dot(colour - ground, hue - ground) / np.dot(hue - ground, hue - ground))
        if 0.08 <= share <= 1.05 and np.abs(ground + share * (hue - ground) - colour).max() <= _SAME_HUE:
            return True
    return False


def masked_marks(picture: Picture) -> Iterator[Fault]:
    """Every box in the masked hue carries −∞, 0, × or a cross of two lines."""
    crosses = list(_crosses(picture))
    for shape in picture.shapes:
        if not _is_box(shape) or not _in_masked_hue(shape):
            continue
        room = geometry.grown(shape.box, _NEAR)
        words = [text.string for text in picture.texts if _inside(geometry.centre(text.box), room)]
        marked = any(word in _ZERO or any(mark in word for mark in MARKS) or "infinity" in word for word in words)
        if not marked and not any(_inside(point, room) for point in crosses):
            measured = f"painted in the masked hue, with {' '.join(words) or 'nothing'} in it"
            yield Fault("colour alone", shape.name, place(shape.box), measured, f"{' '.join(MARKS)} 0 or a cross in it")


def _is_box(shape: Shape) -> bool:
    left, bottom, right, top = shape.box
    return shape.outline.closed and min(right - left, top - bottom) >= _CELL and not isinstance(shape.mobject, Line)


def _in_masked_hue(shape: Shape) -> bool:
    fill = shape.filled and is_masked_hue(shape.fill)
    return fill or (shape.stroke_alpha > VISIBLE and is_masked_hue(shape.stroke))


def _crosses(picture: Picture) -> Iterator[tuple[float, float]]:
    """Middles of pairs of straight lines that cross in their middles."""
    lines = [shape for shape in picture.shapes if isinstance(shape.mobject, Line)]
    for i, a in enumerate(lines):
        for b in lines[i + 1 :]:
            (ax, ay), (bx, by) = geometry.centre(a.box), geometry.centre(b.box)
            if abs(ax - bx) + abs(ay - by) < 0.02:
                yield ax, ay


def _inside(point: tuple[float, float], box: geometry.Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


# -- flashing --------------------------------------------------------------------------------------------------------
SWING = 0.1  # of the luminance of white
FLASHES = 3  # a second; a flash is a swing there and a swing back


class FlashWatch:
    """Follows the luminance of every fill and stroke, frame by frame, and notes its swings.

    A thing that is not on screen counts as the background, so that what is taken away and put back flashes too.
    """

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._kept: list[VMobject] = []  # keeps ids from being used again
        self._ground = float(_luminance(rgb(theme.BACKGROUND)[None, :])[0])
        self._extreme = np.zeros(0)
        self._rising = np.zeros(0, dtype=int)
        self._swings: dict[int, list[float]] = defaultdict(list)
        self._told: set[int] = set()

    def look(self, scene: Any, time: float) -> Iterator[Fault]:
        """Take the frame shown at `time` (seconds); yields what has flashed too often up to it."""
        members = leaves(scene)
        for member in members:
            if id(member) not in self._rows:
                self._rows[id(member)] = len(self._kept)
                self._kept.append(member)
        count = 2 * len(self._kept)
        if len(self._extreme) < count:
            new = count - len(self._extreme)
            self._extreme = np.concatenate([self._extreme, np.full(new, self._ground)])
            self._rising = np.concatenate([self._rising, np.zeros(new, dtype=int)])
        now = np.full(count, self._ground)
        if members:
            rows = np.array([self._rows[id(member)] for member in members])
            now[2 * rows] = self._seen(np.array([member.get_fill_rgbas()[0] for member in members]))
            stroke = np.array([member.get_stroke_rgbas()[0] for member in members])
            stroke[:, 3] *= np.array([member.get_stroke_width() > 0 for member in members])
            now[2 * rows + 1] = self._seen(stroke)
        yield from self._step(now, time)

    def _seen(self, rgba: np.ndarray) -> np.ndarray:
        ground = rgb(theme.BACKGROUND)
        return _luminance(rgba[:, :3] * rgba[:, 3:] + ground * (1 - rgba[:, 3:]))

    def _step(self, now: np.ndarray, time: float) -> Iterator[Fault]:
        # The extreme is the last turning point while a swing is awaited, and moves along with the swing once it runs.
        change = now - self._extreme
        further = (np.sign(change) == self._rising) & (self._rising != 0)
        self._extreme[further] = now[further]
        turned = np.flatnonzero(~further & (np.abs(change) > SWING))
        for row in map(int, turned):
            self._rising[row] = int(np.sign(change[row]))
            self._extreme[row] = now[row]
            recent = [moment for moment in self._swings[row] if moment > time - 1.0]
            self._swings[row] = [*recent, time]
            thing = row // 2
            if len(self._swings[row]) > 2 * FLASHES and thing not in self._told:
                self._told.add(thing)
                mobject = self._kept[thing]
                where = f"({mobject.get_x():.2f}, {mobject.get_y():.2f})"
                measured = f"{len(self._swings[row])} swings of luminance within a second, up to {time:.1f} s"
                allowed = f"{FLASHES} flashes a second ({2 * FLASHES} swings of {SWING:.0%})"
                yield Fault("flashing", type(mobject).__name__, where, measured, allowed)


def _luminance(colours: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2.2) of colours (n, 3)."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
