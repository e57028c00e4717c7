"""Random scenes of random leaves under random edits: the frames are manim's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from frame_record import DirtyRecord, Record, describe, play
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from manim import (
    Circle,
    Create,
    Dot,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    Scene,
    Square,
    Star,
    Succession,
    Transform,
    VGroup,
    VMobject,
)
from manim.renderer.cairo_renderer import CairoRenderer

from pipeline.renderer import FastRenderer

COLORS = ("#ff0000", "#00ff00", "#3050ff", "#ffffff", "#ffcc00")
places = st.tuples(st.integers(-14, 14), st.integers(-9, 9)).map(lambda p: np.array([p[0] / 2, p[1] / 2, 0.0]))
colors = st.sampled_from(COLORS)
shares = st.sampled_from([0.0, 0.3, 1.0])

Make = tuple[str, Any, str, float, float, int]
makes = st.tuples(
    st.sampled_from(["square", "circle", "star", "line", "dot", "zigzag", "pair"]),
    places,
    colors,
    shares,
    st.sampled_from([0.0, 1.0, 4.0, 22.0]),
    st.integers(-1, 2),
)
edits = st.tuples(
    st.sampled_from(
        (
            *("shift", "color", "scale", "fade_out", "create", "transform", "add", "remove", "front", "back", "z"),
            *("lag", "chain", "wait", "opacity", "become", "gradient", "updater", "rotate", "part"),
        )
    ),
    st.integers(0, 5),
    st.integers(0, 5),
    places,
    colors,
)


def _leaf(make: Make) -> VMobject:
    kind, place, color, fill, width, z_index = make
    shapes: dict[str, Callable[[], VMobject]] = {
        "square": lambda: Square(1.3),
        "circle": lambda: Circle(0.8),
        "star": lambda: Star(5, outer_radius=1.2, inner_radius=0.2),
        "line": lambda: Line(np.array([-2.0, 0, 0]), np.array([2.0, 1, 0])),
        "dot": Dot,
        "zigzag": lambda: VMobject().set_points_as_corners(
            np.array([[-1, 0, 0], [0, 2, 0], [0.2, -1, 0], [1, 1, 0.0]])
        ),
        "pair": lambda: VGroup(Square(0.7), Circle(0.5).shift([0.4, 0, 0])),
    }
    leaf = shapes[kind]().move_to(place)
    leaf.set_fill(color, opacity=fill).set_stroke(color, width=width, opacity=max(fill, 0.5))
    return leaf.set_z_index(z_index)


def _scene(leaves: list[Make], steps: list[Any]) -> type[Scene]:
    class Random(Scene):
        def construct(self) -> None:
            shapes = [_leaf(make) for make in leaves]
            self.add(*shapes[: len(shapes) // 2 + 1])
            for name, first, second, place, color in steps:
                one, other = shapes[first % len(shapes)], shapes[second % len(shapes)]
                _edit(self, name, one, other, place, color)

    return Random


def _edit(scene: Scene, name: str, one: VMobject, other: VMobject, place: np.ndarray, color: str) -> None:
    """One play, or one change between plays."""
    plays: dict[str, Callable[[], Any]] = {
        "shift": lambda: one.animate.shift(place / 3),
        "color": lambda: one.animate.set_fill(color, opacity=0.6),
        "scale": lambda: one.animate.scale(1.5),
        "rotate": lambda: one.animate.rotate(0.7),
        "fade_out": lambda: FadeOut(one),
        "create": lambda: Create(one),
        "transform": lambda: Transform(one, other.copy().move_to(place)),
        "lag": lambda: LaggedStart(FadeIn(one, shift=place / 9), other.animate.set_stroke(color), lag_ratio=0.5),
        "chain": lambda: Succession(one.animate.shift(place / 5), FadeIn(Dot(place)), other.animate.set_fill(color)),
        "opacity": lambda: one.animate.set_opacity(0.4),
        "become": lambda: one.animate.become(other.copy().shift(place / 4)),
        "part": lambda: one.family_members_with_points()[-1].animate.shift(place / 5),
    }
    changes: dict[str, Callable[[], Any]] = {
        "add": lambda: scene.add(one),
        "remove": lambda: scene.remove(one),
        "front": lambda: scene.bring_to_front(one),
        "back": lambda: scene.bring_to_back(one),
        "z": lambda: one.set_z_index(int(place[0]) % 4 - 1),
        "gradient": lambda: one.set_fill([color, "#000000"], opacity=0.7),
        "updater": lambda: one.clear_updaters() if one.updaters else one.add_updater(_nudge),
        "wait": lambda: None,
    }
    if name in plays and one.family_members_with_points() and other.family_members_with_points():
        scene.play(plays[name](), run_time=0.4)
    elif name in changes:
        changes[name]()
        scene.wait(0.2)


def _nudge(mobject: VMobject, dt: float) -> None:
    mobject.shift([dt, 0, 0])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(leaves=st.lists(makes, min_size=1, max_size=6), steps=st.lists(edits, min_size=1, max_size=7))
def test_random_scenes_have_the_frames_of_manim(leaves: list[Make], steps: list[Any], tmp_path_factory: Any) -> None:
    folder: Path = tmp_path_factory.getbasetemp()
    size = {"size": (214, 120), "rate": 10}
    theirs = play(_scene(leaves, steps), CairoRenderer, Record, folder, **size).renderer.file_writer.frames
    ours = play(_scene(leaves, steps), FastRenderer, DirtyRecord, folder, **size).renderer.file_writer.frames
    assert ours == theirs, describe(_scene(leaves, steps), folder, **size)
