"""Runs a scene without drawing it and looks at it after every play, and at its light in every frame."""

from __future__ import annotations

import importlib
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from manim import Camera, tempconfig
from manim.renderer.cairo_renderer import CairoRenderer

from pipeline.storyboard import Entry, Storyboard

from .. import theme
from ..beats import Cue
from ..scene import LANGUAGE_VARIABLE, STORYBOARD_VARIABLE, ExplainerScene, SceneError, storyboard_path
from ..words import Origin, Words
from . import continuity, layout, signals, texts, timing
from .findings import Finding, Log
from .look import Look
from .picture import Outlines, Picture, take
from .stillness import StillWatch

RATE = 15  # frames a second: three flashes a second are still seen, and a scene takes about a second


@dataclass
class Inspection:
    """What came of one scene in one language."""

    scene: str
    language: str
    findings: list[Finding]
    cues: list[Cue] = field(default_factory=list)
    frame_count: int = 0
    plays: int = 0
    numbers: dict[Origin, str] = field(default_factory=dict)  # every number that was on screen, as printed
    opening: Look | None = None  # the first frame, without the chrome
    closing: Look | None = None  # the last frame
    last_frame: np.ndarray | None = None  # the picture that it ends on, (height, width, 3) uint8, if it was asked for

    def report(self) -> str:
        """All findings, one a line."""
        return "\n".join(str(finding) for finding in self.findings)


class BlindRenderer(CairoRenderer):
    """Plays every frame and paints none: animations run as in a film, and an observer sees each frame's mobjects."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self._frame = 1 / rate
        self.watch: Any = None
        self._scene: Any = None

    def play(self, scene: Any, *args: Any, **kwargs: Any) -> None:
        """Remember whose frames these are, and play."""
        self._scene = scene
        super().play(scene, *args, **kwargs)

    def update_frame(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is painted."""

    def save_static_frame_data(self, *args: Any) -> None:
        """Nothing is painted, so nothing is kept."""

    def render(self, scene: Any, time: float, moving_mobjects: Any = None) -> None:  # noqa: ARG002
        """One frame of a play."""
        if self.watch is not None:
            self.watch(scene, self.time)
        self.time += self._frame

    def freeze_current_frame(self, duration: float) -> None:
        """A still picture: seen once, at its beginning."""
        if self.watch is not None and self._scene is not None:
            self.watch(self._scene, self.time)
        self.time += int(duration / self._frame) * self._frame  # whole frames, as they are shown


def drawn_scenes(storyboard: Storyboard) -> list[tuple[Entry, type[ExplainerScene]]]:
    """The storyboard's entries that are drawn (not drafts), with their classes."""
    return [
        (entry, getattr(importlib.import_module(f"scenes.{entry.module}"), entry.class_name))
        for entry in storyboard.scenes
        if not entry.draft
    ]


def drawn_cards(storyboard: Storyboard) -> list[tuple[Entry, type[ExplainerScene]]]:
    """The storyboard's cards with their classes."""
    return [
        (entry, getattr(importlib.import_module(f"scenes.{entry.module}"), entry.class_name))
        for entry in storyboard.cards
    ]


def audit_scene(
    scene_class: type[ExplainerScene], storyboard: Path | None = None, language: str | None = None
) -> list[Finding]:
    """Everything in which a scene breaks a law of the picture; see `inspect_scene`."""
    return inspect_scene(scene_class, storyboard, language).findings


def inspect_scene(
    scene_class: type[ExplainerScene],
    storyboard: Path | None = None,
    language: str | None = None,
    last_frame: tuple[int, int] | None = None,
) -> Inspection:
    """Play a scene without drawing it and audit it.

    `storyboard` and `language` default to those that a preview would take. The picture that the scene ends on is drawn
    if its width and height in pixels are given by `last_frame`. Errors in the storyboard are raised;
    a scene that leaves out a beat is a finding.
    """
    path = storyboard or storyboard_path()
    with _environment(path, language), tempfile.TemporaryDirectory() as media, _quiet():
        settings = {
            "pixel_width": 1920,
            "pixel_height": 1080,
            "frame_rate": RATE,
            "media_dir": media,
            "dry_run": True,
            "disable_caching": True,
            "progress_bar": "none",
        }
        with tempconfig(settings):
            inspector = _Inspector(scene_class)
            seen = inspector.run()
            if last_frame is not None:
                seen.last_frame = drawn(inspector.scene, last_frame)
            return seen


