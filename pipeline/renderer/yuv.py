"""The picture in YUV 4:2:0, kept up to date where it has changed.

Converting is local: a chroma sample is the mean of its own four pixels, so a box on even coordinates converts to the
same bytes alone as within the whole picture (only a box two pixels wide or high does not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Protocol

import av
import numpy as np

from .drawings import Box

# Blocks by which it is remembered what other frames lack; many small boxes are converted as runs of them.
BLOCK_WIDTH, BLOCK_HEIGHT = 64, 32
# What the conversion of one box costs besides its area, in pixels.
FIXED_COST = 5000
# A converter is set up for one size of box; so many sizes are kept ready.
MOST_CONVERTERS = 48


class Converter(Protocol):
    """Turns RGBA pixels (height, width, 4) into a yuv420p frame."""

    def convert(self, pixels: np.ndarray) -> Any: ...


class YuvPicture:
    """A picture of `width` × `height`, both even; `converter` makes converters, one for each size of block.

    `update` and `take` belong to the thread that draws; `give_back` may be called from any.
    """

    def __init__(self, width: int, height: int, converter: Callable[[], Converter]) -> None:
        if width % 2 or height % 2 or min(width, height) < 4:
            raise ValueError(f"a 4:2:0 picture has even sides of four pixels or more, not {width}×{height}")
        self.width, self.height = width, height
        self._converter = converter
        self._converters: dict[tuple[int, int], Converter] = {}
        self._planes: dict[int, list[np.ndarray]] = {}  # of our own frames
        self._frame = self._new_frame()
        self._blocks = (-(-height // BLOCK_HEIGHT), -(-width // BLOCK_WIDTH))
        self._stale: dict[int, np.ndarray] = {}
        self._free: list[Any] = []
        self._lock = Lock()

    def update(self, pixels: np.ndarray, boxes: Iterable[Box] | None) -> None:
        """Take in the pixels (height, width, 4) that have changed inside `boxes`; None: everywhere."""
        whole = (0, 0, self.width, self.height)
        wanted = [whole] if boxes is None else [self._fit(box) for box in boxes]
        if not wanted:
            return
        dirty = np.zeros(self._blocks, bool)
        for left, top, right, bottom in wanted:
            rows = slice(top // BLOCK_HEIGHT, -(-bottom // BLOCK_HEIGHT))
            dirty[rows, left // BLOCK_WIDTH : -(-right // BLOCK_WIDTH)] = True
        for box in min(wanted, list(self._runs(dirty)), [whole], key=_cost):
            self._convert(pixels, box)
        with self._lock:
            for stale in self._stale.values():
                np.logical_or(stale, dirty, out=stale)

    def take(self) -> Any:
        """A frame with the picture as it is now, to be kept until it is given back."""
        with self._lock:
            frame = self._free.pop() if self._free else None
            stale = None if frame is None else self._stale[id(frame)]
            if frame is None:
                frame = self._new_frame()
                self._stale[id(frame)] = np.zeros(self._blocks, bool)
        boxes = [(0, 0, self.width, self.height)] if stale is None else self._runs(stale)
        for box in boxes:
            _copy(self._planes[id(self._frame)], self._planes[id(frame)], box, (0, 0))
        if stale is not None:
            stale[:] = False
        return frame

    def give_back(self, frame: Any) -> None:
        """`frame` from `take` is no longer needed."""
        with self._lock:
            self._free.append(frame)

    def _convert(self, pixels: np.ndarray, box: Box) -> None:
        left, top, right, bottom = box
        size = (right - left, bottom - top)
        converter = self._converters.get(size)
        if converter is None:
            if len(self._converters) < MOST_CONVERTERS:
                converter = self._converter()
            else:
                converter = self._converters.pop(next(iter(self._converters)))  # it is set up anew when it is used
            self._converters[size] = converter
        part = converter.convert(pixels[top:bottom, left:right])
        _copy(_planes_of(part), self._planes[id(self._frame)], box, (left, top))

    def _runs(self, blocks: np.ndarray) -> Iterable[Box]:
        """The blocks as boxes, one a run of neighbours in a row."""
        rows, columns = blocks.shape
        padded = np.zeros((rows, columns + 2), bool)
        padded[:, 1:-1] = blocks
        edge_rows, edges = np.nonzero(padded[:, 1:] != padded[:, :-1])
        for row, left, right in zip(edge_rows[::2].tolist(), edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            top, bottom = row * BLOCK_HEIGHT, (row + 1) * BLOCK_HEIGHT
            yield self._fit((left * BLOCK_WIDTH, top, right * BLOCK_WIDTH, bottom))

    def _fit(self, box: Box) -> Box:
        """`box` widened to whole chroma samples and to at least four pixels, inside the picture."""
        left, top, right, bottom = box
        right, bottom = min(right + 7 & ~7, self.width), min(bottom + 7 & ~7, self.height)
        return min(left & ~7, right - 4), min(top & ~7, bottom - 4), right, bottom

    def _new_frame(self) -> Any:
        frame = av.VideoFrame(self.width, self.height, "yuv420p")
        self._planes[id(frame)] = _planes_of(frame)
        return frame


def _cost(boxes: list[Box]) -> int:
    """What converting `boxes` takes, in pixels."""
    return sum(FIXED_COST + (right - left) * (bottom - top) for left, top, right, bottom in boxes)


def _planes_of(frame: Any) -> list[np.ndarray]:
    return [np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size) for plane in frame.planes]


def _copy(source: list[np.ndarray], target: list[np.ndarray], box: Box, origin: tuple[int, int]) -> None:
    """Copy `box` from planes `source`, whose upper left corner is at `origin` (x, y) of the picture, to `target`."""
    left, top, right, bottom = box
    for shift, a, b in zip((0, 1, 1), source, target, strict=True):
        x0, x1, y0, y1 = left >> shift, right >> shift, top >> shift, bottom >> shift
        dx, dy = origin[0] >> shift, origin[1] >> shift
        b[y0:y1, x0:x1] = a[y0 - dy : y1 - dy, x0 - dx : x1 - dx]
