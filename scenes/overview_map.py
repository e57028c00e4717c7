"""The whole model as two towers: the encoder, the decoder, the bridge between them, and a lane for every token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from manim import BOLD, RIGHT, VGroup, VMobject

from scenes.stage import theme
from scenes.stage.boxes import Cell, Chip, panel
from scenes.stage.flow import FlowArrow
from scenes.stage.words import bold, cap_height_per_size, shortened

Token = tuple[str, str]  # a word and its colour

ELLIPSIS = "…"
Z_LANE = -2  # tokens pass behind the boxes: what happens inside is what the rest of the film is about
CORNER = 0.14
NAME_AIR, NAME_CLEAR = 0.36, 0.2  # units from the bridge to the middle and to the edge of its name
ROOM_FOR_TAILS = 2.6  # cap heights of a box whose name may have letters with tails
SHARE_AT_REST, SHARE_AT_WORK = 0.24, 0.6  # of its colour in the fill of a box


@dataclass(frozen=True)
class MapWords:
    """What stands on the boxes in one language; of the layers one name each, from below."""

    embedding: str
    encoder: Sequence[str]
    decoder: Sequence[str]
    output: str


@dataclass(frozen=True)
class Room:
    """Where a map stands and how large it is drawn. Lengths and places in units, sizes of type in points."""

    left: float
    bottom: float
    top: float
    encoder: float  # width of the encoder's tower
    bridge: float  # width between the towers
    decoder: float  # width of the decoder's tower
    size: float  # of the names on the boxes
    chip_size: float
    chip_gap: float
    chip_air: float  # beside the word of a chip, on either side

    @property
    def encoder_x(self) -> float:
        """The middle of the encoder."""
        return self.left + self.encoder / 2

    @property
    def decoder_x(self) -> float:
        """The middle of the decoder."""
        return self.left + self.encoder + self.bridge + self.decoder / 2

    @property
    def right(self) -> float:
        """The right edge of the decoder."""
        return self.left + self.encoder + self.bridge + self.decoder

    @property
    def bridge_x(self) -> float:
        """Where the bridge turns down to the decoder's layers."""
        return self.left + self.encoder + self.bridge * 0.45


@dataclass(frozen=True)
class Levels:
    """Heights of a tower's parts, from below: chips, boxes (the first is the embedding), results."""

    chips: float
    boxes: tuple[float, ...]
    results: float
    box_height: float
    chip_height: float
    result_height: float


def make_levels(room: Room, layers: int) -> Levels:
    """Spread a tower of so many layers over the height of its room: wide gaps if they leave room for the names."""
    chip = 2.75 * bold("H", room.chip_size).cap_height
    result = max(0.56, chip)
    count = layers + 2  # the embedding below the layers, memory or output above
    tall = room.top - room.bottom - chip - result
    least, gap = ROOM_FOR_TAILS * room.size * cap_height_per_size(), 0.4
    closest = 0.14 if room.size <= theme.SMALL_SIZE else 0.2  # where type may still shrink, boxes stay apart
    while (tall - gap * (count + 1)) / count < least and gap > closest:
        gap -= 0.02
    height = min((tall - gap * (count + 1)) / count, 0.6)
    gap = (tall - height * count) / (count + 1)
    first = room.bottom + chip + gap + height / 2
    boxes = tuple(first + i * (height + gap) for i in range(count))
    return Levels(room.bottom + chip / 2, boxes, room.top - result / 2, height, chip, result)


def chips_that_fit(tokens: Sequence[Token], room: Room, width: float, height: float) -> VGroup:
    """Chips as narrow as their words, in a row; long words shortened, and the last ones left out, where they must."""
    size, gap, air = room.chip_size, room.chip_gap, room.chip_air
    least = height * 0.8

    def chip_width(word: str, longest: float) -> float:
        return min(max(bold(word, size).width + 2 * air, least), longest)

    def total(shown: Sequence[Token], longest: float) -> float:
        return sum(chip_width(word, longest) + gap for word, _ in shown) - gap

    shown, longest = list(tokens), width
    shortest = bold("Ww" + ELLIPSIS, size).width + 2 * air
    while total(shown, longest) > width and longest > shortest:
        longest = max(longest * 0.96, shortest)
    while total(shown, longest) > width and len(shown) > 1:
        shown = [*shown[:-2], (ELLIPSIS, theme.START_TOKEN)]
    chips = VGroup()
    for word, color in shown:
        text = word if word == ELLIPSIS else shortened(word, longest - 2 * air + 0.01, size, BOLD)
        chips.add(Chip(text, color, size, width=chip_width(text, longest), height=height))
    return chips.arrange(RIGHT, buff=gap)


