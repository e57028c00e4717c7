"""The trace with trained models in it, and the two trainings that the film shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from model_cases import configs

from engine import ModelConfig, Trace, TraceKeyError, key_list, preset, run, run_trained, trained, weights_file
from engine.corpora import CORPORA, word_by_word
from engine.params import draw
from engine.trained_keys import corpus_of
from engine.training import RECIPES, Recipe, accuracy_of, train

TINY = dict.fromkeys(CORPORA, Recipe(steps=2, rate=0.02, sentences=64))


@pytest.fixture(scope="module")
def film() -> Trace:
    return run_trained(preset("tutorial"))


def test_the_untrained_keys_come_first_and_have_the_same_bits(film: Trace, tutorial: Trace) -> None:
    keys = list(key_list(preset("tutorial")))
    assert list(film)[: len(keys)] == keys
    assert len(film) == len(set(film)) == len(list(film))
    for key in keys:
        np.testing.assert_array_equal(film[key], tutorial[key])
        assert film.spec(key) == tutorial.spec(key)


def test_each_corpus_adds_every_key_and_what_was_seen_along_the_way(film: Trace) -> None:
    keys = key_list(preset("tutorial"))
    names = ["steps", "loss", "accuracy", "probs", "cross_attn", "attention", "head", "accuracy_all", "asked", "alike"]
    expected = [
        key
        for corpus in ("one_sentence", "word_by_word")
        for key in (
            *(f"trained.{corpus}.{key}" for key in keys),
            *(f"training.{corpus}.{name}" for name in names),
        )
    ]
    assert list(film)[len(keys) :] == expected


def test_shapes_are_those_of_the_registry_and_nothing_can_be_changed(film: Trace) -> None:
    for key in film.select("train*"):
        spec, array = film.spec(key), film[key]
        assert array.shape == spec.shape
        assert len(spec.axes) == len(spec.shape)
        assert not array.flags.writeable
        assert spec.formula
        assert spec.meaning
        untrained = key.split(".", 2)[2]
        assert spec.step == (film.spec(untrained).step if key.startswith("trained.") else 90)


def test_a_trained_model_is_the_same_model_with_other_weights(film: Trace) -> None:
    config = preset("tutorial")
    for corpus in CORPORA:
        params = trained.trained(config, corpus).params
        for key, array in run(config, params).items():
            np.testing.assert_array_equal(film[f"trained.{corpus}.{key}"], array)


@pytest.mark.parametrize("corpus", list(CORPORA))
def test_history_begins_with_the_film_s_weights_and_ends_with_the_trained_ones(film: Trace, corpus: str) -> None:
    for moment, stem in ((0, ""), (-1, f"trained.{corpus}.")):
        for name, key in (("probs", "probs"), ("cross_attn", "decoder.1.cross_attn.pattern")):
            np.testing.assert_allclose(film[f"training.{corpus}.{name}"][moment], film[stem + key], atol=1e-6)
    steps = film[f"training.{corpus}.steps"]
    assert steps[0] == 0
    assert steps[-1] == RECIPES[corpus].steps
    assert (np.diff(steps) > 0).all()
    h, said, places = range(2), np.arange(3), np.arange(3) + 1
    for head in h:
        np.testing.assert_array_equal(
            film[f"training.{corpus}.attention"][:, head], film[f"training.{corpus}.cross_attn"][:, head, said, places]
        )


def test_nothing_is_trained_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[str] = []

    def spy(config: ModelConfig, corpus: str, recipe: Recipe) -> object:
        calls.append(corpus)
        return train(config, corpus, recipe)

    monkeypatch.setattr(trained, "train", spy)
    monkeypatch.setattr(trained, "RECIPES", TINY)
    config = preset("tutorial", seed=987)
    trace = run_trained(config, tmp_path)
    assert "trained.word_by_word.probs" in trace
    assert trace.spec("training.word_by_word.loss").shape == (3,)
    assert trace["probs"].shape == (4, 8)
    assert trace.select("trained.one_sentence.*")
    assert trace.to_json("probs")
    assert calls == []
    assert trace["training.word_by_word.loss"].shape == (3,)
    assert trace["trained.word_by_word.probs"].shape == (4, 8)
    assert calls == ["word_by_word"]
    run_trained(config, tmp_path)["trained.word_by_word.probs"]
    assert calls == ["word_by_word"]


def test_a_file_is_used_and_its_moments_are_counted(tmp_path: Path) -> None:
    config = preset("tutorial", seed=986)
    digest = trained.training_digest(config, tmp_path)
    weights_file.write(train(config, "one_sentence", Recipe(steps=5, rate=0.05)), tmp_path)
    trace = run_trained(config, tmp_path)
    assert trace["training.one_sentence.steps"].tolist() == [0, 1, 2, 3, 4, 5]
    assert trained.training_digest(config, tmp_path) != digest
    # Written anew, it is read anew.
    weights_file.write(train(config, "one_sentence", Recipe(steps=2, rate=0.05)), tmp_path)
    assert run_trained(config, tmp_path)["training.one_sentence.steps"].tolist() == [0, 1, 2]


def test_training_digest_knows_models_and_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = trained.training_digest(preset("tutorial"), tmp_path)
    assert one == trained.training_digest(preset("tutorial"), tmp_path)
    assert one != trained.training_digest(preset("tutorial", seed=1), tmp_path)
    monkeypatch.setattr(trained, "RECIPES", TINY)
    assert one != trained.training_digest(preset("tutorial"), tmp_path)


def test_unknown_keys_have_near_misses(film: Trace) -> None:
    for key in ("trained.word_by_word.prob", "training.one_sentence.los", "trained.one_word.probs"):
        with pytest.raises(TraceKeyError, match="did you mean"):
            film[key]
        assert key not in film
        with pytest.raises(TraceKeyError):
            film.spec(key)


def test_corpus_of_a_key() -> None:
    assert corpus_of("trained.word_by_word.greedy.1.next") == "word_by_word"
    assert corpus_of("training.one_sentence.loss") == "one_sentence"
    for key in ("probs", "trained.novels.probs", "training", "encoder.0.out", "trained.one_sentence"):
        assert corpus_of(key) is None


@settings(max_examples=8, deadline=None)
@given(config=configs())
def test_any_model_has_a_trained_trace(config: ModelConfig) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trained, "RECIPES", TINY)
        trace = run_trained(config)
        for corpus in CORPORA:
            for key in (f"trained.{corpus}.probs", f"training.{corpus}.attention", f"training.{corpus}.head"):
                assert trace[key].shape == trace.spec(key).shape


# -- the two trainings of the film ------------------------------------------------------------------------------------


@pytest.mark.parametrize("corpus", list(CORPORA))
def test_committed_weights_come_out_again(corpus: str) -> None:
    """The whole training, to the last bit: about half a second, and seven."""
    config = preset("tutorial")
    path = weights_file.path_of(config, corpus)
    committed, anew = weights_file.read(path, config), train(config, corpus)
    assert committed.recipe == RECIPES[corpus]
    assert anew.digest() == committed.digest()
    assert anew.loss == pytest.approx(committed.loss, abs=1e-8)
    assert anew.accuracy == committed.accuracy
    np.testing.assert_allclose(anew.history.loss, committed.history.loss, atol=1e-8)
    np.testing.assert_allclose(anew.history.probs, committed.history.probs, atol=2e-6)
    assert path.stat().st_size < 100_000


def test_what_the_film_says_of_one_sentence(film: Trace) -> None:
    assert film.words("trained.one_sentence.greedy.tokens") == ("I", "love", "easy", "courses")
    probs = film["trained.one_sentence.probs"]
    assert (probs[[0, 1, 2], [5, 6, 7]] > 0.99).all()
    assert film["trained.one_sentence.loss.shifted.mean"] < 0.003
    rows = film["trained.one_sentence.decoder.1.cross_attn.pattern"][:, :3]
    assert np.abs(rows - 0.25).max() < 0.02
    # Learned by heart: it says the same to every sentence that begins with the same word.
    assert film["training.one_sentence.asked"] == film["training.one_sentence.alike"] == 64
    assert film["training.one_sentence.accuracy_all"] == 0.25


def test_what_the_film_says_of_word_by_word(film: Trace) -> None:
    config = preset("tutorial")
    assert film.words("trained.word_by_word.greedy.tokens") == ("I", "love", "easy", "courses")
    weights = trained.trained(config, "word_by_word").params
    assert accuracy_of(weights, word_by_word(config)) >= 0.99
    assert accuracy_of(draw(config), word_by_word(config)) < 0.2
    assert (film["training.word_by_word.asked"], film["training.word_by_word.alike"]) == (64, 1)
    assert film["training.word_by_word.accuracy_all"] == accuracy_of(weights, word_by_word(config))
    assert trained.trained(config, "word_by_word").has_learned_to_translate
    assert not trained.trained(config, "one_sentence").has_learned_to_translate
    # One head looks at the source word that each predicted word translates.
    pattern = film["trained.word_by_word.decoder.1.cross_attn.pattern"][int(film["training.word_by_word.head"])]
    assert (pattern[[0, 1, 2], [1, 2, 3]] >= 0.9).all()
