"""Draws jobs on other machines: the same workers, started by the workers of a Dask scheduler.

What travels: the storyboard, the job, the scenes where they are not the project's own; and the piece comes back over
the scheduler. The project itself must be on every machine in the same state, which is asked before anything is drawn
and again with every job, since workers come and go.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread, local
from typing import Any
from uuid import uuid4

from .files import whole_file
from .jobs import Failure, Job
from .problems import UserError
from .scene_loading import scene_file
from .storyboard import REPO_ROOT
from .workers import OnFrames, Result, WorkerProcess

PATIENCE = "10s"  # for a scheduler to answer
PATIENCE_VARIABLE = "EXPLAINER_CLUSTER_PATIENCE"
# How often a job is given to another worker when the one that had it is gone.
CHANCES = 3
SECONDS_BETWEEN_LOOKS = 3.0  # at which workers are there
WAITING = 60  # seconds after which it is said again that there is no worker
Say = Callable[[str], None]
NEXT_SAME = "bring the project to the same commit on every machine, run `make setup` there, start the workers again"


@dataclass(frozen=True)
class Parcel:
    """All that a worker elsewhere needs for one job."""

    job: Job
    storyboard: bytes
    scenes: Mapping[str, bytes] | None  # files by name, None: the project's own
    expected: Mapping[str, str]
    topic: str


@dataclass(frozen=True)
class Unlike:
    """A worker that would draw other pictures, and why."""

    address: str
    differences: Sequence[str]

    def __str__(self) -> str:
        shown, more = "; ".join(self.differences[:6]), len(self.differences) - 6
        return f"the worker {self.address} would not draw the same pictures: {shown}" + f"; and {more} more" * (
            more > 0
        )


# -- on the worker's side -------------------------------------------------------------------------------------------
_own = local()
_all: list[WorkerProcess] = []
_guard = Lock()


def draw_there(parcel: Parcel) -> tuple[Result | Unlike, bytes]:
    """Draw one job on a worker of the scheduler; what came of it and the bytes of its piece."""
    from distributed import get_worker  # noqa: PLC0415 (an extra)

    worker = get_worker()
    folder = Path(tempfile.mkdtemp(prefix="explain-", dir=worker.local_directory))
    try:
        job = _unpacked(parcel, folder)
        differences = differing(parcel.expected, state_of([scene_file(Path(job.scenes_folder), job.scene)]))
        if differences:
            return Unlike(str(worker.address), differences), b""
        report: OnFrames = lambda _, frames: worker.log_event(parcel.topic, [parcel.job.work_folder, frames])  # noqa: E731
        result = _process().run(job, report)
        return result, b"" if isinstance(result, Failure) else Path(job.piece).read_bytes()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def state_here(scenes: Mapping[str, bytes] | None, files: Iterable[str]) -> dict[str, str]:
    """`state_of` the project where this runs, for the scene files of these names."""
    if scenes is None:
        return state_of([REPO_ROOT / "scenes" / name for name in files])
    with tempfile.TemporaryDirectory() as folder:
        _write(scenes, Path(folder))
        return state_of([Path(folder) / name for name in files])


def state_of(files: Iterable[Path]) -> dict[str, str]:
    """What decides a picture besides the storyboard: versions of packages, digests of sources and fonts, by name."""
    from .fingerprint import sources_of, surroundings, versions  # noqa: PLC0415 (takes a moment)

    state = {f"version/{name}": number for name, number in versions().items()}
    for file in files:
        around = surroundings(sources_of(file))
        state |= {name: digest for name, digest in around.items() if not name.startswith("version/")}
    return state


def end_all() -> None:
    """End what this process draws."""
    with _guard:
        for process in _all:
            process.end()


def _process() -> WorkerProcess:
    """This thread's worker process; it goes when the thread's process goes."""
    process = getattr(_own, "process", None)
    if process is None:
        process = _own.process = WorkerProcess()
        with _guard:
            _all.append(process)
    return process


def _unpacked(parcel: Parcel, folder: Path) -> Job:
    storyboard = folder / "storyboard.yaml"
    storyboard.write_bytes(parcel.storyboard)
    scenes = REPO_ROOT / "scenes"
    if parcel.scenes is not None:
        scenes = folder / "scenes"
        _write(parcel.scenes, scenes)
    return replace(parcel.job, storyboard=str(storyboard), scenes_folder=str(scenes), work_folder=str(folder / "work"))


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


# -- on this side -----------------------------------------------------------------------------------------------------
def differing(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What is not the same in two states, in words."""
    found = []
    for name in sorted(here.keys() | there.keys()):
        mine, its = here.get(name), there.get(name)
        kind, _, what = name.partition("/")
        if mine == its:
            continue
        if kind == "version":
            found.append(f"{what} is {its or 'missing'} there, {mine or 'missing'} here")
        elif its is None:
            found.append(f"{what or kind} is missing there")
        else:
            found.append(f"{what or kind} is another one there" if mine else f"{what or kind} is only there")
    return found


