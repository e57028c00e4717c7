"""A film's manifest: what it was joined from and what came out, as JSON beside it.

A film whose manifest still fits, and whose bytes still have the digest that the manifest states, is the film that was
verified when it was joined; nothing has to be done for it. The manifest also remembers which clips earlier versions of
the film were made of, so that `explain prune` can keep them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

from .cards import headings
from .files import sha256_of, write_json
from .jobs import ClipCue, Sidecar
from .qualities import Quality
from .voice.narration import SpokenBeat, sound_digests

# How many versions of a film are remembered, and of how many `explain prune` keeps the clips.
VERSIONS = 20
KEEP = 3
# What decides how clips become a film; a change of it joins every film again, which takes seconds.
_PROGRAM = (
    *(
        "film*.py",
        "gate.py",
        "seams.py",
        "cards.py",
        "manifest.py",
        "captions/*.py",
        "reading.py",
        "segment.py",
        "sentences.py",
    ),
    *("voice/sound.py", "voice/soundtrack.py"),
)
# The files with words beside a film, by what takes the place of .mp4.
FILM_SUFFIXES = (".vtt", ".srt", ".chapters.vtt", ".transcript.md")


@dataclass(frozen=True)
class Part:
    """One clip of the film."""

    clip: Path
    sidecar: Sidecar
    title: str
    spoken: Mapping[str, SpokenBeat] = field(default_factory=dict)  # by beat; empty where it is silent
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # language -> beat -> words
    card: bool = False  # a card of the film: it has no chapter of its own

    @property
    def captions(self) -> Path:
        """What is said in it, as a file of its own."""
        return self.clip.with_suffix(".vtt")


@dataclass(frozen=True)
class JoinedFilm:
    """A film that is in place. `unchanged`: it was there already."""

    path: Path
    captions: Path
    frames: int
    seconds: float
    size: int
    unchanged: bool = False
    plain: Path | None = None  # the copy with one stream of picture and one of sound, and nothing else


def chapters_of(parts: Sequence[tuple[str, bool, int]]) -> list[tuple[str, int, int]]:
    """Title, first frame and end of each chapter. `parts`: title, whether it is a card, and frames of each clip."""
    starts = list(accumulate((frames for *_, frames in parts), initial=0))
    begun = [
        (title, start) for title, start in zip(headings([part[:2] for part in parts]), starts, strict=False) if title
    ]
    ends = [*(start for _, start in begun[1:]), starts[-1]]
    return [(title, start, end) for (title, start), end in zip(begun, ends, strict=True)]


def film_chapters(parts: Sequence[Part]) -> list[tuple[str, int, int]]:
    """The chapters of the film of `parts`; see `chapters_of`."""
    return chapters_of([(part.title, part.card, part.sidecar.frames) for part in parts])


def plain_copy(film: Path) -> Path:
    """Where the film's copy without chapters and captions inside lies."""
    return film.with_name(f"{film.stem}.plain.mp4")


def beside_film(film: Path) -> list[Path]:
    """Everything that is written with the film at `film`, its manifest aside."""
    return [*(film.with_suffix(suffix) for suffix in (*FILM_SUFFIXES, ".described.md")), plain_copy(film)]


def fingerprint_of(made_from: Mapping[str, Any]) -> str:
    """A digest of all that the film is made from; it stands in the film's file."""
    return _digest(made_from)


def manifest_of(film: Path) -> Path:
    """Where the manifest of the film at `film` lies."""
    return film.with_suffix(".json")


def recipe(parts: Sequence[Part], target: Path, quality: Quality, **settings: str) -> dict[str, Any]:
    """All that decides what the film's files hold: clips, titles, words, settings and the program that joins them.

    `settings`: language, title, unit of reading, whatever else the film is made with.
    """
    return {
        "quality": {"name": quality.name, "width": quality.width, "height": quality.height, "fps": quality.fps},
        "settings": settings,
        "program": _program(),
        "parts": [
            {
                "scene": part.sidecar.scene_id,
                "clip": Path(os.path.relpath(part.clip, target.parent)).as_posix(),
                "sha256": part.sidecar.sha256,
                "frames": part.sidecar.frames,
                "title": part.title,
                **({"card": True} if part.card else {}),
                # Words that are only spoken change the captions and not a byte of the clip.
                "cues": _digest([_said(cue) for cue in part.sidecar.cues]),
                "sound": _digest(sound_digests(part.spoken)) if part.spoken else "",
                "others": _digest({language: dict(words) for language, words in part.others.items()}),
            }
            for part in parts
        ],
    }


