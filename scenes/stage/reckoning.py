"""Numbers that no trace entry holds but that follow from some: products, partial sums, exponentials.

An expression is a small tree whose leaves are trace entries (or the length of one of their axes). A number made from
it keeps the tree, so that an audit can reckon it again; nothing is ever typed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from manim import NORMAL

from . import theme
from .words import Words, as_printed, equals, format_value


class Expression(Protocol):
    """Anything that has a value once a trace is given."""

    def value(self, trace: Any) -> float:
        """The value; raises KeyError or IndexError when the trace has no such entry."""


@dataclass(frozen=True)
class Entry:
    """One entry of the trace."""

    key: str
    index: tuple[int, ...] = ()

    def value(self, trace: Any) -> float:
        """The entry; raises IndexError when the index names more than one."""
        entry = np.asarray(trace[self.key])[self.index]
        if np.ndim(entry) != 0:
            raise IndexError(f"{self.key}{list(self.index)} is an array of shape {np.shape(entry)}, not one value")
        return float(entry)

    def __str__(self) -> str:
        return f"{self.key}{list(self.index)}"


@dataclass(frozen=True)
class Length:
    """How long an axis of a key's array is, such as d_k, the last axis of the queries."""

    key: str
    axis: int = -1

    def value(self, trace: Any) -> float:
        """The length."""
        return float(np.asarray(trace[self.key]).shape[self.axis])

    def __str__(self) -> str:
        return f"length of axis {self.axis} of {self.key}"


@dataclass(frozen=True)
class Product:
    """a · b · …"""

    factors: tuple[Expression, ...]

    def value(self, trace: Any) -> float:
        """The product of all factors."""
        return math.prod(factor.value(trace) for factor in self.factors)

    def __str__(self) -> str:
        return " · ".join(map(str, self.factors))


@dataclass(frozen=True)
class Sum:
    """a + b + …"""

    terms: tuple[Expression, ...]

    def value(self, trace: Any) -> float:
        """The sum of all terms."""
        return math.fsum(term.value(trace) for term in self.terms)

    def __str__(self) -> str:
        return f"({' + '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class _Function:
    """A function of one expression, such as its root; ValueError where it has no value."""

    of: Expression
    name: ClassVar[str]
    function: ClassVar[Callable[[float], float]]

    def value(self, trace: Any) -> float:
        """The function's value."""
        return type(self).function(self.of.value(trace))

    def __str__(self) -> str:
        return f"{self.name} {self.of}"


class Exponential(_Function):
    """e to the power of something."""

    name, function = "exp", math.exp


class Root(_Function):
    """The square root of something."""

    name, function = "√", math.sqrt


class Logarithm(_Function):
    """The natural logarithm of something."""

    name, function = "ln", math.log


@dataclass(frozen=True)
class Reckoned:
    """Where a number on screen comes from when it is reckoned: the expression, and how it is printed."""

    expression: Expression
    decimals: int

    def value(self, trace: Any) -> float:
        """The value as the trace has it now."""
        return self.expression.value(trace)

    def __str__(self) -> str:
        return str(self.expression)


class Result(Words):
    """A reckoned value as text; it knows how it was reckoned."""

    def __init__(
        self,
        trace: Any,
        expression: Expression,
        decimals: int = 2,
        size: float = theme.NUMBER_SIZE,
        color: str = theme.INK,
        weight: str = NORMAL,
    ) -> None:
        self.value = expression.value(trace)
        origin = Reckoned(expression, decimals)
        self.sign = equals(self.value, as_printed(self.value, decimals))  # between the expression and this number
        super().__init__(format_value(self.value, decimals), size, color, weight, origin)


def row_of(trace: Any, key: str, index: tuple[int, ...]) -> list[Entry]:
    """The entries of the vector that `index` leaves of a key's array."""
    return [Entry(key, (*index, j)) for j in range(np.asarray(trace[key])[index].shape[0])]
