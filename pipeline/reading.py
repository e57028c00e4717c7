"""How long words take to read. Pure functions; Chinese is counted by what is read, never by white space."""

from __future__ import annotations

import re
import unicodedata

# Languages written without spaces between words; the others are counted in words.
CHARACTER_LANGUAGES = ("zh", "ja", "yue", "wuu", "th", "lo", "km", "my")

# Characters a second and words a second: the calm pace of a lecture.
DEFAULT_SPEED = {"characters": 5.0, "words": 2.5}

_TOKEN = re.compile(
    r"(?P<number>[-−+]?[0-9]+(?:[.,][0-9]+)*%?)"
    r"|(?P<placeholder>\{[A-Za-z_]\w*(?::[^{}]*)?\})"
    r"|(?P<word>[^\W\d_]+(?:[’'\-][^\W\d_]+)*)"
    r"|(?P<other>\S)"
)
_VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûü]+", re.IGNORECASE)
# A placeholder is a short word or number once it is filled.
_PLACEHOLDER_SIZE = {"characters": 4.0, "words": 1.5}


def default_unit(language: str) -> str:
    """The unit a language is counted in: "characters" or "words"."""
    return "characters" if language.partition("-")[0].lower() in CHARACTER_LANGUAGES else "words"


def reading_units(words: str, unit: str) -> float:
    """How many characters or words are read in `words`.

    In characters: an ideograph or kana is 1, a Latin word as many as its syllables (an abbreviation: its letters),
    a number as many as its digits and its point. In words: a word is 1, an ideograph is 1, a number is half a word for
    each digit and at least 1. Punctuation is 0, a mathematical sign 1.
    """
    return sum(_size(match, unit) for match in _TOKEN.finditer(unicodedata.normalize("NFC", words)))


def _size(match: re.Match[str], unit: str) -> float:
    text = match.group()
    if match.lastgroup == "number":
        digits = sum(char.isdigit() for char in text)
        spoken_signs = sum(char in ".-−%" for char in text)
        return float(digits + spoken_signs) if unit == "characters" else max(1.0, digits / 2)
    if match.lastgroup == "placeholder":
        return _PLACEHOLDER_SIZE[unit]
    if match.lastgroup == "other":
        return 1.0 if unicodedata.category(text) in {"Sm", "Lo", "Nd", "No", "Nl"} else 0.0
    ideographs = sum(is_ideograph(char) for char in text)
    rest = "".join(char if not is_ideograph(char) else " " for char in text).split()
    return ideographs + sum(_syllables(part) if unit == "characters" else 1.0 for part in rest)


def is_ideograph(char: str) -> bool:
    """Whether `char` is read as a syllable of its own: Han, kana, Hangul and other letters without case or spaces."""
    return unicodedata.category(char) == "Lo" and unicodedata.east_asian_width(char) in {"W", "F", "H"}


def _syllables(word: str) -> float:
    letters = sum(char.isalpha() for char in word)
    if word.isupper() and letters <= 4:
        return float(letters)
    return float(len(_VOWELS.findall(word)) or letters)
