"""The grammar of `explain course`. The engine and the pages' templates are imported only when it runs."""

from __future__ import annotations

from typing import Any

from .arguments import Parsed, Shared, add_command, names, out_option, quality_option

FOLDER = "course"


def add_course_commands(commands: Any, shared: Shared) -> None:
    """Add the command to `commands`, argparse's subparsers."""
    course = add_command(
        commands,
        "course",
        "make a site, SCORM packages and files to upload from the rendered film",
        "Write everything that a course needs from the film as it was rendered: a site that works "
        "without a server, SCORM 1.2 and 2004 packages, and files to upload with captions and transcript. Render the "
        "film first.",
    )
    course.add_argument(
        "--language",
        action="append",
        metavar="LANG",
        help="a language of the film, several by repeating it, or all (default: every language that is rendered)",
    )
    quality_option(course, what="the quality that was rendered")
    out_option(course, "FOLDER", "media/course")
    shared.common(course)

    def run(arguments: Parsed) -> int:
        from rich.console import Console  # noqa: PLC0415

        from .course.kit import CourseRequest, make_course  # noqa: PLC0415

        media = shared.media(arguments)
        request = CourseRequest(
            scenes_folder=shared.folder(arguments),
            media=media,
            out=arguments.out or media / FOLDER,
            languages=names(arguments.language),
            quality=arguments.quality,
        )
        return make_course(shared.load(arguments), request, Console())

    course.set_defaults(run=run)
