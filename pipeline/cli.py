"""The command line: `explain render | prune | check | trace | preview | train | worksheet`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from .arguments import Shared, add_command, count_of, jobs_option, language_option, names, one_of, quality_option
from .course_commands import add_course_commands
from .film_extras import INCOMPLETE
from .learning_commands import add_learning_commands
from .manifest import KEEP, VERSIONS
from .problems import UserError, did_you_mean, listed
from .qualities import QUALITIES
from .review_commands import add_review_commands, add_watch_options, watch_scene
from .storyboard import REPO_ROOT, Storyboard, load_storyboard, scenes_folder
from .voice_commands import add_voice_commands

MEDIA_VARIABLE = "EXPLAINER_MEDIA"
INTERRUPTED = 130
RENDERERS = ("fast", "manim")


class FriendlyParser(argparse.ArgumentParser):
    """argparse with "did you mean" for commands and options, and a next step."""

    def parse_whole(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse `arguments`; exits with status 2 and a message for a wrong one."""
        commands = self.commands()
        if arguments and not arguments[0].startswith("-") and arguments[0] not in commands:
            hint = did_you_mean(arguments[0], commands)
            self.error(
                f'"{arguments[0]}" is not a command; allowed: {listed(commands)}' + (f"; {hint}" if hint else "")
            )
        parsed, unknown = self.parse_known_args(arguments)
        if unknown:
            command = commands[parsed.command]
            options = [name for action in command.visible() for name in action.option_strings if len(name) > 2]
            hint = did_you_mean(unknown[0].partition("=")[0], options)
            allowed = f"allowed: {listed(options)}"
            command.error(f'"{unknown[0]}" is not an argument; {allowed}' + (f"; {hint}" if hint else ""))
        return parsed

    def commands(self) -> dict[str, FriendlyParser]:
        """The subcommands' parsers by name."""
        actions = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        return dict(actions[0].choices) if actions else {}

    def visible(self) -> list[argparse.Action]:
        """The arguments that the help shows."""
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"{self.prog}: {message}", file=sys.stderr)
        print(f"    next: {self.prog} --help", file=sys.stderr)
        sys.exit(2)


