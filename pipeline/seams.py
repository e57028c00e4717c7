"""The film at its seams: where one clip ends and the next begins, it shows the clips' own pictures, and they move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    faults: list[str] = []
    starts = list(accumulate((part.sidecar.frames for part in parts), initial=0))
    before: Planes | None = None
    with _Pictures(path, fps) as film:
        for part, start, end in zip(parts, starts, starts[1:], strict=False):
            name = part.sidecar.scene_id
            first = film.at(start)
            if first is None:
                faults.append(f"seeking to frame {start} does not lead there")
                before = None
                continue
            if black(first):
                faults.append(f"the picture at frame {start} is black")
            elif before is not None and same(before, first):
                faults.append(f"{name} begins at frame {start} with the picture that came before: it is frozen")
            if film.still(first, start, end) > LONGEST_STILL * fps:
                faults.append(f"nothing moves for {LONGEST_STILL:g} s from frame {start} on, where {name} begins")
            before = film.at(end - 1)
            if before is not None and end - 1 > start and black(before):
                faults.append(f"the picture at frame {end - 1} is black")
            faults += _differences(part, (start, end), (first, before), fps)
    return faults


def _differences(part: Part, span: tuple[int, int], shown: tuple[Planes, Planes | None], fps: int) -> Iterator[str]:
    """Where the film's first and last picture of a clip are not the clip's own."""
    if not part.clip.is_file():
        return
    try:
        with _Pictures(part.clip, fps) as clip:
            own = clip.at(0), clip.at(part.sidecar.frames - 1)
    except (av.FFmpegError, IndexError) as error:
        yield f"{part.clip.name} cannot be read: {error}"
        return
    for frame, drawn, seen in zip((span[0], span[1] - 1), own, shown, strict=True):
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
        self._stream.thread_type = "AUTO"
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
