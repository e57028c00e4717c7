"""What the storyboard asks of a synthesised voice, looked at before anything is spoken: voices, pronunciation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .fields import PRONUNCIATION_ALLOWED
from .problems import Problem, did_you_mean, listed
from .storyboard import Film
from .voice.lexicon import parse
from .yaml_lines import Document

# The signs that Kokoro-82M reads (its `symbols.json`): letters, sounds of the IPA, stress, length, tones, marks.
SIGNS = frozenset(
    ' !"(),.:;?—“”…AIOQSTWYabcdefhijklmnopqrstuvwxyz'
    "æçðøŋœɐɑɒɔɕɖəɚɛɜɟɡɣɤɥɨɪɯɰɲɳɴɸɹɻɽɾʁʂʃʈʊʋʌʎʒʔʝʣʤʥʦʧʨβθχᵊᵝᵻꭧ"
    "ʰʲˈˌː\u0303→↓↗↘"
)
# The first letter of a voice's name is its language: z for Chinese, a and b for American and British English.
FAMILIES = {"zh": ("z", "Chinese, such as zm_yunxi"), "": ("ab", "English, such as af_heart")}
_INITIAL = "(?:[bpmfdtnlgkhjqxrzcsyw]|[zcs]h)?"
_FINAL = (
    "(?:a|ai|an|ang|ao|e|ei|en|eng|er|i|ia|ian|iang|iao|ie|in|ing|io|iong|iu|o|ong|ou|u|ua|uai|uan|uang|ue|ui|un|uo"
    "|ü|üe|üan|ün)"
)
_SYLLABLE = re.compile(f"{_INITIAL}{_FINAL}[1-5]")
_LIKE_PINYIN = re.compile(r"[a-zü][0-9]")
_TONE_MARKS = {"\u0304", "\u0301", "\u030c", "\u0300"}  # the four tones, as accents
_MARKS = set(" -‐‑'’,.;:!?，、。；：！？…")


def check_voices(document: Document, film: Film) -> Iterator[Problem]:
    """A voice speaks its own language, and is one of those installed, where any are."""
    for language, name in film.voices.items():
        letters, described = FAMILIES["zh" if language.startswith("zh") else ""]
        place, item = document.line_of(("film", "voices", language)), document.name_of(("film", "voices", language))
        there = [voice for voice in _installed() if voice[0] in letters]
        if name[0] not in letters:
            message = f'the voice "{name}" does not speak "{language}"'
        elif there and name not in there:
            message = f'there is no voice "{name}"'
        else:
            continue
        hint = did_you_mean(name, there, f"choose a voice whose name begins with {listed(letters)}: {described}")
        yield Problem(document.file, place, item, message, listed(there, 60), hint)


def check_pronunciation(document: Document, film: Film) -> Iterator[Problem]:
    """Every entry can be spoken as it is written."""
    for language, entries in film.pronunciation.items():
        for word, how in entries.items():
            if fault := fault_of(how, language):
                path = ("film", "pronunciation", language, word)
                yield Problem(
                    document.file, document.line_of(path), document.name_of(path), fault, PRONUNCIATION_ALLOWED,
                    "correct it, or remove the entry to hear what the voice makes of the word",
                )  # fmt: skip


def fault_of(how: str, language: str) -> str:
    """What is wrong with a pronunciation; empty where nothing is."""
    said = parse(how)
    if said.phonemes:
        strange = sorted(set(unicodedata.normalize("NFC", said.phonemes)) - SIGNS)
        return f"the voice reads no sign {listed(strange)}" if strange else ""
    if "/" in how:
        return f'"{how}" is neither words nor phonemes: those stand between two slashes, with nothing around them'
    if language.startswith("zh"):
        if any(mark in _TONE_MARKS for mark in unicodedata.normalize("NFD", how.replace("ü", "u"))):
            return f'"{how}" has its tones as accents: write them as digits, 1 to 5'
        if said.pinyin or _LIKE_PINYIN.search(how):
            wrong = [part for part in re.split("[ ']+", how.strip()) if not _SYLLABLE.fullmatch(part)]
            if wrong:
                return f'"{wrong[0]}" is no syllable of pinyin with one tone, 1 to 5; a space stands between syllables'
    strange = sorted({sign for sign in how if not (sign.isalnum() or sign in _MARKS or unicodedata.combining(sign))})
    return f"{listed(strange)} cannot be spoken" if strange else ""


def _installed() -> list[str]:
    """The names of the voices that are installed."""
    from .voice.kokoro import voices_folder  # noqa: PLC0415 (only where a voice is named)

    return sorted(file.stem for file in voices_folder().glob("*.bin"))
