"""Every frame of every torture scene is the one that manim's own renderer draws, to the last bit."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import manim.camera.camera
import numpy as np
import PIL.Image
import pytest
from frame_record import DirtyRecord, Record, expect_equal, play
from manim import Scene

from pipeline.renderer import FastRenderer

TORTURE = Path(__file__).parents[1] / "data" / "torture_scenes.py"


def _torture_scenes() -> list[type[Scene]]:
    spec = importlib.util.spec_from_file_location(TORTURE.stem, TORTURE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[TORTURE.stem] = module
    spec.loader.exec_module(module)
    return [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == TORTURE.stem]


SCENES = {one.__name__: one for one in _torture_scenes()}


class _Pillow:
    """PIL.Image as manim 0.22 expects it: newer ones refuse to see an array of doubles as an empty RGBA picture."""

    def __getattr__(self, name: str) -> Any:
        return getattr(PIL.Image, name)

    @staticmethod
    def fromarray(array: np.ndarray, mode: str | None = None) -> PIL.Image.Image:
        if mode == "RGBA" and array.ndim == 2:
            return PIL.Image.new("RGBA", (array.shape[1], array.shape[0]))
        return PIL.Image.fromarray(array, mode)


@pytest.fixture(autouse=True)
def images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manim.camera.camera, "Image", _Pillow())


@pytest.mark.filterwarnings("ignore:'mode' parameter is deprecated")
@pytest.mark.parametrize("name", SCENES)
def test_torture_scene_has_the_frames_of_manim(name: str, tmp_path: Path) -> None:
    scene = expect_equal(SCENES[name], tmp_path)
    assert len(scene.renderer.file_writer.frames) >= 10


@pytest.mark.filterwarnings("ignore:'mode' parameter is deprecated")
@pytest.mark.parametrize("name", ["Depth", "Lines", "Unsupported"])
def test_a_plain_file_writer_gets_whole_frames(name: str, tmp_path: Path) -> None:
    plain = play(SCENES[name], FastRenderer, Record, tmp_path).renderer.file_writer
    rich = play(SCENES[name], FastRenderer, DirtyRecord, tmp_path).renderer.file_writer
    assert plain.frames == rich.frames


def test_little_is_drawn_again(tmp_path: Path) -> None:
    """The point of it all: after the first picture hardly any frame is drawn whole."""
    told = play(SCENES["Words"], FastRenderer, DirtyRecord, tmp_path).renderer.file_writer.told
    assert told[0] is None
    assert sum(one is None for one in told) <= 2


def test_still_output_is_the_last_frame(tmp_path: Path) -> None:
    expect_equal(SCENES["Depth"], tmp_path, format="png")


@pytest.mark.parametrize(
    "plays", [{"from_animation_number": 2}, {"from_animation_number": 1, "upto_animation_number": 3}]
)
def test_a_range_of_plays(plays: dict[str, int], tmp_path: Path) -> None:
    expect_equal(SCENES["Depth"], tmp_path, **plays)
