"""What an audit has to say: one frozen record a finding, readable as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One place where a picture breaks a law of the film.

    `play` counts the plays of the scene from 1; 0 means the scene as a whole. `measured` and `allowed` are words with
    their units.
    """

    audit: str
    scene: str
    language: str
    beat: str
    play: int
    what: str
    where: str
    measured: str
    allowed: str

    def __str__(self) -> str:
        moment = f"{self.beat or 'between beats'}, play {self.play}" if self.play else "whole scene"
        place = f" at {self.where}" if self.where else ""
        return (
            f"[{self.audit}] {self.scene} ({self.language}), {moment}: {self.what}{place}: "
            f"{self.measured}; allowed: {self.allowed}"
        )


@dataclass(frozen=True)
class Fault:
    """A finding before it is known in which scene and at which moment."""

    audit: str
    what: str
    where: str
    measured: str
    allowed: str


class Log:
    """Gathers faults play by play; the same fault of the same thing is kept once, at its first moment."""

    def __init__(self, scene: str, language: str) -> None:
        self.scene, self.language = scene, language
        self.findings: list[Finding] = []
        self._seen: set[tuple[str, str, str]] = set()

    def add(self, faults: Iterable[Fault], beat: str = "", play: int = 0) -> None:
        """Take the faults of one moment."""
        for fault in faults:
            key = (fault.audit, fault.what, fault.where)
            if key not in self._seen:
                self._seen.add(key)
                self.findings.append(
                    Finding(
                        fault.audit,
                        self.scene,
                        self.language,
                        beat,
                        play,
                        fault.what,
                        fault.where,
                        fault.measured,
                        fault.allowed,
                    )
                )
