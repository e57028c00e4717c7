"""What a model's settings may be: every range, and the words that name it when a setting is outside."""

from __future__ import annotations

import math
import operator
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

MAX_WORDS = 8
MAX_WORD_CHARACTERS = 24
MAX_EMBEDDING = 10.0
CROSS_ATTENTION = ("last", "every")
WEIGHT_RECIPES = ("tutorial", "paper")

INTEGER_RANGES: Mapping[str, tuple[int, int]] = {
    "d_model": (2, 16),
    "heads": (1, 16),
    "d_ff": (1, 64),
    "encoder_layers": (1, 6),
    "decoder_layers": (1, 6),
    "max_length": (1, MAX_WORDS),
    "seed": (0, 2**32 - 1),
}


class ConfigError(ValueError):
    """A setting that no model can be built from: `field` names it, `message` says what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def vocabulary_of(*words: str, start: str | None) -> tuple[str, ...]:
    """Each of `words` once, in order of appearance, and the start symbol last."""
    return tuple(dict.fromkeys(words if start is None else (*words, start)))


def normalise(values: dict[str, Any]) -> list[ConfigError]:
    """Bring `values` into their final types in place; return one error per setting that cannot be."""
    problems = _settle_each(values)
    unsound = {problem.field for problem in problems}
    # What concerns two settings is only asked when each is sound in itself.
    return problems + [
        ConfigError(field, message)
        for field, needs, check in _TOGETHER
        if not unsound & {field, *needs} and (message := check(values))
    ]


def _settle_each(values: dict[str, Any]) -> list[ConfigError]:
    settle: dict[str, Callable[[Any], Any]] = {
        "source": _sentence,
        "target": _sentence,
        **{name: partial(_integer, *limits) for name, limits in INTEGER_RANGES.items()},
        "cross_attention": partial(_choice, CROSS_ATTENTION),
        "weight_recipe": partial(_choice, WEIGHT_RECIPES),
        "start_symbol": _start_symbol,
    }
    problems = []
    for name, function in settle.items():
        try:
            values[name] = function(values[name])
        except ValueError as error:
            problems.append(ConfigError(name, str(error)))
    return problems


def _even_width(values: dict[str, Any]) -> str:
    low, high = INTEGER_RANGES["d_model"]
    return f"must be an even number in {low}-{high}, not {values['d_model']}" if values["d_model"] % 2 else ""


def _dividing_heads(values: dict[str, Any]) -> str:
    width, heads = values["d_model"], values["heads"]
    if width % heads == 0:
        return ""
    divisors = ", ".join(str(number) for number in range(1, width + 1) if width % number == 0)
    return f"must divide d_model = {width}: allowed are {divisors}, not {heads}"


def _foreign_start(values: dict[str, Any]) -> str:
    start = values["start_symbol"]
    return f"must be a word of neither sentence, but {start!r} is one" if start in _words(values) else ""


def _fitting_table(values: dict[str, Any]) -> str:
    if values["E"] is None:
        return ""
    rows = len(vocabulary_of(*_words(values), start=values["start_symbol"]))
    try:
        values["E"] = _table(values["E"], rows, values["d_model"])
    except ValueError as error:
        return str(error)
    return ""


def _words(values: dict[str, Any]) -> tuple[str, ...]:
    return (*values["source"], *values["target"])


_TOGETHER: tuple[tuple[str, tuple[str, ...], Callable[[dict[str, Any]], str]], ...] = (
    ("d_model", (), _even_width),
    ("heads", ("d_model",), _dividing_heads),
    ("start_symbol", ("source", "target"), _foreign_start),
    ("E", ("source", "target", "start_symbol", "d_model"), _fitting_table),
)


def _integer(low: int, high: int, value: Any) -> int:
    allowed = f"must be a whole number in {low}-{high}, not {value!r}"
    if isinstance(value, bool):
        raise ValueError(allowed)
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(allowed) from None
    if not low <= number <= high:
        raise ValueError(allowed)
    return number


def _choice(allowed: tuple[str, ...], value: Any) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"must be one of {', '.join(allowed)}, not {value!r}")
    return value


def _start_symbol(value: Any) -> str | None:
    if value is None:
        return None
    try:
        return _word(value)
    except ValueError as error:
        raise ValueError(f"{error}; none at all is null") from None


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a word must be text, not {value!r} (put it in quotes)")
    word = unicodedata.normalize("NFC", value)
    if (
        not 1 <= len(word) <= MAX_WORD_CHARACTERS
        or not word.isprintable()
        or any(character.isspace() for character in word)
    ):
        raise ValueError(f"a word must have 1-{MAX_WORD_CHARACTERS} visible characters and no spaces, not {value!r}")
    return word


def _sentence(value: Any) -> tuple[str, ...]:
    allowed = f"must be a list of 1-{MAX_WORDS} words"
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{allowed}, not {value!r}")
    if not 1 <= len(value) <= MAX_WORDS:
        raise ValueError(f"{allowed}, not {len(value)}")
    try:
        return tuple(_word(word) for word in value)
    except ValueError as error:
        raise ValueError(f"{allowed}; {error}") from None


def _table(value: Any, rows: int, columns: int) -> tuple[tuple[float, ...], ...]:
    allowed = (
        f"must have {rows} rows, one per word of the vocabulary, of {columns} numbers "
        f"between -{MAX_EMBEDDING:g} and {MAX_EMBEDDING:g}"
    )
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise ValueError(f"{allowed}, not {value!r}")
    if len(value) != rows:
        raise ValueError(f"{allowed}, not {len(value)} rows")
    table = []
    for index, row in enumerate(value):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != columns:
            raise ValueError(f"{allowed}; row {index} is {row!r}")
        for number in row:
            sound = not isinstance(number, bool) and hasattr(number, "__float__")
            if not sound or abs(number) > MAX_EMBEDDING or not math.isfinite(number):
                raise ValueError(f"{allowed}; row {index} holds {number!r}")
        table.append(tuple(float(number) for number in row))
    return tuple(table)
