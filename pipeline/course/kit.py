"""`explain course`: from the rendered film to a folder with everything that a course needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from engine import Trace, WeightsFileError, preset, run_trained

from ..clips import Media, film_name
from ..described import SUFFIX as DESCRIBED
from ..files import write_text
from ..film import find_ffmpeg
from ..lock import media_lock
from ..manifest import plain_copy
from ..plan import choose_languages, choose_scenes
from ..posters import film_poster, poster_beat
from ..problems import UserError, listed, shown_path
from ..progress import duration, size
from ..qualities import QUALITIES, Quality
from ..storyboard import Entry, Storyboard
from ..worksheet import worksheet_words
from ..worksheet_exercises import make_exercises
from ..worksheet_pages import Page, web_page
from .material import Edition, Lesson, editions
from .pages import ANSWERS, EditionPage, edition_page, film_file, stem
from .quiz import Question, question_for
from .record import Origin, Record, is_kit
from .scorm import VERSIONS, manifest, write_package
from .site import Site, text_files
from .upload import Names, embed_page
from .video import has_sound, poster, write_clip

WORKSHEET_SEED = 1
Say = Callable[[str], None]


@dataclass(frozen=True)
class CourseRequest:
    """What the user asked for. None: every language that is rendered, the storyboard's quality."""

    scenes_folder: Path
    media: Path
    out: Path
    languages: Sequence[str] | None = None
    quality: str | None = None


