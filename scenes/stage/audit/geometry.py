"""Plane geometry on what is drawn: outlines as segments, distances to boxes, insides. Lengths are manim units.

A box is (left, bottom, right, top). Segments have shape (n, 2, 2): n times two ends, each (x, y).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Box = tuple[float, float, float, float]

_STEPS = 6  # straight pieces of one Bézier curve; a rounded corner is then true to 1 % of its radius


def _basis() -> np.ndarray:
    t = np.linspace(0.0, 1.0, _STEPS + 1)[:, None]
    return np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])


_BASIS = _basis()


def segments_of(points: np.ndarray) -> np.ndarray:
    """The outline of cubic curves, points (4 n, 3), as straight pieces."""
    curves = points[: len(points) // 4 * 4].reshape(-1, 4, points.shape[1])[:, :, :2]
    line = np.einsum("tk,nkd->ntd", _BASIS, curves)
    return np.stack([line[:, :-1], line[:, 1:]], axis=2).reshape(-1, 2, 2)


def is_closed(points: np.ndarray, tolerance: float = 1e-3) -> bool:
    """Whether every part of the outline ends where it begins."""
    curves = points[: len(points) // 4 * 4].reshape(-1, 4, points.shape[1])[:, :, :2]
    if not len(curves):
        return False
    breaks = np.any(np.abs(curves[1:, 0] - curves[:-1, 3]) > tolerance, axis=1)
    first = np.concatenate([[True], breaks])
    last = np.concatenate([breaks, [True]])
    return bool(np.all(np.abs(curves[first, 0] - curves[last, 3]) <= tolerance))


def box_of(segments: np.ndarray) -> Box:
    """The smallest box around segments."""
    low, high = segments.min(axis=(0, 1)), segments.max(axis=(0, 1))
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def grown(box: Box, by: float) -> Box:
    """The box with `by` more on every side; less where `by` is negative."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def centre(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def overlap(a: Box, b: Box) -> tuple[float, float]:
    """How far two boxes reach into each other in x and in y; negative is the distance between them."""
    return min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])


def matrix(boxes: Sequence[Box]) -> np.ndarray:
    """Boxes as an array (n, 4)."""
    return np.array(boxes, dtype=float).reshape(-1, 4)


def meeting(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Which boxes of `a` (n, 4) meet which of `b` (m, 4): booleans (n, m)."""
    return (
        (a[:, None, 0] <= b[None, :, 2])
        & (b[None, :, 0] <= a[:, None, 2])
        & (a[:, None, 1] <= b[None, :, 3])
        & (b[None, :, 1] <= a[:, None, 3])
    )


def contains(segments: np.ndarray, point: Sequence[float]) -> bool:
    """Whether a closed outline winds around the point (non-zero rule, as Cairo fills)."""
    (x, y), (x0, y0), (x1, y1) = point, segments[:, 0].T, segments[:, 1].T
    side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
    up = (y0 <= y) & (y1 > y) & (side > 0)
    down = (y1 <= y) & (y0 > y) & (side < 0)
    return int(up.sum()) != int(down.sum())


def distance(segments: np.ndarray, box: Box) -> float:
    """The shortest distance from segments to a box, 0 where one runs through it."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    if bool(_cross(start, along, box).any()):
        return 0.0
    low, high = np.array(box[:2]), np.array(box[2:])
    ends = segments.reshape(-1, 2)
    to_box = np.linalg.norm(np.maximum(np.maximum(low - ends, ends - high), 0.0), axis=1).min()
    corners = np.array([[box[0], box[1]], [box[0], box[3]], [box[2], box[1]], [box[2], box[3]]])
    length = np.maximum((along**2).sum(axis=1), 1e-18)
    share = np.einsum("cnd,nd->cn", corners[:, None, :] - start[None], along) / length
    nearest = start[None] + np.clip(share, 0.0, 1.0)[:, :, None] * along[None]
    to_corner = np.linalg.norm(corners[:, None, :] - nearest, axis=2).min()
    return float(min(to_box, to_corner))


def _cross(start: np.ndarray, along: np.ndarray, box: Box) -> np.ndarray:
    """Which segments have a point inside the box (each is clipped by the two slabs of the box)."""
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    outside = np.zeros(len(start), dtype=bool)
    for axis in (0, 1):
        low, high = box[axis], box[axis + 2]
        flat = np.abs(along[:, axis]) < 1e-12
        outside |= flat & ((start[:, axis] < low) | (start[:, axis] > high))
        step = np.where(flat, 1.0, along[:, axis])
        a, b = (low - start[:, axis]) / step, (high - start[:, axis]) / step
        enter = np.where(flat, enter, np.maximum(enter, np.minimum(a, b)))
        leave = np.where(flat, leave, np.minimum(leave, np.maximum(a, b)))
    return ~outside & (enter <= leave)
