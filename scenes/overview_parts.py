"""What stands around the map: bars of the vocabulary, small charts, the way back, the names of the tracks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from manim import DOWN, LEFT, RIGHT, Rectangle, VGroup

from scenes.overview_map import ModelMap, Token, Way
from scenes.stage import miniature, theme
from scenes.stage.words import Words, bold


class WordBars(VGroup):
    """The words of the vocabulary with their probabilities as bars on one scale, without numbers.

    Parameters: probabilities (V,), the words, the room in units.
    """

    def __init__(self, values: np.ndarray, words: Sequence[Token], width: float, height: float) -> None:
        pitch = min(height / len(words), 0.34)
        names = [bold(word, theme.SMALL_SIZE, color) for word, color in words]
        left = max(name.width for name in names)
        length = max(width - left - 0.14, 0.3)
        top = float(values.max())
        self.rows = VGroup()
        for i, (name, (_, color), value) in enumerate(zip(names, words, values, strict=True)):
            name.move_to([left, -i * pitch, 0], aligned_edge=RIGHT)
            bar = Rectangle(
                width=max(length * float(value) / top, 0.03),
                height=min(0.2, pitch * 0.62),
                stroke_width=0,
                fill_color=color,
                fill_opacity=1.0,
            ).move_to([left + 0.14, -i * pitch, 0], aligned_edge=LEFT)
            self.rows.add(VGroup(name, bar))
        super().__init__(self.rows)


def chart_above(one: ModelMap, row: int, values: np.ndarray, colors: Sequence[str]) -> VGroup:
    """The probabilities (V,) of one position of the decoder as a small chart above its lane."""
    chart = miniature.bars(values, colors, one.levels.result_height)
    room = min((b.get_x() - a.get_x() for a, b in pairwise(one.decoder.chips)), default=one.room.decoder)
    if chart.width > room * 0.8:
        chart.stretch_to_fit_width(room * 0.8)
    bottom = one.levels.results - one.levels.result_height / 2
    return chart.move_to([one.decoder.chips[row].get_x(), bottom, 0], aligned_edge=DOWN)


def way_back(one: ModelMap, word_width: float, x: float) -> Way:
    """The way round at `x` from the decoder's last result, a chip of `word_width`, to its input."""
    chips, levels = one.decoder.chips, one.levels
    start = min(chips[-1].get_x() + word_width / 2 + 0.1, x - 0.35)
    end = min(chips.get_right()[0], x - 0.4)
    stations = [[start, levels.results], [x, levels.results], [x, levels.chips], [end, levels.chips]]
    return Way(stations, theme.INFERENCE, 3.0, 0.1, 0.18)


def track_title(one: ModelMap, name: str, note: str, color: str, y: float) -> VGroup:
    """A track's name above its map, and beside it what is to be said of it: two lines of text."""
    line = VGroup(bold(name, 30.0, color), Words(note, theme.LABEL_SIZE, theme.INK)).arrange(RIGHT, buff=0.3)
    return line.move_to([(one.room.left + one.room.right) / 2, y, 0])
