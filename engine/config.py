"""What a model is made of: the two sentences, the sizes, the seed, and the two presets of the film.

A configuration is checked when it is made, so every `ModelConfig` that exists can be computed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from engine.settings import MAX_WORDS, ConfigError, normalise, vocabulary_of


@dataclass(frozen=True)
class ModelConfig:
    """An encoder-decoder Transformer small enough to be read number by number.

    source, target   1-8 words each; a word that occurs twice, in one sentence or in both, has one id
    d_model          width of every row, 2-16, even, divisible by `heads`
    heads            attention heads; each is d_head = d_model / heads wide
    d_ff             width of the feed-forward network's hidden row, 1-64
    encoder_layers, decoder_layers   1-6 each
    max_length       most words the generating loop may make, 1-8
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
        for problem in normalise(values):
            raise problem
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """All words, each once: the source's, then the target's, then the start symbol. A word's index is its id."""
        return vocabulary_of(*self.source, *self.target, start=self.start_symbol)

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
    def prefixes(self) -> int:
        """How many beginnings of the target the decoder is run on: all that a next word is asked for.

        Without a start symbol the last target word is not asked for its follower, except in a target of one word, so
        that there is always a prediction to look at.
        """
        return max(1, len(self.target) - (self.start_symbol is None))

    @property
    def greedy_length(self) -> int:
        """Ids the generating loop ends with. There is no end symbol: it makes as many words as the target has, and at
        most max_length; the start symbol in front of them is not counted as a word."""
        return min(len(self.target), self.max_length) + (self.start_symbol is not None)

    @property
    def greedy_passes(self) -> int:
        """Passes of the generating loop: one for each word after the given first one, and always one to look at."""
        return max(1, self.greedy_length - 1)

    def has_cross_attention(self, layer: int) -> bool:
        """Whether decoder layer `layer` (from 0) looks at the encoder's output."""
        return self.cross_attention == "every" or layer == self.decoder_layers - 1


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
    if not isinstance(name, str) or name not in PRESETS:
        return [ConfigError("preset", f"must be one of {', '.join(PRESETS)}, not {name!r}{_near(name, PRESETS)}")]
    known = {field.name: field.default for field in fields(ModelConfig)}
    problems = [
        ConfigError(field, f"is not a setting of the model{_near(field, known)}; settings are {', '.join(known)}")
        for field in overrides
        if field not in known
    ]
    settings = {field: value for field, value in overrides.items() if field in known}
    return problems + normalise(known | _merged(name, settings))


def _near(word: Any, known: Iterable[str]) -> str:
    matches = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""


def _merged(name: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**PRESETS[name], **overrides}
    if "E" in PRESETS[name] and "E" not in overrides:
        untouched: dict[str, Any] = {field.name: field.default for field in fields(ModelConfig)}
        untouched.update(PRESETS[name])
        ties = ("source", "target", "start_symbol", "d_model")
        if any(_comparable(overrides[tie]) != untouched[tie] for tie in ties if tie in overrides):
            del merged["E"]
    return merged


def _comparable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
