"""How words are pronounced that a dictionary does not know, or knows otherwise: the storyboard's `pronunciation:`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PINYIN = re.compile(r"[a-zü]+[1-5](?:[ '][a-zü]+[1-5])*")
_PHONEMES = re.compile(r"/([^/]+)/")


@dataclass(frozen=True)
class Said:
    """How one entry is said; exactly one of the fields is set."""

    words: str = ""
    pinyin: tuple[str, ...] = ()
    phonemes: str = ""


def parse(text: str) -> Said:
    """The right-hand side of an entry. `text` is not empty."""
    text = text.strip()
    if match := _PHONEMES.fullmatch(text):
        return Said(phonemes=match[1])
    if _PINYIN.fullmatch(text):
        return Said(pinyin=tuple(re.split("[ ']", text)))
    return Said(words=text)


class Lexicon:
    """The entries of one language; the longest that fits wins, and a Latin word is only found whole."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._said = {word.casefold(): parse(how) for word, how in entries.items()}
        longest_first = sorted(self._said, key=lambda word: (-len(word), word))
        self._pattern = re.compile("|".join(map(_whole, longest_first)), re.IGNORECASE) if longest_first else None

    def split(self, text: str) -> Iterator[str | Said]:
        """`text` in order, with every entry found replaced by how it is said."""
        position = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            if match.start() > position:
                yield text[position : match.start()]
            yield self._said[match[0].casefold()]
            position = match.end()
        if position < len(text):
            yield text[position:]


def _whole(word: str) -> str:
    """A pattern for `word`, not inside a longer Latin word or number."""
    before = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9]", word) else ""
    after = r"(?![A-Za-z0-9_])" if re.search(r"[A-Za-z0-9]$", word) else ""
    return before + re.escape(word) + after
