"""The synthesised voice, where it is installed (`make test-voice`): phonemes, numbers, lexicon, lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.problems import UserError
from pipeline.voice import chinese, kokoro, sound
from pipeline.voice.kokoro import KokoroVoice, Voice
from pipeline.voice.lexicon import Lexicon, Said, parse
from pipeline.voice.numbers import in_chinese, in_english, spell_chinese
from pipeline.voice.phonemes import phonemes_of
from pipeline.voice.synthesis import Synthesis
from pipeline.voice_checks import SIGNS

pytestmark = pytest.mark.voice


@pytest.mark.parametrize(
    ("number", "zh", "en"),
    [
        ("0.257", "零点二五七", "zero point two five seven"),
        ("−0.32", "负零点三二", "minus zero point three two"),
        ("628", "六百二十八", "six hundred and twenty eight"),
        ("1.00", "一点零零", "one point zero zero"),
        ("12", "十二", "twelve"),
        ("50%", "百分之五十", "fifty percent"),
        ("−1e9", "负十的九次方", "minus ten to the nine"),
        ("2.5e-3", "二点五乘十的负三次方", "two point five times ten to the minus three"),
        ("1,024", "一千零二十四", "one thousand and twenty four"),
    ],
)
def test_numbers_in_words(number: str, zh: str, en: str) -> None:
    assert in_chinese(number) == zh
    assert in_english(number) == en


def test_the_signs_that_are_checked_are_those_that_the_voice_reads() -> None:
    assert set(kokoro.symbols()) == SIGNS


def test_two_before_a_measure_word_is_another_word() -> None:
    assert spell_chinese("这 2 行和第 2 行") == "这两行和第二行"
    assert spell_chinese("12 行，0.2 格") == "十二行，零点二格"
    assert spell_chinese("编号是 0、1、2。") == "编号是零、一、二。"


def test_entries_of_the_lexicon() -> None:
    assert parse("hang2") == Said(pinyin=("hang2",))
    assert parse("bing4 xing2") == Said(pinyin=("bing4", "xing2"))
    assert parse("/sˈɔft/") == Said(phonemes="sˈɔft")
    assert parse("soft max") == Said(words="soft max")
    lexicon = Lexicon({"行": "hang2", "并行": "bing4 xing2", "Q": "kyu"})
    assert list(lexicon.split("并行的行，q和SQL")) == [
        Said(pinyin=("bing4", "xing2")),
        "的",
        Said(pinyin=("hang2",)),
        "，",
        Said(words="kyu"),
        "和SQL",
    ]
    assert list(Lexicon({}).split("一")) == ["一"]


def said(text: str, language: str, **entries: str) -> str:
    return phonemes_of(text, language, Lexicon(entries)).text


def test_the_lexicon_decides_how_a_word_is_said() -> None:
    hang, xing = chinese.phonemes_of_pinyin(["hang2"]), chinese.phonemes_of_pinyin(["xing2"])
    assert hang != xing
    assert hang in said("逐行", "zh", 行="hang2")
    assert xing in said("并行", "zh", 行="hang2", 并行="bing4 xing2")
    assert said("4 × 4", "en", **{"×": "by"}) == said("four by four", "en")
    assert said("ReLU", "en", ReLU="/ɹˈɛlu/") == "ɹˈɛlu"
    with pytest.raises(ValueError, match='"xyz9" is not pinyin'):
        chinese.phonemes_of_pinyin(["xyz9"])
    with pytest.raises(UserError, match='the pronunciation for "zh" cannot be used: "qqq2" is not pinyin'):
        KokoroVoice(pronunciation={"zh": {"行": "qqq2"}}).phonemes("一行", "zh")


def test_mixed_text_is_said_in_the_language_of_its_letters() -> None:
    love = said("love", "en")
    assert love in said("读“love”这一行。", "zh")
    assert said("爱", "zh") in said("the word “爱”.", "en")
    assert said("Q、K、V", "zh") == "kjˈu, kˈA, vˈi"


def test_endings_articles_and_reading_follow_their_neighbours() -> None:
    assert said("the order", "en").startswith("ði ")
    assert said("the row", "en").startswith("ðə ")
    assert said("has read", "en").endswith("ɹˈɛd")
    assert said("they read", "en").endswith("ɹˈid")
    assert said("tokens", "en") == said("token", "en") + "z"
    assert said("self-attention", "en") == said("self attention", "en")


def test_an_unknown_word_is_spelled_and_told() -> None:
    found = phonemes_of("the qzxv", "en", Lexicon({}))
    assert found.unknown == ["qzxv"]
    assert "kjˈu" in found.text
    assert phonemes_of("a ☃", "en", Lexicon({})).unknown == ["☃"]


def test_every_phoneme_is_one_that_the_model_has() -> None:
    for text, language in (
        ("训练好的解码器写一个词，读回来，再写下一个：一轮一个词。女儿", "zh"),
        ("Why judge measures?", "en"),
    ):
        assert [char for char in said(text, language) if char not in kokoro.symbols()] == []


def test_the_model_speaks_and_the_same_words_sound_the_same(tmp_path: Path) -> None:
    voice = KokoroVoice(threads=1)
    first = Synthesis(tmp_path / "a", voice).speak("s", "b", "en", "Meaning lives in a table.")
    again = Synthesis(tmp_path / "b", KokoroVoice(threads=1)).speak("s", "b", "en", "Meaning lives in a table.")
    assert 1.0 < first.seconds < 4.0
    assert sound.read_own(Path(first.sound)).tolist() == sound.read_own(Path(again.sound)).tolist()
    slow = Synthesis(tmp_path / "c", KokoroVoice({"en": Voice("af_heart", 0.8)}, threads=1))
    assert slow.speak("s", "b", "en", "Meaning lives in a table.").seconds > 1.1 * first.seconds


def test_what_cannot_be_said_is_told() -> None:
    voice = KokoroVoice({"en": Voice("af_nobody")})
    with pytest.raises(UserError, match=r'no voice "af_nobody"\.\n    allowed: .*af_heart'):
        voice.key("One.", "en")
    with pytest.raises(UserError, match="too long to be spoken at once"):
        KokoroVoice(threads=1).say("word " * 300, "en")
