"""Draws one job into its piece: the scene is run, beats that are not asked for are run without drawing.

Or nothing is drawn at all: the words of a beat hold values that only its scene knows, so it is run to learn them.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from .fingerprint import source_digest
from .jobs import ClipCue, Drawn, Failure, Job, SceneFaultError, check_beats, origins_of
from .qualities import QUALITIES
from .scene_loading import camera_of, load_class, manim_settings, scene_environment, scene_file

NARRATION_VARIABLE = "EXPLAINER_NARRATION"
# Linux counts in kibibytes, macOS in bytes.
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


class BeatWatch:
    """Knows which beat plays, lets each begin with a key frame, and draws only the job's own beats."""

    def __init__(self, scene: Any, job: Job, begin_beat: Callable[[], None]) -> None:
        self.current: str | None = None
        self.on_beat: Callable[[str], None] = lambda _name: None
        self.start_frame = 0  # the scene's frame at which drawing began
        self._scene, self._job = scene, job
        play_beat = scene.beat

        def beat(name: str, **facts: Any) -> AbstractContextManager[Any]:
            if name == job.end_beat:
                self._end()
            self.current = name
            self.on_beat(name)
            if name == job.first_beat:
                self.start_frame = scene.frame_count
                self._draw(True)
            begin_beat()
            return play_beat(name, **facts)

        scene.beat = beat
        if job.first_beat is not None:
            self._draw(False)
        if job.end_beat is not None:
            scene.tear_down = lambda: None  # the beats that it would miss are another piece's

    def _draw(self, on: bool) -> None:
        # manim resets the one from the other before every play.
        self._scene.renderer.skip_animations = self._scene.renderer._original_skipping_status = not on

    def _end(self) -> None:
        from manim.utils.exceptions import EndSceneEarlyException  # noqa: PLC0415 (manim is there by now)

        raise EndSceneEarlyException


def warm_up() -> None:
    """Import what every scene needs; it takes a second or two, once a process."""
    import manim  # noqa: F401, PLC0415

    import scenes.stage.scene  # noqa: F401, PLC0415

    from . import clip_writer  # noqa: F401, PLC0415


def draw(job: Job, watch: list[BeatWatch], on_started: Callable[[], None], on_frames: Callable[[int], None]) -> Drawn:
    """Draw `job` into its piece. `watch` receives the scene's watch as soon as there is one.

    Raises whatever the scene raises, and SceneFaultError for a scene whose result cannot be used.
    """
    from manim import tempconfig  # noqa: PLC0415 (it takes a second, and its settings must be private to the job)
    from manim.mobject.svg.svg_mobject import SVG_HASH_TO_MOB_MAP  # noqa: PLC0415
    from manim.renderer.cairo_renderer import CairoRenderer  # noqa: PLC0415

    from .clip_writer import ClipWriter  # noqa: PLC0415
    from .renderer import FastRenderer  # noqa: PLC0415

    began = time.monotonic()
    _hand_over(job)
    # What manim reads a second time has other stroke widths than the first time: each job begins with nothing read.
    SVG_HASH_TO_MOB_MAP.clear()
    quality = QUALITIES[job.quality]
    check_source(job)
    settings = {
        **manim_settings(quality.width, quality.height, quality.fps, job.work_folder),
        "format": None,  # a video; a scene that plays nothing is told below
        "preview": False,
        "save_sections": False,
        "transparent": False,
        "log_to_file": False,
    }
    with tempconfig(settings):
        scene_class = load_class(Path(job.scenes_folder), job.scene)
        gap = job.gap if job.end_beat is None else 0
        writer = partial(ClipWriter, target=Path(job.piece), quality=quality, gap=gap, on_frames=on_frames)
        renderer = CairoRenderer if job.renderer == "manim" else FastRenderer
        scene = scene_class(renderer=renderer(file_writer_class=writer, **camera_of(scene_class)))
        clip = scene.renderer.file_writer
        if not hasattr(scene, "beat"):
            clip.abort_encode_jobs()
            raise SceneFaultError(f"{job.scene} is not a scene of the stage: it has no beats")
        watch.append(BeatWatch(scene, job, clip.begin_beat))
        on_started()
        scene.render()
        counted = scene.frame_count - watch[-1].start_frame
    watch[-1].current = None
    if not clip.scene_frames:
        raise SceneFaultError(
            f"{job.scene} plays nothing" + (f" from the beat {job.first_beat} on" * bool(job.first_beat))
        )
    check_source(job)
    start = watch[-1].start_frame
    if counted != clip.scene_frames:
        raise SceneFaultError(f"the scene counted {counted} frames but drew {clip.scene_frames}")
    trace: Any = getattr(scene, "trace", None)
    reads = None if trace is None else trace.reads()
    return Drawn(start, clip.frames, _cues(scene, start), round(time.monotonic() - began, 2), _memory(), reads)


