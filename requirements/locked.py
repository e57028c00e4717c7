"""What the lock files hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Locked:
    """An entry of a lock: the requirement (`name==version`, perhaps a marker) and the SHA-256 digests allowed."""

    requirement: Requirement
    digests: tuple[str, ...]

    @property
    def version(self) -> str:
        return next(iter(self.requirement.specifier)).version

    @property
    def here(self) -> bool:
        """Whether it is meant for this system and this Python."""
        return self.requirement.marker is None or self.requirement.marker.evaluate()


def locked(extra: str) -> Iterator[Locked]:
    """The entries of the lock of `extra`."""
    text = (HERE / f"{extra}.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        requirement, *digests = line.split("--hash=sha256:")
        yield Locked(Requirement(requirement.strip()), tuple(digest.strip() for digest in digests))


def locks() -> list[str]:
    """The extras that have a lock, the one of the set-up first."""
    return sorted((path.stem for path in HERE.glob("*.lock")), key=lambda name: (name != "dev", name))
