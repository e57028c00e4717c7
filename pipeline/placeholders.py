"""The `{name}` and `{name:.3f}` of the storyboard's words: reading them, checking them, filling them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine import ModelConfig

# Filled in every text of the film from the model's configuration; see `film_values`.
FILM_PLACEHOLDERS = (
    "source",
    "target",
    "n_source",
    "n_target",
    "vocabulary_size",
    "d_model",
    "heads",
    "d_head",
    "d_ff",
    "encoder_layers",
    "decoder_layers",
)

ALLOWED = 'a simple name with an optional format, as in {p} or {p:.3f}; "{{" and "}}" for braces themselves'

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORMAT = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?[0-9]{0,2}[,_]?(?:\.[0-9]{1,2})?[bdeEfFgGnosxX%]?")


class PlaceholderError(ValueError):
    """A text whose braces cannot be read as placeholders."""


def placeholders(words: str) -> list[str]:
    """The names of the placeholders in `words`, in order, repeats included.

    Raises PlaceholderError for a lone brace, an attribute or index, a conversion, or a format that is none.
    """
    names: list[str] = []
    try:
        parsed = list(string.Formatter().parse(words))
    except ValueError as error:
        raise PlaceholderError(f"the braces do not pair up ({error})") from None
    for _, name, spec, conversion in parsed:
        if name is None:
            continue
        shown = "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
        if not _NAME.fullmatch(name):
            raise PlaceholderError(f'"{shown}" is not a placeholder')
        if conversion:
            raise PlaceholderError(f'"{shown}" has a conversion (!{conversion})')
        if spec and not _FORMAT.fullmatch(spec):
            raise PlaceholderError(f'"{shown}" has the unknown format "{spec}"')
        names.append(name)
    return names


def film_values(model: ModelConfig, language: str) -> dict[str, str | int]:
    """What fills the placeholders that every text of the film may use: FILM_PLACEHOLDERS."""
    joiner = "" if language.startswith("zh") or all(len(word) == 1 for word in model.source) else " "
    return {
        "source": joiner.join(model.source),
        "target": " ".join(model.target),
        "n_source": len(model.source),
        "n_target": len(model.target),
        "vocabulary_size": len(model.vocabulary),
        "d_model": model.d_model,
        "heads": model.heads,
        "d_head": model.d_head,
        "d_ff": model.d_ff,
        "encoder_layers": model.encoder_layers,
        "decoder_layers": model.decoder_layers,
    }


def fill(words: str, values: Mapping[str, object]) -> str:
    """`words` with every placeholder filled from `values`. Raises PlaceholderError; KeyError for a missing value."""
    for name in placeholders(words):
        if name not in values:
            raise KeyError(name)
    return words.format_map(values)
