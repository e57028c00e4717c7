"""A scene's file, its class, and the settings and environment in which it runs: for all who run scenes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from .storyboard import REPO_ROOT, SCENES_CHECKED, SCENES_FOLDER


def module_file(folder: Path, module: str) -> Path:
    """The file of the module `module` ("embedding") below `folder`."""
    return folder.joinpath(*module.split(".")).with_suffix(".py")


def scene_file(folder: Path, scene: str) -> Path:
    """The file of the class of `scene` ("file.Class") below `folder`."""
    return module_file(folder, scene.rpartition(".")[0])


def load_class(folder: Path, scene: str) -> Any:
    """The class of `scene` ("file.Class"): from the project's own scenes by import, from another folder by file.

    Raises whatever importing the file raises, AttributeError where it has no such class.
    """
    module, _, name = scene.rpartition(".")
    for path in (str(folder), str(REPO_ROOT)):
        if path not in sys.path:
            sys.path.insert(0, path)
    if folder == REPO_ROOT / "scenes":
        return getattr(importlib.import_module(f"scenes.{module}"), name)
    return getattr(_load_file(module_file(folder, module), module), name)


def _load_file(file: Path, name: str) -> Any:
    """The module `name` of `file`, imported if it is not there yet."""
    known = sys.modules.get(name)
    # Another folder may have a scene file of this name, and so may the standard library.
    if known is not None and getattr(known, "__file__", None) == str(file):
        return known
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def camera_of(scene_class: Any) -> dict[str, Any]:
    """The renderer's setting for a scene class that looks through a camera of its own."""
    return {"camera_class": scene_class.camera_class} if hasattr(scene_class, "camera_class") else {}


def manim_settings(width: int, height: int, fps: int, folder: str | Path) -> dict[str, Any]:
    """manim's settings for pictures of `width` by `height` pixels; what manim itself writes goes into `folder`."""
    return {
        "renderer": "cairo",
        "pixel_width": width,
        "pixel_height": height,
        "frame_rate": fps,
        "media_dir": str(folder),
        "disable_caching": True,  # whole clips are kept instead
        "progress_bar": "none",
        "verbosity": "ERROR",
    }


def scene_environment(storyboard: str | Path, language: str, folder: str | Path) -> dict[str, str]:
    """What tells a scene its storyboard, its language, and the folder of the scenes, which were checked before."""
    return {
        "EXPLAINER_STORYBOARD": str(storyboard),
        "EXPLAINER_LANGUAGE": language,
        SCENES_FOLDER: str(folder),
        SCENES_CHECKED: "1",
    }
