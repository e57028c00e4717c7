"""Scenes that hang, folders that cannot be written, commands that are told to end: for all that is no render."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_studio import REPO, Studio
from test_watch import Session

from pipeline.jobs import SceneFaultError
from pipeline.qualities import Quality
from pipeline.stall import SECONDS_BETWEEN, STALL_VARIABLE, alive, finished, stall_limited
from pipeline.still_drawing import SceneRun
from pipeline.stills import UserError, one_still

LOOP = "while True: pass"
PLACES = {
    "in construct": ("        square = Square", f"        {LOOP}\n        square = Square", 10),
    "at module level": ("class Opening", f"{LOOP}\n\n\nclass Opening", 7),
    "in a handler of its own": (
        "        square = Square",
        "        while True:\n            try: import time; time.sleep(9)\n            except Exception: pass\n"
        "        square = Square",
        11,
    ),
}


def told(line: int, seconds: int) -> str:
    return (
        rf"opening\.py:{line}: it drew nothing for {seconds} seconds and was stopped; does it loop\? "
        rf"\({STALL_VARIABLE} sets the limit\)"
    )


@pytest.mark.parametrize("where", PLACES)
def test_a_still_of_a_scene_that_loops_is_stopped(
    studio: Studio, where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(STALL_VARIABLE, "1")
    old, new, line = PLACES[where]
    studio.edit("scenes/opening.py", old, new)
    before = signal.getsignal(signal.SIGALRM)
    run = SceneRun("opening.Opening", studio.scenes, studio.storyboard, "zh", Quality("small", 284, 160, 3))
    with pytest.raises(UserError, match=told(line, 1) + r"\n    next: correct the scene"):
        one_still(run, "first")
    # No timer is left that would interrupt somebody else.
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before
    assert capsys.readouterr().err == ""


def test_a_scene_that_goes_on_for_ever_is_stopped(studio: Studio) -> None:
    studio.edit("scenes/opening.py", "self.hold(8)", "while True: self.hold(9999)")
    run = SceneRun("opening.Opening", studio.scenes, studio.storyboard, "zh", Quality("small", 284, 160, 3))
    with pytest.raises(UserError, match=r"opening\.py:13: the scene is longer than 30 minutes; does it loop\?\n"):
        one_still(run, "second")


def test_who_gets_on_is_not_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(STALL_VARIABLE, "0.5")
    with stall_limited(tmp_path):
        for _ in range(4):
            time.sleep(0.25)
            alive()
        finished()
        time.sleep(0.7)
    with pytest.raises(SceneFaultError), stall_limited(tmp_path):
        time.sleep(SECONDS_BETWEEN)


@pytest.mark.parametrize("value", ["soon", "0", "-3", "nan"])
def test_a_limit_that_is_none_is_refused(value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(STALL_VARIABLE, value)
    with (
        pytest.raises(UserError, match=f'{STALL_VARIABLE} is "{value}"; allowed: .*\n    next: '),
        stall_limited(tmp_path),
    ):
        pass


@pytest.mark.parametrize(
    "arguments",
    [["still", "opening", "first"], ["contact-sheet", "--scenes", "opening"], ["preview", "opening", "--no-open"]],
    ids=lambda arguments: arguments[0],
)
def test_the_commands_stop_a_scene_that_loops(studio: Studio, arguments: list[str]) -> None:
    old, new, line = PLACES["in construct"]
    studio.edit("scenes/opening.py", old, new)
    done = studio.explain(*arguments, EXPLAINER_STALL_SECONDS="2")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert re.search(told(line, 2) + r"\n    next: correct the scene", said), said
    assert "Traceback" not in said
    assert not list(studio.root.rglob("*.png"))


def test_a_watch_stops_a_loop_and_goes_on_when_it_is_mended(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STALL_VARIABLE, "4")
    old, new, line = PLACES["at module level"]
    session = Session(studio, "opening")
    try:
        session.wait_for(r"opening-second\.png  \(")
        session.edit("scenes/opening.py", old, new, told(line, 4))
        session.edit("scenes/opening.py", new, old, "As it was before|opening-second")
        old, new, line = PLACES["in construct"]
        session.edit("scenes/opening.py", old, new, told(line, 4))
        session.edit("scenes/opening.py", new, old.replace("side", "2 * side"), "As it was before|opening-.*png")
        session.edit("scenes/opening.py", "self.hold(8)", f"{LOOP}", told(13, 4))
        session.edit("scenes/opening.py", LOOP, "self.hold(9)", r"opening-first\.png  \(")
        assert session.stop() == 0
        assert "Traceback" not in "\n".join(session.lines)
    finally:
        session.process.kill()
        session.process.wait()


# -- folders ---------------------------------------------------------------------------------------------------------

PREVIEWS = [["preview", "opening", "--no-open"], ["preview", "opening", "--no-open", "--watch"]]


@pytest.mark.parametrize("arguments", PREVIEWS, ids=["manim", "watch"])
def test_a_preview_into_a_file_is_refused(studio: Studio, arguments: list[str]) -> None:
    studio.media.write_text("mine", encoding="utf-8")
    done = studio.explain(*arguments)
    assert done.returncode == 1
    assert "Manim" not in done.stdout
    wanted = f"{studio.media}: a file is where a folder is needed\n    next: move it away, then run it again"
    assert done.stderr.strip() == wanted
    assert studio.media.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("arguments", PREVIEWS, ids=["manim", "watch"])
def test_a_preview_into_a_folder_that_cannot_be_written_is_refused(studio: Studio, arguments: list[str]) -> None:
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this kernel lets nobody have mounts of their own: {error}")
    for name in ("videos", "preview"):  # as an earlier preview has left them
        (studio.media / name).mkdir(parents=True)
    media = shlex.quote(str(studio.media))
    script = (
        f"mount --bind {media} {media}; mount -o remount,ro,bind {media}; exec {shlex.join(studio.command(*arguments))}"
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-euc", script],
        cwd=REPO, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Manim" not in done.stdout
    wanted = rf"{re.escape(str(studio.media))}/\w+: Read-only file system\n    next: check that the folder can be .*"
    assert re.fullmatch(wanted, done.stderr.strip())


# -- an end from outside ---------------------------------------------------------------------------------------------


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files with a short name: the sockets in it may have some hundred characters."""
    with tempfile.TemporaryDirectory(prefix="s-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.mark.parametrize(
    "arguments", [["still", "opening", "first"], ["contact-sheet", "--jobs", "1"]], ids=lambda arguments: arguments[0]
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_who_is_told_to_end_leaves_nothing(
    studio: Studio, arguments: list[str], number: signal.Signals, scratch: Path
) -> None:
    studio.edit("scenes/opening.py", "        square = Square", f"        open({str(studio.root / 'there')!r}, 'w')\n"
                f"        {LOOP}\n        square = Square")  # fmt: skip
    process = studio.start(*arguments)
    deadline = time.monotonic() + 60
    while not (studio.root / "there").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert list(scratch.rglob("still-*"))
    if number == signal.SIGTERM:
        process.send_signal(number)
    else:
        os.killpg(process.pid, number)  # as a terminal does
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 130, said
    assert "Traceback" not in said, said
    # The server that workers are forked from ends a moment after them.
    while left := list(scratch.iterdir()):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
