"""What is wrong with an input, told so that a person can mend it: place, item, fault, what is allowed, what to do."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .plain_text import shown

PROBLEMS_TOLD = 100
LONGEST_NAME = 100  # characters of a word for which near misses are looked for


@dataclass(frozen=True)
class Problem:
    """One fault of an input file. `line` counts from 1; 0 means the file as a whole."""

    file: str
    line: int
    item: str
    message: str
    allowed: str = ""
    hint: str = ""

    def __str__(self) -> str:
        file = shown(shown_path(self.file))
        place = f"{file}:{self.line}" if self.line else file
        item = f"{shown(self.item)}: " if self.item else ""
        parts = [f"{place}: {item}{shown(self.message)}"]
        if self.allowed:
            parts.append(f"    allowed: {shown(self.allowed, 2000)}")
        if self.hint:
            parts.append(f"    next: {shown(self.hint)}")
        return "\n".join(parts)


class UserError(Exception):
    """A fault the user can mend. str() is all there is to print; no traceback is needed."""


class StoryboardError(UserError):
    """Everything that is wrong with a storyboard, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: (problem.file, problem.line))
        super().__init__(str(self))

    def __str__(self) -> str:
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        told = [str(problem) for problem in self.problems[:PROBLEMS_TOLD]]
        more = [f"… and {count - PROBLEMS_TOLD} more"] if count > PROBLEMS_TOLD else []
        return "\n".join([*told, *more, f"{count} {noun} found; nothing was rendered."])

    def first(self) -> str:
        """The first of the problems, and how many there are."""
        count = len(self.problems)
        return str(self.problems[0]) + (f"\n({count} problems in all: explain check)" if count > 1 else "")


def shown_path(path: str | Path) -> str:
    """`path` relative to the working directory where it lies below it: short, and clickable in a terminal."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return str(path) if relative.startswith("..") else relative


def listed(names: Iterable[object], limit: int = 24) -> str:
    """`names` as a comma-separated list, cut after `limit` entries."""
    texts = [str(name) for name in names]
    if len(texts) > limit:
        texts = [*texts[:limit], f"… ({len(texts) - limit} more)"]
    return ", ".join(texts) if texts else "(none)"


def near_miss(word: str, names: Iterable[str]) -> str | None:
    """The name that `word` was probably meant to be, or None."""
    if len(word) > LONGEST_NAME:
        return None
    candidates = list(names)
    by_folded = {name.casefold().replace("-", "_"): name for name in candidates}
    folded = word.casefold().replace("-", "_")
    # Of two letters one may be wrong.
    cutoff = 0.5 if len(word) <= 3 else 0.6
    found = difflib.get_close_matches(folded, list(by_folded), n=1, cutoff=cutoff)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """`did you mean "x"?` for a near miss of `word` among `names`, else `otherwise`."""
    name = near_miss(word, names)
    return f'did you mean "{name}"?' if name is not None else otherwise
