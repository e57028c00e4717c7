"""The film's own scenes: every frame is the one that manim's own renderer draws, to the last bit."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from frame_record import expect_equal

from pipeline.cards import card_entries
from pipeline.storyboard import REPO_ROOT, Entry, load_storyboard

STORYBOARD = load_storyboard(REPO_ROOT / "storyboard.yaml")
DRAWN = {entry.id: entry for entry in (*STORYBOARD.scenes, *card_entries(STORYBOARD.film)) if not entry.draft}
# A quick look, small and with few frames a second, at a scene with tables, text and flying numbers.
QUICK = [name for name in ("embedding",) if name in DRAWN]


def _expect_equal(entry: Entry, language: str, folder: Path, patch: pytest.MonkeyPatch, **settings: Any) -> None:
    patch.setenv("EXPLAINER_STORYBOARD", str(REPO_ROOT / "storyboard.yaml"))
    patch.setenv("EXPLAINER_LANGUAGE", language)
    module, _, name = entry.scene.rpartition(".")
    scene = expect_equal(getattr(importlib.import_module(f"scenes.{module}"), name), folder, **settings)
    frames = sum(repeat for _, repeat in scene.renderer.file_writer.frames)
    assert frames == scene.frame_count


@pytest.mark.parametrize("name", QUICK)
def test_scene_has_the_frames_of_manim(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language = STORYBOARD.film.default_language
    _expect_equal(DRAWN[name], language, tmp_path, monkeypatch, size=(284, 160), rate=3)


@pytest.mark.slow
@pytest.mark.parametrize("language", STORYBOARD.film.languages)
@pytest.mark.parametrize("name", DRAWN)
def test_scene_has_the_frames_of_manim_at_draft_quality(
    name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _expect_equal(DRAWN[name], language, tmp_path, monkeypatch, size=(854, 480), rate=15)
