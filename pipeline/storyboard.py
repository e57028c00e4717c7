"""storyboard.yaml as typed data: the words and the order of the film.

`load_storyboard` reads and checks everything at once; whatever is wrong comes back together, each with file:line. This
module is imported by every scene, so it needs neither manim nor PyAV.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from . import limits
from .fields import (
    NAME_ALLOWED,
    PRONUNCIATION_ALLOWED,
    STEPS_ALLOWED,
    Language,
    Name,
    SceneName,
    Spoken,
    Steps,
    Text,
    VoiceName,
    Words,
    open_mapping,
    shown_value,
    steps_of,
    wrong,
)
from .placeholders import FILM_PLACEHOLDERS, fill, film_values
from .problems import Problem, StoryboardError, did_you_mean, listed
from .reading import DEFAULT_SPEED, default_unit, reading_units
from .yaml_lines import load

__all__ = [
    "FILM_PLACEHOLDERS",
    "Beat",
    "CourseSettings",
    "Entry",
    "Film",
    "Poster",
    "Steps",
    "Storyboard",
    "StoryboardError",
    "fill",
    "film_values",
    "load_storyboard",
]

SHARED_STEP = 1  # the source sentence closes scene 1 and opens scene 2

Quality = Literal["draft", "standard", "high", "ultra"]
Track = Literal["shared", "training", "inference", "both"]
MapPlace = Literal["overview", "embedding", "encoder", "cross_attention", "decoder", "output"]
ReadingUnit = Literal["characters", "words"]
VoiceSource = Literal["none", "recordings", "kokoro"]

REPO_ROOT = Path(__file__).resolve().parents[1]
SCENES_FOLDER = "EXPLAINER_SCENES"
SCENES_CHECKED = "EXPLAINER_SCENES_CHECKED"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Beat(_Model):
    """What is said in one beat, by language, and the step numbers it stands for (none: it stays on the last one)."""

    steps: Annotated[tuple[int, ...], PlainValidator(lambda value: steps_of(value).numbers())] = Field(
        default=(), description=STEPS_ALLOWED
    )
    words: Spoken

    @model_validator(mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """In the file the languages stand beside `steps`."""
        if not isinstance(value, dict):
            raise wrong(f"{shown_value(value)} is not a beat", 'steps and words: {steps: 4, zh: "…", en: "…"}')
        words = {key: text for key, text in value.items() if key != "steps"}
        return ({"steps": value["steps"]} if "steps" in value else {}) | {"words": words}


class Poster(_Model):
    """The frame that stands for the film: the last one of a beat of a scene."""

    scene: Name = Field(description="the id of a scene that is drawn")
    beat: Name | None = Field(default=None, description="a beat of that scene; without it, the scene's own poster")


class CourseSettings(_Model):
    """What a learning platform is told of the film; see `explain course`."""

    watched: float = Field(default=0.9, ge=0.1, le=1, allow_inf_nan=False, description="0.1 to 1, a share of the scene")
    quizzes: bool = Field(default=False, description="true, false")
    passing: float = Field(default=0.6, ge=0, le=1, allow_inf_nan=False, description="0 to 1, a share of the questions")


class Card(_Model):
    """A few seconds before or after the scenes: a scene class, words to draw, and words to say where it speaks."""

    scene: SceneName = Field(description="file.Class, as in cards.TitleCard")
    seconds: float = Field(default=4, ge=3, le=5, allow_inf_nan=False, description="3 to 5 seconds")
    labels: Annotated[dict[Name, Words], BeforeValidator(open_mapping)] = Field(
        default={}, max_length=limits.LABELS, description=f"name: one text for each language; at most {limits.LABELS}"
    )
    words: Spoken | None = Field(default=None, description="what is said; without it the card is silent")


class Cards(_Model):
    """The cards of the film; each may be left out."""

    title: Card | None = Field(default=None, description="{scene: file.Class, labels: …}; before the first scene")
    end: Card | None = Field(default=None, description="{scene: file.Class, labels: …}; after the last scene")


class Entry(_Model):
    """One scene of the film."""

    id: Name = Field(description=NAME_ALLOWED)
    scene: SceneName = Field(description="file.Class, as in embedding.Embedding")
    steps: Annotated[Steps, PlainValidator(steps_of)] = Field(description=STEPS_ALLOWED)
    track: Track = Field(description="shared, training, inference, both")
    map: MapPlace = Field(description="overview, embedding, encoder, cross_attention, decoder, output")
    title: Words = Field(description="one text for each language")
    takeaway: Words = Field(description="one text for each language")
    labels: Annotated[dict[Name, Words], BeforeValidator(open_mapping)] = Field(
        default={}, max_length=limits.LABELS, description=f"name: one text for each language; at most {limits.LABELS}"
    )
    beats: dict[Name, Beat] = Field(
        min_length=1, max_length=limits.BEATS, description=f"1 to {limits.BEATS}: name: {{steps, a text by language}}"
    )
    draft: bool = Field(default=False, description="true, false")
    # No clip depends on it, so it is left out wherever an entry is dumped.
    poster: Name | None = Field(default=None, exclude=True, description="a beat of this scene")

    @property
    def module(self) -> str:
        """The scene file below the scenes' folder, without suffix: `embedding`."""
        return self.scene.rpartition(".")[0]

    @property
    def class_name(self) -> str:
        return self.scene.rpartition(".")[2]

    @property
    def card(self) -> str:
        """Which card of the film this is: "title" or "end"; "" for a scene."""
        return ""

    @property
    def seconds(self) -> float:
        """The least that its one beat lasts; scenes last as long as their words."""
        return 0.0

    @property
    def speaks(self) -> bool:
        """Whether anything is said in it."""
        return any(text for beat in self.beats.values() for text in beat.words.values())


