"""Audits of the place: the safe area, the room for captions, texts against texts, texts against boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import theme
from ..boxes import CLEARANCE
from . import geometry
from .findings import Fault
from .geometry import Box
from .picture import Ink, Picture, Shape
from .texts import PIXEL, place

SAFE: Box = (-theme.SAFE_X, -theme.SAFE_Y, theme.SAFE_X, theme.SAFE_Y)


def inside_frame(picture: Picture) -> Iterator[Fault]:
    """Nothing outside the safe area, nothing in the room for captions; only the progress dots may stand there."""
    things: list[tuple[Ink | Shape, Box]] = [(text, text.box) for text in picture.texts]
    things += [(shape, geometry.grown(shape.box, shape.reach)) for shape in picture.shapes]
    for thing, box in things:
        if id(thing.mobject) in picture.free:
            continue
        beyond = [SAFE[0] - box[0], SAFE[1] - box[1], box[2] - SAFE[2], box[3] - SAFE[3]]
        worst = int(np.argmax(beyond))
        if beyond[worst] > PIXEL:
            side = ("left", "bottom", "right", "top")[worst]
            measured = f"{beyond[worst] / PIXEL:.0f} px beyond the safe area at the {side}"
            yield Fault("frame", thing.name, place(box), measured, f"x ±{theme.SAFE_X:.2f}, y ±{theme.SAFE_Y:.2f}")
        elif theme.CAPTION_TOP - box[1] > PIXEL:
            measured = f"{(theme.CAPTION_TOP - box[1]) / PIXEL:.0f} px into the room for captions"
            yield Fault("captions", thing.name, place(box), measured, f"y ≥ {theme.CAPTION_TOP:.2f}")


def texts_apart(picture: Picture) -> Iterator[Fault]:
    """No two texts overlap. One that lies exactly on its like (a copy that has arrived) is one text for the eye."""
    boxes = picture.text_boxes
    if not len(boxes):
        return
    for i, j in np.argwhere(np.triu(geometry.meeting(boxes, boxes), 1)):
        a, b = picture.texts[i], picture.texts[j]
        if a.typeset is not None and b.typeset is not None and a.typeset.source == b.typeset.source:
            continue
        across, up = geometry.overlap(a.box, b.box)
        if min(across, up) <= PIXEL or a.same_as(b, PIXEL) or {i, j} & picture.covered.keys():
            continue
        measured = f"overlaps {b.name} by {across / PIXEL:.0f} × {up / PIXEL:.0f} px"
        yield Fault("overlap", a.name, place(a), measured, "0 px")


def texts_and_shapes(picture: Picture) -> Iterator[Fault]:
    """A text in a box keeps clear of its edge by a third of its cap height; other edges never run through a text."""
    for index, text in enumerate(picture.texts):
        if index in picture.covered:
            measured = f"lies under a {picture.covered[index].name}"
            yield Fault("covered", text.name, place(text), measured, "nothing drawn over it")
            continue
        ground = picture.ground(index)
        for shape in picture.shapes_near(index):
            if ground is not None and shape.order < ground.order:
                continue  # hidden behind the box that the text stands on
            yield from _against(text, shape)


def _against(text: Ink, shape: Shape) -> Iterator[Fault]:
    gap = shape.outline.distance(text.box) - shape.reach
    inside = shape.outline.closed and shape.outline.contains(geometry.centre(text.box))
    if gap > -shape.reach and inside:
        wanted = text.cap * CLEARANCE
        if gap < wanted - PIXEL / 2:
            measured = f"{max(gap, 0) / PIXEL:.1f} px from the edge of its {shape.name}"
            yield Fault("clearance", text.name, place(text), measured, f"{wanted / PIXEL:.1f} px and more")
        return
    deep = geometry.grown(text.box, -PIXEL)
    if deep[0] < deep[2] and deep[1] < deep[3] and shape.outline.distance(deep) < shape.reach:
        measured = f"an edge of a {shape.name} at {place(shape.box)} runs through it"
        yield Fault("crossed", text.name, place(text), measured, "edges beside the text")