def parser() -> FriendlyParser:
    """The command line's grammar."""
    top = FriendlyParser(
        prog="explain",
        allow_abbrev=False,
        description="A film about the Transformer in which every number is computed.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=FriendlyParser)

    render = add_command(
        commands,
        "render",
        "render the clips that have changed and join the film",
        "Render the clips that have changed, join them into the film and verify it. Draft scenes are left out.",
    )
    render.add_argument(
        "--scenes", nargs="+", metavar="ID", help="only these scenes (ids, separated by spaces or commas); the film of "
        "some scenes has a file name of its own"
    )  # fmt: skip
    several = "a language of the film, several with commas between, or all"
    language_option(render, several, "the storyboard's default_language")
    quality_option(render, what="; ".join(map(str, QUALITIES.values())))
    jobs_option(render, "draw with N workers")
    render.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="draw on the workers of this Dask scheduler, as in tcp://192.0.2.7:8786 (see README)",
    )
    render.add_argument(
        "--renderer",
        type=one_of(RENDERERS, "a renderer"),
        default=RENDERERS[0],
        metavar="NAME",
        help="fast (default), or manim: manim's own, to the same pictures in several times the time",
    )
    render.add_argument("--force", action="store_true", help="render every clip again, changed or not")
    render.add_argument(
        "--keep-going",
        action="store_true",
        help="where scenes fail, join the film without them, under a name that ends in -incomplete; the exit status "
        f"is then {INCOMPLETE}",
    )
    render.add_argument(
        "--why", action="store_true", help="say for each scene whether it would be rendered and why; render nothing"
    )
    render.add_argument(
        "--voice",
        type=one_of(["none", "recordings", "kokoro"], "a voice"),
        metavar="VOICE",
        help="none: silent, with captions; recordings: your own; kokoro: synthesised (default: the storyboard's voice, "
        "else kokoro where make voice has installed it)",
    )
    render.add_argument("--ffmpeg", metavar="PATH", help="join with this ffmpeg (default: the packaged one)")
    _common(render)
    render.set_defaults(run=_render)

    prune = add_command(
        commands,
        "prune",
        "remove clips that no film needs any more",
        "Remove clips that neither the storyboard as it is now nor the last versions of a film are made "
        "of, and what films that are gone left behind. Films themselves are never removed.",
    )
    prune.add_argument(
        "--keep",
        type=count_of("versions", VERSIONS),
        default=KEEP,
        metavar="N",
        help=f"keep the clips of the last N versions of each film (default: {KEEP})",
    )
    prune.add_argument("--dry-run", action="store_true", help="say what would be removed; remove nothing")
    _common(prune)
    prune.set_defaults(run=_prune)

    check = add_command(commands, "check", "check the storyboard against itself, the model and the scenes")
    _common(check)
    check.set_defaults(run=_check)

    trace = add_command(commands, "trace", "write the numbers behind the film")
    trace.add_argument(
        "--format",
        type=one_of(["json", "csv"], "a format"),
        default="json",
        metavar="FORMAT",
        help="json (default) or csv",
    )
    trace.add_argument(
        "--keys", default="*", metavar="PATTERN", help='keys to write, as in "encoder.0.attn.*" (default: all)'
    )
    trace.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: standard output)")
    _common(trace)
    trace.set_defaults(run=_trace)

    preview = add_command(commands, "preview", "render one scene quickly with manim and open it")
    preview.add_argument("scene", metavar="SCENE", help="the scene's id in the storyboard")
    language_option(preview)
    preview.add_argument("--no-open", action="store_true", help="do not open the video or picture")
    add_watch_options(preview)
    _common(preview)
    preview.set_defaults(run=_preview)

    shared = Shared(_common, _load, _scenes_folder, _media, _storyboard_path)
    add_learning_commands(commands, shared)
    add_voice_commands(commands, shared)
    add_review_commands(commands, shared)
    add_course_commands(commands, shared)
    return top


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--storyboard", type=Path, metavar="FILE", help="the storyboard to use (default: the project's storyboard.yaml)"
    )
    # For the tests and for other studios than this one.
    command.add_argument("--scenes-folder", type=Path, help=argparse.SUPPRESS)
    command.add_argument("--media", type=Path, help=argparse.SUPPRESS)


def _storyboard_path(arguments: argparse.Namespace) -> Path:
    named: Path | None = arguments.storyboard
    return named or Path(os.environ.get("EXPLAINER_STORYBOARD") or REPO_ROOT / "storyboard.yaml")


def _scenes_folder(arguments: argparse.Namespace) -> Path:
    folder: Path = arguments.scenes_folder or scenes_folder()
    return folder.resolve()


def _media(arguments: argparse.Namespace) -> Path:
    return arguments.media or Path(os.environ.get(MEDIA_VARIABLE) or REPO_ROOT / "media")


def _load(arguments: argparse.Namespace) -> Storyboard:
    return load_storyboard(_storyboard_path(arguments), scenes=_scenes_folder(arguments))


def _render(arguments: argparse.Namespace) -> int:
    from rich.console import Console  # noqa: PLC0415 (check and trace start faster without it)

    from .render import RenderRequest, render_film  # noqa: PLC0415

    request = RenderRequest(
        storyboard=_storyboard_path(arguments),
        scenes_folder=_scenes_folder(arguments),
        media=_media(arguments),
        scenes=names(arguments.scenes),
        languages=names(None if arguments.language is None else [arguments.language]),
        quality=arguments.quality,
        jobs=arguments.jobs,
        force=arguments.force,
        renderer=arguments.renderer,
        cluster=arguments.cluster,
        ffmpeg=arguments.ffmpeg,
        voice=arguments.voice,
        why=arguments.why,
        keep_going=arguments.keep_going,
        given=_given(arguments),
    )
    return render_film(request, Console())


