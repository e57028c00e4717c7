"""Beats of a film that speaks: as long as their sound, never about other words than those on the sound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_scenes_beats import Clock, frames_a_second

from scenes.stage.scene import BREATH_AFTER_SPEECH, SHORTEST_BEAT, SceneError


def narrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **beats: tuple[float, str]) -> None:
    table = {"clock": {name: {"seconds": seconds, "words": words} for name, (seconds, words) in beats.items()}}
    path = tmp_path / "narration.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    monkeypatch.setenv("EXPLAINER_NARRATION", str(path))


@pytest.mark.parametrize("rate", [15.0, 30.0, 60.0])
def test_a_beat_lasts_as_long_as_its_sound(tmp_path, monkeypatch, rate):
    narrated(tmp_path, monkeypatch, first=(7.123, "first 3"), second=(1.0, "second 4"))
    with frames_a_second(rate):
        scene = Clock({"first": (), "second": ()}, seconds=99.0)
        for name, side in (("first", 3), ("second", 4)):
            with scene.beat(name, side=side):
                pass
    first, second = scene.cues
    assert first.end_frame - first.start_frame == round((7.123 + BREATH_AFTER_SPEECH) * rate)
    assert second.end_frame - second.start_frame == round(SHORTEST_BEAT * rate)


def test_a_silent_film_takes_its_reading_time(monkeypatch):
    monkeypatch.delenv("EXPLAINER_NARRATION", raising=False)
    with frames_a_second(30.0):
        scene = Clock({"first": ()}, seconds=9.3)
        with scene.beat("first", side=3):
            pass
    assert scene.cues[0].end_frame == 300


@pytest.mark.parametrize(
    ("beats", "words"),
    [({"first": (2.0, "first 4")}, "says “first 4”, not “first 3”"), ({"second": (2.0, "second")}, "has no sound")],
    ids=["other words", "no sound"],
)
def test_the_narration_of_another_film_is_refused(tmp_path, monkeypatch, beats, words):
    narrated(tmp_path, monkeypatch, **beats)
    with frames_a_second(30.0), pytest.raises(SceneError, match=f"{words}.*render again"):  # noqa: SIM117
        with Clock({"first": ()}, seconds=9.3).beat("first", side=3):
            pass
