"""How long the film is: as a whole, scene by scene and beat by beat, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.storyboard import load_storyboard
from scenes.stage.audit import drawn_scenes
from scenes.stage.audit.run import RATE

BOARD = load_storyboard(Path(__file__).resolve().parents[2] / "storyboard.yaml")
SCENES = [pytest.param(scene, id=entry.id) for entry, scene in drawn_scenes(BOARD)]
SHORTEST_FILM, LONGEST_FILM = 600.0, 960.0  # seconds
SHORTEST_SCENE, LONGEST_SCENE = 25.0, 70.0
FASTEST = {"zh": 5.0, "en": 2.5}  # characters or words a second


@pytest.mark.parametrize("language", BOARD.film.languages)
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_and_its_beats_last_as_long_as_they_should(scene, language, look_at):
    seen = look_at(scene, BOARD.path, language)
    assert SHORTEST_SCENE <= seen.frame_count / RATE <= LONGEST_SCENE
    for cue in seen.cues:
        seconds = (cue.end_frame - cue.start_frame) / RATE
        assert seconds >= BOARD.film.reading_time(cue.words, language) - 1 / RATE, cue.beat


@pytest.mark.parametrize("language", BOARD.film.languages)
def test_the_film_lasts_as_long_as_it_should(language, look_at):
    frames = sum(look_at(param.values[0], BOARD.path, language).frame_count for param in SCENES)
    seconds = frames / RATE + BOARD.film.gap * (len(SCENES) - 1)
    assert SHORTEST_FILM <= seconds <= LONGEST_FILM


def test_nobody_has_to_read_faster_than_the_film_promises():
    assert set(BOARD.film.languages) == set(FASTEST)
    for language, speed in FASTEST.items():
        assert BOARD.film.reading_speed[language] <= speed