def _given(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The options that a render of one scene needs again, as they were given."""
    again = ("storyboard", "scenes_folder", "media", "voice", "cluster", "ffmpeg")
    found = [(name, getattr(arguments, name)) for name in again if getattr(arguments, name) is not None]
    if arguments.renderer != RENDERERS[0]:
        found.append(("renderer", arguments.renderer))
    return tuple(part for name, value in found for part in (f"--{name.replace('_', '-')}", str(value)))


def _prune(arguments: argparse.Namespace) -> int:
    from .prune import prune  # noqa: PLC0415

    folders = (_scenes_folder(arguments), _media(arguments))
    print(prune(_load(arguments), folders, keep=arguments.keep, dry_run=arguments.dry_run))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from .problems import shown_path  # noqa: PLC0415

    storyboard = _load(arguments)
    beats = sum(len(entry.beats) for entry in storyboard.scenes)
    drafts = sum(entry.draft for entry in storyboard.scenes)
    cards = len(storyboard.cards)
    framed = f" and {cards} {'card' if cards == 1 else 'cards'}" if cards else ""
    print(
        f"{shown_path(storyboard.path)}: OK, {len(storyboard.scenes)} scenes ({drafts} drafts){framed}, {beats} beats, "
        f"steps 0-95, languages {listed(storyboard.film.languages)}"
    )
    for warning in storyboard.warnings:
        print(warning)
    return 0


def _trace(arguments: argparse.Namespace) -> int:
    from .trace_export import export_trace  # noqa: PLC0415

    # The numbers need the model alone; a scene that is being written does not stand in their way.
    storyboard = load_storyboard(_storyboard_path(arguments), check_scenes=False)
    return export_trace(storyboard, arguments.format, arguments.keys, arguments.out)


def _preview(arguments: argparse.Namespace) -> int:
    from .preview import preview  # noqa: PLC0415

    if arguments.watch:
        folders = (_scenes_folder(arguments), _media(arguments))
        return watch_scene(arguments, _storyboard_path(arguments), folders)
    return preview(
        _load(arguments),
        (_scenes_folder(arguments), _media(arguments)),
        arguments.scene,
        language=arguments.language,
        open_video=not arguments.no_open,
    )


def _told(error: OSError) -> str:
    """What the system refuses, and what to do about it."""
    again = "then run it again"
    if isinstance(error, FileExistsError | NotADirectoryError):
        name = f"{_in_the_way(Path(error.filename))}: " if error.filename else ""
        return f"{name}a file is where a folder is needed\n    next: move it away, {again}"
    if isinstance(error, IsADirectoryError):
        name = f"{error.filename2 or error.filename}: " if error.filename else ""
        return f"{name}a folder is where a file is to be written\n    next: name a file, {again}"
    name = f"{error.filename}: " if error.filename else ""
    advice = f"check that the folder can be written and the disk has room, {again}"
    return f"{name}{error.strerror or error}\n    next: {advice}"


def _in_the_way(path: Path) -> Path:
    """The file because of which there can be no folder `path`: itself, or one above it."""
    return next((part for part in (*reversed(path.parents), path) if part.is_file()), path)


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """What is told to end, or loses its terminal, ends as by Ctrl-C: its processes and temporary files go, too."""
    mine = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGTERM, signal.SIGHUP) if mine else ()  # others may set no handlers
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Returns the exit status."""
    parsed = parser().parse_whole(sys.argv[1:] if arguments is None else list(arguments))
    try:
        with _ended_like_ctrl_c():
            return int(parsed.run(parsed))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was finished is kept; run the command again to go on.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say, nor anyone to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as error:
        print(_told(error), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
