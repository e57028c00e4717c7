"""The grammar of `explain script`, `record-check` and `verify`. What they need is imported when one of them runs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

from .arguments import Parsed, Shared, add_command, language_option, out_option
from .problems import UserError, shown_path
from .stills import known_language
from .storyboard import Storyboard


def add_voice_commands(commands: Any, shared: Shared) -> None:
    """Add the commands to `commands`, argparse's subparsers."""
    script = add_command(
        commands,
        "script",
        "write the script to read aloud",
        "Write every beat's words, values filled in, with the name that its recording must have.",
    )
    language_option(script)
    out_option(script, "FILE", "media/script-LANG.md")
    shared.common(script)

    check = add_command(
        commands,
        "record-check",
        "check your recordings",
        "Say which recordings are missing, too quiet, clipped, too short or too long, or of no beat.",
    )
    language_option(check)
    shared.common(check)

    _add_verify(commands, shared)
    script.set_defaults(run=partial(_run_script, shared))
    check.set_defaults(run=partial(_run_check, shared))


def _words(shared: Shared, arguments: Parsed) -> tuple[Storyboard, str, dict[str, dict[str, str]], str]:
    """Storyboard, language, the words of the scenes that can be run, and what is wrong with the others."""
    from .narrating import script_folder  # noqa: PLC0415
    from .voice.script import UntoldError, script_of  # noqa: PLC0415

    board = shared.load(arguments)
    language = known_language(board, arguments.language)
    entries = [entry for entry in board.drawn if entry.speaks]
    where = script_folder(shared.media(arguments), shared.folder(arguments))
    told: list[str] = []

    def on_scene(scene: str) -> None:
        told.append(scene)
        if sys.stderr.isatty():
            print(f"\r\033[Kreading the words: {len(told)} of {len(entries)} scenes", end="", file=sys.stderr)

    untold = ""
    try:
        found = script_of(board, entries, language, where, on_scene)
    except UntoldError as error:
        found, untold = error.script, str(error)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return board, language, found, untold


def _run_script(shared: Shared, arguments: Parsed) -> int:
    from .files import write_text  # noqa: PLC0415
    from .voice.script_page import script_page  # noqa: PLC0415

    board, language, found, untold = _words(shared, arguments)
    path = arguments.out or shared.media(arguments) / f"script-{language}.md"
    write_text(path, script_page(board, found, language))
    beats = sum(len(beats) for beats in found.values())
    folder = shown_path(board.path.parent / board.film.recordings / language)
    print(f"{shown_path(path)}: {beats} beats to read; put the recordings into {folder}/")
    if untold:
        raise UserError(f"{untold}\nThe script lacks these scenes.")
    return 0


def _run_check(shared: Shared, arguments: Parsed) -> int:
    from .narrating import VOICE_STORE  # noqa: PLC0415
    from .voice.recordings import Recordings  # noqa: PLC0415

    board, language, found, untold = _words(shared, arguments)
    film = board.film
    units = {name: film.unit(name) for name in film.languages}
    folder = board.path.parent / film.recordings
    recordings = Recordings(folder, shared.media(arguments) / VOICE_STORE, units)
    faults = recordings.faults(found, language, film.pace(language))
    # The recordings of a scene whose words cannot be told are none the less its own.
    every = {entry.id: dict.fromkeys(entry.beats, "") for entry in board.drawn if entry.speaks}
    strangers = list(recordings.strangers(every, language))
    for fault in (*faults, *strangers):
        print(fault)
    beats = sum(len(beats) for beats in found.values())
    told = [
        *([f"{len(faults)} of {beats} beats need a recording that can be used."] if faults else []),
        *([f"{len(strangers)} of the files belong to no beat."] if strangers else []),
        *([untold] if untold else []),
    ]
    if told:
        raise UserError("\n".join(told))
    print(f"{shown_path(folder / language)}: OK, {beats} recordings; render with --voice recordings")
    return 0


def _add_verify(commands: Any, shared: Shared) -> None:
    verify = add_command(
        commands,
        "verify",
        "check finished films: pictures, sound, captions, chapters",
        "Check finished films against what they were joined from: frames, time stamps, format, seams, "
        "chapters, the sound under every caption, its loudness and length, the captions.",
    )
    verify.add_argument("films", nargs="*", type=Path, metavar="FILM", help="films to check (default: all in media)")
    shared.common(verify)

    def run_verify(arguments: Parsed) -> int:
        from .verify_command import verify_films  # noqa: PLC0415

        return verify_films(arguments.films, shared.media(arguments))

    verify.set_defaults(run=run_verify)
