"""The grammar of `explain script`, `record-check` and `verify`. What they need is imported when one of them runs."""

from __future__ import annotations

import sys
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

    def words(arguments: Parsed) -> tuple[Storyboard, str, dict[str, dict[str, str]]]:
        from .narrating import script_folder  # noqa: PLC0415
        from .voice.script import script_of  # noqa: PLC0415

        board = shared.load(arguments)
        language = known_language(board, arguments.language)
        entries = [entry for entry in board.drawn if entry.speaks]
        where = script_folder(shared.media(arguments), shared.folder(arguments))
        told: list[str] = []

        def on_scene(scene: str) -> None:
            told.append(scene)
            if sys.stderr.isatty():
                print(f"\r\033[Kreading the words: {len(told)} of {len(entries)} scenes", end="", file=sys.stderr)

        found = script_of(board, entries, language, where, on_scene)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        return board, language, found

    def run_script(arguments: Parsed) -> int:
        from .files import write_text  # noqa: PLC0415
        from .voice.script_page import script_page  # noqa: PLC0415

        board, language, found = words(arguments)
        path = arguments.out or shared.media(arguments) / f"script-{language}.md"
        write_text(path, script_page(board, found, language))
        beats = sum(len(beats) for beats in found.values())
        folder = shown_path(board.path.parent / board.film.recordings / language)
        print(f"{shown_path(path)}: {beats} beats to read; put the recordings into {folder}/")
        return 0

    def run_check(arguments: Parsed) -> int:
        from .narrating import VOICE_STORE  # noqa: PLC0415
        from .voice.recordings import Recordings  # noqa: PLC0415

        board, language, found = words(arguments)
        film = board.film
        units = {name: film.unit(name) for name in film.languages}
        folder = board.path.parent / film.recordings
        recordings = Recordings(folder, shared.media(arguments) / VOICE_STORE, units)
        faults = recordings.faults(found, language, film.pace(language))
        for fault in faults:
            print(fault)
        beats = sum(len(beats) for beats in found.values())
        if faults:
            raise UserError(f"{len(faults)} of {beats} beats need a recording that can be used.")
        print(f"{shown_path(folder / language)}: OK, {beats} recordings; render with --voice recordings")
        return 0

    _add_verify(commands, shared)
    script.set_defaults(run=run_script)
    check.set_defaults(run=run_check)


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
