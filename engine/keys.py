"""The one ordered table of everything a trace holds.

Keys are in the order in which the film shows them: the step numbers never go back, except where a wiring other than the
tutorial's has cross-attention in a layer before the last. Layers and heads count from 0, the passes of a generated
sentence from 1 (`{k}` is the number of words that pass has read).

Axes: `pos` positions, `h` heads, `q` and `k` the positions that ask and that are asked, `d` = d_model, `d_head`, `d_ff`,
`V` words of the vocabulary, `1` a kept axis of length 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.config import ModelConfig

FIRST_STEP, LAST_STEP = 0, 95

PASS_FAMILIES = ("greedy", "greedy_cached", "generate")


@dataclass(frozen=True)
class KeySpec:
    """One key of one model: its axes and their lengths, the film's step that shows it, its law, its meaning."""

    key: str
    axes: tuple[str, ...]
    step: int
    formula: str
    meaning: str
    shape: tuple[int, ...]


# name, axes, formula, meaning. `key_pos` is the `pos` axis of what is asked: another length in cross-attention.
_Row = tuple[str, str, str, str]

_PROJECTIONS: tuple[_Row, ...] = (
    ("W_Q", "h d_head d", "given", "query weights, one matrix per head"),
    ("q", "h pos d_head", "x · W_Qᵀ", "queries: what each position looks for"),
    ("W_K", "h d_head d", "given", "key weights, one matrix per head"),
    ("k", "h key_pos d_head", "x · W_Kᵀ", "keys: what each position can be found by"),
    ("W_V", "h d_head d", "given", "value weights, one matrix per head"),
    ("v", "h key_pos d_head", "x · W_Vᵀ", "values: what each position hands over"),
    ("dots", "h q k", "q · k", "dot product of every query with every key"),
)
_SCORES: tuple[_Row, ...] = (("scores", "h q k", "dots / √d_head", "scaled scores: what softmax sees"),)
_MASKED_SCORES: tuple[_Row, ...] = (
    ("scaled", "h q k", "dots / √d_head", "scaled scores before the mask"),
    ("scores", "h q k", "scaled + mask", "scores after the mask: what softmax sees"),
)
_MIXING: tuple[_Row, ...] = (
    ("pattern", "h q k", "softmax(scores)", "shares of attention; every row sums to 1"),
    ("z", "h pos d_head", "pattern · v", "values mixed in the pattern's shares"),
    ("concat", "pos d", "z of head 0 | z of head 1 | …", "the heads' rows side by side"),
    ("W_O", "d d", "given", "weights that mix the heads"),
    ("out", "pos d", "concat · W_Oᵀ", "what attention adds to the row"),
)
_SELF: tuple[_Row, ...] = (*_PROJECTIONS, *_SCORES, *_MIXING)
_MASKED_SELF: tuple[_Row, ...] = (*_PROJECTIONS, *_MASKED_SCORES, *_MIXING)
_CROSS: tuple[_Row, ...] = tuple(
    (name, axes, formula.replace("x ·", "encoder.out ·") if name in ("k", "v") else formula, meaning)
    for name, axes, formula, meaning in _SELF
)
_MLP: tuple[_Row, ...] = (
    ("W_1", "d_ff d", "given", "weights that widen a row to d_ff"),
    ("pre", "pos d_ff", "x · W_1ᵀ", "the widened row"),
    ("post", "pos d_ff", "max(0, pre)", "the widened row with its negative numbers set to 0"),
    ("W_2", "d d_ff", "given", "weights that narrow a row to d_model"),
    ("out", "pos d", "post · W_2ᵀ", "what the feed-forward network adds to the row"),
)
_NORM: tuple[_Row, ...] = (
    ("mean", "pos 1", "mean of the row", "mean of the row before it is normalised"),
    ("var", "pos 1", "mean of (x − mean)²", "population variance of the row before it is normalised"),
    ("out", "pos d", "(x − mean) / √(var + 1e-5)", "the normalised row"),
)


def _residual(name: str, old: str, added: str) -> _Row:
    return (name, "pos d", f"{old} + {added}", f"the row with {added} added")


def _block(prefix: str, rows: tuple[_Row, ...]) -> tuple[_Row, ...]:
    return tuple((f"{prefix}.{name}", axes, formula, meaning) for name, axes, formula, meaning in rows)


