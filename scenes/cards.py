"""The cards of the film: what it is about, before the first scene, and what to do next, after the last one."""

from __future__ import annotations

from itertools import pairwise

from manim import DOWN, UP, Animation, FadeIn, LaggedStart, VGroup

from scenes.stage import theme
from scenes.stage.card import CardScene, evenly, fitting
from scenes.stage.chrome import ArchitectureMap
from scenes.stage.flow import FlowArrow
from scenes.stage.motion import pulse
from scenes.stage.tokens import TokenRow

TOP, BOTTOM = 1.3, theme.CAPTION_TOP + 0.15


class TitleCard(CardScene):
    """The title, and a sentence that goes through the machine and comes out in the other language."""

    def construct(self) -> None:
        source, target = self.sentences()
        machine = self.machine()
        rows: list[VGroup] = [source, machine, target]
        evenly(rows, TOP, BOTTOM)
        ways = [FlowArrow([a.get_bottom(), b.get_top()], buff=0.14) for a, b in pairwise(rows)]
        with self.beat("card") as beat:
            title = self.storyboard.film.title[self.language]
            self.add(self.heading(title, self.label("subtitle")), source, *ways, machine)
            self.play(pulse(ways[0], theme.SHARED), run_time=beat.share(0.12))
            self.play(LaggedStart(*_lights(machine), lag_ratio=0.5), run_time=beat.share(0.36))
            self.play(pulse(ways[1], theme.SHARED), _written(target), run_time=beat.share(0.32))


class EndCard(CardScene):
    """What to do next, the sentence once more, how the film was made and what may be done with it."""

    def construct(self) -> None:
        source, target = self.sentences()
        licence = self.storyboard.film.licence
        notes = [fitting(self.label("made_with"), theme.BODY_SIZE, 2 * theme.SAFE_X, theme.DIM)]
        if licence is not None:
            notes.append(fitting(licence, theme.LABEL_SIZE, 2 * theme.SAFE_X, theme.DIM))
        credits = VGroup(*notes).arrange(DOWN, buff=0.26)
        credits.move_to([0, BOTTOM, 0], aligned_edge=DOWN)
        evenly([source, target], TOP - 0.15, credits.get_top()[1] + 0.75)
        way = FlowArrow([source.get_bottom(), target.get_top()], buff=0.14)
        with self.beat("card") as beat:
            for chip in source:
                chip.quiet()
            self.add(self.heading(self.label("heading"), self.label("next")), source)
            self.play(LaggedStart(*_wakes(source), lag_ratio=0.4), run_time=beat.share(0.3))
            self.play(FadeIn(way), _written(target), run_time=beat.share(0.3))
            self.play(*[FadeIn(note, shift=UP * 0.15) for note in notes], run_time=beat.share(0.15))


def _lights(machine: ArchitectureMap) -> list[Animation]:
    """The machine lights up in the order in which it computes: the encoder, the bridge, the decoder."""
    _, bridge, *boxes = machine.submobjects
    y = bridge.get_center()[1]
    encoder = [box for box in boxes if box.get_center()[1] > y]
    decoder = [box for box in boxes if box.get_center()[1] <= y]
    on = theme.mix(theme.SHARED, theme.BACKGROUND, 0.75)
    lit = [[box.animate.set_fill(on, opacity=1).set_stroke(theme.SHARED) for box in row] for row in (encoder, decoder)]
    return [*lit[0], bridge.animate.set_stroke(theme.SHARED, width=4), *lit[1]]


def _written(row: TokenRow) -> LaggedStart:
    """Word after word of the answer."""
    return LaggedStart(*[FadeIn(chip, shift=DOWN * 0.12) for chip in row], lag_ratio=0.35)


def _wakes(row: TokenRow) -> list[Animation]:
    """Chip after chip takes on its own colour."""
    return [row.chip(i).animate.wake() for i in range(len(row))]
