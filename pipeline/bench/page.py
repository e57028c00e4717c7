"""The measurements as a page: docs/performance.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from statistics import median

from .commands import Taken, Task

FLOOR, PLAIN = "K", "A"
OURS, LEAN_FLOOR = "G", "L"
HEAD = """# How long a film takes

This page is written by `make bench`; nobody edits it. All rows of a round are run one after the other on the same
scenes, round after round; ratios are taken within a round, then their median. On a machine that others use, too, the
ratios mean something and the seconds do not.
"""


def page(
    task: Task,
    rows: Mapping[str, str],
    rounds: Sequence[Mapping[str, Taken]],
    frames: int,
    memory: Mapping[str, int],
    peer: str = "",
) -> str:
    """The whole page. `rows`: what each variant is, by its letter; `memory`: bytes of a worker by quality; `peer`: what
    came of another engine."""
    scenes = ", ".join(entry.id for entry in task.entries)
    size = f"{task.quality.width}×{task.quality.height} at {task.quality.fps} frames a second"
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}; medians of {len(rounds)} rounds"
    parts = [
        HEAD,
        f"Scenes {scenes} ({task.language}), {frames:,} frames of {size}; {machine}.\n",
        table(rows, rounds, frames),
        EXPLANATION,
        *same_encoder(rounds),
    ]
    if memory:
        lines = [f"| {name} | {count / 1e6:.0f} |" for name, count in memory.items()]
        parts += ["## Memory of a worker\n", "\n".join(["| quality | MB at most |", "|---|---|", *lines]) + "\n"]
    if peer:
        parts += ["## A peer\n", peer]
    return "\n".join(parts)


EXPLANATION = """
K is the floor: x264 alone (`veryfast`, `crf 20`), one thread a process, on the very pictures of these scenes. L is the
same with the film's own encoder settings, which give up what flat animation does not need (see `pipeline/encoder.py`).
Rows with "manim" are whole commands of manim's, start-up included, and so are those with "explain render", which also
join, check and caption the film.
"""


def table(rows: Mapping[str, str], rounds: Sequence[Mapping[str, Taken]], frames: int) -> str:
    """Medians of seconds and ratios to the floor and to plain manim."""
    lines = [
        "| | | seconds | processor s | ms a frame | × floor (K) | times as fast as A |",
        "|---|---|---|---|---|---|---|",
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
            ratio(rounds, PLAIN, letter),
        ]
        strong = "**" if letter == FLOOR else ""
        lines.append(f"| {strong}{letter}{strong} | {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def ratio(rounds: Sequence[Mapping[str, Taken]], a: str, b: str) -> str:
    """How many times the seconds of `b` those of `a` are, the median over the rounds."""
    found = [one[a].seconds / one[b].seconds for one in rounds if a in one and b in one]
    return f"{median(found):.2f}" if found else ""


def same_encoder(rounds: Sequence[Mapping[str, Taken]]) -> list[str]:
    """What our row would take at most with the floor's own encoder settings, as a sentence; none without the rows."""
    whole = [one for one in rounds if {OURS, FLOOR, LEAN_FLOOR} <= one.keys()]
    if not whole:
        return []
    # Our row codes no still twice, so its encoder takes less than the lean floor: the true figure is lower.
    seconds = [one[OURS].seconds + one[FLOOR].seconds - one[LEAN_FLOOR].seconds for one in whole]
    floor = median(mine / one[FLOOR].seconds for mine, one in zip(seconds, whole, strict=True))
    parts = [f"With the floor's encoder settings {OURS} would take at most {floor:.2f} × the floor"]
    if all(PLAIN in one for one in whole):
        plain = median(one[PLAIN].seconds / mine for mine, one in zip(seconds, whole, strict=True))
        parts.append(f"and be at least {plain:.2f} times as fast as {PLAIN}")
    return [f"{' '.join(parts)} (reckoned: {OURS} + {FLOOR} − {LEAN_FLOOR}).\n"]