_LAYER_OUT = "the layer's output"
_ENCODER_LAYER: tuple[_Row, ...] = (
    *_block("attn", _SELF),
    _residual("resid_mid", "x", "attn.out"),
    *_block("ln1", _NORM),
    *_block("mlp", _MLP),
    _residual("resid_post", "ln1.out", "mlp.out"),
    *_block("ln2", _NORM),
    ("out", "pos d", "ln2.out", _LAYER_OUT),
)
_DECODER_LAYER: tuple[_Row, ...] = (
    *_block("self_attn", _MASKED_SELF),
    _residual("resid_mid", "x", "self_attn.out"),
    *_block("ln1", _NORM),
    *_block("mlp", _MLP),
    _residual("resid_post", "ln1.out", "mlp.out"),
    *_block("ln2", _NORM),
    ("out", "pos d", "ln2.out", _LAYER_OUT),
)
_CROSS_DECODER_LAYER: tuple[_Row, ...] = (
    *_block("self_attn", _MASKED_SELF),
    _residual("resid_mid", "x", "self_attn.out"),
    *_block("ln1", _NORM),
    *_block("cross_attn", _CROSS),
    _residual("resid_mid_cross", "ln1.out", "cross_attn.out"),
    *_block("ln2", _NORM),
    *_block("mlp", _MLP),
    _residual("resid_post", "ln2.out", "mlp.out"),
    *_block("ln3", _NORM),
    ("out", "pos d", "ln3.out", _LAYER_OUT),
)


def _steps(plan: str) -> Mapping[str, int]:
    """Read "name=step name=step …"; a step holds for the names written before it with commas."""
    steps: dict[str, int] = {}
    for part in plan.split():
        names, step = part.split("=")
        steps.update(dict.fromkeys(names.split(","), int(step)))
    return steps


_FIRST_ENCODER_LAYER = _steps(
    "attn.W_Q=14 attn.q=15 attn.W_K=16 attn.k=17 attn.W_V=18 attn.v=19 attn.dots=23 attn.scores=24 attn.pattern=25 "
    "attn.z=27 attn.concat=28 attn.W_O,attn.out=29 resid_mid=30 ln1.mean,ln1.var=31 ln1.out=32 mlp.W_1,mlp.pre=33 "
    "mlp.post=34 mlp.W_2,mlp.out=35 resid_post=36 ln2.mean,ln2.var=37 ln2.out,out=38"
)
_DEEPER_ENCODER_LAYER = _steps(
    "attn.W_Q,attn.q,attn.W_K,attn.k,attn.W_V,attn.v=39 attn.dots=40 attn.scores=41 attn.pattern=42 attn.z=43 "
    "attn.concat,attn.W_O,attn.out=44 resid_mid=45 ln1.mean,ln1.var,ln1.out=46 mlp.W_1,mlp.pre,mlp.post=47 "
    "mlp.W_2,mlp.out=48 resid_post=49 ln2.mean,ln2.var,ln2.out,out=50"
)
_CROSS_STEPS = (
    "cross_attn.W_Q,cross_attn.q=74 cross_attn.W_K,cross_attn.k,cross_attn.W_V,cross_attn.v=75 cross_attn.dots=76 "
    "cross_attn.scores=77 cross_attn.pattern=78 cross_attn.z=79 cross_attn.concat,cross_attn.W_O,cross_attn.out=80 "
)
_FIRST_SELF_STEPS = (
    "self_attn.W_Q,self_attn.q,self_attn.W_K,self_attn.k,self_attn.W_V,self_attn.v=55 self_attn.dots=56 "
    "self_attn.scaled=57 self_attn.scores=58 self_attn.pattern=59 self_attn.z=60 "
    "self_attn.concat,self_attn.W_O,self_attn.out=61 resid_mid=62 ln1.mean,ln1.var,ln1.out=63 "
)
_FIRST_FFN_STEPS = (
    "resid_mid_cross,ln2.mean,ln2.var,ln2.out=63 mlp.W_1,mlp.pre,mlp.post=64 mlp.W_2,mlp.out=65 resid_post=66 "
    "{last}.mean,{last}.var,{last}.out,out=66"
)
_DEEPER_SELF_STEPS = (
    "self_attn.W_Q,self_attn.q,self_attn.W_K,self_attn.k,self_attn.W_V,self_attn.v=67 self_attn.dots=68 "
    "self_attn.scaled,self_attn.scores=69 self_attn.pattern=70 self_attn.z,self_attn.concat,self_attn.W_O=71 "
    "self_attn.out=71 resid_mid=72 ln1.mean,ln1.var,ln1.out=73 "
)
_LAST_FFN_STEPS = (
    "resid_mid_cross=81 ln2.mean,ln2.var,ln2.out=82 mlp.W_1,mlp.pre,mlp.post=83 mlp.W_2,mlp.out=84 resid_post=85 "
    "{last}.mean,{last}.var,{last}.out,out=85"
)
_DEEPER_FFN_STEPS = (
    "resid_mid_cross,ln2.mean,ln2.var,ln2.out=73 mlp.W_1,mlp.pre,mlp.post,mlp.W_2,mlp.out=73 resid_post=73 "
    "{last}.mean,{last}.var,{last}.out,out=73"
)


