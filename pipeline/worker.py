"""Renders one clip in a process of its own: `python -m pipeline.worker`, a job as a line on stdin, events on stdout.

The process ends by itself when its parent has gone: stdin is held open by the parent, and its end is watched.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from .files import sha256_of, whole_file, write_json
from .fingerprint import source_digest
from .jobs import ORPHANED, ClipCue, Failure, Job, Sidecar
from .probe import faults_of, probe
from .qualities import QUALITIES, Quality
from .storyboard import REPO_ROOT, SCENES_CHECKED, SCENES_FOLDER

SECONDS_BETWEEN_REPORTS = 0.2


class SceneFaultError(RuntimeError):
    """What a scene drew cannot be used; the message says why."""


class Events:
    """JSON lines on the real stdout; whatever else prints goes to stderr, so that no line is ever broken."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._last = 0.0

    def send(self, event: str, **data: Any) -> None:
        self._file.write(json.dumps({"event": event, **data}, ensure_ascii=False) + "\n")
        self._file.flush()

    def frames(self, count: int) -> None:
        """Tell how many frames are encoded, not too often."""
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_REPORTS:
            self._last = now
            self.send("frames", frames=count)


class BeatWatch:
    """Knows which beat plays, and lets each begin with a key frame."""

    def __init__(self, scene: Any, begin_beat: Callable[[], None]) -> None:
        self.current: str | None = None
        play_beat = scene.beat

        def beat(name: str, **facts: Any) -> AbstractContextManager[Any]:
            self.current = name
            begin_beat()
            return play_beat(name, **facts)

        scene.beat = beat


def main() -> int:
    """Render the job on stdin. Exit status 0 when the clip and its sidecar are in place, 1 when not."""
    job = Job.from_line(_read_line())
    Thread(target=_leave_with_parent, daemon=True).start()
    events = Events()
    watch: list[BeatWatch] = []
    try:
        sidecar = render(job, events, watch)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            return 1
        failure = describe(error, job, watch[0].current if watch else None)
        events.send("failed", **asdict(failure))
        traceback.print_exc()
        return 1
    events.send("done", sidecar=sidecar.to_data())
    return 0


def render(job: Job, events: Events, watch: list[BeatWatch]) -> Sidecar:
    """Draw, encode, check and file the clip of `job`."""
    began = time.monotonic()
    os.environ["EXPLAINER_STORYBOARD"] = job.storyboard
    os.environ["EXPLAINER_LANGUAGE"] = job.language
    os.environ[SCENES_FOLDER] = job.scenes_folder
    os.environ[SCENES_CHECKED] = "1"
    quality = QUALITIES[job.quality]
    target = Path(job.target)
    check_source(job)
    with whole_file(target) as temporary:
        frames, cues = _draw(job, quality, temporary, events, watch)
        if faults := faults_of(probe(temporary), quality, frames):
            raise SceneFaultError("the encoded clip is not what was drawn: " + "; ".join(faults))
        check_source(job)
        digest, size = sha256_of(temporary), temporary.stat().st_size
    sidecar = Sidecar(
        scene_id=job.scene_id,
        language=job.language,
        quality=job.quality,
        fingerprint=job.fingerprint,
        fps=quality.fps,
        frames=frames,
        cues=cues,
        sha256=digest,
        size=size,
        render_seconds=round(time.monotonic() - began, 2),
    )
    write_json(target.with_suffix(".json"), sidecar.to_data())
    return sidecar


