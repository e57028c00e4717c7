"""Every operation for many sentences: it gives what `engine.ops` gives, and its way back is its slope."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import backward, ops

H, Q, K, D, WIDTH, B = 2, 3, 4, 5, 6, 7
RANDOM = np.random.RandomState(3)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape)


IDS = RANDOM.randint(0, WIDTH, (Q, B))
SCORES = numbers(H, Q, K, B)
PATTERN = backward.softmax(SCORES)


def layer_norm(x: np.ndarray) -> np.ndarray:
    return ops.layer_norm(x, ops.mean(x), ops.variance(x))


# operation → its inputs, and the same operation of `engine.ops` on one sentence
FORWARD: dict[str, tuple[tuple[np.ndarray, ...], Callable[..., np.ndarray]]] = {
    "embed": ((numbers(WIDTH, D), IDS), ops.embed),
    "linear": ((numbers(Q, D, B), numbers(WIDTH, D)), ops.linear),
    "linear by head": ((numbers(Q, D, B), numbers(H, WIDTH, D)), ops.linear),
    "attention_dots": ((numbers(H, Q, D, B), numbers(H, K, D, B)), ops.attention_dots),
    "scale": ((SCORES,), lambda dots: ops.scale(dots, 3)),
    "softmax": ((SCORES,), ops.softmax),
    "weighted_sum": ((PATTERN, numbers(H, K, D, B)), ops.weighted_sum),
    "concat_heads": ((numbers(H, Q, D, B),), ops.concat_heads),
    "relu": ((numbers(Q, D, B),), ops.relu),
    "layer_norm": ((numbers(Q, D, B),), layer_norm),
    "cross_entropy": ((numbers(Q, WIDTH, B), IDS), ops.cross_entropy),
}
SHARED = {"embed": {0}, "linear": {1}, "linear by head": {1}}  # inputs that are weights: without sentences


def apply(name: str, *inputs: np.ndarray) -> np.ndarray:
    if name == "scale":
        return backward.scale(*inputs, 3)
    out = getattr(backward, name.partition(" ")[0])(*inputs)
    return out[0] if isinstance(out, tuple) else out


def way_back(name: str, d_out: np.ndarray, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The gradients of the inputs that can change."""
    function = getattr(backward, f"{name.partition(' ')[0]}_backward")
    if name == "scale":
        return (function(d_out, 3),)
    if name == "softmax":
        return (function(d_out, backward.softmax(*inputs)),)
    if name == "concat_heads":
        return (function(d_out, H),)
    if name == "layer_norm":
        return (function(d_out, *backward.layer_norm(*inputs)),)
    if name == "cross_entropy":
        return (function(d_out, backward.softmax(inputs[0]), inputs[1]),)
    gradients = function(d_out, *inputs)
    return gradients if isinstance(gradients, tuple) else (gradients,)


@pytest.mark.parametrize("name", list(FORWARD))
def test_each_sentence_gets_what_it_gets_alone(name: str) -> None:
    inputs, alone = FORWARD[name]
    together = apply(name, *inputs)
    assert together.shape[-1] == B
    for sentence in range(B):
        own = [
            array if index in SHARED.get(name, ()) else array[..., sentence].copy()
            for index, array in enumerate(inputs)
        ]
        np.testing.assert_allclose(together[..., sentence], alone(*own), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", list(FORWARD))
def test_way_back_is_the_slope(name: str) -> None:
    inputs, _ = FORWARD[name]
    d_out = numbers(*apply(name, *inputs).shape)
    changeable = [index for index, array in enumerate(inputs) if array.dtype == np.float64]
    found = way_back(name, d_out, inputs)
    assert len(found) == len(changeable)
    h = 1e-6
    for index, gradient in zip(changeable, found, strict=True):
        assert gradient.shape == inputs[index].shape
        slopes = np.empty_like(gradient)
        for place in np.ndindex(gradient.shape):
            ends = []
            for step in (h, -h):
                moved = [array.copy() for array in inputs]
                moved[index][place] += step
                ends.append(float((apply(name, *moved) * d_out).sum()))
            slopes[place] = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)


def test_mean_loss_and_its_way_back() -> None:
    losses = numbers(Q, B)
    assert backward.mean_loss(losses) == pytest.approx(losses.mean())
    np.testing.assert_array_equal(backward.mean_loss_backward((Q, B)), np.full((Q, B), 1 / (Q * B)))
    assert backward.mean_loss(np.empty((0, B))) == 0.0
    assert backward.mean_loss_backward((0, B)).shape == (0, B)


def test_every_operation_has_its_way_back_right_below_it_and_is_one_of_the_film() -> None:
    names = [node.name for node in ast.parse(inspect.getsource(backward)).body if isinstance(node, ast.FunctionDef)]
    assert names.pop(0) == "exp"
    assert [f"{name}_backward" for name in names[::2]] == names[1::2]
    assert [name for name in names[::2] if not hasattr(ops, name)] == []
    assert set(names[::2]) == {name.partition(" ")[0] for name in FORWARD} | {"mean_loss"}
    # What the film computes besides: constants, steps inside of others, and the same law in another form.
    inner = {"total", "dot", "mean", "variance", "log_softmax", "positional_encoding", "causal_mask"}
    public = {name for name, value in vars(ops).items() if inspect.isfunction(value)}
    assert public - set(names) == inner


@given(st.lists(st.floats(-800, 0), min_size=1, max_size=50))
def test_exponential_is_right_to_two_units_in_the_last_place(powers: list[float]) -> None:
    x = np.array(powers)
    expected = np.exp(x)
    assert (np.abs(backward.exp(x) - expected) <= 2 * np.spacing(expected)).all()


def test_exponential_at_the_ends() -> None:
    np.testing.assert_array_equal(backward.exp(np.array([0.0, -1e9, -746.0, -1e300])), [1.0, 0.0, 0.0, 0.0])


def test_a_masked_place_gets_no_share_and_sends_no_gradient_back() -> None:
    scores = SCORES + ops.causal_mask(Q, K)[..., None]
    pattern = backward.softmax(scores)
    hidden = ops.causal_mask(Q, K) < 0
    assert hidden.any()
    assert (pattern[:, hidden] == 0).all()
    assert (backward.softmax_backward(numbers(*pattern.shape), pattern)[:, hidden] == 0).all()


def test_what_moves_no_output_gets_no_gradient() -> None:
    x, d_y = numbers(Q, D, B), numbers(Q, D, B)
    # A row shifted as a whole has the same LayerNorm, scores shifted as a whole the same softmax.
    assert np.abs(backward.layer_norm_backward(d_y, *backward.layer_norm(x)).sum(axis=-2)).max() < 1e-12
    assert np.abs(backward.softmax_backward(numbers(*PATTERN.shape), PATTERN).sum(axis=-2)).max() < 1e-12
    d_logits = backward.cross_entropy_backward(np.ones((Q, B)), backward.softmax(numbers(Q, WIDTH, B)), IDS)
    assert np.abs(d_logits.sum(axis=-2)).max() < 1e-12


def test_a_row_of_the_table_that_nobody_looked_up_gets_no_gradient() -> None:
    d_E = backward.embed_backward(numbers(Q, D, B), numbers(WIDTH + 1, D), IDS)
    assert (d_E[WIDTH] == 0).all()
    assert (d_E[: IDS.max() + 1] != 0).any(axis=1).all()
