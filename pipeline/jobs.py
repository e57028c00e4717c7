"""What a render worker is told and what it answers, as JSON lines. Imported on both sides, so it is light."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

# Exit status of a worker whose parent has gone.
ORPHANED = 9


@dataclass(frozen=True)
class Job:
    """One clip to be rendered. Paths are absolute."""

    scene_id: str
    scene: str  # file.Class
    scenes_folder: str
    storyboard: str
    language: str
    quality: str
    gap: int  # frames of stillness at the end
    target: str  # the clip
    fingerprint: str
    sources: str  # digest of the source text; it must be the same when the clip is done
    work_folder: str  # for manim's own files; private to the job

    def to_line(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Job:
        return cls(**json.loads(line))


@dataclass(frozen=True)
class ClipCue:
    """What is said from one frame of the clip to another (end exclusive)."""

    beat: str
    start_frame: int
    end_frame: int
    words: str
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sidecar:
    """What is known of a whole clip; it lies beside it as JSON and is written after it."""

    scene_id: str
    language: str
    quality: str
    fingerprint: str
    fps: int
    frames: int
    cues: tuple[ClipCue, ...]
    sha256: str
    size: int  # bytes
    render_seconds: float = field(compare=False, default=0.0)

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Sidecar:
        """Raises TypeError, KeyError or ValueError for data that is not a sidecar's."""
        cues = tuple(ClipCue(**{**cue, "steps": tuple(cue["steps"])}) for cue in data["cues"])
        return cls(**{**data, "cues": cues})


@dataclass(frozen=True)
class Failure:
    """Why a clip could not be rendered. `line` of the scene's file where the fault shows, 0 where it is not known."""

    scene_id: str
    beat: str | None
    error: str
    scene_file: str
    line: int = 0
    details: tuple[str, ...] = ()
