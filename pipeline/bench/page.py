"""The measurements as a page, docs/performance.md; each is kept in docs/performance, for the page to hold all runs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from ..files import write_json
from ..qualities import QUALITIES
from .commands import Taken

FLOOR, PLAIN = "K", "A"
OWN_FLOOR = {"F": "L", "G": "L", "H": "L", "M": "N"}  # by row: the floor with the very same encoder settings
HEAD = """# How long a film takes

This page is written by `make bench`; nobody edits it. All rows of a round are run one after the other on the same
scenes, round after round; ratios are taken within a round, then their median. On a machine that others use, too, the
ratios mean something and the seconds do not.
"""
EXPLANATION = """
K is the floor: x264 alone (`veryfast`, `crf 20`), one thread a process, on the very pictures of these scenes. L is the
same with the film's own encoder settings, which give up what flat animation does not need (see `pipeline/encoder.py`).
M is the render with the settings of K, without the B pictures and weighted predictions that a repeated still rules out;
N is the floor with exactly the settings of M.
Where G is less than K, the whole render takes less time than K's encoding alone: the film's settings cost less than
half. Rows with "manim" are whole commands of manim's, start-up included, and so are those with "explain render", which
also join, check and caption the film. A median of ratios need not be the ratio of the medians. The processor's time in
H is that of Dask's workers, which are not ours to ask.
"""


def this_machine() -> str:
    """Cores and Python of the machine that measures."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}"


@dataclass(frozen=True)
class Measured:
    """What one run of the measurements found. `title`: what was rendered; `memory`: bytes of a worker by quality;
    `peer`: what came of another engine."""

    title: str
    scenes: int
    language: str
    quality: str
    frames: int
    rounds: Sequence[Mapping[str, Taken]]
    memory: Mapping[str, int] = field(default_factory=dict)
    peer: str = ""
    machine: str = field(default_factory=this_machine)


def keep(folder: Path, measured: Measured) -> None:
    """Keep `measured` in `folder`, in place of an older one of the same scenes, language and quality."""
    what = f"{measured.language}-{measured.quality}"
    digest = hashlib.sha256(measured.title.encode()).hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / f"{measured.scenes}-scenes-{what}-{digest}.json", asdict(measured))


def kept(folder: Path) -> list[Measured]:
    """All measurements in `folder`, those with the fewest scenes first."""
    found = [_measured(json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*.json")]
    return sorted(found, key=lambda one: (one.scenes, one.title, one.quality))


def _measured(data: dict[str, Any]) -> Measured:
    rounds = [{letter: Taken(**taken) for letter, taken in one.items()} for one in data["rounds"]]
    return Measured(**{**data, "rounds": rounds})


def page(rows: Mapping[str, str], measurements: Sequence[Measured]) -> str:
    """The whole page. `rows`: what each variant is, by its letter."""
    parts = [HEAD]
    for one in measurements:
        quality = QUALITIES[one.quality]
        size = f"{quality.width}×{quality.height} at {quality.fps} frames a second"
        count = len(one.rounds)
        rounds = "one round" if count == 1 else f"medians of {count} rounds"
        parts += [
            f"## {one.title}\n",
            f"Language {one.language}, {one.frames:,} frames of {size}; {one.machine}; {rounds}.\n",
            table(rows, one.rounds, one.frames),
        ]
    parts.append(EXPLANATION)
    memory: dict[str, int] = {}
    for one in measurements:
        memory |= {name: max(count, memory.get(name, 0)) for name, count in one.memory.items()}
    if memory:
        lines = [f"| {name} | {memory[name] / 1e6:.0f} |" for name in QUALITIES if name in memory]
        parts += ["## Memory of a worker\n", "\n".join(["| quality | MB at most |", "|---|---|", *lines]) + "\n"]
    if peers := [one.peer for one in measurements if one.peer]:
        parts += ["## A peer\n", peers[0]]
    return "\n".join(parts)


def table(rows: Mapping[str, str], rounds: Sequence[Mapping[str, Taken]], frames: int) -> str:
    """Medians of seconds and ratios to the floor, to that with a row's own settings and to plain manim."""
    lines = [
        "| | | seconds | processor s | ms a frame | × floor (K) | × floor of the same settings | times as fast as A |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for letter, what in rows.items():
        taken = [one[letter] for one in rounds if letter in one]
        if not taken:
            continue
        cells = [
            f"{median(run.seconds for run in taken):.1f}",
            "" if taken[0].processor is None else f"{median(run.processor or 0.0 for run in taken):.1f}",
            f"{1000 * median(run.seconds for run in taken) / frames:.1f}",
            ratio(rounds, letter, FLOOR),
            ratio(rounds, letter, OWN_FLOOR.get(letter, "")),
            ratio(rounds, PLAIN, letter),
        ]
        strong = "**" if letter == FLOOR else ""
        lines.append(f"| {strong}{letter}{strong} | {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def ratio(rounds: Sequence[Mapping[str, Taken]], a: str, b: str) -> str:
    """How many times the seconds of `b` those of `a` are, the median over the rounds."""
    found = [one[a].seconds / one[b].seconds for one in rounds if a in one and b in one]
    return f"{median(found):.2f}" if found else ""
