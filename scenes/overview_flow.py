"""What moves through the map: tokens rise as vectors, the memory crosses the bridge, one map becomes two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from manim import (
    RIGHT,
    Animation,
    LaggedStart,
    MoveAlongPath,
    Rectangle,
    ReplacementTransform,
    VGroup,
    VMobject,
    linear,
    smooth,
)

from scenes.overview_map import ModelMap, Tower, Way
from scenes.stage import theme
from scenes.stage.motion import fly, vanish

Z_TRAVELLER = -1
MOST_NUMBERS = 8  # squares of one vector


class Vector(VGroup):
    """A token inside the model: a square a number, the brighter the larger the number is among its row's."""

    def __init__(self, values: np.ndarray, color: str, width: float) -> None:
        shown = np.abs(values[:MOST_NUMBERS])
        side = min(width / len(shown), 0.15)
        shares = 0.35 + 0.65 * shown / max(float(shown.max()), 1e-9)
        super().__init__(
            *[
                Rectangle(
                    width=side * 0.82,
                    height=0.2,
                    stroke_width=0,
                    fill_color=theme.mix(color, theme.PANEL, float(share)),
                    fill_opacity=1.0,
                ).move_to([i * side, 0, 0])
                for i, share in enumerate(shares)
            ]
        )
        self.set_z_index(Z_TRAVELLER)


class Flow:
    """One run of tokens up a tower, hop by hop, from their chips to the last stop.

    `stops` are the heights of the boxes (and of the memory) that the tokens reach; `values[i]` are the vectors
    (pos, d) that they are made of on leaving stop i. `hop` gives the animations of one hop, to be played in order.
    """

    def __init__(
        self, tower: Tower, stops: Sequence[float], values: Sequence[np.ndarray], only: Sequence[int] | None = None
    ) -> None:
        self.tower, self.stops, self.values = tower, stops, values
        drawn = min(len(tower.chips), len(values[0]))
        self.rows = [i for i in (range(drawn) if only is None else only) if i < drawn]
        self.vectors = VGroup(*[self._vector(0, i) for i in self.rows])

    def __len__(self) -> int:
        return len(self.stops)

    def _vector(self, stop: int, row: int) -> Vector:
        chip = self.tower.chips[row]
        vector = Vector(self.values[stop][row], chip.color_of_token, chip.width * 0.82)
        vector.move_to([chip.get_x(), self.stops[stop], 0])
        return vector

    def hop(self, stop: int) -> list[Animation]:
        """Tokens go to a stop: from their chips to the first, from the stop before to any other."""
        boxes = self.tower.boxes
        moves: list[Any] = [lane.animate.lit() for row, lane in enumerate(self.tower.gaps[stop]) if row in self.rows]
        if stop == 0:
            moves += [
                fly(VGroup(self.tower.chips[row].box), vector, rate_func=linear)
                for row, vector in zip(self.rows, self.vectors, strict=True)
            ]
        else:
            moves += [
                vector.animate(rate_func=linear).become(self._vector(stop, row))
                for row, vector in zip(self.rows, self.vectors, strict=True)
            ]
            moves.append(boxes[stop - 1].animate.rest())
        if stop < len(boxes):
            moves.append(boxes[stop].animate.lit())
        return moves


def encoder_stops(model_map: ModelMap) -> list[float]:
    """Heights of the embedding, the layers and the memory."""
    return [*[box.get_y() for box in model_map.encoder.boxes], model_map.memory.get_y()]


def remember(model_map: ModelMap) -> list[Any]:
    """The memory is complete: its box is filled, and the last layer rests."""
    return [
        model_map.memory.animate.set_fill(theme.tint(theme.SHARED, 0.3), opacity=1.0),
        model_map.encoder.boxes[-1].animate.rest(),
    ]


def becoming(old: ModelMap, new: ModelMap, how: type[Animation] = ReplacementTransform) -> list[Animation]:
    """Every part of one map goes to its place in another: the encoder with its chips, the memory, all boxes."""
    pairs = [
        (old.memory, new.memory),
        (old.bridge, new.bridge),
        (old.encoder.chips, new.encoder.chips),
        *zip(old.encoder.gaps, new.encoder.gaps, strict=True),
    ]
    # Box and name by themselves: a box of both tracks has an edge of two halves more, which fades.
    for a, b in zip(old.boxes, new.boxes, strict=True):
        pairs += [(a.box, b.box), (a.words, b.words)]
    edges = [box.edges for box in old.boxes if len(box.edges)]
    return [*[how(a, b) for a, b in pairs], *vanish(*edges)]


def across(memory: VGroup, ways: Iterable[Way]) -> tuple[VGroup, list[Animation]]:
    """Copies of the memory's vectors go over the bridge, one behind the other, and vanish behind the layers.

    Gives the copies and one animation for each of the bridge's arrows `ways`.
    """
    copies, trips = VGroup(), []
    for way in ways:
        train = memory.copy()
        copies.add(*train)
        moves = []
        for vector in train:
            path = VMobject().set_points_as_corners([vector.get_center(), *way.stations[:-1], _behind(way, vector)])
            moves.append(MoveAlongPath(vector, path, rate_func=smooth))
        trips.append(LaggedStart(*moves, lag_ratio=0.25))
    return copies, trips


def _behind(way: Way, vector: VMobject) -> np.ndarray:
    """Where a vector is hidden by the box at the end of a way."""
    return np.asarray(way.stations[-1] + RIGHT * (vector.width / 2 + 0.1))
