"""Runs render workers: so many at a time, each watched, all gone when this process goes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from threading import Lock

from .jobs import Failure, Job, Sidecar
from .storyboard import REPO_ROOT

Result = Sidecar | Failure
OnFrames = Callable[[Job, int], None]
OnResult = Callable[[Job, Result], None]


class Workers:
    """A pool of at most `count` worker processes.

    Each worker gets an open pipe to this process and ends when the pipe does, however this process ends. `lock` is a
    file descriptor that the workers inherit, so that what it locks stays locked until the last of them is gone.
    """

    def __init__(self, count: int, lock: int | None = None) -> None:
        self._count = count
        self._lock = lock
        self._running: set[subprocess.Popen[bytes]] = set()
        self._guard = Lock()
        self._stopped = False

    def run(self, jobs: Iterable[Job], on_frames: OnFrames, on_result: OnResult) -> None:
        """Run `jobs` in the order given. `on_result` is called on this thread; a failed job does not end the others."""
        with ThreadPoolExecutor(self._count, thread_name_prefix="worker") as pool:
            waiting: dict[Future[Result], Job] = {pool.submit(self._run, job, on_frames): job for job in jobs}
            try:
                while waiting:
                    done, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in done:
                        on_result(waiting.pop(future), future.result())
            except BaseException:
                self._stop(pool)
                raise

    def _stop(self, pool: ThreadPoolExecutor) -> None:
        with self._guard:
            self._stopped = True
            for process in self._running:
                process.kill()
        pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, on_frames: OnFrames) -> Result:
        work = Path(job.work_folder)
        work.mkdir(parents=True, exist_ok=True)
        log = work / "log.txt"
        with log.open("wb") as stderr:
            with self._guard:
                if self._stopped:
                    return Failure(job.scene_id, None, "stopped", "")
                process = subprocess.Popen(
                    [sys.executable, "-m", "pipeline.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    cwd=work,
                    env=_environment(),
                    pass_fds=() if self._lock is None else (self._lock,),
                    start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the workers
                )
                self._running.add(process)
            try:
                result = _converse(process, job, on_frames)
                status = process.wait()
            finally:
                process.kill()
                process.wait()
                with self._guard:
                    self._running.discard(process)
                for pipe in (process.stdin, process.stdout):
                    # A worker that died early leaves its job unread in the pipe.
                    with suppress(BrokenPipeError):
                        if pipe is not None:
                            pipe.close()
        if result is None:
            return Failure(job.scene_id, None, _ended(status), "", details=tuple(_last_lines(log)))
        return result


def _environment() -> dict[str, str]:
    """The worker runs in a folder of its own (so that no stray manim.cfg counts), so it must find this package."""
    paths = [str(REPO_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    # Hash order must never decide what a frame looks like.
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}


def _converse(process: subprocess.Popen[bytes], job: Job, on_frames: OnFrames) -> Result | None:
    """Hand the job over and listen until the worker closes its side; its result, None where it gave none."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write((job.to_line() + "\n").encode())
        process.stdin.flush()
    except BrokenPipeError:
        return None
    result: Result | None = None
    for line in process.stdout:
        try:
            event = json.loads(line)
            kind = event.pop("event")
        except (ValueError, KeyError, AttributeError):
            continue  # the last line of a worker that was killed while it wrote
        if kind == "frames":
            on_frames(job, int(event["frames"]))
        elif kind == "done":
            result = Sidecar.from_data(event["sidecar"])
        elif kind == "failed":
            result = Failure(**{**event, "details": tuple(event["details"])})
    return result


def _ended(status: int) -> str:
    if status >= 0:
        return f"the worker ended with status {status} and without a result"
    name = signal.Signals(-status).name
    reason = "; it may have run out of memory" if -status == signal.SIGKILL else ""
    return f"the worker was ended by {name}{reason}"


def _last_lines(log: Path, count: int = 8) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()[-count:]