class Film(_Model):
    """What holds for the whole film."""

    title: Words = Field(description="one text for each language")
    languages: list[Language] = Field(
        min_length=1, max_length=limits.LANGUAGES, description=f"1 to {limits.LANGUAGES}, as in [zh, en]"
    )
    default_language: Language = Field(description="one of the film's languages")
    quality: Quality = Field(default="standard", description="draft, standard, high, ultra")
    model: dict[str, Any] = Field(
        default={"preset": "tutorial"}, description="preset: and any setting of the model that should differ from it"
    )
    gap: float = Field(default=0.4, ge=0, le=10, allow_inf_nan=False, description="0 to 10 seconds")
    reading_speed: dict[Language, Annotated[float, Field(ge=0.5, le=60)]] = Field(
        default={}, description="language: characters or words a second, 0.5 to 60"
    )
    reading_unit: dict[Language, ReadingUnit] = Field(default={}, description="language: characters or words")
    words: dict[Name, Words] = Field(
        default={}, max_length=limits.FILM_WORDS, description="name: one text for each language"
    )
    licence: Text | None = Field(default=None, description="text; the licence or copyright line of the film")
    voice: VoiceSource | None = Field(default=None, description="none, recordings, kokoro")
    voices: dict[Language, VoiceName] = Field(default={}, description="language: the name of a voice")
    voice_speed: dict[Language, Annotated[float, Field(ge=0.5, le=2)]] = Field(
        default={}, description="language: 0.5 (slow) to 2 (fast)"
    )
    recordings: Text = Field(default="recordings", description="the folder of your recordings, beside the storyboard")
    pronunciation: dict[
        Language, Annotated[dict[Text, Text], Field(max_length=limits.PRONUNCIATIONS), BeforeValidator(open_mapping)]
    ] = Field(default={}, description=f"language: {{word: how it is said}}; {PRONUNCIATION_ALLOWED}")
    poster: Poster | None = Field(default=None, exclude=True, description="{scene: id, beat: name}")
    cards: Cards = Field(default=Cards(), exclude=True, description="{title: {scene: …}, end: {scene: …}}")
    course: CourseSettings = Field(
        default=CourseSettings(), exclude=True, description="{watched: 0.9, quizzes: true, passing: 0.6}"
    )

    @property
    def preset(self) -> tuple[Any, dict[str, Any]]:
        """The name of the model's preset and the settings that differ from it, as `engine.preset` takes them."""
        settings = dict(self.model)
        return settings.pop("preset", "tutorial"), settings

    def unit(self, language: str) -> str:
        """What `language` is counted in: "characters" or "words"."""
        return self.reading_unit.get(language, default_unit(language))

    def reading_time(self, words: str, language: str) -> float:
        """Seconds that reading `words` takes at the film's speed for `language`."""
        return reading_units(words, self.unit(language)) / self.pace(language)

    def pace(self, language: str) -> float:
        """Characters or words of `language` that are read in a second."""
        return self.reading_speed.get(language, DEFAULT_SPEED[self.unit(language)])


