"""Where clips lie, and whether the one that is there can be used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .files import sha256_of
from .fingerprint import Model
from .jobs import Sidecar
from .qualities import Quality
from .storyboard import Entry, Film, Storyboard

# What the stage adds to the words of a beat; only for guessing the length before it is known.
_BREATH = 0.7
_SHORTEST_BEAT = 3.0


@dataclass(frozen=True)
class Media:
    """The output folder."""

    root: Path

    @property
    def work(self) -> Path:
        """For what lives only as long as a render."""
        return self.root / ".work"

    @property
    def logs(self) -> Path:
        """What failed scenes had to say."""
        return self.root / "logs"

    @property
    def sources(self) -> Path:
        """What was read from source files, so that the next run need not parse them."""
        return self.root / ".sources.json"

    def clip(self, quality: Quality, language: str, scene_id: str, fingerprint: str, model: str) -> Path:
        """Where a clip is written. Clips that differ in the model's values alone lie side by side."""
        return self.root / "clips" / quality.name / language / f"{scene_id}-{fingerprint}.{model[:8]}.mp4"

    def film(self, language: str, name: str) -> Path:
        return self.root / "film" / language / f"{name}.mp4"


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip that the film needs. Each is itself only, so it can be a key."""

    entry: Entry
    language: str
    quality: Quality
    path: Path
    fingerprint: str
    parts: Mapping[str, str]  # what the fingerprint is the digest of
    model: Model
    sources: str
    estimate: int  # frames, guessed from the words
    narration: str = ""  # as a Job has it

    @property
    def captions(self) -> Path:
        return self.path.with_suffix(".vtt")

    def at(self, path: Path) -> Clip:
        """The same clip in another file."""
        return replace(self, path=path)


def find(clip: Clip) -> tuple[Clip, Sidecar] | None:
    """The file that is this clip, and what is known of it; None where it must be rendered.

    Beside the one that was rendered with this very model, one of another model will do if all values that the scene
    looked up are the same in both.
    """
    pattern = f"{clip.entry.id}-{clip.fingerprint}.*.mp4"
    others = sorted(path for path in clip.path.parent.glob(pattern) if path != clip.path)
    for candidate in (clip.at(path) for path in (clip.path, *others)):
        if sidecar := usable(candidate):
            return candidate, sidecar
    return None


def usable(clip: Clip) -> Sidecar | None:
    """The sidecar of a whole, fitting clip; None where this file cannot be used.

    Nothing is taken on trust: the sidecar must be readable and speak of this very clip, every value that the scene
    looked up must still be the same, and the clip's bytes must have the size and digest that the sidecar states.
    """
    sidecar = sidecar_of(clip.path)
    fits = sidecar is not None and speaks_of(sidecar, clip) and not outdated(sidecar, clip.model)
    return sidecar if fits and sidecar is not None and whole(clip.path, sidecar) else None


def damaged(clip: Clip) -> bool:
    """Whether a file of this very clip is there although it cannot be used: cut short, changed, or another one's."""
    return (clip.path.exists() or clip.path.with_suffix(".json").exists()) and usable(clip) is None


def sidecar_of(path: Path) -> Sidecar | None:
    """What is known of the clip at `path`; None where that cannot be read."""
    try:
        return Sidecar.from_data(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def speaks_of(sidecar: Sidecar, clip: Clip) -> bool:
    """Whether the sidecar is that of `clip`, made of the same parts."""
    return (sidecar.fingerprint, sidecar.scene_id, sidecar.language, sidecar.quality) == (
        clip.fingerprint,
        clip.entry.id,
        clip.language,
        clip.quality.name,
    )


def outdated(sidecar: Sidecar, model: Model) -> list[str]:
    """The keys of the trace whose values the clip shows and that have other values now; "*" where it did not say."""
    if sidecar.model == model.digest:
        return []
    if sidecar.reads is None:
        return ["*"]
    return [key for key, digest in sidecar.reads.items() if model.value_digest(key) != digest]


def whole(path: Path, sidecar: Sidecar) -> bool:
    """Whether the bytes at `path` are those that the sidecar speaks of."""
    try:
        return sidecar.size == path.stat().st_size and sidecar.sha256 == sha256_of(path)
    except OSError:
        return False


def beat_frames(entry: Entry, language: str, film: Film, quality: Quality) -> dict[str, int]:
    """About how many frames each beat will have, from the reading time of its words; stillness belongs to the last."""
    seconds = {
        name: max(_SHORTEST_BEAT, entry.seconds, film.reading_time(beat.words[language], language) + _BREATH)
        for name, beat in entry.beats.items()
    }
    last = next(reversed(seconds), None)
    if last is not None:
        seconds[last] += film.gap
    return {name: max(1, quality.frames(time)) for name, time in seconds.items()}


def estimated_frames(entry: Entry, language: str, film: Film, quality: Quality) -> int:
    """About how many frames the clip will have."""
    return sum(beat_frames(entry, language, film, quality).values())


def newest(clip: Clip) -> Sidecar | None:
    """What is known of the newest clip of the same scene, language and quality, whole or not; None: there is none."""
    found: tuple[int, Sidecar] | None = None
    for path in clip.path.parent.glob(f"{clip.entry.id}-*.json"):
        sidecar = sidecar_of(path)
        if sidecar is not None and sidecar.scene_id == clip.entry.id:
            changed = path.stat().st_mtime_ns
            found = max(found, (changed, sidecar), key=lambda pair: pair[0]) if found else (changed, sidecar)
    return found[1] if found else None


def last_seconds(clip: Clip) -> float | None:
    """How long the newest clip of the same scene, language and quality took its workers; None where there is none."""
    last = newest(clip)
    return last.render_seconds if last is not None and last.render_seconds > 0 else None


def film_name(
    storyboard: Storyboard, language: str, quality: Quality, scenes: list[str] | None, *, incomplete: bool = False
) -> str:
    """The film's file name without suffix.

    A film of some scenes, or one that lacks scenes that failed, has a name of its own and never replaces the whole.
    """
    titles = storyboard.film.title
    slugs = [slug for title in (titles.get("en", ""), *titles.values()) if (slug := slug_of(title))]
    parts = [slugs[0] if slugs else "film", language]
    if quality.name != "standard":
        parts.append(quality.name)
    if scenes is not None:
        parts += scenes if len(scenes) <= 3 else [scenes[0], "to", scenes[-1], str(len(scenes))]
    if incomplete:
        parts.append("incomplete")
    return "-".join(parts)


def slug_of(title: str) -> str:
    """`title` in small ASCII letters, digits and hyphens; empty where it has none of them."""
    letters = "".join(char if char.isascii() and char.isalnum() else " " for char in title.lower())
    return "-".join(letters.split())[:60].strip("-")
