"""manimgx, a peer: manim's API on an engine in Rust. It takes Python 3.13, and runs what of the scenes it can."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from shutil import which

from ..storyboard import REPO_ROOT, Entry
from .commands import Task

PYTHON = "python3.13"
PACKAGES = ["manimgx", "numpy", "pyyaml", "pydantic", "manimpango", "manimgx-fonts-cjk"]
# The scenes import manim; here that name stands for the peer.
SCRIPT = """
import importlib, sys
import manimgx
sys.modules["manim"] = manimgx
sys.path.insert(0, sys.argv[1])
try:
    scene = getattr(importlib.import_module("scenes." + sys.argv[2]), sys.argv[3])
    manimgx.config.pixel_width, manimgx.config.pixel_height, manimgx.config.frame_rate = map(int, sys.argv[4:])
    scene().render()
except Exception as error:
    sys.exit(f"{type(error).__name__}: {str(error).split(' (')[0]}")
"""


def manimgx(task: Task) -> str:
    """A sentence: which scenes it runs and how long that takes, or why not. Empty where there is no Python for it."""
    python = which(PYTHON)
    if python is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "venv" / "bin" / "python"
        made = subprocess.run([python, "-m", "venv", str(own.parents[1])], capture_output=True, check=False)
        install = [str(own), "-m", "pip", "install", "-q", "--no-input", *PACKAGES]
        if made.returncode or subprocess.run(install, capture_output=True, check=False).returncode:
            return f"manimgx needs {PYTHON}, which is here, but it could not be installed for it.\n"
        times, reasons = [], []
        for entry in task.entries:
            began = time.perf_counter()
            reason = _run(own, entry, task, Path(folder))
            if reason is None:
                times.append(time.perf_counter() - began)
            else:
                reasons.append(f"{entry.id}: {reason}")
    said = f"manimgx runs {len(times)} of the {len(task.entries)} scenes"
    if times:
        said += f", in {sum(times):.1f} s"
    return said + (f" ({'; '.join(reasons)})" if reasons else "") + ".\n"


def _run(python: Path, entry: Entry, task: Task, folder: Path) -> str | None:
    """Why the scene does not run; None when it does."""
    size = [str(number) for number in (task.quality.width, task.quality.height, task.quality.fps)]
    done = subprocess.run(
        [str(python), "-c", SCRIPT, str(REPO_ROOT), entry.module, entry.class_name, *size],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason given"])[-1]
