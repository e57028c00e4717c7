"""The parts of the renderer on their own: paths, reach of strokes, tiles, what changes."""

from __future__ import annotations

from typing import Any

import cairo
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manim import VMobject
from manim.camera.camera import Camera

from pipeline.renderer import outlines
from pipeline.renderer.canvas import changed_boxes
from pipeline.renderer.drawings import NOWHERE, Drawing, Paint, Raster, View
from pipeline.renderer.outlines import appender, outline_of, trace
from pipeline.renderer.tiles import TILE, Tiles

VIEW = View((30.0, 0.0, 0.0, -30.0, 213.5, 120.0), 0.01, 427, 240)

coordinates = st.sampled_from([0.0, 1.0, -1.0, 1e-7, 0.5, 2.0, 1.0000001, 3.0]) | st.floats(-4, 4)
point = st.tuples(coordinates, coordinates)


def _context(width: int = 427, height: int = 240) -> cairo.Context:
    context = cairo.Context(cairo.ImageSurface(cairo.FORMAT_ARGB32, width, height))
    context.set_matrix(cairo.Matrix(*VIEW.matrix))
    return context


@settings(max_examples=200, deadline=None)
@given(st.lists(point, min_size=0, max_size=23), st.lists(st.integers(1, 5), max_size=5))
def test_an_outline_is_the_path_that_manim_makes(points: list[tuple[float, float]], joined: list[int]) -> None:
    """Any number of points, with some curves that begin where the one before ended."""
    array = np.array([(x, y, 0.0) for x, y in points]).reshape(-1, 3)
    for index in joined:
        if 4 * index < len(array):
            array[4 * index] = array[4 * index - 1]
    mobject = VMobject()
    mobject.points = array
    theirs, ours, traced = _context(), _context(), _context()
    Camera.set_cairo_context_path(_CameraStub(), theirs, mobject)
    outline = outline_of(array, mobject.tolerance_for_point_equality)
    if outline is not None:
        appender(ours)(outline)
        trace(traced, outline)
    expected = list(theirs.copy_path())
    assert list(ours.copy_path()) == expected
    assert list(traced.copy_path()) == expected


class _CameraStub:
    @staticmethod
    def transform_points_pre_display(_mobject: Any, points: np.ndarray) -> np.ndarray:
        return points


def test_the_library_is_reached_here() -> None:
    assert outlines._native_append() is not None


def test_paths_are_appended_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    outline = outline_of(np.array([[0, 0], [1, 0], [1, 1], [0, 0], [2, 2], [3, 3], [4, 3], [5, 5]], float), 1e-6)
    assert outline is not None
    native, slow = _context(), _context()
    appender(native)(outline)
    monkeypatch.setattr(outlines, "_native_append", lambda: None)
    appender(slow)(outline)
    assert list(slow.copy_path()) == list(native.copy_path())


