"""RGBA to YUV as the film has it, and the settings of its one H.264 stream.

Decisions that the join depends on: every clip has the same time base and the same encoder settings, so clips are joined
by stream copy; x264 runs on one thread, so a clip's bytes do not depend on how many workers there are.
"""

from __future__ import annotations

import os

import av
import numpy as np
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, Interpolation, VideoReformatter

# Divisible by every frame rate of the film, so that a frame is a whole number of ticks.
TIME_SCALE = 90_000
SECONDS_BETWEEN_KEY_FRAMES = 5
# One quantiser for all pictures: neither look-ahead nor rate control to pay for, every picture as crisp as the next.
# At 22 with narrow dead zones (small differences are not rounded away) small text keeps to the bounds of the tests.
X264_OPTIONS = {"preset": "veryfast", "qp": "22", "profile": "high", "forced-idr": "1"}
# B pictures, parts of pixels in motion and smoothing between blocks cost more than half of x264's time and bring little
# where lines and letters move over flat areas; smoothing even blurs letters. No B pictures, one reference and no
# weighted prediction are what repeating a still takes.
X264_PARAMS = {
    "scenecut": 0,
    "open-gop": 0,
    "keyint": "infinite",  # key frames are asked for where stills are counted
    "bframes": 0,
    "weightp": 0,
    "ref": 1,
    "rc-lookahead": 0,
    "subme": 0,
    "me": "dia",
    "no-deblock": 1,
    "deadzone-inter": 6,
    "deadzone-intra": 6,
    "threads": 1,
}
# x264's usual settings, in so far as a still can be repeated with them: `make bench` measures with them, into a folder
# of its own, since no fingerprint knows of them.
USUAL = {"EXPLAINER_ENCODER": "usual"}  # in the environment
USUAL_OPTIONS = {"preset": "veryfast", "crf": "20", "forced-idr": "1"}
USUAL_PARAMS = {name: X264_PARAMS[name] for name in ("scenecut", "keyint", "bframes", "weightp", "ref", "threads")}
_SWSCALE = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INP


def x264_options() -> dict[str, str]:
    """All settings in the form that the encoder takes; the usual ones where the environment asks for them."""
    usual = os.environ.items() >= USUAL.items()
    options, params = (USUAL_OPTIONS, USUAL_PARAMS) if usual else (X264_OPTIONS, X264_PARAMS)
    return options | {"x264-params": ":".join(f"{name}={value}" for name, value in params.items())}


class ColourConverter:
    """RGBA (full range) to YUV 4:2:0 by the BT.709 matrix in limited range."""

    def __init__(self) -> None:
        self._reformatter = VideoReformatter()
        self._source = av.VideoFrame(0, 0, "rgba")
        self._pixels = np.empty((0, 0, 4), np.uint8)  # of the source

    def convert(self, pixels: np.ndarray) -> av.VideoFrame:
        """`pixels`: (height, width, 4) uint8, rows from the top, opaque."""
        if pixels.shape != self._pixels.shape:
            height, width, _ = pixels.shape
            self._source = av.VideoFrame(width, height, "rgba")
            plane = self._source.planes[0]
            rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[:height, : 4 * width]
            self._pixels = rows.reshape(height, width, 4)
            assert np.shares_memory(self._pixels, rows)
        self._pixels[:] = pixels
        return self._reformatter.reformat(
            self._source,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            dst_color_trc=ColorTrc.BT709,
            dst_color_primaries=ColorPrimaries.BT709,
            interpolation=_SWSCALE,
            threads=1,
        )
