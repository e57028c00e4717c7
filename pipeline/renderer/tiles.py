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
        rows, columns = self.mask.shape
        padded = np.zeros((rows, columns + 2), np.int8)
        padded[:, 1:-1] = self.mask
        edge_rows, edge_columns = np.nonzero(padded[:, 1:] != padded[:, :-1])
        open_runs: dict[tuple[int, int], int] = {}  # a run of columns and the row below its last one so far
        first_rows: dict[tuple[int, int], int] = {}
        found: list[Box] = []
        lefts, rights = edge_columns[::2].tolist(), edge_columns[1::2].tolist()
        for row, *run in zip(edge_rows[::2].tolist(), lefts, rights, strict=True):
            key = (run[0], run[1])
            if open_runs.get(key) != row:
                if key in open_runs:
                    found.append(self._box(key, first_rows[key], open_runs[key]))
                first_rows[key] = row
            open_runs[key] = row + 1
        found += [self._box(key, first_rows[key], end) for key, end in open_runs.items()]
        return found

    def _box(self, run: tuple[int, int], first_row: int, end_row: int) -> Box:
        right, bottom = min(run[1] * TILE, self.width), min(end_row * TILE, self.height)
        return run[0] * TILE, first_row * TILE, right, bottom
