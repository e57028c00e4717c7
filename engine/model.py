"""The forward pass: encode, decode and generate, each recording what it computes.

Post-norm, no biases, LayerNorm without gain and bias. A stage gets a `Scope`, which puts its values under the key the
registry has for them, and so computes the training pass and every pass of a generated sentence alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import ops
from engine.config import ModelConfig
from engine.ops import Array
from engine.params import AttentionWeights, DecoderLayer, FeedForwardWeights, Params, draw
from engine.trace import Recorder, Trace

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Scope:
    """A place in the trace: `scope("q", value)` records under the scope's stem and hands the value back."""

    recorder: Recorder
    stem: str = ""

    def __call__(self, name: str, value: ArrayLike) -> Array:
        return self.recorder.put(self.stem + name, value)

    def at(self, name: str) -> Scope:
        """The scope one name deeper."""
        return Scope(self.recorder, f"{self.stem}{name}.")


@dataclass
class KeyValues:
    """Keys and values (h, pos, d_head) that a layer has computed so far."""

    k: Array | None = None
    v: Array | None = None

    def extend(self, k: Array, v: Array) -> tuple[Array, Array]:
        """Append the new rows and return all of them."""
        self.k = k if self.k is None else np.concatenate([self.k, k], axis=1)
        self.v = v if self.v is None else np.concatenate([self.v, v], axis=1)
        return self.k, self.v


@dataclass
class LayerCache:
    """What one decoder layer keeps between two words: its own keys and values, and the memory's."""

    self_attn: KeyValues
    cross_attn: KeyValues


def run(config: ModelConfig, params: Params | None = None) -> Trace:
    """Compute everything the registry foresees for `config`, with `params` or the weights of its recipe."""
    weights = draw(config) if params is None else params
    recorder = Recorder(config)
    trace = Scope(recorder)
    trace("embed.weight", weights.E)
    for key, array in weights.named():
        trace(key, array)
    trace("pos_embed", _positions(config))

    memory = encode(weights, config, trace)
    train(weights, config, memory, trace)
    generate(weights, config, memory, trace)
    return Trace(recorder)


def encode(params: Params, config: ModelConfig, trace: Scope) -> Array:
    """The source sentence's memory (pos, d), with the shuffle demonstration on the way."""
    ids = np.array(config.source_ids)
    trace("src.tokens", ids)
    embedded = trace("src.embed", ops.embed(params.E, ids))
    positions = _positions(config)[: len(ids)]
    x = trace("src.input", embedded + positions)
    _record_order(embedded, positions, trace)
    for index, layer in enumerate(params.encoder):
        scope = trace.at(f"encoder.{index}")
        attended = _attend(x, x, layer.attn, mask=None, trace=scope.at("attn"), cache=None)
        x = _add_norm(x, attended, "resid_mid", "ln1", scope)
        x = _add_norm(x, _feed_forward(x, layer.mlp, scope.at("mlp")), "resid_post", "ln2", scope)
        x = scope("out", x)
    return trace("encoder.out", x)  # pos -> pos,d


def train(params: Params, config: ModelConfig, memory: Array, trace: Scope) -> None:
    """All target positions in one pass, and the price of both kinds of labels.

    aligned   row i is scored on the decoder's own input word i, as the tutorial does.
    shifted   row i is scored on the word after it: with a start symbol that is target word i; without one it is
              target word i + 1, and the last row has no label.
    """
    ids = np.array(config.decoder_ids)
    trace("tgt.tokens", ids)
    embedded = trace("tgt.embed", ops.embed(params.E, ids))
    x = trace("tgt.input", embedded + _positions(config)[: len(ids)])
    mask = trace("decoder.mask", ops.causal_mask(len(ids)))
    logits = decode(params, x, mask=mask, memory=memory, trace=trace)
    target = np.array(config.target_ids)
    shifted = target if config.start_symbol is not None else target[1:]
    for name, labels in (("aligned", ids), ("shifted", shifted)):
        trace(f"labels.{name}", labels)
        losses = trace(f"loss.{name}", ops.cross_entropy(logits[: len(labels)], labels))
        trace(f"loss.{name}.mean", ops.mean_loss(losses))


def decode(
    params: Params, x: Array, *, mask: Array, memory: Array, trace: Scope, cache: list[LayerCache] | None = None
) -> Array:
    """Logits (pos, V) of the input rows `x` (pos, d).

    With a cache `x` holds the new rows only, and the mask has a column for every row read so far.
    """
    for index, layer in enumerate(params.decoder):
        scope = trace.at(f"decoder.{index}")
        kept = None if cache is None else cache[index]
        x = _decode_layer(x, layer, mask=mask, memory=memory, trace=scope, cache=kept)
    trace("decoder.out", x)
    logits = trace("logits", ops.linear(x, params.W_out))
    trace("probs", ops.softmax(logits))
    return logits  # pos,d -> pos,V


def generate(params: Params, config: ModelConfig, memory: Array, trace: Scope) -> None:
    """The decoder word by word: on its own words without and with a cache, and on the target's words.

    The loop ends as `ModelConfig.greedy_length` says. Where the given first word is the whole sentence already, one
    pass is made all the same, to be looked at; its word is not appended.
    """
    words = greedy(params, config, memory, trace.at("greedy"))
    greedy_cached(params, config, memory, trace.at("greedy_cached"))
    trace("greedy.tokens", words)
    ids = np.array(config.decoder_ids)
    for k in range(1, config.prefixes + 1):
        _pass(params, config, ids[:k], memory, trace.at(f"generate.{k}"))


