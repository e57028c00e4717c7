"""A clip drawn in pieces, by several processes, is the clip drawn at once, to the last byte."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_studio import REPO, Studio, explain_film

from pipeline.jobs import Drawn, SceneFaultError, Sidecar
from pipeline.pieces import assemble, cut
from pipeline.qualities import QUALITIES
from pipeline.storyboard import load_storyboard

FILM = load_storyboard(REPO / "storyboard.yaml")
DRAWN = [entry.id for entry in FILM.scenes if not entry.draft]
weights = st.lists(st.floats(0.1, 100), min_size=1, max_size=12)


@given(weights, st.floats(0.1, 400))
def test_the_pieces_are_the_beats_in_order(parts: list[float], share: float) -> None:
    beats = [(f"b{number}", weight) for number, weight in enumerate(parts)]
    pieces = cut(beats, share)
    assert pieces[0].first_beat is None
    assert pieces[-1].end_beat is None
    for before, after in itertools.pairwise(pieces):
        assert before.end_beat == after.first_beat
    names = [name for name, _ in beats]
    starts = [0, *(names.index(piece.first_beat) for piece in pieces[1:] if piece.first_beat)]
    assert starts == sorted(set(starts)), "every piece has a beat"
    for piece, start, end in zip(pieces, starts, [*starts[1:], len(beats)], strict=True):
        assert piece.weight == pytest.approx(sum(parts[start:end]))
    assert len(pieces) <= max(1, math.ceil(sum(parts) / share))


@given(st.integers(2, 12), st.integers(2, 6))
def test_equal_beats_are_shared_evenly(count: int, pieces: int) -> None:
    found = cut([(str(number), 1.0) for number in range(count)], count / pieces)
    assert len(found) == min(count, pieces)
    assert max(piece.weight for piece in found) - min(piece.weight for piece in found) <= 1 + 1e-9


def test_a_clip_of_about_its_share_stays_whole() -> None:
    assert len(cut([("a", 5.0), ("b", 6.0)], 10.0)) == 1
    assert len(cut([("a", 5.0), ("b", 7.0)], 10.0)) == 2


def _bytes(studio: Studio, *arguments: str) -> dict[str, bytes]:
    done = studio.explain("render", "--force", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(studio.media.rglob("piece.mp4"))
    return {name: path.read_bytes() for name, path in studio.clips().items()}


def test_neither_the_number_of_workers_nor_the_renderer_shows(studio: Studio) -> None:
    """With six workers every scene that can be cut is cut, with one none is; manim's own renderer draws the same."""
    at_once = _bytes(studio, "--jobs", "1")
    assert _bytes(studio, "--jobs", "6") == at_once
    assert _bytes(studio, "--renderer", "manim") == at_once


def test_a_failing_beat_is_told_once_however_many_pieces(studio: Studio) -> None:
    studio.edit("scenes/middle.py", "self.remove(red, blue)", "raise RuntimeError('no red')")
    done = studio.explain("render", "--jobs", "6", "--scenes", "middle")
    assert done.returncode == 1
    assert done.stdout.count('The scene middle (zh) failed in the beat "both"') == 1
    assert done.stdout.count("    RuntimeError: no red") == 1
    assert (studio.media / "logs" / "middle-zh.txt").read_text(encoding="utf-8").count("RuntimeError: no red") >= 1


def test_pieces_that_leave_a_hole_are_refused(tmp_path: Path) -> None:
    about = Sidecar("s", "en", "draft", "f", 15, 0, (), "", 0)
    pieces = [
        (tmp_path / "1/piece.mp4", Drawn(0, 20, (), 1.0, 1)),
        (tmp_path / "2/piece.mp4", Drawn(21, 9, (), 1.0, 1)),
    ]
    with pytest.raises(SceneFaultError, match="begins with frame 21, not 20"):
        assemble(tmp_path / "clip.mp4", pieces, QUALITIES["draft"], [], 0, about)
    assert not list(tmp_path.iterdir())


def _film(media: Path, *arguments: str) -> dict[str, bytes]:
    done = explain_film("render", "--quality", "draft", "--force", *arguments, "--media", str(media))
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in sorted(media.glob("clips/draft/*/*.mp4"))}


def test_a_scene_of_the_film_is_the_same_in_pieces(tmp_path: Path) -> None:
    whole = _film(tmp_path / "whole", "--scenes", DRAWN[2], "--jobs", "1")
    assert _film(tmp_path / "pieces", "--scenes", DRAWN[2], "--jobs", "3") == whole


@pytest.mark.slow
@pytest.mark.parametrize("language", FILM.film.languages)
def test_every_scene_is_the_same_in_pieces(tmp_path: Path, language: str) -> None:
    """One process that draws scene after scene, against a process for about every second beat."""
    whole = _film(tmp_path / "whole", "--language", language, "--jobs", "1")
    every = [entry.id for entry in FILM.drawn]
    assert len(whole) == len(every)
    for name in every:
        apart = _film(tmp_path / name, "--language", language, "--scenes", name, "--jobs", "4")
        assert len(apart) == 1
        assert apart.items() <= whole.items(), name
