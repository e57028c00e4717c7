"""manim's own command line draws a scene from the repo root, without any other command first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipeline.storyboard import StoryboardError
from scenes.stage.board import storyboard_for

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


def broken(folder: Path, **changes: str) -> Path:
    """The film's storyboard with other beats for some scenes: {scene id: the name that its first beat gets}."""
    document = yaml.safe_load((ROOT / "storyboard.yaml").read_text(encoding="utf-8"))
    for entry in document["scenes"]:
        if entry["id"] in changes:
            (_, beat), *rest = entry["beats"].items()
            entry["beats"] = {changes[entry["id"]]: beat, **dict(rest)}
            entry.pop("poster", None)
    path = folder / "storyboard.yaml"
    path.write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def test_a_broken_scene_does_not_hinder_the_others(tmp_path):
    path = broken(tmp_path, embedding="another_name")
    assert storyboard_for("qkv.QueryKeyValue", path).entry("qkv").scene == "qkv.QueryKeyValue"
    with pytest.raises(StoryboardError, match="another_name") as caught:
        storyboard_for("embedding.Embedding", path)
    assert all(problem.item.startswith("scenes.embedding.") for problem in caught.value.problems)


def test_a_scene_file_that_cannot_be_read_hinders_its_own_scenes_alone(tmp_path, monkeypatch):
    scenes = tmp_path / "scenes"
    scenes.mkdir()
    for file in (ROOT / "scenes").glob("*.py"):
        (scenes / file.name).write_bytes(file.read_bytes())
    (scenes / "embedding.py").write_text("class Embedding(:\n", encoding="utf-8")
    monkeypatch.setenv("EXPLAINER_SCENES", str(scenes))
    path = tmp_path / "storyboard.yaml"
    path.write_bytes((ROOT / "storyboard.yaml").read_bytes())
    storyboard_for("qkv.QueryKeyValue", path)
    with pytest.raises(StoryboardError, match=r"embedding\.py"):
        storyboard_for("embedding.Embedding", path)


def test_a_storyboard_that_is_broken_itself_hinders_every_scene(tmp_path):
    path = tmp_path / "storyboard.yaml"
    path.write_text("film: [\n", encoding="utf-8")
    with pytest.raises(StoryboardError):
        storyboard_for("qkv.QueryKeyValue", path)
