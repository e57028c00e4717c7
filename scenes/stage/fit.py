"""How much of a matrix can be read at the smallest type in a given room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import theme
from .words import Number

GAP = 0.07  # between cells, as a MatrixGrid has it by default
MARK = 0.38  # room for the mark that stands for what is left out
LEAST_COLUMNS = 2
WIDEST_NUMBER = 0.95  # units: columns as far apart hold any number at the smallest type
_AIR = 0.85  # of the cap height, both sides together, as a MatrixGrid keeps it at the smallest type


def narrowest_pitch(trace: Any, key: str, index: tuple[int, ...] = (), decimals: int = 2) -> float:
    """Distance of neighbouring columns of a MatrixGrid at the smallest type, in units."""
    shape = np.asarray(trace[key])[index].shape
    numbers = [Number(trace, key, (*index, *place), decimals, theme.SMALL_SIZE) for place in np.ndindex(shape)]
    return max(number.width for number in numbers) + _AIR * numbers[0].cap_height + GAP


def that_fit(count: int, pitch: float, room: float) -> int:
    """How many of `count` things at `pitch` fit into `room`, at least 1; if not all, room is left for a mark."""
    if count * pitch <= room:
        return count
    return max(1, min(count - 1, int((room - MARK) / pitch)))


def shares_of(counts: Sequence[int], pitches: Sequence[float], room: float) -> list[int]:
    """How many of the columns of neighbouring matrices fit into `room` together, the longest being cut first.

    `counts` are the columns that there are, `pitches` their narrowest distances. A matrix that is cut needs room for
    its mark, and keeps two columns at least.
    """
    drawn = list(counts)

    def needed() -> float:
        cut = sum(MARK for shown, there in zip(drawn, counts, strict=True) if shown < there)
        return cut + sum(shown * pitch for shown, pitch in zip(drawn, pitches, strict=True))

    while needed() > room and max(drawn) > LEAST_COLUMNS:
        drawn[drawn.index(max(drawn))] -= 1
    return drawn


def size_that_fits(pitch: float, narrowest: float, largest: float = theme.NUMBER_SIZE) -> float:
    """The type size at which columns `pitch` apart hold their numbers; `narrowest` is their pitch at the smallest."""
    size = theme.SMALL_SIZE * (pitch - GAP) / (narrowest - GAP)
    return max(theme.SMALL_SIZE, min(size, largest))
