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
ROUNDING = 0.71 / 256
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


def _directions(outline: Outline, matrix: Matrix) -> tuple[np.ndarray, np.ndarray] | None:
    """The turning angle at each curve's end and how far Cairo may see it otherwise, in radians; None when unknown."""
    layout = outline.layout
    scale = np.array((matrix[0], matrix[3]))
    ends = (outline.data[layout.curves] * scale).reshape(-1, CURVE_POINTS - 1, 2)
    count = len(ends)
    firsts = _first_curves(layout)
    begins = np.empty((count, 2))
    begins[1:] = ends[:-1, 2]
    begins[firsts] = outline.data[layout.moves] * scale
    away, toward = ends[:, 0] - begins, ends[:, 2] - ends[:, 1]
    away_length = np.sqrt((away * away).sum(axis=1))
    toward_length = np.sqrt((toward * toward).sum(axis=1))
    if min(away_length.min(), toward_length.min()) < SHORTEST:
        return None
    following = np.arange(1, count + 1)
    lasts = np.append(firsts[1:], count) - 1
    following[lasts] = firsts  # the join of a closed subpath; for an open one it bounds nothing, and harms nothing
    gaps = np.abs(ends[lasts, 2] - begins[firsts]).max(axis=1)
    if ((gaps > 1e-9) & (gaps < 1.0)).any():
        return None  # closed over a gap too small to have a direction
    cosine = (toward * away[following]).sum(axis=1) / (toward_length * away_length[following])
    doubts = 2 * ROUNDING * (1 / toward_length + 1 / away_length[following])
    return np.arccos(np.clip(cosine, -1.0, 1.0)), doubts


def _first_curves(layout: Layout) -> np.ndarray:
    """The index of each subpath's first curve."""
    return np.searchsorted(layout.curves, layout.moves) // (CURVE_POINTS - 1)