def make_course(storyboard: Storyboard, request: CourseRequest, console: Console) -> int:
    """Write the kit; the exit status. Nothing is left half-written: the folder is put in place when it is whole.

    Raises UserError where a film is missing or outdated, and where the folder holds something else.
    """

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    out = request.out.absolute()
    if out.exists() and not (out.is_dir() and (is_kit(out) or not any(out.iterdir()))):
        raise UserError(
            f"{shown_path(out)} is there and is no course kit, so it is left alone.\n"
            "    next: name another folder with --out, or remove it"
        )
    quality = QUALITIES[request.quality or storyboard.film.quality]
    entries = choose_scenes(storyboard, None)
    languages = _languages(storyboard, request, quality, say)
    trace = _trace(storyboard)
    with media_lock(request.media.resolve()):  # so that no clip is removed meanwhile
        found = editions(storyboard, entries, languages, quality, (request.scenes_folder, request.media))
        partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        try:
            pages = _write(storyboard, entries, found, trace, Record(partial), say)
            _replace(partial, out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    _report(out, found, pages, say)
    return 0


def _languages(storyboard: Storyboard, request: CourseRequest, quality: Quality, say: Say) -> list[str]:
    """The languages asked for; without any, those that are rendered."""
    if request.languages is not None:
        return choose_languages(storyboard, request.languages)
    media = Media(request.media.resolve())
    every = storyboard.film.languages
    there = [one for one in every if media.film(one, film_name(storyboard, one, quality, None)).is_file()]
    left = [one for one in every if one not in there]
    if there and left:
        say(f"Left out, not rendered: {listed(left)}")
    return there or [storyboard.film.default_language]


def _trace(storyboard: Storyboard) -> Trace:
    name, settings = storyboard.film.preset
    try:
        return run_trained(preset(name, **settings))
    except WeightsFileError as error:
        raise UserError(str(error)) from None


def _write(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    found: Sequence[Edition],
    trace: Trace,
    record: Record,
    say: Say,
) -> list[EditionPage]:
    """Write all files of the kit into the record's folder."""
    settings = storyboard.film.course
    slug = film_name(storyboard, "", QUALITIES["standard"], None).strip("-")
    questions = _questions(entries, trace) if settings.quizzes else {}
    sheets = {edition.language: _worksheets(edition.language, trace) for edition in found}
    pages = [edition_page(edition, storyboard, trace, questions, tuple(sheets[edition.language])) for edition in found]
    site = Site(f"{slug}-{len(entries)}", tuple(found), tuple(pages), settings, trace)

    ffmpeg = find_ffmpeg()
    media: dict[str, Path] = {}
    for edition in found:
        say(f"{edition.language}: {len(edition.lessons)} scenes, {duration(edition.seconds)}")
        sounding = has_sound(edition.film)
        for lesson in edition.lessons:
            origin = _origin(edition, lesson)
            name = f"{stem(lesson, edition.language)}.mp4"
            media[name] = record.file(f"site/{name}", "clip", origin, seconds=round(lesson.seconds, 3))
            write_clip(lesson, edition, sounding, media[name], ffmpeg)
            picture = f"{stem(lesson, edition.language)}.jpg"
            media[picture] = record.file(f"site/{picture}", "poster", origin)
            media[picture].write_bytes(poster(lesson, poster_beat(lesson.entry)))
        film = record.file(
            f"site/{film_file(edition.language)}", "film", _origin(edition), seconds=round(edition.seconds, 3)
        )
        shutil.copyfile(edition.film, film)

    say("site")
    texts = {name: text for files in sheets.values() for name, text in files.items()}
    handed_out = {name: text for name, text in texts.items() if ANSWERS not in name}
    for name, text in (text_files(site, "site") | texts).items():
        write_text(record.file(f"site/{name}", "page"), text)
    for kind, name in VERSIONS.items():
        say(name)
        package = record.file(f"{slug}-{name}.zip", "scorm")
        files = text_files(site, kind) | handed_out
        names = ["index.html", *sorted((files.keys() | media.keys()) - {"index.html"})]
        files["imsmanifest.xml"] = manifest(kind, slug, pages[0].title, names, settings)
        write_package(package, files, media)
    say("upload set")
    for edition, page in zip(found, pages, strict=True):
        _upload(storyboard, entries, edition, page, (slug, media), record)
    record.write(
        title=storyboard.film.title,
        languages=[edition.language for edition in found],
        quality=storyboard.film.quality if not found else found[0].lessons[0].sidecar.quality,
        watched=settings.watched,
        quizzes=settings.quizzes,
        numbers={page.language: vars(page.counts) for page in pages},
    )
    return pages


def _origin(edition: Edition, lesson: Lesson | None = None) -> Origin:
    if lesson is None:
        return Origin(edition.language, None, edition.sha256[:16])
    return Origin(edition.language, lesson.entry.id, lesson.sidecar.fingerprint)


def _questions(entries: Sequence[Entry], trace: Trace) -> dict[str, Question]:
    found = {entry.id: question_for(entry, trace) for entry in entries}
    return {name: question for name, question in found.items() if question is not None}


def _worksheets(language: str, trace: Trace) -> dict[str, str]:
    """The exercises and their answers as pages; nothing in a language that the worksheet has no words in."""
    words = worksheet_words()
    if language not in words["title"]:
        return {}
    exercises = make_exercises(trace, WORKSHEET_SEED)
    return {
        f"worksheet-{language}{f'-{ANSWERS}' if answers else ''}.html": web_page(
            Page(trace, exercises, words, language, WORKSHEET_SEED, answers)
        )
        for answers in (False, True)
    }


def _upload(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    edition: Edition,
    page: EditionPage,
    where: tuple[str, Mapping[str, Path]],
    record: Record,
) -> None:
    slug, media = where
    language = edition.language
    names = Names(f"{slug}-{language}")
    length = round(edition.seconds, 3)

    def file(name: str, kind: str, *, seconds: float | None = None, lesson: Lesson | None = None) -> Path:
        return record.file(f"upload/{language}/{name}", kind, _origin(edition, lesson), seconds=seconds)

    shutil.copyfile(edition.film, file(names.film, "film", seconds=length))
    shutil.copyfile(plain_copy(edition.film), file(names.plain, "film", seconds=length))
    for suffix, kind, name in (
        (".vtt", "captions", names.captions),
        (".srt", "captions", f"{names.prefix}.srt"),
        (".chapters.vtt", "chapters", names.chapters),
        (".transcript.md", "transcript", f"{names.prefix}-transcript.md"),
        (DESCRIBED, "transcript", f"{names.prefix}-transcript-described.md"),
    ):
        shutil.copyfile(edition.film.with_suffix(suffix), file(name, kind))
    entry, beat = film_poster(storyboard, entries)
    shown = next(lesson for lesson in edition.lessons if lesson.entry.id == entry.id)
    file(names.poster, "poster").write_bytes(poster(shown, beat))
    for lesson in edition.lessons:
        base = stem(lesson, language)

        def clip(ending: str, lesson: Lesson = lesson) -> str:
            return names.scene(lesson.number, lesson.entry.id, ending)

        seconds = round(lesson.seconds, 3)
        shutil.copyfile(media[f"{base}.mp4"], file(clip("mp4"), "clip", seconds=seconds, lesson=lesson))
        shutil.copyfile(media[f"{base}.jpg"], file(clip("jpg"), "poster", lesson=lesson))
        for ending in ("vtt", "srt"):
            shutil.copyfile(lesson.video.with_suffix(f".{ending}"), file(clip(ending), "captions", lesson=lesson))
    first = edition.lessons[0]
    page_text = embed_page(page, names, names.scene(first.number, first.entry.id, "mp4"))
    write_text(file(f"{names.prefix}-embed.html", "page"), page_text)


def _replace(partial: Path, out: Path) -> None:
    """Put the finished folder in the place of an older one."""
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    if out.exists():
        os.replace(out, old)
    os.replace(partial, out)
    shutil.rmtree(old, ignore_errors=True)


def _report(out: Path, found: Sequence[Edition], pages: Sequence[EditionPage], say: Say) -> None:
    total = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    say(f"Course kit: {shown_path(out)} ({size(total)})")
    say(f"    site: {shown_path(out / 'site' / 'index.html')} (opens by a double click, or put the folder on a server)")
    for package in sorted(out.glob("*.zip")):
        say(f"    {shown_path(package)}")
    for edition, page in zip(found, pages, strict=True):
        counts = page.counts
        say(f"    {shown_path(out / 'upload' / edition.language)}: film, clips, captions, transcript, embed.html")
        if counts.numbers:
            say(
                f"    transcript ({edition.language}): {counts.exact} of its {counts.numbers} numbers are linked to "
                "the value that they are"
                + (f", {counts.alike} to several values that read the same" if counts.alike else "")
            )
