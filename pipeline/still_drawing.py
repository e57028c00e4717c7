"""Draws stills of one scene in the process that calls it: the scene's class is imported and run here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .qualities import Quality
from .scene_loading import camera_of, load_class, manim_settings, scene_environment, scene_file
from .stall import stall_limited


@dataclass(frozen=True)
class SceneRun:
    """One scene in one language and quality. `scene` is "file.Class" below `folder`; paths are absolute."""

    scene: str
    folder: Path
    storyboard: Path
    language: str
    quality: Quality

    @property
    def file(self) -> Path:
        """The file of the scene's class."""
        return scene_file(self.folder, self.scene)


@contextmanager
def drawing(run: SceneRun) -> Iterator[None]:
    """manim's settings and the environment in which scenes of `run` are drawn; both are put back afterwards.

    Raises SceneFaultError when the scene draws nothing for too long (stall.py).
    """
    from manim import tempconfig  # noqa: PLC0415 (it takes a second, and only who draws needs it)
    from manim.mobject.svg.svg_mobject import SVG_HASH_TO_MOB_MAP  # noqa: PLC0415

    # What manim reads a second time has other stroke widths than the first time: each run begins with nothing read.
    SVG_HASH_TO_MOB_MAP.clear()
    variables = scene_environment(run.storyboard, run.language, run.folder)
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        with tempfile.TemporaryDirectory(prefix="still-") as folder:
            settings = manim_settings(run.quality.width, run.quality.height, run.quality.fps, folder)
            with tempconfig({**settings, "dry_run": True}), stall_limited(run.folder):
                yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def draw_stills(run: SceneRun, wish: Any, on_still: Callable[[Any, Any], None], note: Any = None) -> Any:
    """Run the scene and draw what `wish` (a Wish) asks for; `on_still(scene, still)` gets each frame.

    `note(scene)` may tell something of the scene at the moment of each frame; see `Still.note`.
    Returns the scene after its run. Raises whatever the scene raises.
    """
    from .still_renderer import StillRenderer  # noqa: PLC0415

    with drawing(run):
        cls = load_class(run.folder, run.scene)
        renderer = StillRenderer(wish, lambda still: on_still(scene, still), note=note, **camera_of(cls))
        scene = cls(renderer=renderer)
        renderer.attach(scene)
        scene.render()
        return scene
