"""`explain preview SCENE --watch`: a picture on every save, one message for what is wrong, a clean end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_studio import Studio

from pipeline.problems import UserError
from pipeline.qualities import QUALITIES
from pipeline.still_drawing import SceneRun
from pipeline.stills import one_still
from pipeline.storyboard import REPO_ROOT, load_storyboard
from pipeline.watch import Watcher, WatchRequest

PATIENCE = 120.0  # seconds; a busy machine may need some


class Session:
    """A running `explain preview --watch`, what it says, and the files that it watches."""

    def __init__(self, studio: Studio, *arguments: str) -> None:
        self.studio = studio
        self.process = studio.start("preview", *arguments, "--watch", "--no-open")
        self.lines: list[str] = []
        self._more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._more:
                self.lines.append(line.rstrip())
                self._more.notify_all()

    def wait_for(self, pattern: str, after: int = 0) -> str:
        """The first line from number `after` on in which `pattern` is found."""
        deadline = time.monotonic() + PATIENCE
        with self._more:
            while True:
                for line in self.lines[after:]:
                    if re.search(pattern, line):
                        return line
                assert time.monotonic() < deadline, f"nothing says {pattern!r}:\n" + "\n".join(self.lines)
                self._more.wait(1)

    def edit(self, file: str, old: str, new: str, pattern: str) -> str:
        """Save a change; the line that then says `pattern`."""
        after = len(self.lines)
        self.studio.edit(file, old, new)
        return self.wait_for(pattern, after)

    def stop(self) -> int:
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(PATIENCE)

    def processes(self) -> list[int]:
        """Who is still there of the session."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                alive = folder.name.isdigit() and os.getpgid(int(folder.name)) == self.process.pid
                if alive and (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(folder.name))
            except (ProcessLookupError, FileNotFoundError):
                continue
        return found


@pytest.fixture
def session(studio: Studio) -> Iterator[Session]:
    made = Session(studio, "middle")
    yield made
    if made.process.poll() is None:
        os.killpg(made.process.pid, signal.SIGKILL)
    made.process.wait()


def colour(path: Path) -> list[int]:
    return [round(float(value)) for value in np.asarray(Image.open(path).convert("RGB")).mean(axis=(0, 1))]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_every_save_gives_a_picture_and_every_fault_one_message(session: Session) -> None:
    pictures = session.studio.media / "preview"
    session.wait_for(r"middle-both\.png  \(\d+\.\d\d s\)")
    assert session.lines[0].startswith("middle in zh: watching ")
    # Code of one beat.
    session.edit("scenes/middle.py", "self.add(red)", 'self.add(red.set_fill("#00FF00"))', r"middle-red\.png  \(")
    assert colour(pictures / "middle-red.png") == [0, 255, 0]
    # What another beat stands on: the picture of the second one, which is built on the first.
    session.edit("scenes/middle.py", "self.add(blue)", "self.add(blue.scale(0.2))", r"middle-blue\.png  \(")
    red, green, blue = colour(pictures / "middle-blue.png")
    assert (red, green) == (0, pytest.approx(245, abs=12))
    assert 0 < blue < 25
    # Words, and a fault in them.
    session.edit("storyboard.yaml", "zh: 蓝色来了。", "zh: 蓝色也来了。", r"middle-blue\.png  \(")
    told = session.edit("storyboard.yaml", "blue: {steps: 21-50", "blue: {steps: 22-50", r"storyboard\.yaml:\d+: ")
    assert "Traceback" not in "\n".join(session.lines)
    session.edit("storyboard.yaml", "blue: {steps: 22-50", "blue: {steps: 21-50", "As it was before")
    # Faults in the scene: of its grammar, and while it runs.
    told = session.edit("scenes/middle.py", "class Middle(", "class Middle((", r"middle\.py:\d+: ")
    assert "not valid Python" in told
    session.edit("scenes/middle.py", "class Middle((", "class Middle(", "As it was before")
    told = session.edit("scenes/middle.py", "self.remove(red, blue)", "self.remove(read, blue)", r"middle\.py:\d+: ")
    assert "NameError: name 'read' is not defined" in told
    session.edit("scenes/middle.py", "self.remove(read, blue)", "self.remove(red, blue)", r"middle-both\.png  \(")
    # What it imports.
    session.edit(
        "scenes/small_stage.py",
        "from manim import Scene, config",
        "from manim import Scene, config as config",
        r"png  \(",
    )
    assert len(session.processes()) > 1
    assert session.stop() == 0
    assert session.lines[-1] == "Stopped watching."
    deadline = time.monotonic() + 10
    while session.processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert session.processes() == []
    assert sorted(path.name for path in pictures.iterdir()) == ["middle-blue.png", "middle-both.png", "middle-red.png"]
    assert not any("Traceback" in line for line in session.lines)


def test_a_beat_may_be_named_and_be_shown_as_a_clip(studio: Studio) -> None:
    import av  # noqa: PLC0415

    session = Session(studio, "opening", "--beat", "second", "--clip")
    try:
        session.wait_for(r"opening-second\.mp4  \(")
        with av.open(str(studio.media / "preview" / "opening-second.mp4")) as file:
            frames = [frame.to_ndarray(format="gray") for frame in file.decode(video=0)]
        assert len(frames) == 10
        assert frames[0].shape == (480, 854)
        assert not np.array_equal(frames[0], frames[-1])  # the square moves
        assert session.stop() == 0
    finally:
        session.process.kill()
        session.process.wait()


