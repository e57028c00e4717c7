"""A layer replayed at speed: the stack of layers at the left, what passes through the current one at the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from manim import DOWN, RIGHT, UP, Animation, FadeIn, FadeOut, VGroup, VMobject, Wait

from . import theme
from .boxes import focus_frame
from .fit import MARK, narrowest_pitch, that_fit
from .flow import FlowArrow, FlowBox
from .grid import Heatmap, MatrixGrid
from .layer import LayerScene
from .motion import mask_cell
from .words import Words

SLACK = 0.05  # units
STACK_X = -4.75
STACK_WIDTH = 2.7
PICTURE_X = 1.75
PICTURE_WIDTH = 8.6
PICTURE_Y = 0.05


class LayerStack(VGroup):
    """Boxes of layers, the first at the bottom, arrows between them; `light` says which one is at work."""

    def __init__(self, titles: Sequence[str], color: str) -> None:
        self.color_of_stack = color
        height = min(0.95, 3.9 / len(titles) - 0.35)
        size = theme.BODY_SIZE if height > 0.7 else theme.SMALL_SIZE
        boxes = [FlowBox([title], STACK_WIDTH, height, color, size=size) for title in titles]
        self.boxes = VGroup(*boxes).arrange(UP, buff=0.5 if len(titles) < 4 else 0.3)
        self.boxes.move_to([STACK_X, PICTURE_Y - 0.1, 0])
        arrows = [FlowArrow([low.get_top(), high.get_bottom()], buff=0.06, head=0.13) for low, high in pairwise(boxes)]
        super().__init__(self.boxes, *arrows)
        self.light(len(boxes) - 1)

    def light(self, index: int) -> None:
        """Box `index` in full colour, the others quiet; at once, before the stack is on stage."""
        for i, box in enumerate(self.boxes):
            box.paint(*self._paint(i == index))

    def lighting(self, index: int) -> list[Animation]:
        """The same as a movement."""
        return [box.animate.paint(*self._paint(i == index)) for i, box in enumerate(self.boxes)]

    def _paint(self, on: bool) -> tuple[str, str, str]:
        """Fill, stroke and ink of a box that is at work, or not."""
        color = self.color_of_stack
        return theme.tint(color, 0.4 if on else 0.08), color if on else theme.LINE, theme.INK if on else theme.DIM


class ReplayScene(LayerScene):
    """A scene with a layer stack; `show` swaps what is seen of the current layer."""

    def make_stack(self, titles: Sequence[str]) -> LayerStack:
        """The stack in the colour of the scene's track."""
        return LayerStack(titles, theme.TRACKS[self.entry.track][0])

    def named_state(self, key: str, tag: str, decimals: int = 2) -> VGroup:
        """A matrix with one named row a token at the right, and its tag."""
        room = PICTURE_WIDTH - 1.2
        shown = that_fit(self.trace[key].shape[-1], narrowest_pitch(self.trace, key, (), decimals), room)
        grid = self.grid(
            key,
            decimals=decimals,
            row_names=self.row_names,
            cell=(1.2, 0.72),
            size=28,
            max_width=room - MARK if shown < self.trace[key].shape[-1] else room,
            max_height=4.0,
            first_columns=shown,
            marked=True,
        )
        return self._placed(VGroup(grid), [tag])

    def head_states(self, parts: Sequence[tuple[str, str, str]], head: int = 0) -> VGroup:
        """Several matrices of one head side by side: (key, tag, colour of its role)."""
        grids = []
        room = (PICTURE_WIDTH - 1.2 - 0.7 * (len(parts) - 1)) / len(parts)
        narrowest = max(narrowest_pitch(self.trace, key, (head,)) for key, _, _ in parts)
        shown = that_fit(self.model.d_head, narrowest, room)
        for i, (key, _, color) in enumerate(parts):
            names = self.row_names if i == 0 else None
            grid = self.grid(
                key,
                (head,),
                row_names=names,
                cell=(0.96, 0.66),
                max_height=4.0,
                max_width=room - MARK if shown < self.model.d_head else room,
                first_columns=shown,
                marked=True,
            )
            for cell in grid.body:
                cell.paint(fill=theme.tint(color, 0.16), stroke=color)
            grids.append(grid)
        return self._placed(VGroup(*grids).arrange(RIGHT, buff=0.7), [tag for _, tag, _ in parts])

    def score_state(self, key: str, tag: str, head: int = 0) -> VGroup:
        """The scores of one head: words against words."""
        room = self._map_settings(1)["max_width"]
        narrowest = narrowest_pitch(self.trace, key, (head,)) * len(self.ids)
        return self._placed(
            VGroup(self.grid(key, (head,), decimals=2 if narrowest <= room else 1, **self._map_settings(1))), [tag]
        )

    def map_states(self, parts: Sequence[tuple[str, str]], head: int = 0) -> VGroup:
        """Attention maps of one head side by side, (key, tag); more than one map takes the stack's place too."""
        for decimals in (2, 1):
            maps = [self.heatmap(key, (head,), decimals=decimals, **self._map_settings(len(parts))) for key, _ in parts]
            if all(one.body.width <= self._map_settings(len(parts))["max_width"] + SLACK for one in maps):
                break
        middle = PICTURE_X if len(parts) == 1 else 0.0
        return self._placed(VGroup(*maps).arrange(RIGHT, buff=1.2), [tag for _, tag in parts], middle)

    def _map_settings(self, count: int) -> dict[str, Any]:
        return {
            "row_names": self.row_names,
            "column_names": self.row_names,
            "cell": (1.06, 0.66),
            "max_height": 3.4,
            "max_width": (PICTURE_WIDTH if count == 1 else 2 * theme.SAFE_X - 1.2) / count - 1.4,
        }

    def _placed(self, grids: VGroup, tags: Sequence[str], middle: float = PICTURE_X) -> VGroup:
        """Grids centred at the right, or around `middle`, with a tag under each."""
        grids.shift([middle - grids.get_center()[0], PICTURE_Y - grids[0].body.get_y(), 0])
        said = [
            Words(tag, theme.LABEL_SIZE, theme.DIM).next_to(grid.body, DOWN, 0.26)
            for grid, tag in zip(grids, tags, strict=True)
        ]
        return VGroup(grids, VGroup(*said))

    def show(self, new: VGroup, seconds: float) -> None:
        """What was seen of the layer moves on upwards, the next state follows from below.

        The stack gives way to a picture that needs its place, and comes back afterwards.
        """
        old = self.others(self.stack)
        there = self.stack in self.mobjects
        wide = new.get_left()[0] < self.stack.get_right()[0]
        turn = [FadeOut(self.stack)] if wide and there else []
        leaving = [FadeOut(part, shift=UP * 0.3) for part in old] + turn
        if leaving:
            self.play(*leaving, run_time=seconds * 0.4)
        back = [FadeIn(self.stack)] if not wide and not there else []
        self.play(FadeIn(new, shift=UP * 0.3), *back, run_time=seconds * (0.6 if leaving else 1.0))
        self.state = new

    def pass_states(self, layer: str, states: Sequence[tuple[str, str]], seconds: float) -> None:
        """One state after the other, (key below the layer, tag), each seen for its share of the time."""
        for key, tag in states:
            state = self.named_state(f"{layer}.{key}", tag)
            if key == "mlp.post":
                self.paint_hidden(state[0][0])
            self.show(state, seconds / len(states) * 0.4)
            self.wait(seconds / len(states) * 0.6)

    def masked(self, grid: MatrixGrid) -> list[Animation]:
        """Every score of a later word turns into minus infinity."""
        return [mask_cell(grid, i, j) for i in range(grid.rows) for j in range(i + 1, grid.columns)] or [Wait()]

    def frame_row(self, state: VGroup, which: int, i: int) -> VMobject:
        """A white frame around row i of grid `which` of a state."""
        grid: MatrixGrid | Heatmap = state[0][which]
        return focus_frame(grid.row(i))

    stack: LayerStack
    state: VGroup
