"""Drawing on other machines: a real scheduler, two workers with folders of their own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from distributed import Client
from small_studio import REPO, Studio

from pipeline.cluster import ClusterWorkers, Unlike, differing
from pipeline.jobs import Failure, Job
from pipeline.workers import Result

pytestmark = pytest.mark.xdist_group("cluster")  # one scheduler for all


@dataclass
class Cluster:
    """A scheduler and its workers, each in a process group and a folder of its own."""

    folder: Path
    address: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    scheduler: subprocess.Popen[bytes] | None = None

    def start(self, count: int) -> None:
        told = self.folder / "scheduler.json"
        self.scheduler = self._run("scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(told))
        _until(told.is_file)
        with Client(scheduler_file=str(told), timeout=60) as client:
            self.address = client.scheduler.address
        for number in range(count):
            self.hire(f"w{number}")
        self.settle(count)

    def hire(self, name: str, **environment: str) -> None:
        own = self.folder / name
        own.mkdir()
        options = ["--nthreads", "1", "--nworkers", "1", "--name", name, "--local-directory", str(own)]
        self.workers.append(self._run("worker", self.address, *options, cwd=own, **environment))

    def _run(self, *arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "dask", *arguments, "--no-dashboard"],
            cwd=cwd or self.folder,
            env=os.environ | {"PYTHONPATH": str(REPO)} | environment,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log.txt").open("ab"),
            start_new_session=True,
        )

    def two(self, *names: str) -> None:
        """Two workers of these names, as each test finds and leaves them."""
        for name in names:
            self.hire(name)
        self.settle(len(names))

    def settle(self, count: int) -> None:
        """Wait until the scheduler knows of so many workers."""
        with Client(self.address, timeout=60) as client:
            _until(lambda: len(client.scheduler_info()["workers"]) == count)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                self.kill(process)


def _until(condition: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    one = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        one.start(2)
        yield one
    finally:
        one.stop()


def _second_studio(studio: Studio) -> Studio:
    return Studio(Path(shutil.copytree(studio.root, studio.root.with_name("second"))))


def test_a_cluster_draws_the_same_film_though_a_worker_is_killed(studio: Studio, cluster: Cluster) -> None:
    """Both workers have drawn something by then; the one killed is in the middle of a job."""
    here = _second_studio(studio)
    assert here.explain("render").returncode == 0
    render = studio.start("render", "--cluster", cluster.address)
    _until(lambda: any(cluster.folder.glob("w0/**/piece.mp4")) or render.poll() is not None)
    assert render.poll() is None, render.communicate()[0]
    cluster.kill(cluster.workers.pop(0))
    out, _ = render.communicate(timeout=240)
    assert render.returncode == 0, out
    assert f"Drawing with 2 at a time on 2 workers of {cluster.address}" in out
    for scene, clip in here.clips().items():
        assert studio.clips()[scene].read_bytes() == clip.read_bytes()
    assert studio.film().read_bytes() == here.film().read_bytes()
    _until(lambda: not any(cluster.folder.glob("w1/**/piece.mp4")), 10)
    cluster.hire("w2")
    cluster.settle(2)


def test_a_scene_that_fails_there_is_told_as_here(studio: Studio, cluster: Cluster) -> None:
    studio.edit("scenes/ending.py", "self.play(", "raise RuntimeError('too small')\n            self.play(")
    done = studio.explain("render", "--cluster", cluster.address)
    assert done.returncode == 1
    assert 'The scene ending (zh) failed in the beat "last"' in done.stdout
    assert "RuntimeError: too small" in done.stdout
    assert set(studio.clips()) == {"opening", "middle"}


def test_a_worker_with_another_project_is_left_out(studio: Studio, cluster: Cluster, tmp_path: Path) -> None:
    """The third worker has the project in a state of its own; when it is the only one, nothing is drawn."""
    other = tmp_path / "other"
    ignore = shutil.ignore_patterns(".git", ".venv", "media", "__pycache__", ".*_cache", "docs", "tests")
    shutil.copytree(REPO, other, ignore=ignore)
    theme = other / "scenes" / "stage" / "theme.py"
    theme.write_text(theme.read_text(encoding="utf-8") + "\nANOTHER = 1\n", encoding="utf-8")
    studio.edit(
        "scenes/opening.py", "from manim import", "from scenes.stage import theme  # noqa: F401\nfrom manim import"
    )
    cluster.hire("other", PYTHONPATH=str(other))
    cluster.settle(3)
    done = studio.explain("render", "--scenes", "opening", "--cluster", cluster.address)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Left out: the worker tcp://" in done.stdout
    assert "theme is another one there" in done.stdout
    assert "Drawing with 2 at a time on 2 workers" in done.stdout

    while len(cluster.workers) > 1:
        cluster.kill(cluster.workers.pop(0))
    cluster.settle(1)
    done = studio.explain("render", "--force", "--cluster", cluster.address)
    assert done.returncode == 1
    assert "would not draw the same pictures" in done.stderr
    assert "next: bring the project to the same commit" in done.stderr
    cluster.kill(cluster.workers.pop())
    cluster.two("w3", "w4")


def test_without_a_worker_the_next_step_is_told(studio: Studio, cluster: Cluster) -> None:
    while cluster.workers:
        cluster.kill(cluster.workers.pop())
    cluster.settle(0)
    render = studio.start("render", "--cluster", cluster.address)
    assert render.stdout is not None
    assert any("has no workers yet; waiting for the first (Ctrl-C ends it)" in line for line in render.stdout)
    assert f"next: start one with `dask worker {cluster.address}" in render.stdout.readline()
    cluster.two("w5", "w6")
    out, _ = render.communicate(timeout=240)
    assert render.returncode == 0, out


class _Foreign:
    """What a cluster is to us: here one whose workers answer with what they are given, in turn."""

    def __init__(self, answers: dict[str, object], late: dict[str, object]) -> None:
        self.answers, self.late = answers, late
        self.asked: list[str] = []
        self.subscribe_topic = self.unsubscribe_topic = self.shutdown = lambda *_, **__: None

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.answers, 1)

    def get_executor(self, **_: object) -> _Foreign:
        return self

    def submit(self, _draw: object, _parcel: object, workers: Sequence[str] = (), **more: object) -> Future[object]:
        done: Future[object] = Future()
        # The idle worker comes first, unless others are not allowed.
        self.asked.append((list(self.answers) if more.get("allow_other_workers", True) else list(workers))[0])
        answer = self.answers[self.asked[-1]]
        if answer == "leaves":
            del self.answers[self.asked[-1]]  # and the job waits for ever, whoever comes
            self.answers.update(self.late)
        else:
            done.set_result((answer, b""))
        return done


def _asked(answers: dict[str, object], job: Job, **late: object) -> tuple[Result, list[str], list[str]]:
    client, told = _Foreign(answers, late), list[str]()
    scenes = {path.name: path.read_bytes() for path in Path(job.scenes_folder).glob("*.py")}
    workers = ClusterWorkers(client, lambda *_: None, scenes, told.append)
    try:
        return workers.submit(job).result(timeout=10), client.asked, told
    finally:
        workers.stop(at_once=False)


def test_a_worker_that_joins_with_another_project_costs_no_scene(studio: Studio) -> None:
    """It answers that it is not alike; the job goes to another, and is given up only where there is none."""
    job = Job("opening", "opening.Opening", str(studio.scenes), str(studio.storyboard), "zh", "draft", 0, "", "work")
    drawn = Failure("opening", "red", "its own fault", "")
    result, asked, told = _asked({"a": Unlike("a", ["theme is another one there"]), "b": drawn}, job)
    assert result == drawn
    assert asked == ["a", "b"]
    assert told == ["Left out: the worker a would not draw the same pictures: theme is another one there"]
    result, asked, _ = _asked({"a": Unlike("a", ["manim is 1 there, 2 here"])}, job)
    assert isinstance(result, Failure)
    assert "manim is 1 there, 2 here" in result.error
    assert "bring the project to the same commit" in result.error
    assert asked == ["a"]


def test_a_job_that_waits_for_a_worker_that_has_left_is_taken_back(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.cluster.SECONDS_BETWEEN_LOOKS", 0.05)
    job = Job("opening", "opening.Opening", str(studio.scenes), str(studio.storyboard), "zh", "draft", 0, "", "work")
    drawn = Failure("opening", "red", "its own fault", "")
    unlike = Unlike("a", ["theme is another one there"])
    result, asked, _ = _asked({"a": unlike, "b": "leaves"}, job, c=drawn)
    assert (result, asked) == (drawn, ["a", "b", "c"])
    result, asked, _ = _asked({"a": unlike, "b": "leaves"}, job)
    assert isinstance(result, Failure)
    assert "the workers that could draw it are gone" in result.error


def test_no_scheduler_is_one_message(studio: Studio) -> None:
    done = studio.explain("render", "--cluster", "tcp://127.0.0.1:9", EXPLAINER_CLUSTER_PATIENCE="1s")
    assert done.returncode == 1
    assert done.stderr.startswith('There is no Dask scheduler at "tcp://127.0.0.1:9"')
    assert "next: start one with `dask scheduler`" in done.stderr
    assert "Traceback" not in done.stderr


def test_differences_are_told_in_words() -> None:
    here = {"version/manim": "0.22", "source/scenes/a.py": "1", "theme": "1", "font/x.ttc": "1", "version/NumPy": "2"}
    there = {"version/manim": "0.21", "source/scenes/a.py": "2", "theme": "1", "source/scenes/b.py": "1"}
    assert differing(here, here) == []
    assert differing(here, there) == [
        "x.ttc is missing there",
        "scenes/a.py is another one there",
        "scenes/b.py is only there",
        "NumPy is missing there, 2 here",
        "manim is 0.21 there, 0.22 here",
    ]
