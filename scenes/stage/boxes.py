"""Boxes with something in them: matrix cells and token chips."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from manim import RoundedRectangle, VGroup, VMobject

from . import theme
from .words import Words, bold

MOST_SHAPES = 4096
CLEARANCE = 1 / 3  # of the text's cap height, on every side (DESIGN: a number keeps clear of its box)


class Panel(RoundedRectangle):
    """A rounded rectangle. manim takes some milliseconds to round the corners of one: each shape is made once."""

    _rounded: ClassVar[dict[tuple[bytes, float], np.ndarray]] = {}

    def round_corners(self, radius: float = 0.5, **settings: Any) -> Panel:
        """As manim's, to the same points."""
        shape = (self.points.tobytes(), float(radius))
        known = None if settings else self._rounded.get(shape)
        if known is not None:
            self.set_points(known)
            return self
        super().round_corners(radius, **settings)
        if not settings and len(self._rounded) < MOST_SHAPES:
            self._rounded[shape] = self.points.copy()
        return self


def panel(
    width: float,
    height: float,
    fill: str = theme.PANEL,
    stroke: str = theme.LINE,
    stroke_width: float = theme.THIN,
    corner: float = theme.CORNER,
) -> Panel:
    """A filled box with rounded corners."""
    return Panel(
        width=width,
        height=height,
        corner_radius=min(corner, width / 2.01, height / 2.01),
        fill_color=fill,
        fill_opacity=1.0,
        stroke_color=stroke,
        stroke_width=stroke_width,
    )


class Cell(VGroup):
    """A box with one line of text in its middle.

    `paint` changes any of fill, stroke and ink, and can be animated; ink left out follows the fill so that it stays
    readable.
    """

    def __init__(
        self,
        words: Words,
        width: float,
        height: float,
        fill: str = theme.PANEL,
        stroke: str = theme.LINE,
        ink: str | None = None,
        stroke_width: float = theme.THIN,
        corner: float = theme.CORNER,
    ) -> None:
        self.box = panel(width, height, fill, stroke, stroke_width, corner)
        self.words = words
        words.move_to(self.box)
        words.paint(ink or theme.ink_on(fill))
        super().__init__(self.box, words)

    def paint(
        self,
        fill: str | None = None,
        stroke: str | None = None,
        ink: str | None = None,
        stroke_width: float | None = None,
    ) -> Cell:
        """Repaint parts of the cell; returns self."""
        box, words = self.submobjects
        if fill is not None:
            box.set_fill(fill, opacity=1.0)
            ink = ink or theme.ink_on(fill)
        if stroke is not None or stroke_width is not None:
            box.set_stroke(stroke, width=stroke_width)
        if ink is not None:
            words.set_fill(ink, opacity=1.0)
        return self

    def set_words(self, words: Words) -> Cell:
        """Put other text into the cell, at once, in the ink of the old one."""
        words.move_to(self.box).paint(self.words.get_fill_color().to_hex())
        self.remove(self.words)
        self.words = words
        self.add(words)
        return self


class Chip(Cell):
    """A token in its colour."""

    def __init__(
        self,
        token: str,
        color: str,
        size: float = theme.TOKEN_SIZE,
        width: float | None = None,
        height: float | None = None,
    ) -> None:
        words = bold(token, size, color)
        cap = words.cap_height
        super().__init__(
            words,
            width or max(words.width + 1.6 * cap, 3.2 * cap),
            height or 2.4 * cap + 0.01 * theme.STRONG,
            fill=theme.tint(color, 0.16),
            stroke=color,
            ink=color,
            stroke_width=theme.STRONG,
            corner=0.14,
        )
        self.token = token
        self.color_of_token = color

    def quiet(self) -> Chip:
        """The look of a token that is not spoken of: grey, still readable; returns self."""
        self.paint(theme.PANEL, theme.LINE, theme.DIM, theme.THIN)
        return self

    def wake(self) -> Chip:
        """The look of a token in its own colour again; returns self."""
        color = self.color_of_token
        self.paint(theme.tint(color, 0.16), color, color, theme.STRONG)
        return self


def focus_frame(*mobjects: VMobject, buff: float = 0.1, color: str = theme.FOCUS) -> RoundedRectangle:
    """The one white frame that says: look here."""
    group = VGroup(*mobjects)
    frame = RoundedRectangle(
        width=group.width + 2 * buff,
        height=group.height + 2 * buff,
        corner_radius=0.1,
        stroke_color=color,
        stroke_width=theme.FOCUS_WIDTH,
        fill_opacity=0,
    )
    frame.move_to(group.get_center()).set_z_index(theme.Z_FOCUS)
    return frame