def greedy(params: Params, config: ModelConfig, memory: Array, trace: Scope) -> Ids:
    """Feed back the likeliest word, computing all rows in every pass; return all ids, the given first included."""
    words = np.array(config.decoder_ids[:1])
    for k in range(1, config.greedy_passes + 1):
        scope = trace.at(str(k))
        logits = _pass(params, config, words[:k], memory, scope)
        words = np.append(words, _next_word(logits, scope))
    return words[: config.greedy_length]


def greedy_cached(params: Params, config: ModelConfig, memory: Array, trace: Scope) -> Ids:
    """The same loop with a cache: each pass computes its last row alone."""
    words = np.array(config.decoder_ids[:1])
    cache = [LayerCache(KeyValues(), KeyValues()) for _ in params.decoder]
    for k in range(1, config.greedy_passes + 1):
        scope = trace.at(str(k))
        scope("tokens", words[:k])
        row = ops.embed(params.E, words[k - 1 : k]) + _positions(config)[k - 1 : k]
        x = scope("input", row)
        mask = scope("mask", ops.causal_mask(1, k))
        logits = decode(params, x, mask=mask, memory=memory, trace=scope, cache=cache)
        words = np.append(words, _next_word(logits, scope))
    return words[: config.greedy_length]


def _pass(params: Params, config: ModelConfig, ids: Ids, memory: Array, trace: Scope) -> Array:
    trace("tokens", ids)
    x = trace("input", ops.embed(params.E, ids) + _positions(config)[: len(ids)])
    mask = trace("mask", ops.causal_mask(len(ids)))
    return decode(params, x, mask=mask, memory=memory, trace=trace)  # pos -> pos,V


def _next_word(logits: Array, trace: Scope) -> Ids:
    # The likeliest word is the one with the largest logit; among equals the lowest id.
    return np.array(trace("next", np.argmax(logits[-1])), dtype=np.int64)


def _positions(config: ModelConfig) -> Array:
    return ops.positional_encoding(np.arange(max(len(config.source), len(config.target))), config.d_model)


def _record_order(embedded: Array, positions: Array, trace: Scope) -> None:
    reversed_rows = embedded[::-1]
    for name, rows, backwards in (
        ("embed", embedded, reversed_rows),
        ("input", embedded + positions, reversed_rows + positions),
    ):
        trace(f"order.{name}_dots", ops.dot(rows, rows))
        trace(f"order.{name}_dots_reversed", ops.dot(backwards, backwards))


def _decode_layer(
    x: Array, layer: DecoderLayer, *, mask: Array, memory: Array, trace: Scope, cache: LayerCache | None
) -> Array:
    own = None if cache is None else cache.self_attn
    attended = _attend(x, x, layer.self_attn, mask=mask, trace=trace.at("self_attn"), cache=own)
    x = _add_norm(x, attended, "resid_mid", "ln1", trace)
    last = "ln2"
    if layer.cross_attn is not None:
        across = None if cache is None else cache.cross_attn
        # The memory does not change from word to word, so its keys and values are computed once.
        unseen = memory if across is None or across.k is None else memory[:0]
        attended = _attend(x, unseen, layer.cross_attn, mask=None, trace=trace.at("cross_attn"), cache=across)
        x = _add_norm(x, attended, "resid_mid_cross", "ln2", trace)
        last = "ln3"
    x = _add_norm(x, _feed_forward(x, layer.mlp, trace.at("mlp")), "resid_post", last, trace)
    return trace("out", x)  # pos,d -> pos,d


def _attend(
    x: Array, seen: Array, weights: AttentionWeights, *, mask: Array | None, trace: Scope, cache: KeyValues | None
) -> Array:
    """Multi-head attention of the rows `x` to the rows `seen`, and to what the cache holds of earlier ones."""
    q = trace("q", ops.linear(x, weights.W_Q))
    k, v = ops.linear(seen, weights.W_K), ops.linear(seen, weights.W_V)
    if cache is not None:
        k, v = cache.extend(k, v)
    k, v = trace("k", k), trace("v", v)
    dots = trace("dots", ops.attention_dots(q, k))
    scores = ops.scale(dots, q.shape[-1])
    if mask is not None:
        scores = trace("scaled", scores) + mask
    pattern = trace("pattern", ops.softmax(trace("scores", scores)))
    z = trace("z", ops.weighted_sum(pattern, v))
    concat = trace("concat", ops.concat_heads(z))
    return trace("out", ops.linear(concat, weights.W_O))  # q,d · k,d -> q,d


def _feed_forward(x: Array, weights: FeedForwardWeights, trace: Scope) -> Array:
    hidden = trace("post", ops.relu(trace("pre", ops.linear(x, weights.W_1))))
    return trace("out", ops.linear(hidden, weights.W_2))  # pos,d -> pos,d


def _add_norm(x: Array, added: Array, residual: str, norm: str, trace: Scope) -> Array:
    x = trace(residual, x + added)
    scope = trace.at(norm)
    row_mean, row_variance = scope("mean", ops.mean(x)), scope("var", ops.variance(x))
    return scope("out", ops.layer_norm(x, row_mean, row_variance))  # pos,d -> pos,d
