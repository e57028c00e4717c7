"""A voice for the tests that needs no download: a syllable is a tone, so a sentence lasts as long as it is long."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline.problems import UserError
from pipeline.voice import sound


@dataclass
class ToneVoice:
    """`level`: of full scale; `said`: what was asked for, in order; `refuses`: a text that it cannot say."""

    level: float = 0.1
    syllable: float = 0.18  # seconds
    said: list[str] = field(default_factory=list)
    refuses: str = "不能说"

    def key(self, text: str, language: str) -> Any:
        return ["tones", text, language, self.level, self.syllable]

    def say(self, text: str, language: str) -> sound.Samples:
        if text == self.refuses:
            raise UserError(f"{text} ({language}) cannot be said")
        self.said.append(text)
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        rng = np.random.default_rng(seed)
        count = max(1, sum(char.isalnum() for char in text))
        time = np.arange(round(self.syllable * sound.RATE)) / sound.RATE
        envelope = np.sin(np.pi * time / self.syllable) ** 0.25
        tones = [envelope * np.sin(2 * np.pi * pitch * time) for pitch in rng.uniform(140, 900, count)]
        return sound.trimmed(np.concatenate(tones).astype(np.float32) * np.float32(self.level))
