"""Digests of the coded pictures in a video file: the same in a clip and in the film that it was joined into.

Joining copies the pictures and writes anew what stands around them: sizes, time stamps, and the parameter sets that
may be repeated before key frames. So the digest is taken over the slices alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import av

from .probe import BrokenVideoError

_SLICES = (1, 2, 3, 4, 5)  # NAL unit types of ITU-T H.264, table 7-1, that hold pictures
_LENGTH = 4  # bytes before each unit, as in all files written here


def coded_digests(path: Path, frames: Sequence[int]) -> list[str]:
    """SHA-256 of the pictures of each run of `frames` in the video file `path`, one run after the other.

    Pictures beyond the last run, or too few of them, are told by `probe`; here a run that ends early has the digest of
    what there is. Raises BrokenVideoError where the file cannot be read.
    """
    digests = [hashlib.sha256() for _ in frames]
    ends = [sum(frames[: number + 1]) for number in range(len(frames))]
    try:
        with av.open(str(path)) as container:
            run = count = 0
            for packet in container.demux(container.streams.video[0]):
                if packet.dts is None:  # the end
                    continue
                while run < len(ends) and count >= ends[run]:
                    run += 1
                if run == len(ends):
                    break
                count += 1
                for unit in _units(bytes(packet)):
                    if unit[0] & 0x1F in _SLICES:
                        digests[run].update(len(unit).to_bytes(_LENGTH, "big") + unit)
    except (av.FFmpegError, OSError, ValueError, IndexError) as error:
        raise BrokenVideoError(path, [f"it cannot be read: {error}"]) from None
    return [digest.hexdigest() for digest in digests]


def _units(data: bytes) -> list[bytes]:
    units, position = [], 0
    while position + _LENGTH < len(data):
        begin = position + _LENGTH
        position = begin + int.from_bytes(data[position:begin], "big")
        units.append(data[begin:position])
    return units