def _said(cue: ClipCue) -> dict[str, Any]:
    """What the film's files hold of a cue: where the numbers in its words come from is the course's."""
    return {name: value for name, value in vars(cue).items() if name != "origins"}


def write_manifest(film: JoinedFilm, made_from: dict[str, Any], sha256: str, pictures: Sequence[str]) -> None:
    """Write the manifest of the film just joined.

    Taken before it got its name: `sha256`, its digest, and `pictures`, those of each part's pictures (coded.py).
    """
    path = manifest_of(film.path)
    parts = made_from["parts"]
    found = chapters_of([(part["title"], part.get("card", False), part["frames"]) for part in parts])
    chapters = [{"title": title, "start_frame": start, "end_frame": end} for title, start, end in found]
    data = {
        "made_from": made_from,
        "film": {"file": film.path.name, "sha256": sha256, "size": film.size, "frames": film.frames}
        | {"plain_size": plain_copy(film.path).stat().st_size},
        "captions": [
            {"file": name, "sha256": sha256_of(path.parent / name)} for name in _captions(film.path, made_from)
        ],
        "chapters": chapters,
        "pictures": list(pictures),
        "joined": datetime.now(UTC).isoformat(timespec="seconds"),
        "earlier": _earlier(path, made_from),
    }
    write_json(path, data)


def film_in_place(target: Path, made_from: dict[str, Any]) -> JoinedFilm | None:
    """The film at `target` if it is, byte for byte, the one that was once joined from `made_from`; else None."""
    captions = target.with_suffix(".vtt")
    try:
        data = json.loads(manifest_of(target).read_text(encoding="utf-8"))
        told = data["film"]
        fits = (
            data["made_from"] == made_from
            and told["frames"] == sum(part["frames"] for part in made_from["parts"])
            and told["size"] == target.stat().st_size
            and told["sha256"] == sha256_of(target)
            and plain_copy(target).stat().st_size == told["plain_size"]
            and [file["file"] for file in data["captions"]] == _captions(target, made_from)
            and all(file["sha256"] == sha256_of(target.parent / file["file"]) for file in data["captions"])
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not fits:
        return None
    fps = made_from["quality"]["fps"]
    seconds = told["frames"] / fps
    return JoinedFilm(target, captions, told["frames"], seconds, told["size"], unchanged=True, plain=plain_copy(target))


def versions_of(manifest: Path, keep: int) -> list[list[Path]] | None:
    """The clips of the newest `keep` versions of a film, newest first; None where the manifest cannot be read."""
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
        names = [[part["clip"] for part in data["made_from"]["parts"]]]
        names += [earlier["clips"] for earlier in data["earlier"]]
        return [[Path(os.path.normpath(manifest.parent / name)) for name in clips] for clips in names[:keep]]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _captions(target: Path, made_from: dict[str, Any]) -> list[str]:
    """The files with the words of the film at `target` and of its clips, as seen from the film's folder."""
    clips = [PurePosixPath(part["clip"]) for part in made_from["parts"]]
    own = [target.with_suffix(suffix).name for suffix in FILM_SUFFIXES]
    return [*own, *(clip.with_suffix(suffix).as_posix() for clip in clips for suffix in (".vtt", ".srt"))]


def _earlier(path: Path, made_from: dict[str, Any]) -> list[dict[str, Any]]:
    """The versions before this one, newest first; one that was made of the same clips is not kept twice."""
    clips = [part["clip"] for part in made_from["parts"]]
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        last = {"joined": data["joined"], "clips": [part["clip"] for part in data["made_from"]["parts"]]}
        found = [version for version in [last, *data["earlier"]] if version["clips"] != clips]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    return found[: VERSIONS - 1]


@lru_cache(maxsize=1)
def _program() -> str:
    here = Path(__file__).resolve().parent
    return _digest([sha256_of(path) for pattern in _PROGRAM for path in sorted(here.glob(pattern))])


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]
