"""Where the weights come from.

Both recipes draw from `numpy.random.RandomState(seed).uniform(-1, 1, shape)` and round to one decimal, so that every
weight can be read aloud. They differ in the order of the draws.

tutorial   encoder layers 0, 1, ...: for each head W_Q, W_K, W_V; then W_O, W_1, W_2.
           decoder layers 0, 1, ...: self-attention (each head's W_Q, W_K, W_V; then W_O), W_1, W_2. In a layer with
           cross-attention this W_1 and W_2 are drawn and never used; cross-attention (heads, W_O) and the W_1 and W_2
           that are used follow. Last W_out.
paper      the same without the unused draws: encoder layers (heads, W_O, W_1, W_2); decoder layers (self-attention
           heads, W_O; cross-attention heads, W_O, where the layer has it; W_1, W_2); W_out.

W_out comes last in both, and E has a random stream of its own, so another vocabulary changes no other weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.config import ModelConfig
from engine.ops import Array

# Second word of the seed of E's stream; any constant does, as long as it stays.
_EMBEDDING_STREAM = 1


@dataclass(frozen=True)
class AttentionWeights:
    """W_Q, W_K, W_V (h, d_head, d) and W_O (d, d)."""

    W_Q: Array
    W_K: Array
    W_V: Array
    W_O: Array


@dataclass(frozen=True)
class FeedForwardWeights:
    """W_1 (d_ff, d) and W_2 (d, d_ff)."""

    W_1: Array
    W_2: Array


@dataclass(frozen=True)
class EncoderLayer:
    """One encoder layer's weights."""

    attn: AttentionWeights
    mlp: FeedForwardWeights


@dataclass(frozen=True)
class DecoderLayer:
    """One decoder layer's weights; `cross_attn` is None where the layer does not look at the source."""

    self_attn: AttentionWeights
    cross_attn: AttentionWeights | None
    mlp: FeedForwardWeights


@dataclass(frozen=True)
class Params:
    """All weights of a model: E (V, d), the layers, W_out (V, d)."""

    E: Array
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    W_out: Array

    def named(self) -> Iterator[tuple[str, Array]]:
        """Every weight but E with its trace key."""
        for stack, layers in (("encoder", self.encoder), ("decoder", self.decoder)):
            for index, layer in enumerate(layers):
                for part, weights in vars(layer).items():
                    if weights is not None:
                        for name, array in vars(weights).items():
                            yield f"weights.{stack}.{index}.{part}.{name}", array
        yield "weights.W_out", self.W_out


class _Draws:
    """A stream of weights in the shapes of one model."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._random = np.random.RandomState(config.seed)

    def matrix(self, rows: int, columns: int) -> Array:
        return _readable(self._random.uniform(-1, 1, (rows, columns)))

    def attention(self) -> AttentionWeights:
        c = self._config
        heads = [[self.matrix(c.d_head, c.d_model) for _ in range(3)] for _ in range(c.heads)]
        W_Q, W_K, W_V = (np.stack(matrices) for matrices in zip(*heads, strict=True))
        return AttentionWeights(W_Q, W_K, W_V, self.matrix(c.d_model, c.d_model))

    def feed_forward(self) -> FeedForwardWeights:
        c = self._config
        return FeedForwardWeights(self.matrix(c.d_ff, c.d_model), self.matrix(c.d_model, c.d_ff))

    def encoder_layer(self) -> EncoderLayer:
        return EncoderLayer(self.attention(), self.feed_forward())

    def decoder_layer(self, layer: int) -> DecoderLayer:
        self_attn = self.attention()
        if not self._config.has_cross_attention(layer):
            return DecoderLayer(self_attn, None, self.feed_forward())
        if self._config.weight_recipe == "tutorial":
            self.feed_forward()  # the tutorial draws these and throws them away
        return DecoderLayer(self_attn, self.attention(), self.feed_forward())


def _readable(draws: Array) -> Array:
    """One decimal, and no negative zero: it would be shown with a sign."""
    return np.round(draws, 1) + 0.0


def draw_embeddings(config: ModelConfig) -> Array:
    """E (V, d) from the seed, in a stream of its own; no two words get the same row."""
    random = np.random.RandomState([config.seed, _EMBEDDING_STREAM])
    rows: list[Array] = []
    for _ in config.vocabulary:
        row = _readable(random.uniform(-1, 1, config.d_model))
        while any(np.array_equal(row, other) for other in rows):
            row = _readable(random.uniform(-1, 1, config.d_model))
        rows.append(row)
    return np.stack(rows)  # V,d


def draw(config: ModelConfig) -> Params:
    """The weights of `config`: its E where it gives one, everything else from its seed."""
    draws = _Draws(config)
    encoder = tuple(draws.encoder_layer() for _ in range(config.encoder_layers))
    decoder = tuple(draws.decoder_layer(layer) for layer in range(config.decoder_layers))
    W_out = draws.matrix(len(config.vocabulary), config.d_model)
    E = draw_embeddings(config) if config.E is None else np.array(config.E, dtype=np.float64)
    return Params(E, encoder, decoder, W_out)
