"""Numbers in words, as a speaker says them: `0.25` is 零点二五 and "zero point two five"."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\d.])[-−+]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-−+]?\d+)?%?")
# Measure words before which 2 is 两; after 第 it stays 二.
_MEASURES = "个行层轮次句格张列块种组份维步条遍"
_DIGITS = "零一二三四五六七八九"
_ENGLISH_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class _Number:
    """A number in its written parts: −1.5e9 is the sign -, the whole part 1, the decimals 5, the power 9."""

    sign: str
    whole: int
    decimals: str
    power: int | None
    percent: bool

    @property
    def bare_power(self) -> bool:
        """Whether it is a power of ten and nothing else, as 1e9 is."""
        return self.power is not None and self.whole == 1 and not self.decimals.strip("0")


def _read(number: str) -> _Number:
    match = re.fullmatch(r"([-+]?)([\d,]+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?(%?)", number.replace("−", "-"))
    assert match is not None, number
    power = None if match[4] is None else int(match[4])
    return _Number(match[1], int(match[2].replace(",", "")), match[3] or "", power, bool(match[5]))


def in_chinese(number: str) -> str:
    """`number` in Chinese characters. Whole parts below 10¹⁶."""
    import cn2an  # noqa: PLC0415 (the extra `voice` brings it)

    read = _read(number)
    words = ("百分之" if read.percent else "") + {"-": "负", "+": "加", "": ""}[read.sign]
    if not read.bare_power:
        words += cn2an.an2cn(str(read.whole), "low")
        words += "点" + "".join(_DIGITS[int(digit)] for digit in read.decimals) if read.decimals else ""
        words += "乘" if read.power is not None else ""
    if read.power is None:
        return words
    return words + "十的" + ("负" if read.power < 0 else "") + cn2an.an2cn(str(abs(read.power)), "low") + "次方"


def in_english(number: str) -> str:
    """`number` in English words."""
    from num2words import num2words  # noqa: PLC0415 (the extra `voice` brings it)

    def whole(value: int) -> str:
        return str(num2words(value)).replace("-", " ").replace(",", "")

    read = _read(number)
    words = [{"-": "minus", "+": "plus", "": ""}[read.sign]]
    if not read.bare_power:
        words.append(whole(read.whole))
        words += ["point", *(_ENGLISH_DIGITS[int(digit)] for digit in read.decimals)] if read.decimals else []
        words.append("times" if read.power is not None else "")
    if read.power is not None:
        words += ["ten to the", "minus" if read.power < 0 else "", whole(abs(read.power))]
    return " ".join(word for word in [*words, "percent" if read.percent else ""] if word)


def spell_chinese(text: str) -> str:
    """Chinese `text` with every number in characters; the spaces that set a number off are gone."""
    text = re.sub(r"(?<=[\d%])\s+(?=[^\sA-Za-z])|(?<=[^\sA-Za-z])\s+(?=[-−+]?\d)", "", text)
    text = re.sub(rf"(?<![\d.第])2(?=[{_MEASURES}])", "两", text)
    return NUMBER.sub(lambda match: in_chinese(match[0]), text)