def _decoder_steps(config: ModelConfig, layer: int) -> Mapping[str, int]:
    """Each sub-layer in the scene of its kind: cross-attention in 74-80 whichever layer it stands in."""
    last_norm = "ln3" if config.has_cross_attention(layer) else "ln2"
    attention = _FIRST_SELF_STEPS if layer == 0 else _DEEPER_SELF_STEPS
    if layer == config.decoder_layers - 1:
        rest = _LAST_FFN_STEPS
    else:
        rest = _FIRST_FFN_STEPS if layer == 0 else _DEEPER_FFN_STEPS
    return _steps(attention + _CROSS_STEPS + rest.replace("{last}", last_norm))


class _Table:
    """Collects the specs of one model."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.specs: list[KeySpec] = []

    def add(self, key: str, axes: str, step: int, formula: str, meaning: str, rows: int, columns: int = 0) -> None:
        """One key. `rows` is the length of pos and q, `columns` that of k and of a `pos` that is asked."""
        c = self.config
        lengths = {
            **{"pos": rows, "q": rows, "k": columns, "key_pos": columns, "1": 1},
            **{"h": c.heads, "d": c.d_model, "d_head": c.d_head, "d_ff": c.d_ff, "V": len(c.vocabulary)},
        }
        names = axes.split()
        public = tuple("pos" if name == "key_pos" else name for name in names)
        shape = tuple(lengths[name] for name in names)
        self.specs.append(KeySpec(key, public, step, formula, meaning, shape))

    def layer(self, stem: str, rows_of: tuple[_Row, ...], steps: Mapping[str, int], rows: int, columns: int) -> None:
        """One layer of a stack, its weights just before their use."""
        for name, axes, formula, meaning in rows_of:
            asked = len(self.config.source) if name.startswith("cross_attn") else columns
            prefix = "weights." if name.rpartition(".")[2].startswith("W_") else ""
            self.add(f"{prefix}{stem}.{name}", axes, steps[name], formula, meaning, rows, asked)

    def decoder(self, family: str, rows: int, columns: int, step: int | None = None) -> None:
        """The decoder with its output layer: in the training pass (family "") or in one pass of a family."""
        before = len(self.specs)
        for layer in range(self.config.decoder_layers):
            kind = _CROSS_DECODER_LAYER if self.config.has_cross_attention(layer) else _DECODER_LAYER
            self.layer(f"decoder.{layer}", kind, _decoder_steps(self.config, layer), rows, columns)
        self.add("decoder.out", "pos d", 85, "out of the last layer", "what the output layer gets", rows)
        self.add("weights.W_out", "V d", 86, "given", "output weights, one row per word", rows)
        self.add("logits", "pos V", 86, "decoder.out · W_outᵀ", "one score per word of the vocabulary", rows)
        self.add("probs", "pos V", 87, "softmax(logits)", "probability of each word; every row sums to 1", rows)
        if step is not None:
            # The weights are the same in every pass and stand in the table once.
            of_pass = [spec for spec in self.specs[before:] if not spec.key.startswith("weights.")]
            self.specs[before:] = [
                KeySpec(f"{family}.{spec.key}", spec.axes, step, spec.formula, spec.meaning, spec.shape)
                for spec in of_pass
            ]

    def one_pass(self, family: str, k: int, rows: int, step: int) -> None:
        """Pass k of a family: it has read k words and computes `rows` rows of the decoder."""
        stem = f"{family}.{k}"
        self.add(f"{stem}.tokens", "pos", step, "the first k ids", "ids the decoder has read", k)
        self.add(f"{stem}.input", "pos d", step, "embed.weight[tokens] + pos_embed", "the decoder's input rows", rows)
        self.add(f"{stem}.mask", "q k", step, "−1e9 where k > q, else 0", "what each row may not see", rows, k)
        self.decoder(stem, rows, k, step)
        if family != "generate":
            self.add(f"{stem}.next", "", step, "argmax of the last row of probs", "id of the word that is fed back", 1)


@lru_cache(maxsize=32)
def key_specs(config: ModelConfig) -> tuple[KeySpec, ...]:
    """Everything the trace of `config` holds, in order."""
    table = _Table(config)
    source, target = len(config.source), len(config.target)
    _add_inputs(table, source, target)
    for layer in range(config.encoder_layers):
        steps = _FIRST_ENCODER_LAYER if layer == 0 else _DEEPER_ENCODER_LAYER
        table.layer(f"encoder.{layer}", _ENCODER_LAYER, steps, source, source)
    table.add("encoder.out", "pos d", 51, "out of the last layer", "the memory: all the decoder sees of it", source)
    table.add("tgt.input", "pos d", 52, "tgt.embed + pos_embed", "the decoder's input rows", target)
    table.add("decoder.mask", "q k", 53, "−1e9 where k > q, else 0", "what each row may not see", target, target)
    table.decoder("", target, target)
    _add_losses(table, target)
    for family in ("greedy", "greedy_cached"):
        for k in range(1, config.passes + 1):
            table.one_pass(family, k, k if family == "greedy" else 1, 91)
    made = generated_length(config)
    table.add("greedy.tokens", "pos", 91, "the first id and every next", "the sentence the loop ends with", made)
    for k in range(1, config.passes + 1):
        table.one_pass("generate", k, k, 91 + min(k, 3))
    return tuple(table.specs)


def generated_length(config: ModelConfig) -> int:
    """Ids the greedy loop ends with: as many words as the target has, behind the start symbol if there is one."""
    return len(config.target) + (config.start_symbol is not None)


def _add_inputs(table: _Table, source: int, target: int) -> None:
    longest = max(source, target)
    table.add("src.tokens", "pos", 2, "id of each word", "ids of the source words", source)
    table.add("tgt.tokens", "pos", 3, "id of each word", "ids the decoder reads in training", target)
    table.add("embed.weight", "V d", 4, "given", "the embedding table E, one row per word", 0)
    table.add("src.embed", "pos d", 5, "embed.weight[src.tokens]", "the source words' rows of E", source)
    table.add("tgt.embed", "pos d", 6, "embed.weight[tgt.tokens]", "the decoder input's rows of E", target)
    table.add(
        "pos_embed", "pos d", 8, "sin, cos of pos / 10000^(2i/d)", "what each position adds to its row", longest
    )
    table.add("src.input", "pos d", 11, "src.embed + pos_embed", "the encoder's input rows", source)
    for name, step, what in (("embed", 12, "without positions"), ("input", 13, "with positions")):
        law = f"x_i · x_j, x = src.{name}"
        table.add(f"order.{name}_dots", "pos key_pos", step, law, f"likeness of the words {what}", source, source)
        table.add(
            f"order.{name}_dots_reversed",
            "pos key_pos",
            step,
            f"{law} of the sentence read backwards",
            f"likeness of the reversed sentence's words {what}",
            source,
            source,
        )


def _add_losses(table: _Table, target: int) -> None:
    shifted = target - (table.config.start_symbol is None)
    for name, rows, meaning in (
        ("aligned", target, "the word at the row's own position"),
        ("shifted", shifted, "the word after the row's position"),
    ):
        table.add(f"labels.{name}", "pos", 88, f"id of {meaning}", f"what row i is scored on: {meaning}", rows)
    for name, rows in (("aligned", target), ("shifted", shifted)):
        law = f"−ln probs[i, labels.{name}[i]]"
        table.add(f"loss.{name}", "pos", 88, law, "price of the probability given to the label", rows)
    for name in ("aligned", "shifted"):
        table.add(f"loss.{name}.mean", "", 89, f"mean of loss.{name}", "the sentence's price; 0 if nothing is scored", 0)


def key_list(config: ModelConfig) -> tuple[str, ...]:
    """The exact ordered keys of the trace of `config`."""
    return tuple(spec.key for spec in key_specs(config))


def pattern_of(key: str) -> str:
    """The key with its layer number written `{l}` and its pass number written `{k}`."""
    families = "|".join(PASS_FAMILIES)
    key = re.sub(rf"^({families})\.\d+\.", r"\1.{k}.", key)
    return re.sub(r"(^|\.)(encoder|decoder)\.\d+\.", r"\1\2.{l}.", key)


def by_key(config: ModelConfig) -> Iterator[tuple[str, KeySpec]]:
    """Pairs of key and spec."""
    return ((spec.key, spec) for spec in key_specs(config))