def tell(job: Job, watch: list[BeatWatch], on_started: Callable[[], None]) -> Drawn:
    """Run `job`'s scene without drawing it; its cues hold the words that were asked for. See `draw`.

    Raises whatever the scene raises, and SceneFaultError where its words are not those that `job.said` speaks of.
    """
    from manim import tempconfig  # noqa: PLC0415 (as above)
    from manim.renderer.cairo_renderer import CairoRenderer  # noqa: PLC0415

    began = time.monotonic()
    _hand_over(job)
    check_source(job)
    said = json.loads(job.said)
    with tempconfig({**manim_settings(160, 90, 30, job.work_folder), "dry_run": True}):
        scene_class = load_class(Path(job.scenes_folder), job.scene)
        scene = scene_class(renderer=CairoRenderer(skip_animations=True, **camera_of(scene_class)))
        if not hasattr(scene, "beat"):
            raise SceneFaultError(f"{job.scene} is not a scene of the stage: it has no beats")
        watch.append(BeatWatch(scene, job, lambda: None))
        on_started()
        scene.render()
    watch[-1].current = None
    if {name: beat.words[job.language] for name, beat in scene.entry.beats.items()} != said:
        raise SceneFaultError("its words in the storyboard were changed meanwhile; run the command again")
    cues = _cues(scene, 0)
    check_beats([cue.beat for cue in cues], list(said))
    return Drawn(0, 0, cues, round(time.monotonic() - began, 2), _memory())


def _cues(scene: Any, start: int) -> tuple[ClipCue, ...]:
    """What the scene said from the frame `start` on."""
    return tuple(
        ClipCue(
            cue.beat,
            int(cue.start_frame),
            int(cue.end_frame),
            cue.words,
            tuple(cue.steps),
            origins_of(asdict(origin) for origin in getattr(cue, "origins", ())),
        )
        for cue in scene.cues
        if cue.start_frame >= start
    )


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MEMORY_UNIT


def _hand_over(job: Job) -> None:
    """Tell the scene its storyboard and language, and how long its beats are spoken: by a file that the environment
    names; silent films have none."""
    os.environ.update(scene_environment(job.storyboard, job.language, job.scenes_folder))
    if not job.narration:
        os.environ.pop(NARRATION_VARIABLE, None)
        return
    path = Path(job.work_folder, "narration.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(job.narration, encoding="utf-8")
    os.environ[NARRATION_VARIABLE] = str(path)


def file_of(job: Job) -> Path:
    """The file of the job's scene class."""
    return scene_file(Path(job.scenes_folder), job.scene)


def check_source(job: Job) -> None:
    """Raise SceneFaultError when what the fingerprint speaks of is not what is drawn."""
    if source_digest(file_of(job)) != job.sources:
        raise SceneFaultError("its source, or something that it imports, was changed since the render began")


def describe(error: BaseException, job: Job, beat: str | None) -> Failure:
    """`error` as a failure: the deepest line of the scene's own file, and the last lines of what Python has to say."""
    file = file_of(job)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if Path(frame.filename) == file]
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename) == file:
        lines.append(error.lineno or 0)
    if isinstance(error, SceneFaultError):  # it says all there is; where this program noticed is of no use
        return Failure(job.scene_id, beat, str(error), str(file), lines[-1] if lines else 0)
    details = "".join(traceback.format_list(frames[-3:])).rstrip().splitlines()
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure(job.scene_id, beat, message, str(file), lines[-1] if lines else 0, tuple(details))
