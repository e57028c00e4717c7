"""Every frame that a renderer hands to its file writer, as a digest or whole, before any encoding."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from manim import Scene, tempconfig
from manim.mobject.svg.svg_mobject import SVG_HASH_TO_MOB_MAP
from manim.renderer.cairo_renderer import CairoRenderer

from pipeline.bare_writer import BareWriter
from pipeline.renderer import FastRenderer


class Record(BareWriter):
    """Takes frames the plain way. `frames` has (digest, repeat); `pictures` the arrays when they are kept."""

    keep = False

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.frames: list[tuple[bytes, int]] = []
        self.pictures: list[np.ndarray] = []

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        self.frames.append((blake2b(np.ascontiguousarray(pixels), digest_size=16).digest(), int(repeat)))
        if self.keep:
            self.pictures.append(pixels.copy())

    def save_image(self, pixels: np.ndarray) -> None:
        self.write_frame(pixels)


class DirtyRecord(Record):
    """Takes only what the renderer says has changed, and keeps the picture from that alone."""

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._picture: np.ndarray | None = None
        self.told: list[int | None] = []

    def write_dirty(self, pixels: np.ndarray, boxes: Any, repeat: int) -> None:
        self.told.append(None if boxes is None else len(boxes))
        if boxes is None:
            self._picture = pixels.copy()
        assert self._picture is not None
        for left, top, right, bottom in boxes or ():
            self._picture[top:bottom, left:right] = pixels[top:bottom, left:right]
        self.write_frame(self._picture, repeat=repeat)


class KeptRecord(Record):
    keep = True


class KeptDirtyRecord(DirtyRecord):
    keep = True


def play(
    scene_class: type[Scene],
    renderer_class: type[CairoRenderer],
    writer: type[Record],
    folder: Path,
    size: tuple[int, int] = (427, 240),
    rate: int = 15,
    **settings: Any,
) -> Any:
    """Run a scene to its end; the scene, whose `renderer.file_writer` is the record."""
    # A picture that manim reads a second time has other stroke widths than the first time.
    SVG_HASH_TO_MOB_MAP.clear()
    config = {
        "renderer": "cairo",
        "pixel_width": size[0],
        "pixel_height": size[1],
        "frame_rate": rate,
        "media_dir": str(folder),
        "disable_caching": True,
        "progress_bar": "none",
        "verbosity": "ERROR",
        "format": "mp4",
        **settings,
    }
    with tempconfig(config):
        camera = getattr(scene_class, "wanted_camera", None)
        extra = {"camera_class": camera} if camera is not None else {}
        scene = scene_class(renderer=renderer_class(file_writer_class=writer, **extra))
        scene.render()
    return scene


def expect_equal(scene_class: type[Scene], folder: Path, **settings: Any) -> Any:
    """Assert that both renderers hand on the same frames, and return our scene.

    On a difference the scene is drawn again to say where it is and how large.
    """
    theirs = play(scene_class, CairoRenderer, Record, folder, **settings).renderer
    scene = play(scene_class, FastRenderer, DirtyRecord, folder, **settings)
    ours = scene.renderer
    if ours.file_writer.frames != theirs.file_writer.frames:
        raise AssertionError(describe(scene_class, folder, **settings))
    assert ours.time == theirs.time
    assert ours.num_plays == theirs.num_plays
    return scene


def describe(scene_class: type[Scene], folder: Path, **settings: Any) -> str:
    """What differs between the two renderers' frames."""
    theirs = play(scene_class, CairoRenderer, KeptRecord, folder, **settings).renderer.file_writer
    ours = play(scene_class, FastRenderer, KeptDirtyRecord, folder, **settings).renderer.file_writer
    counts = [[repeat for _, repeat in record.frames] for record in (theirs, ours)]
    lines = [f"{scene_class.__name__}: {len(counts[0])} frames by manim, {len(counts[1])} by FastRenderer"]
    if counts[0] != counts[1]:
        lines.append("repeats differ")
    for index, (a, b) in enumerate(zip(theirs.pictures, ours.pictures, strict=False)):
        if not np.array_equal(a, b):
            distance = np.abs(a.astype(int) - b.astype(int)).max(axis=2)
            ys, xs = np.nonzero(distance)
            lines.append(
                f"frame {index}: {len(ys)} pixels, at most {distance.max()}, "
                f"x {xs.min()}-{xs.max()}, y {ys.min()}-{ys.max()}"
            )
    return "\n".join(lines[:40])
