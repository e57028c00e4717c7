"""Whole commands, as a user types them, and how long each takes: manim's own, ours, and the encoder alone."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from ..encoder import USUAL
from ..qualities import Quality
from ..storyboard import REPO_ROOT, Entry

# manim's own settings with which it is fastest at the same size of file.
TUNED = ["--disable_caching", "--max-inflight-encoders", "4", "--video-codec", "libx264", "--pixel-format", "yuv420p"]
ENCODER = {"preset": "veryfast", "crf": "20"}


@dataclass(frozen=True)
class Task:
    """The scenes to render and how."""

    entries: Sequence[Entry]
    language: str
    quality: Quality


@dataclass(frozen=True)
class Taken:
    """What one command took: seconds by the clock, seconds of the processor (None where others did the work)."""

    seconds: float
    processor: float | None
    frames: int = 0  # that it made, where it tells
    memory: int = 0  # bytes that one of its workers held at most, where it tells


T = TypeVar("T")


def manim(task: Task, *, processes: int, tuned: bool) -> Taken:
    """manim's command line, one scene a command, so many commands at a time."""
    encoder = ENCODER | ({"thread_type": "frame"} if processes == 1 else {"threads": "1"})
    options = [*TUNED, *(part for pair in encoder.items() for part in ("--encoder-option", "=".join(pair)))]
    size = f"{task.quality.width},{task.quality.height}"
    with tempfile.TemporaryDirectory() as folder:

        def one(entry: Entry) -> None:
            file = str(REPO_ROOT / "scenes" / f"{entry.module.replace('.', '/')}.py")
            own = ["--media_dir", f"{folder}/{entry.id}", "-r", size, "--fps", str(task.quality.fps)]
            quiet = ["--progress_bar", "none", "-v", "ERROR"]
            run_quietly(
                ["-m", "manim", "render", *own, *quiet, *(options if tuned else ()), file, entry.class_name], task
            )

        return _timed(lambda: _at_a_time(processes, one, task.entries))


def ours(task: Task, *, jobs: int | None = None, cluster: str | None = None, usual: bool = False) -> Taken:
    """`explain render` from nothing. `usual`: with x264's usual settings, the floor's."""
    with tempfile.TemporaryDirectory() as folder:
        where = ["--cluster", cluster] if cluster else ["--jobs", str(jobs)]
        encoder = USUAL if usual else {}
        taken = _timed(lambda: render(task, Path(folder), where, encoder), shared=cluster is not None)
        clips = [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder).glob("clips/**/*.json")]
        frames, memory = sum(clip["frames"] for clip in clips), max(clip["memory"] for clip in clips)
        return replace(taken, frames=frames, memory=memory)


def render(task: Task, media: Path, options: Sequence[str], environment: Mapping[str, str]) -> None:
    """`explain render` of the task into `media`."""
    scenes = ",".join(entry.id for entry in task.entries)
    what = ["--scenes", scenes, "--quality", task.quality.name, "--language", task.language]
    run_quietly(["-m", "pipeline.cli", "render", "--force", "--media", str(media), *what, *options], task, environment)


def floor(task: Task, settings: str, *, processes: int, usual: bool = False) -> Taken:
    """x264 alone, one thread each, on the very pictures: only the time inside the encoder counts.

    `settings`: "film" for `veryfast` and `crf 20` as they come, "ours" for those that `explain render` has, with
    `usual` those of `ours(usual=True)`.

    The pictures are drawn in between, in the same thread, since those of a film do not fit into memory.
    """

    def one(entry: Entry) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            arguments = [f"floor, {settings}", entry.id, task.quality.name, task.language, folder]
            told = run_quietly(
                ["-W", "ignore", "-m", "pipeline.bench.phases", *arguments], task, USUAL if usual else {}
            )
        run: dict[str, float] = json.loads(told.splitlines()[-1])
        return run

    runs = _at_a_time(processes, one, task.entries)
    frames = int(sum(run["frames"] for run in runs))
    return Taken(sum(run["seconds"] for run in runs) / processes, sum(run["cpu"] for run in runs), frames)


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """A Dask scheduler on this machine with so many workers of one thread; its address."""
    from distributed import LocalCluster  # noqa: PLC0415 (an extra)

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, local_directory=folder, dashboard_address=None
        ) as running,
    ):
        yield str(running.scheduler_address)


def run_quietly(arguments: list[str], task: Task, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Run a Python command in the project; what it printed. SystemExit with its words when it fails."""
    paths = [str(REPO_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "EXPLAINER_LANGUAGE": task.language, **more}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=REPO_ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _at_a_time(count: int, run: Callable[[Entry], T], entries: Sequence[Entry]) -> list[T]:
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, entries))


def _timed(run: Callable[[], object], *, shared: bool = False) -> Taken:
    clock, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    seconds, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(seconds, None if shared else processor)
