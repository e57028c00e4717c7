"""Optimisers, recipes and training."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_cases import random_batch, random_config
from model_cases import configs

from engine import ConfigError, ModelConfig, preset, run
from engine.backward import mean_loss
from engine.batch import Batch, forward, gradients
from engine.corpora import CORPORA, Corpus, one_sentence, word_by_word
from engine.optimisers import Adam, GradientDescent
from engine.params import draw
from engine.training import (
    RECIPES,
    Recipe,
    accuracy_of,
    alignment,
    best_head,
    descend,
    digest_of,
    greedy,
    restarts,
    snapshot_steps,
    train,
)
from engine.vector import from_named, from_vector, learned, to_vector

SHORT = Recipe(steps=6, rate=0.02, schedule="linear", sentences=100, order=3)


@settings(max_examples=20, deadline=None)
@given(configs())
def test_many_sentences_at_once_give_the_values_of_the_trace(config: ModelConfig) -> None:
    trace, params = run(config), draw(config)
    source, decoder = (np.array([ids, ids]).T for ids in (config.source_ids, config.decoder_ids))
    passed = forward(params, Batch(source, decoder, decoder))
    # Positions are rounded to twelve decimals here, and d_model = 2 magnifies: each row has two values only.
    for sentence in range(2):
        np.testing.assert_allclose(passed.probs[..., sentence], trace["probs"], atol=1e-7)
        pattern = trace[f"decoder.{config.decoder_layers - 1}.cross_attn.pattern"]
        np.testing.assert_allclose(passed.cross_pattern()[..., sentence], pattern, atol=1e-7)


@pytest.mark.parametrize("name", ["tutorial", "paper"])
@pytest.mark.parametrize("labels", ["aligned", "shifted"])
def test_loss_of_one_sentence_is_the_trace_s(name: str, labels: str) -> None:
    config = preset(name)
    passed = forward(draw(config), one_sentence(config).batch(labels))
    np.testing.assert_allclose(passed.losses()[:, 0], run(config)[f"loss.{labels}"], rtol=1e-10)


def test_vector_and_weights_are_the_same_numbers() -> None:
    for number in range(6):
        params = draw(random_config(number))
        back = from_vector(params, to_vector(params))
        assert [key for key, _ in learned(back)] == [key for key, _ in learned(params)]
        for (_, mine), (_, old) in zip(learned(back), learned(params), strict=True):
            np.testing.assert_array_equal(mine, old)
    with pytest.raises(ValueError, match=r"weights; a vector of shape \(3,\)"):
        from_vector(params, np.zeros(3))
    with pytest.raises(KeyError):
        from_named(params, {"embed.weight": params.E})


def test_one_step_of_plain_descent_is_the_gradient_times_the_rate() -> None:
    np.testing.assert_array_equal(
        GradientDescent().step(np.array([1.0, 2.0]), np.array([10.0, -4.0]), 0.5), [-4.0, 4.0]
    )


def test_adam_is_the_published_algorithm() -> None:
    random = np.random.RandomState(0)
    weights, m, v = np.ones(4), np.zeros(4), np.zeros(4)
    adam, found = Adam(), np.ones(4)
    for step in range(1, 30):
        gradient = random.normal(size=4) * [1e-6, 1.0, 1e3, 0.0]
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        weights = weights - 0.01 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        found = adam.step(found, gradient, 0.01)
        np.testing.assert_allclose(found, weights, rtol=1e-12)
        if step == 1:  # the first stride is the rate, whatever the gradient's size; no gradient, no stride
            np.testing.assert_allclose(1.0 - found, np.sign(gradient) * [0.01, 0.01, 0.01, 0.0], rtol=0.02)


@pytest.mark.parametrize("number", range(8))
def test_a_small_step_downhill_lowers_the_loss_as_the_gradient_foretells(number: int) -> None:
    config = random_config(number)
    params, batch = draw(config), random_batch(config)
    before = forward(params, batch)
    gradient = to_vector(gradients(params, before))
    steepness, rate = float(gradient @ gradient), 1e-7
    moved = from_vector(params, GradientDescent().step(to_vector(params), gradient, rate))
    fallen = mean_loss(before.losses()) - mean_loss(forward(moved, batch).losses())
    assert fallen == pytest.approx(rate * steepness, rel=0.01, abs=1e-13)


def test_gradient_of_many_sentences_is_the_mean_of_theirs() -> None:
    config = preset("paper")
    params, batch = draw(config), word_by_word(config).batch()
    whole = to_vector(gradients(params, forward(params, batch)))
    alone = [
        to_vector(gradients(params, forward(params, batch.take(np.array([index]))))) for index in range(len(batch))
    ]
    np.testing.assert_allclose(whole, np.mean(alone, axis=0), atol=1e-12)


def test_rows_that_are_not_scored_change_no_gradient() -> None:
    config = preset("tutorial")
    params, batch = draw(config), word_by_word(config).batch()
    longer = Batch(batch.source, np.concatenate([batch.decoder, batch.labels[-1:]]), batch.labels)
    found, expected = (to_vector(gradients(params, forward(params, one))) for one in (longer, batch))
    np.testing.assert_allclose(found, expected, atol=1e-14)


@settings(max_examples=8, deadline=None)
@given(configs(), st.sampled_from(list(CORPORA)))
def test_any_model_can_be_trained(config: ModelConfig, corpus: str) -> None:
    training = train(config, corpus, replace(SHORT, steps=2))
    h = training.history
    assert h.steps.tolist() == [0, 1, 2]
    assert h.probs.shape == (3, len(config.target), len(config.vocabulary))
    assert h.cross_attn.shape == (3, config.heads, len(config.target), len(config.source))
    assert ((h.accuracy >= 0) & (h.accuracy <= 1)).all()
    said = len(config.target) - (config.start_symbol is None)
    assert training.attention_along.shape == (3, config.heads, said)
    if said == 0:
        assert digest_of(training.params) == digest_of(draw(config))
        assert not training.has_learned_to_translate


def test_training_twice_gives_the_same_bits_and_another_order_gives_others() -> None:
    config = preset("tutorial")
    digests = [train(config, "word_by_word", recipe).digest() for recipe in (SHORT, SHORT, replace(SHORT, order=4))]
    assert digests[0] == digests[1] != digests[2]


def test_training_starts_from_the_weights_of_the_film() -> None:
    config = preset("tutorial")
    training = train(config, "one_sentence", replace(SHORT, steps=0))
    assert digest_of(training.params) == digest_of(draw(config))
    trace = run(config)
    np.testing.assert_allclose(training.history.probs[0], trace["probs"], atol=1e-6)
    np.testing.assert_allclose(training.history.cross_attn[0], trace["decoder.1.cross_attn.pattern"], atol=1e-6)
    assert training.loss == pytest.approx(float(trace["loss.shifted.mean"]), abs=1e-8)


def test_every_epoch_shows_each_sentence_once() -> None:
    config = preset("tutorial")
    batch, seen = word_by_word(config).batch(), []

    class Spy(Batch):
        def take(self, sentences: np.ndarray) -> Batch:
            seen.extend(sentences.tolist())
            return super().take(sentences)

    spy = Spy(batch.source, batch.decoder, batch.labels)
    list(descend(draw(config), spy, replace(SHORT, steps=6, sentences=100)))
    assert sorted(seen[:256]) == sorted(seen[256:]) == list(range(256))
    assert seen[:256] != seen[256:]


def test_rate_falls_to_nothing_or_stays() -> None:
    linear = Recipe(steps=4, rate=1.0, schedule="linear")
    assert [linear.rate_at(step) for step in range(4)] == [1.0, 0.75, 0.5, 0.25]
    assert {replace(linear, schedule="constant").rate_at(step) for step in range(4)} == {1.0}


@pytest.mark.parametrize(
    ("setting", "value", "allowed"),
    [
        ("steps", -1, "0-20000"),
        ("steps", 2.5, "0-20000"),
        ("steps", True, "0-20000"),
        ("rate", 0.0, "above 0"),
        ("rate", float("nan"), "above 0"),
        ("rate", "fast", "above 0"),
        ("sentences", 0, "1-256"),
        ("order", 2**32, "0-4294967295"),
        ("schedule", "cosine", "constant, linear"),
        ("optimiser", "sgd", "adam, descent"),
        ("labels", "both", "shifted, aligned"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(setting: str, value: object, allowed: str) -> None:
    with pytest.raises(ConfigError, match=allowed) as caught:
        Recipe(**{**asdict(SHORT), setting: value})
    assert caught.value.field == setting


def test_moments_to_look_at() -> None:
    assert snapshot_steps(0) == (0,)
    assert snapshot_steps(5) == (0, 1, 2, 3, 4, 5)
    for steps in (60, 61, 100, 200, 3000):
        moments = snapshot_steps(steps)
        assert len(moments) == 61
        assert (moments[0], moments[-1]) == (0, steps)
        assert list(moments) == sorted(set(moments))


@pytest.mark.parametrize("name", ["tutorial", "paper"])
def test_greedy_decoding_of_many_sentences_is_the_trace_s_loop(name: str) -> None:
    config = preset(name)
    said = greedy(draw(config), one_sentence(config))[:, 0]
    assert tuple(said) == run(config).ids("greedy.tokens")[1:]
    corpus = word_by_word(config)
    several = greedy(draw(config), corpus)
    for index in range(0, 256, 15):
        alone = Corpus("one", corpus.source[:, [index]], corpus.target[:, [index]], corpus.start)
        np.testing.assert_array_equal(several[:, [index]], greedy(draw(config), alone))
    assert len(np.unique(several, axis=1).T) > 2


def test_accuracy_counts_the_words_that_are_the_model_s_own() -> None:
    config = preset("tutorial")
    corpus = word_by_word(config)
    params = draw(config)
    assert accuracy_of(params, corpus) == np.mean(greedy(params, corpus) == corpus.target[1:])


def test_attention_of_a_predicted_word_is_read_at_the_source_word_it_translates() -> None:
    pattern = np.arange(2 * 4 * 4, dtype=float).reshape(2, 4, 4)
    found = alignment(preset("tutorial"), pattern)  # row r looks at source word r + 1
    np.testing.assert_array_equal(found, [[1, 6, 11], [17, 22, 27]])
    found = alignment(preset("paper"), pattern)  # row r behind the start symbol predicts word r itself
    np.testing.assert_array_equal(found, [[0, 5, 10, 15], [16, 21, 26, 31]])
    assert best_head(np.array([[0.9, 0.1], [0.5, 0.4]])) == 1


def test_restarts_end_with_the_first_that_has_learned() -> None:
    config, recipe = preset("tutorial"), replace(SHORT, steps=1)
    assert [training.recipe.order for training in restarts(config, "word_by_word", recipe, 3)] == [3, 4, 5]


def test_one_sentence_is_learned_by_heart_without_looking() -> None:
    training = train(preset("tutorial"), "one_sentence")
    assert training.recipe == RECIPES["one_sentence"]
    assert training.history.loss[0] == pytest.approx(2.36, abs=0.01)
    assert training.loss < 0.003
    assert training.accuracy == 1.0
    assert (training.history.probs[-1][[0, 1, 2], [5, 6, 7]] > 0.99).all()
    # Every word gets about a quarter of the attention, as before training: the position alone says what comes next.
    assert np.abs(training.history.cross_attn[-1] - 0.25).max() < 0.06
