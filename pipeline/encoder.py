"""RGBA frames into one H.264 stream: exact frame count, constant rate, real BT.709.

Decisions that the join depends on: every clip has the same time base and the same encoder settings, so clips are joined
by stream copy; x264 runs on one thread, so a clip's bytes do not depend on how many workers there are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, Interpolation, VideoReformatter

from .qualities import Quality

# Divisible by every frame rate of the film, so that a frame is a whole number of ticks.
TIME_SCALE = 90_000
SECONDS_BETWEEN_KEY_FRAMES = 5
# Flat areas and thin text: a low rate factor keeps edges crisp at little cost.
X264_OPTIONS = {"preset": "veryfast", "crf": "18", "profile": "high", "forced-idr": "1"}
X264_PARAMS = {"scenecut": 0, "open-gop": 0}
# Each frame on the way to the encoder is 8 MB at 1080p.
QUEUE_LENGTH = 6
_SWSCALE = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INP


class ColourConverter:
    """RGBA (full range) to YUV 4:2:0 by the BT.709 matrix in limited range."""

    def __init__(self) -> None:
        self._reformatter = VideoReformatter()

    def convert(self, pixels: np.ndarray) -> av.VideoFrame:
        """`pixels`: (height, width, 4) uint8, rows from the top, opaque."""
        return self._reformatter.reformat(
            av.VideoFrame.from_ndarray(pixels, format="rgba"),
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            dst_color_trc=ColorTrc.BT709,
            dst_color_primaries=ColorPrimaries.BT709,
            interpolation=_SWSCALE,
            threads=1,
        )


class ClipEncoder:
    """One MP4 file with one H.264 stream, fed frame by frame."""

    def __init__(self, path: Path, quality: Quality) -> None:
        self.frames = 0
        self._converter = ColourConverter()
        self._last: av.VideoFrame | None = None
        options = {
            "movflags": "+faststart",
            "movie_timescale": str(TIME_SCALE),
            "video_track_timescale": str(TIME_SCALE),
        }
        self._container = av.open(str(path), "w", format="mp4", options=options)
        key_distance = SECONDS_BETWEEN_KEY_FRAMES * quality.fps
        params = X264_PARAMS | {"keyint": key_distance, "min-keyint": 1, "threads": 1}
        x264 = {"x264-params": ":".join(f"{name}={value}" for name, value in params.items())}
        stream = self._container.add_stream("libx264", rate=quality.fps, options=X264_OPTIONS | x264)
        stream.width, stream.height, stream.pix_fmt = quality.width, quality.height, "yuv420p"
        self._time_base = Fraction(1, quality.fps)
        context = stream.codec_context
        context.time_base = self._time_base
        context.thread_count = 1
        context.colorspace = Colorspace.ITU709
        context.color_range = ColorRange.MPEG
        context.color_primaries = ColorPrimaries.BT709
        context.color_trc = ColorTrc.BT709
        self._stream = stream

    def write(self, pixels: np.ndarray, repeat: int, *, key: bool) -> None:
        """Encode one picture `repeat` times; it is converted once. `key`: begin with a key frame."""
        self._last = self._converter.convert(pixels)
        self._encode(repeat, key=key)

    def hold(self, repeat: int) -> None:
        """Encode the last picture `repeat` times more."""
        if self._last is None:
            raise RuntimeError("there is no picture to hold yet")
        self._encode(repeat, key=False)

    def close(self) -> None:
        """Write what the encoder still holds and finish the file."""
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()

    def abort(self) -> None:
        """Let go of the file, which is not whole."""
        self._container.close()

    def _encode(self, repeat: int, *, key: bool) -> None:
        frame = self._last
        assert frame is not None
        frame.time_base = self._time_base
        for index in range(repeat):
            frame.pts = self.frames
            frame.pict_type = PictureType.I if key and index == 0 else PictureType.NONE
            for packet in self._stream.encode(frame):
                self._container.mux(packet)
            self.frames += 1


class EncoderThread:
    """A ClipEncoder on a thread of its own, behind a short queue: drawing and encoding overlap."""

    def __init__(self, path: Path, quality: Quality, on_frames: Callable[[int], None] | None = None) -> None:
        self._encoder = ClipEncoder(path, quality)
        self._on_frames = on_frames
        self._error: BaseException | None = None
        self._queue: Queue[tuple[np.ndarray | None, int, bool] | None] = Queue(QUEUE_LENGTH)
        self._thread = Thread(target=self._run, name="encoder", daemon=True)
        self._thread.start()

    @property
    def frames(self) -> int:
        """Frames encoded; final once `finish` has returned."""
        return self._encoder.frames

    def write(self, pixels: np.ndarray, repeat: int, *, key: bool) -> None:
        """Hand a picture over; `pixels` must not be changed afterwards. Raises what the encoder failed with."""
        self._put((pixels, repeat, key))

    def hold(self, repeat: int) -> None:
        """Show the last picture for `repeat` more frames."""
        if repeat > 0:
            self._put((None, repeat, False))

    def finish(self) -> None:
        """Wait until the file is whole. Raises what the encoder failed with."""
        self._queue.put(None)
        self._thread.join()
        if self._error is not None:
            raise self._error

    def abort(self) -> None:
        """Stop; the file is of no use."""
        self._error = self._error or RuntimeError("the encoder was stopped")
        self._queue.put(None)
        self._thread.join()

    def _put(self, item: tuple[np.ndarray | None, int, bool]) -> None:
        if self._error is not None:
            raise self._error
        self._queue.put(item)

    def _run(self) -> None:
        """Take pictures until None. After a fault the queue is still emptied, so that the drawing side never blocks."""
        while (item := self._queue.get()) is not None:
            if self._error is not None:
                continue
            pixels, repeat, key = item
            try:
                if pixels is None:
                    self._encoder.hold(repeat)
                else:
                    self._encoder.write(pixels, repeat, key=key)
                # Telling of progress can fail, too: whoever listened may be gone.
                if self._on_frames is not None:
                    self._on_frames(self._encoder.frames)
            except BaseException as error:
                self._error = error
        try:
            if self._error is None:
                self._encoder.close()
            else:
                self._encoder.abort()
        except BaseException as error:
            self._error = self._error or error
