"""Beats: named spans of a scene, each as long as its words need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .facts import NumberOrigin


@dataclass(frozen=True)
class Cue:
    """What was said from one frame to another (end exclusive) at the frame rate rendered."""

    beat: str
    start_frame: int
    end_frame: int
    words: str
    steps: tuple[int, ...]
    origins: tuple[NumberOrigin, ...] = ()  # where the numbers in the words come from, as far as the scene says


@dataclass
class Beat:
    """The time of one beat in frames; `share` turns a part of it into seconds for `run_time`."""

    name: str
    words: str
    steps: tuple[int, ...]
    start: int
    frames: int
    rate: float
    shown: list[int] = field(default_factory=list)

    def share(self, part: float) -> float:
        """Seconds of `part` (0..1) of the beat, never less than one frame."""
        return max(1, round(self.frames * part)) / self.rate

    def step_at(self, frame: int) -> int | None:
        """The number that the badge shows at `frame`: the beat's numbers share its time evenly."""
        if not self.steps:
            return None
        part = (frame - self.start) / max(self.frames, 1)
        return self.steps[min(int(part * len(self.steps) + 1e-9), len(self.steps) - 1)]

    def frames_left(self, frame: int) -> int:
        """Frames from `frame` to the end of the beat; zero when its animations took longer than its words."""
        return max(self.start + self.frames - frame, 0)

    def next_boundary(self, frame: int) -> int | None:
        """The frame after `frame` at which the badge counts on, or None."""
        for i in range(1, len(self.steps)):
            boundary = self.start + math.ceil(self.frames * i / len(self.steps))
            if boundary > frame:
                return boundary
        return None
