"""Several at once: renders side by side, edits and `make clean` during a render; and one film from any workers."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aftermath import after, finish, frame_digests, nobody_is_left
from report import record
from small_studio import DATA, REPO, Studio

SEED = 4711


@pytest.mark.faults
def test_two_renders_at_once(studio: Studio, undisturbed: Studio) -> None:
    chance = random.Random(SEED)
    for _ in range(4):
        first = studio.start("render", "--force")
        time.sleep(chance.uniform(0.0, 1.0))
        second = studio.start("render")
        said = [process.communicate(timeout=120)[0] for process in (first, second)]
        assert not any("Traceback" in text for text in said), said
        for process, text in zip((first, second), said, strict=True):
            assert process.returncode == 0 or "Another render is at work" in text, text
        assert 0 in {first.returncode, second.returncode}
        assert frame_digests(studio.film()) == frame_digests(undisturbed.film())
    after(studio)
    finish(studio, undisturbed)
    record("together", f"two renders into the same folder (seed {SEED})", 4, "the second waits, or says who is at work")


@pytest.mark.faults
def test_a_storyboard_changed_during_the_render(studio: Studio, undisturbed: Studio) -> None:
    """What is rendered is the storyboard as it was read, or the change is told; never a mixture."""
    chance = random.Random(SEED)
    sound = studio.storyboard.read_text(encoding="utf-8")
    changes = [sound.replace("红色来了", "红色来到了"), "film: [", "", sound.replace("Square}", "Box}")] * 2
    for change in changes:
        render = studio.start("render", "--force")
        time.sleep(chance.uniform(0.0, 3.0))
        partial = studio.storyboard.with_suffix(".new")
        partial.write_text(change, encoding="utf-8")
        partial.replace(studio.storyboard)
        said, _ = render.communicate(timeout=120)
        assert "Traceback" not in said, said
        assert render.returncode == 0 or "next: " in said, said
        after(studio)
        studio.storyboard.write_text(sound, encoding="utf-8")
        finish(studio, undisturbed)
    what = f"the storyboard changed, broken or emptied during the render (seed {SEED})"
    record("together", what, len(changes), "the film of the storyboard that was read")


@pytest.mark.faults
def test_make_clean_during_the_render(studio: Studio, undisturbed: Studio) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    shutil.copyfile(REPO / "Makefile", studio.root / "Makefile")
    chance = random.Random(SEED)
    for _ in range(6):
        render = studio.start("render", "--force")
        time.sleep(chance.uniform(0.5, 4.0))
        cleaned = subprocess.run(
            ["make", "clean", f"PY={sys.executable}"], cwd=studio.root, capture_output=True, text=True, check=False
        )
        said, _ = render.communicate(timeout=120)
        assert "Traceback" not in said, said
        assert (cleaned.returncode, render.returncode) != (0, 0) or "rendered in" in said
        if cleaned.returncode:
            assert "A render is at work" in cleaned.stderr
            assert render.returncode == 0, said
        nobody_is_left(studio)
        finish(studio, undisturbed)
    record("together", f"`make clean` during the render (seed {SEED})", 6, "refused while a render is at work")


@pytest.mark.faults
def test_a_folder_removed_during_the_render(studio: Studio, undisturbed: Studio) -> None:
    chance = random.Random(SEED)
    for place in ("clips", ".work", "film", "") * 2:
        render = studio.start("render", "--force")
        time.sleep(chance.uniform(0.5, 4.0))
        shutil.rmtree(studio.media / place, ignore_errors=True)
        said, _ = render.communicate(timeout=120)
        assert "Traceback (most recent call last)" not in said.split("failed", maxsplit=1)[0], said
        assert render.returncode in {0, 1}, said
        assert render.returncode == 0 or "next: " in said, said
        after(studio)
        finish(studio, undisturbed)
    what = f"a folder of the output, or all of it, removed during the render (seed {SEED})"
    record("together", what, 8, "says so where it is missed; finished by the next run")


@pytest.mark.faults
def test_the_same_frames_from_any_workers(studio: Studio, undisturbed: Studio) -> None:
    expected = frame_digests(undisturbed.film())
    runs = [("--jobs", "1"), ("--jobs", "1"), ("--jobs", "2"), ("--jobs", "4")]
    for run in runs:
        done = studio.explain("render", "--force", *run)
        assert done.returncode == 0, done.stdout + done.stderr
        assert frame_digests(studio.film()) == expected
    record("reproducible", "rendered with 1, 1, 2 and 4 workers", len(runs), "the same film")


def test_the_same_frames_in_another_folder_with_one_worker(undisturbed: Studio, tmp_path: Path) -> None:
    elsewhere = Studio(tmp_path / "somewhere else")
    shutil.copytree(DATA / "studio", elsewhere.root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    done = elsewhere.explain("render", "--jobs", "1", TZ="Asia/Shanghai", LC_ALL="C", HOME=os.fspath(elsewhere.root))
    assert done.returncode == 0, done.stdout + done.stderr
    assert frame_digests(elsewhere.film()) == frame_digests(undisturbed.film())
    what = "in a folder with a space in its name, another time zone, locale and home, with one worker"
    record("reproducible", what, 1, "the same film")
