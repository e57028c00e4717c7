"""The film at its seams: where one clip ends and the next begins, it shows the clips' own pictures, and they move."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import av
import numpy as np

from .manifest import Part

Planes = np.ndarray  # a picture in YUV 4:2:0, one plane below the other, uint8

LONGEST_STILL = 4.5  # seconds for which a clip may begin with one and the same picture; a scene may for 4
_BLACK = 17.0  # mean luma; black is 16
_NOISE = 24  # of 255: what coding the same picture again may change


def seam_faults(path: Path, parts: Sequence[Part], fps: int) -> list[str]:
    """Faults of the film at `path` where its clips meet: not what was drawn, black, or frozen.

    A clip's first and last picture must be, bit for bit, those of its own file (not compared where that is gone),
    none of them black; a clip must not begin with the picture on which the one before it ended, and its picture must
    move soon.
    """
    starts = accumulate((part.sidecar.frames for part in parts), initial=0)
    seams = zip([None, *parts], [*parts, None], starts, strict=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a decoder keeps one core busy and leaves Python to the others
        found = pool.map(lambda seam: list(_at_seam(path, seam, fps)), seams)
        return list(dict.fromkeys(fault for faults in found for fault in faults))  # a broken clip is told once


def _at_seam(path: Path, seam: tuple[Part | None, Part | None, int], fps: int) -> Iterator[str]:
    """Faults at one seam: the clip before it, the one after it and the frame where that begins."""
    before, after, frame = seam
    with _Pictures(path, fps) as film:
        last = None if before is None else film.at(frame - 1)
        if before is not None:
            if last is not None and before.sidecar.frames > 1 and black(last):
                yield f"the picture at frame {frame - 1} is black"
            yield from _differences(before, before.sidecar.frames - 1, last, frame - 1, fps)
        if after is None:
            return
        first = film.at(frame)
        if first is None:
            yield f"seeking to frame {frame} does not lead there"
            return
        if black(first):
            yield f"the picture at frame {frame} is black"
        elif last is not None and same(last, first):
            yield f"{after.sidecar.scene_id} begins at frame {frame} with the picture that came before: it is frozen"
        if film.still(first, frame, frame + after.sidecar.frames) > LONGEST_STILL * fps:
            name = after.sidecar.scene_id
            yield f"nothing moves for {LONGEST_STILL:g} s from frame {frame} on, where {name} begins"
        yield from _differences(after, 0, first, frame, fps)


def _differences(part: Part, number: int, seen: Planes | None, frame: int, fps: int) -> Iterator[str]:
    """Whether `seen`, the film's picture at `frame`, is not picture `number` of the clip itself."""
    if not part.clip.is_file():
        return
    try:
        with _Pictures(part.clip, fps) as clip:
            drawn = clip.at(number)
    except (av.FFmpegError, IndexError) as error:
        yield f"{part.clip.name} cannot be read: {error}"
        return
    if drawn is None or seen is None or not np.array_equal(drawn, seen):
        yield f"the picture at frame {frame} is not the one of {part.sidecar.scene_id}'s clip"


def black(picture: Planes) -> bool:
    """Whether nothing can be seen."""
    luma = _luma(picture)
    return float(luma.mean()) < _BLACK and float(luma.std()) < 1.0


def same(one: Planes, other: Planes) -> bool:
    """Whether two pictures show the same, however they were coded."""
    return one.shape == other.shape and int(np.abs(_luma(one) - _luma(other)).max(initial=0)) <= _NOISE


def _luma(picture: Planes) -> np.ndarray:
    return picture[: picture.shape[0] * 2 // 3].astype(np.int16)


@dataclass
class _Pictures:
    """Frames of a video file by their number."""

    path: Path
    fps: int

    def __enter__(self) -> _Pictures:
        self._container = av.open(str(self.path))
        self._stream = self._container.streams.video[0]
        self._base = Fraction(self._stream.time_base or 1)
        return self

    def __exit__(self, *_: object) -> None:
        self._container.close()

    def at(self, number: int) -> Planes | None:
        """Frame `number`; None where seeking does not lead to it."""
        return next((picture for found, picture in self.since(number) if found == number), None)

    def since(self, number: int) -> Iterator[tuple[int, Planes]]:
        """Number and picture of frame `number` and of those after it."""
        self._container.seek(int(Fraction(number, self.fps) / self._base), stream=self._stream, backward=True)
        for frame in self._container.decode(self._stream):
            found = None if frame.pts is None else round(frame.pts * self._base * self.fps)
            if found is None or found > number + round((LONGEST_STILL + 1) * self.fps):
                return
            if found >= number:
                yield found, frame.to_ndarray(format="yuv420p")

    def still(self, first: Planes, start: int, end: int) -> int:
        """For how many frames from `start` on the picture stays `first`; what comes at `end` is not looked at."""
        seen = 0
        for found, picture in self.since(start):
            if found >= end or not same(first, picture):
                break
            seen += 1
        return seen
