"""What is on screen at one moment, in drawing order: texts, glyphs of formulas, shapes, and what is under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from manim import DecimalNumber, MarkupText, Mobject, SingleStringMathTex, Text, Typst, VMobject

from .. import theme
from ..formula import Typeset
from ..words import Words
from . import geometry
from .geometry import Box

VISIBLE = 0.05  # opacity up to which nothing is seen
OPAQUE = 0.99
SAME_PLACE = 1 / theme.PIXELS_PER_UNIT_1080
STROKE_UNITS = 0.01  # manim's stroke width in units
FOREIGN_TEXT = (Text, MarkupText, DecimalNumber, SingleStringMathTex, Typst)

Rgb = np.ndarray
Point = tuple[float, float]


@dataclass(frozen=True)
class Ink:
    """One piece of text: a line of words, or one glyph of a formula.

    `cap` is the cap height in units; of a glyph, the height of a capital letter at its formula's size.
    """

    mobject: VMobject
    order: int
    string: str
    box: Box
    cap: float
    rgb: Rgb
    alpha: float
    typeset: Typeset | None = None

    @property
    def name(self) -> str:
        """What a finding calls it."""
        return f"formula {self.string!r}" if self.typeset else f"text {self.string!r}"

    def probes(self) -> list[Point]:
        """Points at the left end, in the middle and at the right end."""
        left, bottom, right, top = self.box
        return [(left + (right - left) * share, (bottom + top) / 2) for share in (0.04, 0.5, 0.96)]

    def same_as(self, other: Ink, tolerance: float) -> bool:
        """Whether the two print the same in the same place, so that they are one text for the eye."""
        near = all(abs(a - b) <= tolerance for a, b in zip(self.box, other.box, strict=True))
        return near and self.string == other.string


class Outline:
    """The outline of one mobject as long as it does not change, and what has been asked about it."""

    def __init__(self, points: np.ndarray) -> None:
        self.points = points
        self._inside: dict[Point, bool] = {}
        self._distance: dict[Box, float] = {}

    @cached_property
    def segments(self) -> np.ndarray:
        return geometry.segments_of(self.points)

    @cached_property
    def closed(self) -> bool:
        return geometry.is_closed(self.points)

    @cached_property
    def box(self) -> Box:
        return geometry.box_of(self.segments)

    def contains(self, point: Point) -> bool:
        """Whether the outline winds around the point."""
        if point not in self._inside:
            left, bottom, right, top = self.box
            near = left <= point[0] <= right and bottom <= point[1] <= top
            self._inside[point] = near and geometry.contains(self.segments, point)
        return self._inside[point]

    def distance(self, box: Box) -> float:
        """The shortest way from the outline to a box; 0 where it runs through it."""
        if box not in self._distance:
            self._distance[box] = geometry.distance(self.segments, box)
        return self._distance[box]


@dataclass
class Outlines:
    """Remembers outlines between the moments of one scene: most of a picture does not change from play to play."""

    _known: dict[int, tuple[Mobject, bytes, Outline]] = field(default_factory=dict)

    def of(self, mobject: VMobject) -> Outline:
        """The outline of `mobject` as it is now."""
        # Points are changed in place by shifts, so the array's identity says nothing; its bytes do.
        now = mobject.points.tobytes()
        known = self._known.get(id(mobject))
        if known is None or known[1] != now:
            known = (mobject, now, Outline(mobject.points.copy()))
            self._known[id(mobject)] = known
        return known[2]


@dataclass(frozen=True)
class Shape:
    """Anything drawn that is not text."""

    mobject: VMobject
    order: int
    box: Box
    fill: Rgb
    fill_alpha: float
    stroke: Rgb
    stroke_alpha: float
    stroke_width: float  # units
    outline: Outline

    @property
    def name(self) -> str:
        """What a finding calls it."""
        return type(self.mobject).__name__

    @property
    def filled(self) -> bool:
        return self.fill_alpha > VISIBLE

    @property
    def reach(self) -> float:
        """How far it is painted beyond its outline, in units."""
        return self.stroke_width / 2 if self.stroke_alpha > VISIBLE else 0.0

    def paints(self, point: Point) -> bool:
        """Whether the fill reaches the point."""
        return self.outline.contains(point)

    def holds(self, box: Box) -> bool:
        """Whether `box` lies inside the outline, wholly."""
        outline = self.outline
        return outline.closed and outline.contains(geometry.centre(box)) and outline.distance(box) > 0


@dataclass(frozen=True)
class Picture:
    """One moment of a scene; everything listed is visible."""

    texts: tuple[Ink, ...]
    shapes: tuple[Shape, ...]
    foreign: tuple[Mobject, ...]
    free: frozenset[int]  # ids of leaves that may stand at the bottom edge: the progress dots

    @cached_property
    def text_boxes(self) -> np.ndarray:
        return geometry.matrix([text.box for text in self.texts])

    @cached_property
    def shape_boxes(self) -> np.ndarray:
        """Boxes of the shapes, strokes included."""
        return geometry.matrix([geometry.grown(shape.box, shape.reach) for shape in self.shapes])

    @cached_property
    def _near(self) -> np.ndarray:
        return geometry.meeting(self.text_boxes, self.shape_boxes)

    def shapes_near(self, index: int) -> Iterator[Shape]:
        """Shapes whose box meets that of text `index`, in drawing order."""
        for j in np.flatnonzero(self._near[index]):
            yield self.shapes[j]

    def ground(self, index: int) -> Shape | None:
        """The uppermost opaque shape that lies wholly under text `index`, or None for the background."""
        text, found = self.texts[index], None
        for shape in self.shapes_near(index):
            if shape.order < text.order and shape.fill_alpha >= OPAQUE and shape.holds(text.box):
                found = shape
        return found

    @cached_property
    def covered(self) -> dict[int, Shape]:
        """Texts (by index) of which an end or the middle lies under a fill that is drawn later.

        A text whose like lies on top in the same place is not counted: for the eye there is only one.
        """
        found: dict[int, Shape] = {}
        for index, text in enumerate(self.texts):
            for shape in self.shapes_near(index):
                above = shape.order > text.order and shape.filled
                if above and any(shape.paints(point) for point in text.probes()):
                    twins = (other for other in self.texts if other.order > shape.order)
                    if not any(text.same_as(twin, SAME_PLACE) for twin in twins):
                        found[index] = shape
                    break
        return found

    def below(self, index: int) -> list[Rgb]:
        """The colours really under the left end, the middle and the right end of text `index`, each (3,)."""
        text = self.texts[index]
        return [self.colour_at(point, self.shapes_near(index), text.order) for point in text.probes()]

    @staticmethod
    def colour_at(point: Point, shapes: Iterable[Shape], order: int) -> Rgb:
        """What the fills below `order` make of the background at a point, painted one over the other."""
        colour = rgb(theme.BACKGROUND)
        for shape in shapes:
            if shape.order < order and shape.filled and shape.paints(point):
                colour = shape.fill * shape.fill_alpha + colour * (1 - shape.fill_alpha)
        return colour


def rgb(color: str) -> Rgb:
    """'#rrggbb' as three shares of 1."""
    digits = color.lstrip("#")
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255


def hex_of(colour: Rgb) -> str:
    """Three shares of 1 as '#rrggbb'."""
    return "#" + "".join(f"{round(float(np.clip(share, 0, 1)) * 255):02x}" for share in colour)


def leaves(scene: Any) -> list[VMobject]:
    """Everything with points in the order in which Cairo draws it: by z-index, then by place in the scene."""
    seen: dict[int, VMobject] = {}
    for top in [*scene.mobjects, *scene.foreground_mobjects]:
        for member in top.get_family():
            if len(member.points):
                seen.setdefault(id(member), member)
    return sorted(seen.values(), key=lambda member: member.z_index)


def take(scene: Any, outlines: Outlines) -> Picture:
    """The picture of `scene` now."""
    texts: list[Ink] = []
    shapes: list[Shape] = []
    for order, leaf in enumerate(leaves(scene)):
        fill, fill_alpha = _paint(leaf.get_fill_rgbas())
        stroke, stroke_alpha = _paint(leaf.get_stroke_rgbas())
        width = float(leaf.get_stroke_width()) * STROKE_UNITS
        if width <= 0:
            stroke_alpha = 0.0
        if max(fill_alpha, stroke_alpha) <= VISIBLE:
            continue
        typeset = getattr(leaf, "typeset", None)
        if isinstance(leaf, Words):
            texts.append(Ink(leaf, order, leaf.string, leaf.ink_box(), leaf.cap_height, fill, fill_alpha))
        elif typeset is not None:
            ink = (fill, fill_alpha) if fill_alpha > VISIBLE else (stroke, stroke_alpha)
            box = outlines.of(leaf).box
            texts.append(Ink(leaf, order, typeset.source, box, typeset.cap_height(leaf), *ink, typeset))
        else:
            outline = outlines.of(leaf)
            shapes.append(Shape(leaf, order, outline.box, fill, fill_alpha, stroke, stroke_alpha, width, outline))
    dots = frozenset(id(member) for member in scene.chrome.dots.get_family())
    return Picture(tuple(texts), tuple(shapes), tuple(_foreign(scene)), dots)


def _paint(rgbas: np.ndarray) -> tuple[Rgb, float]:
    return np.array(rgbas[0][:3], dtype=float), float(rgbas[0][3])  # a copy: manim paints in place


def _foreign(scene: Any) -> Iterator[Mobject]:
    """Text that was not made by the stage: nothing is known of its font, and its numbers have no provenance."""

    def search(mobject: Mobject) -> Iterator[Mobject]:
        if isinstance(mobject, FOREIGN_TEXT):
            # A formula that was taken apart is still the stage's: its glyphs say so.
            if not any(hasattr(glyph, "typeset") for glyph in mobject.family_members_with_points()):
                yield mobject
            return
        for part in mobject.submobjects:
            yield from search(part)

    for top in [*scene.mobjects, *scene.foreground_mobjects]:
        yield from search(top)
