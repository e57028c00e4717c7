"""The four sizes a film can be rendered in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """Width and height in pixels, frames a second."""

    name: str
    width: int
    height: int
    fps: int

    def __str__(self) -> str:
        return f"{self.name} ({self.width}×{self.height}, {self.fps} frames a second)"

    def frames(self, seconds: float) -> int:
        """Whole frames nearest to `seconds`."""
        return round(seconds * self.fps)


QUALITIES = {
    quality.name: quality
    for quality in (
        Quality("draft", 854, 480, 15),
        Quality("standard", 1920, 1080, 30),
        Quality("high", 1920, 1080, 60),
        Quality("ultra", 3840, 2160, 60),
    )
}
