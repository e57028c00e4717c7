"""manim's own command line draws a scene from the repo root, without any other command first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_manim_renders_a_scene_by_itself(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EXPLAINER_")}
    small = ["-r", "160,90", "--fps", "5", "--media_dir", str(tmp_path), "--progress_bar", "none"]
    done = subprocess.run(
        [sys.executable, "-m", "manim", "-ql", *small, "scenes/embedding.py", "Embedding"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (clip,) = (tmp_path / "videos").rglob("Embedding.mp4")
    assert clip.stat().st_size > 10_000
