"""What frames every scene: title, take-away, track, step badge, map of the architecture, progress dots."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from manim import BOLD, DOWN, LEFT, RIGHT, UP, Dot, Line, Rectangle, RoundedRectangle, VGroup

from . import theme
from .boxes import panel
from .words import Words, bold, shortened

BAR_X = -theme.SAFE_X + 0.045
TEXT_X = -theme.SAFE_X + 0.32
TITLE_Y = 3.32
TAKEAWAY_Y = 2.78
MAP_BOX = (0.36, 0.17)
MAP_GAP = 0.1
MAP_AIR = 0.3
STROKE = 0.01  # half a line, so that the map's boxes end at the safe area, edges included


@dataclass(frozen=True)
class ChromeWords:
    """The words of the frame in one language."""

    title: str
    takeaway: str
    step: str
    track: str
    place: str


class StepBadge(VGroup):
    """The rounded badge that counts through the numbers 0-95."""

    def __init__(self, word: str, number: int, color: str) -> None:
        super().__init__()
        self.word, self.color_of_badge = word, color
        widest = bold(f"{word} 95", theme.LABEL_SIZE, color)
        self.frame = RoundedRectangle(
            width=widest.width + 0.5,
            height=0.52,
            corner_radius=0.25,
            stroke_color=color,
            stroke_width=2,
            fill_color=theme.mix(color, theme.BACKGROUND, 0.15),
            fill_opacity=1,
        )
        self.text = bold(f"{word} {number}", theme.LABEL_SIZE, color).move_to(self.frame)
        self.add(self.frame, self.text)

    def show(self, number: int) -> None:
        """Show another number, at once."""
        new = bold(f"{self.word} {number}", theme.LABEL_SIZE, self.color_of_badge).move_to(self.frame)
        self.remove(self.text)
        self.text = new
        self.add(new)


class ArchitectureMap(VGroup):
    """The model in miniature: source row on top, target row below, the bridge between them; the place is lit.

    Places: overview (everything), embedding, encoder, cross_attention, decoder, output. `layer` narrows encoder and
    decoder down to one layer, counted from 0, or from the end when negative.
    """

    def __init__(
        self,
        place: str,
        encoder_layers: int,
        decoder_layers: int,
        colors: tuple[str, ...],
        layer: int | None = None,
    ) -> None:
        super().__init__()
        width, height = MAP_BOX
        step = width + MAP_GAP
        # The decoder's row is one box longer; both rows line up so that the bridge from the encoder's end is short.
        top = [("embedding", 0)] + [("encoder", i) for i in range(encoder_layers)]
        bottom = [("embedding", 0)] + [("decoder", i) for i in range(decoder_layers)] + [("output", 0)]
        self.lit: list[RoundedRectangle] = []
        rows = []
        for y, names in ((0.0, top), (-height - 0.13, bottom)):
            row = []
            for x, (name, number) in enumerate(names):
                on = place in (name, "overview")
                if on and layer is not None and name in ("encoder", "decoder"):
                    on = number == layer % (encoder_layers if name == "encoder" else decoder_layers)
                color = colors[0]
                box = panel(
                    width,
                    height,
                    fill=theme.mix(color, theme.BACKGROUND, 0.75) if on else theme.PANEL_RAISED,
                    stroke=color if on else theme.FAINT,
                    stroke_width=1.5,
                    corner=0.05,
                ).move_to([x * step, y, 0])
                if on:
                    self.lit.append(box)
                row.append(box)
            rows.append(row)
        links = VGroup()
        for row in rows:
            for left, right in pairwise(row):
                links.add(Line(left.get_right(), right.get_left(), stroke_width=1.5, color=theme.FAINT))
        on = place in ("cross_attention", "overview")
        memory, reader = rows[0][-1], rows[1][min(len(rows[1]) - 2, len(rows[0]) - 1)]
        bridge = Line(
            memory.get_bottom(),
            reader.get_top(),
            stroke_width=4 if on else 1.5,
            color=colors[0] if on else theme.FAINT,
        )
        self.add(links, bridge, *rows[0], *rows[1])


class ProgressDots(VGroup):
    """One dot a scene at the bottom edge; past ones are grey, this one is large and coloured."""

    def __init__(self, scenes: int, current: int, color: str) -> None:
        dots = []
        for i in range(scenes):
            if i == current:
                dots.append(Dot(radius=0.075, color=color))
            else:
                dots.append(Dot(radius=0.045, color=theme.DIM if i < current else theme.LINE))
        super().__init__(*dots)
        self.arrange(RIGHT, buff=0.16).move_to([0, -3.82, 0])


class Chrome(VGroup):
    """All of it, in place. `badge` is the only part that changes during a scene."""

    def __init__(
        self,
        words: ChromeWords,
        track: str,
        place: str,
        first_step: int,
        scene_number: int,
        scene_count: int,
        encoder_layers: int,
        decoder_layers: int,
        layer: int | None = None,
    ) -> None:
        colors = theme.TRACKS[track]
        main = colors[0]
        bar = VGroup()
        for i, color in enumerate(colors):
            height = 0.88 / len(colors)
            bar.add(
                Rectangle(width=0.09, height=height, stroke_width=0, fill_color=color, fill_opacity=1).move_to(
                    [BAR_X, TITLE_Y + 0.23 - height * (i + 0.5), 0]
                )
            )
        self.map = ArchitectureMap(place, encoder_layers, decoder_layers, colors, layer)
        self.map.move_to([theme.SAFE_X, 3.6, 0], aligned_edge=UP + RIGHT)
        room = self.map.get_left()[0] - MAP_AIR - TEXT_X
        self.badge = StepBadge(words.step, first_step, main)
        chips = VGroup(*[Dot(radius=0.07, color=color) for color in colors]).arrange(RIGHT, buff=0.07)
        track_text = Words(words.track, theme.LABEL_SIZE, theme.INK)
        # A long title is set smaller rather than run into the map.
        taken = self.badge.width + chips.width + track_text.width + 0.35 + 0.35 + 0.14
        title = bold(words.title, theme.TITLE_SIZE, theme.INK)
        if title.width + taken > room:
            smaller = max(theme.TITLE_SIZE * (room - taken) / title.width, theme.BODY_SIZE)
            title = bold(shortened(words.title, room - taken, smaller, BOLD), smaller, theme.INK)
        title.move_to([TEXT_X, TITLE_Y, 0], aligned_edge=LEFT)
        self.badge.next_to(title, RIGHT, 0.35)
        chips.next_to(self.badge, RIGHT, 0.35)
        track_text.next_to(chips, RIGHT, 0.14)
        takeaway = Words(shortened(words.takeaway, room, theme.LABEL_SIZE), theme.LABEL_SIZE, theme.DIM)
        takeaway.move_to([TEXT_X, TAKEAWAY_Y, 0], aligned_edge=LEFT)
        self.map = ArchitectureMap(place, encoder_layers, decoder_layers, colors, layer)
        self.map.move_to([theme.SAFE_X - STROKE, theme.SAFE_Y - STROKE, 0], aligned_edge=UP + RIGHT)
        place_text = Words(words.place, theme.SMALL_SIZE, main).next_to(self.map, DOWN, 0.14, aligned_edge=RIGHT)
        self.dots = ProgressDots(scene_count, scene_number, main)
        super().__init__(bar, title, self.badge, chips, track_text, takeaway, self.map, place_text, self.dots)
