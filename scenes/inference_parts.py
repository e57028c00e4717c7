"""Parts of one pass of inference: the memory at the left, and the decoder around its masked map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import BOLD, DOWN, LEFT, RIGHT, UP, Animation, RoundedRectangle, VGroup

from scenes.autoregressive_parts import MemoryTiles, memory_names
from scenes.stage import theme
from scenes.stage.boxes import Cell, panel
from scenes.stage.grid import Name
from scenes.stage.words import Words, bold, shortened

EDGE = theme.SAFE_X - 0.03  # where boxes end, so that their strokes stay inside the safe area
MEMORY_WIDTH, WIDEST_NAME = 1.78, 0.8
PANEL_LEFT, PANEL_RIGHT, PANEL_TOP, PANEL_LOW = -4.2, 0.6, 1.2, -2.68
LAYERS_X = PANEL_RIGHT - 0.55
MAP_WIDTH, WIDEST_HEADING = 3.55, 1.1  # of the map with the words before its rows, and of these words
LAYER_PITCH = 0.46
MIDDLE_Y = -0.85  # of what is inside the decoder


class MemoryBoard(VGroup):
    """The encoder's output as tiles without numbers, framed: `frame`; `values` (pos, d), one name a row, a heading."""

    def __init__(self, values: np.ndarray, names: Sequence[Name], heading: str) -> None:
        short = [Name(shortened(name.text, WIDEST_NAME, theme.SMALL_SIZE), name.color) for name in names]
        room = MEMORY_WIDTH - 0.5 - max(bold(name.text, theme.SMALL_SIZE).width for name in short)
        count = len(values)
        side = max(min(0.3, room / values.shape[1] - 0.04), 0.04)
        tiles = MemoryTiles(values, side, min(0.34, 2.6 / count - 0.04))
        self.frame = RoundedRectangle(
            width=MEMORY_WIDTH, height=tiles.height + 0.34, corner_radius=0.12, fill_opacity=0
        ).set_stroke(theme.SHARED, theme.STRONG)
        inside = VGroup(memory_names(short, tiles.row_groups), tiles)
        self.frame.move_to([-EDGE + MEMORY_WIDTH / 2, MIDDLE_Y, 0])
        inside.move_to(self.frame)
        label = bold(heading, theme.LABEL_SIZE, theme.SHARED).next_to(self.frame, UP, 0.18)
        super().__init__(self.frame, inside, label)


class DecoderBoard(VGroup):
    """The decoder as a ground for its map, with one small box a layer: `ground`, `layers` (the first at the bottom)."""

    def __init__(self, title: str, note: str, layers: int) -> None:
        color = theme.INFERENCE
        self.ground = panel(
            PANEL_RIGHT - PANEL_LEFT,
            PANEL_TOP - PANEL_LOW,
            theme.mix(color, theme.BACKGROUND, 0.05),
            theme.mix(color, theme.BACKGROUND, 0.6),
            theme.STRONG,
            corner=0.16,
        ).move_to([(PANEL_LEFT + PANEL_RIGHT) / 2, (PANEL_TOP + PANEL_LOW) / 2, 0])
        head = bold(title, theme.BODY_SIZE).move_to([PANEL_LEFT + 0.25, PANEL_TOP - 0.36, 0], LEFT)
        said = Words(note, theme.SMALL_SIZE, theme.DIM).move_to([PANEL_RIGHT - 0.25, PANEL_TOP - 0.36, 0], RIGHT)
        self.layers = VGroup(
            *[Cell(bold(str(i + 1), theme.SMALL_SIZE), 0.56, LAYER_PITCH - 0.08, ink=theme.DIM) for i in range(layers)]
        )
        self.layers.arrange(UP, buff=0.08).move_to([LAYERS_X, MIDDLE_Y, 0])
        super().__init__(self.ground, head, said, self.layers)

    def light(self, i: int) -> list[Animation]:
        """Layer i is at work, the one below it is done."""
        lit = self.layers[i].animate.paint(theme.tint(theme.INFERENCE, 0.5), theme.INFERENCE, theme.INK)
        done = [self.layers[i - 1].animate.paint(theme.tint(theme.INFERENCE, 0.16), theme.INFERENCE, theme.INK)]
        return [lit, *(done if i else [])]


def cut_names(names: Sequence[Name]) -> list[Name]:
    """Words in front of the map's rows, no wider than there is room."""
    return [Name(shortened(name.text, WIDEST_HEADING, theme.LABEL_SIZE, BOLD), name.color) for name in names]


def names_width(names: Sequence[Name]) -> float:
    """The room that these words take beside the map."""
    return max(bold(name.text, theme.LABEL_SIZE).width for name in cut_names(names)) + 0.2


def map_middle() -> tuple[float, float]:
    """Where the middle of the map stands inside the decoder, layers apart."""
    return PANEL_LEFT + 0.25 + MAP_WIDTH / 2, MIDDLE_Y


def below(thing: VGroup, text: str) -> Words:
    """A line under the map, inside the decoder."""
    return Words(text, theme.SMALL_SIZE, theme.DIM).next_to(thing, DOWN, 0.24)
