"""The three roles of attention: query, key and value, each with its letter, its weights and its colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from manim import AnimationGroup

from . import theme
from .boxes import Cell


@dataclass(frozen=True)
class Role:
    """One role: `letter` names one vector (q), `matrix` all of them (Q), `weights` the matrix that makes them (W_Q)."""

    letter: str
    color: str

    @property
    def matrix(self) -> str:
        """The letter of all vectors together."""
        return self.letter.upper()

    @property
    def weights(self) -> str:
        """The weight matrix as the trace and Typst both write it."""
        return f"W_{self.matrix}"


QUERY: Final = Role("q", theme.QUERY)
KEY: Final = Role("k", theme.KEY)
VALUE: Final = Role("v", theme.VALUE)
ROLES: Final = (QUERY, KEY, VALUE)

_FILL, _EDGE = 0.2, 0.55


def tinge(cells: Iterable[Cell], color: str) -> None:
    """Give cells the quiet hue of a role, at once."""
    for cell in cells:
        cell.paint(fill=theme.tint(color, _FILL), stroke=theme.mix(color, theme.PANEL, _EDGE), stroke_width=theme.THIN)


def tinged(cells: Iterable[Cell], color: str) -> AnimationGroup:
    """The same as an animation: how cells look after they were lit or dimmed."""
    fill, edge = theme.tint(color, _FILL), theme.mix(color, theme.PANEL, _EDGE)
    return AnimationGroup(
        *[cell.animate.paint(fill=fill, stroke=edge, ink=theme.INK, stroke_width=theme.THIN) for cell in cells]
    )
