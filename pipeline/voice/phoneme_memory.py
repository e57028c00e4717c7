"""The phonemes of sentences said before: dictionaries and taggers take longer to load than a film takes to check."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..files import write_json
from .phonemes import Phonemes

# What decides the phonemes of a text: these packages and these files.
PACKAGES = ("misaki", "pypinyin", "jieba", "cn2an", "num2words")
FILES = ("chinese.py", "english.py", "lexicon.py", "numbers.py", "phonemes.py", "../segment.py")


class PhonemeMemory:
    """Phonemes by text, language and lexicon, kept in the JSON file `path` between runs.

    What other packages or other code made is forgotten; a file that cannot be used is passed over.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _read(path)
        self._new = False

    def find(self, text: str, language: str, lexicon: Mapping[str, str]) -> Phonemes | None:
        """What `keep` was given for the same text, language and lexicon."""
        known = self._known.get(_name(text, language, lexicon))
        return None if known is None else Phonemes(known[0], list(known[1]))

    def keep(self, text: str, language: str, lexicon: Mapping[str, str], said: Phonemes) -> None:
        """Remember how a text is said."""
        self._known[_name(text, language, lexicon)] = (said.text, list(said.unknown))
        self._new = True

    def write(self) -> None:
        """Keep what is new for the next run."""
        if self._new:
            write_json(self._path, {"made_by": _made_by(), "said": self._known})
            self._new = False


def _read(path: Path) -> dict[str, tuple[str, list[str]]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["made_by"] != _made_by():
            return {}
        return {
            str(name): (str(text), [str(word) for word in unknown]) for name, (text, unknown) in data["said"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _name(text: str, language: str, lexicon: Mapping[str, str]) -> str:
    content = json.dumps([text, language, sorted(lexicon.items())], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", errors="surrogatepass")).hexdigest()[:32]


@lru_cache(maxsize=1)
def _made_by() -> str:
    digest = hashlib.sha256()
    for package in PACKAGES:
        try:
            digest.update(f"{package} {version(package)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"{package} is missing\n".encode())
    for name in FILES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:32]
