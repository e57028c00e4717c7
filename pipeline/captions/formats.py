"""Captions and chapters as files: WebVTT and SubRip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from .cues import Caption


def vtt(captions: Iterable[Caption], fps: int) -> str:
    """The captions as a WebVTT file."""
    blocks = ["WEBVTT"]
    for caption in captions:
        start, end = (_time(frame, fps, ".") for frame in (caption.start_frame, caption.end_frame))
        blocks.append("\n".join([caption.name, f"{start} --> {end}", *map(_escaped, caption.lines)]))
    return "\n\n".join(blocks) + "\n"


def srt(captions: Iterable[Caption], fps: int) -> str:
    """The captions as a SubRip file."""
    blocks = []
    for number, caption in enumerate(captions, 1):
        start, end = (_time(frame, fps, ",") for frame in (caption.start_frame, caption.end_frame))
        blocks.append("\n".join([str(number), f"{start} --> {end}", *(_unarrowed(line) for line in caption.lines)]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def chapters_vtt(chapters: Sequence[tuple[str, int, int]], fps: int) -> str:
    """Chapters (title, first frame, end) as a WebVTT file for `<track kind="chapters">`."""
    blocks = ["WEBVTT"]
    for number, (title, first, end) in enumerate(chapters, 1):
        times = f"{_time(first, fps, '.')} --> {_time(end, fps, '.')}"
        blocks.append("\n".join([str(number), times, _escaped(" ".join(title.split()))]))
    return "\n\n".join(blocks) + "\n"


def _escaped(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unarrowed(line: str) -> str:
    """SubRip has no escapes; what would be read as a time is written otherwise."""
    return line.replace("-->", "→")


def _time(frame: int, fps: int, point: str) -> str:
    milliseconds = round(Fraction(frame * 1000, fps))
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"
