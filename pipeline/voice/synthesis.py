"""The synthesised narrator: each sentence on its own, kept by its content, so that a change costs one sentence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..problems import UserError
from ..sentences import sentences
from . import sound
from .narration import Sentence, SpokenBeat

PAUSE = 0.35  # seconds between two sentences


class SentenceVoice(Protocol):
    """What speaks one sentence."""

    def key(self, text: str, language: str) -> Any:
        """All that the sound of `text` depends on, as JSON data."""
        ...

    def say(self, text: str, language: str) -> sound.Samples:
        """`text` as sound, without silence at its edges. Raises UserError where it cannot be said."""
        ...


@dataclass
class Synthesis:
    """A narrator that speaks sentence by sentence. `store`: the folder of the sentences and beats made so far."""

    store: Path
    voice: SentenceVoice
    on_sentence: Callable[[str], None] = lambda _text: None
    made: int = 0  # sentences that were not in the store

    def speak(self, scene_id: str, beat: str, language: str, words: str) -> SpokenBeat:
        """The sound of `words`. Raises UserError where they cannot be said."""
        said = sentences(words)
        try:
            files = [self._sentence(text, language) for text in said]
        except UserError as error:
            raise UserError(f"{scene_id}, {beat} ({language}): {error}") from None
        return join_sentences(said, files, self.store / "beats", words)

    def remember(self) -> None:
        """Let the voice keep what it has found out for the next run."""
        if hasattr(self.voice, "remember"):
            self.voice.remember()

    def path(self, text: str, language: str) -> Path:
        """Where the sound of a sentence is kept."""
        return self.store / "sentences" / f"{_digest(self.voice.key(text, language))}.wav"

    def _sentence(self, text: str, language: str) -> Path:
        path = self.path(text, language)
        if not path.is_file():
            sound.write(path, self.voice.say(text, language))
            self.made += 1
        self.on_sentence(text)
        return path


def join_sentences(texts: Sequence[str], files: Sequence[Path], folder: Path, words: str) -> SpokenBeat:
    """Sentences one after the other, levelled together, with silence between them and at both edges.

    `files`: their sounds; `folder`: where the sound of the beat is written, unless it is there.
    """
    times: list[Sentence] = []
    pieces = [sound.silence(sound.EDGE)]
    length = len(pieces[0])
    for text, file in zip(texts, files, strict=True):
        if times:
            pieces.append(sound.silence(PAUSE))
            length += len(pieces[-1])
        part = sound.read_own(file)
        times.append(Sentence(text, length / sound.RATE, (length + len(part)) / sound.RATE))
        pieces.append(part)
        length += len(part)
    pieces.append(sound.silence(sound.EDGE))
    length += len(pieces[-1])
    made_from = [PAUSE, sound.EDGE, sound.LOUDNESS, sound.CEILING, *(file.stem for file in files)]
    path = folder / f"{_digest(made_from)}.wav"
    if not path.is_file():
        sound.write(path, sound.levelled(np.concatenate(pieces)))
    return SpokenBeat(length / sound.RATE, tuple(times), str(path.resolve()), words)


def _digest(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:32]
