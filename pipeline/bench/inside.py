"""Where the time of drawing and encoding goes, ours against manim's, by phase: `python -m pipeline.bench.inside`.

All variants of a round are run one after the other on the same scenes, round after round, and only compared within a
round: on a machine that others use too, ratios mean something and seconds do not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from ..qualities import QUALITIES
from ..storyboard import REPO_ROOT, load_storyboard

VARIANTS = (
    "draw, manim",
    "draw, ours",
    "film, plain manim",
    "film, manim",
    "film, ours",
    "floor, ours",
    "floor, film",
)
PHASES = ("scene", "look", "draw", "colour", "encode")
Run = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    options = _parser().parse_args(arguments)
    storyboard = load_storyboard(REPO_ROOT / "storyboard.yaml")
    known = [entry.id for entry in storyboard.scenes if not entry.draft]
    if unknown := [name for name in options.scenes if name not in known]:
        print(f"no such scene: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 1
    language = options.language or storyboard.film.default_language
    rounds: list[dict[str, Run]] = []
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        rounds.append({v: _run(v, options.scenes, options.quality, language, options.jobs) for v in options.variants})
    print(table(rounds, options.variants))
    print(phases(rounds, options.variants))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline.bench.inside", description=__doc__)
    parser.add_argument("--scenes", nargs="+", default=["embedding", "causal_mask"], help="scenes of the storyboard")
    parser.add_argument("--quality", choices=list(QUALITIES), default="high")
    parser.add_argument("--language", help="default: the film's default language")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="scenes at the same time")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    return parser


def _run(variant: str, scenes: list[str], quality: str, language: str, jobs: int) -> Run:
    """One variant on all scenes: the sums, and `elapsed`, the seconds until all were done, start-up included."""
    began = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda scene: _child(variant, scene, quality, language), scenes))
    total: Run = {name: sum(run[name] for run in runs) for name in ("seconds", "cpu", "frames", "pictures", "bytes")}
    total["elapsed"] = time.perf_counter() - began
    total["memory"] = max(run["memory"] for run in runs)
    total["phases"] = {name: sum(run["phases"].get(name, 0.0) for run in runs) for name in PHASES}
    return total


def _child(variant: str, scene: str, quality: str, language: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", "-m", f"{__package__}.phases"]
        done = subprocess.run(
            [*command, variant, scene, quality, language, folder],
            cwd=REPO_ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f'"{variant}" of {scene} failed:\n{done.stderr}')
    run: Run = json.loads(done.stdout.splitlines()[-1])
    return run


def table(rounds: list[dict[str, Run]], variants: Sequence[str]) -> str:
    """Medians over the rounds, ratios taken within each round."""
    floor = next((name for name in ("floor, film", "floor, ours") if name in variants), None)
    head = ["", "s", "cpu s", "ms a frame", "MB", "peak MB"]
    others = [name for name in ("floor, film", "floor, ours", "film, plain manim") if name in variants]
    rows = [[*head, *(f"cpu × {name}" for name in others)]]
    for variant in variants:
        runs = [one[variant] for one in rounds]
        frames = runs[0]["frames"]
        row = [
            variant,
            f"{median(run['seconds'] for run in runs):.1f}",
            f"{median(run['cpu'] for run in runs):.1f}",
            f"{1000 * median(run['cpu'] for run in runs) / frames:.2f}",
            f"{runs[0]['bytes'] / 1e6:.1f}" if runs[0]["bytes"] else "",
            f"{max(run['memory'] for run in runs) / 1e6:.0f}",
        ]
        row += [f"{_ratio(rounds, variant, other, lambda run: run['cpu']):.2f}" for other in others]
        rows.append(row)
    frames = rounds[0][variants[0]]["frames"]
    title = (
        f"{frames} frames, medians of {len(rounds)} rounds; seconds by the clock and of the processor, less start-up"
    )
    return title + "\n" + _markdown(rows) + (f"\nfloor: {floor}" if floor else "")


def phases(rounds: list[dict[str, Run]], variants: Sequence[str]) -> str:
    """Milliseconds of the processor a frame by phase, for our renderer."""
    rows = [["ms a frame", *PHASES]]
    for variant in variants:
        if "ours" in variant and not variant.startswith("floor"):
            runs = [one[variant] for one in rounds]
            times = [1000 * median(run["phases"][name] for run in runs) / runs[0]["frames"] for name in PHASES]
            rows.append([variant, *(f"{value:.2f}" for value in times)])
    return _markdown(rows) if len(rows) > 1 else ""


def _ratio(rounds: list[dict[str, Run]], a: str, b: str, of: Callable[[Run], float]) -> float:
    return median(of(one[a]) / of(one[b]) for one in rounds)


def _markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
