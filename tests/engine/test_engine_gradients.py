"""The gradient of every weight: against finite differences, and against an independent library."""

from __future__ import annotations

import numpy as np
import pytest
from learning_cases import autograd_gradient, loss_for_autograd, random_batch, random_config, random_weights, unpacked

from engine import ModelConfig, preset
from engine.backward import mean_loss
from engine.batch import Batch, forward, gradients
from engine.params import draw
from engine.vector import from_vector, to_vector

CONFIGS = {f"random {number}": random_config(number) for number in range(20)}
CONFIGS |= {name: preset(name) for name in ("tutorial", "paper")}
LIMIT = 1e-6


def loss(config: ModelConfig, batch: Batch, weights: np.ndarray) -> float:
    return mean_loss(forward(from_vector(draw(config), weights), batch).losses())


def gradient(config: ModelConfig, batch: Batch, weights: np.ndarray) -> np.ndarray:
    params = from_vector(draw(config), weights)
    return to_vector(gradients(params, forward(params, batch)))


def central_differences(config: ModelConfig, batch: Batch, weights: np.ndarray) -> np.ndarray:
    """(L(w + h) − L(w − h)) / 2h for every weight alone."""
    like, h = draw(config), 2e-6
    moved = weights.copy()
    slopes = np.empty_like(weights)
    for index, weight in enumerate(weights):
        ends = []
        for moved[index] in (weight + h, weight - h):
            ends.append(mean_loss(forward(from_vector(like, moved), batch).losses()))
        moved[index] = weight
        slopes[index] = (ends[0] - ends[1]) / (2 * h)
    return slopes


def worst(config: ModelConfig, exact: np.ndarray, other: np.ndarray) -> float:
    """The largest relative error of any weight's gradient, relative to the largest gradient in its matrix."""
    pairs = zip(unpacked(config, exact).values(), unpacked(config, other).values(), strict=True)
    return max(np.abs(a - b).max() / max(np.abs(b).max(), 1e-2 * np.abs(other).max()) for a, b in pairs)


@pytest.mark.parametrize("name", list(CONFIGS))
def test_gradient_of_every_weight_is_the_slope_of_the_loss(name: str) -> None:
    config = CONFIGS[name]
    batch, weights = random_batch(config), random_weights(config)
    exact, slopes = gradient(config, batch, weights), central_differences(config, batch, weights)
    assert worst(config, exact, slopes) < LIMIT


@pytest.mark.parametrize("name", list(CONFIGS))
def test_gradient_of_every_weight_is_that_of_an_independent_library(name: str) -> None:
    config = CONFIGS[name]
    batch, weights = random_batch(config), random_weights(config)
    assert loss(config, batch, weights) == pytest.approx(loss_for_autograd(config, batch)(weights), rel=1e-11)
    other = autograd_gradient(config, batch, weights)
    assert np.abs(other).max() > 1e-3
    assert worst(config, gradient(config, batch, weights), other) < 1e-8


def test_the_random_models_have_every_wiring() -> None:
    configs = [CONFIGS[f"random {number}"] for number in range(20)]
    assert {config.cross_attention for config in configs} == {"last", "every"}
    assert {config.start_symbol for config in configs} == {None, "<s>"}
    assert {config.heads for config in configs} == {1, 2, 3}
    assert {(config.encoder_layers, config.decoder_layers) for config in configs} == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert {len(config.source) for config in configs} == {len(config.target) for config in configs} == {1, 2, 3, 4}
