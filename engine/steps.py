"""Which numbered step of the film shows a value: the place where the numbering 0-95 meets the model.

A step lies in the range of the scene that shows the value. Names are those of one layer; deeper layers are shown in
the scenes of the deeper layers, cross-attention in its own scene whichever layer it stands in.
"""

from __future__ import annotations

from collections.abc import Mapping

FIRST_STEP, LAST_STEP = 0, 95

SOURCE_IDS, DECODER_IDS = 2, 3
EMBEDDING_TABLE, SOURCE_ROWS, DECODER_ROWS = 4, 5, 6
POSITIONS, ENCODER_INPUT, ORDER_WITHOUT, ORDER_WITH = 8, 11, 12, 13
MEMORY, DECODER_INPUT, MASK = 51, 52, 53
DECODER_OUT, LOGITS, PROBABILITIES, LOSS, MEAN_LOSS = 85, 86, 87, 88, 89
TRAINING = 90
GREEDY = 91


def prefix_step(k: int) -> int:
    """The step that shows the decoder on the target's first k words; the last of them shows every longer prefix."""
    return GREEDY + min(k, 3)


def _by_name(names_at: Mapping[int, str]) -> dict[str, int]:
    return {name: step for step, names in names_at.items() for name in names.split()}


_FIRST_ENCODER_LAYER = _by_name(
    {
        14: "attn.W_Q",
        15: "attn.q",
        16: "attn.W_K",
        17: "attn.k",
        18: "attn.W_V",
        19: "attn.v",
        23: "attn.dots",
        24: "attn.scores",
        25: "attn.pattern",
        27: "attn.z",
        28: "attn.concat",
        29: "attn.W_O attn.out",
        30: "resid_mid",
        31: "ln1.mean ln1.var",
        32: "ln1.out",
        33: "mlp.W_1 mlp.pre",
        34: "mlp.post",
        35: "mlp.W_2 mlp.out",
        36: "resid_post",
        37: "ln2.mean ln2.var",
        38: "ln2.out out",
    }
)
_DEEPER_ENCODER_LAYER = _by_name(
    {
        39: "attn.W_Q attn.q attn.W_K attn.k attn.W_V attn.v",
        40: "attn.dots",
        41: "attn.scores",
        42: "attn.pattern",
        43: "attn.z",
        44: "attn.concat attn.W_O attn.out",
        45: "resid_mid",
        46: "ln1.mean ln1.var ln1.out",
        47: "mlp.W_1 mlp.pre mlp.post",
        48: "mlp.W_2 mlp.out",
        49: "resid_post",
        50: "ln2.mean ln2.var ln2.out out",
    }
)
_FIRST_SELF_ATTENTION = _by_name(
    {
        55: "self_attn.W_Q self_attn.q self_attn.W_K self_attn.k self_attn.W_V self_attn.v",
        56: "self_attn.dots",
        57: "self_attn.scaled",
        58: "self_attn.scores",
        59: "self_attn.pattern",
        60: "self_attn.z",
        61: "self_attn.concat self_attn.W_O self_attn.out",
        62: "resid_mid",
        63: "ln1.mean ln1.var ln1.out",
    }
)
_DEEPER_SELF_ATTENTION = _by_name(
    {
        67: "self_attn.W_Q self_attn.q self_attn.W_K self_attn.k self_attn.W_V self_attn.v",
        68: "self_attn.dots",
        69: "self_attn.scaled self_attn.scores",
        70: "self_attn.pattern",
        71: "self_attn.z self_attn.concat self_attn.W_O self_attn.out",
        72: "resid_mid",
        73: "ln1.mean ln1.var ln1.out",
    }
)
_CROSS_ATTENTION = _by_name(
    {
        74: "cross_attn.W_Q cross_attn.q",
        75: "cross_attn.W_K cross_attn.k cross_attn.W_V cross_attn.v",
        76: "cross_attn.dots",
        77: "cross_attn.scores",
        78: "cross_attn.pattern",
        79: "cross_attn.z",
        80: "cross_attn.concat cross_attn.W_O cross_attn.out",
    }
)
_MIDDLE_NORM = "resid_mid_cross ln2.mean ln2.var ln2.out"
_LAST_NORM = "ln3.mean ln3.var ln3.out out"
_FIRST_FEED_FORWARD = _by_name(
    {64: "mlp.W_1 mlp.pre mlp.post", 65: "mlp.W_2 mlp.out", 66: f"resid_post {_MIDDLE_NORM} {_LAST_NORM}"}
)
_DEEPER_FEED_FORWARD = _by_name(
    {73: f"{_MIDDLE_NORM} mlp.W_1 mlp.pre mlp.post mlp.W_2 mlp.out resid_post {_LAST_NORM}"}
)
_LAST_FEED_FORWARD = _by_name(
    {
        81: "resid_mid_cross",
        82: "ln2.mean ln2.var ln2.out",
        83: "mlp.W_1 mlp.pre mlp.post",
        84: "mlp.W_2 mlp.out",
        85: f"resid_post {_LAST_NORM}",
    }
)


def encoder_steps(layer: int) -> Mapping[str, int]:
    """Step of every name in encoder layer `layer` (from 0)."""
    return _FIRST_ENCODER_LAYER if layer == 0 else _DEEPER_ENCODER_LAYER


def decoder_steps(layer: int, layers: int) -> Mapping[str, int]:
    """Step of every name in decoder layer `layer` of `layers`, with names for cross-attention whether or not it has it.

    The scenes show the first layer, the deeper ones' self-attention, and what follows it in the last.
    """
    attention, rest = _FIRST_SELF_ATTENTION, _FIRST_FEED_FORWARD
    if layer > 0:
        attention, rest = _DEEPER_SELF_ATTENTION, _DEEPER_FEED_FORWARD
    if layer == layers - 1:
        rest = _LAST_FEED_FORWARD
    return {**attention, **_CROSS_ATTENTION, **rest}
