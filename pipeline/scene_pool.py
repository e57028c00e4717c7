"""The same work on many scenes at once, in processes that have manim imported, with one line of progress a scene."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Generic, TypeVar

from rich.console import Console

from .jobs import SceneFaultError
from .problems import UserError, shown_path
from .progress import duration
from .still_drawing import SceneRun

Result = TypeVar("Result")


@dataclass(frozen=True)
class Fault:
    """Why a scene could not be drawn, told so that its author finds the place."""

    text: str


@dataclass(frozen=True)
class _Task(Generic[Result]):
    work: Callable[..., Result]
    run: SceneRun
    arguments: tuple[Any, ...]

    def __call__(self) -> Result | Fault:
        try:
            return self.work(self.run, *self.arguments)
        except Exception as error:
            return Fault(fault_text(error, self.run))


def fault_text(error: BaseException, run: SceneRun) -> str:
    """`error`, which drawing `run` has raised: file and line of the scene where it shows, what Python says."""
    return str(error) if isinstance(error, UserError) else scene_fault(error, run.file, run.folder)


def scene_fault(error: BaseException, own: Path, folder: Path) -> str:
    """`error`, which the scene of the file `own` below `folder` has raised, as `fault_text` tells it."""
    frames = traceback.extract_tb(error.__traceback__)
    file, line = own, 0
    # The deepest line of the scene's own file, else of the folder that it lies in.
    for path in (frame for frame in frames if Path(frame.filename).is_relative_to(folder)):
        if Path(path.filename) == own or file != own or not line:
            file, line = Path(path.filename), path.lineno or 0
    if isinstance(error, SyntaxError) and error.filename:
        file, line = Path(error.filename), error.lineno or 0
    place = f"{shown_path(file)}:{line}" if line else shown_path(file)
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SceneFaultError):  # it says all there is
        message = str(error)
    return f"{place}: {message}\n    next: correct the scene, then try again"


def run_scenes(
    work: Callable[..., Result],
    items: Sequence[tuple[str, SceneRun, tuple[Any, ...]]],
    jobs: int | None,
    console: Console,
) -> tuple[dict[str, Result], dict[str, Fault]]:
    """`work(run, *arguments)` for each (name, run, arguments), at most `jobs` at a time (None: one a core).

    `work` is a function of a module. Returns the results and the faults by name, in the order of `items`.
    """
    count = min(jobs or os.cpu_count() or 1, max(1, len(items)))
    results: dict[str, Result | Fault] = {}
    began = time.monotonic()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["manim", "pipeline.still_renderer", "scenes.stage.scene"])
    _start_tracker()
    with _pool(count, context) as pool:
        waiting = {pool.submit(_Task(work, run, arguments)): name for name, run, arguments in items}
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                name = waiting.pop(future)
                try:
                    results[name] = future.result()
                except BrokenProcessPool:
                    results[name] = Fault(
                        "the process that drew it was ended\n    next: try again with --jobs 1, which takes less memory"
                    )
                told = "failed" if isinstance(results[name], Fault) else "done"
                clock = duration(time.monotonic() - began)
                console.print(f"{name}: {told} ({len(results)}/{len(items)}, {clock})", highlight=False, markup=False)
    good = {name: results[name] for name, _, _ in items if not isinstance(results[name], Fault)}
    bad = {name: results[name] for name, _, _ in items if isinstance(results[name], Fault)}
    return good, bad  # type: ignore[return-value]


def _start_tracker() -> None:
    """Start the process that watches over semaphores so that a closed terminal does not end it before they are gone.

    It would be started again then, and complain of semaphores that it has never heard of.
    """
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what is ignored stays so in a process that is started
    try:
        resource_tracker.ensure_running()
    finally:
        signal.signal(signal.SIGHUP, before)


@contextmanager
def _pool(count: int, context: Any) -> Iterator[ProcessPoolExecutor]:
    """Processes that are gone when the block ends, at once where it is left by an exception, with all they wrote."""
    with (
        tempfile.TemporaryDirectory(prefix="scenes-", ignore_cleanup_errors=True) as scratch,
        ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(scratch,)) as pool,
    ):
        try:
            yield pool
        except BaseException:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise


def _begin(scratch: str) -> None:
    """Ctrl-C reaches the workers, too; they have nothing to say about it. Their temporary files go into `scratch`."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    tempfile.tempdir = scratch
