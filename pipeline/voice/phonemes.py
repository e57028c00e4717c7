"""A sentence as the phonemes that the voice reads: mixed text is split by script, each part goes to its language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import chinese, english, numbers
from .lexicon import Lexicon, Said

# What the voice makes a pause or a tone of; other marks are silent.
_MARKS = str.maketrans("，、。．！？；：（）「」《》【】", ",,..!?;:()“”“”“”")
_SPOKEN_MARKS = ";:,.!?—…()“”"
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_PIECE = re.compile(rf"(?P<han>{chinese.HAN.pattern})|(?P<word>{_WORD.pattern})|(?P<space>\s+)|(?P<other>.)", re.DOTALL)


@dataclass
class Phonemes:
    """The phonemes of a sentence, and what in it nobody knows how to say."""

    text: str = ""
    unknown: list[str] = field(default_factory=list)


def phonemes_of(sentence: str, language: str, lexicon: Lexicon) -> Phonemes:
    """How `sentence` is said in `language` ("zh…" or another, which is read as English).

    Letters of another script are read in theirs. Raises ValueError where an entry of the lexicon is not pinyin.
    """
    result = Phonemes()
    parts = list(_parts(unicodedata.normalize("NFC", sentence), language, lexicon))
    said: list[str] = []
    for index, part in enumerate(parts):
        if isinstance(part, Said):
            said.append(part.phonemes or chinese.phonemes_of_pinyin(part.pinyin))
        else:
            said.append(_plain(part, index == len(parts) - 1, result))
    text = re.sub(r"\s+", " ", " ".join(said))
    result.text = re.sub(r"([(“])\s+", r"\1", re.sub(r"\s+([,.;:!?…)”])", r"\1", text)).strip()
    return result


def _parts(text: str, language: str, lexicon: Lexicon) -> Iterator[str | Said]:
    """`text` with the lexicon's other words put in and numbers written out."""
    for part in lexicon.split(_spelled(text, language)):
        if isinstance(part, Said) and part.words:
            yield _spelled(part.words, language)
        else:
            yield part


def _spelled(text: str, language: str) -> str:
    if language.startswith("zh"):
        return numbers.spell_chinese(text)
    return numbers.NUMBER.sub(lambda match: numbers.in_english(match[0]), text)


def _plain(text: str, last: bool, result: Phonemes) -> str:
    """The phonemes of text without lexicon entries."""
    said = ""
    run: list[str] = []

    def flush(pause: bool) -> None:
        nonlocal said
        if run:
            said += " " + " ".join(english.phonemes_of_words(run, result.unknown.append, pause)) + " "
            run.clear()

    for match in _PIECE.finditer(text.translate(_MARKS)):
        piece = match.group()
        if match.lastgroup == "word":
            run.append(piece)
        elif match.lastgroup == "han":
            flush(False)
            said += chinese.phonemes_of_run(piece)
        elif match.lastgroup == "space" or piece in "-‐‑":
            if not run:
                said += " "
        else:
            flush(piece in ",.;:!?—…")
            if piece in _SPOKEN_MARKS:
                said += piece + ("" if piece in "(“" else " ")
            elif piece not in "\"'’‘":
                result.unknown.append(piece)
    flush(last)
    return said
