"""What a joined film must be beyond its pictures: sound and captions. Each check returns what it finds wrong."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import unescape
from itertools import pairwise
from pathlib import Path

import av
import numpy as np

from .captions import Caption, film_text, subrip_text
from .captions.track import samples_of
from .voice import sound
from .voice.soundtrack import samples_at

LOUDEST_ERROR = 1.5  # LUFS between the film's loudness and the target
_AUDIBLE = 10 ** (-45 / 20)  # of full scale: the least peak under a caption


def sound_faults(path: Path, frames: int, fps: int, starts: Sequence[int], captions: Sequence[Caption]) -> list[str]:
    """Faults of the film's sound: where it begins and ends, at every chapter, how loud, under every caption.

    `starts`: first frames of the chapters and the end; `captions`: what is heard when.
    """
    faults: list[str] = []
    with av.open(str(path)) as container:
        streams = container.streams.audio
        if len(streams) != 1:
            return [f"{len(streams)} streams of sound, expected 1"]
        stream = streams[0]
        base = Fraction(stream.time_base or 0)
        if (stream.codec_context.name, stream.codec_context.sample_rate) != ("aac", sound.RATE):
            faults.append(f"the sound is {stream.codec_context.name} at {stream.codec_context.sample_rate} Hz")
        packets = [packet for packet in container.demux(stream) if packet.pts is not None and packet.size]
        times = [packet.pts * base for packet in packets]
        if stream.start_time:
            faults.append(f"the sound begins at {float(stream.start_time * base):.4f} s, expected 0")
        length = Fraction(stream.duration or 0) * base
        if abs(length - Fraction(frames, fps)) >= Fraction(1, fps):
            faults.append(f"the sound lasts {float(length):.3f} s, the picture {frames / fps:.3f} s")
        steps = {later - earlier for earlier, later in pairwise(times)}
        if steps - {Fraction(1024, sound.RATE)}:
            faults.append("the time stamps of the sound are not evenly spaced")
    samples = sound.read(path)
    found = sound.loudness(samples)
    if captions and abs(found - sound.LOUDNESS) > LOUDEST_ERROR:
        faults.append(f"loudness {found:.1f} LUFS, expected {sound.LOUDNESS:.0f} ± {LOUDEST_ERROR}")
    if float(np.abs(samples).max(initial=0)) >= 1.0:
        faults.append("the sound is clipped")
    if len(samples) < samples_at(starts[-1], fps):
        faults.append("the sound ends before the last chapter does")
    faults += [f"nothing is heard under the caption {name}" for name in _silent(samples, captions, fps)[:8]]
    return faults


def _silent(samples: sound.Samples, captions: Sequence[Caption], fps: int) -> list[str]:
    names = []
    for caption in captions:
        part = samples[samples_at(caption.start_frame, fps) : samples_at(caption.end_frame, fps)]
        if float(np.abs(part).max(initial=0)) < _AUDIBLE:
            names.append(caption.name)
    return names


def subtitle_faults(path: Path, expected: Sequence[tuple[str, Sequence[Caption]]], fps: int) -> list[str]:
    """Faults of the captions inside the file. `expected`: three-letter language code and captions of each stream."""
    faults: list[str] = []
    streams = samples_of(path)
    if [language for language, _ in streams] != [language for language, _ in expected]:
        return [f"captions in {[name for name, _ in streams]}, expected {[name for name, _ in expected]}"]
    for (language, captions), (_, found) in zip(expected, streams, strict=True):
        same = len(found) == len(captions) and all(
            abs(time - Fraction(caption.start_frame, fps)) < Fraction(2, 1000) and text == film_text(caption.lines)
            for (time, text), caption in zip(found, captions, strict=True)
        )
        if not same:
            faults.append(f"the captions in {language} inside the film are not those of its file")
    return faults


def caption_file_faults(path: Path, captions: Sequence[Caption], fps: int) -> list[str]:
    """Faults of a caption file, as ffmpeg reads it; it reads none that says nothing."""
    subrip = path.suffix == ".srt"  # which has no escapes
    if not captions and path.is_file() and subrip:
        return [] if not path.read_text(encoding="utf-8").strip() else [f"{path.name} does not read as it was written"]
    try:
        with av.open(str(path)) as container:
            stream = container.streams.subtitles[0]
            packets = [packet for packet in container.demux(stream) if packet.size and packet.pts is not None]
            times = [packet.pts * Fraction(packet.time_base) for packet in packets]
            texts = [bytes(packet).decode("utf-8") for packet in packets]
    except (av.FFmpegError, IndexError, OSError, UnicodeDecodeError) as error:
        return [f"{path.name} cannot be read: {error}"]
    same = len(times) == len(captions) and all(
        abs(time - Fraction(caption.start_frame, fps)) <= Fraction(1, 1000)
        and (text == subrip_text(caption.lines) if subrip else unescape(text) == "\n".join(caption.lines))
        for time, text, caption in zip(times, texts, captions, strict=True)
    )
    return [] if same else [f"{path.name} does not read as it was written"]
