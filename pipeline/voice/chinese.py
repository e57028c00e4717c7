"""Chinese characters as phonemes, by misaki's tables: words by jieba, readings by pypinyin, pinyin to phonemes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

HAN = re.compile(r"[㐀-䶿一-鿿〇]+")


@lru_cache(maxsize=1)
def _front() -> Any:
    from misaki.zh import ZHG2P  # noqa: PLC0415 (the extra `voice` brings it)

    return ZHG2P


def phonemes_of_run(run: str) -> str:
    """The phonemes of a run of characters, its words set off by spaces."""
    from ..segment import chinese_words  # noqa: PLC0415 (it loads a dictionary)

    return " ".join(_clean(_front().word2ipa(word)) for word in chinese_words(run))


def phonemes_of_pinyin(syllables: Iterable[str]) -> str:
    """The phonemes of pinyin with tone digits. Raises ValueError for a syllable that is none."""
    said = []
    for syllable in syllables:
        try:
            said.append(_clean(_front().py2ipa(syllable)))
        except (ValueError, KeyError, IndexError, AssertionError):
            raise ValueError(f'"{syllable}" is not pinyin') from None
    return "".join(said)


def _clean(phonemes: str) -> str:
    # The non-syllabic mark is no symbol of the voices.
    return phonemes.replace(chr(815), "")
