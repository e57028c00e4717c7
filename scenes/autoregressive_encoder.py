"""The encoder of the autoregressive loop: it runs once in the middle of the stage, then only its memory is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Animation, FadeIn, FadeOut, RoundedRectangle, VGroup, there_and_back

from scenes.autoregressive_parts import EDGE, MemoryTiles, memory_names, memory_range
from scenes.stage import theme
from scenes.stage.boxes import focus_frame
from scenes.stage.flow import FlowArrow, FlowBox
from scenes.stage.grid import Heatmap, Name
from scenes.stage.tokens import TokenRow
from scenes.stage.words import Words, bold

WIDEST, HIGHEST = 6.2, 4.2
GAP = 0.1


def memory_style(values: np.ndarray) -> dict[str, Any]:
    """How the memory is drawn at its largest: settings of a Heatmap."""
    low, high = memory_range(values)
    pitch = min(0.92, HIGHEST / len(values))
    return {
        "decimals": 1,
        "low": low,
        "high": high,
        "cell": (1.0, pitch - GAP),
        "gap": GAP,
        "max_width": WIDEST,
    }


class EncoderBoard:
    """Chips, encoder box, memory: first large and side by side, then small at the left edge.

    `words` are the encoder's name, its note and the memory's name. A memory too wide for readable numbers is drawn as
    tiles from the start.
    """

    def __init__(self, grid: Heatmap, names: Sequence[Name], words: tuple[str, str, str]) -> None:
        self.values, self.source, self.words = grid.values, names, words
        pitch = grid.cell_size[1] + GAP
        if grid.body.width <= WIDEST + GAP:
            self.rows = [grid.row(i) for i in range(grid.rows)]
        else:
            width = WIDEST / grid.columns - 0.06
            self.rows = MemoryTiles(self.values, width, pitch - GAP, gap=0.06).row_groups
        memory = VGroup(*self.rows)
        self.box = FlowBox(words[:2], 2.4, memory.height, theme.SHARED, 30, 22)
        size = max(theme.SMALL_SIZE, min(30.0, pitch * 36))
        self.chips = TokenRow([(name.text, name.color) for name in names], DOWN, size=size)
        VGroup(self.chips, self.box, memory).arrange(RIGHT, buff=1.1).move_to([0, 0.05, 0])
        for chip, row in zip(self.chips, self.rows, strict=True):
            chip.set_y(row.get_y())
        self.arrow_in = FlowArrow([[self.chips.get_right()[0], self.box.get_y(), 0], self.box.get_left()])
        self.arrow_out = FlowArrow([self.box.get_right(), memory.get_left() + LEFT * 0.14])
        self.frame = focus_frame(memory, buff=0.16, color=theme.SHARED)
        self.label = bold(words[2], theme.BODY_SIZE, theme.SHARED).next_to(self.frame, DOWN, 0.2)

    def step_aside(self, width: float, top: float, note: str) -> list[Animation]:
        """All of it moves to the left edge; numbers give way to tiles, chips to headings."""
        middle = -EDGE + width / 2
        box = FlowBox(self.words[:2], width, 0.8, theme.SHARED, 21, theme.SMALL_SIZE)
        box.move_to([middle, top, 0], UP)
        box.box.set_fill(theme.PANEL, opacity=1.0).set_stroke(theme.FAINT, theme.THIN)
        box.lines[0].paint(theme.DIM)
        room = width - 0.5 - max(bold(name.text, theme.SMALL_SIZE).width for name in self.source)
        side = max(min(0.3, room / self.values.shape[1] - 0.04), 0.04)
        count = len(self.values)
        height = min(2.0, max(1.75, 0.25 * count))
        tiles = MemoryTiles(self.values, side, min(0.34, height / count - 0.04))
        names = memory_names(self.source, tiles.row_groups)
        frame = RoundedRectangle(width=width, height=tiles.height + 0.34, corner_radius=0.12, fill_opacity=0)
        frame.set_stroke(theme.SHARED, theme.THIN).next_to(box, DOWN, 0.34)
        VGroup(names, tiles).move_to(frame)
        label = bold(self.words[2], theme.LABEL_SIZE, theme.SHARED).next_to(frame, DOWN, 0.18)
        self.reused = Words(note, theme.SMALL_SIZE, theme.DIM).next_to(label, DOWN, 0.14)
        arrow = FlowArrow([box.get_bottom(), frame.get_top()], theme.FAINT, buff=0.06, head=0.13)
        cells = [cell for row in self.rows for cell in row]
        plays: list[Animation] = [
            FadeOut(self.arrow_in),
            FadeOut(self.arrow_out),
            FadeIn(arrow),
            self.box.animate.become(box),
            self.frame.animate.become(frame),
            self.label.animate.become(label),
        ]
        for chip, name in zip(self.chips, names, strict=True):
            plays += [FadeOut(chip.submobjects[0]), chip.submobjects[1].animate.become(name)]
        for cell, tile in zip(cells, tiles, strict=True):
            if cell.submobjects:
                plays.append(cell.submobjects[0].animate.become(tile))
                plays.append(FadeOut(cell.submobjects[1], target_position=tile, scale=0.4))
            else:
                plays.append(cell.animate.become(tile))
        return plays

    def light(self) -> Animation:
        """The memory is read."""
        return self.frame.animate(rate_func=there_and_back).set_stroke(theme.SHARED, 2 * theme.STRONG)
