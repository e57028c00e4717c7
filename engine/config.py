"""What a model is made of: the two sentences, the sizes, the seed, and the two presets of the film.

A configuration is checked when it is made, so every `ModelConfig` that exists can be computed.
"""

from __future__ import annotations

import difflib
import math
import operator
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
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


@dataclass(frozen=True)
class ModelConfig:
    """An encoder-decoder Transformer small enough to be read number by number.

    source, target   1-8 words each; a word that occurs twice, in one sentence or in both, has one id
    d_model          width of every row, 2-16, even, divisible by `heads`
    heads            attention heads; each is d_head = d_model / heads wide
    d_ff             width of the feed-forward network's hidden row, 1-64
    encoder_layers, decoder_layers   1-6 each
    max_length       most positions a sentence may have, 1-8; the generating loop stops there too
    cross_attention  "last": only the last decoder layer looks at the source; "every": all do
    start_symbol     None: the decoder reads the target itself; a word: it reads the target shifted right behind it
    seed             of the drawn weights (and of E where it is not given), 0 to 2**32 - 1
    weight_recipe    order of the draws, "tutorial" or "paper"; see `engine.params`
    E                the embedding table, one row of d_model numbers per word of the vocabulary; None draws it

    Raises `ConfigError` for the first setting that cannot be.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    d_model: int = 4
    heads: int = 2
    d_ff: int = 8
    encoder_layers: int = 2
    decoder_layers: int = 2
    max_length: int = MAX_WORDS
    cross_attention: str = "last"
    start_symbol: str | None = None
    seed: int = 42
    weight_recipe: str = "tutorial"
    E: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for problem in _normalise(values):
            raise problem
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """All words, each once: the source's, then the target's, then the start symbol. A word's index is its id."""
        return _vocabulary(self.source, self.target, self.start_symbol)

    @property
    def d_head(self) -> int:
        """Width of one head's query, key and value rows."""
        return self.d_model // self.heads

    @property
    def source_ids(self) -> tuple[int, ...]:
        """The encoder's input."""
        return tuple(self.vocabulary.index(word) for word in self.source)

    @property
    def target_ids(self) -> tuple[int, ...]:
        """The target sentence itself, never shifted."""
        return tuple(self.vocabulary.index(word) for word in self.target)

    @property
    def decoder_ids(self) -> tuple[int, ...]:
        """The decoder's input in the training pass: as many ids as the target has words."""
        if self.start_symbol is None:
            return self.target_ids
        return (self.vocabulary.index(self.start_symbol), *self.target_ids[:-1])

    @property
    def passes(self) -> int:
        """How many passes a sentence takes when it is made word by word.

        With a start symbol every target word is predicted. Without one the first word is given; a target of that
        one word still gets one pass, so that there is a prediction to look at.
        """
        return len(self.target) if self.start_symbol is not None else max(1, len(self.target) - 1)

    def has_cross_attention(self, layer: int) -> bool:
        """Whether decoder layer `layer` (from 0) looks at the encoder's output."""
        return self.cross_attention == "every" or layer == self.decoder_layers - 1


def _vocabulary(source: Sequence[str], target: Sequence[str], start: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*source, *target, *([] if start is None else [start])]))


