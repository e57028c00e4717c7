"""The teacher's own voice: a folder with one sound file a beat, `<language>/<scene>.<beat>.wav` (or .mp3, .flac, …)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..files import sha256_of
from ..problems import UserError, did_you_mean, listed, shown_path
from ..reading import reading_units
from ..sentences import sentences
from . import sound
from .narration import Sentence, SpokenBeat

SUFFIXES = (".wav", ".mp3", ".flac", ".m4a", ".ogg", ".opus", ".aiff")
QUIETEST = -40.0  # LUFS: below it the noise of the room comes up with the voice
_FULL = 0.999  # of full scale
_CLIPPED_RUN = 3  # samples at full scale in a row
_SLOWEST, _FASTEST = 3.0, 0.3  # times the reading time


@dataclass(frozen=True)
class Recordings:
    """A narrator that plays recordings from `folder`; `store`: where levelled copies are kept."""

    folder: Path
    store: Path
    unit: Mapping[str, str]  # language -> "characters" or "words"

    def speak(self, scene_id: str, beat: str, language: str, words: str) -> SpokenBeat:
        """The recording of a beat. Raises UserError where there is none, more than one, or nothing to hear in it."""
        if not (self.folder / language).is_dir():
            raise UserError(
                f"There is no folder with recordings in {language}: {shown_path(self.folder / language)}\n"
                "    next: explain script says what to record and how to name it"
            )
        path = self.find(scene_id, beat, language)
        if path is None:
            raise UserError(
                f"There is no recording of {scene_id}, {beat} ({language}): "
                f"{shown_path(self.folder / language / f'{scene_id}.{beat}.wav')}\n"
                "    next: explain record-check lists everything that is missing"
            )
        kept = self.store / "beats" / f"{sha256_of(path)[:32]}.wav"
        if not kept.is_file():
            spoken = sound.trimmed(sound.read(path))
            if fault := _unheard(spoken):
                raise UserError(f"{shown_path(path)}: {fault}")
            edge = sound.silence(sound.EDGE)
            sound.write(kept, np.concatenate([edge, sound.levelled(spoken), edge]))
        samples = sound.read_own(kept)
        times = heard(sentences(words), samples, self.unit[language])
        return SpokenBeat(len(samples) / sound.RATE, tuple(times), str(kept.resolve()), words)

    def find(self, scene_id: str, beat: str, language: str) -> Path | None:
        """The file of a beat, whatever its suffix. Raises UserError where there are two."""
        names = (self.folder / language / f"{scene_id}.{beat}{suffix}" for suffix in SUFFIXES)
        there = [path for path in names if path.is_file()]
        if len(there) > 1:
            others = listed(path.name for path in there[1:])
            raise UserError(
                f"{shown_path(there[0])}: there is another recording of this beat, {others}\n    next: keep one of them"
            )
        return there[0] if there else None

    def faults(self, script: Mapping[str, Mapping[str, str]], language: str, pace: float) -> list[str]:
        """What keeps the recordings in `language` from becoming a film: scene -> beat -> words is the `script`.

        `pace`: units of reading a second. One fault a beat; each names its file and what to do.
        """
        found: list[str] = []
        for scene_id, beats in script.items():
            for beat, words in beats.items():
                try:
                    path = self.find(scene_id, beat, language)
                    if path is None:
                        wanted = shown_path(self.folder / language / f"{scene_id}.{beat}.wav")
                        found.append(f"{wanted}: missing\n    next: record “{words}”")
                    elif fault := fault_of(sound.read(path), reading_units(words, self.unit[language]) / pace):
                        found.append(f"{shown_path(path)}: {fault}")
                except UserError as error:
                    found.append(str(error))
        return found

    def strangers(self, script: Mapping[str, Mapping[str, str]], language: str) -> Iterator[str]:
        """What lies among the recordings in `language` and is none of a beat of the `script`."""
        names = {f"{scene_id}.{beat}" for scene_id, beats in script.items() for beat in beats}
        for path in sorted((self.folder / language).glob("[!.]*")):
            if path.is_dir():
                yield f"{shown_path(path)}: a folder, no recording\n    next: move it elsewhere"
            elif path.suffix.lower() not in SUFFIXES:
                yield f"{shown_path(path)}: no sound file\n    allowed: {listed(SUFFIXES)}\n    next: move it elsewhere"
            elif path.stem not in names:
                hint = did_you_mean(path.stem, names, "remove it, or give it the name of a beat")
                yield f"{shown_path(path)}: no beat has this name\n    next: {hint}"


def fault_of(samples: sound.Samples, reading_seconds: float) -> str:
    """What is wrong with a recording of words that take `reading_seconds` to read; empty where nothing is."""
    spoken = sound.trimmed(samples)
    if fault := _unheard(spoken):
        return fault
    if clipped := _clipped(samples):
        return f"clipped in {clipped} places\n    next: turn the microphone down and record it again"
    seconds = len(spoken) / sound.RATE
    if not _FASTEST * reading_seconds <= seconds <= max(_SLOWEST * reading_seconds, 3.0):
        return (
            f"{seconds:.1f} s for words that take about {reading_seconds:.1f} s to read\n"
            "    next: listen whether it is the right recording, and whole"
        )
    return ""


def _unheard(spoken: sound.Samples) -> str:
    """What is wrong where nobody would hear the words; `spoken` has no silence at its ends."""
    if not len(spoken):
        return "nothing but silence\n    next: check the microphone and record it again"
    level = sound.loudness(spoken)
    if level < QUIETEST:
        return (
            f"too quiet, {level:.0f} LUFS\n    allowed: {QUIETEST:.0f} or louder\n    next: go nearer, record it again"
        )
    return ""


def _clipped(samples: sound.Samples) -> int:
    """In how many places some samples in a row stand at the top or bottom of the scale."""
    full = np.concatenate([[False], np.abs(samples) >= _FULL, [False]])
    edges = np.flatnonzero(np.diff(full.astype(np.int8)))
    return int(np.count_nonzero(edges[1::2] - edges[::2] >= _CLIPPED_RUN))


def heard(texts: Sequence[str], samples: sound.Samples, unit: str) -> list[Sentence]:
    """When each sentence is heard: by its share of what is read, moved to the speaker's pause that is nearest."""
    start, end = sound.EDGE, len(samples) / sound.RATE - sound.EDGE
    weights = [max(reading_units(text, unit), 1.0) for text in texts]
    free = [pause for pause in sound.pauses(samples, 0.15) if pause[0] > start and pause[1] < end]
    found: list[Sentence] = []
    begin = start
    for number, text in enumerate(texts[:-1]):
        # From where the last one ended on, so that one long pause does not move all that come after it.
        share = weights[number] / sum(weights[number:])
        guess = begin + (end - begin) * share
        nearest = min(free, key=lambda pause: abs(sum(pause) / 2 - guess), default=None)
        if nearest is not None and abs(sum(nearest) / 2 - guess) < 0.35 * (end - begin) and nearest[0] > begin:
            found.append(Sentence(text, begin, nearest[0]))
            begin = nearest[1]
            free = [pause for pause in free if pause[0] > nearest[1]]
        else:
            found.append(Sentence(text, begin, guess))
            begin = guess
    return [*found, Sentence(texts[-1], begin, end)] if texts else []
