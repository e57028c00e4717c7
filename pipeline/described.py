"""The described transcript: what is said and what is seen, with the numbers, for those who cannot see the film."""

from __future__ import annotations

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
    import numpy as np

    from engine import Trace

SUFFIX = ".described.md"
# More numbers than these are told by their shape: a listener cannot hold them.
_MOST_NUMBERS, _MOST_COLUMNS = 72, 16

# Words of the page by language; another language is given the English ones.
_WORDS: dict[str, dict[str, str]] = {
    "zh": {
        "title": "{title}：文字稿与画面说明",
        "steps": "步骤 {steps}。{track}。",
        "takeaway": "要点：{text}",
        "labels": "画面上的字：{labels}。",
        "seen": "画面上的数",
        "head": "头 {n}",
        "many": "形状 {shape}，共 {count} 个数。",
    },
    "en": {
        "title": "{title}: transcript and what is seen",
        "steps": "Steps {steps}. Track: {track}.",
        "takeaway": "Take-away: {text}",
        "labels": "Words in the picture: {labels}.",
        "seen": "Numbers in the picture",
        "head": "head {n}",
        "many": "Shape {shape}, {count} numbers.",
    },
}


def write_described(storyboard: Storyboard, parts: Sequence[Part], film: Path, language: str, fps: int) -> Path:
    """Write the page beside `film`; its path. The model is computed for its numbers."""
    from engine import preset, run_trained  # noqa: PLC0415 (see above)

    name, settings = storyboard.film.preset
    path = film.with_suffix(SUFFIX)
    write_text(path, described(storyboard, parts, run_trained(preset(name, **settings)), language, fps))
    return path


def described(storyboard: Storyboard, parts: Sequence[Part], trace: Trace, language: str, fps: int) -> str:
    """The page as Markdown. `parts` are those of the film in `language`; `trace` holds the model's values."""
    words = _WORDS["zh" if language.startswith("zh") else "en"]
    lines = [f"# {words['title'].format(title=storyboard.film.title[language])}", ""]
    start = 0
    for part, heading in zip(parts, headings([(part.title, part.card) for part in parts]), strict=True):
        entry = storyboard.entry(part.sidecar.scene_id)
        lines += [f"## {heading} ({clock(start, fps)})", ""] if heading else []
        lines += [*_about(storyboard, entry, language, words), ""]
        for cue in part.sidecar.cues if entry.speaks else ():
            lines += [f"[{clock(start + cue.start_frame, fps)}] {' '.join(cue.words.split())}", ""]
        lines += _numbers(part.sidecar.reads or {}, trace, words)
        start += part.sidecar.frames
    return "\n".join(lines).rstrip() + "\n"


def _about(storyboard: Storyboard, entry: Entry, language: str, words: Mapping[str, str]) -> Iterator[str]:
    if entry.card:
        yield from _labels(entry, language, words, [entry.title[language]])
        return
    steps = (
        str(entry.steps.first) if entry.steps.first == entry.steps.last else f"{entry.steps.first}-{entry.steps.last}"
    )
    track = storyboard.film.words[f"track_{entry.track}"][language]
    yield words["steps"].format(steps=steps, track=track)
    yield words["takeaway"].format(text=entry.takeaway[language])
    yield from _labels(entry, language, words)


def _labels(entry: Entry, language: str, words: Mapping[str, str], more: Sequence[str] = ()) -> Iterator[str]:
    labels = [*more, *(text[language] for text in entry.labels.values() if not placeholders(text[language]))]
    if labels:
        yield words["labels"].format(labels=("、" if language.startswith("zh") else ", ").join(labels))


def _numbers(reads: Mapping[str, str], trace: Trace, words: Mapping[str, str]) -> Iterator[str]:
    """The values that a scene looks up, with what they mean and how they are made."""
    keys = [key for key in reads if key in trace]
    if keys:
        yield from (f"### {words['seen']}", "")
    for key in keys:
        spec, value = trace.spec(key), trace[key]
        yield from (f"`{key}`: {spec.meaning} ({spec.formula})", "")
        if value.size > _MOST_NUMBERS or value.ndim > 3 or (value.ndim and value.shape[-1] > _MOST_COLUMNS):
            shape = " × ".join(map(str, value.shape))
            yield from (words["many"].format(shape=shape, count=value.size), "")
        elif value.ndim == 3:
            for number, matrix in enumerate(value, 1):
                yield from (f"{words['head'].format(n=number)}:", "", *_table(matrix), "")
        else:
            yield from (*_table(value), "")


def _table(value: np.ndarray) -> Iterator[str]:
    """A vector or matrix as a Markdown table; a single number as itself."""
    whole = bool((value == value.round()).all())
    if value.ndim == 0:
        yield _shown(value.item(), whole)
        return
    rows = value.reshape(1, -1) if value.ndim == 1 else value
    yield "| " + " | ".join(str(column) for column in range(1, rows.shape[1] + 1)) + " |"
    yield "|" + " ---: |" * rows.shape[1]
    for row in rows:
        yield "| " + " | ".join(_shown(number.item(), whole) for number in row) + " |"


def _shown(number: float, whole: bool) -> str:
    """Two decimals, none where all numbers are `whole`, and a true minus sign."""
    return f"{number:.{0 if whole else 2}f}".replace("-", "−")
