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


def piece_half_drawn(studio: Studio) -> bool:
    return any((studio.media / ".work").rglob("piece.mp4"))


def clip_half_written(studio: Studio) -> bool:
    return any((studio.media / "clips").rglob(".*.partial"))


def first_clip_done(studio: Studio) -> bool:
    return any((studio.media / "clips").rglob("*.json"))


def joining(studio: Studio) -> bool:
    return any((studio.media / "film").rglob(".join-*"))


MOMENTS = [work_begun, piece_half_drawn, clip_half_written, first_clip_done, joining]


def stop_at(studio: Studio, moment: Callable[[Studio], bool], sent: signal.Signals) -> subprocess.Popen[str]:
    """Start a render and send a signal at `moment`."""
    process = studio.start("render")
    deadline = time.monotonic() + 60
    while not moment(studio) and process.poll() is None:
        assert time.monotonic() < deadline, "the moment never came"
        time.sleep(0.002)
    assert process.poll() is None, f"the render was over before the moment came: {process.communicate()[0]}"
    process.send_signal(sent)
    return process


def no_one_is_left(studio: Studio) -> None:
    """Within a few seconds no worker is alive: the lock, which each of them holds, is free."""
    with media_lock(studio.media, patience=10):
        assert workers(studio) == []


def finish(studio: Studio, undisturbed: Studio) -> None:
    """The next run is a whole film, the same as that of a run nobody disturbed, and leaves nothing half-done."""
    done = studio.explain("render", "--language", "all")  # as the undisturbed one: a film has the words of all of them
    assert done.returncode == 0, done.stdout + done.stderr
    assert studio.film().read_bytes() == undisturbed.film().read_bytes()
    assert studio.film().with_suffix(".vtt").read_bytes() == undisturbed.film().with_suffix(".vtt").read_bytes()
    for scene, clip in undisturbed.clips().items():
        assert studio.clips()[scene].read_bytes() == clip.read_bytes()
    assert not list(studio.media.rglob("*.partial"))
    assert not list(studio.media.rglob(".join-*"))


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_killed_at(studio: Studio, finished: Studio, moment: Callable[[Studio], bool]) -> None:
    process = stop_at(studio, moment, signal.SIGKILL)
    process.wait(timeout=10)
    no_one_is_left(studio)
    finish(studio, finished)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_stop(studio: Studio, sent: signal.Signals) -> None:
    process = stop_at(studio, piece_half_drawn, sent)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Stopped. What was finished is kept" in said
    assert "Traceback" not in said
    with media_lock(studio.media, patience=0.5):
        assert workers(studio) == []


@pytest.mark.slow
def test_killed_at_random_moments(studio: Studio, finished: Studio) -> None:
    chance = random.Random(20)
    for _ in range(12):
        process = studio.start("render", "--force")
        time.sleep(chance.uniform(0.0, 4.0))
        process.kill()
        process.wait(timeout=10)
        no_one_is_left(studio)
    finish(studio, finished)


def test_a_worker_that_is_killed_costs_its_scene_only(studio: Studio) -> None:
    if not Path("/proc/self/cwd").exists():
        pytest.skip("processes are found through /proc here")
    studio.edit("scenes/ending.py", "circle = Circle", "import time; time.sleep(60)\n        circle = Circle")
    process = studio.start("render")
    deadline = time.monotonic() + 60
    while not (found := workers(studio, "ending-zh")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    [worker] = found
    os.kill(worker, signal.SIGKILL)
    said, _ = process.communicate(timeout=60)
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
