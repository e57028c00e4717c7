"""A few frames as a small MP4 file, for looking at one beat in motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np

from .files import whole_file


def write_clip(frames: Sequence[np.ndarray], fps: int, path: Path) -> None:
    """`frames`, each (height, width, 3) uint8, as an H.264 stream; equal frames are encoded once and cost little."""
    height, width = frames[0].shape[:2]
    with whole_file(path) as temporary, av.open(str(temporary), "w", format="mp4") as file:
        stream = file.add_stream("libx264", rate=fps, options={"preset": "ultrafast", "crf": "20"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for pixels in frames:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        file.mux(stream.encode(None))
