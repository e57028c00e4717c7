"""Formulas, set with Typst."""

from __future__ import annotations

import logging

from manim import MathTypst, VGroup
from manim import config as manim_config

from . import theme


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
        self.source = typst
        self.size = size
        self.set_z_index(theme.Z_WORDS)

    def part(self, key: str | int) -> VGroup:
        """The glyphs of one `{{ ... }}` group, by label or number. Raises KeyError or IndexError when there is none."""
        return self.math.select(key)


def pixels_per_unit() -> float:
    """Pixels of one manim unit at the quality that is rendered now."""
    return float(manim_config.pixel_height / manim_config.frame_height)
