"""The model on many sentences at once, forward and backward.

The forward functions take the same way as those of `engine.model`, with an axis `b` of sentences behind all others, and
keep what the way back needs; each has its `…_backward` right below it.

Gradients are kept in a `Params` of their own: the gradient of every weight stands where the weight does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine import backward, ops
from engine.backward import Ids
from engine.ops import Array
from engine.params import AttentionWeights, DecoderLayer, EncoderLayer, FeedForwardWeights, Params

# Positions enter every row, so their last bits count too; sine and cosine differ there from machine to machine.
_POSITION_DECIMALS = 12


@dataclass(frozen=True)
class Batch:
    """Sentences of equal lengths, as ids, one sentence a column.

    source   (source pos, b)  what the encoder reads
    decoder  (target pos, b)  what the decoder reads: only rows that are scored, since no row looks at those after it
    labels   (scored pos, b)  the word that each decoder row should predict; rows behind them are not scored
    """

    source: Ids
    decoder: Ids
    labels: Ids

    def __len__(self) -> int:
        return self.source.shape[1]

    def take(self, sentences: Ids) -> Batch:
        """The sentences with these numbers."""
        return Batch(self.source[:, sentences], self.decoder[:, sentences], self.labels[:, sentences])


@dataclass(frozen=True)
class _Attention:
    x: Array
    seen: Array
    q: Array
    k: Array
    v: Array
    pattern: Array
    concat: Array


@dataclass(frozen=True)
class _FeedForward:
    x: Array
    pre: Array
    post: Array


@dataclass(frozen=True)
class _Norm:
    out: Array
    sigma: Array


@dataclass(frozen=True)
class _EncoderLayer:
    attn: _Attention
    norm1: _Norm
    mlp: _FeedForward
    norm2: _Norm


@dataclass(frozen=True)
class _DecoderLayer:
    self_attn: _Attention
    norm1: _Norm
    cross: tuple[_Attention, _Norm] | None
    mlp: _FeedForward
    norm_last: _Norm


@dataclass(frozen=True)
class Pass:
    """What a forward pass keeps. `logits` and `probs` are (pos, V, b)."""

    batch: Batch
    encoder: tuple[_EncoderLayer, ...]
    decoder: tuple[_DecoderLayer, ...]
    out: Array
    logits: Array
    probs: Array

    def cross_pattern(self) -> Array:
        """Cross-attention of the last decoder layer, (h, q, k, b)."""
        cross = self.decoder[-1].cross
        assert cross is not None, "the last decoder layer of every model looks at the source"
        return cross[0].pattern

    def losses(self) -> Array:
        """−ln of the probability of every label, (scored pos, b)."""
        labels = self.batch.labels
        return backward.cross_entropy(self.logits[: len(labels)], labels)


def forward(params: Params, batch: Batch) -> Pass:
    """All sentences of `batch` through the model."""
    x = _input_rows(params.E, batch.source)
    encoder = []
    for encoder_layer in params.encoder:
        x, kept = _encoder_layer(x, encoder_layer)
        encoder.append(kept)
    memory = x  # pos,d,b
    x = _input_rows(params.E, batch.decoder)
    decoder = []
    for decoder_layer in params.decoder:
        x, kept_too = _decoder_layer(x, decoder_layer, memory)
        decoder.append(kept_too)
    logits = backward.linear(x, params.W_out)  # pos,d,b -> pos,V,b
    return Pass(batch, tuple(encoder), tuple(decoder), x, logits, backward.softmax(logits))


def gradients(params: Params, run: Pass) -> Params:
    """The gradient of the mean loss of `run` with respect to every weight, E included."""
    labels = run.batch.labels
    d_losses = backward.mean_loss_backward(labels.shape)
    d_logits = np.zeros_like(run.logits)
    d_logits[: len(labels)] = backward.cross_entropy_backward(d_losses, run.probs[: len(labels)], labels)
    d_x, d_W_out = backward.linear_backward(d_logits, run.out, params.W_out)

    decoder = []
    d_memory = np.zeros_like(run.encoder[-1].norm2.out)
    for layer, kept in zip(reversed(params.decoder), reversed(run.decoder), strict=True):
        d_x, d_seen, d_layer = _decoder_layer_backward(d_x, layer, kept)
        d_memory += d_seen  # every layer that looked at the source sends its share back
        decoder.append(d_layer)
    d_E = backward.embed_backward(d_x, params.E, run.batch.decoder)

    encoder = []
    d_x = d_memory
    for encoder_layer, kept_too in zip(reversed(params.encoder), reversed(run.encoder), strict=True):
        d_x, d_encoder_layer = _encoder_layer_backward(d_x, encoder_layer, kept_too)
        encoder.append(d_encoder_layer)
    d_E += backward.embed_backward(d_x, params.E, run.batch.source)  # one table for both languages
    return Params(d_E, tuple(reversed(encoder)), tuple(reversed(decoder)), d_W_out)


def _input_rows(E: Array, ids: Ids) -> Array:
    # The positions are constants: on the way back the gradient passes this sum unchanged.
    positions = ops.positional_encoding(np.arange(len(ids)), E.shape[1]).round(_POSITION_DECIMALS)
    return backward.embed(E, ids) + positions[:, :, None]  # pos,b -> pos,d,b


def _encoder_layer(x: Array, layer: EncoderLayer) -> tuple[Array, _EncoderLayer]:
    attended, attn = _attend(x, x, layer.attn, mask=None)
    x, norm1 = _add_norm(x, attended)
    widened, mlp = _feed_forward(x, layer.mlp)
    x, norm2 = _add_norm(x, widened)
    return x, _EncoderLayer(attn, norm1, mlp, norm2)


def _encoder_layer_backward(d_out: Array, layer: EncoderLayer, kept: _EncoderLayer) -> tuple[Array, EncoderLayer]:
    d_sum = _add_norm_backward(d_out, kept.norm2)
    d_x, d_mlp = _feed_forward_backward(d_sum, layer.mlp, kept.mlp)
    d_sum = _add_norm_backward(d_sum + d_x, kept.norm1)  # the residual's share and the sublayer's share
    d_x, d_seen, d_attn = _attend_backward(d_sum, layer.attn, kept.attn)
    return d_sum + d_x + d_seen, EncoderLayer(d_attn, d_mlp)


def _decoder_layer(x: Array, layer: DecoderLayer, memory: Array) -> tuple[Array, _DecoderLayer]:
    attended, self_attn = _attend(x, x, layer.self_attn, mask=ops.causal_mask(len(x)))
    x, norm1 = _add_norm(x, attended)
    cross = None
    if layer.cross_attn is not None:
        attended, across = _attend(x, memory, layer.cross_attn, mask=None)
        x, norm2 = _add_norm(x, attended)
        cross = across, norm2
    widened, mlp = _feed_forward(x, layer.mlp)
    x, norm_last = _add_norm(x, widened)
    return x, _DecoderLayer(self_attn, norm1, cross, mlp, norm_last)


def _decoder_layer_backward(
    d_out: Array, layer: DecoderLayer, kept: _DecoderLayer
) -> tuple[Array, Array | float, DecoderLayer]:
    """Gradients of the layer's input, of the memory (0 where the layer does not look at it), and of the weights."""
    d_sum = _add_norm_backward(d_out, kept.norm_last)
    d_x, d_mlp = _feed_forward_backward(d_sum, layer.mlp, kept.mlp)
    d_x = d_sum + d_x
    d_memory: Array | float = 0.0
    d_cross = None
    if layer.cross_attn is not None and kept.cross is not None:
        across, norm2 = kept.cross
        d_sum = _add_norm_backward(d_x, norm2)
        d_x, d_memory, d_cross = _attend_backward(d_sum, layer.cross_attn, across)
        d_x = d_sum + d_x
    d_sum = _add_norm_backward(d_x, kept.norm1)
    d_x, d_seen, d_self = _attend_backward(d_sum, layer.self_attn, kept.self_attn)
    return d_sum + d_x + d_seen, d_memory, DecoderLayer(d_self, d_cross, d_mlp)


