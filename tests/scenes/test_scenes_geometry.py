"""The geometry of the audits against slow but plain statements of the same laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import Circle, Line, RoundedRectangle, Square, VMobject

from scenes.stage.audit import geometry

coordinate = st.floats(-5, 5).map(lambda x: round(x, 3))
point = st.tuples(coordinate, coordinate)


@st.composite
def boxes(draw) -> geometry.Box:
    (x0, y0), (x1, y1) = draw(point), draw(point)
    return min(x0, x1), min(y0, y1), max(x0, x1) + 0.01, max(y0, y1) + 0.01


def by_sampling(segment: np.ndarray, box: geometry.Box) -> float:
    """The distance from many points of the segment to the box; too large by at most half a step."""
    t = np.linspace(0, 1, 2001)[:, None]
    line = segment[0] * (1 - t) + segment[1] * t
    outside = np.maximum(np.maximum(np.array(box[:2]) - line, line - np.array(box[2:])), 0)
    return float(np.linalg.norm(outside, axis=1).min())


@given(point, point, boxes())
def test_the_distance_of_a_segment_from_a_box(start, end, box):
    segment = np.array([[start, end]])
    step = np.linalg.norm(segment[0, 1] - segment[0, 0]) / 2000
    slow = by_sampling(segment[0], box)
    fast = geometry.distance(segment, box)
    assert slow - step / 2 - 1e-9 <= fast <= slow + 1e-9


@given(point, st.floats(0.2, 3))
def test_a_circle_contains_what_is_nearer_than_its_radius(where, radius):
    segments = geometry.segments_of(Circle(radius).points)
    far = float(np.hypot(*where))
    if abs(far - radius) > 0.02 * radius:
        assert geometry.contains(segments, where) == (far < radius)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_hole_is_not_inside(turn):
    ring = VMobject()
    ring.points = np.concatenate([Square(4).points, Square(2).points[:: -1 if turn < 0 else 1]])
    segments = geometry.segments_of(ring.points)
    assert geometry.contains(segments, (1.5, 0))
    # Cairo's rule: a hole is one only when it runs the other way round.
    assert geometry.contains(segments, (0, 0)) == (turn > 0)


def test_closed_and_open_outlines():
    assert geometry.is_closed(RoundedRectangle(corner_radius=0.2).points)
    assert geometry.is_closed(np.concatenate([Square().points, Circle().points]))
    assert not geometry.is_closed(Line().points)
    assert not geometry.is_closed(np.concatenate([Square().points, Line().points]))
    assert not geometry.is_closed(np.zeros((0, 3)))


@given(boxes(), boxes())
def test_boxes_meet_when_they_overlap_in_both_directions(a, b):
    meets = bool(geometry.meeting(geometry.matrix([a]), geometry.matrix([b]))[0, 0])
    assert meets == (min(geometry.overlap(a, b)) >= 0)


@given(boxes(), st.floats(0, 2))
def test_a_grown_box_has_the_same_middle(box, by):
    assert geometry.centre(geometry.grown(box, by)) == pytest.approx(geometry.centre(box))
    assert geometry.overlap(box, geometry.grown(box, by)) == pytest.approx((box[2] - box[0], box[3] - box[1]))
