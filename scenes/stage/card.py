"""What cards stand on: a scene without the frame of scenes, and the sentence on its way through the machine."""

from __future__ import annotations

from collections.abc import Sequence

from manim import BOLD, DOWN, LEFT, Rectangle, VGroup

from . import theme
from .chrome import ArchitectureMap, Chrome
from .scene import ExplainerScene
from .tokens import TokenRow
from .words import Words, bold, shortened

ROOM = 2 * theme.SAFE_X
HEADING_SIZE = 56.0
HEADING_Y = 2.55
BAR_HEIGHT = 1.5
BAR_AIR = 0.38
LINE_BUFF = 0.36
MAP_HEIGHT = 1.05
CHIP_SIZE, CHIP_BUFF, CHIP_AIR = 30.0, 0.3, 0.5


class NoChrome(Chrome):
    """A card shows no step, no place on the map and no dot."""

    def __init__(self) -> None:
        VGroup.__init__(self)
        self.dots = VGroup()


class CardScene(ExplainerScene):
    """A card: a heading with a line below it, and the sentence of the film."""

    def _make_chrome(self) -> Chrome:
        return NoChrome()

    def heading(self, text: str, below: str) -> VGroup:
        """A large line and a quiet one under it, behind the bar in the colours of both tracks: bar, head, line.

        What is too long is set smaller, and cut where it would be too small to read.
        """
        room = ROOM - BAR_AIR - 0.2
        head = fitting(text, HEADING_SIZE, room, strong=True)
        line = fitting(below, theme.TOKEN_SIZE, room, theme.DIM)
        lines = VGroup(head, line).arrange(DOWN, buff=LINE_BUFF, aligned_edge=LEFT)
        colors = theme.TRACKS["both"]
        height = lines.height + 0.36
        bar = VGroup(
            *[
                Rectangle(width=0.11, height=height / len(colors), stroke_width=0, fill_color=color, fill_opacity=1)
                for color in colors
            ]
        ).arrange(DOWN, buff=0)
        bar.next_to(lines, LEFT, BAR_AIR)
        return VGroup(bar, head, line).move_to([0, HEADING_Y, 0])

    def machine(self) -> ArchitectureMap:
        """The model in miniature, in the middle; nothing in it is lit yet."""
        model = self.model
        small = ArchitectureMap("nowhere", model.encoder_layers, model.decoder_layers, (theme.SHARED,))
        return small.scale(min(MAP_HEIGHT / small.height, ROOM / small.width))

    def sentences(self) -> tuple[TokenRow, TokenRow]:
        """The words that the model reads, from the trace, and those that it is to write."""
        target = [self.model.vocabulary.index(word) for word in self.model.target]
        return self._row([int(i) for i in self.trace["src.tokens"]]), self._row(target)

    def _row(self, ids: Sequence[int]) -> TokenRow:
        """A sentence in a row: smaller where it is long, and its words cut where they would be too small to read."""
        tokens, size = self.tokens(ids), CHIP_SIZE
        row = TokenRow(tokens, size=size, buff=CHIP_BUFF)
        if row.width > ROOM:
            size = max(size * ROOM / row.width, theme.SMALL_SIZE)
            room = (ROOM - CHIP_BUFF * (len(tokens) - 1)) / len(tokens) - CHIP_AIR
            cut = [(shortened(text, room, size, BOLD), color) for text, color in tokens]
            row = TokenRow(cut, size=size, buff=CHIP_BUFF)
        return row


def fitting(text: str, size: float, room: float, color: str = theme.INK, *, strong: bool = False) -> Words:
    """A line of at most `room` units: smaller where it is long, down to the body's size, then cut."""
    make = bold if strong else Words
    line = make(text, size, color)
    if line.width <= room:
        return line
    smaller = max(size * room / line.width, min(size, theme.BODY_SIZE))
    return make(shortened(text, room, smaller, line.weight), smaller, color)


def evenly(rows: Sequence[VGroup], top: float, bottom: float) -> None:
    """Put `rows` below each other, with the same air between all of them, from `top` down to `bottom`."""
    air = (top - bottom - sum(row.height for row in rows)) / max(len(rows) - 1, 1)
    y = top
    for row in rows:
        row.move_to([0, y - row.height / 2, 0])
        y -= row.height + air
