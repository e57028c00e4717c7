"""The grammar of `explain still`, `contact-sheet`, `posters` and `ocr`. manim is imported when one runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .arguments import (
    MOST_JOBS,
    Parsed,
    Shared,
    add_command,
    jobs_option,
    language_option,
    names,
    one_of,
    out_option,
    quality_option,
)
from .problems import shown_path
from .stills import MOMENTS


def add_review_commands(commands: Any, shared: Shared) -> None:
    """Add the commands with which a film is looked at to `commands`, argparse's subparsers."""
    _still(commands, shared)
    _contact_sheet(commands, shared)
    _check_pictures(commands, shared)
    _posters(commands, shared)
    _ocr(commands, shared)


def _still(commands: Any, shared: Shared) -> None:
    still = add_command(
        commands,
        "still",
        "write one frame of a scene as a picture",
        "Write one frame of a scene, the same that is in the film; what comes before it is not drawn.",
    )
    still.add_argument("scene", metavar="SCENE", help="the scene's id in the storyboard")
    still.add_argument("beat", metavar="BEAT", help="the beat's name in the storyboard")
    language_option(still)
    quality_option(still)
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
    sheet = add_command(
        commands,
        "contact-sheet",
        "write one picture a scene with its frames and words",
        "Write one picture a scene: the frame at the end of each beat, or one every so many seconds, with "
        "the beat's name, the time and the words.",
    )
    _many(sheet)
    sheet.add_argument(
        "--every", type=_every, metavar="WHEN", help="beat (default), or a number of seconds between frames"
    )
    quality_option(sheet, "draft", "draft")
    out_option(sheet, "FOLDER", "media/contact-sheets")
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


def _check_pictures(commands: Any, shared: Shared) -> None:
    check = add_command(
        commands,
        "check-pictures",
        "check that every text fits its place in every picture",
        "Play the scenes without drawing them and look at every picture: no text over another or over an edge, none "
        "cut off, too small or too faint, every number as the trace has it. A few seconds a scene.",
    )
    _many(check)
    shared.common(check)

    def run(arguments: Parsed) -> int:
        from rich.console import Console  # noqa: PLC0415

        from .picture_check import check_pictures  # noqa: PLC0415

        scenes, languages = names(arguments.scenes), names(arguments.language)
        folder = shared.folder(arguments)
        return check_pictures(shared.load(arguments), folder, scenes, languages, arguments.jobs, Console())

    check.set_defaults(run=run)


def _posters(commands: Any, shared: Shared) -> None:
    posters = add_command(
        commands,
        "posters",
        "write the frames that stand for the film and its scenes",
        "Write the film's poster beside the film and one for each scene into media/posters. The storyboard "
        "chooses them: film: poster: {scene: …, beat: …}, and poster: BEAT in a scene (default: its last beat).",
    )
    _many(posters)
    quality_option(posters)
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
    ocr = add_command(
        commands,
        "ocr",
        "check by OCR that the numbers on screen can be read",
        "Read the numbers of the 1080p frames at the end of every beat with an OCR model that knows "
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


def _selection(command: Any, otherwise: str) -> None:
    command.add_argument("--scenes", nargs="+", metavar="ID", help="only these scenes (ids, spaces or commas between)")
    command.add_argument(
        "--language", nargs="+", metavar="LANG", help=f"languages of the film, or all (default: {otherwise})"
    )


def _many(command: Any) -> None:
    _selection(command, "the storyboard's")
    jobs_option(command, f"draw N scenes at a time, 1 to {MOST_JOBS}")


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
