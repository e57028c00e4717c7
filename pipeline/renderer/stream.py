"""Frames into one H.264 stream in an MP4 file: changed pictures through x264, still ones as repeats.

Every stretch that begins with a key frame asked for (a beat) is coded by an encoder of its own, which knows nothing of
what came before. So the packets of a beat are the same whether the beats before it were coded in the same file, in
another process or on another machine, and pieces of a scene can be put together without coding anything again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import av
import numpy as np
from av.codec.context import Flags
from av.video.frame import PictureType
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

from ..encoder import SECONDS_BETWEEN_KEY_FRAMES, TIME_SCALE, x264_options
from .repeats import Repeats

QUEUE_LENGTH = 4  # frames on the way to x264, 3 MB each at 1080p


class PictureStream:
    """One MP4 file with one H.264 stream of `width` × `height` at `fps` frames a second.

    Frames are yuv420p; one that is handed over may be changed as soon as the call is over.
    """

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        self.frames = 0
        self._fps = fps
        self._since_key = 0
        self._waiting: deque[int] = deque()  # how often each picture inside x264 is to be repeated
        self._written = 0
        options = {
            "movflags": "+faststart",
            "movie_timescale": str(TIME_SCALE),
            "video_track_timescale": str(TIME_SCALE),
        }
        self._container = av.open(str(path), "w", format="mp4", options=options)
        self._stream = self._container.add_stream("libx264", rate=fps, options=x264_options())
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._context = self._stream.codec_context
        _set(self._context, fps)
        self._repeats = Repeats(_sample(width, height, fps))
        self._encoded = 0

    def write(self, frame: Any, repeat: int, *, key: bool, same: bool = False) -> None:
        """Show `frame` for `repeat` frames. `key`: a new stretch begins. `same`: it shows what the last one did."""
        distance = SECONDS_BETWEEN_KEY_FRAMES * self._fps
        if key and self.frames:
            self._begin_stretch()
        if same and not key and self.frames:
            shown = min(repeat, distance - self._since_key)
            self._hold(shown)
            repeat -= shown
        while repeat > 0:
            if key or self.frames == 0 or self._since_key >= distance:
                self._since_key = 0
            shown = min(repeat, distance - self._since_key)
            self._encode(frame, key=self._since_key == 0)
            self._hold(shown - 1)
            self._since_key += 1
            repeat -= shown
            key = False

    def close(self) -> None:
        """Write what x264 still holds and finish the file."""
        self._flush()
        self._container.close()

    def abort(self) -> None:
        """Let go of the file, which is not whole."""
        self._container.close()

    def _flush(self) -> None:
        for packet in self._context.encode(None):
            self._mux(packet)

    def _begin_stretch(self) -> None:
        """Go on with an encoder that has seen nothing yet."""
        self._flush()
        context = av.CodecContext.create("libx264", "w")
        context.width, context.height, context.pix_fmt = self._stream.width, self._stream.height, "yuv420p"
        _set(context, self._fps)
        context.options = x264_options()
        context.flags |= Flags.global_header  # the file has the parameter sets already
        self._context = context
        self._encoded = 0

    def _encode(self, frame: Any, *, key: bool) -> None:
        frame.time_base = Fraction(1, self._fps)
        frame.pts = self._encoded
        frame.pict_type = PictureType.I if key else PictureType.NONE
        self._encoded += 1
        self.frames += 1
        self._waiting.append(0)
        for packet in self._context.encode(frame):
            self._mux(packet)

    def _hold(self, repeat: int) -> None:
        """Show the last picture for `repeat` frames more: now, or as soon as x264 lets it out."""
        self.frames += repeat
        self._since_key += repeat
        if self._waiting:
            self._waiting[-1] += repeat
        else:
            self._repeat(repeat)

    def _repeat(self, count: int) -> None:
        for _ in range(count):
            self._put(self._repeats.again(), key=False)

    def _mux(self, packet: Any) -> None:
        """Write a coded picture and its repeats."""
        self._put(self._repeats.pass_on(bytes(packet)), key=packet.is_keyframe)
        self._repeat(self._waiting.popleft())

    def _put(self, data: bytes, *, key: bool) -> None:
        packet = av.Packet(data)
        packet.stream = self._stream
        packet.time_base = Fraction(1, self._fps)
        packet.pts = packet.dts = self._written
        packet.duration = 1
        packet.is_keyframe = key
        self._container.mux(packet)
        self._written += 1


def _set(context: Any, fps: int) -> None:
    context.time_base = Fraction(1, fps)
    context.framerate = Fraction(fps, 1)
    context.thread_count = 1
    context.colorspace = Colorspace.ITU709
    context.color_range = ColorRange.MPEG
    context.color_primaries = ColorPrimaries.BT709
    context.color_trc = ColorTrc.BT709


def _sample(width: int, height: int, fps: int) -> list[bytes]:
    """What x264 makes of two equal pictures with the stream's settings."""
    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    _set(context, fps)
    context.options = x264_options()
    frame = av.VideoFrame(width, height, "yuv420p")
    for plane in frame.planes:
        np.frombuffer(plane, np.uint8)[:] = 128
    packets = []
    for number in range(2):
        frame.pts = number
        packets += context.encode(frame)
    return [bytes(packet) for packet in (*packets, *context.encode(None))]


class StreamThread:
    """A PictureStream on a thread of its own, behind a short queue: drawing and encoding overlap.

    `done` is called on that thread with each frame that it no longer needs; `on_frames` with the number of frames
    encoded so far.
    """

    def __init__(
        self, stream: PictureStream, done: Callable[[Any], None], on_frames: Callable[[int], None] | None = None
    ) -> None:
        self._stream = stream
        self._done = done
        self._on_frames = on_frames
        self._error: BaseException | None = None
        self._queue: Queue[tuple[Any, int, bool, bool] | None] = Queue(QUEUE_LENGTH)
        self._thread = Thread(target=self._run, name="encoder", daemon=True)
        self._thread.start()

    @property
    def frames(self) -> int:
        """Frames encoded; final once `finish` has returned."""
        return self._stream.frames

    def write(self, frame: Any, repeat: int, *, key: bool, same: bool = False) -> None:
        """Hand a frame over until it is done with. Raises what the encoder failed with."""
        if self._error is not None:
            raise self._error
        self._queue.put((frame, repeat, key, same))

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

    def _run(self) -> None:
        """Take frames until None. After a fault the queue is still emptied, so that the drawing side never blocks."""
        while (item := self._queue.get()) is not None:
            frame, repeat, key, same = item
            try:
                if self._error is None:
                    self._stream.write(frame, repeat, key=key, same=same)
                    if self._on_frames is not None:
                        self._on_frames(self._stream.frames)
            except BaseException as error:
                self._error = error
            self._done(frame)
        try:
            if self._error is None:
                self._stream.close()
            else:
                self._stream.abort()
        except BaseException as error:
            self._error = self._error or error
