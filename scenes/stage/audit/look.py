"""What a frame looks like, apart from the chrome: to tell whether two frames show the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from manim import VMobject

from .. import theme
from . import geometry
from .picture import STROKE_UNITS, VISIBLE, leaves

SEEN_MOVE = 1 / theme.PIXELS_PER_UNIT_1080  # a change of place that can be seen, in units
SEEN_CHANGE = 0.05  # a change of colour that can be seen, as a share of full brightness


@dataclass(frozen=True, eq=False)
class Thing:
    """One visible thing: its points (n, 3), how it is painted (9)."""

    points: np.ndarray
    paint: np.ndarray

    @cached_property
    def measures(self) -> np.ndarray:
        """What tells its outline; see `_measures`. A thing is compared with many."""
        return _measures(self.points)


@dataclass(frozen=True)
class Look:
    """One frame: the visible things in it by identity, their points one after the other, how each is painted (n, 9)."""

    things: tuple[int, ...]
    sizes: tuple[int, ...]
    points: np.ndarray
    paints: np.ndarray

    @cached_property
    def places(self) -> dict[int, Thing]:
        """Points and paint by thing."""
        parts = np.split(self.points, np.cumsum(self.sizes)[:-1]) if self.sizes else []
        return dict(zip(self.things, map(Thing, parts, self.paints), strict=True))

    def same_as(self, other: Look) -> bool:
        """Whether the two look the same; a thing that gave way to its like in the same place has not changed."""
        if self.things == other.things and self.sizes == other.sizes:
            return _near(self.paints, other.paints, SEEN_CHANGE) and _near(self.points, other.points, SEEN_MOVE)
        mine, theirs = self.places, other.places
        if not all(_alike(thing, theirs[name]) for name, thing in mine.items() if name in theirs):
            return False
        gone = [thing for name, thing in mine.items() if name not in theirs]
        new = [thing for name, thing in theirs.items() if name not in mine]
        return all(other.has(thing) for thing in gone) and all(self.has(thing) for thing in new)

    def missing_in(self, other: Look, move: float = SEEN_MOVE) -> list[tuple[float, float]]:
        """Where things stand (x, y) that have no like in `other`, a frame of any scene."""
        return [
            (float(thing.points[:, 0].mean()), float(thing.points[:, 1].mean()))
            for thing in self.places.values()
            if not other.has(thing, move)
        ]

    def has(self, thing: Thing, move: float = SEEN_MOVE) -> bool:
        """Whether something here looks like `thing`."""
        return any(_alike(thing, it, move) for it in self.places.values())


def look_of(scene: Any) -> tuple[Look, list[VMobject]]:
    """The frame of `scene` now without its chrome, and the things in it (to be kept, so that identities stay)."""
    chrome = {id(member) for member in scene.chrome.get_family()}
    seen = [leaf for leaf in leaves(scene) if id(leaf) not in chrome]
    paints = np.array([_paint(leaf) for leaf in seen]).reshape(-1, 9)
    shown = [n for n in range(len(seen)) if max(paints[n, 3], paints[n, 7]) > VISIBLE]
    points = [seen[n].points for n in shown]
    look = Look(
        tuple(id(seen[n]) for n in shown),
        tuple(len(one) for one in points),
        np.concatenate([*points, np.zeros((0, 3))]),
        paints[shown],
    )
    return look, [seen[n] for n in shown]


def _paint(leaf: VMobject) -> list[float]:
    """Fill (4), stroke (4) and the stroke's width in steps of colour; what is not painted has no colour."""
    fill, stroke, width = leaf.get_fill_rgbas()[0], leaf.get_stroke_rgbas()[0], float(leaf.get_stroke_width())
    edge = stroke if width > 0 and stroke[3] > 0 else (0.0, 0.0, 0.0, 0.0)
    body = fill if fill[3] > 0 else (0.0, 0.0, 0.0, 0.0)
    thickness = width * STROKE_UNITS / SEEN_MOVE * SEEN_CHANGE if edge[3] else 0.0
    return [*body, *edge, thickness]


def _near(one: np.ndarray, other: np.ndarray, most: float) -> bool:
    return bool(np.abs(one - other).max(initial=0.0) <= most)


def _alike(one: Thing, other: Thing, move: float = SEEN_MOVE) -> bool:
    if not _near(one.paint, other.paint, SEEN_CHANGE):
        return False
    if one.points.shape == other.points.shape and _near(one.points, other.points, move):
        return True
    # Amid a transformation manim cuts curves into shorter ones that draw the same.
    return _near(one.measures, other.measures, move)


def _measures(points: np.ndarray) -> np.ndarray:
    """What an outline keeps however its curves are cut: its box, the middle of its line, the middle of its inside."""
    segments = geometry.segments_of(points)
    start, end = segments[:, 0], segments[:, 1]
    lengths = np.linalg.norm(end - start, axis=1)
    line = (lengths[:, None] * (start + end) / 2).sum(axis=0) / max(float(lengths.sum()), 1e-9)
    turns = start[:, 0] * end[:, 1] - end[:, 0] * start[:, 1]
    area = float(turns.sum()) / 2
    inside = (turns[:, None] * (start + end)).sum(axis=0) / (6 * area) if abs(area) > 1e-6 else line
    return np.array([*geometry.box_of(segments), *line, *inside])
