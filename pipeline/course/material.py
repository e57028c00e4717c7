"""What a course is made of: the film as it was rendered, scene by scene, in one or more languages."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..clips import Clip, Media, film_name, outdated, sidecar_of, whole
from ..described import SUFFIX as DESCRIBED
from ..files import sha256_of
from ..jobs import Sidecar
from ..manifest import manifest_of
from ..plan import plan
from ..problems import UserError, listed, shown_path
from ..qualities import QUALITIES, Quality
from ..storyboard import Entry, Storyboard

_TIME = r"(\d{2,}):(\d{2}):(\d{2})\.(\d{3})"
_TIMES = re.compile(rf"{_TIME} --> {_TIME}(?:[ \t].*)?")
# The kinds of parts of a clip's fingerprint that the learner reads or hears.
_SAID = {
    *("language", "quality", "scene", "steps", "place", "title", "takeaway", "beats", "label", "words", "film word"),
    "licence",  # the end card shows it
}
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}


@dataclass(frozen=True)
class Cue:
    """A caption: seconds from the beginning of its file, and lines."""

    start: float
    end: float
    text: str


@dataclass(frozen=True)
class Lesson:
    """One scene in one language."""

    entry: Entry
    number: int  # from 1
    title: str
    video: Path
    sidecar: Sidecar
    cues: tuple[Cue, ...]

    @property
    def seconds(self) -> float:
        return self.sidecar.frames / self.sidecar.fps

    @property
    def beats(self) -> list[tuple[str, float]]:
        """Each beat's name and its first second in the scene."""
        return [(cue.beat, cue.start_frame / self.sidecar.fps) for cue in self.sidecar.cues]


@dataclass(frozen=True)
class Edition:
    """The whole film in one language. The lessons are its scenes; its cards, before and after them, are the film's."""

    language: str
    title: str
    film: Path
    sha256: str
    lessons: tuple[Lesson, ...]
    cues: tuple[Cue, ...]
    before: int = 0  # frames of the title card
    after: int = 0  # frames of the end card

    @property
    def seconds(self) -> float:
        fps = self.lessons[0].sidecar.fps
        return (self.before + self.after) / fps + sum(lesson.seconds for lesson in self.lessons)

    @property
    def chapters(self) -> list[tuple[float, float]]:
        """The first and the last second of every scene's chapter: cards belong to the chapter beside them."""
        starts = [0.0, *self.starts[1:]]
        return list(zip(starts, [*starts[1:], self.seconds], strict=True))

    @property
    def starts(self) -> list[float]:
        """The first second of every scene in the film."""
        frames, found = self.before, []
        for lesson in self.lessons:
            found.append(frames / lesson.sidecar.fps)
            frames += lesson.sidecar.frames
        return found


def editions(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    languages: Sequence[str],
    quality: Quality,
    folders: tuple[Path, Path],
) -> list[Edition]:
    """The film of `entries` in each of `languages`. `folders`: the scenes, the media.

    Raises UserError, one for all languages, where a film is missing or says something else than the storyboard.
    """
    scenes, root = folders
    media = Media(root.resolve())
    clips = plan(storyboard, storyboard.with_cards(entries), languages, quality, scenes, media)
    found, faults, behind = [], [], []
    for language in languages:
        film = media.film(language, film_name(storyboard, language, quality, None))
        try:
            found.append(_edition(film, storyboard, [clip for clip in clips if clip.language == language]))
        except _UnfitError as fault:
            faults.append(f'The film in "{language}" cannot be used in quality {quality.name}: {fault}')
            behind.append(language)
    if faults:
        there = [
            other.name
            for other in QUALITIES.values()
            if all(media.film(one, film_name(storyboard, one, other, None)).is_file() for one in languages)
        ]
        other = f"; or take a film that is there: QUALITY={there[0]}" if there and quality.name not in there else ""
        raise UserError(
            "\n".join([*faults, f"    next: {_command(storyboard, behind, quality)}, then this again{other}"])
        )
    return found


class _UnfitError(Exception):
    """Why a film cannot be used."""


def _command(storyboard: Storyboard, languages: Sequence[str], quality: Quality) -> str:
    """The `make render` that makes what is missing."""
    film = storyboard.film
    every = len(languages) == len(film.languages)
    language = "" if languages == [film.default_language] else f" LANGUAGE={'all' if every else ','.join(languages)}"
    return f"make render{language}" + ("" if quality.name == film.quality else f" QUALITY={quality.name}")


