"""The grammar of `explain script`, `record-check` and `verify`. What they need is imported when one of them runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .problems import UserError, did_you_mean, listed, shown_path
from .storyboard import Storyboard


def add_voice_commands(
    commands: Any,
    common: Callable[[Any], None],
    load: Callable[[argparse.Namespace], Storyboard],
    scenes: Callable[[argparse.Namespace], Path],
    media: Callable[[argparse.Namespace], Path],
) -> None:
    """Add the commands to `commands`, argparse's subparsers.

    `common` adds the options that every command has; the others read parsed arguments.
    """
    script = commands.add_parser(
        "script",
        allow_abbrev=False,
        help="write the script to read aloud",
        description="Write every beat's words, values filled in, with the name that its recording must have.",
    )
    script.add_argument("--language", metavar="LANG", help="a language of the film (default: the storyboard's)")
    script.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: media/script-LANG.md)")
    common(script)

    check = commands.add_parser(
        "record-check",
        allow_abbrev=False,
        help="check your recordings",
        description="Say which recordings are missing, too quiet, clipped, too short or too long, or of no beat.",
    )
    check.add_argument("--language", metavar="LANG", help="a language of the film (default: the storyboard's)")
    common(check)

    def words(arguments: argparse.Namespace) -> tuple[Storyboard, str, dict[str, dict[str, str]]]:
        from .narrating import script_folder  # noqa: PLC0415
        from .voice.script import script_of  # noqa: PLC0415

        board = load(arguments)
        language = _language(board, arguments.language)
        entries = [entry for entry in board.scenes if not entry.draft]
        where = script_folder(media(arguments), scenes(arguments))
        told: list[str] = []

        def on_scene(scene: str) -> None:
            told.append(scene)
            if sys.stderr.isatty():
                print(f"\r\033[Kreading the words: {len(told)} of {len(entries)} scenes", end="", file=sys.stderr)

        found = script_of(board, entries, language, where, on_scene)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        return board, language, found

    def run_script(arguments: argparse.Namespace) -> int:
        from .files import write_text  # noqa: PLC0415
        from .voice.script_page import script_page  # noqa: PLC0415

        board, language, found = words(arguments)
        path = arguments.out or media(arguments) / f"script-{language}.md"
        write_text(path, script_page(board, found, language))
        beats = sum(len(beats) for beats in found.values())
        folder = shown_path(board.path.parent / board.film.recordings / language)
        print(f"{shown_path(path)}: {beats} beats to read; put the recordings into {folder}/")
        return 0

    def run_check(arguments: argparse.Namespace) -> int:
        from .narrating import VOICE_STORE  # noqa: PLC0415
        from .voice.recordings import Recordings  # noqa: PLC0415

        board, language, found = words(arguments)
        film = board.film
        units = {name: film.unit(name) for name in film.languages}
        folder = board.path.parent / film.recordings
        recordings = Recordings(folder, media(arguments) / VOICE_STORE, units)
        faults = recordings.faults(found, language, film.pace(language))
        for fault in faults:
            print(fault)
        beats = sum(len(beats) for beats in found.values())
        if faults:
            raise UserError(f"{len(faults)} of {beats} beats need a recording that can be used.")
        print(f"{shown_path(folder / language)}: OK, {beats} recordings; render with --voice recordings")
        return 0

    _add_verify(commands, common, media)
    script.set_defaults(run=run_script)
    check.set_defaults(run=run_check)


def _add_verify(commands: Any, common: Callable[[Any], None], media: Callable[[argparse.Namespace], Path]) -> None:
    verify = commands.add_parser(
        "verify",
        allow_abbrev=False,
        help="check finished films: pictures, sound, captions, chapters",
        description="Check finished films against what they were joined from: frames, time stamps, format, seams, "
        "chapters, the sound under every caption, its loudness and length, the captions.",
    )
    verify.add_argument("films", nargs="*", type=Path, metavar="FILM", help="films to check (default: all in media)")
    common(verify)

    def run_verify(arguments: argparse.Namespace) -> int:
        from .verify_command import verify_films  # noqa: PLC0415

        return verify_films(arguments.films, media(arguments))

    verify.set_defaults(run=run_verify)


def _language(board: Storyboard, wanted: str | None) -> str:
    film = board.film
    if wanted is None:
        return film.default_language
    if wanted not in film.languages:
        hint = did_you_mean(wanted, film.languages)
        lines = [f'The film has no language "{wanted}".', f"    allowed: {listed(film.languages)}"]
        raise UserError("\n".join([*lines, *([f"    next: {hint}"] if hint else [])]))
    return wanted
