"""What is spoken in every beat, how long it lasts and when each sentence begins: the table that scenes take time from.

A narrator turns the words of a beat into a `SpokenBeat`. There are three: nobody (reading time), the teacher's own
recordings, and the synthesised voice. The table reaches the scenes as a JSON file named in the environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..files import sha256_of

SOURCES = ("none", "recordings", "kokoro")


@dataclass(frozen=True)
class Sentence:
    """A sentence, and when it is heard, in seconds from the beginning of its beat."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class SpokenBeat:
    """The sound of one beat, silence at its edges included."""

    seconds: float
    sentences: tuple[Sentence, ...]
    sound: str  # path of a WAV at the rate of `sound.RATE`
    words: str  # what is said


class Narrator(Protocol):
    """A source of narration."""

    def speak(self, scene_id: str, beat: str, language: str, words: str) -> SpokenBeat:
        """The sound of a beat's words. Raises UserError where there is none."""
        ...


Table = dict[str, dict[str, SpokenBeat]]  # scene id -> beat -> what is spoken, in one language


def for_scenes(table: Mapping[str, Mapping[str, SpokenBeat]]) -> str:
    """What scenes are told, as JSON: scene id -> beat -> its seconds and words."""
    told = {
        scene: {name: {"seconds": beat.seconds, "words": beat.words} for name, beat in beats.items()}
        for scene, beats in table.items()
    }
    return json.dumps(told, ensure_ascii=False)


def durations(beats: Mapping[str, SpokenBeat]) -> dict[str, float]:
    """What of a scene's narration its pictures depend on: the seconds of each beat."""
    return {name: round(beat.seconds, 6) for name, beat in beats.items()}


def sound_digests(beats: Mapping[str, SpokenBeat]) -> dict[str, Any]:
    """What of a scene's narration its sound and its captions depend on."""
    return {
        name: [sha256_of(Path(beat.sound)), [[one.text, one.start, one.end] for one in beat.sentences]]
        for name, beat in beats.items()
    }
