"""`explain preview`: one scene with manim's own command, quick and small."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .files import check_writable
from .problems import UserError, did_you_mean, listed
from .scene_loading import module_file
from .stall import stall_limit
from .stills import known_language
from .storyboard import REPO_ROOT, Storyboard

# What manim makes in its media folder for a video.
MANIM_WRITES = ("videos", "images", "texts")


def preview(
    storyboard: Storyboard, folders: tuple[Path, Path], scene_id: str, *, language: str | None, open_video: bool
) -> int:
    """Run `manim -pql` on the scene. `folders`: where the scenes lie, where manim puts its files.

    Returns manim's exit status, 1 also where the scene draws nothing for too long (stall.py). Raises UserError for an
    unknown scene or language, OSError where manim could not write its files.
    """
    folder, media = folders
    drawn = [entry.id for entry in storyboard.drawn]
    entry = next((entry for entry in storyboard.with_cards(storyboard.scenes) if entry.id == scene_id), None)
    if entry is None or entry.draft:
        what = "is a draft: it is not drawn yet" if entry is not None else "is no scene of the storyboard"
        hint = did_you_mean(scene_id, drawn) if entry is None else ""
        lines = [f'"{scene_id}" {what}.', f"    allowed: {listed(drawn)}", *([f"    next: {hint}"] if hint else [])]
        raise UserError("\n".join(lines))
    spoken = known_language(storyboard, language)
    file = module_file(folder, entry.module)
    if open_video and not _can_open():
        print("There is no program here that opens a video; the file that manim names below is ready to be opened.")
        open_video = False
    # manim would tell it in a traceback of several screens.
    for name in MANIM_WRITES:
        check_writable(media / name)
    stall_limit()  # what is wrong with it is told here, too
    options = ["-pql" if open_video else "-ql", "--media_dir", str(media.resolve())]
    program = [sys.executable, "-m", "pipeline.plain_preview", str(folder), str(file)]
    command = [*program, *options, str(file), entry.class_name]
    environment = os.environ | {
        "EXPLAINER_STORYBOARD": str(storyboard.path.resolve()),
        "EXPLAINER_LANGUAGE": spoken,
        "EXPLAINER_SCENES": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(REPO_ROOT), str(folder), os.environ.get("PYTHONPATH", "")])),
    }
    return subprocess.run(command, env=environment, cwd=REPO_ROOT, check=False).returncode


def _can_open() -> bool:
    """Whether manim's way to open a video would find a program: a server or a container often has none."""
    return not sys.platform.startswith("linux") or shutil.which("xdg-open") is not None


def open_file(path: Path) -> bool:
    """Show `path` with the system's own program for it; False where there is none."""
    if not _can_open():
        return False
    command = ["open"] if sys.platform == "darwin" else ["xdg-open"]
    nowhere = subprocess.DEVNULL
    subprocess.Popen([*command, str(path)], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    return True
