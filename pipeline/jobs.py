"""What a render worker is told and what it answers, as JSON lines. Imported on both sides, so it is light."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

# Exit status of a worker whose parent has gone.
ORPHANED = 9
# Asks a worker to write into its log where it is.
ASKED = signal.SIGUSR1
# Private memory of a worker, in bytes: several times what a scene takes at 2160p.
MEMORY_LIMIT = 6 << 30
# Minutes of film that one scene may have.
LONGEST_SCENE = 30


class SceneFaultError(RuntimeError):
    """What a scene drew cannot be used; the message says why."""


def check_beats(names: Sequence[str], beats: Sequence[str]) -> None:
    """Raise SceneFaultError unless the beats that a scene played are the storyboard's."""
    if list(names) != list(beats):
        raise SceneFaultError(f"the scene played the beats {', '.join(names)}; the storyboard has {', '.join(beats)}")


@dataclass(frozen=True)
class Job:
    """A clip, or the beats of it from `first_beat` up to `end_beat`, to be drawn. Paths are absolute.

    None for `first_beat`: from the scene's first frame. None for `end_beat`: to its last one, and `gap` frames of
    stillness.
    """

    scene_id: str
    scene: str  # file.Class
    scenes_folder: str
    storyboard: str
    language: str
    quality: str
    gap: int  # frames of stillness at the end
    sources: str  # digest of the source text; it must be the same when the clip is done
    work_folder: str  # for the piece drawn and manim's own files; private to the job
    renderer: str = "fast"  # or manim
    first_beat: str | None = None
    end_beat: str | None = None
    narration: str = ""  # JSON: scene -> beat -> its seconds and words; empty where the film is silent
    said: str = ""  # JSON: beat -> words as the storyboard has them; then nothing is drawn, the words are filled in

    @property
    def piece(self) -> str:
        """The file that is drawn."""
        return f"{self.work_folder}/piece.mp4"

    def to_line(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Job:
        return cls(**json.loads(line))


def log_of(job: Job) -> str:
    """The file with whatever was printed while `job` was drawn."""
    return f"{job.work_folder}/log.txt"


@dataclass(frozen=True)
class NumberOrigin:
    """Where a number in the words comes from: the placeholder that it fills; the entries of the trace, the main one
    first (an index of () is the whole array), or a setting of the model; and how it is reckoned from them."""

    name: str
    places: tuple[tuple[str, tuple[int, ...]], ...] = ()
    setting: str = ""
    how: str = ""


@dataclass(frozen=True)
class ClipCue:
    """What is said from one frame of the clip to another (end exclusive)."""

    beat: str
    start_frame: int
    end_frame: int
    words: str
    steps: tuple[int, ...] = ()
    origins: tuple[NumberOrigin, ...] = ()  # of the numbers in the words, as far as the scene says


@dataclass(frozen=True)
class Drawn:
    """What a worker says of a piece that it has drawn."""

    start_frame: int  # the scene's frames before it
    frames: int  # in the file, those held at the end included
    cues: tuple[ClipCue, ...]  # frames count from the scene's beginning
    seconds: float  # of the worker's time
    memory: int  # the most bytes of memory that the worker's process has held so far
    reads: dict[str, str] | None = None  # trace keys that the scene looked up, with digests; None: it did not say

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Drawn:
        return cls(**{**data, "cues": cues_of(data["cues"])})


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
    render_seconds: float = field(compare=False, default=0.0)  # of all its workers together
    memory: int = field(compare=False, default=0)  # the most bytes that one of its workers held
    parts: dict[str, str] = field(default_factory=dict)  # what its fingerprint is the digest of; see fingerprint.py
    model: str = ""  # what all values of the model followed from
    reads: dict[str, str] | None = None  # the values that it shows: trace keys with digests; None: any of the model's

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Sidecar:
        """Raises TypeError, KeyError or ValueError for data that is not a sidecar's."""
        return cls(**{**data, "cues": cues_of(data["cues"])})


def cues_of(data: Iterable[dict[str, Any]]) -> tuple[ClipCue, ...]:
    """Cues from their JSON form."""
    return tuple(
        ClipCue(**{**cue, "steps": tuple(cue["steps"]), "origins": origins_of(cue.get("origins", ()))}) for cue in data
    )


def origins_of(data: Iterable[dict[str, Any]]) -> tuple[NumberOrigin, ...]:
    """Origins of numbers from their JSON form."""
    return tuple(
        NumberOrigin(
            str(one["name"]),
            tuple((str(key), tuple(int(at) for at in index)) for key, index in one["places"]),
            str(one["setting"]),
            str(one["how"]),
        )
        for one in data
    )


@dataclass(frozen=True)
class Failure:
    """Why a clip could not be rendered. `line` of the scene's file where the fault shows, 0 where it is not known."""

    scene_id: str
    beat: str | None
    error: str
    scene_file: str
    line: int = 0
    details: tuple[str, ...] = ()
