"""manim's file writer, replaced: every frame of a scene goes into one encoder, no file per animation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from manim.scene.scene_file_writer import SceneFileWriter

from .encoder import EncoderThread
from .qualities import Quality


class ClipWriter(SceneFileWriter):
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
        self._key_next = True
        self._encoder = EncoderThread(target, quality, on_frames)
        self._shape = (quality.height, quality.width, 4)

    def begin_beat(self) -> None:
        """The next frame begins a beat: it becomes a key frame, so that players can jump to it."""
        self._key_next = True

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        """Take one picture, shown for `repeat` frames."""
        if repeat <= 0:
            return
        if pixels.shape != self._shape:
            raise ValueError(f"the scene drew a picture of shape {pixels.shape}, not {self._shape}")
        self._encoder.write(pixels, int(repeat), key=self._key_next)
        self._key_next = False
        self.scene_frames += int(repeat)

    def finish(self) -> None:
        """Hold the last picture and complete the file."""
        self._encoder.hold(self._gap)
        self._encoder.finish()

    @property
    def frames(self) -> int:
        """Frames in the file, those held at the end included; final after `finish`."""
        return self._encoder.frames

    def abort_encode_jobs(self, *, reraise_encoder_failures: bool = False) -> None:  # noqa: ARG002 (manim's signature)
        """The scene failed: let go of the file."""
        self._encoder.abort()

    # What manim does for its file per animation has nothing to do here.
    def add_partial_movie_file(self, hash_animation: str | None) -> None:
        pass

    def begin_animation(self, *args: Any, **kwargs: Any) -> None:
        pass

    def end_animation(self, *args: Any, **kwargs: Any) -> None:
        pass

    def save_image(self, pixels: np.ndarray) -> None:
        pass