def in_step_order(entries: Iterable[Entry]) -> list[Entry]:
    """`entries` by their first step number; those that begin with the same one stay in their order."""
    return sorted(entries, key=lambda entry: entry.steps.first)


@dataclass(frozen=True)
class Storyboard:
    """A storyboard without faults."""

    path: Path
    film: Film
    scenes: tuple[Entry, ...]
    scene_lines: dict[str, int]  # scene id -> line of its entry
    beat_lines: dict[tuple[str, str], int]  # scene id, beat -> line
    warnings: tuple[Problem, ...] = ()  # what can be rendered, but is probably not meant
    cards: tuple[Entry, ...] = ()  # see cards.py

    @cached_property
    def _by_scene(self) -> dict[str, Entry]:
        return {entry.scene: entry for entry in (*self.scenes, *self.cards)}

    @property
    def drawn(self) -> list[Entry]:
        """All that can be drawn: the scenes that are no drafts, between the cards."""
        return self.with_cards(entry for entry in self.scenes if not entry.draft)

    def with_cards(self, entries: Iterable[Entry]) -> list[Entry]:
        """`entries` between the title card and the end card, where the film has them."""
        before = [card for card in self.cards if card.card == "title"]
        return [*before, *entries, *(card for card in self.cards if card not in before)]

    def scene_for(self, scene: str) -> Entry:
        """The entry of the scene class `scene` ("embedding.Embedding"). Raises KeyError that names near misses."""
        if scene not in self._by_scene:
            hint = did_you_mean(scene, self._by_scene, f"known: {listed(self._by_scene)}")
            raise KeyError(f'no entry of {self.path.name} has "scene: {scene}"; {hint}')
        return self._by_scene[scene]

    def entry(self, scene_id: str) -> Entry:
        """The entry with the id `scene_id`. Raises KeyError that names near misses."""
        by_id = {entry.id: entry for entry in (*self.scenes, *self.cards)}
        if scene_id not in by_id:
            hint = did_you_mean(scene_id, by_id, f"known: {listed(by_id)}")
            raise KeyError(f'{self.path.name} has no scene "{scene_id}"; {hint}')
        return by_id[scene_id]

    def rank_of(self, entry: Entry) -> int:
        """How many scenes come before `entry` in the order of the step numbers, wherever they stand in the file."""
        return in_step_order(self.scenes).index(entry)

    def line_of(self, scene_id: str, beat: str | None = None) -> int:
        """The line of a scene's entry, or of one of its beats."""
        if beat is not None and (scene_id, beat) in self.beat_lines:
            return self.beat_lines[scene_id, beat]
        return self.scene_lines[scene_id]


def scenes_folder() -> Path:
    """Where scene files lie: the environment's EXPLAINER_SCENES, else `scenes/` of this project."""
    return Path(os.environ.get(SCENES_FOLDER) or REPO_ROOT / "scenes")


def load_storyboard(path: str | Path, *, scenes: Path | None = None, check_scenes: bool = True) -> Storyboard:
    """Read and check the storyboard at `path`.

    `scenes` is the folder of the scene files (default: `scenes_folder()`); without `check_scenes` it is not looked at.
    Neither is it in a render worker: it was checked when the render began, and may be edited since.
    Raises StoryboardError with every problem found.
    """
    from .cards import card_entries, card_lines  # noqa: PLC0415 (they need the models above)
    from .numbering import order_warnings  # noqa: PLC0415
    from .storyboard_checks import check, validate  # noqa: PLC0415

    path = Path(path)
    check_scenes = check_scenes and not os.environ.get(SCENES_CHECKED)
    document, problems = load(path)
    film, entries, found = validate(document)
    problems += found
    problems += check(document, film, entries, (scenes or scenes_folder()) if check_scenes else None)
    if problems or film is None:
        raise StoryboardError(problems)
    numbered = [(index, entry) for index, entry in enumerate(entries) if entry is not None]
    return Storyboard(
        path=path,
        film=film,
        scenes=tuple(entry for _, entry in numbered),
        scene_lines={entry.id: document.line_of(("scenes", index)) for index, entry in numbered} | card_lines(document),
        beat_lines={
            (entry.id, beat): document.line_of(("scenes", index, "beats", beat), key=True)
            for index, entry in numbered
            for beat in entry.beats
        },
        warnings=tuple(order_warnings(document, numbered)),
        cards=card_entries(film),
    )
