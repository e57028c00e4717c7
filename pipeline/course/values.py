"""The page of values: the entries of the trace that the transcript leads to, each number with a spot of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from engine import Trace

from .described import number_text
from .provenance import Place
from .words import Words

_DECIMALS = 4
_MOST_NUMBERS = 640  # of a larger value only the numbers that are led to are listed


@dataclass(frozen=True)
class Cell:
    """A number; `anchor`: the name of its spot."""

    text: str
    anchor: str


@dataclass(frozen=True)
class ValueTable:
    """Rows with their heads, under the heads of the columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Value:
    """One key of the trace on the page."""

    key: str
    meaning: str
    foreign: bool
    formula: str
    axes: str
    count: int
    cut: bool
    tables: tuple[ValueTable, ...]


def values_page(places: Iterable[Place], trace: Trace, words: Words) -> list[Value]:
    """The values of `places`, in the trace's order."""
    by_key: dict[str, set[tuple[int, ...]]] = {}
    for place in places:
        by_key.setdefault(place.key, set()).update([place.index] if place.index is not None else [])
    found = []
    for key in trace:
        if key not in by_key:
            continue
        spec, array = trace.spec(key), np.asarray(trace[key])
        cut = array.size > _MOST_NUMBERS
        tables = _listed(key, array, by_key[key]) if cut else _whole(key, array, spec.axes, words)
        axes = " × ".join(f"{axis} {length}" for axis, length in zip(spec.axes, spec.shape, strict=True)) or "1"
        found.append(
            Value(
                key,
                words.meaning(spec),
                not words.has_meaning(spec),
                spec.formula,
                axes,
                array.size,
                cut,
                tuple(tables),
            )
        )
    return found


def _whole(key: str, array: np.ndarray, axes: tuple[str, ...], words: Words) -> Iterator[ValueTable]:
    decimals = _decimals(array)
    for index in np.ndindex(array.shape[:-2]):
        table = np.atleast_2d(array[index])
        name = words.say("list").join(words.axis(axis, at) for axis, at in zip(axes, index, strict=False))
        rows = tuple(
            (
                str(row) if array.ndim > 1 else "",
                tuple(_cell(key, array, (*index, row), at, decimals) for at in columns),
            )
            for row, columns in ((row, range(table.shape[1])) for row in range(table.shape[0]))
        )
        yield ValueTable(name, tuple(map(str, range(table.shape[1]))), rows)


def _cell(key: str, array: np.ndarray, row: tuple[int, ...], column: int, decimals: int) -> Cell:
    index = (*row, column)[-array.ndim :] if array.ndim else ()
    return Cell(number_text(float(array[index]), decimals), Place(key, index).anchor if index else "")


def _listed(key: str, array: np.ndarray, wanted: set[tuple[int, ...]]) -> Iterator[ValueTable]:
    decimals = _decimals(array)
    rows = tuple(
        (", ".join(map(str, index)), (Cell(number_text(float(array[index]), decimals), Place(key, index).anchor),))
        for index in sorted(wanted)
    )
    if rows:
        yield ValueTable("", ("",), rows)


def _decimals(array: np.ndarray) -> int:
    return 0 if np.equal(array, np.round(array)).all() else _DECIMALS
