"""manim's file writer without its file per animation: what all writers of ours begin with."""

from __future__ import annotations

from typing import Any

import numpy as np
from manim.scene.scene_file_writer import SceneFileWriter


class BareWriter(SceneFileWriter):
    """Keeps nothing and writes nothing; what a subclass does with a frame is its own."""

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        """Take one picture, rows from the top, shown for `repeat` frames."""

    def add_partial_movie_file(self, hash_animation: str | None) -> None:
        pass

    def begin_animation(self, *args: Any, **kwargs: Any) -> None:
        pass

    def end_animation(self, *args: Any, **kwargs: Any) -> None:
        pass

    def finish(self) -> None:
        pass

    def save_image(self, pixels: np.ndarray) -> None:
        pass
