"""One measurement in a process of its own: `python -m pipeline.bench.phases VARIANT SCENE QUALITY LANGUAGE FOLDER`.

Prints one line of JSON. Times are of the scene alone, imports left out: seconds of the clock, seconds of the processor
(of all threads), and for our renderer seconds of the processor by phase.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import numpy as np
from manim import tempconfig
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter

from ..bare_writer import BareWriter
from ..clip_writer import ClipWriter
from ..encoder import ColourConverter, x264_options
from ..qualities import QUALITIES, Quality
from ..renderer import FastRenderer
from ..renderer.canvas import Canvas
from ..renderer.plays import Play
from ..renderer.stream import PictureStream
from ..renderer.yuv import YuvPicture
from ..scene_loading import load_class, manim_settings
from ..storyboard import REPO_ROOT, load_storyboard

VARIANTS = {
    "draw, manim": "manim's renderer, frames thrown away",
    "draw, ours": "our renderer, frames thrown away",
    "film, plain manim": "manim as it comes: its renderer, writer and encoder settings",
    "film, manim": "manim's renderer with the pipeline's writer: one stream a scene",
    "film, ours": "our renderer, changed parts converted, stills repeated",
    "floor, ours": "x264 alone on the same pictures, settings of our stream, every still encoded",
    "floor, film": "x264 alone on the same pictures, veryfast crf 20",
}

_phases: dict[str, float] = {}


def _timed(owner: Any, name: str, phase: str) -> None:
    """Let calls of a method count for a phase, in seconds of its thread's processor time."""
    function = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            _phases[phase] = _phases.get(phase, 0.0) + time.thread_time() - began

    setattr(owner, name, call)


class _Writer(BareWriter):
    """Counts frames and pictures."""

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.shown = 0
        self.pictures = 0

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:  # noqa: ARG002 (manim's signature)
        self.shown += repeat
        self.pictures += 1


class _DirtyWriter(_Writer):
    """Is told what has changed, and throws it away."""

    def write_dirty(self, pixels: np.ndarray, boxes: Any, repeat: int) -> None:  # noqa: ARG002
        self.write_frame(pixels, repeat=repeat)


class _FloorWriter(_Writer):
    """Encodes every frame as it comes; only the time inside x264 counts."""

    def __init__(self, settings: Any, *, target: Path, quality: Quality, options: dict[str, str]) -> None:
        super().__init__(settings)
        self._picture = YuvPicture(quality.width, quality.height, ColourConverter)
        self._container = av.open(str(target), "w", format="mp4")
        self._stream = self._container.add_stream("libx264", rate=quality.fps, options=options)
        self._stream.width, self._stream.height, self._stream.pix_fmt = quality.width, quality.height, "yuv420p"
        self._stream.codec_context.thread_count = 1
        self._base = Fraction(1, quality.fps)
        self.seconds = 0.0
        self.processor = 0.0

    def write_dirty(self, pixels: np.ndarray, boxes: Any, repeat: int) -> None:
        self._picture.update(pixels, boxes)
        for _ in range(repeat):
            frame = self._picture.take()
            frame.pts, frame.time_base = self.shown, self._base
            self._encode(frame)
            self._picture.give_back(frame)
            self.shown += 1
        self.pictures += 1

    def finish(self) -> None:
        self._encode(None)
        self._container.close()

    def _encode(self, frame: Any) -> None:
        clock, processor = time.perf_counter(), time.thread_time()
        packets = self._stream.encode(frame)
        self.seconds += time.perf_counter() - clock
        self.processor += time.thread_time() - processor
        for packet in packets:
            self._container.mux(packet)


def _floor_options(variant: str) -> dict[str, str]:
    if variant == "floor, ours":
        return x264_options()
    return {"preset": "veryfast", "crf": "20", "x264-params": "threads=1"}


def _writer(variant: str, target: Path, quality: Quality) -> tuple[type[CairoRenderer], Any]:
    """The renderer and what makes its file writer."""
    if variant == "draw, manim":
        return CairoRenderer, _Writer
    if variant == "draw, ours":
        return FastRenderer, _DirtyWriter
    if variant == "film, plain manim":
        return CairoRenderer, SceneFileWriter
    if variant in ("film, manim", "film, ours"):
        renderer = CairoRenderer if variant == "film, manim" else FastRenderer
        return renderer, partial(ClipWriter, target=target, quality=quality, gap=0)
    options = _floor_options(variant)
    return FastRenderer, partial(_FloorWriter, target=target, quality=quality, options=options)


def measure(variant: str, scene: str, quality: Quality, folder: Path) -> dict[str, Any]:
    """Run one scene of the storyboard; what it took."""
    entry = next(one for one in load_storyboard(REPO_ROOT / "storyboard.yaml").scenes if one.id == scene)
    scene_class = load_class(REPO_ROOT / "scenes", entry.scene)
    target = folder / "clip.mp4"
    renderer_class, writer = _writer(variant, target, quality)
    phases: list[tuple[Any, str, str]] = [
        (Canvas, "_paint", "draw"),
        (Play, "changes", "look"),
        (YuvPicture, "update", "colour"),
        (YuvPicture, "take", "colour"),
        (PictureStream, "write", "encode"),
        (PictureStream, "close", "encode"),
    ]
    for owner, method, phase in phases:
        _timed(owner, method, phase)
    settings = {
        **manim_settings(quality.width, quality.height, quality.fps, folder),
        "disable_caching": variant != "film, plain manim",
        "format": "mp4",
    }
    with tempconfig(settings):
        return _measure(lambda: scene_class(renderer=renderer_class(file_writer_class=writer)), folder)


def _measure(make: Callable[[], Any], folder: Path) -> dict[str, Any]:
    clock, processor = time.perf_counter(), time.process_time()
    scene = make()
    scene.render()
    seconds, cpu = time.perf_counter() - clock, time.process_time() - processor
    writer = scene.renderer.file_writer
    if isinstance(writer, _FloorWriter):
        seconds, cpu = writer.seconds, writer.processor
    elif _phases:
        _phases["scene"] = cpu - sum(_phases.values())
    return {
        "seconds": seconds,
        "cpu": cpu,
        "frames": scene.frame_count,
        "pictures": getattr(writer, "pictures", 0),
        "bytes": sum(file.stat().st_size for file in folder.rglob("*.mp4") if "partial" not in str(file)),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "phases": dict(_phases),
    }


def main() -> int:
    """Measure what the command line says."""
    variant, scene, quality, language, folder = sys.argv[1:]
    os.environ["EXPLAINER_LANGUAGE"] = language
    os.environ["EXPLAINER_STORYBOARD"] = str(REPO_ROOT / "storyboard.yaml")
    print(json.dumps(measure(variant, scene, QUALITIES[quality], Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
