"""The part of a picture that has to be drawn again, as square tiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .drawings import Box

TILE = 16  # pixels; even, so that tiles hold whole chroma samples


class Tiles:
    """A set of tiles of a picture of `width` × `height` pixels."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.mask = np.zeros((-(-height // TILE), -(-width // TILE)), bool)
        self._sums: np.ndarray | None = None

    def add(self, box: Box) -> None:
        """Take in every tile that `box` touches; a box inside the picture or empty."""
        left, top, right, bottom = box
        if left < right:
            self.mask[top // TILE : -(-bottom // TILE), left // TILE : -(-right // TILE)] = True
            self._sums = None

    def add_all(self, boxes: Iterable[Box]) -> None:
        """Take in the tiles of many boxes, each box once."""
        for box in set(boxes):
            self.add(box)

    def __bool__(self) -> bool:
        return bool(self.mask.any())

    @property
    def share(self) -> float:
        """The share of the tiles that is in the set, 0..1."""
        return float(self.mask.mean())

    def hits(self, boxes: np.ndarray) -> np.ndarray:
        """Which of the `boxes` (n, 4) touch a tile of the set: indices in order."""
        if self._sums is None:
            rows, columns = self.mask.shape
            self._sums = np.zeros((rows + 1, columns + 1), np.int32)
            np.cumsum(np.cumsum(self.mask, axis=0, dtype=np.int32), axis=1, out=self._sums[1:, 1:])
        sums = self._sums
        left, top = boxes[:, 0] // TILE, boxes[:, 1] // TILE
        right, bottom = -(-boxes[:, 2] // TILE), -(-boxes[:, 3] // TILE)
        counts = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        return np.flatnonzero((counts > 0) & (boxes[:, 0] < boxes[:, 2]))

    def boxes(self) -> list[Box]:
        """The set as boxes in pixels that do not overlap, inside the picture: runs of tiles, joined downwards."""
        rows = np.flatnonzero(self.mask.any(axis=1))
        found: list[Box] = []
        open_runs: dict[tuple[int, int], int] = {}
        previous = -1
        for row in rows.tolist():
            edges = np.flatnonzero(np.diff(self.mask[row].view(np.int8), prepend=0, append=0)).tolist()
            runs = set(zip(edges[::2], edges[1::2], strict=True))
            if row != previous + 1:
                self._close(open_runs, set(), previous + 1, found)
            else:
                self._close(open_runs, runs, row, found)
            for run in runs:
                open_runs.setdefault(run, row)
            previous = row
        self._close(open_runs, set(), previous + 1, found)
        return found

    def _close(
        self, open_runs: dict[tuple[int, int], int], runs: set[tuple[int, int]], row: int, found: list[Box]
    ) -> None:
        """Finish the open runs that `row` does not continue."""
        for run in [run for run in open_runs if run not in runs]:
            first = open_runs.pop(run)
            left, right = run[0] * TILE, min(run[1] * TILE, self.width)
            found.append((left, first * TILE, right, min(row * TILE, self.height)))
