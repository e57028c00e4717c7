"""Formulas, set with Typst."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from manim import MathTypst, VGroup, VMobject
from manim import config as manim_config

from . import theme

CAP_HEIGHT_PER_SIZE = 0.00711  # units; capital letters of Typst's math font, measured


@dataclass(frozen=True)
class Typeset:
    """What a glyph of a formula was set from; every glyph carries it, so that it is known when it flies alone.

    `extent` is the glyph's longer side in units as it was set at `size`.
    """

    source: str
    size: float
    extent: float

    def __deepcopy__(self, memo: dict[int, Any]) -> Typeset:
        return self  # nothing in it can change, and a glyph copied for an animation is of the same formula

    def size_of(self, glyph: VMobject) -> float:
        """The type size of the formula at the scale at which `glyph` is drawn now."""
        return self.size * max(glyph.width, glyph.height) / self.extent

    def cap_height(self, glyph: VMobject) -> float:
        """Height in units of a capital letter of the formula (not of its subscripts) at that scale."""
        return self.size_of(glyph) * CAP_HEIGHT_PER_SIZE


class Formula(VGroup):
    """A formula in Typst's math notation; a part between double braces can be picked with `part`.

    The size is that of the surrounding text; subscripts are set smaller, so a formula is never set below
    `theme.FORMULA_SIZE * 0.75`.
    """

    def __init__(self, typst: str, size: float = theme.FORMULA_SIZE, color: str = theme.INK) -> None:
        # manim tells of every formula that it compiles; in a film of hundreds that is noise.
        logger = logging.getLogger("manim")
        level = logger.level
        logger.setLevel(max(level, logging.WARNING))
        try:
            self.math = MathTypst(typst, font_size=size, color=color)
        finally:
            logger.setLevel(level)
        super().__init__(self.math)
        for glyph in self.math.family_members_with_points():
            glyph.typeset = Typeset(typst, size, max(glyph.width, glyph.height, 1e-6))
        self.source = typst
        self.size = size
        self.set_z_index(theme.Z_WORDS)

    def part(self, key: str | int) -> VGroup:
        """The glyphs of one `{{ ... }}` group, by label or number. Raises KeyError or IndexError when there is none."""
        return self.math.select(key)


def pixels_per_unit() -> float:
    """Pixels of one manim unit at the quality that is rendered now."""
    return float(manim_config.pixel_height / manim_config.frame_height)