def _draw(
    job: Job, quality: Quality, target: Path, events: Events, watch: list[BeatWatch]
) -> tuple[int, tuple[ClipCue, ...]]:
    """Run the scene into `target`; its frames, those held at the end included, and its cues."""
    from manim import tempconfig  # noqa: PLC0415 (it takes a second, and its settings must be private to the job)
    from manim.renderer.cairo_renderer import CairoRenderer  # noqa: PLC0415

    from .clip_writer import ClipWriter  # noqa: PLC0415

    settings = {
        "renderer": "cairo",
        "pixel_width": quality.width,
        "pixel_height": quality.height,
        "frame_rate": quality.fps,
        "media_dir": job.work_folder,
        "disable_caching": True,  # whole clips are kept instead
        "progress_bar": "none",
        "verbosity": "ERROR",
        "format": None,  # a video; a scene that plays nothing is told below
        "preview": False,
        "save_sections": False,
        "transparent": False,
        "log_to_file": False,
    }
    with tempconfig(settings):
        scene_class = load_class(job)
        writer = partial(ClipWriter, target=target, quality=quality, gap=job.gap, on_frames=events.frames)
        camera = {"camera_class": scene_class.camera_class} if hasattr(scene_class, "camera_class") else {}
        scene = scene_class(renderer=CairoRenderer(file_writer_class=writer, **camera))
        clip = scene.renderer.file_writer
        if not hasattr(scene, "beat"):
            raise SceneFaultError(f"{job.scene} is not a scene of the stage: it has no beats")
        watch.append(BeatWatch(scene, clip.begin_beat))
        events.send("started")
        scene.render()
        watch[-1].current = None
        if not clip.scene_frames:
            raise SceneFaultError(f"{job.scene} plays nothing")
        cues = tuple(
            ClipCue(cue.beat, int(cue.start_frame), int(cue.end_frame), cue.words, tuple(cue.steps))
            for cue in scene.cues
        )
        check_cues(cues, list(scene.entry.beats), clip.scene_frames)
        counted = getattr(scene, "frame_count", clip.scene_frames)
        if counted != clip.scene_frames:
            raise SceneFaultError(f"the scene counted {counted} frames but drew {clip.scene_frames}")
        return clip.frames, cues


def scene_file(job: Job) -> Path:
    """The file of the job's scene class."""
    return Path(job.scenes_folder).joinpath(*job.scene.split(".")[:-1]).with_suffix(".py")


def load_class(job: Job) -> Any:
    """The scene class of `job`: from the project's own scenes by import, from another folder by file."""
    module_name, _, class_name = job.scene.rpartition(".")
    folder = Path(job.scenes_folder)
    for path in (str(folder), str(REPO_ROOT)):
        if path not in sys.path:
            sys.path.insert(0, path)
    if folder == REPO_ROOT / "scenes":
        module = importlib.import_module(f"scenes.{module_name}")
    else:
        file = scene_file(job)
        spec = importlib.util.spec_from_file_location(module_name, file)
        if spec is None or spec.loader is None:
            raise SceneFaultError(f"{file} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    return getattr(module, class_name)


def check_source(job: Job) -> None:
    """Raise SceneFaultError when what the fingerprint speaks of is not what is drawn."""
    if source_digest(scene_file(job)) != job.sources:
        raise SceneFaultError("its source, or something that it imports, was changed since the render began")


def check_cues(cues: tuple[ClipCue, ...], beats: list[str], frames: int) -> None:
    """Raise SceneFaultError unless the cues are the storyboard's beats, one after the other, inside the scene."""
    names = [cue.beat for cue in cues]
    if names != beats:
        raise SceneFaultError(f"the scene played the beats {', '.join(names)}; the storyboard has {', '.join(beats)}")
    end = 0
    for cue in cues:
        if not end <= cue.start_frame < cue.end_frame <= frames:
            raise SceneFaultError(
                f'the beat "{cue.beat}" takes the frames {cue.start_frame}-{cue.end_frame}; '
                f"it must begin at {end} or later and end at {frames} or earlier"
            )
        end = cue.end_frame


def describe(error: BaseException, job: Job, beat: str | None) -> Failure:
    """`error` as a failure: the deepest line of the scene's own file, and the last lines of what Python has to say."""
    file = scene_file(job)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if Path(frame.filename) == file]
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename) == file:
        lines.append(error.lineno or 0)
    if isinstance(error, SceneFaultError):  # it says all there is; where this program noticed is of no use
        return Failure(job.scene_id, beat, str(error), str(file), lines[-1] if lines else 0)
    details = "".join(traceback.format_list(frames[-3:])).rstrip().splitlines()
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure(job.scene_id, beat, message, str(file), lines[-1] if lines else 0, tuple(details))


def _read_line() -> str:
    """One line from stdin, byte by byte: nothing may be buffered that the watching thread waits for."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode("utf-8")


def _leave_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os._exit(ORPHANED)


if __name__ == "__main__":
    sys.exit(main())
