"""Worker processes: so many at a time, each warm and watched, all gone when this process goes."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, local

from .jobs import ASKED, Drawn, Failure, Job, log_of
from .scene_loading import scene_file
from .stall import stall_limit, stalled
from .storyboard import REPO_ROOT

Result = Drawn | Failure
OnFrames = Callable[[Job, int], None]

# Within so many seconds a worker that hangs writes where it is.
SECONDS_TO_ANSWER = 0.5
LEAST_ROOM = 1 << 16  # bytes; a disk with less is full


class WorkerProcess:
    """One worker: a process that draws one job after the other, started with the first.

    It gets an open pipe to this process and ends when the pipe does, however this process ends. `lock` is a file
    descriptor that it inherits, so that what it locks stays locked until the last worker is gone.
    """

    def __init__(self, lock: int | None = None) -> None:
        self._lock = lock
        self._process: subprocess.Popen[bytes] | None = None
        self._guard = Lock()
        self._stopped = False

    def run(self, job: Job, on_frames: OnFrames) -> Result:
        """Draw one job. A worker that failed is ended; the next job starts a new one."""
        Path(job.work_folder).mkdir(parents=True, exist_ok=True)
        process = self._alive(job)
        if process is None:
            return Failure(job.scene_id, None, "stopped", "")
        beats: list[str] = []
        result = _converse(process, job, on_frames, beats)
        if isinstance(result, Drawn):
            return result
        # What has failed may be in any state; one that gave no result has ended, or is of no use.
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10 if result is None else 1)
        status = self.end()
        if result is None:
            return _failure(job, beats, _ended(status, Path(job.work_folder)), *_last_lines(Path(log_of(job))))
        return result

    def end(self, *, for_good: bool = False) -> int:
        """End the process, whatever it does; its exit status. `for_good`: and let no other begin."""
        with self._guard:
            self._stopped = self._stopped or for_good
            process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            # A worker that died early leaves its job unread in the pipe.
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        return status

    def _alive(self, job: Job) -> subprocess.Popen[bytes] | None:
        with self._guard:
            if self._stopped:
                return None
            if self._process is None:
                with Path(log_of(job)).open("ab") as log:
                    self._process = subprocess.Popen(
                        [sys.executable, "-m", "pipeline.worker"],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=log,
                        cwd=job.work_folder,
                        env=_environment(),
                        pass_fds=() if self._lock is None else (self._lock,),
                        start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the workers
                    )
            return self._process


class LocalWorkers:
    """At most `count` worker processes on this machine, each drawing job after job."""

    def __init__(self, count: int, on_frames: OnFrames, lock: int | None = None) -> None:
        self.count = count
        self._on_frames = on_frames
        self._lock = lock
        self._own = local()
        self._all: list[WorkerProcess] = []
        self._guard = Lock()
        self._stopped = False
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="worker")

    def submit(self, job: Job) -> Future[Result]:
        """Have `job` drawn when its turn comes."""
        return self._pool.submit(self._run, job)

    def stop(self) -> None:
        """End all workers at once; jobs that are not done fail."""
        with self._guard:
            self._stopped = True
            workers = list(self._all)
        for worker in workers:
            worker.end(for_good=True)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job) -> Result:
        worker = getattr(self._own, "worker", None)
        if worker is None:
            with self._guard:
                if self._stopped:
                    return Failure(job.scene_id, None, "stopped", "")
                worker = self._own.worker = WorkerProcess(self._lock)
                self._all.append(worker)
        return worker.run(job, self._on_frames)


@contextmanager
def local_workers(count: int, on_frames: OnFrames, lock: int | None = None) -> Iterator[LocalWorkers]:
    """LocalWorkers that are gone when the block ends."""
    workers = LocalWorkers(count, on_frames, lock)
    try:
        yield workers
    finally:
        workers.stop()


def _environment() -> dict[str, str]:
    """The worker runs in a folder of its own (so that no stray manim.cfg counts), so it must find this package."""
    paths = [str(REPO_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    # Hash order must never decide what a frame looks like.
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}


def _failure(job: Job, beats: Sequence[str], error: str, *details: str) -> Failure:
    """What is known of a worker that cannot say it itself: the beat it had begun, and where its log says it was."""
    file = str(scene_file(Path(job.scenes_folder), job.scene))
    found = re.search(rf'File "{re.escape(file)}", line (\d+)', _text(Path(log_of(job))))
    return Failure(job.scene_id, beats[-1] if beats else None, error, file, int(found[1]) if found else 0, details)


def _converse(process: subprocess.Popen[bytes], job: Job, on_frames: OnFrames, beats: list[str]) -> Result | None:
    """Hand the job over and listen until it is done; None when the worker ended without a result.

    `beats` receives the name of each beat as it begins.
    """
    assert process.stdin is not None
    try:
        process.stdin.write((job.to_line() + "\n").encode())
        process.stdin.flush()
    except (BrokenPipeError, ValueError):  # ValueError: the pipe was closed, since all is being stopped
        return None
    limit = stall_limit()
    for line in _lines(process, limit):
        if line is None:
            process.send_signal(ASKED)
            time.sleep(SECONDS_TO_ANSWER)
            return _failure(job, beats, stalled(limit))
        try:
            event = json.loads(line)
            kind = event.pop("event")
        except (ValueError, KeyError, AttributeError):
            continue  # the last line of a worker that was killed while it wrote
        if kind == "frames":
            on_frames(job, int(event["frames"]))
        elif kind == "beat":
            beats.append(str(event["name"]))
        elif kind == "done":
            return Drawn.from_data(event["drawn"])
        elif kind == "failed":
            return Failure(**{**event, "details": tuple(event["details"])})
    return None


def _lines(process: subprocess.Popen[bytes], limit: float) -> Iterator[bytes | None]:
    """Lines from the worker until it closes its side; None, and the end, when none comes for `limit` seconds."""
    assert process.stdout is not None
    waiting = b""
    while True:
        try:
            descriptor = process.stdout.fileno()
            ready, _, _ = select.select([descriptor], [], [], limit)
            if not ready:
                yield None
                return
            data = os.read(descriptor, 65536)
        except (ValueError, OSError):  # closed from another thread, since all is being stopped
            return
        if not data:
            return
        *lines, waiting = (waiting + data).split(b"\n")
        yield from lines


def _ended(status: int, folder: Path) -> str:
    with suppress(OSError):
        if shutil.disk_usage(folder).free < LEAST_ROOM:
            return f"{os.strerror(errno.ENOSPC)}: the worker ended with status {status}"
    if status >= 0:
        return f"the worker ended with status {status} and without a result"
    name = signal.Signals(-status).name
    reason = "; it may have run out of memory" if -status == signal.SIGKILL else ""
    return f"the worker was ended by {name}{reason}"


def _last_lines(log: Path, count: int = 8) -> list[str]:
    return _text(log).rstrip().splitlines()[-count:]


def _text(log: Path) -> str:
    """What the log says; nothing where it is gone."""
    with suppress(OSError):
        return log.read_text(encoding="utf-8", errors="replace")
    return ""
