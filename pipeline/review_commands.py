"""The grammar of `explain still`, `contact-sheet`, `posters` and `ocr`. manim is imported when one runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .problems import UserError, did_you_mean, listed, shown_path
from .qualities import QUALITIES
from .stills import MOMENTS
from .storyboard import Storyboard

Parsed = argparse.Namespace


@dataclass(frozen=True)
class Shared:
    """What every command has: its common options, and how they are read."""

    common: Callable[[Any], None]
    load: Callable[[Parsed], Storyboard]
    folder: Callable[[Parsed], Path]
    media: Callable[[Parsed], Path]


def add_review_commands(commands: Any, shared: Shared) -> None:
    """Add the commands with which a film is looked at to `commands`, argparse's subparsers."""
    _still(commands, shared)
    _contact_sheet(commands, shared)
    _posters(commands, shared)
    _ocr(commands, shared)


def _still(commands: Any, shared: Shared) -> None:
    still = commands.add_parser(
        "still",
        allow_abbrev=False,
        help="write one frame of a scene as a picture",
        description="Write one frame of a scene, the same that is in the film; what comes before it is not drawn.",
    )
    still.add_argument("scene", metavar="SCENE", help="the scene's id in the storyboard")
    still.add_argument("beat", metavar="BEAT", help="the beat's name in the storyboard")
    _language(still)
    _quality(still, "the storyboard's quality")
    still.add_argument(
        "--at",
        type=one_of(MOMENTS, "a moment of a beat"),
        default="end",
        metavar="MOMENT",
        help="start, middle (of the time that the words take), end (default)",
    )
    still.add_argument(
        "--out", type=_picture, metavar="FILE", help="the .png, .jpg or .webp file to write (default: in media/stills)"
    )
    shared.common(still)

    def run(arguments: Parsed) -> int:
        from .stills import StillRequest, write_still  # noqa: PLC0415

        request = StillRequest(
            arguments.scene,
            arguments.beat,
            shared.folder(arguments),
            shared.media(arguments),
            arguments.language,
            arguments.quality,
            arguments.at,
            arguments.out,
        )
        print(shown_path(write_still(shared.load(arguments), request)))
        return 0

    still.set_defaults(run=run)


def _contact_sheet(commands: Any, shared: Shared) -> None:
    sheet = commands.add_parser(
        "contact-sheet",
        allow_abbrev=False,
        help="write one picture a scene with its frames and words",
        description="Write one picture a scene: the frame at the end of each beat, or one every so many seconds, with "
        "the beat's name, the time and the words.",
    )
    _many(sheet)
    sheet.add_argument(
        "--every", type=_every, metavar="WHEN", help="beat (default), or a number of seconds between frames"
    )
    _quality(sheet, "draft", "draft")
    sheet.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: media/contact-sheets)")
    shared.common(sheet)

    def run(arguments: Parsed) -> int:
        from rich.console import Console  # noqa: PLC0415

        from .contact_sheet import SheetRequest, make_sheets  # noqa: PLC0415

        request = SheetRequest(
            shared.folder(arguments),
            shared.media(arguments),
            names(arguments.scenes),
            names(arguments.language),
            arguments.every,
            arguments.quality,
            arguments.out,
            arguments.jobs,
        )
        return make_sheets(shared.load(arguments), request, Console())

    sheet.set_defaults(run=run)


def _posters(commands: Any, shared: Shared) -> None:
    posters = commands.add_parser(
        "posters",
        allow_abbrev=False,
        help="write the frames that stand for the film and its scenes",
        description="Write the film's poster beside the film and one for each scene into media/posters. The storyboard "
        "chooses them: film: poster: {scene: …, beat: …}, and poster: BEAT in a scene (default: its last beat).",
    )
    _many(posters)
    _quality(posters, "the storyboard's quality")
    shared.common(posters)

    def run(arguments: Parsed) -> int:
        from rich.console import Console  # noqa: PLC0415

        from .posters import PosterRequest, make_posters  # noqa: PLC0415

        request = PosterRequest(
            shared.folder(arguments),
            shared.media(arguments),
            names(arguments.scenes),
            names(arguments.language),
            arguments.quality,
            arguments.jobs,
        )
        return make_posters(shared.load(arguments), request, Console())

    posters.set_defaults(run=run)


