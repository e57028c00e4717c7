"""Where the numbers in spoken words come from: a setting of the model, or values of the trace that the scene looked up.

A beat's words were filled into the storyboard's text, so each number is what stands in the place of a placeholder.
Where the scene says what it filled in, that is where the number comes from. Where it does not, the number is said to
come from a key of the trace if that key alone, of those that the scene looked up and that belong to the beat's steps,
holds a value that reads so with as many decimals. A number with three decimals or more may come from any step, if still
only one key holds it. All others are left without a place: none is better than a wrong one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine import Trace

from ..jobs import ClipCue, NumberOrigin
from ..storyboard import FILM_PLACEHOLDERS, Entry

_TELLING = 3  # so many decimals are hardly ever alike by chance
_NUMBER = re.compile(r"(?<![\w.])([-−+]?)(\d+)(?:\.(\d+))?(?:[eE][-−+]?\d+)?( ?[%％])?(?![\w]|\.\d)")


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
    """A part of spoken words. `place`: where it comes from, if it is a number, the main one of several; `setting`: of
    which model setting; `how`: the expression, where it is reckoned; `exact`: no other value may be meant."""

    text: str
    place: Place | None = None
    setting: str = ""
    number: bool = False
    how: str = ""
    exact: bool = False


def fragments(
    cue: ClipCue, entry: Entry, language: str, trace: Trace, reads: Iterable[str], steps: tuple[int, ...] | None = None
) -> list[Fragment]:
    """The words of `cue`, cut at their numbers. `reads`: the keys that the scene looked up; `steps`: those that the
    beat stands on (default: its own)."""
    template = entry.beats[cue.beat].words[language]
    keys = [key for key in dict.fromkeys(reads) if key in trace]
    current = cue.steps if steps is None else steps
    found: list[Fragment] = []
    for text, name in _filled(template, cue.words):
        if name in FILM_PLACEHOLDERS:
            number = bool(_NUMBER.fullmatch(text))
            found.append(Fragment(text, setting=name if number else "", number=number, exact=number))
            continue
        end = 0
        told = [origin for origin in cue.origins if origin.name == name]
        for at, match in enumerate(_NUMBER.finditer(text) if name or name is None else ()):
            found.append(Fragment(text[end : match.start()]))
            origin = told[min(at, len(told) - 1)] if told else None
            found.append(_told(match[0], origin) if origin else _found(match, trace, keys, current))
            end = match.end()
        found.append(Fragment(text[end:]))
    return _joined(found)


def _told(text: str, origin: NumberOrigin) -> Fragment:
    """A number of which the scene says where it comes from."""
    # The whole of an array has no spot of its own: the number leads to the array.
    place = next((Place(key, index or None) for key, index in origin.places), None)
    return Fragment(text, place, origin.setting, True, origin.how, True)


def _found(match: re.Match[str], trace: Trace, keys: Sequence[str], steps: tuple[int, ...]) -> Fragment:
    """A number of which the scene does not say it."""
    place = _place(match, trace, keys, steps)
    return Fragment(match[0], place, number=True, exact=place is not None and place.index is not None)


def steps_of_beats(cues: Sequence[ClipCue], entry: Entry) -> list[tuple[int, ...]]:
    """The steps that each beat stands on: its own, or the last one before it, which the badge goes on showing."""
    current: tuple[int, ...] = (entry.steps.first,)
    found = []
    for cue in cues:
        current = cue.steps or current[-1:]
        found.append(current)
    return found


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


def _place(match: re.Match[str], trace: Trace, keys: Sequence[str], steps: tuple[int, ...]) -> Place | None:
    if (match[3] and not int(match[3])) or "e" in match[0].lower():
        return None  # what was rounded to 1.00 or 0.00 may be anything; powers of ten are not searched for
    near = {key: cells for key in keys if trace.spec(key).step in steps and (cells := _cells(match, trace, key))}
    if not near and len(match[3] or "") >= _TELLING:
        near = {key: cells for key in keys if (cells := _cells(match, trace, key))}
    if len(near) != 1:
        return None
    ((key, cells),) = near.items()
    return Place(key, cells[0] if len(cells) == 1 and cells[0] else None)


def _cells(match: re.Match[str], trace: Trace, key: str) -> list[tuple[int, ...]]:
    """Where the value of `key` reads as the number does. The index of a value without axes is empty."""
    sign, whole, decimals, percent = match.groups()
    digits = len(decimals or "")
    value = float(f"{'-' if sign and sign in '-−' else ''}{whole}.{decimals or 0}")
    array = np.asarray(trace[key])
    if not digits and not percent and not np.equal(array, np.round(array)).all():
        return []  # a whole number without decimals is a count or an id, never a rounded value
    scaled = array * (100.0 if percent else 1.0)
    close = np.argwhere(np.abs(scaled - value) <= 0.5 * 10.0**-digits + 1e-9)
    cells = [tuple(int(number) for number in row) for row in close]
    return [cell for cell in cells if _written(float(scaled[cell]), digits) == _written(value, digits)]


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
