"""The described transcript: what is said and what is seen, with the numbers, for those who cannot see the film.

What can be said of a value is told in one place, `course/described.py`; here it becomes Markdown, beside the film
and in the upload set, and in the course's site it becomes HTML, beat by beat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .captions.transcript import clock
from .cards import headings
from .files import write_text
from .manifest import Part
from .placeholders import placeholders
from .storyboard import Entry, Storyboard

if TYPE_CHECKING:  # a film that is in place computes nothing
    from engine import Trace

    from .course.described import Seen, Table
    from .course.words import Words

SUFFIX = ".described.md"
# More numbers than these are told by their shape: a listener cannot hold them.
_MOST_NUMBERS, _MOST_COLUMNS = 72, 16
_DECIMALS = 2
_SIGNS = frozenset("\\`*_[]<>#|~$&")


def write_described(storyboard: Storyboard, parts: Sequence[Part], film: Path, language: str, fps: int) -> Path:
    """Write the page beside `film`; its path. The model is computed for its numbers."""
    from engine import preset, run_trained  # noqa: PLC0415 (see above)

    name, settings = storyboard.film.preset
    path = film.with_suffix(SUFFIX)
    write_text(path, described(storyboard, parts, run_trained(preset(name, **settings)), language, fps))
    return path


def described(storyboard: Storyboard, parts: Sequence[Part], trace: Trace, language: str, fps: int) -> str:
    """The page as Markdown. `parts` are those of the film in `language`; `trace` holds the model's values."""
    from .course.words import Words  # noqa: PLC0415 (see above)

    words = Words(language)
    lines = [f"# {_heading(words.say('described_film', title=storyboard.film.title[language]))}", ""]
    start = 0
    for part, heading in zip(parts, headings([(part.title, part.card) for part in parts]), strict=True):
        entry = storyboard.entry(part.sidecar.scene_id)
        lines += [f"## {_heading(heading)} ({clock(start, fps)})", ""] if heading else []
        lines += [*_about(storyboard, entry, language, words), ""]
        for cue in part.sidecar.cues if entry.speaks else ():
            lines += [f"[{clock(start + cue.start_frame, fps)}] {_marked(cue.words)}", ""]
        lines += _numbers(part.sidecar.reads or {}, trace, words)
        start += part.sidecar.frames
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _about(storyboard: Storyboard, entry: Entry, language: str, words: Words) -> Iterator[str]:
    if entry.card:
        yield from _labels(entry, language, words, [entry.title[language]])
        return
    film = storyboard.film
    steps = "–".join(map(str, dict.fromkeys(entry.steps)))
    track, place = (film.words[name][language] for name in (f"track_{entry.track}", f"map_{entry.map}"))
    shows = _marked(words.say("scene_shows", place=place, steps=steps))
    yield f"*{shows}* {_marked(entry.takeaway[language])} {_marked(words.say('on_track', track=track))}"
    yield from _labels(entry, language, words)


def _labels(entry: Entry, language: str, words: Words, more: Sequence[str] = ()) -> Iterator[str]:
    labels = [*more, *(text[language] for text in entry.labels.values() if not placeholders(text[language]))]
    if labels:
        yield from ("", _marked(words.say("in_the_picture", labels=words.say("list").join(labels))))


def _numbers(reads: Mapping[str, str], trace: Trace, words: Words) -> Iterator[str]:
    """The values that a scene looks up, with what they mean and how they are made."""
    from .course.described import seen_of  # noqa: PLC0415 (see above)

    keys = [key for key in reads if key in trace]
    if keys:
        yield from (f"### {words.say('on_screen')}", "")
    for key in keys:
        value = trace[key]
        told = value.size <= _MOST_NUMBERS and value.ndim <= 3 and (not value.ndim or value.shape[-1] <= _MOST_COLUMNS)
        yield from _seen(seen_of(key, trace, words, _MOST_NUMBERS if told else 0, _DECIMALS))
        if not told:
            shape = " × ".join(map(str, value.shape))
            yield from (words.say("shape", shape=shape, count=value.size), "")


def _seen(seen: Seen) -> Iterator[str]:
    law = f" = `{seen.formula}`" if seen.formula else ""
    yield from (f"`{seen.place.name}`: {_marked(seen.meaning)}{law}", "")
    if seen.claims:
        yield from (*(f"* {_marked(claim)}" for claim in seen.claims), "")
    for table in seen.tables:
        yield from (*([f"{_marked(table.name)}:", ""] if table.name else []), *_table(table), "")


def _table(table: Table) -> Iterator[str]:
    """A vector or matrix as a Markdown table; a single number as itself."""
    if [len(row) for row in table.rows] == [1]:
        yield table.rows[0][0]
        return
    columns = len(table.rows[0])
    yield "| " + " | ".join(str(column) for column in range(1, columns + 1)) + " |"
    yield "|" + " ---: |" * columns
    for row in table.rows:
        yield "| " + " | ".join(row) + " |"


def _marked(text: str) -> str:
    """Text whose signs mean nothing to Markdown, in one line."""
    return "".join(f"\\{sign}" if sign in _SIGNS else sign for sign in " ".join(text.split()))


def _heading(text: str) -> str:
    """The same for a heading, as the transcript has it: a lone "&" means nothing there."""
    return _marked(text).replace("\\& ", "& ")
