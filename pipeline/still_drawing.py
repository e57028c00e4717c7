"""Draws stills of one scene in the process that calls it: the scene's class is imported and run here."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .qualities import Quality
from .storyboard import REPO_ROOT, SCENES_CHECKED, SCENES_FOLDER


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
        return self.folder.joinpath(*self.scene.split(".")[:-1]).with_suffix(".py")


def scene_class(run: SceneRun) -> Any:
    """The class of the scene: from the project's own scenes by import, from another folder by file."""
    module_name, _, class_name = run.scene.rpartition(".")
    for path in (str(run.folder), str(REPO_ROOT)):
        if path not in sys.path:
            sys.path.insert(0, path)
    return getattr(load_module(run, module_name), class_name)


def load_module(run: SceneRun, module_name: str) -> Any:
    """The module of the scene, imported if it is not there yet."""
    if run.folder == REPO_ROOT / "scenes":
        return importlib.import_module(f"scenes.{module_name}")
    known = sys.modules.get(module_name)
    if known is not None and known.__file__ == str(run.file):  # another folder may have a scene file of this name
        return known
    spec = importlib.util.spec_from_file_location(module_name, run.file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{run.file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(module_name, None)
        raise
    return module


@contextmanager
def drawing(run: SceneRun) -> Iterator[None]:
    """manim's settings and the environment in which scenes of `run` are drawn; both are put back afterwards."""
    from manim import tempconfig  # noqa: PLC0415 (it takes a second, and only who draws needs it)
    from manim.mobject.svg.svg_mobject import SVG_HASH_TO_MOB_MAP  # noqa: PLC0415

    # What manim reads a second time has other stroke widths than the first time: each run begins with nothing read.
    SVG_HASH_TO_MOB_MAP.clear()
    variables = {
        "EXPLAINER_STORYBOARD": str(run.storyboard),
        "EXPLAINER_LANGUAGE": run.language,
        SCENES_FOLDER: str(run.folder),
        SCENES_CHECKED: "1",
    }
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        with tempfile.TemporaryDirectory(prefix="still-") as folder:
            settings = {
                "renderer": "cairo",
                "pixel_width": run.quality.width,
                "pixel_height": run.quality.height,
                "frame_rate": run.quality.fps,
                "media_dir": folder,
                "dry_run": True,
                "disable_caching": True,
                "progress_bar": "none",
                "verbosity": "ERROR",
            }
            with tempconfig(settings):
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
        cls = scene_class(run)
        renderer = StillRenderer(wish, lambda still: on_still(scene, still), note=note, **camera_of(cls))
        scene = cls(renderer=renderer)
        renderer.attach(scene)
        scene.render()
        return scene


def camera_of(cls: Any) -> dict[str, Any]:
    """The renderer's setting for a scene class that looks through a camera of its own."""
    return {"camera_class": cls.camera_class} if hasattr(cls, "camera_class") else {}
