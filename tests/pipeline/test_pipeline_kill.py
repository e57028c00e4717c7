"""Killed at any moment, a render leaves no broken clip under a final name and no process; the next run finishes it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from small_studio import Studio

from pipeline.lock import media_lock
from pipeline.problems import UserError


def workers(studio: Studio, job: str = "") -> list[int]:
    """Processes at work on `job` (or any) in the studio's media, as Linux tells; elsewhere the lock has to say it."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            place = os.readlink(link)
        except OSError:
            continue
        if place.startswith(str(studio.media)) and place.endswith(job):
            found.append(int(link.parent.name))
    return found


def work_begun(studio: Studio) -> bool:
    return any((studio.media / ".work").glob("render-*/*"))


def clip_half_written(studio: Studio) -> bool:
    return any((studio.media / "clips").rglob(".*.partial"))


def first_clip_done(studio: Studio) -> bool:
    return any((studio.media / "clips").rglob("*.json"))


def joining(studio: Studio) -> bool:
    return any((studio.media / "film").rglob(".join-*"))


MOMENTS = [work_begun, clip_half_written, first_clip_done, joining]


def stop_at(studio: Studio, moment: Callable[[Studio], bool], sent: signal.Signals) -> subprocess.Popen[str]:
    """Start a render and send a signal at `moment`."""
    process = studio.start("render")
    deadline = time.monotonic() + 60
    while not (found := workers(studio, "ending-zh")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    [worker] = found
    os.kill(worker, signal.SIGKILL)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "ended by SIGKILL" in said
    assert sorted(studio.clips()) == ["middle", "opening"]
    assert not studio.film().exists()


# --- one render at a time -----------------------------------------------------------------------------------------


def test_the_second_of_two_is_told_who_is_at_work(tmp_path: Path) -> None:
    with media_lock(tmp_path), pytest.raises(UserError, match=rf"process {os.getpid()}"), media_lock(tmp_path, 0.2):
        pass
    with media_lock(tmp_path, 0.2):
        pass


def test_a_second_render_waits_then_gives_up(studio: Studio) -> None:
    with media_lock(studio.media):
        done = studio.explain("render", EXPLAINER_LOCK_PATIENCE="0.3")
    assert done.returncode == 1
    assert "Another render is at work" in done.stderr
    assert "next: wait until it has finished" in done.stderr
    assert studio.clips() == {}


def test_workers_hold_the_lock(studio: Studio) -> None:
    """A killed render stays locked until its last worker is gone, so that two never write side by side."""
    studio.edit("scenes/ending.py", "circle = Circle", "import time; time.sleep(60)\n        circle = Circle")
    process = stop_at(studio, clip_half_written, signal.SIGSTOP)
    frozen = workers(studio)
    for worker in frozen:
        os.kill(worker, signal.SIGSTOP)
    process.kill()
    process.wait(timeout=10)
    try:
        assert frozen
        with pytest.raises(UserError, match="Another render"), media_lock(studio.media, 0.3):
            pass
    finally:
        for worker in frozen:
            os.kill(worker, signal.SIGCONT)
    no_one_is_left(studio)
