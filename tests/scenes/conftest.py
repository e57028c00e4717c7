"""What the tests of the pictures share: a folder for manim's own files, the small film, one look at each scene."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import last_frames
import other_models
import pytest
import small_film
from hypothesis import settings
from manim import tempconfig
from other_models import MODELS

from engine import trained
from scenes.stage.audit import Inspection, inspect_scene
from scenes.stage.scene import ExplainerScene

# Pictures are slow to make, and how slow depends on what else the machine does.
settings.register_profile("pictures", deadline=None)
settings.load_profile("pictures")

Look = Callable[..., Inspection]
SHORT_TRAINING = 12  # updates


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of one scene go to one process, since each scene is played once a session."""
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        scene = parameters.get("scene")
        if scene is not None:
            item.add_marker(pytest.mark.xdist_group(getattr(scene, "__name__", str(scene))))


@pytest.fixture(scope="session", autouse=True)
def _manim_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """manim writes glyphs and formulas to disk; not into the project."""
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("manim")), "progress_bar": "none"}):
        yield


@pytest.fixture(scope="session")
def small_storyboard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The storyboard of the scenes in `bad_scenes`."""
    return small_film.write(tmp_path_factory.mktemp("small") / "storyboard.yaml")


@pytest.fixture
def look_at_small(small_storyboard: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Inspect a small scene."""
    monkeypatch.setenv("EXPLAINER_SCENES", str(small_film.FOLDER))

    def look(scene: type[ExplainerScene], language: str = "zh") -> Inspection:
        return inspect_scene(scene, small_storyboard, language)

    return look


@pytest.fixture(scope="session")
def other_storyboards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The film's storyboard about each of the other models."""
    folder = tmp_path_factory.mktemp("models")
    return {name: other_models.derived(folder, f"model {i}", model) for i, (name, model) in enumerate(MODELS.items())}


@pytest.fixture(scope="session", autouse=True)
def _short_training() -> Iterator[None]:
    """Other models learn for a moment only: pictures need some trained weights, not good ones."""
    with pytest.MonkeyPatch.context() as patch:
        short = {corpus: replace(recipe, steps=SHORT_TRAINING) for corpus, recipe in trained.RECIPES.items()}
        patch.setattr(trained, "RECIPES", short)
        yield


@pytest.fixture(scope="session")
def look_at(tmp_path_factory: pytest.TempPathFactory) -> Look:
    """Inspect a scene of the film; each scene is played once for a storyboard and language in the whole session.

    What one process has seen the others read from the folder that all of them share.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "seen"
    folder.mkdir(exist_ok=True)

    @cache
    def look(scene: type[ExplainerScene], storyboard: Path, language: str) -> Inspection:
        board = sha256(storyboard.read_bytes()).hexdigest()[:16]
        kept = folder / f"{scene.__name__}-{language}-{board}"
        if kept.exists():
            return pickle.loads(kept.read_bytes())
        seen = inspect_scene(
            scene, storyboard, language, last_frames.SIZE if storyboard == other_models.STORYBOARD else None
        )
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(pickle.dumps(seen))
        fresh.replace(kept)
        return seen

    return look