@pytest.mark.parametrize(
    ("scene", "beat", "language", "phrase"),
    [
        ("opning", None, None, 'did you mean "opening"?'),
        ("later", None, None, "is a draft"),
        ("opening", "frst", None, 'did you mean "first"?'),
        ("opening", None, "fr", 'no language "fr"'),
    ],
)
def test_what_cannot_be_watched_is_told_at_once(studio: Studio, scene, beat, language, phrase: str) -> None:
    request = WatchRequest(scene, studio.storyboard, studio.scenes, studio.media, beat, language)
    with pytest.raises(UserError, match=re.escape(phrase)):
        Watcher(request)


# -- the film's own scenes -------------------------------------------------------------------------------------------


class Editor(threading.Thread):
    """Saves one change after the other, each when the one before is shown, then ends the watch.

    The first one waits until there is a copy before every beat, as there is when somebody has begun to write.
    """

    def __init__(self, watcher: Watcher, edits: list[tuple[Path, str]]) -> None:
        super().__init__(daemon=True)
        self.watcher, self.edits = watcher, edits
        self.fault: str | None = None

    def run(self) -> None:
        try:
            self._until(self.watcher.is_ready)
            for file, text in self.edits:
                count = len(self.watcher.times)
                file.write_text(text, encoding="utf-8")
                self._until(lambda count=count: len(self.watcher.times) > count)
        except TimeoutError as error:
            self.fault = str(error)
        finally:
            self.watcher.stop()

    def _until(self, true) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > deadline:
                raise TimeoutError(f"after {len(self.watcher.times)} pictures")
            time.sleep(0.05)


def copied(scene_id: str, folder: Path) -> tuple[Path, Path, Path]:
    """Scenes and storyboard in a folder of their own; the storyboard, the scenes' folder, the scene's file."""
    shutil.copytree(REPO_ROOT / "scenes", folder / "scenes", ignore=shutil.ignore_patterns("__pycache__"))
    board = shutil.copy(REPO_ROOT / "storyboard.yaml", folder / "storyboard.yaml")
    entry = load_storyboard(board, check_scenes=False).entry(scene_id)
    return Path(board), folder / "scenes", folder / "scenes" / f"{entry.module}.py"


def edits_of(scene_id: str, board: Path, file: Path) -> list[tuple[Path, str]]:
    """From the last beat to the first: its words made longer, then its code made to wait, on top of what was before."""
    entry = load_storyboard(board, check_scenes=False).entry(scene_id)
    words, code = board.read_text(encoding="utf-8"), file.read_text(encoding="utf-8")
    edits = []
    for name, beat in reversed(entry.beats.items()):
        words = words.replace(beat.words["zh"], beat.words["zh"] + "嗯。", 1)
        edits.append((board, words))
        if found := re.search(rf'(?m)^( +)with self\.beat\(\s*"{name}"', code):
            at = found.start()
            code = f"{code[:at]}{found[1]}self.wait(1 / 15)\n{code[at:]}"
            edits.append((file, code))
    return edits


def test_a_picture_after_an_edit_is_the_one_that_a_fresh_run_gives(tmp_path: Path) -> None:
    """A copy that waited at a beat, and took over new code and words there, draws what a run from the start draws."""
    board, scenes, file = copied("inference_step_1", tmp_path)
    watcher = Watcher(WatchRequest("inference_step_1", board, scenes, tmp_path / "media", open_picture=False))
    beats = list(watcher.storyboard.entry("inference_step_1").beats)
    code = file.read_text(encoding="utf-8")
    longer = board.read_text(encoding="utf-8")
    beat = watcher.storyboard.entry("inference_step_1").beats[beats[3]]
    longer = longer.replace(beat.words["zh"], beat.words["zh"] + "嗯，再说几句。", 1)
    found = re.search(rf'(?m)^( +)with self\.beat\(\s*"{beats[2]}"', code)
    assert found is not None
    late = f"{code[: found.start()]}{found[1]}self.chrome.badge.shift([1, 0, 0])\n{code[found.start() :]}"
    editor = Editor(watcher, [(file, late), (board, longer)])
    editor.start()
    assert watcher.watch() == 0
    assert editor.fault is None
    run = SceneRun(watcher.run.scene, scenes, board, "zh", QUALITIES["draft"])
    before = SceneRun(watcher.run.scene, REPO_ROOT / "scenes", REPO_ROOT / "storyboard.yaml", "zh", run.quality)
    for name in (beats[2], beats[3]):  # the words of the later one change nothing in the earlier one's picture
        shown = np.asarray(Image.open(tmp_path / "media" / "preview" / f"inference_step_1-{name}.png"))
        assert np.array_equal(shown, one_still(run, name)), name
        assert not np.array_equal(shown, one_still(before, name)), name


@pytest.mark.slow
@pytest.mark.parametrize("scene_id", ["embedding", "decoder_self_attention", "inference_step_1"])
def test_a_picture_takes_less_than_two_seconds(scene_id: str, tmp_path: Path) -> None:
    """Of most beats, at 480p, after an edit of words or code, in processor time: the machine may be busy. The heaviest
    beats of the heaviest scene may take a little longer on one that is."""
    board, scenes, file = copied(scene_id, tmp_path)
    watcher = Watcher(WatchRequest(scene_id, board, scenes, tmp_path / "media", open_picture=False))
    edits = edits_of(scene_id, board, file)
    editor = Editor(watcher, edits)
    editor.start()
    assert watcher.watch() == 0
    assert editor.fault is None
    for kind, index in (("by the clock", 0), ("of the processor", 1)):
        times = [time[index] for time in watcher.times[-len(edits) :]]
        print(f"{scene_id}: {len(times)} pictures, seconds {kind}: median {statistics.median(times):.2f}, "
              f"max {max(times):.2f}")  # fmt: skip
    times = [processor for _, processor in watcher.times[-len(edits) :]]
    assert statistics.median(times) < 2.0
    assert max(times) < 3.0