@settings(max_examples=300, deadline=None)
@given(
    st.lists(point, min_size=4, max_size=16),
    st.booleans(),
    st.sampled_from([1.0, 6.0, 30.0, 80.0]),
    st.sampled_from([cairo.LineJoin.MITER, cairo.LineJoin.ROUND, cairo.LineJoin.BEVEL]),
    st.sampled_from([cairo.LineCap.BUTT, cairo.LineCap.ROUND, cairo.LineCap.SQUARE]),
)
def test_nothing_is_painted_outside_the_box(
    points: list[tuple[float, float]], smooth: bool, width: float, join: Any, cap: Any
) -> None:
    """Draw a stroke on a large surface and look where there is ink."""
    mobject = VMobject()
    if smooth:
        mobject.points = np.array([(x, y, 0.0) for x, y in points[: len(points) // 4 * 4]])
    else:
        mobject.set_points_as_corners([(x, y, 0.0) for x, y in points])
    outline = outline_of(mobject.points, mobject.tolerance_for_point_equality)
    if outline is None:
        return
    drawing = Drawing(outline, (Paint((1, 1, 1, 1), width * 0.01, join, cap),), VIEW)
    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, VIEW.width, VIEW.height)
    context = cairo.Context(surface)
    context.set_matrix(cairo.Matrix(*VIEW.matrix))
    drawing.draw(context, appender(context))
    surface.flush()
    ink = np.frombuffer(surface.get_data(), np.uint32).reshape(VIEW.height, -1) != 0
    left, top, right, bottom = drawing.box
    ink[top:bottom, left:right] = False
    assert not ink.any()


def test_a_box_is_not_much_larger_than_its_shape() -> None:
    square = VMobject()
    square.set_points_as_corners([(x, y, 0.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))])
    outline = outline_of(square.points, 1e-6)
    box = Drawing(outline, (Paint((1, 1, 1, 1), 0.1, cairo.LineJoin.MITER, cairo.LineCap.BUTT),), VIEW).box
    assert box[2] - box[0] <= 30 + 3 * 1.5 + 6


boxes = st.tuples(st.integers(0, 90), st.integers(0, 60), st.integers(0, 40), st.integers(0, 40)).map(
    lambda b: (b[0], b[1], min(100, b[0] + b[2]), min(70, b[1] + b[3])) if b[2] and b[3] else NOWHERE
)


@settings(deadline=None)
@given(st.lists(boxes, max_size=6), st.lists(boxes, min_size=1, max_size=6))
def test_tiles_cover_their_boxes_and_find_what_touches_them(marked: list[Any], asked: list[Any]) -> None:
    tiles = Tiles(100, 70)
    tiles.add_all(marked)
    cover = np.zeros((70, 100), int)
    for left, top, right, bottom in tiles.boxes():
        cover[top:bottom, left:right] += 1
    assert cover.max() <= 1, "boxes overlap"
    wanted = np.zeros((70, 100), bool)
    for left, top, right, bottom in marked:
        if left < right and top < bottom:
            wanted[top:bottom, left:right] = True
    assert (cover[wanted] == 1).all()
    tile_sized = np.zeros((70, 100), bool)
    ys, xs = np.nonzero(wanted)
    for y, x in zip(ys, xs, strict=True):
        tile_sized[y // TILE * TILE : y // TILE * TILE + TILE, x // TILE * TILE : x // TILE * TILE + TILE] = True
    assert (tile_sized == (cover == 1)).all(), "more than the tiles of the boxes"
    hits = set(tiles.hits(np.array(asked)).tolist())
    for index, (left, top, right, bottom) in enumerate(asked):
        if left < right and top < bottom and tile_sized[top:bottom, left:right].any():
            assert index in hits


@settings(deadline=None)
@given(st.lists(st.integers(0, 7), max_size=8), st.lists(st.integers(0, 7), max_size=8))
def test_what_changes_covers_every_difference(before: list[int], after: list[int]) -> None:
    """Eight squares over one another; where two orders of painting differ, the boxes must be."""
    items = [Raster(print, (i, i, i + 3, i + 3)) for i in range(8)]
    old, new = [items[i] for i in before], [items[i] for i in after]
    covered = np.zeros((11, 11), bool)
    for left, top, right, bottom in changed_boxes(old, new):
        covered[top:bottom, left:right] = True
    for y in range(11):
        for x in range(11):
            stacks = [
                [id(one) for one in stack if one.box[0] <= x < one.box[2] and one.box[1] <= y < one.box[3]]
                for stack in (old, new)
            ]
            assert covered[y, x] or stacks[0] == stacks[1]


def test_what_stays_is_not_changed() -> None:
    a, b, c = (Raster(print, (i, 0, i + 1, 1)) for i in range(3))
    assert changed_boxes([a, b, c], [a, b, c]) == []
    assert set(changed_boxes([a, b, c], [b, c, a])) == {a.box}
    assert set(changed_boxes([a, b], [a, c, b])) == {c.box}
