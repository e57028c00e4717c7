"""Trained weights as small text files: the weights, the recipe they came from, and what was seen along the way.

A file belongs to a model, not to its words: it fits every configuration that has the same ids, sizes, wiring and
starting weights. Its name holds the first digits of a digest over these (`identity`), so files of several models lie in
one folder and none is ever taken for another. Numbers of the weights are written to the last bit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import ModelConfig
from engine.corpora import CORPORA
from engine.documents import write_whole
from engine.ops import Array
from engine.params import draw
from engine.settings import ConfigError
from engine.training import History, Recipe, Training, digest_of
from engine.vector import from_named, learned

FOLDER = Path(__file__).resolve().parent / "weights"
FORMAT = 1
_SIZES = ("d_model", "heads", "d_ff", "encoder_layers", "decoder_layers", "cross_attention", "start_symbol")


class WeightsFileError(ValueError):
    """A weights file that cannot be used; str() is one line that names it, what is wrong and what to do."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(f"{path}: {message}; next: remove it, or write it anew with `explain train`")
        self.path = path
        self.message = message


def identity(config: ModelConfig, corpus: str) -> str:
    """A digest, in hexadecimal, over all that decides what training starts from and what it is shown."""
    sizes = {name: getattr(config, name) for name in _SIZES}
    sizes["start_symbol"] = config.start_symbol is not None
    facts = {
        "corpus": corpus,
        "source": config.source_ids,
        "target": config.target_ids,
        "start": digest_of(draw(config)),
        **sizes,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def path_of(config: ModelConfig, corpus: str, folder: Path = FOLDER) -> Path:
    """Where the weights of this model, trained on this corpus, are kept."""
    return folder / f"{corpus}-{identity(config, corpus)[:8]}.json"


def to_text(training: Training) -> str:
    """The file: JSON, one array a line."""
    config = training.config
    head: dict[str, Any] = {
        "format": FORMAT,
        "corpus": training.corpus,
        "identity": identity(config, training.corpus),
        "model": {name: getattr(config, name) for name in ("source", "target", "seed", "weight_recipe", *_SIZES)},
        "recipe": asdict(training.recipe),
        "digest": training.digest(),
        "final": {
            "loss": training.loss,
            "accuracy": training.accuracy,
            "head": training.head,
            "attention": training.attention.tolist(),
        },
    }
    lines = [f"{json.dumps(name)}: {_compact(value)}" for name, value in head.items()]
    lines.append(_block("history", {field.name: getattr(training.history, field.name) for field in fields(History)}))
    lines.append(_block("weights", dict(learned(training.params))))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(training: Training, folder: Path = FOLDER) -> Path:
    """Write the file of `training`, whole or not at all, and return its path. Raises `OSError`."""
    path = path_of(training.config, training.corpus, folder)
    write_whole(path, to_text(training))
    return path


def read(path: Path, config: ModelConfig) -> Training:
    """The training that `path` holds, of the model `config`.

    Raises `WeightsFileError` for a file that is damaged or belongs to another model.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WeightsFileError(path, f"cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        raise WeightsFileError(path, f"is not JSON ({error})") from None
    try:
        training = _training(data, config)
    except (KeyError, TypeError, AttributeError) as error:
        raise WeightsFileError(path, f"is not a weights file ({error.__class__.__name__}: {error})") from None
    except (ConfigError, ValueError) as error:
        raise WeightsFileError(path, str(error)) from None
    return training


def _training(data: Mapping[str, Any], config: ModelConfig) -> Training:
    if data["format"] != FORMAT:
        raise ValueError(f"has format {data['format']!r}, but {FORMAT} is needed")
    corpus = data["corpus"]
    if corpus not in CORPORA:
        raise ValueError(f"was trained on {corpus!r}, which is none of {', '.join(CORPORA)}")
    if data["identity"] != identity(config, corpus):
        raise ValueError("holds the weights of another model")
    params = from_named(draw(config), {key: _array(rows) for key, rows in data["weights"].items()})
    if digest_of(params) != data["digest"]:
        raise ValueError("holds other weights than its digest says")
    history = History(**{field.name: _array(data["history"][field.name]) for field in fields(History)})
    _check_shapes(history, config)
    return Training(config, corpus, Recipe(**data["recipe"]), params, history)


def _check_shapes(history: History, config: ModelConfig) -> None:
    snapshots, rows = len(history.steps), len(config.target)
    expected = {
        "steps": (snapshots,),
        "loss": (snapshots,),
        "accuracy": (snapshots,),
        "probs": (snapshots, rows, len(config.vocabulary)),
        "cross_attn": (snapshots, config.heads, rows, len(config.source)),
    }
    for name, shape in expected.items():
        found = getattr(history, name)
        if found.shape != shape or not np.isfinite(found).all():
            raise ValueError(f"has a history of {name} of shape {found.shape}, but {shape} is needed")


def _array(rows: Any) -> Array:
    return np.array(rows, dtype=np.float64)


def _block(name: str, arrays: Mapping[str, Array]) -> str:
    lines = [f"  {json.dumps(key)}: {_compact(array.tolist())}" for key, array in arrays.items()]
    return f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
