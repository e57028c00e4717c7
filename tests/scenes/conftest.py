"""What the tests of the pictures share: a folder for manim's own files, the small film, one look at each scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import small_film
from hypothesis import settings
from manim import tempconfig

from scenes.stage.audit import Inspection, inspect_scene
from scenes.stage.scene import ExplainerScene

# Pictures are slow to make, and how slow depends on what else the machine does.
settings.register_profile("pictures", deadline=None)
settings.load_profile("pictures")

Look = Callable[..., Inspection]


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
def look_at() -> Look:
    """Inspect a scene of the film; each scene is played once for a storyboard and language in the whole session."""
    return cache(inspect_scene)