class ClusterWorkers:
    """The workers of a scheduler; those that would draw other pictures are left out."""

    def __init__(self, client: Any, on_frames: OnFrames, scenes: Mapping[str, bytes] | None, say: Say) -> None:
        self._client = client
        self._scenes = scenes
        self._say = say
        self._topic = f"explain-{uuid4().hex}"
        self._jobs: dict[str, Job] = {}
        self._states: dict[str, dict[str, str]] = {}
        self._unlike: dict[str, Unlike] = {}  # by address: workers that are left out
        self._on_frames = on_frames
        self._executor = client.get_executor(pure=False, retries=CHANCES)
        self._bound: dict[Future[Any], frozenset[str]] = {}  # jobs that only these workers may draw
        self._stopped = Event()
        Thread(target=self._watch, name="watch", daemon=True).start()
        self._again = ThreadPoolExecutor(1, thread_name_prefix="again")  # the client's own thread must not wait
        client.subscribe_topic(self._topic, self._hear)

    @property
    def count(self) -> int:
        """How many jobs the workers that are not left out draw at the same time; one at least."""
        return max(1, sum(self.alike().values()))

    def alike(self) -> dict[str, int]:
        """The workers that are not left out, by address, and how many jobs each draws at the same time."""
        return {address: count for address, count in self._client.nthreads().items() if address not in self._unlike}

    def submit(self, job: Job) -> Future[Result]:
        """Have `job` drawn by whichever worker is free; its piece is written here when it is done."""
        self._jobs[job.work_folder] = job
        parcel = Parcel(job, Path(job.storyboard).read_bytes(), self._scenes, self._state(job), self._topic)
        outcome: Future[Result] = Future()
        self._give(parcel, outcome, CHANCES)
        return outcome

    def _give(self, parcel: Parcel, outcome: Future[Result], chances: int) -> None:
        """Give the job to a worker that is not left out, if there is one."""
        alike = list(self.alike()) if self._unlike else []
        # Not as a mere preference: a worker that is left out is idle, and would take the job from one that is busy.
        wanted = {"workers": alike, "allow_other_workers": False} if alike else {}
        done = self._executor.submit(draw_there, parcel, **wanted)
        if alike:
            self._bound[done] = frozenset(alike)
        done.add_done_callback(lambda done: self._over(parcel, outcome, chances, done))

    def _over(self, parcel: Parcel, outcome: Future[Result], chances: int, done: Future[Any]) -> None:
        self._bound.pop(done, None)
        try:
            refusal = None if done.cancelled() or done.exception() else done.result()[0]
            lost = done.cancelled() and not self._stopped.is_set()
            if (lost or isinstance(refusal, Unlike)) and not outcome.cancelled():
                why = refusal if isinstance(refusal, Unlike) else None
                self._again.submit(self._refused, why, parcel, outcome, chances - 1)
            elif outcome.set_running_or_notify_cancel():
                outcome.set_result(_kept(parcel.job, done))
        except BaseException as error:
            outcome.set_exception(error)

    def _refused(self, refusal: Unlike | None, parcel: Parcel, outcome: Future[Result], chances: int) -> None:
        """Leave that worker out (None: the workers for it are gone), and give the job to another."""
        try:
            if refusal is not None:
                self._leave_out(refusal)
            if chances and self.alike():
                self._give(parcel, outcome, chances)
            elif outcome.set_running_or_notify_cancel():
                why = refusal or "the workers that could draw it are gone"
                outcome.set_result(Failure(parcel.job.scene_id, None, f"{why}. {NEXT_SAME}", ""))
        except BaseException as error:
            outcome.set_exception(error)

    def _watch(self) -> None:
        """Take back jobs that wait for workers which are gone: the scheduler would keep them for ever."""
        while not self._stopped.wait(SECONDS_BETWEEN_LOOKS):
            with suppress(Exception):  # a scheduler that is gone is told by the jobs themselves
                there = set(self._client.nthreads())
                for done, workers in list(self._bound.items()):
                    if not workers & there:
                        done.cancel()

    def _leave_out(self, refusal: Unlike) -> None:
        if refusal.address not in self._unlike:
            self._unlike[refusal.address] = refusal
            self._say(f"Left out: {refusal}")

    def check(self, files: Iterable[str]) -> None:
        """Leave out the workers that have another state of the project; UserError when none is left."""
        names = list(files)
        here = state_here(self._scenes, names)
        try:
            states: dict[str, Any] = self._client.run(state_here, self._scenes, names, on_error="return")
        except Exception as error:  # what a foreign worker throws cannot be foreseen
            raise UserError(f"The cluster's workers do not answer: {error}\n    next: {NEXT_SAME}") from None
        unlike = []
        for address, state in states.items():
            if isinstance(state, BaseException):
                unlike.append(Unlike(address, [f"it does not have the project ({state})"]))
            elif differences := differing(here, state):
                unlike.append(Unlike(address, differences))
        if len(unlike) == len(states):
            raise UserError("\n".join([*(f"Left out: {one}" for one in unlike), f"    next: {NEXT_SAME}"]))
        for one in unlike:
            self._leave_out(one)

    def stop(self, *, at_once: bool) -> None:
        """Leave the workers to others. `at_once`: end what they are drawing, too."""
        with suppress(Exception):  # whatever is wrong with the cluster, we are leaving it
            self._client.unsubscribe_topic(self._topic)
            self._stopped.set()
            self._again.shutdown(wait=False, cancel_futures=True)
            self._executor.shutdown(wait=False)
            if at_once:
                self._client.run(end_all)

    def _state(self, job: Job) -> dict[str, str]:
        folder = Path(job.scenes_folder)
        name = scene_file(folder, job.scene).relative_to(folder).as_posix()
        if name not in self._states:
            self._states[name] = state_here(self._scenes, [name])
        return self._states[name]

    def _hear(self, event: tuple[float, Any]) -> None:
        folder, frames = event[1]
        if folder in self._jobs:
            self._on_frames(self._jobs[folder], int(frames))


