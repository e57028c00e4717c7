"""Audit of stillness: while words go on, the picture does not stand still for long.

What counts is what is drawn: a play that changes nothing, or nothing that can be seen, is stillness too. The chrome
does not count; its step badge changes at every number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manim import VMobject

from .findings import Fault
from .look import Look, look_of

LONGEST_STILL = 4.0  # seconds
_SLACK = 1e-6


class StillWatch:
    """Follows what is drawn frame by frame and notes stretches in which nothing changes."""

    def __init__(self) -> None:
        self.first: Look | None = None  # the first frame
        self.last: Look | None = None  # the frame of the last change
        self._since = 0.0
        self._beat = ""
        self._kept: dict[int, VMobject] = {}  # keeps ids from being used again

    def look(self, scene: Any, time: float) -> Iterator[Fault]:
        """Take the frame shown at `time` (seconds); yields a fault when it ends a stretch that was too long."""
        now, things = look_of(scene)
        self._kept.update((id(thing), thing) for thing in things)
        if self.last is None or not self.last.same_as(now):
            yield from self.end(time)
            self.last, self._since, self._beat = now, time, scene.beat_name
            self.first = self.first or now

    def end(self, time: float) -> Iterator[Fault]:
        """What has been seen until now is seen until `time` (seconds) and then changes, or the scene ends."""
        still = time - self._since
        if self.last is not None and still > LONGEST_STILL + _SLACK:
            where = f"{self._since:.1f} s to {time:.1f} s"
            what = f"the picture, from beat {self._beat or 'none'} on"
            yield Fault("stillness", what, where, f"nothing moves for {still:.1f} s", f"{LONGEST_STILL:g} s at most")
