"""Draws pieces in a process of its own: `python -m pipeline.worker`, jobs as lines on stdin, events on stdout.

The process imports once and draws one job after the other. It ends by itself when its parent has gone: stdin is held
open by the parent, and its end is watched; and it ends after a job that failed, since nobody knows in what state.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import resource
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from queue import SimpleQueue
from threading import Thread
from typing import Any

from .drawing import BeatWatch, describe, draw, tell, warm_up
from .jobs import ASKED, MEMORY_LIMIT, ORPHANED, Job, log_of

SECONDS_BETWEEN_REPORTS = 0.2


class Events:
    """JSON lines on the real stdout; whatever else prints goes to the job's log, so that no line is ever broken."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._last = 0.0

    def use(self, job: Job) -> None:
        """Let what is printed go to the job's log, and manim look for its settings in the job's folder: none there."""
        log = os.open(log_of(job), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor in (1, 2):
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(log, descriptor)
        os.close(log)
        os.chdir(job.work_folder)

    def send(self, event: str, **data: Any) -> None:
        self._file.write(json.dumps({"event": event, **data}, ensure_ascii=False) + "\n")
        self._file.flush()

    def frames(self, count: int) -> None:
        """Tell how many frames are encoded, not too often."""
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_REPORTS:
            self._last = now
            self.send("frames", frames=count)


def main() -> int:
    """Draw the jobs on stdin; its end ends the process. Exit status 1 after a job that failed."""
    with suppress(ValueError, OSError):  # where the system knows no such limit, or a lower one is set
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    # A crash, and a process that is asked because it hangs, leave in the log where Python was.
    faulthandler.enable()
    faulthandler.register(ASKED)
    jobs: SimpleQueue[Job] = SimpleQueue()
    events = Events()
    Thread(target=_listen, args=(jobs,), daemon=True).start()
    while True:
        job = jobs.get()
        events.use(job)
        with suppress(Exception):  # what is wrong shows again, in its place, when the scene is imported
            warm_up()
        if not _work(job, events):
            return 1
        _give_back_memory()


def _work(job: Job, events: Events) -> bool:
    watch: list[BeatWatch] = []
    try:
        drawn = (
            tell(job, watch, lambda: _follow(watch[0], events))
            if job.said
            else draw(job, watch, lambda: _follow(watch[0], events), events.frames)
        )
    except KeyboardInterrupt:
        return False
    except BaseException as error:
        failure = describe(error, job, watch[0].current if watch else None)
        traceback.print_exc()
        events.send("failed", **asdict(failure))
        return False
    events.send("done", drawn=drawn.to_data())
    return True


def _give_back_memory() -> None:
    """Let go of the last scene, which refers to itself, and give its memory back to the system: a process that draws a
    whole film would else hold several times what a scene takes."""
    gc.collect()
    with suppress(OSError, AttributeError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)


def _follow(watch: BeatWatch, events: Events) -> None:
    """Tell each beat as it begins, so that it is known of a scene that hangs or takes the process with it."""
    watch.on_beat = lambda name: events.send("beat", name=name)


def _listen(jobs: SimpleQueue[Job]) -> None:
    """Take jobs from stdin, read from the descriptor itself; leave at once when the other side has gone."""
    waiting = bytearray()
    while data := os.read(0, 65536):
        waiting += data
        *lines, rest = waiting.split(b"\n")
        waiting = bytearray(rest)
        for line in lines:
            jobs.put(Job.from_line(line.decode("utf-8")))
    os._exit(ORPHANED)


if __name__ == "__main__":
    sys.exit(main())