def _attend(x: Array, seen: Array, weights: AttentionWeights, *, mask: Array | None) -> tuple[Array, _Attention]:
    q, k, v = (backward.linear(*pair) for pair in ((x, weights.W_Q), (seen, weights.W_K), (seen, weights.W_V)))
    scores = backward.scale(backward.attention_dots(q, k), q.shape[-2])  # h,q,k,b
    pattern = backward.softmax(scores if mask is None else scores + mask[:, :, None])
    concat = backward.concat_heads(backward.weighted_sum(pattern, v))  # q,d,b
    return backward.linear(concat, weights.W_O), _Attention(x, seen, q, k, v, pattern, concat)


def _attend_backward(
    d_out: Array, weights: AttentionWeights, kept: _Attention
) -> tuple[Array, Array, AttentionWeights]:
    """Gradients of the rows that ask, of the rows that are asked, and of the weights."""
    d_concat, d_W_O = backward.linear_backward(d_out, kept.concat, weights.W_O)
    d_z = backward.concat_heads_backward(d_concat, len(weights.W_Q))
    d_pattern, d_v = backward.weighted_sum_backward(d_z, kept.pattern, kept.v)
    # A masked share is exactly 0, and so is the gradient of its score: nothing flows back from the future.
    d_scores = backward.softmax_backward(d_pattern, kept.pattern)
    d_dots = backward.scale_backward(d_scores, kept.q.shape[-2])
    d_q, d_k = backward.attention_dots_backward(d_dots, kept.q, kept.k)
    d_x, d_W_Q = backward.linear_backward(d_q, kept.x, weights.W_Q)
    d_seen_by_k, d_W_K = backward.linear_backward(d_k, kept.seen, weights.W_K)
    d_seen_by_v, d_W_V = backward.linear_backward(d_v, kept.seen, weights.W_V)
    return d_x, d_seen_by_k + d_seen_by_v, AttentionWeights(d_W_Q, d_W_K, d_W_V, d_W_O)


def _feed_forward(x: Array, weights: FeedForwardWeights) -> tuple[Array, _FeedForward]:
    pre = backward.linear(x, weights.W_1)  # pos,d,b -> pos,d_ff,b
    post = backward.relu(pre)
    return backward.linear(post, weights.W_2), _FeedForward(x, pre, post)


def _feed_forward_backward(
    d_out: Array, weights: FeedForwardWeights, kept: _FeedForward
) -> tuple[Array, FeedForwardWeights]:
    d_post, d_W_2 = backward.linear_backward(d_out, kept.post, weights.W_2)
    d_x, d_W_1 = backward.linear_backward(backward.relu_backward(d_post, kept.pre), kept.x, weights.W_1)
    return d_x, FeedForwardWeights(d_W_1, d_W_2)


def _add_norm(x: Array, added: Array) -> tuple[Array, _Norm]:
    out, sigma = backward.layer_norm(x + added)
    return out, _Norm(out, sigma)


def _add_norm_backward(d_out: Array, kept: _Norm) -> Array:
    """Gradient of the sum x + added. A sum hands its gradient on to both: to the residual and to the sublayer."""
    return backward.layer_norm_backward(d_out, kept.out, kept.sigma)
