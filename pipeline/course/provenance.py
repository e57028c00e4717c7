"""Where the numbers in spoken words come from: a setting of the model, or values of the trace that the scene looked up.

A beat's words were filled into the storyboard's text, so each number is what stands in the place of a placeholder. It
comes from the trace if one of the values that the scene looked up reads so when it is written with as many decimals.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine import Trace

from ..jobs import ClipCue
from ..storyboard import FILM_PLACEHOLDERS, Entry

_NUMBER = re.compile(r"(?<![\w.])([-−+]?)(\d+)(?:\.(\d+))?( ?[%％])?(?![\w]|\.\d)")


@dataclass(frozen=True)
class Place:
    """Where a value stands in the trace. `index` is None where several values of `key` read the same."""

    key: str
    index: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """As people write it: `encoder.0.attn.q[0, 1, 2]`."""
        return self.key + (f"[{', '.join(map(str, self.index))}]" if self.index else "")

    @property
    def anchor(self) -> str:
        """The name of the spot on the page of values."""
        return "-".join([self.key, *map(str, self.index or ())])


@dataclass(frozen=True)
class Fragment:
    """A part of spoken words. `place`: where it comes from, if it is a number; `setting`: of which model setting."""

    text: str
    place: Place | None = None
    setting: str = ""
    number: bool = False


def fragments(cue: ClipCue, entry: Entry, language: str, trace: Trace, reads: Iterable[str]) -> list[Fragment]:
    """The words of `cue`, cut at their numbers. `reads`: the keys that the scene looked up."""
    template = entry.beats[cue.beat].words[language]
    keys = _in_order(cue, entry, trace, reads)
    found: list[Fragment] = []
    for text, name in _filled(template, cue.words):
        if name in FILM_PLACEHOLDERS:
            number = bool(_NUMBER.fullmatch(text))
            found.append(Fragment(text, setting=name if number else "", number=number))
            continue
        end = 0
        for match in _NUMBER.finditer(text) if name or name is None else ():
            found.append(Fragment(text[end : match.start()]))
            found.append(Fragment(match[0], place=_place(match, trace, keys), number=True))
            end = match.end()
        found.append(Fragment(text[end:]))
    return _joined(found)


def _filled(template: str, words: str) -> list[tuple[str, str | None]]:
    """`words` in parts, each with the placeholder that it stands for ("": it stands in the template itself).

    None: the words were not made from this template (a scene may say them in another way); then anything may be a
    filled value.
    """
    pattern, names = "", []
    for literal, name, _, _ in string.Formatter().parse(template):
        pattern += f"({re.escape(literal)})"
        names.append("")
        if name is not None:
            pattern += "(.*?)"
            names.append(name)
    match = re.fullmatch(pattern, words, re.DOTALL)
    return list(zip(match.groups(), names, strict=True)) if match else [(words, None)]


def _in_order(cue: ClipCue, entry: Entry, trace: Trace, reads: Iterable[str]) -> list[str]:
    """The keys that a number of `cue` may come from, the likeliest first: those of the beat's steps, of the scene's."""

    def rank(key: str) -> tuple[int, int]:
        step = trace.spec(key).step
        near = 0 if step in cue.steps else 1 if entry.steps.first <= step <= entry.steps.last else 2
        return near, step

    return sorted((key for key in dict.fromkeys(reads) if key in trace), key=rank)


def _place(match: re.Match[str], trace: Trace, keys: Sequence[str]) -> Place | None:
    sign, whole, decimals, percent = match.groups()
    digits = len(decimals or "")
    value = float(f"{'-' if sign in '-−' and sign else ''}{whole}.{decimals or 0}")
    scale = 100.0 if percent else 1.0
    for key in keys:
        array = np.asarray(trace[key])
        if not digits and not percent and not np.equal(array, np.round(array)).all():
            continue  # a whole number without decimals is a count or an id, never a rounded value
        same = np.argwhere(np.abs(array * scale - value) <= 0.5 * 10.0**-digits + 1e-9)
        cells = [tuple(int(number) for number in row) for row in same]
        cells = [cell for cell in cells if _written(float(array[cell]) * scale, digits) == _written(value, digits)]
        if cells:
            return Place(key, cells[0] if len(cells) == 1 and array.ndim else None)
    return None


def _written(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text


def _joined(found: Sequence[Fragment]) -> list[Fragment]:
    """Without empty ones; neighbours that are only words are one."""
    parts: list[Fragment] = []
    for part in found:
        if not part.text:
            continue
        if parts and not part.number and not parts[-1].number:
            parts[-1] = Fragment(parts[-1].text + part.text)
        else:
            parts.append(part)
    return parts
