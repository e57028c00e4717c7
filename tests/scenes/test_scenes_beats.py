"""Time: beats as long as their words, every step shown once and in order, whole frames."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import Wait, config

from scenes.stage.beats import Beat
from scenes.stage.scene import BREATH, SHORTEST_BEAT, ExplainerScene, SceneError, Value

rates = st.sampled_from([15.0, 30.0, 60.0])


class Clock(ExplainerScene):
    """The beats of the real base scene over plays that only pass time."""

    def __init__(self, beats: dict[str, tuple[int, ...]], seconds: float) -> None:
        spoken = {name: SimpleNamespace(words={"en": f"{name} {{side}}"}, steps=steps) for name, steps in beats.items()}
        self.entry = SimpleNamespace(id="clock", beats=spoken, seconds=0.0)
        self.storyboard = SimpleNamespace(film=SimpleNamespace(reading_time=lambda _words, _language: seconds))
        self.language = "en"
        self.shown: list[int] = []
        self.chrome = SimpleNamespace(badge=SimpleNamespace(show=self.shown.append))
        self.cues, self.frame_count, self._beat, self._played = [], 0, None, []

    def film_facts(self) -> dict[str, Any]:
        return {}

    @classmethod
    def name_in_storyboard(cls) -> str:
        return "clock.Clock"

    def pass_frames(self, frames: int) -> None:
        self._count_on()
        self.frame_count += frames

    def wait(self, duration: float, **_settings: Any) -> None:
        frames = duration * manim_rate()
        assert abs(frames - round(frames)) < 1e-6, "a wait is a whole number of frames"
        assert round(frames) > 0
        self.pass_frames(round(frames))


def manim_rate() -> float:
    return float(config.frame_rate)


@contextmanager
def frames_a_second(rate: float) -> Iterator[None]:
    """Like manim's tempconfig, which is too slow for hundreds of examples."""
    before = config.frame_rate
    config.frame_rate = rate
    try:
        yield
    finally:
        config.frame_rate = before


@given(rates, st.floats(0.01, 12), st.integers(0, 12), st.lists(st.integers(1, 150), max_size=12))
def test_every_step_is_shown_once_and_in_order(rate, seconds, count, plays):
    steps = tuple(range(40, 40 + count))
    with frames_a_second(rate):
        scene = Clock({"first": steps, "second": (99,)}, seconds)
        fault = ""
        try:
            with scene.beat("first", side=3) as beat:
                for frames in plays:
                    scene.pass_frames(frames)
        except SceneError as error:
            # Too few plays, and no time left to wait: then the author is told.
            fault = str(error)
        if fault:
            assert "before its numbers" in fault
            assert beat.frames - sum(plays) < count
            assert scene.shown == list(steps[: len(scene.shown)])
            return
        with scene.beat("second", side=3):
            pass
    assert scene.shown == [*steps, 99]
    first, second = scene.cues
    least = round(max(SHORTEST_BEAT, seconds + BREATH) * rate)
    assert first.start_frame == 0
    assert first.end_frame == second.start_frame == max(least, sum(plays))
    assert second.end_frame == scene.frame_count
    assert first.words == "first 3"
    assert first.steps == steps


@given(rates, st.integers(1, 12), st.floats(3, 12))
def test_a_still_beat_gives_every_step_the_same_time(rate, count, seconds):
    with frames_a_second(rate):
        scene = Clock({"only": tuple(range(count))}, seconds)
        moments: list[int] = []
        scene.chrome.badge.show = lambda _number: moments.append(scene.frame_count)
        with scene.beat("only", side=1) as beat:
            pass
    spans = np.diff([*moments, beat.frames])
    assert moments[0] == 0
    assert len(spans) == count
    assert spans.max() - spans.min() <= 1


@given(rates, st.integers(1, 2000), st.floats(0, 1))
def test_a_share_is_whole_frames(rate, frames, part):
    beat = Beat("name", "words", (1,), 0, frames, rate)
    shown = beat.share(part) * rate
    assert abs(shown - round(shown)) < 1e-6
    assert 1 <= round(shown) <= max(frames, 1)


@given(rates, st.floats(0.001, 20))
def test_a_play_is_as_many_frames_as_manim_renders(rate, seconds):
    scene = Clock({}, 1)
    with frames_a_second(rate):
        run_time = scene.get_run_time([SimpleNamespace(run_time=seconds / 2), SimpleNamespace(run_time=seconds)])
    # manim renders a frame at every multiple of 1/rate below the run time.
    assert len(np.arange(0, run_time, 1 / rate)) == scene._frames_of_play == max(1, round(seconds * rate))


@given(rates, st.floats(0.001, 20))
def test_a_still_wait_is_as_many_frames_as_manim_repeats(rate, seconds):
    scene = Clock({}, 1)
    scene.should_update_mobjects = lambda: False
    with frames_a_second(rate):
        run_time = scene.get_run_time([Wait(run_time=seconds)])
    assert int(run_time / (1 / rate)) == scene._frames_of_play == max(1, round(seconds * rate))


def test_an_unknown_beat_is_refused_by_name():
    with pytest.raises(SceneError, match=r"clock\.Clock plays the beat 'other'"), Clock({"only": ()}, 1).beat("other"):
        pass


def test_a_beat_left_out_is_told():
    scene = Clock({"only": (), "more": ()}, 1)
    with pytest.raises(SceneError, match="never played the beats only, more"):
        scene.tear_down()


@pytest.mark.parametrize(
    ("value", "spec", "text"), [(-0.25, ".2f", "−0.25"), (3.0, "", "3.00"), (-1e9, ".0e", "−1e+09")]
)
def test_a_value_in_the_words_has_a_true_minus(value, spec, text):
    assert format(Value(value), spec) == text
