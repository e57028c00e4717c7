"""What can be computed is computed; what cannot be names the setting and what is allowed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from model_cases import configs

from engine import PRESETS, ConfigError, ModelConfig, preset, preset_problems, run

BAD: list[tuple[dict, str, str]] = [
    ({"source": []}, "source", "1-8 words, not 0"),
    ({"source": ["a"] * 9}, "source", "1-8 words, not 9"),
    ({"target": []}, "target", "1-8"),
    ({"target": ["a"] * 9}, "target", "1-8"),
    ({"source": "我爱水课"}, "source", "a list of 1-8 words"),
    ({"source": ["a", ""]}, "source", "1-24 visible characters"),
    ({"source": ["a", "two words"]}, "source", "no spaces"),
    ({"source": ["x" * 25]}, "source", "1-24"),
    ({"target": ["a", 3]}, "target", "must be text, not 3"),
    ({"target": ["a\u200b"]}, "target", "visible"),
    ({"target": {"a": 1}}, "target", "a list"),
    ({"target": None}, "target", "a list"),
    ({"d_model": 0}, "d_model", "2-16"),
    ({"d_model": 18}, "d_model", "2-16"),
    ({"d_model": 5}, "d_model", "even number in 2-16"),
    ({"d_model": "4"}, "d_model", "whole number in 2-16"),
    ({"d_model": 4.0}, "d_model", "whole number in 2-16"),
    ({"heads": 3}, "heads", "divide d_model = 4: allowed are 1, 2, 4"),
    ({"heads": 0}, "heads", "1-16"),
    ({"heads": True}, "heads", "1-16"),
    ({"d_ff": 0}, "d_ff", "1-64"),
    ({"d_ff": 65}, "d_ff", "1-64"),
    ({"encoder_layers": 0}, "encoder_layers", "1-6"),
    ({"encoder_layers": 7}, "encoder_layers", "1-6"),
    ({"decoder_layers": 0}, "decoder_layers", "1-6"),
    ({"decoder_layers": 7}, "decoder_layers", "1-6"),
    ({"max_length": 0}, "max_length", "1-8"),
    ({"max_length": 9}, "max_length", "1-8"),
    ({"seed": -1}, "seed", "0-4294967295"),
    ({"seed": 2**32}, "seed", "0-4294967295"),
    ({"cross_attention": "first"}, "cross_attention", "last, every"),
    ({"cross_attention": ["last"]}, "cross_attention", "last, every"),
    ({"weight_recipe": "xavier"}, "weight_recipe", "tutorial, paper"),
    ({"start_symbol": ""}, "start_symbol", "null"),
    ({"start_symbol": 1}, "start_symbol", "null"),
    ({"start_symbol": "love"}, "start_symbol", "neither sentence"),
    ({"E": [[0.0] * 4] * 7}, "E", "8 rows"),
    ({"E": [[0.0] * 3] * 8}, "E", "of 4 numbers"),
    ({"E": [[0.0, 0.0, 0.0, float("nan")]] * 8}, "E", "between -10 and 10"),
    ({"E": [[0.0, 0.0, 0.0, 10**400]] * 8}, "E", "between -10 and 10"),
    ({"E": [["a"] * 4] * 8}, "E", "between -10 and 10"),
    ({"E": [0.0] * 8}, "E", "of 4 numbers"),
    ({"E": 3}, "E", "8 rows"),
    ({"d_modell": 4}, "d_modell", "did you mean d_model?"),
]


@pytest.mark.parametrize(("changes", "field", "allowed"), BAD, ids=[str(changes)[:60] for changes, *_ in BAD])
def test_a_setting_that_cannot_be_is_named_with_what_can(changes: dict, field: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        preset("tutorial", **changes)
    assert caught.value.field == field
    assert allowed in caught.value.message
    assert str(caught.value) == f"{field}: {caught.value.message}"


@pytest.mark.parametrize("name", ["tutrial", None, ["tutorial"]])
def test_an_unknown_preset_is_named(name: object) -> None:
    with pytest.raises(ConfigError, match=r"preset: must be one of tutorial, paper") as caught:
        preset(name)  # type: ignore[arg-type]
    assert ("did you mean tutorial?" in str(caught.value)) == (name != None)  # noqa: E711


def test_a_configuration_made_by_hand_is_checked_too() -> None:
    with pytest.raises(ConfigError) as caught:
        ModelConfig(source=("a",), target=("b",), heads=3)
    assert caught.value.field == "heads"


def test_every_problem_can_be_had_at_once() -> None:
    problems = preset_problems("paper", source=[], heads=3, d_ff=0, seeds=1)
    assert {problem.field for problem in problems} == {"source", "heads", "d_ff", "seeds"}
    assert preset_problems("paper") == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(configs())
def test_every_allowed_model_computes(config: ModelConfig) -> None:
    trace = run(config)
    for key, array in trace.items():
        assert array.dtype == np.float64, key
        assert array.shape == trace.spec(key).shape, key
        assert np.isfinite(array).all(), key
        assert not array.flags.writeable, key
    assert trace.words("src.tokens") == config.source


@pytest.mark.parametrize("d_model", range(2, 17, 2))
@pytest.mark.parametrize("layers", [1, 6])
@pytest.mark.parametrize("words", [1, 8])
def test_corners_of_what_is_allowed_compute(d_model: int, layers: int, words: int) -> None:
    sentence = list("abcdefgh")[:words]
    config = ModelConfig(
        source=sentence,
        target=sentence,
        d_model=d_model,
        heads=d_model,
        encoder_layers=layers,
        decoder_layers=layers,
        E=[[10.0 * (-1) ** (row + column) for column in range(d_model)] for row in range(words)],
    )
    assert np.isfinite(run(config)["probs"]).all()


def test_vocabulary_is_source_then_target_then_start_each_word_once() -> None:
    config = preset("paper", source=["to", "be", "to"], target=["être", "to"])
    assert config.vocabulary == ("to", "be", "être", "<s>")
    assert config.source_ids == (0, 1, 0)
    assert config.target_ids == (2, 0)
    assert config.decoder_ids == (3, 2)


def test_the_same_letters_are_the_same_word_however_they_are_encoded() -> None:
    assert preset("tutorial", source=["caf\u00e9", "cafe\u0301"]).source_ids == (0, 0)


def test_presets_differ_in_what_they_say_they_differ() -> None:
    tutorial, paper = (dataclasses.asdict(preset(name)) for name in PRESETS)
    changed = {name for name in tutorial if tutorial[name] != paper[name]}
    assert changed == {"cross_attention", "start_symbol", "weight_recipe", "E"}
    assert (tutorial["cross_attention"], tutorial["start_symbol"]) == ("last", None)
    assert (paper["cross_attention"], paper["E"]) == ("every", None)


def test_the_tutorials_table_stays_with_its_words_and_width() -> None:
    own = preset("tutorial").E
    assert own is not None
    kept = preset("tutorial", seed=1, source=["我", "爱", "水", "课"], d_ff=3)
    assert own == kept.E
    assert preset("tutorial", target=["I", "love", "courses"]).E is None
    assert preset("tutorial", d_model=8).E is None
    assert preset("tutorial", start_symbol="<s>").E is None
    assert preset("tutorial", E=None).E is None


def test_configurations_are_values() -> None:
    one, other = preset("tutorial", seed=np.int64(3)), preset("tutorial", seed=3)
    assert one == other
    assert hash(one) == hash(other)
    assert hash(preset("tutorial", E=np.zeros((8, 4)))) == hash(preset("tutorial", E=[[0] * 4] * 8))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.seed = 4  # type: ignore[misc]