class _Inspector:
    """One run of one scene."""

    def __init__(self, scene_class: type[ExplainerScene]) -> None:
        self.renderer = BlindRenderer(RATE)
        self.scene = scene_class(renderer=self.renderer)
        self.outlines = Outlines()
        self.flashes = signals.FlashWatch()
        self.stillness = StillWatch()
        self.badge: list[str | None] = []
        self.numbers: dict[Origin, str] = {}
        self.plays = 0
        self._before: Picture | None = None  # the picture that the play before ended with
        self.log = Log(scene_class.name_in_storyboard(), "")

    def run(self) -> Inspection:
        scene = self.scene
        self._hook()
        try:
            scene.render()
        except SceneError as error:
            self.log.add([timing.Fault("beats", "the beats", "", str(error), "every beat of the storyboard")])
        log, film = self.log, scene.storyboard.film
        log.add(timing.beats(scene.entry, scene.cues, scene.frame_count))
        log.add(timing.reading(film, scene.language, scene.cues, RATE))
        log.add(timing.length(scene.entry, scene.frame_count, RATE))
        log.add(timing.steps(scene.entry, self.badge))
        log.add(self.stillness.end(scene.frame_count / RATE))
        return Inspection(
            log.scene,
            scene.language,
            log.findings,
            scene.cues,
            scene.frame_count,
            self.plays,
            self.numbers,
            self.stillness.first,
            self.stillness.last,
        )

    def _hook(self) -> None:
        """Look at the scene from the end of its set-up on."""
        scene, set_up = self.scene, self.scene.setup

        def setup() -> None:
            set_up()
            self.log.language = scene.language
            scene.after_play.append(self._after_play)
            self.renderer.watch = self._frame

        scene.setup = setup  # type: ignore[method-assign]

    def _frame(self, scene: Any, time: float) -> None:
        """One frame is about to be seen."""
        if self._before is not None:
            now = take(scene, self.outlines)
            badge = None if scene.entry.card else self.outlines.of(scene.chrome.badge.frame).box
            self.log.add(continuity.unbroken(self._before, now, badge), scene.beat_name, self.plays + 1)
            self._before = None
        self.log.add(self.flashes.look(scene, time), scene.beat_name, self.plays + 1)
        self.log.add(self.stillness.look(scene, time), scene.beat_name, self.plays + 1)

    def _after_play(self, scene: ExplainerScene) -> None:
        self.plays += 1
        picture = take(scene, self.outlines)
        self._note(picture)
        for audit in PICTURE_AUDITS:
            self.log.add(audit(picture), self.scene.beat_name, self.plays)
        licence = scene.storyboard.film.licence or ""
        self.log.add(texts.numbers(picture, scene.trace, licence), self.scene.beat_name, self.plays)
        self._frame(scene, self.renderer.time)
        self._before = picture

    def _note(self, picture: Picture) -> None:
        words = [text.mobject for text in picture.texts if isinstance(text.mobject, Words)]
        badge = None if self.scene.entry.card else self.scene.chrome.badge.text
        self.badge.append(badge.string if badge is not None and any(word is badge for word in words) else None)
        self.numbers.update({word.provenance: word.string for word in words if word.provenance is not None})


def drawn(scene: ExplainerScene, size: tuple[int, int]) -> np.ndarray:
    """What is on `scene` now as pixels (height, width, 3); `size` is width and height."""
    camera = Camera(pixel_width=size[0], pixel_height=size[1], background_color=theme.BACKGROUND)
    camera.capture_mobjects([*scene.mobjects, *scene.foreground_mobjects])
    return np.ascontiguousarray(camera.pixel_array[:, :, :3])


PICTURE_AUDITS = (
    texts.glyphs,
    texts.height,
    texts.contrast,
    layout.inside_frame,
    layout.texts_apart,
    layout.texts_and_shapes,
    signals.masked_marks,
)


@contextmanager
def _environment(storyboard: Path, language: str | None) -> Iterator[None]:
    """The variables that tell a scene what to draw, put back afterwards."""
    wanted: Mapping[str, str | None] = {STORYBOARD_VARIABLE: str(storyboard), LANGUAGE_VARIABLE: language}
    before = {name: os.environ.get(name) for name in wanted}
    try:
        _set(wanted)
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _quiet() -> Iterator[None]:
    """manim tells of everything that it does; an audit tells of what is wrong."""
    logger = logging.getLogger("manim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
