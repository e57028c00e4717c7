"""Killed at random moments: the main process, a worker, all of them at once. Then the next run makes the film."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable

import pytest
from aftermath import after, finish, nobody_is_left, processes
from report import record
from small_studio import Studio

SEED = 20261130
LONGEST = 5.0  # seconds that an undisturbed render takes, about


def kill_main(_: Studio, render: subprocess.Popen[str]) -> bool:
    render.kill()
    return True


def kill_a_worker(studio: Studio, render: subprocess.Popen[str]) -> bool:
    """Kill one process of the render that is not the main one; False where there is none now."""
    workers = [process for process in processes(studio) if process != render.pid and f"/{process}" != "/"]
    if not workers:
        return False
    try:
        os.kill(random.Random(SEED + len(workers)).choice(workers), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def kill_all(studio: Studio, render: subprocess.Popen[str]) -> bool:
    for process in {render.pid, *processes(studio)}:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return True


def killed_once(
    studio: Studio, kill: Callable[[Studio, subprocess.Popen[str]], bool], moment: float
) -> tuple[bool, int, str]:
    """Render and kill after `moment` seconds: whether there was something to kill, exit status, what was said."""
    render = studio.start("render", "--force", "--jobs", "2")
    deadline = time.monotonic() + moment
    while time.monotonic() < deadline and render.poll() is None:
        time.sleep(0.005)
    hit = render.poll() is None and kill(studio, render)
    while not hit and render.poll() is None:  # a worker was wanted and none was there yet
        time.sleep(0.02)
        hit = kill(studio, render)
    said, _ = render.communicate(timeout=120)
    return hit, render.returncode, said


def kill_many(studio: Studio, undisturbed: Studio, kill: Callable[..., bool], wanted: int, seed: int) -> int:
    """Kill until `wanted` kills have met a render at work; after each the next run must make the film."""
    print(f"seed {seed}")
    chance = random.Random(seed)
    hits = 0
    for attempt in range(3 * wanted):
        moment = chance.uniform(0.0, LONGEST)
        hit, status, said = killed_once(studio, kill, moment)
        where = f"seed {seed}, attempt {attempt}, after {moment:.3f} s: {said}"
        after(studio)
        assert "Traceback" not in said, where
        if hit:
            hits += 1
            killed_main = status == -signal.SIGKILL
            # A worker may have been killed when its work was done; then the film is whole and the status 0.
            assert killed_main or (status == 1 and "ended by SIGKILL" in said) or studio.film().is_file(), where
            assert killed_main or (status == 0) == ("Film: " in said), where
        finish(studio, undisturbed)
        if hits == wanted:
            return hits
    pytest.fail(f"only {hits} kills met a render at work; seed {seed}")


def test_killed_twice(studio: Studio, undisturbed: Studio) -> None:
    for kill, moment in ((kill_main, 2.0), (kill_a_worker, 1.0)):
        killed_once(studio, kill, moment)
        after(studio)
    finish(studio, undisturbed)


@pytest.mark.faults
@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_the_main_process(studio: Studio, undisturbed: Studio, seed: int) -> None:
    hits = kill_many(studio, undisturbed, kill_main, 14, seed)
    record("killed", f"SIGKILL of the main process at random moments (seed {seed})", hits, "finished by the next run")


@pytest.mark.faults
@pytest.mark.parametrize("seed", [SEED + 2, SEED + 3])
def test_a_worker(studio: Studio, undisturbed: Studio, seed: int) -> None:
    hits = kill_many(studio, undisturbed, kill_a_worker, 10, seed)
    result = "its scene reported, the others rendered; finished by the next run"
    record("killed", f"SIGKILL of a worker at random moments (seed {seed})", hits, result)


@pytest.mark.faults
def test_all_processes(studio: Studio, undisturbed: Studio) -> None:
    hits = kill_many(studio, undisturbed, kill_all, 8, SEED + 4)
    what = f"SIGKILL of all processes at once, as at a power cut without a full disk cache (seed {SEED + 4})"
    record("killed", what, hits, "finished by the next run")


@pytest.mark.faults
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda sent: sent.name)
def test_asked_to_stop(studio: Studio, undisturbed: Studio, sent: signal.Signals) -> None:
    chance = random.Random(SEED + sent)
    for _ in range(3):
        render = studio.start("render", "--force")
        time.sleep(chance.uniform(1.0, 3.0))
        render.send_signal(sent)
        said, _ = render.communicate(timeout=60)
        assert render.returncode in {130, 0}, said
        assert "Traceback" not in said
        nobody_is_left(studio)
    after(studio)
    finish(studio, undisturbed)
    record("killed", f"{sent.name} at random moments", 3, "stops at once with status 130; finished by the next run")
