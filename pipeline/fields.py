"""The kinds of values that stand in a storyboard: numbers of steps, names, texts; each refuses in words of its own."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, PlainValidator
from pydantic_core import PydanticCustomError

from . import limits, plain_text

LAST_STEP = 95


def wrong(message: str, allowed: str = "", hint: str = "") -> PydanticCustomError:
    """A validation error with its three parts kept apart. Braces are spelled so that pydantic does not fill them."""
    return PydanticCustomError("storyboard", "{message}", {"message": message, "allowed": allowed, "hint": hint})


class Steps(NamedTuple):
    """The first and the last step number of a scene, both included."""

    first: int
    last: int

    def numbers(self) -> tuple[int, ...]:
        return tuple(range(self.first, self.last + 1))


STEPS_ALLOWED = f'a number from 0 to {LAST_STEP}, or a range such as "4-6"'
NAME_ALLOWED = "small letters, digits and _, beginning with a letter"
PRONUNCIATION_ALLOWED = 'other words ("soft max"), pinyin with tones ("hang2"), or phonemes between slashes ("/sˈɔft/")'
WORDS_ALLOWED = "text; put it in quotes where it has a colon, a # or begins with a special character"
LANGUAGE_ALLOWED = "a language code such as zh or en"


def steps_of(value: Any) -> Steps:
    """A step or a range of steps. Raises what pydantic turns into a problem."""
    if isinstance(value, int) and not isinstance(value, bool):
        first = last = value
    elif isinstance(value, str) and (match := re.fullmatch(r"\s*(\d{1,4})\s*(?:[-–]\s*(\d{1,4})\s*)?", value)):
        first = int(match[1])
        last = int(match[2] or match[1])
    else:
        raise wrong(f"{shown_value(value)} is not a step number or range", STEPS_ALLOWED)
    if first > last:
        raise wrong(f"the range {first}-{last} runs backwards", STEPS_ALLOWED, f"write {last}-{first}")
    if first < 0 or last > LAST_STEP:
        raise wrong(f"{first if first == last else f'{first}-{last}'} is outside the numbering", STEPS_ALLOWED)
    return Steps(first, last)


def _named(pattern: str, what: str, allowed: str) -> Any:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise wrong(f"{shown_value(value)} is not {what}", allowed)
        if not re.fullmatch(pattern, value):
            raise wrong(f'"{value}" is not {what}', allowed)
        return value

    return PlainValidator(check)


def shown_value(value: Any) -> str:
    """`value` in a message."""
    if isinstance(value, str):
        return f'"{value if len(value) <= 40 else value[:40] + "…"}"'
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def text_of(value: Any, longest: int = limits.LINE_CHARACTERS) -> str:
    """`value` as one line of at most `longest` characters. Raises what pydantic turns into a problem."""
    if value is None:
        raise wrong("the words are missing", WORDS_ALLOWED, "write them, or remove the line")
    if not isinstance(value, str):
        raise wrong(f"{shown_value(value)} is not text", WORDS_ALLOWED, "put it in quotes if it is meant as text")
    text = plain_text.one_line(value)
    if not text:
        raise wrong("the words are empty", WORDS_ALLOWED, "write them, or remove the line")
    if len(text) > longest:
        raise wrong(f"the words are too long: {len(text)} characters", f"at most {longest}", "shorten or divide them")
    if char := plain_text.forbidden(text):
        message = f"the character {plain_text.code_of(char)} cannot stand in words"
        raise wrong(message, plain_text.ALLOWED, "delete it; an editor that shows invisible characters finds it")
    if not plain_text.visible(text):
        raise wrong("nothing in the words can be seen", WORDS_ALLOWED, "write them, or remove the line")
    return text


def _spoken(value: Any) -> str:
    return text_of(value, limits.SPOKEN_CHARACTERS)


def _words(value: Any) -> Any:
    if isinstance(value, str):
        raise wrong(
            "the text has no language", "one text for each language", f"write {{zh: {shown_value(value)}, en: …}}"
        )
    if not isinstance(value, dict):
        raise wrong(f"{shown_value(value)} is not text by language", "one text for each language")
    return value


def open_mapping(value: Any) -> Any:
    """A field left open (`labels:` and nothing behind it) is an empty mapping."""
    return {} if value is None else value


Language = Annotated[str, _named(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", "a language", LANGUAGE_ALLOWED)]
Name = Annotated[str, _named(r"[a-z][a-z0-9_]{0,63}", "a name", NAME_ALLOWED)]
VoiceName = Annotated[
    str, _named(r"[a-z][a-z0-9_]{0,63}", "the name of a voice", "a name such as zm_yunxi or af_heart")
]
Text = Annotated[str, PlainValidator(text_of)]
Words = Annotated[dict[str, Text], BeforeValidator(_words)]
Spoken = Annotated[dict[str, Annotated[str, PlainValidator(_spoken)]], BeforeValidator(_words)]
SceneName = Annotated[
    str,
    _named(
        r"(?=.{1,120}$)[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*\.[A-Z][A-Za-z0-9_]*",
        "a scene class",
        "file.Class: the name of the file in scenes/ without .py, a point, the class's name",
    ),
]
