"""Phonemes are kept between runs: the dictionaries are asked once for a sentence, its language and its lexicon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.voice import kokoro, phoneme_memory
from pipeline.voice.kokoro import KokoroVoice
from pipeline.voice.phoneme_memory import PhonemeMemory
from pipeline.voice.phonemes import Phonemes


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that the dictionaries are asked for, in order."""
    sentences: list[str] = []

    def look_up(text: str, *_: object) -> Phonemes:
        sentences.append(text)
        return Phonemes(f"<{text}>", ["foo"])

    monkeypatch.setattr(kokoro, "phonemes_of", look_up)
    return sentences


def _voice(path: Path, **pronunciation: dict[str, str]) -> KokoroVoice:
    return KokoroVoice(pronunciation=pronunciation, memory=PhonemeMemory(path))


def test_a_second_run_asks_for_nothing_and_says_the_same(tmp_path: Path, asked: list[str]) -> None:
    path = tmp_path / "phonemes.json"
    for _ in range(2):
        voice = _voice(path)
        assert voice.phonemes("a foo", "en") == Phonemes("<a foo>", ["foo"])
        assert voice.unknown == {"en": {"foo"}}
        voice.remember()
    assert asked == ["a foo"]


def test_another_text_language_or_pronunciation_is_asked_for(tmp_path: Path, asked: list[str]) -> None:
    path = tmp_path / "phonemes.json"
    for text, language, lexicon in [("a", "en", {}), ("b", "en", {}), ("a", "zh", {}), ("a", "en", {"a": "ey"})]:
        voice = _voice(path, **{language: lexicon})
        voice.phonemes(text, language)
        voice.remember()
    assert asked == ["a", "b", "a", "a"]


@pytest.mark.parametrize("text", ["", "[]", '{"made_by": 3}', "{", '{"made_by": "OWN", "said": {"x": 1}}'])
def test_a_memory_that_cannot_be_used_is_passed_over(tmp_path: Path, asked: list[str], text: str) -> None:
    path = tmp_path / "phonemes.json"
    path.write_text(text.replace("OWN", phoneme_memory._made_by()), encoding="utf-8")
    _voice(path).phonemes("a", "en")
    assert asked == ["a"]


def test_what_other_packages_made_is_forgotten(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "phonemes.json"
    voice = _voice(path)
    voice.phonemes("a", "en")
    voice.remember()
    assert list(json.loads(path.read_text(encoding="utf-8"))["said"].values()) == [["<a>", ["foo"]]]
    monkeypatch.setattr(phoneme_memory, "_made_by", lambda: "other packages")
    _voice(path).phonemes("a", "en")
    assert asked == ["a", "a"]
