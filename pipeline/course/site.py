"""The static site: a page that holds everything but the videos, its script and style, and the page of values.

The same files make the SCORM packages; there another script keeps the place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine import Trace

from ..placeholders import film_values
from ..storyboard import CourseSettings
from .colours import theme_colours
from .material import Cue, Edition
from .pages import EditionPage, LessonPage, film_file
from .values import values_page

STATIC = Path(__file__).with_name("static")
TRACKERS = {
    "site": ("tracker-local.js",),
    "scorm12": ("tracker-local.js", "scorm-api.js", "scorm12.js"),
    "scorm2004": ("tracker-local.js", "scorm-api.js", "scorm2004.js"),
}
_SCRIPTS = ("watched.js", "state.js", "media.js", "captions.js", "transcript.js", "quiz.js")
# Nothing but files beside the page; no script or style in the page; videos from memory for servers without byte ranges.
POLICY = "; ".join(
    [
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self' blob:"),
        *("connect-src 'self'", "base-uri 'none'", "form-action 'none'"),
    ]
)
# Shapes of 24 by 24, drawn for this page.
_ICONS = {
    "previous": "M5 5h2.5v14H5zM19 5v14l-10-7z",
    "next": "M16.500 5H19v14h-2.500zM5 5l10 7-10 7z",
    "back": "M12 5l-9 7 9 7zM21 5l-9 7 9 7z",
    "forward": "M12 5l9 7-9 7zM3 5l9 7-9 7z",
    "play": "M7 4l13 8-13 8z",
    "pause": "M6 4h4.500v16H6zM13.500 4H18v16h-4.500z",
}


@dataclass(frozen=True)
class Site:
    """All that the pages are made from."""

    id: str
    editions: tuple[Edition, ...]
    pages: tuple[EditionPage, ...]
    settings: CourseSettings
    trace: Trace


@cache
def templates() -> Environment:
    """The pages' templates. Everything that is put into them is escaped."""
    return Environment(
        loader=PackageLoader("pipeline.course"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def text_files(site: Site, kind: str) -> dict[str, str]:
    """Name -> text of every file of the site but videos, pictures and worksheets. `kind`: a key of TRACKERS.

    A package is what students get: nothing in it leads to the answers of the worksheet.
    """
    whole_film = kind == "site"
    pages = site.pages if kind == "site" else tuple(page.for_students() for page in site.pages)
    scripts = (*_SCRIPTS, *TRACKERS[kind], "course.js")
    colours = theme_colours()
    files = {
        "index.html": templates()
        .get_template("index.html.j2")
        .render(
            first=pages[0],
            editions=pages,
            words=pages[0].words,
            data=InScript(_data(site, whole_film)),
            policy=POLICY,
            scripts=scripts,
            icons=_ICONS,
            quizzes=site.settings.quizzes,
            whole_film=whole_film,
        ),
        "course.css": _style(colours),
        "icon.svg": templates().get_template("icon.svg.j2").render(colours),
    }
    files |= {script: (STATIC / script).read_text(encoding="utf-8") for script in scripts}
    for page in site.pages:
        facts = film_values(site.trace.config, page.language)
        settings = [(name, value) for name, value in facts.items() if isinstance(value, int)]
        values = values_page(page.places, site.trace, page.words)
        files[page.values_file] = (
            templates().get_template("values.html.j2").render(edition=page, settings=settings, values=values)
        )
    return files


class InScript(str):
    """JSON for a `<script>` block: no character of it can end the block or be taken for markup."""

    def __new__(cls, data: Any) -> InScript:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        for sign in "<>&\u2028\u2029":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return super().__new__(cls, text)

    def __html__(self) -> str:
        return str(self)


def _style(colours: Mapping[str, str]) -> str:
    values = "\n".join(f"  --{name}: {colour};" for name, colour in colours.items())
    return f":root {{\n{values}\n}}\n" + (STATIC / "course.css").read_text(encoding="utf-8")


def _data(site: Site, whole_film: bool) -> dict[str, Any]:
    """What the page's script needs to know."""
    return {
        "id": site.id,
        "languages": [page.language for page in site.pages],
        "watched": site.settings.watched,
        "passing": site.settings.passing,
        "scenes": [{"id": lesson.id} for lesson in site.pages[0].lessons],
        "words": {page.language: page.words.page_words() for page in site.pages},
        "editions": {
            page.language: {
                "title": page.title,
                "film": _film(edition, page) if whole_film else None,
                "scenes": [
                    _scene(lesson.cues, view) for lesson, view in zip(edition.lessons, page.lessons, strict=True)
                ],
            }
            for edition, page in zip(site.editions, site.pages, strict=True)
        },
    }


def _scene(cues: Sequence[Cue], page: LessonPage) -> dict[str, Any]:
    return {
        "video": page.video,
        "poster": page.poster,
        "seconds": page.seconds,
        "beats": [beat.start for beat in page.beats],
        "captions": _cues(cues),
        "chapters": [[0, page.seconds, page.title]],
        "question": page.question,
    }


def _film(edition: Edition, page: EditionPage) -> dict[str, Any]:
    times = [(round(start, 3), round(end, 3)) for start, end in edition.chapters]
    return {
        "video": film_file(edition.language),
        "captions": _cues(edition.cues),
        "chapters": [[*span, lesson.title] for span, lesson in zip(times, page.lessons, strict=True)],
        "starts": [round(start, 3) for start in edition.starts],
    }


def _cues(cues: Sequence[Cue]) -> list[list[Any]]:
    return [[cue.start, cue.end, cue.text] for cue in cues]
