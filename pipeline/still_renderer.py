"""A renderer that runs a scene and draws only the frames that somebody wants to look at.

What it draws is, to the last bit, what manim would have drawn into a film at that place: a play whose frame is wanted
is begun and ended as manim does it, only the frames in between are passed over. Where something other than the
animations may change a picture (an updater, an animation of somebody else's making) every frame is stepped through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from manim import config as manim_config
from manim.renderer.cairo_renderer import CairoRenderer
from manim.utils.exceptions import EndSceneEarlyException

from .jobs import LONGEST_SCENE, SceneFaultError
from .renderer.trust import known_animations
from .stall import alive


@dataclass(frozen=True)
class Wish:
    """Which frames to draw.

    `beats`: of these beats, or of every one (None), the frame at `at`: "start", "middle" (half-way through the time
    that its words take), "end" (its last frame), or "all" frames. `every`: instead, each frame whose number is a
    multiple of it.
    """

    beats: frozenset[str] | None = None
    at: str = "end"
    every: int | None = None

    def wants(self, beat: str) -> bool:
        """Whether a frame of `beat` is wanted for its own sake."""
        return self.every is None and (self.beats is None or beat in self.beats)


@dataclass(frozen=True)
class Still:
    """One frame of a scene: the beat that it belongs to, its number from 0, its pixels (height, width, 4) uint8.

    `note` is what the renderer's `note` said of the scene at that moment.
    """

    beat: str
    frame: int
    pixels: np.ndarray
    note: Any = None


@dataclass
class _Beat:
    """The beat that is being played. `end` is where its words end, None where the stage does not tell."""

    name: str
    start: int
    end: int | None
    last: Still | None = None  # the latest frame that may turn out to be the beat's last


class StillRenderer(CairoRenderer):
    """Runs a scene for `wish`; each frame that is wanted is handed to `on_still` as soon as it is certain.

    `note` is called with the scene when a frame has been drawn. `on_beat_end` is called with the name of each beat that
    is over. The scene ends when nothing more is wanted, unless `to_the_end`.
    """

    def __init__(
        self,
        wish: Wish,
        on_still: Callable[[Still], None],
        on_beat_end: Callable[[str], None] | None = None,
        *,
        note: Callable[[Any], Any] | None = None,
        to_the_end: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.frame = 0  # the frame that comes next
        self.beat: _Beat | None = None
        self._on_still = on_still
        self._on_beat_end = on_beat_end
        self._note = note
        self._to_the_end = to_the_end
        self._left: set[str] | None = None
        self._wanted: frozenset[int] = frozenset()  # offsets into the play that is running
        self.ask(wish)

    def ask(self, wish: Wish) -> None:
        """Wish for something else from the next play on."""
        self.wish = wish
        self._left = None if wish.beats is None or wish.every is not None else set(wish.beats)

    def attach(self, scene: Any) -> None:
        """Learn from `scene` when its beats begin and end. Before `scene.render()`."""
        play_beat = scene.beat

        @contextmanager
        def beat(name: str, **facts: Any) -> Iterator[Any]:
            alive()
            with play_beat(name, **facts) as told:
                frames = getattr(told, "frames", None)
                self.beat = _Beat(name, self.frame, None if frames is None else self.frame + int(frames))
                yield told
            self._end_beat()

        scene.beat = beat
        if not self._to_the_end and self._left is not None:
            scene.tear_down = _nothing  # the beats that it would miss were not asked for

    def _end_beat(self) -> None:
        beat, self.beat = self.beat, None
        assert beat is not None
        if beat.last is not None:
            self._on_still(beat.last)
        if self._on_beat_end is not None:
            self._on_beat_end(beat.name)
        self._strike(beat.name)

    def _strike(self, beat: str) -> None:
        """Nothing more is wanted of `beat`; end the scene when it was the last one."""
        if self._left is None:
            return
        left = len(self._left)
        self._left.discard(beat)
        if left and not self._left and not self._to_the_end:
            raise EndSceneEarlyException

    # -- manim's life of a play -------------------------------------------------------------------------------------
    def play(self, scene: Any, *args: Any, **kwargs: Any) -> None:
        """Run one play, drawing the frames of it that are wanted."""
        alive()
        scene.compile_animation_data(*args, **kwargs)
        rate = float(manim_config.frame_rate)
        still = scene.is_current_animation_frozen_frame()
        count = int(scene.duration / (1 / rate)) if still else len(np.arange(0, scene.duration, 1 / rate))
        if self.frame + count > LONGEST_SCENE * 60 * rate:
            raise SceneFaultError(f"the scene is longer than {LONGEST_SCENE} minutes; does it loop?")
        self._wanted = frozenset(self._offsets(count))
        self.static_image = None
        scene.begin_animations()
        if still:
            self._show_still(scene)
        else:
            self._run(scene)
        self.num_plays += 1
        self.frame += count
        self.time += count / rate

    def _show_still(self, scene: Any) -> None:
        if self._wanted:
            self.save_static_frame_data(scene, scene.static_mobjects)
            self.update_frame(scene, scene.moving_mobjects)
            pixels = self.get_frame()
            for offset in sorted(self._wanted):
                self._take(scene, offset, pixels)

    def _run(self, scene: Any) -> None:
        foreseeable = known_animations(scene) is not None
        # manim runs a play that is skipped in one step to its end.
        self.skip_animations = foreseeable and not self._wanted
        if self._wanted:
            self.save_static_frame_data(scene, scene.static_mobjects)
        with self._few_times(scene) if foreseeable and self._wanted else nullcontext():
            scene.play_internal()

    @contextmanager
    def _few_times(self, scene: Any) -> Iterator[None]:
        """Let the play go through the moments that are wanted alone."""
        wanted = sorted(self._wanted)

        def progression(run_time: float, *_: Any, **__: Any) -> _Times:
            return _Times(np.arange(0, run_time, 1 / float(manim_config.frame_rate))[wanted])

        scene.get_time_progression = progression
        try:
            yield
        finally:
            del scene.get_time_progression

    def render(self, scene: Any, time: float, moving_mobjects: Any = None) -> None:
        """Draw the frame at `time` seconds of the running play if it is wanted."""
        alive()
        offset = round(time * float(manim_config.frame_rate))
        if offset in self._wanted and not self.skip_animations:
            self.update_frame(scene, moving_mobjects)
            self._take(scene, offset, self.get_frame())

    def update_skipping_status(self) -> None:
        """Nothing but the wish decides what is skipped."""

    def _take(self, scene: Any, offset: int, pixels: np.ndarray) -> None:
        beat = self.beat
        note = None if self._note is None else self._note(scene)
        still = Still("" if beat is None else beat.name, self.frame + offset, pixels, note)
        if beat is not None and self.wish.wants(beat.name) and self.wish.at == "end":
            beat.last = still  # another play may follow
        else:
            self._on_still(still)
            if beat is not None and self.wish.at in ("start", "middle"):
                self._strike(beat.name)

    def _offsets(self, count: int) -> Iterator[int]:
        """Which of the `count` frames of the play that begins are wanted."""
        first, wish, beat = self.frame, self.wish, self.beat
        if wish.every is not None:
            yield from range(-first % wish.every, count, wish.every)
        elif beat is not None and count and wish.wants(beat.name):
            if wish.at == "start" and first == beat.start:
                yield 0
            elif wish.at == "middle":
                middle = beat.start if beat.end is None else (beat.start + beat.end) // 2
                if first <= middle < first + count:
                    yield middle - first
            elif wish.at == "all":
                yield from range(count)
            elif wish.at == "end" and (beat.end is None or first + count >= beat.end):
                yield count - 1


class _Times:
    """A few moments of a play, in the place of manim's progress bar over all of them."""

    def __init__(self, times: np.ndarray) -> None:
        self._times = times

    def __iter__(self) -> Iterator[float]:
        return iter(self._times)

    def close(self) -> None:
        """Nothing to close."""


def _nothing() -> None:
    pass
