"""The least that a scene needs for the pipeline: its storyboard entry, its language, its beats as cues."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from manim import Scene, config

from pipeline.storyboard import fill, load_storyboard
from scenes.stage.narration import spoken_seconds


@dataclass(frozen=True)
class Origin:
    name: str
    places: tuple[tuple[str, tuple[int, ...]], ...]
    setting: str
    how: str


@dataclass(frozen=True)
class Cue:
    beat: str
    start_frame: int
    end_frame: int
    words: str
    steps: tuple[int, ...]
    origins: tuple[Origin, ...] = ()


class SmallScene(Scene):
    def setup(self) -> None:
        storyboard = load_storyboard(os.environ["EXPLAINER_STORYBOARD"])
        self.language = os.environ.get("EXPLAINER_LANGUAGE", storyboard.film.default_language)
        entries = storyboard.with_cards(storyboard.scenes)
        self.entry = next(entry for entry in entries if entry.class_name == type(self).__name__)
        self.cues: list[Cue] = []

    @property
    def frame_count(self) -> int:
        """Frames so far, drawn or not."""
        return round(self.renderer.time * config.frame_rate)

    def seconds(self, frames: int) -> float:
        return frames / config.frame_rate

    def hold(self, frames: int) -> None:
        self.wait(self.seconds(frames) + 1e-6, frozen_frame=True)

    def label(self, name: str) -> str:
        return self.entry.labels[name][self.language]

    def colour(self, words: str) -> str:
        """A colour that depends on the words, so that a frame tells which words were used."""
        return f"#{sum(words.encode()) % 256:02X}8040"

    @contextmanager
    def beat(self, name: str, **values: object) -> Iterator[None]:
        start = self.frame_count
        beat = self.entry.beats[name]
        yield
        words = fill(beat.words[self.language], values)
        spoken = spoken_seconds(self.entry.id, name, words)
        if spoken is not None and (left := math.ceil(spoken * config.frame_rate) - self.frame_count + start) > 0:
            self.hold(left)
        # The one number that is said is 2.0, and the model's width is 4.
        told = tuple(Origin(fact, (), "d_model", "d_model / 2") for fact in values)
        self.cues.append(Cue(name, start, self.frame_count, words, beat.steps, told))
