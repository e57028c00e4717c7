"""The leaves of a scene in drawing order, and the Drawing that stands for each as it looks now.

A leaf is looked at again on every frame, but only turned into a new Drawing when something that Cairo would be given
has changed: points, colours, widths, joints, caps, ends of a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np
from manim import Mobject, VMobject
from manim.mobject.types.image_mobject import AbstractImageMobject
from manim.mobject.types.point_cloud_mobject import PMobject
from manim.utils.family import extract_mobject_family_members

from .drawings import Drawing, Raster, View, paints_of
from .outlines import CURVE_POINTS, Outline, outline_of
from .rasters import raster_key, raster_of

_Z_INDEX = attrgetter("z_index")
# What a class must not have changed for its leaves to be read here.
FAMILY_METHODS = ("get_family", "_iter_family", "family_members_with_points")
PATH_METHODS = (
    "get_subpath_split_indices_from_points",
    "consider_points_equals_2d",
    "get_background_image",
)
STYLE_METHODS = ("get_fill_rgbas", "get_stroke_rgbas", "get_stroke_width")


class UnsupportedError(Exception):
    """A leaf that only manim itself can draw."""


def leaves_of(mobjects: Iterable[Mobject], use_z_index: bool) -> list[Mobject]:
    """The members with points of the families of `mobjects`, lowest first, each once: manim's order exactly.

    Of a member that occurs more than once the last place counts.
    """
    found: list[Mobject] = []
    done: set[int] = set()
    plain = True
    layered = False

    def visit(mobject: Mobject) -> None:
        nonlocal plain, layered
        if id(mobject) in done:
            return
        done.add(id(mobject))
        if not is_plain(type(mobject), Mobject, FAMILY_METHODS):
            plain = False
        for member in reversed(mobject.submobjects):
            visit(member)
        if len(mobject.points):
            found.append(mobject)
            if mobject.z_index:
                layered = True

    mobjects = list(mobjects)
    for one in reversed(mobjects):
        visit(one)
    if not plain:
        return list(extract_mobject_family_members(mobjects, use_z_index, only_those_with_points=True))
    found.reverse()
    return sorted(found, key=_Z_INDEX) if layered and use_z_index else found


_plain: dict[tuple[type, tuple[str, ...]], bool] = {}


def is_plain(kind: type, base: type, names: tuple[str, ...]) -> bool:
    """Whether the class `kind` has the methods `names` as `base` has them."""
    known = _plain.get((kind, names))
    if known is None:
        known = _plain[kind, names] = all(getattr(kind, name) is getattr(base, name) for name in names)
    return known


class _Known:
    """What is remembered of a leaf."""

    __slots__ = ("drawing", "leaf", "outline", "points", "style")

    def __init__(self, leaf: Mobject) -> None:
        self.leaf = leaf  # held, so that its id stays its own
        self.points: bytes | None = None
        self.style: Any = None
        self.outline: Outline | None = None
        self.drawing: Drawing | Raster | None = None


class Leaves:
    """Drawings by leaf, for one View at a time."""

    def __init__(self, view: View, camera: Any) -> None:
        self.view = view
        self._camera = camera
        self._known: dict[int, _Known] = {}

    def keep_only(self, leaves: Iterable[Mobject]) -> None:
        """Forget every other leaf."""
        self._known = {id(leaf): self._known[id(leaf)] for leaf in leaves if id(leaf) in self._known}

    def look(self, view: View) -> None:
        """See the leaves in another view from now on."""
        if view != self.view:
            self.view = view
            for known in self._known.values():
                known.drawing = None
                if known.outline is not None:
                    known.outline.reach = None

    def drawing(self, leaf: Mobject) -> Drawing | Raster | None:
        """How `leaf` looks now: the same object as before when nothing has changed; None for what is never drawn.

        Raises UnsupportedError when only manim can draw it.
        """
        known = self._known.get(id(leaf))
        if known is None:
            if not isinstance(leaf, VMobject | PMobject | AbstractImageMobject):
                return None  # a ValueTracker and the like: points, but no picture
            known = self._known[id(leaf)] = _Known(leaf)
        if not isinstance(leaf, VMobject):
            return self._raster(known, leaf)
        style = self._style(leaf)
        points = leaf.points.tobytes()
        if points != known.points:
            known.outline = self._outline(leaf)
            known.points = points
        elif style == known.style and known.drawing is not None:
            return known.drawing
        known.style = style
        known.drawing = Drawing(known.outline, self._paints(leaf), self.view)
        return known.drawing

    def _raster(self, known: _Known, leaf: Any) -> Raster:
        key = raster_key(leaf)
        if key is None:
            raise UnsupportedError(type(leaf).__name__)
        if key != known.style or not isinstance(known.drawing, Raster):
            known.style = key
            known.drawing = raster_of(leaf, self._camera, self.view)
        return known.drawing

    def _outline(self, leaf: VMobject) -> Outline | None:
        kind = type(leaf)
        if not is_plain(kind, VMobject, PATH_METHODS) or leaf.n_points_per_cubic_curve != CURVE_POINTS:
            raise UnsupportedError(kind.__name__)
        points = leaf.points
        if not math.isfinite(points.sum()) and not np.isfinite(points).all():
            return None  # manim draws one point instead, which is nothing
        return outline_of(points, leaf.tolerance_for_point_equality)

    def _style(self, leaf: VMobject) -> tuple[Any, ...]:
        """Everything but the points that decides how `leaf` looks."""
        if leaf.background_image is not None or leaf.shade_in_3d:
            raise UnsupportedError("a background image or three-dimensional shading")
        if is_plain(type(leaf), VMobject, STYLE_METHODS):
            try:
                fill, stroke = leaf.fill_rgbas, leaf.stroke_rgbas
            except AttributeError:
                fill, stroke = leaf.get_fill_rgbas(), leaf.get_stroke_rgbas()
            width, back_width = leaf.stroke_width, leaf.background_stroke_width
        else:
            fill, stroke = leaf.get_fill_rgbas(), leaf.get_stroke_rgbas()
            width, back_width = leaf.get_stroke_width(), leaf.get_stroke_width(True)
        style: tuple[Any, ...] = (
            fill.tobytes(),
            stroke.tobytes(),
            width,
            back_width,
            leaf.joint_type,
            leaf.cap_style,
        )
        if back_width:
            back = leaf.get_stroke_rgbas(True)
            style += (back.tobytes(),)
            many = len(back) > 1
        else:
            many = False
        if many or len(fill) > 1 or len(stroke) > 1:
            style += (np.asarray(leaf.get_gradient_start_and_end_points()).tobytes(),)
        return style

    def _paints(self, leaf: VMobject) -> Any:
        back, front = leaf.get_stroke_width(True), leaf.get_stroke_width()
        return paints_of(
            leaf.get_fill_rgbas(),
            ((back, leaf.get_stroke_rgbas(True) if back else np.zeros((1, 4))), (front, leaf.get_stroke_rgbas())),
            (leaf.joint_type, leaf.cap_style),
            leaf.get_gradient_start_and_end_points,
            self.view.unit_width,
        )
