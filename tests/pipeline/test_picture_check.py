"""`explain check-pictures`: a text too long for its place is told with its line; pictures that hold are let pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from small_studio import REPO, Studio

from pipeline.picture_check import Finding, _line_of

LABEL = "every training step changes all of E"


def checked(storyboard: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", "check-pictures", "--storyboard", str(storyboard), *arguments],
        capture_output=True, text=True, cwd=REPO, env=os.environ | {"COLUMNS": "200"}, check=False,
    )  # fmt: skip


def test_a_label_too_long_for_its_place_is_told_with_its_line(tmp_path: Path) -> None:
    text = (REPO / "storyboard.yaml").read_text(encoding="utf-8")
    label = next(line for line in text.splitlines() if line.strip().startswith("learned: {") and "every step" in line)
    storyboard = tmp_path / "storyboard.yaml"
    storyboard.write_text(text.replace(label, f"      learned: {{zh: 每一步都修改 E, en: {LABEL}}}"), encoding="utf-8")
    line = text.splitlines().index(label) + 1
    done = checked(storyboard, "--scenes", "embedding", "--language", "en")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"storyboard.yaml:{line}: en/embedding, beat learned_then_frozen: text" in done.stdout
    assert f"overlaps text '{LABEL}'" in done.stdout
    assert "allowed: 0 px" in done.stdout
    assert "next: shorten the text" in done.stdout


def test_pictures_that_hold_are_let_pass() -> None:
    done = checked(REPO / "storyboard.yaml", "--scenes", "title_card", "--language", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("OK: every picture of 1 scene holds\n")


def test_a_scene_of_another_kind_is_told(studio: Studio) -> None:
    done = studio.explain("check-pictures", "--scenes", "opening")
    assert done.returncode == 1
    assert "opening.py: Opening is no ExplainerScene, which alone can be looked at" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_scene_that_hangs_is_stopped(studio: Studio) -> None:
    studio.edit("scenes/opening.py", "class Opening", "while True:\n    pass\n\n\nclass Opening")
    done = studio.explain("check-pictures", "--scenes", "opening", EXPLAINER_STALL_SECONDS="3")
    assert done.returncode == 1
    assert "it drew nothing for 3 seconds and was stopped; does it loop?" in done.stdout


def test_the_line_is_that_of_the_longest_text_from_the_scene_on() -> None:
    lines = ["a: long words", "- id: one", "  b: words", "- id: two", "  c: long words"]
    found = Finding("", "text 'words': overlaps text 'long words'", "0 px")
    assert _line_of(found, lines, 4) == 5
    assert _line_of(found, lines, 1) == 1
    assert _line_of(Finding("", "text '0.4': is too small", "18 px"), lines, 2) == 2