def _normalise(values: dict[str, Any]) -> Iterator[ConfigError]:
    """Bring `values` into their final types in place; yield one error per setting that cannot be."""
    bad: set[str] = set()

    def problem(field: str, message: str) -> ConfigError:
        bad.add(field)
        return ConfigError(field, message)

    for name in ("source", "target"):
        try:
            values[name] = _sentence(values[name])
        except ValueError as error:
            yield problem(name, str(error))
    for name, (low, high) in INTEGER_RANGES.items():
        try:
            values[name] = _integer(values[name], low, high)
        except ValueError as error:
            yield problem(name, str(error))
    for name, allowed in (("cross_attention", CROSS_ATTENTION), ("weight_recipe", WEIGHT_RECIPES)):
        if values[name] not in allowed:
            yield problem(name, f"must be one of {', '.join(allowed)}, not {values[name]!r}")
    if values["start_symbol"] is not None:
        try:
            values["start_symbol"] = _word(values["start_symbol"])
        except ValueError as error:
            yield problem("start_symbol", f"{error}, or null for none")

    # What concerns two settings is only asked when each is sound in itself.
    if "d_model" not in bad and values["d_model"] % 2:
        low, high = INTEGER_RANGES["d_model"]
        yield problem("d_model", f"must be an even number in {low}-{high}, not {values['d_model']}")
    if not bad & {"d_model", "heads"} and values["d_model"] % values["heads"]:
        divisors = [n for n in range(1, values["d_model"] + 1) if values["d_model"] % n == 0]
        yield problem(
            "heads",
            f"must divide d_model = {values['d_model']}: allowed are {', '.join(map(str, divisors))}, "
            f"not {values['heads']}",
        )
    if not bad & {"source", "target", "max_length"}:
        longest = max(len(values["source"]), len(values["target"]))
        if values["max_length"] < longest:
            yield problem(
                "max_length",
                f"must be {longest}-{MAX_WORDS}, because the longer sentence has {longest} words, "
                f"not {values['max_length']}",
            )
    if not bad & {"source", "target", "start_symbol"} and values["start_symbol"] in {
        *values["source"],
        *values["target"],
    }:
        yield problem("start_symbol", f"must be a word of neither sentence, but {values['start_symbol']!r} is one")
    if values["E"] is not None and not bad & {"source", "target", "start_symbol", "d_model"}:
        rows = len(_vocabulary(values["source"], values["target"], values["start_symbol"]))
        try:
            values["E"] = _table(values["E"], rows, values["d_model"])
        except ValueError as error:
            yield problem("E", str(error))


def _integer(value: Any, low: int, high: int) -> int:
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
            if not sound or not math.isfinite(number) or abs(number) > MAX_EMBEDDING:
                raise ValueError(f"{allowed}; row {index} holds {number!r}")
        table.append(tuple(float(number) for number in row))
    return tuple(table)


_TUTORIAL_E = (
    (0.5, -0.3, 0.8, 0.1),
    (-0.2, 0.6, -0.1, 0.4),
    (0.3, 0.2, 0.5, -0.4),
    (-0.6, 0.1, 0.3, 0.7),
    (0.4, 0.5, -0.2, 0.3),
    (0.7, -0.1, 0.6, -0.3),
    (-0.5, 0.4, 0.2, 0.6),
    (0.1, -0.6, 0.4, 0.2),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # The running example, to be checked by hand.
    "tutorial": {
        "source": ("我", "爱", "水", "课"),
        "target": ("I", "love", "easy", "courses"),
        "E": _TUTORIAL_E,
    },
    # The same sentence and sizes in the wiring of "Attention Is All You Need": every decoder layer looks at the
    # source, and the target is shifted right behind a start symbol.
    "paper": {
        "source": ("我", "爱", "水", "课"),
        "target": ("I", "love", "easy", "courses"),
        "cross_attention": "every",
        "start_symbol": "<s>",
        "weight_recipe": "paper",
    },
}


def preset(name: str, **overrides: Any) -> ModelConfig:
    """The preset `name` with some settings replaced.

    The tutorial's own E belongs to its words and width: where one of these is replaced and no E is given, E is drawn.
    Raises `ConfigError` naming the setting; its field is "preset" when there is no preset of that name.
    """
    for problem in preset_problems(name, **overrides):
        raise problem
    return ModelConfig(**_merged(name, overrides))


def preset_problems(name: str, **overrides: Any) -> list[ConfigError]:
    """Everything that keeps `preset(name, **overrides)` from being a model, not only the first thing; else []."""
    if name not in PRESETS:
        return [ConfigError("preset", f"must be one of {', '.join(PRESETS)}, not {name!r}{_near(name, PRESETS)}")]
    known = {field.name: field.default for field in fields(ModelConfig)}
    problems = [
        ConfigError(field, f"is not a setting of the model{_near(field, known)}; settings are {', '.join(known)}")
        for field in overrides
        if field not in known
    ]
    settings = {field: value for field, value in overrides.items() if field in known}
    return problems + list(_normalise(known | _merged(name, settings)))


def _near(word: Any, known: Mapping[str, Any]) -> str:
    matches = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""


def _merged(name: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    base = dict(PRESETS[name])
    merged = base | dict(overrides)
    if "E" in base and "E" not in overrides:
        plain = {field.name: field.default for field in fields(ModelConfig)} | base
        ties = ("source", "target", "start_symbol", "d_model")
        if any(_plain(merged.get(tie, plain[tie])) != _plain(plain[tie]) for tie in ties):
            del merged["E"]
    return merged


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
