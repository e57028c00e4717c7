"""What the commands of `explain` have in common: their parsers, options that several have, and types of arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .problems import UserError, did_you_mean, listed
from .qualities import QUALITIES
from .storyboard import Storyboard

Parsed = argparse.Namespace
Type = Callable[[str], Any]
MOST_JOBS = 64


@dataclass(frozen=True)
class Shared:
    """What every command has: its common options, and how they are read."""

    common: Callable[[Any], None]
    load: Callable[[Parsed], Storyboard]
    folder: Callable[[Parsed], Path]  # of the scenes
    media: Callable[[Parsed], Path]
    storyboard: Callable[[Parsed], Path]


def add_command(commands: Any, name: str, help_line: str, description: str | None = None) -> Any:
    """A command's parser, added to `commands`, argparse's subparsers."""
    return commands.add_parser(name, allow_abbrev=False, help=help_line, description=description)


# -- options that several have -----------------------------------------------------------------------------------------
def language_option(command: Any, allowed: str = "a language of the film", otherwise: str = "the storyboard's") -> None:
    command.add_argument("--language", metavar="LANG", help=f"{allowed} (default: {otherwise})")


def quality_option(
    command: Any, otherwise: str = "the storyboard's quality", default: str | None = None, what: str = ""
) -> None:
    command.add_argument(
        "--quality",
        type=one_of(tuple(QUALITIES), "a quality"),
        default=default,
        metavar="QUALITY",
        help=f"{what or ', '.join(QUALITIES)} (default: {otherwise})",
    )


def jobs_option(command: Any, what: str) -> None:
    command.add_argument(
        "--jobs", type=count_of("jobs", MOST_JOBS), metavar="N", help=f"{what} (default: one per core)"
    )


def out_option(command: Any, metavar: str, otherwise: str) -> None:
    what = "where to write" if metavar == "FOLDER" else "the file to write"
    command.add_argument("--out", type=Path, metavar=metavar, help=f"{what} (default: {otherwise})")


# -- types -------------------------------------------------------------------------------------------------------------
def names(texts: Sequence[str] | None) -> list[str] | None:
    """Names from arguments that may each hold several, with commas between. Raises UserError for an empty list."""
    if texts is None:
        return None
    found = [name for text in texts for name in text.replace(",", " ").split()]
    if not found:
        raise UserError("The list of names is empty.\n    next: name at least one, or leave the option out")
    return found


def one_of(allowed: Sequence[str], what: str) -> Callable[[str], str]:
    """An argument type: one of `allowed`, with near misses told."""

    def parse(text: str) -> str:
        if text not in allowed:
            hint = did_you_mean(text, allowed)
            message = f'"{text}" is not {what}; allowed: {listed(allowed)}'
            raise argparse.ArgumentTypeError(message + (f"; {hint}" if hint else ""))
        return text

    return parse


def whole(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number from `low` to `high`."""
    return _number(low, high, lambda text: f'"{text}" is not allowed; allowed: whole numbers from {low} to {high}')


def count_of(what: str, most: int) -> Callable[[str], int]:
    """An argument type: how many of something, from 1 to `most`."""
    return _number(1, most, lambda text: f'"{text}" is not a number of {what}; allowed: 1 to {most}')


def _number(low: int, high: int, refusal: Callable[[str], str]) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(refusal(text))
        return int(text)

    return parse
