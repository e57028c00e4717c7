"""What the pages show, in one language: the templates' view of an edition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine import Trace

from ..placeholders import fill, film_values
from ..storyboard import Storyboard
from .described import Description, descriptions, keys_read
from .material import Edition, Lesson
from .provenance import Fragment, Place, fragments, steps_of_beats
from .quiz import Question
from .words import Words

ANSWERS = "answers"


@dataclass(frozen=True)
class Part:
    """A part of spoken words. `href`: where a number comes from; `hint`: that place in words."""

    text: str
    href: str = ""
    hint: str = ""


@dataclass(frozen=True)
class BeatPage:
    """One beat in the transcript. Seconds count from the beginning of the scene."""

    name: str
    start: float
    end: float
    parts: tuple[Part, ...]
    seen: Description | None

    @property
    def clock(self) -> str:
        return clock(self.start)

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True)
class LessonPage:
    """One scene on the pages."""

    number: int
    id: str
    title: str
    takeaway: str
    track: str
    track_name: str
    place: str  # on the map of the architecture
    steps: str
    seconds: float
    video: str  # file names
    poster: str
    beats: tuple[BeatPage, ...]
    question: Mapping[str, Any] | None

    @property
    def length(self) -> str:
        return clock(self.seconds)


@dataclass(frozen=True)
class Counts:
    """How many numbers the transcript has, how many lead to one value of the trace, how many to several alike."""

    numbers: int
    exact: int
    alike: int


@dataclass(frozen=True)
class EditionPage:
    """The film in one language on the pages. `places`: the values that are linked to."""

    language: str
    title: str
    words: Words
    lessons: tuple[LessonPage, ...]
    links: tuple[tuple[str, str], ...]  # name of the words, file
    places: frozenset[Place]
    counts: Counts
    trace: Trace = field(repr=False)

    @property
    def values_file(self) -> str:
        return values_file(self.language)

    def for_students(self) -> EditionPage:
        """The same without the link to the answers."""
        return replace(self, links=tuple(link for link in self.links if link[0] != ANSWERS))

    def foreign(self, key: str) -> bool:
        """Whether the meaning of a key is told in English on a page in another language."""
        return not self.words.has_meaning(self.trace.spec(key))


def clock(seconds: float) -> str:
    """`seconds` as a player writes them: 0:07."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"


def stem(lesson: Lesson, language: str) -> str:
    """The beginning of the names of a scene's files, unique in the course."""
    return f"{language}-{lesson.number:02}-{lesson.entry.id}"


def film_file(language: str) -> str:
    return f"{language}-film.mp4"


def values_file(language: str) -> str:
    return f"values-{language}.html"


def edition_page(
    edition: Edition, storyboard: Storyboard, trace: Trace, questions: Mapping[str, Question], sheets: tuple[str, ...]
) -> EditionPage:
    """The view of an edition. `sheets`: the files of the worksheet and its answers, or nothing."""
    words = Words(edition.language)
    found: list[Fragment] = []
    places: set[Place] = set()
    lessons = []
    for lesson in edition.lessons:
        page, used = _lesson(lesson, edition.language, storyboard, trace, words, questions.get(lesson.entry.id))
        lessons.append(page)
        found += used
        places |= {seen.place for beat in page.beats if beat.seen for seen in beat.seen.values}
    places |= {part.place for part in found if part.place}
    linked = [part for part in found if part.number and (part.place or part.setting)]
    exact = [part for part in linked if part.exact]
    counts = Counts(sum(part.number for part in found), len(exact), len(linked) - len(exact))
    links = (*zip(("worksheet", ANSWERS), sheets, strict=False), ("values", values_file(edition.language)))
    return EditionPage(edition.language, edition.title, words, tuple(lessons), links, frozenset(places), counts, trace)


def _lesson(
    lesson: Lesson,
    language: str,
    storyboard: Storyboard,
    trace: Trace,
    words: Words,
    question: Question | None,
) -> tuple[LessonPage, list[Fragment]]:
    entry, film = lesson.entry, storyboard.film
    seen = descriptions(lesson, trace, words)
    used: list[Fragment] = []
    beats = []
    cues, reads = lesson.sidecar.cues, keys_read(lesson, trace)
    for cue, steps in zip(cues, steps_of_beats(cues, entry), strict=True):
        parts = fragments(cue, entry, language, trace, reads, steps)
        used += parts
        shown = seen[cue.beat]
        beats.append(
            BeatPage(
                cue.beat,
                round(cue.start_frame / lesson.sidecar.fps, 3),
                round(cue.end_frame / lesson.sidecar.fps, 3),
                tuple(_part(part, language, words) for part in parts),
                shown if shown.values else None,
            )
        )
    page = LessonPage(
        number=lesson.number,
        id=entry.id,
        title=lesson.title,
        takeaway=_takeaway(lesson, language, trace),
        track=entry.track,
        track_name=film.words[f"track_{entry.track}"][language],
        place=film.words[f"map_{entry.map}"][language],
        steps="–".join(map(str, dict.fromkeys(entry.steps))),
        seconds=round(lesson.seconds, 3),
        video=f"{stem(lesson, language)}.mp4",
        poster=f"{stem(lesson, language)}.jpg",
        beats=tuple(beats),
        question=question.data(trace, words) if question else None,
    )
    return page, used


def _part(part: Fragment, language: str, words: Words) -> Part:
    if part.place:
        hint = words.say("source_of", place=part.how or part.place.name)
        return Part(part.text, f"{values_file(language)}#{part.place.anchor}", hint)
    if part.setting:
        hint = words.say("source_of", place=part.how or part.setting)
        return Part(part.text, f"{values_file(language)}#setting-{part.setting}", hint)
    return Part(part.text)


def _takeaway(lesson: Lesson, language: str, trace: Trace) -> str:
    """The scene's take-away, filled as the stage fills it."""
    return fill(lesson.entry.takeaway[language], film_values(trace.config, language))