def _kept(job: Job, done: Future[tuple[Result, bytes]]) -> Result:
    if done.cancelled():
        return Failure(job.scene_id, None, "stopped", "")
    error = done.exception()
    if error is not None:
        return Failure(job.scene_id, None, f"the cluster gave up on it: {type(error).__name__}: {error}", "")
    result, piece = done.result()
    if not isinstance(result, Failure):
        with whole_file(Path(job.piece)) as temporary:
            temporary.write_bytes(piece)
    return result


def hiring(address: str, scenes_folder: Path, files: Iterable[str], say: Say) -> Any:
    """How to hire the workers of the scheduler at `address`: see `rendering.Hiring`. `files`: scene files needed."""

    @contextmanager
    def hire(_count: int, on_frames: OnFrames) -> Iterator[ClusterWorkers]:
        client = _connected(address)
        try:
            own = scenes_folder.resolve() == REPO_ROOT / "scenes"
            workers = ClusterWorkers(client, on_frames, None if own else _sources(scenes_folder), say)
            _wait_for_one(client, address, say)
            workers.check(files)
            there = len(workers.alike())
            say(f"Drawing with {workers.count} at a time on {there} worker{'s' * (there > 1)} of {address}")
            try:
                yield workers
            except BaseException:
                workers.stop(at_once=True)
                raise
            workers.stop(at_once=False)
        finally:
            client.close()

    return hire


def _wait_for_one(client: Any, address: str, say: Say) -> None:
    """Wait for the first worker as long as it takes (a queue may hold it back for hours), and say so every minute."""
    began = time.monotonic()
    while not client.nthreads():
        minutes = round((time.monotonic() - began) / 60)
        so_far = f", for {minutes} min so far" if minutes else ""
        say(f"The scheduler at {address} has no workers yet; waiting for the first{so_far} (Ctrl-C ends it)")
        if not minutes:
            say(f"    next: start one with `dask worker {address} --nthreads 1` where the project is")
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=WAITING)


def _sources(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def _connected(address: str) -> Any:
    try:
        from distributed import Client  # noqa: PLC0415 (an extra)
    except ImportError:
        raise UserError(
            "--cluster needs the package dask.distributed, which is not installed.\n"
            "    next: .venv/bin/pip install -e '.[cluster]'"
        ) from None
    try:
        return Client(address, timeout=os.environ.get(PATIENCE_VARIABLE) or PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f'There is no Dask scheduler at "{address}": {reason}\n'
            "    allowed: an address as in tcp://192.0.2.7:8786\n"
            "    next: start one with `dask scheduler` and give the address that it prints"
        ) from None