class Slab(Cell):
    """A part of the model: a box with its name, at rest, at work (`lit`) or not spoken of (`quiet`).

    With two colours the left half of its edge has the first and the right half the second.
    """

    def __init__(self, name: str, width: float, height: float, size: float, colors: Sequence[str]) -> None:
        words = bold(name, size)
        if words.width > width - 0.2:
            words = bold(name, max(size * (width - 0.2) / words.width, theme.SMALL_SIZE))
        super().__init__(words, width, height, stroke_width=theme.STRONG, corner=CORNER)
        self.colors_of_slab = tuple(colors)
        self.edges = VGroup()
        if len(colors) == 2:
            self.edges.add(_half_edge(width, height, -1), _half_edge(width, height, 1)).move_to(self.box)
            self.add(self.edges)
        self.rest()

    def rest(self) -> Slab:
        """The look of a part that is spoken of."""
        return self._look(SHARE_AT_REST, self.colors_of_slab, theme.INK)

    def lit(self) -> Slab:
        """The look of a part that works."""
        return self._look(SHARE_AT_WORK, self.colors_of_slab, theme.LIGHTEST_INK)

    def quiet(self) -> Slab:
        """The look of a part that is not spoken of."""
        return self._look(0.0, (theme.LINE,) * len(self.colors_of_slab), theme.DIM)

    def _look(self, share: float, strokes: Sequence[str], ink: str) -> Slab:
        two = len(self.colors_of_slab) == 2
        fill = theme.mix(theme.DIM, theme.PANEL, share) if two else theme.tint(self.colors_of_slab[0], share)
        self.box.set_fill(fill, opacity=1.0)
        self.box.set_stroke(strokes[0], width=0 if two else theme.STRONG)
        for edge, color in zip(self.edges, strokes, strict=False):
            edge.set_stroke(color, width=theme.STRONG)
        self.words.paint(ink)
        return self


def _half_edge(width: float, height: float, side: int) -> VMobject:
    """The left (-1) or right (1) half of the edge of a rounded box around the origin."""
    x, y, r, k = side * width / 2, height / 2, CORNER, CORNER * 0.45
    edge = VMobject(stroke_width=theme.STRONG, fill_opacity=0)
    edge.start_new_path(np.array([0.0, y, 0.0]))
    edge.add_line_to(np.array([x - side * r, y, 0.0]))
    edge.add_cubic_bezier_curve_to(
        np.array([x - side * k, y, 0.0]), np.array([x, y - k, 0.0]), np.array([x, y - r, 0.0])
    )
    edge.add_line_to(np.array([x, -y + r, 0.0]))
    edge.add_cubic_bezier_curve_to(
        np.array([x, -y + k, 0.0]), np.array([x - side * k, -y, 0.0]), np.array([x - side * r, -y, 0.0])
    )
    edge.add_line_to(np.array([0.0, -y, 0.0]))
    return edge


class Way(FlowArrow):
    """An arrow that can be repainted as a whole and knows its `stations`, ends and turns."""

    def __init__(self, points: Sequence[Any], color: str, width: float, buff: float, head: float) -> None:
        super().__init__(points, color, width, buff, head)
        self.stations = [np.array([*point, 0.0][:3], dtype=float) for point in points]

    def paint(self, color: str) -> Way:
        """Shaft and head in one colour; returns itself."""
        self.shaft.set_stroke(color)
        self.head.set_fill(color)
        return self


