"""The one ordered table of everything a trace holds.

Keys stand in the order of the computation, which is the order of the film: the step numbers never go back, except
where cross-attention stands in a layer before the last. Layers, heads and positions count from 0; `{k}`, the number of
words a pass has read, counts from 1.

Axes: `pos` positions; `h` heads; `q` the positions that ask, `k` those that are asked; `d` = d_model; `d_head`; `d_ff`;
`V` words of the vocabulary; `1` an axis of length 1. A key without axes is one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from engine import steps
from engine.config import ModelConfig

PASS_FAMILIES = ("greedy", "greedy_cached", "generate")


@dataclass(frozen=True)
class KeySpec:
    """One key of one model: axes, the film's step that shows it, its law, its meaning, and the axes' lengths."""

    key: str
    axes: tuple[str, ...]
    step: int
    formula: str
    meaning: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class _Row:
    """A line of the table before it is known how long the axes are.

    The axis `key_pos` is a `pos` axis as long as `k`: positions that are asked, which cross-attention has more or
    fewer of than positions that ask.
    """

    name: str
    axes: str
    formula: str
    meaning: str


def _block(prefix: str, *rows: _Row) -> tuple[_Row, ...]:
    return tuple(replace(row, name=f"{prefix}.{row.name}") for row in rows)


def _weights(name: str, axes: str, meaning: str) -> _Row:
    return _Row(name, axes, "given", meaning)


def _attention(prefix: str, asking: str, asked: str, *, masked: bool = False) -> tuple[_Row, ...]:
    if masked:
        scores: tuple[_Row, ...] = (
            _Row("scaled", "h q k", "dots / √d_head", "scaled scores before the mask"),
            _Row("scores", "h q k", "scaled + mask", "scaled scores after the mask: what softmax sees"),
        )
    else:
        scores = (_Row("scores", "h q k", "dots / √d_head", "scaled scores: what softmax sees"),)
    return _block(
        prefix,
        _weights("W_Q", "h d_head d", "query weights, one matrix per head"),
        _Row("q", "h pos d_head", f"{asking} · W_Qᵀ", "queries: what each position looks for"),
        _weights("W_K", "h d_head d", "key weights, one matrix per head"),
        _Row("k", "h key_pos d_head", f"{asked} · W_Kᵀ", "keys: what each position can be found by"),
        _weights("W_V", "h d_head d", "value weights, one matrix per head"),
        _Row("v", "h key_pos d_head", f"{asked} · W_Vᵀ", "values: what each position hands over"),
        _Row("dots", "h q k", "q · kᵀ", "dot product of every query with every key"),
        *scores,
        _Row("pattern", "h q k", "softmax(scores)", "shares of attention; every row sums to 1"),
        _Row("z", "h pos d_head", "pattern · v", "values mixed in the pattern's shares"),
        _Row("concat", "pos d", "z[0], z[1], … side by side", "the heads' rows joined"),
        _weights("W_O", "d d", "weights that mix the joined heads"),
        _Row("out", "pos d", "concat · W_Oᵀ", "what attention adds to each row"),
    )


def _add_norm(residual: str, norm: str, old: str, added: str) -> tuple[_Row, ...]:
    return (
        _Row(residual, "pos d", f"{old} + {added}", f"the row with {added} added to it"),
        *_block(
            norm,
            _Row("mean", "pos 1", f"mean of {residual}", f"mean of each row of {residual}"),
            _Row("var", "pos 1", f"mean of ({residual} − mean)²", f"population variance of each row of {residual}"),
            _Row("out", "pos d", f"({residual} − mean) / √(var + 1e-5)", f"{residual} normalised row by row"),
        ),
    )


def _feed_forward(x: str) -> tuple[_Row, ...]:
    return _block(
        "mlp",
        _weights("W_1", "d_ff d", "weights that widen a row to d_ff"),
        _Row("pre", "pos d_ff", f"{x} · W_1ᵀ", "the widened row"),
        _Row("post", "pos d_ff", "max(0, pre)", "the widened row, its negative numbers set to 0"),
        _weights("W_2", "d d_ff", "weights that narrow a row to d_model"),
        _Row("out", "pos d", "post · W_2ᵀ", "what the feed-forward network adds to each row"),
    )


def _layer(attention: tuple[_Row, ...], name: str, *, cross: bool = False) -> tuple[_Row, ...]:
    """A layer's rows; `x` in a formula is the layer's input."""
    rows = (*attention, *_add_norm("resid_mid", "ln1", "x", f"{name}.out"))
    before, last = "ln1", "ln2"
    if cross:
        rows += _attention("cross_attn", "ln1.out", "encoder.out")
        rows += _add_norm("resid_mid_cross", "ln2", "ln1.out", "cross_attn.out")
        before, last = "ln2", "ln3"
    rows += _feed_forward(f"{before}.out")
    rows += _add_norm("resid_post", last, f"{before}.out", "mlp.out")
    return (*rows, _Row("out", "pos d", f"{last}.out", "the layer's output"))


_ENCODER_LAYER = _layer(_attention("attn", "x", "x"), "attn")
_MASKED_ATTENTION = _attention("self_attn", "x", "x", masked=True)
_DECODER_LAYER = _layer(_MASKED_ATTENTION, "self_attn")
_CROSS_DECODER_LAYER = _layer(_MASKED_ATTENTION, "self_attn", cross=True)

_OUTPUT: tuple[tuple[_Row, int], ...] = (
    (_Row("decoder.out", "pos d", "out of the last layer", "all that the output layer gets"), steps.DECODER_OUT),
    (_weights("weights.W_out", "V d", "output weights, one row per word"), steps.LOGITS),
    (_Row("logits", "pos V", "decoder.out · W_outᵀ", "one score per word of the vocabulary"), steps.LOGITS),
    (_Row("probs", "pos V", "softmax(logits)", "probability of every word; each row sums to 1"), steps.PROBABILITIES),
)


@lru_cache(maxsize=64)
def key_specs(config: ModelConfig) -> tuple[KeySpec, ...]:
    """Everything the trace of `config` holds, in order."""
    return (
        *_input_specs(config),
        *_encoder_specs(config),
        *_training_specs(config),
        *_greedy_specs(config),
        *_prefix_specs(config),
    )


def key_list(config: ModelConfig) -> tuple[str, ...]:
    """The exact ordered keys of the trace of `config`."""
    return tuple(spec.key for spec in key_specs(config))


def pattern_of(key: str) -> str:
    """The key with its layer number written `{l}` and its pass number written `{k}`."""
    families = "|".join(PASS_FAMILIES)
    key = re.sub(rf"^({families})\.\d+\.", r"\1.{k}.", key)
    return re.sub(r"\b(encoder|decoder)\.\d+\.", r"\1.{l}.", key)


class _Maker:
    """Makes the specs of one model from rows; `rows` is the length of pos and q, `columns` that of k and key_pos."""

    def __init__(self, config: ModelConfig, rows: int = 0, columns: int = 0) -> None:
        self._lengths: Mapping[str, int] = {
            "pos": rows,
            "q": rows,
            "k": columns,
            "key_pos": columns,
            "h": config.heads,
            "d": config.d_model,
            "d_head": config.d_head,
            "d_ff": config.d_ff,
            "V": len(config.vocabulary),
            "1": 1,
        }

    def __call__(self, row: _Row, step: int, stem: str = "") -> KeySpec:
        names = row.axes.split()
        axes = tuple("pos" if name == "key_pos" else name for name in names)
        shape = tuple(self._lengths[name] for name in names)
        return KeySpec(stem + row.name, axes, step, row.formula, row.meaning, shape)


def _layer_specs(
    layer: tuple[_Row, ...], stem: str, step_of: Mapping[str, int], *, own: _Maker, cross: _Maker
) -> Iterator[KeySpec]:
    """One layer, its weights just before their use."""
    for row in layer:
        is_weight = row.name.rpartition(".")[2].startswith("W_")
        make = cross if row.name.startswith("cross_attn.") else own
        yield make(row, step_of[row.name], f"weights.{stem}." if is_weight else f"{stem}.")


def _input_specs(config: ModelConfig) -> Iterator[KeySpec]:
    source, target = _Maker(config, len(config.source)), _Maker(config, len(config.target))
    longest = _Maker(config, max(len(config.source), len(config.target)))
    yield source(_Row("src.tokens", "pos", "id of each word", "ids of the source words"), steps.SOURCE_IDS)
    yield target(_Row("tgt.tokens", "pos", "id of each word", "ids the decoder reads in training"), steps.DECODER_IDS)
    table = _Row("embed.weight", "V d", "given", "the embedding table E, one row per word")
    yield source(table, steps.EMBEDDING_TABLE)
    look_up = "embed.weight[{0}.tokens]"
    yield source(_Row("src.embed", "pos d", look_up.format("src"), "rows of E for the source"), steps.SOURCE_ROWS)
    yield target(
        _Row("tgt.embed", "pos d", look_up.format("tgt"), "rows of E for the decoder's input"), steps.DECODER_ROWS
    )
    waves = "sin and cos of pos / 10000^(2i / d)"
    yield longest(_Row("pos_embed", "pos d", waves, "what each position adds to its row"), steps.POSITIONS)
    yield source(_Row("src.input", "pos d", "src.embed + pos_embed", "the encoder's input rows"), steps.ENCODER_INPUT)
    square = _Maker(config, len(config.source), len(config.source))
    for name, step, what in (
        ("embed", steps.ORDER_WITHOUT, "without positions"),
        ("input", steps.ORDER_WITH, "with positions"),
    ):
        law = f"x · xᵀ, x = src.{name}"
        yield square(_Row(f"order.{name}_dots", "pos key_pos", law, f"likeness of the words' rows {what}"), step)
        reversed_law = f"{law} of the sentence read backwards"
        meaning = f"the same {what} for the reversed sentence, by position in it"
        yield square(_Row(f"order.{name}_dots_reversed", "pos key_pos", reversed_law, meaning), step)


def _encoder_specs(config: ModelConfig) -> Iterator[KeySpec]:
    words = len(config.source)
    make = _Maker(config, words, words)
    for layer in range(config.encoder_layers):
        step_of = steps.encoder_steps(layer)
        yield from _layer_specs(_ENCODER_LAYER, f"encoder.{layer}", step_of, own=make, cross=make)
    memory = "the memory: all that the decoder sees of the source"
    yield make(_Row("encoder.out", "pos d", "out of the last layer", memory), steps.MEMORY)


def _decoder_specs(config: ModelConfig, rows: int, columns: int) -> Iterator[KeySpec]:
    """The decoder and the output layer computing `rows` rows, of which each may look at `columns` positions."""
    own, cross = _Maker(config, rows, columns), _Maker(config, rows, len(config.source))
    for layer in range(config.decoder_layers):
        kind = _CROSS_DECODER_LAYER if config.has_cross_attention(layer) else _DECODER_LAYER
        step_of = steps.decoder_steps(layer, config.decoder_layers)
        yield from _layer_specs(kind, f"decoder.{layer}", step_of, own=own, cross=cross)
    for row, step in _OUTPUT:
        yield own(row, step)


_INPUT = _Row("input", "pos d", "embed.weight[tokens] + pos_embed", "the decoder's input rows")
_MASK = _Row("mask", "q k", "−1e9 where k > q, else 0", "what each row may not see: the words after it")


def _training_specs(config: ModelConfig) -> Iterator[KeySpec]:
    words = len(config.target)
    make = _Maker(config, words, words)
    yield make(_INPUT, steps.DECODER_INPUT, "tgt.")
    yield make(_MASK, steps.MASK, "decoder.")
    yield from _decoder_specs(config, words, words)
    scored = {
        "aligned": (make, "the word the row itself stands for"),
        "shifted": (_Maker(config, words - (config.start_symbol is None)), "the word after the row's"),
    }
    for name, (rows, word) in scored.items():
        yield rows(_Row(f"labels.{name}", "pos", f"id of {word}", f"what each row is scored on: {word}"), steps.LOSS)
    for name, (rows, _) in scored.items():
        law = f"−ln probs[i, labels.{name}[i]]"
        yield rows(_Row(f"loss.{name}", "pos", law, "price of the probability given to the label"), steps.LOSS)
    for name in scored:
        meaning = "the sentence's price; 0 if no row is scored"
        yield make(_Row(f"loss.{name}.mean", "", f"mean of loss.{name}", meaning), steps.MEAN_LOSS)


def _pass_specs(config: ModelConfig, family: str, k: int, rows: int, step: int) -> Iterator[KeySpec]:
    """A pass that has read k words and computes the last `rows` rows. The weights stand in the table once already."""
    stem = f"{family}.{k}."
    make = _Maker(config, rows, k)
    read = _Row("tokens", "pos", "the first k ids", "ids the decoder has read")
    yield _Maker(config, k)(read, step, stem)
    yield make(_INPUT, step, stem)
    yield make(_MASK, step, stem)
    for spec in _decoder_specs(config, rows, k):
        if not spec.key.startswith("weights."):
            yield replace(spec, key=stem + spec.key, step=step)


def _greedy_specs(config: ModelConfig) -> Iterator[KeySpec]:
    follower = _Row("next", "", "argmax of the last row of logits", "id of the likeliest word, which is fed back")
    for family in ("greedy", "greedy_cached"):
        for k in range(1, config.greedy_passes + 1):
            rows = k if family == "greedy" else 1
            yield from _pass_specs(config, family, k, rows, steps.GREEDY)
            yield _Maker(config)(follower, steps.GREEDY, f"{family}.{k}.")
    sentence = _Row("greedy.tokens", "pos", "the first id and every next", "the sentence the loop ends with")
    yield _Maker(config, config.greedy_length)(sentence, steps.GREEDY)


def _prefix_specs(config: ModelConfig) -> Iterator[KeySpec]:
    for k in range(1, config.prefixes + 1):
        yield from _pass_specs(config, "generate", k, k, steps.prefix_step(k))
