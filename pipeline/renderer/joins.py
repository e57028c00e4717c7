"""How far the corners of a stroke reach: a bound for miter joins from the path's own angles."""

from __future__ import annotations

import numpy as np

from .outlines import CURVE_POINTS, Layout, Outline

Matrix = tuple[float, float, float, float, float, float]

# Cairo's default, which manim leaves alone: longer miters are cut to bevels.
MITER_LIMIT = 10.0
# Square caps reach √2 half widths from the end of a line.
CAP_REACH = 1.4143
# Cairo rounds points to 1/256 pixel before it looks at directions, so each end of a vector is off by up to ROUNDING
# pixels, and vectors shorter than SHORTEST say nothing about the direction that Cairo sees.
SUBPIXELS = 256.0
ROUNDING = 0.71 / SUBPIXELS
SHORTEST = 1 / 8


def miter_reach(outline: Outline, matrix: Matrix) -> float:
    """The farthest that any join or cap reaches from its point of the path, in half line widths, 1.41 to 10.

    `matrix` takes manim units to pixels and has no rotation. The bound holds wherever the path lies on the grid of
    subpixels. Where a direction cannot be known (very short curves) the answer is the limit.
    """
    directions = _directions(outline, matrix)
    if directions is None:
        return MITER_LIMIT
    angles, doubts = directions
    # A miter of turning angle φ reaches 1 / cos(φ / 2); what would reach farther than the limit becomes a bevel.
    sure = angles - doubts
    widest = np.minimum(angles + doubts, np.pi)
    mitred = np.cos(np.maximum(sure, 0.0) / 2) >= 1 / MITER_LIMIT
    reach = 1.0 / np.maximum(np.cos(widest[mitred] / 2), 1 / MITER_LIMIT)
    return float(max(CAP_REACH, reach.max(initial=0.0) * 1.01))


def same_directions(a: Outline, b: Outline, matrix: Matrix) -> bool:
    """Whether the curves of two outlines with one layout begin and end in the same directions, if they have any."""
    vectors = [_vectors(outline, matrix) for outline in (a, b)]
    for one, other in zip(*vectors, strict=True):
        lengths = np.sqrt((one * one).sum(axis=1)) * np.sqrt((other * other).sum(axis=1))
        if not ((one * other).sum(axis=1) >= lengths * (1 - 1e-9)).all():
            return False
    return True


def _vectors(outline: Outline, matrix: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """From each curve's begin to its first handle, from its second handle to its end, in pixels; both (n, 2)."""
    layout = outline.layout
    scale = np.array((matrix[0], matrix[3]))
    ends = (outline.data[layout.curves] * scale).reshape(-1, CURVE_POINTS - 1, 2)
    begins = np.empty((len(ends), 2))
    begins[1:] = ends[:-1, 2]
    begins[_first_curves(layout)] = outline.data[layout.moves] * scale
    return ends[:, 0] - begins, ends[:, 2] - ends[:, 1]


def _directions(outline: Outline, matrix: Matrix) -> tuple[np.ndarray, np.ndarray] | None:
    """The turning angle at each curve's end and how far Cairo may see it otherwise, in radians; None when unknown."""
    away, toward = _vectors(outline, matrix)
    away_length = np.sqrt((away * away).sum(axis=1))
    toward_length = np.sqrt((toward * toward).sum(axis=1))
    if min(away_length.min(), toward_length.min()) < SHORTEST:
        return None
    firsts, count = _first_curves(outline.layout), len(away)
    following = np.arange(1, count + 1)
    lasts = np.append(firsts[1:], count) - 1
    following[lasts] = firsts  # the join of a closed subpath; for an open one it bounds nothing, and harms nothing
    rows = outline.data[outline.layout.curves[CURVE_POINTS - 2 :: CURVE_POINTS - 1][lasts]]
    gaps = np.abs((rows - outline.data[outline.layout.moves]) * np.array((matrix[0], matrix[3]))).max(axis=1)
    if ((gaps > 1e-9) & (gaps < 1.0)).any():
        return None  # closed over a gap too small to have a direction
    cosine = (toward * away[following]).sum(axis=1) / (toward_length * away_length[following])
    doubts = 2 * ROUNDING * (1 / toward_length + 1 / away_length[following])
    return np.arccos(np.clip(cosine, -1.0, 1.0)), doubts


def _first_curves(layout: Layout) -> np.ndarray:
    """The index of each subpath's first curve."""
    return np.searchsorted(layout.curves, layout.moves) // (CURVE_POINTS - 1)
