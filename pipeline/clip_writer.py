"""manim's file writer, replaced: every frame of a scene goes into one stream, no file per animation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .bare_writer import BareWriter
from .encoder import ColourConverter
from .jobs import LONGEST_SCENE, SceneFaultError
from .qualities import Quality
from .renderer.stream import PictureStream, StreamThread
from .renderer.yuv import YuvPicture


class ClipWriter(BareWriter):
    """Writes the scene into `target` and holds its last picture for `gap` frames at the end.

    `settings` is what manim's renderer hands to every writer. `on_frames` is called, on the encoder's thread, with the
    number of frames encoded so far.
    """

    def __init__(
        self, settings: Any, *, target: Path, quality: Quality, gap: int, on_frames: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(settings)
        self.scene_frames = 0
        self._gap = gap
        self._most = quality.frames(LONGEST_SCENE * 60)
        self._key_next = True
        self._shape = (quality.height, quality.width, 4)
        self._last: np.ndarray | None = None
        self._picture = YuvPicture(quality.width, quality.height, ColourConverter)
        stream = PictureStream(target, quality.width, quality.height, quality.fps)
        self._thread = StreamThread(stream, self._picture.give_back, on_frames)

    def begin_beat(self) -> None:
        """The next frame begins a beat: it becomes a key frame, so that players can jump to it."""
        self._key_next = True

    def write_dirty(
        self, pixels: np.ndarray, boxes: Iterable[tuple[int, int, int, int]] | None, repeat: int = 1
    ) -> None:
        """Take a picture that differs from the last one only inside `boxes` (None: anywhere), for `repeat` frames.

        `pixels`: (height, width, 4) uint8, rows from the top, opaque; free to change when the call is over.
        """
        if repeat <= 0:
            return
        if pixels.shape != self._shape:
            raise ValueError(f"the scene drew a picture of shape {pixels.shape}, not {self._shape}")
        changed = None if boxes is None else list(boxes)
        self._picture.update(pixels, changed)
        self._put(int(repeat), same=changed is not None and not changed)

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        """Take one picture, shown for `repeat` frames."""
        same = self._last is not None and np.array_equal(self._last, pixels)
        self.write_dirty(pixels, [] if same else None, repeat)
        if repeat > 0 and not same:
            self._last = pixels.copy()

    def finish(self) -> None:
        """Hold the last picture and complete the file."""
        if self._gap and self.scene_frames:
            frames = self.scene_frames
            self._put(self._gap, same=True)
            self.scene_frames = frames
        self._thread.finish()

    @property
    def frames(self) -> int:
        """Frames in the file, those held at the end included; final after `finish`."""
        return self._thread.frames

    def abort_encode_jobs(self, *, reraise_encoder_failures: bool = False) -> None:  # noqa: ARG002 (manim's signature)
        """The scene failed: let go of the file."""
        self._thread.abort()

    def _put(self, repeat: int, *, same: bool) -> None:
        if self.scene_frames + repeat > self._most:
            raise SceneFaultError(f"the scene is longer than {LONGEST_SCENE} minutes; does it loop?")
        self._thread.write(self._picture.take(), repeat, key=self._key_next, same=same)
        self._key_next = False
        self.scene_frames += repeat
