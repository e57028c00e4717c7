"""Audit of continuity: between two plays nothing jumps, appears or vanishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..words import Words
from .findings import Fault
from .geometry import Box, centre
from .picture import Ink, Picture, Shape
from .texts import PIXEL, place, tells_the_truth

_PLACE = 2 * PIXEL
_COLOUR = 0.04  # share of full brightness in any channel
_SMALLEST = 3 * PIXEL  # what is smaller than this in both directions is not missed

Thing = Ink | Shape


def unbroken(before: Picture, now: Picture, badge: Box | None) -> Iterator[Fault]:
    """What is seen at the end of one play is seen in the first frame of the next, and nothing else.

    The step badge (inside the box `badge`, if there is one) changes its number between plays; that is how it counts.
    """
    for thing in _unmatched(before, now, badge):
        yield Fault("continuity", thing.name, place(thing.box), "is gone or changed in the next frame", "a play for it")
    for thing in _unmatched(now, before, badge):
        yield Fault("continuity", thing.name, place(thing.box), "is there or changed at once", "a play for it")


def _unmatched(one: Picture, other: Picture, badge: Box | None) -> Iterator[Thing]:
    """Things of `one` that `other` does not show."""
    for ours, theirs in ((one.texts, other.texts), (one.shapes, other.shapes)):
        left = [thing for thing in ours if not (_small(thing) or (badge is not None and _in(thing, badge)))]
        known = {id(thing.mobject): thing for thing in theirs}
        left = [t for t in left if id(t.mobject) not in known or not _alike(t, known[id(t.mobject)])]
        if left:
            yield from _search(left, list(theirs))


def _search(left: Iterable[Thing], candidates: list[Thing]) -> Iterator[Thing]:
    boxes = np.array([thing.box for thing in candidates]).reshape(-1, 4)
    for thing in left:
        near = np.flatnonzero(np.abs(boxes - np.array(thing.box)).max(axis=1, initial=0.0) <= _PLACE)
        if not any(_alike(thing, candidates[j]) for j in near):
            yield thing


def _alike(a: Thing, b: Thing) -> bool:
    if any(abs(x - y) > _PLACE for x, y in zip(a.box, b.box, strict=True)):
        return False
    if isinstance(a, Ink) and isinstance(b, Ink):
        return _same(a.rgb * a.alpha, b.rgb * b.alpha) and (a.string == b.string or _on_its_way(a) or _on_its_way(b))
    if isinstance(a, Shape) and isinstance(b, Shape):
        fills = _same(a.fill * a.fill_alpha, b.fill * b.fill_alpha)
        return fills and _same(a.stroke * a.stroke_alpha, b.stroke * b.stroke_alpha)
    return False


def _on_its_way(text: Ink) -> bool:
    """Whether a text is being transformed: at the start it has the outline of another text and its own string."""
    return isinstance(text.mobject, Words) and not tells_the_truth(text.mobject)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() <= _COLOUR)


def _small(thing: Thing) -> bool:
    return max(thing.box[2] - thing.box[0], thing.box[3] - thing.box[1]) < _SMALLEST


def _in(thing: Thing, box: Box) -> bool:
    x, y = centre(thing.box)
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
