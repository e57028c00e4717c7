"""The words of a film and of its clips as files: captions in its own and in other languages, chapters, a transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from .captions import Caption, captions_of, chapters_vtt, srt, vtt
from .captions.transcript import transcript
from .cards import headings
from .files import write_text
from .film_extras import Extras
from .manifest import FILM_SUFFIXES, Part, film_chapters
from .reading import reading_units


def part_captions(part: Part, unit: str, extras: Extras, offset: int = 0) -> list[Caption]:
    """The captions of a clip in its own language. `offset`: its first frame in the film."""
    pace = extras.paces.get(part.sidecar.language)
    return captions_of(
        part.sidecar.cues,
        unit,
        part.sidecar.scene_id,
        offset,
        fps=part.sidecar.fps,
        heard={beat: spoken.sentences for beat, spoken in part.spoken.items()},
        reading_time=_reading_time(unit, pace),
    )


def film_captions(parts: Sequence[Part], unit: str, extras: Extras) -> list[Caption]:
    """The captions of all clips, each behind those before it."""
    return [
        c
        for start, part in zip(starts_of(parts), parts, strict=False)
        for c in part_captions(part, unit, extras, start)
    ]


def other_captions(parts: Sequence[Part], language: str, extras: Extras) -> list[Caption]:
    """The captions in another language than the film's, each while its beat is played; none where a word is missing."""
    found: list[Caption] = []
    unit = extras.units.get(language, "words")
    for start, part in zip(starts_of(parts), parts, strict=False):
        words = part.others.get(language, {})
        said = [cue for cue in part.sidecar.cues if cue.words]  # a card may be silent
        if any(cue.beat not in words for cue in said):
            return []
        cues = [replace(cue, words=words[cue.beat]) for cue in said]
        read = _reading_time(unit, extras.paces.get(language))
        found += captions_of(cues, unit, part.sidecar.scene_id, start, fps=part.sidecar.fps, reading_time=read)
    return found


def write_clip_captions(parts: Sequence[Part], unit: str, extras: Extras) -> None:
    """Captions beside every clip, where they are not there yet or differ."""
    for part in parts:
        captions = part_captions(part, unit, extras)
        for path, text in (
            (part.captions, vtt(captions, part.sidecar.fps)),
            (part.captions.with_suffix(".srt"), srt(captions, part.sidecar.fps)),
        ):
            if not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text:
                write_text(path, text)


def write_film_texts(parts: Sequence[Part], target: Path, unit: str, extras: Extras, title: str, fps: int) -> Path:
    """The film's captions, chapters and transcript beside `target`; the path of the captions."""
    captions = film_captions(parts, unit, extras)
    begun = headings([(part.title, part.card) for part in parts])
    said = [(heading, part.sidecar.cues) for heading, part in zip(begun, parts, strict=True)]
    texts = (
        vtt(captions, fps),
        srt(captions, fps),
        chapters_vtt(film_chapters(parts), fps),
        transcript(title, said, starts_of(parts), fps),
    )
    for suffix, text in zip(FILM_SUFFIXES, texts, strict=True):
        write_text(target.with_suffix(suffix), text)
    return target.with_suffix(FILM_SUFFIXES[0])


def starts_of(parts: Sequence[Part]) -> list[int]:
    """The first frame of each part in the film, and the film's length."""
    return list(accumulate((part.sidecar.frames for part in parts), initial=0))


def _reading_time(unit: str, pace: float | None) -> Callable[[str], float] | None:
    return None if pace is None else lambda words: reading_units(words, unit) / pace
