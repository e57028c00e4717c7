"""The sound of a whole film as one WAV, exact to the sample: each beat's sound where its beat begins."""

from __future__ import annotations

import wave
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..files import whole_file
from ..problems import UserError
from . import sound


@dataclass(frozen=True)
class Placed:
    """The sound of one beat, and the frame of the film at which the beat begins and ends (exclusive)."""

    path: Path
    start_frame: int
    end_frame: int
    name: str


def write_soundtrack(path: Path, placed: Iterable[Placed], frames: int, fps: int) -> None:
    """One WAV of exactly `frames` frames at `fps`. `placed` is in order of time.

    Raises UserError where a sound is longer than its beat: it would be heard over the next one.
    """
    total = samples_at(frames, fps)
    with whole_file(path) as temporary, wave.open(str(temporary), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sound.RATE)
        position = 0
        for beat in placed:
            start, end = samples_at(beat.start_frame, fps), samples_at(beat.end_frame, fps)
            samples = sound.read_own(beat.path)
            if start < position or len(samples) > end - start:
                raise UserError(
                    f"The sound of {beat.name} lasts {len(samples) / sound.RATE:.2f} s, "
                    f"its beat {(end - start) / sound.RATE:.2f} s\n    next: render the scene again with --force"
                )
            file.writeframes(bytes(2 * (start - position)))
            file.writeframes(sound.integers(samples).tobytes())
            position = start + len(samples)
        if position > total:
            raise UserError("The sound is longer than the film\n    next: render again with --force")
        file.writeframes(bytes(2 * (total - position)))


def samples_at(frame: int, fps: int) -> int:
    """The sample at which a frame begins."""
    return frame * sound.RATE // fps if sound.RATE % fps == 0 else round(frame * sound.RATE / fps)


def heard_at(path: Path, fps: int, spans: Sequence[tuple[int, int]]) -> list[float]:
    """The highest level, as a part of full scale, of the sound file `path` in each span of frames."""
    samples = sound.read(path)
    levels = []
    for start, end in spans:
        part = samples[samples_at(start, fps) : samples_at(end, fps)]
        levels.append(float(np.abs(part).max(initial=0)))
    return levels
