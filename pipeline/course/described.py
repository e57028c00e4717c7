"""What is seen, told from the trace for those who do not see the pictures: the site shows it beat by beat, and
`pipeline/described.py` writes it beside the film."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from engine import Trace

from .material import Lesson
from .provenance import Place
from .words import Words

_DECIMALS = 3
_MOST_NUMBERS = 40  # a larger table is named, not read out
_MOST_TABLES = 3


@dataclass(frozen=True)
class Table:
    """Numbers as text, row by row; `name`: which slice of the value it is ("" for a value that has only one)."""

    name: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Seen:
    """A value on the screen: what it means, what can be said of it in words, its numbers where they are few."""

    place: Place
    meaning: str
    formula: str
    claims: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Description:
    """What is seen in one beat."""

    values: tuple[Seen, ...] = ()
    others: tuple[Place, ...] = ()  # further values that are in use


def keys_read(lesson: Lesson, trace: Trace) -> list[str]:
    """The keys that the scene looked up; where it did not say, those of its steps."""
    if lesson.sidecar.reads is not None:
        return [key for key in lesson.sidecar.reads if key in trace]
    steps = lesson.entry.steps
    return [key for key in trace if steps.first <= trace.spec(key).step <= steps.last]


def descriptions(lesson: Lesson, trace: Trace, words: Words) -> dict[str, Description]:
    """Beat -> what is seen in it. A value is described once, in the first beat of the scene that is about its step."""
    told: set[str] = set()
    found = {}
    for cue in lesson.sidecar.cues:
        keys = [key for key in _shown(keys_read(lesson, trace), trace, cue.steps) if key not in told]
        told.update(keys)
        seen = tuple(seen_of(key, trace, words) for key in keys[:_MOST_TABLES])
        found[cue.beat] = Description(seen, tuple(Place(key) for key in keys[_MOST_TABLES:]))
    return found


def _shown(keys: Iterable[str], trace: Trace, steps: tuple[int, ...]) -> list[str]:
    """Those of `keys` that steps are about: no weights, no values of the trained model beside the film's own."""
    chosen = [key for key in keys if ".W_" not in key and trace.spec(key).step in steps and trace[key].size]
    return sorted(chosen, key=lambda key: (key.startswith("trained."), list(trace).index(key)))


def seen_of(key: str, trace: Trace, words: Words, most: int = _MOST_NUMBERS, decimals: int = _DECIMALS) -> Seen:
    """What can be told of a value; its numbers only where they are no more than `most`."""
    spec = trace.spec(key)
    tables = tuple(tables_of(key, trace, words, decimals)) if 0 < trace[key].size <= most else ()
    claims = tuple(_claims(key, trace, words))
    return Seen(Place(key), words.meaning(spec), "" if spec.formula == "given" else spec.formula, claims, tables)


def tables_of(key: str, trace: Trace, words: Words, decimals: int = _DECIMALS) -> Iterator[Table]:
    """The value of `key` as tables, one for each of its first indices where it has more than two axes."""
    array, axes = np.asarray(trace[key]), trace.spec(key).axes
    if array.ndim <= 2:
        yield Table("", _rows(array, decimals))
        return
    for index in np.ndindex(array.shape[:-2]):
        name = words.say("list").join(words.axis(axis, at) for axis, at in zip(axes, index, strict=False))
        yield Table(name, _rows(array[index], decimals))


def _rows(array: np.ndarray, decimals: int) -> tuple[tuple[str, ...], ...]:
    whole = bool(np.equal(array, np.round(array)).all())
    return tuple(
        tuple(number_text(float(value), 0 if whole else decimals) for value in row) for row in np.atleast_2d(array)
    )


def number_text(value: float, decimals: int) -> str:
    """`value` with a true minus sign, and no sign before a zero."""
    text = f"{value:.{decimals}f}"
    return (text.lstrip("-") if not float(text) else text).replace("-", "−")


def _claims(key: str, trace: Trace, words: Words) -> Iterator[str]:
    """Who looks at whom most, in sentences, for a pattern of attention."""
    asking, asked = pattern_words(key, trace)
    if not asking:
        return
    for head, pattern in enumerate(trace[key]):
        for at, row in enumerate(pattern):
            best = int(row.argmax())
            if (np.round(row, _DECIMALS) == round(float(row[best]), _DECIMALS)).sum() == 1:
                fields = {"asking": asking[at], "asked": asked[best], "head": head + 1}
                yield words.say("looks", share=number_text(float(row[best]), _DECIMALS), **fields)


def pattern_words(key: str, trace: Trace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that ask and those that are asked, for a pattern over the whole sentences; else nothing."""
    if not key.startswith(("encoder.", "decoder.")) or not key.endswith("attn.pattern"):
        return (), ()
    source, target = trace.words("src.tokens"), trace.words("tgt.tokens")
    if key.startswith("encoder."):
        return source, source
    return (target, source) if ".cross_attn." in key else (target, target)
