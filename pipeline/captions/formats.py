"""Captions and chapters as files: WebVTT and SubRip; and as the text that a film's file holds.

WebVTT has escapes. SubRip and the text in an MP4 file have none, yet players take some of what stands there for codes:
all that show them through ffmpeg's styled form take a backslash with n, N or h, and hide what stands in braces; in
SubRip many hide what stands in angle brackets, or replace entities, too. So there an invisible word joiner parts what
would be read as a code, as ffmpeg does it itself. Where that does not help, brackets are written in their wide form:
a reader sees nearly what was written, instead of nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from .cues import Caption

_JOINER = "\N{WORD JOINER}"
_BACKSLASH_CODE = re.compile(r"\\(?=[nNh])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_WIDE_BRACES = str.maketrans("{}", "｛｝")
_WIDE_ANGLES = str.maketrans("<>", "＜＞")


def vtt(captions: Iterable[Caption], fps: int) -> str:
    """The captions as a WebVTT file."""
    blocks = ["WEBVTT"]
    for caption in captions:
        start, end = (_time(frame, fps, ".") for frame in (caption.start_frame, caption.end_frame))
        blocks.append("\n".join([caption.name, f"{start} --> {end}", *map(_escaped, caption.lines)]))
    return "\n\n".join(blocks) + "\n"


def srt(captions: Iterable[Caption], fps: int) -> str:
    """The captions as a SubRip file, which has no escapes (see above)."""
    blocks = []
    for number, caption in enumerate(captions, 1):
        start, end = (_time(frame, fps, ",") for frame in (caption.start_frame, caption.end_frame))
        blocks.append("\n".join([str(number), f"{start} --> {end}", subrip_text(caption.lines)]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def film_text(lines: Sequence[str]) -> str:
    """The lines of a caption as the film's file holds them, so that no player takes any of it for a code."""
    return _BACKSLASH_CODE.sub(_parted, "\n".join(lines)).translate(_WIDE_BRACES)


def subrip_text(lines: Sequence[str]) -> str:
    """The lines of a caption as a SubRip file holds them, so that no player takes any of it for a code."""
    text = _ENTITY.sub(_parted, film_text(lines))
    # A lone ">" closes nothing: arrows stay as they are.
    return text.translate(_WIDE_ANGLES) if "<" in text or "-->" in text else text


def _parted(code: re.Match[str]) -> str:
    return code[0] + _JOINER


def chapters_vtt(chapters: Sequence[tuple[str, int, int]], fps: int) -> str:
    """Chapters (title, first frame, end) as a WebVTT file for `<track kind="chapters">`."""
    blocks = ["WEBVTT"]
    for number, (title, first, end) in enumerate(chapters, 1):
        times = f"{_time(first, fps, '.')} --> {_time(end, fps, '.')}"
        blocks.append("\n".join([str(number), times, _escaped(" ".join(title.split()))]))
    return "\n\n".join(blocks) + "\n"


def _escaped(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _time(frame: int, fps: int, point: str) -> str:
    milliseconds = round(Fraction(frame * 1000, fps))
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"
