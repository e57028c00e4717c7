"""Sound as arrays: read, written, measured, levelled. Mono, float32 between −1 and 1, 48 000 samples a second."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.audio.resampler import AudioResampler
from av.filter import Graph

from ..files import whole_file
from ..problems import UserError, shown_path

Samples = npt.NDArray[np.float32]

RATE = 48_000
LOUDNESS = -16.0  # LUFS of every beat
CEILING = 10 ** (-1.5 / 20)  # the highest sample: −1.5 dB, so that AAC has room above it
EDGE = 0.12  # seconds of silence at each edge of a beat

_QUIET = 10 ** (-46 / 20)  # of the loudest sample: what is below it is silence
_MARGIN = 0.03  # seconds kept around what is not silence, so that no consonant is cut
_FADE = 0.01  # seconds
_LIMITER_WINDOW = 0.003  # seconds


def read(path: Path) -> Samples:
    """The sound file `path` (WAV, MP3, FLAC, whatever ffmpeg reads), mixed to mono at `RATE`. Raises UserError."""
    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise UserError(f"{shown_path(path)}: there is no sound in it\n    next: record it again as WAV or MP3")
            resampler = AudioResampler(format="flt", layout="mono", rate=RATE)
            parts = [
                frame.to_ndarray().reshape(-1)
                for decoded in container.decode(container.streams.audio[0])
                for frame in resampler.resample(decoded)
            ]
            parts += [frame.to_ndarray().reshape(-1) for frame in resampler.resample(None)]
    except (av.FFmpegError, OSError) as error:
        with suppress(OSError):
            if not path.stat().st_size:
                raise UserError(f"{shown_path(path)}: it is empty\n    next: record it again") from None
        raise UserError(
            f"{shown_path(path)}: it cannot be read as sound: {error.strerror or error}\n"
            "    next: record it again as WAV or MP3"
        ) from None
    return np.concatenate(parts).astype(np.float32) if parts else np.zeros(0, np.float32)


def resampled(samples: Samples, rate: int) -> Samples:
    """Mono `samples` of another rate at `RATE`."""
    if rate == RATE or not len(samples):
        return samples
    frame = _frame(samples, rate)
    resampler = AudioResampler(format="flt", layout="mono", rate=RATE)
    frames = [*resampler.resample(frame), *resampler.resample(None)]
    return np.concatenate([part.to_ndarray().reshape(-1) for part in frames]).astype(np.float32)


def write(path: Path, samples: Samples) -> None:
    """`samples` as a 16-bit WAV, whole or not at all."""
    with whole_file(path) as temporary, wave.open(str(temporary), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(integers(samples).tobytes())


def read_own(path: Path) -> Samples:
    """A file that `write` wrote, without decoding and resampling. Raises UserError, OSError or EOFError for others."""
    try:
        with wave.open(str(path), "rb") as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
                raise UserError(f"{shown_path(path)}: not 16 bits, mono, {RATE} samples a second")
            data = file.readframes(file.getnframes())
    except wave.Error as error:
        raise UserError(f"{shown_path(path)}: not a WAV file: {error}") from None
    return np.asarray(np.frombuffer(data, "<i2") / np.float32(32767), np.float32)


def integers(samples: Samples) -> npt.NDArray[np.int16]:
    """`samples` as 16-bit numbers."""
    return np.round(np.clip(samples, -1, 1) * 32767).astype("<i2")


def _frame(samples: Samples, rate: int) -> Any:
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples, np.float32)[None, :], format="flt", layout="mono")
    frame.sample_rate = rate
    return frame


def silence(seconds: float) -> Samples:
    """`seconds` of nothing."""
    return np.zeros(round(seconds * RATE), np.float32)


def trimmed(samples: Samples) -> Samples:
    """`samples` without the silence at its edges, faded in and out. Empty where there is nothing but silence."""
    loud = np.flatnonzero(np.abs(samples) > max(_QUIET * float(np.abs(samples).max(initial=0)), 1e-4))
    if not len(loud):
        return np.zeros(0, np.float32)
    margin = round(_MARGIN * RATE)
    part = samples[max(loud[0] - margin, 0) : loud[-1] + margin].astype(np.float32)
    length = min(round(_FADE * RATE), len(part))
    part[:length] *= np.linspace(0, 1, length, dtype=np.float32)
    part[len(part) - length :] *= np.linspace(1, 0, length, dtype=np.float32)
    return part


def loudness(samples: Samples) -> float:
    """The integrated loudness of `samples` in LUFS (ITU-R BS.1770, ffmpeg's ebur128); −70 where there is nothing."""
    # Gating needs blocks of 0.4 s; what is shorter is played until there are some.
    least = round(0.8 * RATE)
    if len(samples) < least:
        samples = np.tile(samples, -(-least // max(len(samples), 1))) if len(samples) else silence(0.8)
    graph = Graph()
    source = graph.add_abuffer(sample_rate=RATE, format="flt", layout="mono", time_base=Fraction(1, RATE))
    meter = graph.add("ebur128", "metadata=1")
    sink = graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    found = -70.0
    for start in range(0, len(samples), RATE):
        frame = _frame(samples[start : start + RATE], RATE)
        frame.pts = start
        source.push(frame)
        found = _latest(sink, found)
    source.push(None)
    return max(_latest(sink, found), -70.0)


def _latest(sink: Any, found: float) -> float:
    while True:
        try:
            frame = sink.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return found
        found = float(frame.metadata.get("lavfi.r128.I", found))


def levelled(samples: Samples, target: float = LOUDNESS) -> Samples:
    """`samples` at `target` LUFS, peaks held under `CEILING`. What is next to silence stays as it is."""
    for _ in range(3):  # holding the peaks takes a little loudness away, which the next round gives back
        found = loudness(samples)
        if found <= -60 or abs(found - target) < 0.1:
            return samples
        samples = limited(samples * np.float32(10 ** ((target - found) / 20)))
    return samples


def limited(samples: Samples) -> Samples:
    """`samples` with its peaks held under `CEILING` by turning down smoothly around them."""
    if float(np.abs(samples).max(initial=0)) <= CEILING:
        return samples
    window = round(_LIMITER_WINDOW * RATE) | 1
    gain = np.minimum(1.0, CEILING / np.maximum(np.abs(samples), 1e-9))
    # The least gain of a window, then its mean over another: at a peak the mean is of values that are all low enough.
    padded = np.pad(gain, window - 1, constant_values=1.0)
    least = np.lib.stride_tricks.sliding_window_view(padded, window).min(axis=1)
    smooth = np.convolve(least, np.full(window, 1 / window), mode="valid")
    return (samples * smooth[: len(samples)]).astype(np.float32)


def pauses(samples: Samples, shortest: float = 0.12) -> list[tuple[float, float]]:
    """The silences inside `samples` that last `shortest` seconds or more, as (start, end) in seconds."""
    hop = round(0.01 * RATE)
    count = len(samples) // hop
    if not count:
        return []
    level = np.abs(samples[: count * hop]).reshape(count, hop).max(axis=1)
    quiet = np.concatenate([[False], level < 10 ** (-36 / 20) * float(level.max()), [False]])
    edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
    spans: Sequence[tuple[int, int]] = list(zip(edges[::2], edges[1::2], strict=True))
    return [(a * hop / RATE, b * hop / RATE) for a, b in spans if (b - a) * hop >= shortest * RATE and a and b < count]
