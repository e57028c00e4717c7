"""Measures ours against manim's and the encoder alone, and writes docs/performance.md: `python -m pipeline.bench`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from ..files import write_text
from ..problems import did_you_mean, listed
from ..qualities import QUALITIES
from ..storyboard import REPO_ROOT, load_storyboard
from . import commands
from .commands import Taken, Task
from .page import Measured, keep, kept, page
from .peer import manimgx

ROWS = {
    "A": "manim as it comes, serial",
    "B": "the same, two processes",
    "C": "manim with the fastest flags at this size of file, serial",
    "D": "the same, two processes, one encoder thread",
    "F": "explain render, 1 job",
    "G": "explain render, 2 jobs",
    "H": "explain render, two Dask workers",
    "M": "explain render, 2 jobs, with the floor's encoder settings",
    "K": "floor: x264 veryfast crf 20 alone, two processes",
    "L": "floor with the film's encoder settings (those of F, G, H), two processes",
    "N": "floor with the encoder settings of M, two processes",
}


COUNTING = set(ROWS) - {"A", "B", "C", "D"}  # rows that tell how many frames there are


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the page and write it."""
    options = _parser().parse_args(arguments)
    storyboard = load_storyboard(REPO_ROOT / "storyboard.yaml")
    known = {entry.id: entry for entry in storyboard.scenes if not entry.draft}
    names = list(known) if options.scenes == ["all"] else options.scenes
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            print(f'There is no scene "{name}"; allowed: {listed(known)}' + f"; {hint}" * bool(hint), file=sys.stderr)
            return 1
    language = options.language or storyboard.film.default_language
    if language not in storyboard.film.languages:
        print(f'The film has no language "{language}"; allowed: {listed(storyboard.film.languages)}', file=sys.stderr)
        return 1
    if not COUNTING & set(options.rows):
        rows = listed(sorted(COUNTING))
        print(f"How many frames there are is known from other rows than manim's; add one of {rows}", file=sys.stderr)
        return 1
    task = Task([known[name] for name in names], language, QUALITIES[options.quality])
    rounds: list[dict[str, Taken]] = []
    with ExitStack() as stack:
        variants = _variants(options.rows, stack)
        for number in range(options.rounds):
            rounds.append({})
            for letter, variant in variants.items():
                _say(f"round {number + 1} of {options.rounds}, {letter}: {ROWS[letter]}")
                rounds[-1][letter] = variant(task)
                _say(f"    {rounds[-1][letter].seconds:.1f} s (load {os.getloadavg()[0]:.1f})")
    # M is there for its time alone: nobody renders with the floor's settings, whose pictures wait in x264.
    of_workers = [taken.memory for one in rounds for row, taken in one.items() if row != "M" and taken.memory]
    memory = {options.quality: max(of_workers)} if of_workers else {}
    for name in options.memory:
        _say(f"memory of a worker, {name}")
        memory[name] = commands.ours(Task(task.entries[:1], language, QUALITIES[name]), jobs=1).memory
    peer = ""
    if options.peer:
        _say("manimgx, where there is a Python for it")
        peer = manimgx(task)
    whole = len(task.entries) == len(known)
    measured = Measured(
        title="The whole film" if whole else f"Scenes: {', '.join(entry.id for entry in task.entries)}",
        scenes=len(task.entries),
        language=language,
        quality=options.quality,
        frames=max(taken.frames for one in rounds for taken in one.values()),
        rounds=rounds,
        memory=memory,
        peer=peer,
    )
    keep(options.kept, measured)
    text = page(ROWS, kept(options.kept))
    print(text)
    if options.out is not None:
        write_text(options.out, text)
        _say(f"written: {options.out}, with what earlier runs found for other scenes")
    return 0


def _variants(letters: Sequence[str], stack: ExitStack) -> dict[str, Callable[[Task], Taken]]:
    known: dict[str, Callable[[Task], Taken]] = {
        "A": partial(commands.manim, processes=1, tuned=False),
        "B": partial(commands.manim, processes=2, tuned=False),
        "C": partial(commands.manim, processes=1, tuned=True),
        "D": partial(commands.manim, processes=2, tuned=True),
        "F": partial(commands.ours, jobs=1),
        "G": partial(commands.ours, jobs=2),
        "M": partial(commands.ours, jobs=2, usual=True),
        "K": partial(commands.floor, settings="film", processes=2),
        "L": partial(commands.floor, settings="ours", processes=2),
        "N": partial(commands.floor, settings="ours", processes=2, usual=True),
    }
    if "H" in letters:
        known["H"] = partial(commands.ours, cluster=stack.enter_context(commands.cluster(2)))
    return {letter: known[letter] for letter in ROWS if letter in letters}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pipeline.bench",
        description=__doc__,
        epilog="\n".join(["rows:", *(f"  {letter}  {what}" for letter, what in ROWS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--scenes", nargs="+", default=["embedding", "causal_mask"], help="scenes of the storyboard; all for the film"
    )
    parser.add_argument("--quality", choices=list(QUALITIES), default="high")
    parser.add_argument("--language", help="default: the film's default language")
    parser.add_argument("--rounds", type=int, choices=range(1, 21), metavar="1-20", default=3, help="default: 3")
    parser.add_argument(
        "--rows", nargs="+", choices=list(ROWS), metavar="ROW", default=list(ROWS), help="see below; default: all"
    )
    parser.add_argument(
        "--memory",
        nargs="*",
        choices=list(QUALITIES),
        default=["ultra"],
        help="other qualities whose memory is measured with the first scene; default: ultra; alone: none",
    )
    parser.add_argument("--peer", action=argparse.BooleanOptionalAction, default=True, help="try manimgx, too")
    kept_in = REPO_ROOT / "docs" / "performance"
    parser.add_argument("--kept", type=Path, default=kept_in, help="folder with the measurements that the page shows")
    parser.add_argument("--out", type=Path, help="the page to write, as in docs/performance.md")
    return parser


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
