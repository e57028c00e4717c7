"""The transcript: everything that is said, by chapter, with the time of each beat."""

from __future__ import annotations

from collections.abc import Sequence

from ..jobs import ClipCue


def transcript(title: str, chapters: Sequence[tuple[str, Sequence[ClipCue]]], starts: Sequence[int], fps: int) -> str:
    """Markdown. `chapters`: cues of each clip and the title of the chapter that begins with it ("" where one goes on);
    `starts`: the first frame of each clip in the film."""
    lines = [f"# {title}", ""]
    for (heading, cues), start in zip(chapters, starts, strict=False):
        if heading:
            lines += [f"## {heading} ({clock(start, fps)})", ""]
        for cue in cues:
            if not cue.words:  # a card that says nothing
                continue
            lines += [f"[{clock(start + cue.start_frame, fps)}] {' '.join(cue.words.split())}", ""]
    return "\n".join(lines).rstrip() + "\n"


def clock(frame: int, fps: int) -> str:
    """A frame's time as minutes and seconds."""
    seconds = frame // fps
    return f"{seconds // 60}:{seconds % 60:02}"