def _edition(film: Path, storyboard: Storyboard, clips: Sequence[Clip]) -> Edition:
    """The film at `film`; `clips`: what the storyboard would be rendered as. Raises _UnfitError."""
    for path in (film, film.with_suffix(DESCRIBED)):
        if not path.is_file():
            raise _UnfitError(f"there is no {shown_path(path)}")
    data = _manifest(film)
    if data is None:
        raise _UnfitError(f"{shown_path(manifest_of(film))} does not fit the files beside it")
    parts = data["made_from"]["parts"]
    wanted = [clip.entry.id for clip in clips]
    if [part["scene"] for part in parts] != wanted:
        raise _UnfitError(
            f"its scenes are {listed(part['scene'] for part in parts)}, the storyboard's {listed(wanted)}"
        )
    lessons: list[Lesson] = []
    changed, cards = [], {"title": 0, "end": 0}
    for clip, part in zip(clips, parts, strict=True):
        path = Path(os.path.normpath(film.parent / part["clip"]))
        sidecar = sidecar_of(path)
        if sidecar is None or sidecar.sha256 != part["sha256"] or not whole(path, sidecar):
            raise _UnfitError(f"the clip {shown_path(path)} is gone or not whole")
        if _says_otherwise(clip, sidecar):
            changed.append(clip.entry.id)
        if clip.entry.card:
            cards[clip.entry.card] = sidecar.frames
            continue
        title, cues = clip.entry.title[clip.language], _captions(path.with_suffix(".vtt"))
        lessons.append(Lesson(clip.entry, len(lessons) + 1, title, path, sidecar, cues))
    if changed:
        raise _UnfitError(f"changed since it was rendered: {listed(changed)}")
    cues = _captions(film.with_suffix(".vtt"))
    language = clips[0].language
    digest = data["film"]["sha256"]
    title = storyboard.film.title[language]
    return Edition(language, title, film, digest, tuple(lessons), cues, cards["title"], cards["end"])


def _says_otherwise(clip: Clip, sidecar: Sidecar) -> bool:
    """Whether the clip shows other words or numbers than the storyboard has now.

    That it would be drawn with newer code or spoken at another pace does not matter here: the kit holds what was drawn.
    """

    def said(parts: Mapping[str, str]) -> dict[str, str]:
        return {name: digest for name, digest in parts.items() if name.partition("/")[0] in _SAID}

    return said(sidecar.parts) != said(clip.parts) or bool(outdated(sidecar, clip.model))


def _manifest(film: Path) -> dict[str, Any] | None:
    """The film's manifest; None where it cannot be read, or speaks of other bytes than lie beside it."""
    try:
        data = json.loads(manifest_of(film).read_text(encoding="utf-8"))
        sums = [(film, data["film"]["sha256"])]
        sums += [(film.parent / file["file"], file["sha256"]) for file in data["captions"]]
        fits = all(sha256_of(path) == digest for path, digest in sums) and bool(data["made_from"]["parts"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return data if fits else None


def _captions(path: Path) -> tuple[Cue, ...]:
    """The captions in a file that the pipeline wrote. Raises UserError where there is none."""
    try:
        return tuple(cues_of(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{shown_path(path)}: the captions cannot be read: {error}\n    next: make render, which writes them anew"
        ) from None


def cues_of(text: str) -> list[Cue]:
    """The cues of WebVTT as the pipeline writes it. Raises ValueError for something else."""
    if not text.startswith("WEBVTT"):
        raise ValueError("it does not begin with WEBVTT")
    cues = []
    for block in text.split("\n\n")[1:]:
        lines = block.strip("\n").split("\n")
        at = next((number for number, line in enumerate(lines) if _TIMES.fullmatch(line)), None)
        if at is None:
            continue  # a style, a region or a note
        match = _TIMES.fullmatch(lines[at])
        assert match is not None
        numbers = [int(group) for group in match.groups()]
        start, end = (a * 3600 + b * 60 + c + d / 1000 for a, b, c, d in (numbers[:4], numbers[4:]))
        if end <= start:
            raise ValueError(f"a caption ends before it begins: {lines[at]}")
        cues.append(Cue(start, end, "\n".join(_plain(line) for line in lines[at + 1 :])))
    return cues


def _plain(line: str) -> str:
    return re.sub("&(?:lt|gt|amp);", lambda match: _ENTITIES[match[0]], line)
