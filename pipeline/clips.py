"""Where clips lie, and whether the one that is there can be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .files import sha256_of
from .jobs import Sidecar
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


def beat_frames(entry: Entry, language: str, film: Film, quality: Quality) -> dict[str, int]:
    """About how many frames each beat will have, from the reading time of its words; stillness belongs to the last."""
    seconds = {
        name: max(_SHORTEST_BEAT, film.reading_time(beat.words[language], language) + _BREATH)
        for name, beat in entry.beats.items()
    }
    last = next(reversed(seconds), None)
    if last is not None:
        seconds[last] += film.gap
    return {name: max(1, quality.frames(time)) for name, time in seconds.items()}


def estimated_frames(entry: Entry, language: str, film: Film, quality: Quality) -> int:
    """About how many frames the clip will have."""
    return sum(beat_frames(entry, language, film, quality).values())


def last_seconds(clip: Clip) -> float | None:
    """How long the newest clip of the same scene, language and quality took its workers; None where there is none."""
    newest: tuple[float, float] | None = None
    for path in clip.path.parent.glob(f"{clip.entry.id}-*.json"):
        try:
            sidecar = Sidecar.from_data(json.loads(path.read_text(encoding="utf-8")))
            if sidecar.scene_id == clip.entry.id and sidecar.render_seconds > 0:
                newest = max(newest or (0.0, 0.0), (path.stat().st_mtime, sidecar.render_seconds))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return newest[1] if newest else None


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
