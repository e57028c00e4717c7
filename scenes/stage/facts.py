"""Numbers for the words, each with where it comes from, so that a reader can be led from the word to the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from numbers import Integral
from typing import Any

from .reckoning import Entry, Expression, Length

Spot = tuple[str, tuple[int, ...]]  # a key of the trace and an index; () stands for the whole array


@dataclass(frozen=True)
class NumberOrigin:
    """Where a number in the words comes from.

    `name`: the placeholder that it fills. `places`: the entries of the trace that it follows from, the main one first;
    `setting`: a setting of the model instead; `how`: the expression, "" for an entry that is said as it is.
    """

    name: str
    places: tuple[Spot, ...] = ()
    setting: str = ""
    how: str = ""


class Fact:
    """What fills a placeholder and knows its origins: one for all its numbers, or one for each, in order."""

    origins: tuple[NumberOrigin, ...] = ()

    def named(self, name: str) -> Iterator[NumberOrigin]:
        """The origins with the placeholder's name."""
        for origin in self.origins:
            yield NumberOrigin(name, origin.places, origin.setting, origin.how)


class Value(float, Fact):
    """A number for the words: formats like a float, with a true minus sign."""

    def __format__(self, spec: str) -> str:
        text = float.__format__(self, spec or ".2f")
        return text.replace("-", "−")


class Count(int, Fact):
    """A whole number for the words."""


class Said(str, Fact):
    """A text with numbers for the words."""


def told(value: float | str, *sources: Expression, how: str = "", setting: str = "") -> Any:
    """`value` for the words, with where it comes from.

    A number follows from all `sources`, the main one first; a text has one source for each of its numbers, in order, or
    one for all. `how`: the expression, where the sources do not say it. `setting`: a setting of the model instead.
    """
    kind = Said if isinstance(value, str) else Count if isinstance(value, Integral) else Value
    fact: Fact = kind(value)
    if not sources:
        fact.origins = (NumberOrigin("", (), setting, how),)
    elif isinstance(value, str):
        fact.origins = tuple(_origin([source], how) for source in sources)
    else:
        fact.origins = (_origin(sources, how),)
    return fact


def _origin(sources: list[Expression] | tuple[Expression, ...], how: str) -> NumberOrigin:
    places = tuple(dict.fromkeys(spot for source in sources for spot in _spots(source)))
    reckoned = ", ".join(str(source) for source in sources if not isinstance(source, Entry))
    return NumberOrigin("", places, "", how or reckoned)


def _spots(part: Any) -> Iterator[Spot]:
    """The entries that an expression stands on, in its order."""
    if isinstance(part, Entry):
        yield (part.key, tuple(int(at) for at in part.index))
    elif isinstance(part, Length):
        yield (part.key, ())
    elif isinstance(part, tuple | list):
        for one in part:
            yield from _spots(one)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _spots(getattr(part, field.name))