def _ocr(commands: Any, shared: Shared) -> None:
    ocr = commands.add_parser(
        "ocr",
        allow_abbrev=False,
        help="check by OCR that the numbers on screen can be read",
        description="Read the numbers of the 1080p frames at the end of every beat with an OCR model that knows "
        "nothing of the film, compare them with the trace, and list what was not read right in media/ocr.",
    )
    _selection(ocr, "all")
    shared.common(ocr)

    def run(arguments: Parsed) -> int:
        from rich.console import Console  # noqa: PLC0415

        from .ocr import check_film  # noqa: PLC0415

        folders = (shared.folder(arguments), shared.media(arguments))
        wanted = (names(arguments.scenes), names(arguments.language))
        return check_film(shared.load(arguments), folders, wanted, Console())

    ocr.set_defaults(run=run)


def add_watch_options(preview: Any) -> None:
    """The options of `explain preview` that watch a scene while it is being written."""
    preview.add_argument(
        "--watch",
        action="store_true",
        help="write a picture to media/preview whenever the storyboard, the scene or what it imports is saved",
    )
    preview.add_argument(
        "--beat", metavar="BEAT", help="with --watch: show the end of this beat (default: of the one that changed)"
    )
    preview.add_argument("--clip", action="store_true", help="with --watch: the whole beat, as a video")


def watch_scene(arguments: Parsed, storyboard: Path, folders: tuple[Path, Path]) -> int:
    """Watch the scene until Ctrl-C; the exit status. `folders`: where the scenes lie, where output goes."""
    from .watch import WatchRequest, watch  # noqa: PLC0415

    request = WatchRequest(
        arguments.scene,
        storyboard,
        *folders,
        arguments.beat,
        arguments.language,
        arguments.clip,
        open_picture=not arguments.no_open,
    )
    return watch(request)


# -- arguments that several have ---------------------------------------------------------------------------------------


def _language(command: Any) -> None:
    command.add_argument("--language", metavar="LANG", help="a language of the film (default: the storyboard's)")


def _selection(command: Any, otherwise: str) -> None:
    command.add_argument("--scenes", nargs="+", metavar="ID", help="only these scenes (ids, spaces or commas between)")
    command.add_argument(
        "--language", nargs="+", metavar="LANG", help=f"languages of the film, or all (default: {otherwise})"
    )


def _many(command: Any) -> None:
    _selection(command, "the storyboard's")
    command.add_argument(
        "--jobs", type=_jobs, metavar="N", help="draw N scenes at a time, 1 to 64 (default: one per core)"
    )


def _quality(command: Any, otherwise: str, default: str | None = None) -> None:
    command.add_argument(
        "--quality",
        type=one_of(tuple(QUALITIES), "a quality"),
        default=default,
        metavar="QUALITY",
        help=f"{', '.join(QUALITIES)} (default: {otherwise})",
    )


def names(texts: list[str] | None) -> list[str] | None:
    """Names from arguments that may each hold several, with commas between. Raises UserError for an empty list."""
    if texts is None:
        return None
    found = [name for text in texts for name in text.replace(",", " ").split()]
    if not found:
        raise UserError("The list of names is empty.\n    next: name at least one, or leave the option out")
    return found


def one_of(allowed: tuple[str, ...], what: str) -> Callable[[str], str]:
    """An argument type: one of `allowed`, with near misses told."""

    def parse(text: str) -> str:
        if text not in allowed:
            hint = did_you_mean(text, allowed)
            message = f'"{text}" is not {what}; allowed: {listed(allowed)}'
            raise argparse.ArgumentTypeError(message + (f"; {hint}" if hint else ""))
        return text

    return parse


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 64):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of jobs; allowed: 1 to 64')
    return int(text)


def _every(text: str) -> float | None:
    """Seconds, None for "beat"."""
    if text == "beat":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 600:
        raise argparse.ArgumentTypeError(f'"{text}" is not allowed; allowed: beat, or 0.1 to 600 seconds')
    return seconds


def _picture(text: str) -> Path:
    if Path(text).suffix.lower() not in {".png", ".jpg", ".jpeg", ".webp"}:
        raise argparse.ArgumentTypeError(f'"{text}" is not the name of a picture; allowed: .png, .jpg, .webp')
    return Path(text)
