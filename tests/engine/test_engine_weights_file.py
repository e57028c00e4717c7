"""Weights files: what is written is read back to the last bit, and nothing else is ever taken for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import ModelConfig, preset
from engine.training import Recipe, Training, train
from engine.weights_file import WeightsFileError, identity, path_of, read, write

RECIPE = Recipe(steps=3, rate=0.02, schedule="linear", sentences=50, order=2, labels="aligned")


@pytest.fixture(scope="module", params=["tutorial", "paper"])
def training(request: pytest.FixtureRequest) -> Training:
    return train(preset(request.param), "word_by_word", RECIPE)


def test_what_is_written_is_read_back(training: Training, tmp_path: Path) -> None:
    path = write(training, tmp_path / "new")
    assert path == path_of(training.config, "word_by_word", tmp_path / "new")
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    back = read(path, training.config)
    assert (back.config, back.corpus, back.recipe) == (training.config, training.corpus, training.recipe)
    assert back.digest() == training.digest()
    for name, array in vars(training.history).items():
        np.testing.assert_array_equal(getattr(back.history, name), array, err_msg=name)
    text = path.read_text(encoding="utf-8")
    assert write(back, tmp_path / "new").read_text(encoding="utf-8") == text
    assert '"source":["我","爱","水","课"]' in text


def test_the_file_is_for_every_model_with_the_same_numbers_whatever_its_words(tmp_path: Path) -> None:
    config = preset("tutorial")
    path = write(train(config, "one_sentence", RECIPE), tmp_path)
    other = ModelConfig(source=tuple("abcd"), target=tuple("efgh"), E=config.E)
    assert path_of(other, "one_sentence", tmp_path) == path
    assert read(path, other).config == other


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"d_ff": 9},
        {"heads": 1},
        {"cross_attention": "every"},
        {"source": list("abca")},
        {"target": ["I", "love", "easy", "courses", "too"]},
        {"weight_recipe": "paper"},
        {"encoder_layers": 3},
        {"E": [[0.5] * 4] * 8},
    ],
)
def test_another_model_has_another_file(changes: dict[str, Any], tmp_path: Path) -> None:
    config, other = preset("tutorial"), preset("tutorial", **changes)
    assert identity(config, "one_sentence") != identity(other, "one_sentence")
    assert identity(config, "one_sentence") != identity(config, "word_by_word")
    path = write(train(config, "one_sentence", RECIPE), tmp_path)
    with pytest.raises(WeightsFileError, match="another model"):
        read(path, other)


def _other_weight(data: dict[str, Any]) -> None:
    data["weights"]["weights.W_out"][0][0] += 1e-12


def _no_weight(data: dict[str, Any]) -> None:
    del data["weights"]["weights.encoder.0.attn.W_Q"]


def _short_weight(data: dict[str, Any]) -> None:
    data["weights"]["embed.weight"].pop()


def _ragged(data: dict[str, Any]) -> None:
    data["weights"]["embed.weight"][0].pop()


def _short_history(data: dict[str, Any]) -> None:
    data["history"]["probs"].pop()


def _endless_loss(data: dict[str, Any]) -> None:
    data["history"]["loss"][0] = float("nan")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_other_weight, "other weights than its digest says"),
        (_no_weight, r"not a weights file \(KeyError.*W_Q"),
        (_short_weight, "cannot reshape"),
        (_ragged, "inhomogeneous"),
        (_short_history, "history of probs"),
        (_endless_loss, "history of loss"),
        (lambda data: data.update(format=2), "format 2, but 1"),
        (lambda data: data.update(corpus="novels"), "'novels', which is none of one_sentence, word_by_word"),
        (lambda data: data.update(recipe={"steps": 3}), "not a weights file"),
        (lambda data: data["recipe"].update(rate=-1), "rate: must be"),
        (lambda data: data.update(weights=[1]), "not a weights file"),
        (lambda data: data.clear(), "not a weights file"),
    ],
)
def test_a_damaged_file_is_refused_with_one_line(
    damage: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    config = preset("tutorial")
    path = write(train(config, "one_sentence", RECIPE), tmp_path)
    data = json.loads(path.read_text(encoding="utf-8"))
    damage(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(WeightsFileError, match=message) as caught:
        read(path, config)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "explain train" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "\udcff"])
def test_what_is_no_weights_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(WeightsFileError):
        read(path, preset("tutorial"))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsFileError, match="cannot be read"):
        read(tmp_path / "none.json", preset("tutorial"))


def test_recipe_does_not_decide_where_the_file_lies(training: Training, tmp_path: Path) -> None:
    one = write(training, tmp_path)
    assert write(replace(training, recipe=replace(RECIPE, steps=3, order=9)), tmp_path) == one
