"""The words of the course's pages. They are the same for every film, so they are not the storyboard's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from engine import KeySpec

FILE = Path(__file__).with_name("words.yaml")
FALLBACK = "en"


@cache
def _all() -> Mapping[str, Any]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Words:
    """The words in one language; those of a language that has none are English."""

    language: str

    @property
    def spoken(self) -> str:
        """The language that the words are in."""
        return self.language if self.language in _all()["pages"]["languages"] else FALLBACK

    def say(self, name: str, **fields: object) -> str:
        """The words `name`, filled."""
        return str(_all()["pages"]["words"][name][self.spoken]).format(**fields)

    def script_words(self) -> dict[str, str]:
        """What the script says: name -> text whose {fields} it fills itself."""
        return {name: words[self.spoken] for name, words in _all()["pages"]["script"].items()}

    def own_name(self) -> str:
        """The language's own name."""
        return str(_all()["names"].get(self.language, self.language))

    def question(self, name: str, part: str, **fields: object) -> str:
        """A text of the question `name`: its `ask`, `right` or `wrong`."""
        return str(_all()["questions"][name][part][self.spoken]).format(**fields)

    def axis(self, axis: str, at: int) -> str:
        """What index `at` of an axis is called: heads and layers count from 1 for people."""
        words = _all()["axes"].get(axis)
        return str(words[self.spoken]).format(n=at + 1) if words else f"{axis} {at}"

    def meaning(self, spec: KeySpec) -> str:
        """What a key of the trace means. The engine says it in English; the longest ending of the key that has words
        in this language says it in this one."""
        if self.spoken == FALLBACK:
            return spec.meaning
        parts = spec.key.split(".")
        endings = (".".join(parts[start:]) for start in range(len(parts)))
        found = (_all()["meanings"].get(ending) for ending in endings)
        return next((str(words[self.spoken]) for words in found if words and self.spoken in words), spec.meaning)

    def has_meaning(self, spec: KeySpec) -> bool:
        """Whether `meaning` speaks this language for that key."""
        return self.spoken == FALLBACK or self.meaning(spec) != spec.meaning

    def page_words(self) -> dict[str, str]:
        """All words of the pages that nothing is filled into, and the script's own."""
        words = {name: texts[self.spoken] for name, texts in _all()["pages"]["words"].items()}
        return {name: text for name, text in words.items() if "{" not in text} | self.script_words()
