"""Each operation against its law, stated independently: by SciPy, by NumPy's own products, or in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from engine import ops

numbers = st.floats(-50, 50)
rows = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9), elements=numbers)
score_grids = arrays(np.float64, array_shapes(min_dims=3, max_dims=3, min_side=1, max_side=8), elements=numbers)


@given(score_grids)
def test_softmax_is_scipys(scores: np.ndarray) -> None:
    np.testing.assert_allclose(ops.softmax(scores), scipy.special.softmax(scores, axis=-1), rtol=1e-12, atol=1e-300)


@given(score_grids)
def test_softmax_rows_are_shares_of_one(scores: np.ndarray) -> None:
    shares = ops.softmax(scores)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=-1), 1.0, rtol=1e-12)


@given(score_grids, numbers)
def test_softmax_ignores_a_constant(scores: np.ndarray, constant: float) -> None:
    np.testing.assert_allclose(ops.softmax(scores + constant), ops.softmax(scores), rtol=1e-11, atol=1e-300)


def test_softmax_neither_overflows_nor_lets_a_masked_score_through() -> None:
    assert ops.softmax(np.array([[1000.0, 1000.0, 1000.0 + ops.MASKED]])).tolist() == [[0.5, 0.5, 0.0]]


@given(rows)
def test_log_softmax_is_scipys(logits: np.ndarray) -> None:
    np.testing.assert_allclose(
        ops.log_softmax(logits), scipy.special.log_softmax(logits, axis=-1), rtol=1e-10, atol=1e-12
    )


@given(rows, st.data())
def test_cross_entropy_is_the_price_of_the_labels_probability(logits: np.ndarray, data: st.DataObject) -> None:
    labels = np.array([data.draw(st.integers(0, logits.shape[1] - 1)) for _ in logits])
    expected = [-math.log(scipy.special.softmax(row)[label]) for row, label in zip(logits, labels, strict=True)]
    np.testing.assert_allclose(ops.cross_entropy(logits, labels), expected, rtol=1e-9, atol=1e-9)


@given(arrays(np.float64, st.integers(1, 9), elements=numbers))
def test_mean_loss_is_the_mean(losses: np.ndarray) -> None:
    assert ops.mean_loss(losses).shape == ()
    np.testing.assert_allclose(ops.mean_loss(losses), math.fsum(losses) / len(losses), atol=1e-12)


def test_mean_of_no_losses_is_zero() -> None:
    assert ops.mean_loss(np.array([])) == 0.0
    assert ops.cross_entropy(np.zeros((0, 5)), np.zeros(0, dtype=np.int64)).shape == (0,)


@given(rows)
def test_layer_norm_has_mean_zero_and_the_variance_of_its_epsilon(x: np.ndarray) -> None:
    mean, variance = ops.mean(x), ops.variance(x)
    normal = ops.layer_norm(x, mean, variance)
    np.testing.assert_allclose(mean[:, 0], x.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(variance[:, 0], x.var(axis=1), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(normal.mean(axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(normal.var(axis=1), x.var(axis=1) / (x.var(axis=1) + 1e-5), rtol=1e-6, atol=1e-9)


@given(rows, numbers)
def test_layer_norm_ignores_a_constant(x: np.ndarray, constant: float) -> None:
    def normal(y: np.ndarray) -> np.ndarray:
        return ops.layer_norm(y, ops.mean(y), ops.variance(y))

    np.testing.assert_allclose(normal(x + constant), normal(x), atol=1e-8)


@given(st.data(), st.integers(1, 4), st.integers(1, 6), st.integers(1, 6), st.integers(1, 9))
def test_products_are_numpys(data: st.DataObject, h: int, n: int, m: int, d: int) -> None:
    x = data.draw(arrays(np.float64, (n, d), elements=numbers))
    W = data.draw(arrays(np.float64, (h, m, d), elements=numbers))
    np.testing.assert_allclose(ops.linear(x, W[0]), x @ W[0].T, atol=1e-9)
    heads = ops.linear(x, W)
    np.testing.assert_allclose(heads, np.stack([x @ matrix.T for matrix in W]), atol=1e-9)
    keys = ops.linear(x[:1], W)
    np.testing.assert_allclose(ops.attention_dots(heads, keys), heads @ np.swapaxes(keys, 1, 2), rtol=1e-9, atol=1e-6)
    pattern = ops.softmax(heads)
    v = data.draw(arrays(np.float64, (h, m, d), elements=numbers))
    np.testing.assert_allclose(ops.weighted_sum(pattern, v), pattern @ v, atol=1e-9)


@given(rows)
def test_sums_run_from_left_to_right(x: np.ndarray) -> None:
    expected = []
    for row in x:
        so_far = row[0]
        for number in row[1:]:
            so_far += number
        expected.append([so_far])
    assert ops.total(x).tolist() == expected


@given(rows, st.integers(0, 6))
def test_a_row_has_the_same_bits_beside_masked_ones(scores: np.ndarray, hidden: int) -> None:
    n, m = scores.shape
    v = np.linspace(-1, 1, (m + hidden) * 3).reshape(m + hidden, 3)
    wide = np.concatenate([scores, np.full((n, hidden), 3.0) + ops.MASKED], axis=1)
    alone = ops.weighted_sum(ops.softmax(scores), v[:m])
    np.testing.assert_array_equal(ops.weighted_sum(ops.softmax(wide), v), alone)


@given(st.integers(1, 8), st.data())
def test_causal_mask_hides_what_lies_to_the_right(words: int, data: st.DataObject) -> None:
    full = ops.causal_mask(words)
    for row in range(words):
        for column in range(words):
            assert full[row, column] == (-1e9 if column > row else 0.0)
    last = data.draw(st.integers(1, words))
    np.testing.assert_array_equal(ops.causal_mask(last, words), full[words - last :])


@given(st.sampled_from(range(2, 17, 2)), st.lists(st.floats(0, 8), min_size=1, max_size=9))
def test_positional_encoding_is_the_papers(d_model: int, positions: list[float]) -> None:
    encoding = ops.positional_encoding(np.array(positions), d_model)
    assert encoding.shape == (len(positions), d_model)
    for row, position in zip(encoding, positions, strict=True):
        for column, value in enumerate(row):
            wave = math.cos if column % 2 else math.sin
            assert value == pytest.approx(wave(position / 10000 ** ((column - column % 2) / d_model)), abs=1e-12)


def test_positional_encoding_takes_whole_numbers() -> None:
    np.testing.assert_array_equal(ops.positional_encoding(np.arange(3), 4), ops.positional_encoding(np.arange(3.0), 4))


@given(rows)
def test_relu_keeps_what_is_positive(x: np.ndarray) -> None:
    np.testing.assert_array_equal(ops.relu(x), np.where(x > 0, x, 0.0))


def test_heads_are_joined_in_their_order() -> None:
    z = np.arange(12.0).reshape(2, 3, 2)
    assert ops.concat_heads(z).tolist() == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]


def test_scaling_divides_by_the_root_of_the_heads_width() -> None:
    assert ops.scale(np.array([[[6.0]]]), 9).tolist() == [[[2.0]]]


def test_embedding_is_a_look_up() -> None:
    E = np.arange(6.0).reshape(3, 2)
    assert ops.embed(E, np.array([2, 0, 2])).tolist() == [[4, 5], [0, 1], [4, 5]]
