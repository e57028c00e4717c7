"""Where clips lie, and whether the one that is there can be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .files import sha256_of
from .jobs import Job, Sidecar
from .qualities import Quality
from .storyboard import Entry, Film, Storyboard

# What the stage adds to the words of a beat; only for guessing the length before it is known.
_BREATH = 0.8
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

    def clip(self, quality: Quality, language: str, scene_id: str, fingerprint: str) -> Path:
        return self.root / "clips" / quality.name / language / f"{scene_id}-{fingerprint}.mp4"

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
    sources: str
    estimate: int  # frames, guessed from the words

    @property
    def captions(self) -> Path:
        return self.path.with_suffix(".vtt")

    def job(self, storyboard: Path, scenes: Path, gap: float, work: Path) -> Job:
        """What a worker is told to make this clip."""
        return Job(
            scene_id=self.entry.id,
            scene=self.entry.scene,
            scenes_folder=str(scenes.resolve()),
            storyboard=str(storyboard.resolve()),
            language=self.language,
            quality=self.quality.name,
            gap=self.quality.frames(gap),
            target=str(self.path.resolve()),
            fingerprint=self.fingerprint,
            sources=self.sources,
            work_folder=str((work / f"{self.entry.id}-{self.language}").resolve()),
        )


def usable(clip: Clip) -> Sidecar | None:
    """The sidecar of a whole, fitting clip; None where the clip must be rendered.

    Nothing is taken on trust: the sidecar must be readable and speak of this very clip, and the clip's bytes must have
    the size and digest that it states.
    """
    try:
        sidecar = Sidecar.from_data(json.loads(clip.path.with_suffix(".json").read_text(encoding="utf-8")))
        matches = (
            sidecar.fingerprint == clip.fingerprint
            and sidecar.scene_id == clip.entry.id
            and sidecar.language == clip.language
            and sidecar.quality == clip.quality.name
            and sidecar.size == clip.path.stat().st_size
            and sidecar.sha256 == sha256_of(clip.path)
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return sidecar if matches else None


def estimated_frames(entry: Entry, language: str, film: Film, quality: Quality) -> int:
    """About how many frames the clip will have, from the reading time of its words."""
    seconds = sum(
        max(_SHORTEST_BEAT, film.reading_time(beat.words[language], language) + _BREATH)
        for beat in entry.beats.values()
    )
    return max(1, quality.frames(seconds + film.gap))


def film_name(storyboard: Storyboard, language: str, quality: Quality, scenes: list[str] | None) -> str:
    """The film's file name without suffix. A film of some scenes has a name of its own and never replaces the whole."""
    titles = storyboard.film.title
    slugs = [slug for title in (titles.get("en", ""), *titles.values()) if (slug := slug_of(title))]
    parts = [slugs[0] if slugs else "film", language]
    if quality.name != "standard":
        parts.append(quality.name)
    if scenes is not None:
        parts += scenes if len(scenes) <= 3 else [scenes[0], "to", scenes[-1], str(len(scenes))]
    return "-".join(parts)


def slug_of(title: str) -> str:
    """`title` in small ASCII letters, digits and hyphens; empty where it has none of them."""
    letters = "".join(char if char.isascii() and char.isalnum() else " " for char in title.lower())
    return "-".join(letters.split())[:60].strip("-")
