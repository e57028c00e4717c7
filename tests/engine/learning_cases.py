"""Random models and sentences for the tests of training, and the model once more for an automatic differentiator."""

from __future__ import annotations

from collections.abc import Callable

import autograd.numpy as anp
import numpy as np
from autograd import grad

from engine import ModelConfig, ops
from engine.batch import Batch
from engine.params import draw
from engine.vector import from_vector, learned, to_vector

SMALL_WORDS = tuple("abcdefghij")


def random_config(number: int) -> ModelConfig:
    """One of many small models: every wiring and size occurs among the first twenty."""
    random = np.random.RandomState(number)
    heads = (1, 2, 3, 1)[number % 4]
    words = random.choice(len(SMALL_WORDS), 10)
    source, target = 1 + number % 4, 1 + random.randint(0, 4)
    return ModelConfig(
        source=[SMALL_WORDS[word] for word in words[:source]],
        target=[SMALL_WORDS[word] for word in words[source : source + target]],
        d_model=6 if heads == 3 else (2, 4, 4)[number % 3],
        heads=heads,
        d_ff=1 + random.randint(0, 8),
        encoder_layers=1 + number % 2,
        decoder_layers=1 + number // 2 % 2,
        cross_attention=("last", "every")[number % 2],
        start_symbol=(None, "<s>")[number // 4 % 2],
        weight_recipe=("tutorial", "paper")[number % 2],
        seed=number,
    )


def random_weights(config: ModelConfig, seed: int = 0) -> np.ndarray:
    """The drawn weights, moved a little: no gradient is 0 only because two numbers are the same."""
    weights = to_vector(draw(config))
    return weights + np.random.RandomState(seed).normal(0.0, 0.05, weights.shape)


def random_batch(config: ModelConfig, seed: int = 0, sentences: int = 3) -> Batch:
    """Sentences of any words, with any labels: repeated words, a word in both languages."""
    random = np.random.RandomState(seed)
    words = len(config.vocabulary)
    source = random.randint(0, words, (len(config.source), sentences))
    decoder, labels = random.randint(0, words, (2, len(config.target), sentences))
    return Batch(source, decoder, labels)


def loss_for_autograd(config: ModelConfig, batch: Batch) -> Callable[[np.ndarray], float]:
    """The mean loss as a function of all weights, written a second time: sentence by sentence, head by head."""
    shapes = [(key, array.shape) for key, array in learned(draw(config))]

    def unpack(vector: np.ndarray) -> dict[str, np.ndarray]:
        weights, first = {}, 0
        for key, shape in shapes:
            size = int(np.prod(shape))
            weights[key] = anp.reshape(vector[first : first + size], shape)
            first += size
        return weights

    def softmax(x: np.ndarray) -> np.ndarray:
        powers = anp.exp(x - anp.max(x, axis=1, keepdims=True))
        return powers / anp.sum(powers, axis=1, keepdims=True)

    def norm(x: np.ndarray) -> np.ndarray:
        centred = x - anp.mean(x, axis=1, keepdims=True)
        return centred / anp.sqrt(anp.mean(centred**2, axis=1, keepdims=True) + 1e-5)

    def loss(vector: np.ndarray) -> float:
        w = unpack(vector)

        def attend(x: np.ndarray, seen: np.ndarray, stem: str, mask: np.ndarray | float = 0.0) -> np.ndarray:
            rows = []
            for head in range(config.heads):
                q, k, v = (
                    anp.dot(rows_in, w[f"{stem}.{name}"][head].T)
                    for rows_in, name in ((x, "W_Q"), (seen, "W_K"), (seen, "W_V"))
                )
                shares = softmax(anp.dot(q, k.T) / np.sqrt(config.d_head) + mask)
                rows.append(anp.dot(shares, v))
            return anp.dot(anp.concatenate(rows, axis=1), w[f"{stem}.W_O"].T)

        def widen(x: np.ndarray, stem: str) -> np.ndarray:
            return anp.dot(anp.maximum(anp.dot(x, w[f"{stem}.W_1"].T), 0.0), w[f"{stem}.W_2"].T)

        total = 0.0
        for sentence in range(len(batch)):
            x = w["embed.weight"][batch.source[:, sentence]]
            x = x + ops.positional_encoding(np.arange(len(x)), config.d_model)
            for layer in range(config.encoder_layers):
                x = norm(x + attend(x, x, f"weights.encoder.{layer}.attn"))
                x = norm(x + widen(x, f"weights.encoder.{layer}.mlp"))
            memory = x
            x = w["embed.weight"][batch.decoder[:, sentence]]
            x = x + ops.positional_encoding(np.arange(len(x)), config.d_model)
            for layer in range(config.decoder_layers):
                stem = f"weights.decoder.{layer}"
                x = norm(x + attend(x, x, f"{stem}.self_attn", np.triu(np.full((len(x), len(x)), -1e9), 1)))
                if f"{stem}.cross_attn.W_Q" in w:
                    x = norm(x + attend(x, memory, f"{stem}.cross_attn"))
                x = norm(x + widen(x, f"{stem}.mlp"))
            probs = softmax(anp.dot(x, w["weights.W_out"].T))
            for row, label in enumerate(batch.labels[:, sentence]):
                total = total - anp.log(probs[row, label])
        return total / max(1, batch.labels.size)

    return loss


def autograd_gradient(config: ModelConfig, batch: Batch, weights: np.ndarray) -> np.ndarray:
    """The gradient of that loss by an independent library."""
    return grad(loss_for_autograd(config, batch))(weights)


def unpacked(config: ModelConfig, vector: np.ndarray) -> dict[str, np.ndarray]:
    """The vector's numbers by trace key."""
    return dict(learned(from_vector(draw(config), vector)))