class Lane(Way):
    """The way of one token from one box to the next: grey until a token has passed."""

    def __init__(self, x: float, below: float, above: float, color: str) -> None:
        super().__init__([[x, below, 0], [x, above, 0]], theme.LINE, 3.0, 0.05, 0.15)
        self.color_of_token = color
        self.set_z_index(Z_LANE)

    def lit(self) -> Way:
        """In the token's colour."""
        return self.paint(self.color_of_token)


class Tower(VGroup):
    """Chips, boxes and the lanes between them.

    `gaps[i]` are the lanes into `boxes[i]`; the last of them leads out of the last box, up to `exit`.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        names: Sequence[str],
        place: tuple[float, float],
        room: Room,
        levels: Levels,
        colors: Sequence[str],
        exit_y: float,
    ) -> None:
        x, width = place
        self.chips = chips_that_fit(tokens, room, width, levels.chip_height).move_to([x, levels.chips, 0])
        size = min(room.size, levels.box_height / ROOM_FOR_TAILS / cap_height_per_size())
        size = max(size, theme.SMALL_SIZE)
        self.boxes = [Slab(name, width, levels.box_height, size, colors) for name in names]
        for box, y in zip(self.boxes, levels.boxes, strict=False):
            box.move_to([x, y, 0])
        half = levels.box_height / 2
        ways = [levels.chips + levels.chip_height / 2, *[box.get_y() + half for box in self.boxes]]
        ends = [*[box.get_y() - half for box in self.boxes], exit_y]
        self.gaps = [
            VGroup(*[Lane(chip.get_x(), below, above, chip.color_of_token) for chip in self.chips])
            for below, above in zip(ways, ends, strict=True)
        ]
        super().__init__(*self.gaps, *self.boxes, self.chips)


class ModelMap(VGroup):
    """Both towers, the memory above the encoder, and the bridge from it to every decoder layer in `reading`.

    `colors` are the decoder's: one track's, or both tracks'.
    """

    def __init__(
        self,
        source: Sequence[Token],
        target: Sequence[Token],
        words: MapWords,
        room: Room,
        reading: Sequence[int],
        colors: Sequence[str],
    ) -> None:
        levels = make_levels(room, max(len(words.encoder), len(words.decoder)))
        self.room, self.levels, half = room, levels, levels.box_height / 2
        memory_y = levels.boxes[len(words.encoder) + 1]
        self.encoder = Tower(
            source,
            [words.embedding, *words.encoder],
            (room.encoder_x, room.encoder),
            room,
            levels,
            (theme.SHARED,),
            memory_y - half,
        )
        self.memory = panel(room.encoder, 2 * half, stroke=theme.SHARED, stroke_width=theme.STRONG, corner=CORNER)
        self.memory.move_to([room.encoder_x, memory_y, 0]).set_z_index(Z_LANE)
        self.decoder = Tower(
            target,
            [words.embedding, *words.decoder, words.output],
            (room.decoder_x, room.decoder),
            room,
            levels,
            colors,
            levels.results - levels.result_height / 2,
        )
        self.bridge = VGroup(*[self._way(self.decoder.boxes[1 + layer].get_left()) for layer in reading])
        self.reading = tuple(reading)
        super().__init__(self.memory, self.encoder, self.decoder, self.bridge)

    @property
    def boxes(self) -> list[Slab]:
        """All boxes of both towers."""
        return [*self.encoder.boxes, *self.decoder.boxes]

    @property
    def beside_the_bridge(self) -> float:
        """A height for the bridge's name: near the memory where no arrow turns up or down, else above all arrows."""
        start = float(self.memory.get_y())
        ends = [start, *(float(self.decoder.boxes[1 + layer].get_y()) for layer in self.reading)]
        if max(ends) < start + NAME_CLEAR:
            return start + NAME_AIR
        return start - NAME_AIR if min(ends) > start - NAME_CLEAR else max(ends) + NAME_AIR

    def _way(self, end: np.ndarray) -> Way:
        """The bridge's arrow to one layer."""
        start, x = self.memory.get_right(), self.room.bridge_x
        straight = abs(start[1] - end[1]) < 1e-6
        turns = [] if straight else [[x, start[1], 0], [x, end[1], 0]]
        return Way([start, *turns, end], theme.SHARED, 4.0, 0.06, min(0.2, self.room.bridge * 0.25))
