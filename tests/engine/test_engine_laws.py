"""Every value of the trace recomputed from the values it is made of, with NumPy's and SciPy's own operations.

`stem` is where a decoder stands: "" for the training pass, "generate.2." and the like for a pass.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.special

from engine import Trace


def same(computed: np.ndarray, expected: np.ndarray) -> None:
    assert computed.shape == np.shape(expected)
    np.testing.assert_allclose(computed, expected, rtol=1e-10, atol=1e-10)


def decoder_stems(trace: Trace) -> list[str]:
    return [key.removesuffix("decoder.out") for key in trace if key.endswith("decoder.out")]


def check_attention(trace: Trace, stem: str, weights: str, x: np.ndarray, seen: np.ndarray | None) -> None:
    """`seen` None: keys and values come from a cache and are checked elsewhere."""
    config = trace.config
    W = {name: trace[f"weights.{weights}.{name}"] for name in ("W_Q", "W_K", "W_V", "W_O")}
    q, k, v, pattern = (trace[f"{stem}.{name}"] for name in ("q", "k", "v", "pattern"))
    same(q, np.einsum("pd,hed->hpe", x, W["W_Q"]))
    if seen is not None:
        same(k, np.einsum("pd,hed->hpe", seen, W["W_K"]))
        same(v, np.einsum("pd,hed->hpe", seen, W["W_V"]))
    same(trace[f"{stem}.dots"], q @ k.transpose(0, 2, 1))
    scaled = trace[f"{stem}.dots"] / np.sqrt(config.d_head)
    if f"{stem}.scaled" in trace:
        same(trace[f"{stem}.scaled"], scaled)
        decoder = re.sub(r"decoder\.\d+\.self_attn$", "", stem)
        scaled = scaled + trace[f"{decoder}mask" if decoder else "decoder.mask"]
    same(trace[f"{stem}.scores"], scaled)
    same(pattern, scipy.special.softmax(trace[f"{stem}.scores"], axis=-1))
    same(pattern.sum(axis=-1), np.ones(pattern.shape[:-1]))
    same(trace[f"{stem}.z"], np.einsum("hqk,hke->hqe", pattern, v))
    same(trace[f"{stem}.concat"], np.hstack(list(trace[f"{stem}.z"])))
    same(trace[f"{stem}.out"], trace[f"{stem}.concat"] @ W["W_O"].T)


def check_add_norm(trace: Trace, layer: str, residual: str, norm: str, old: np.ndarray, added: str) -> np.ndarray:
    x = trace[f"{layer}.{residual}"]
    same(x, old + trace[f"{layer}.{added}"])
    same(trace[f"{layer}.{norm}.mean"], x.mean(axis=1, keepdims=True))
    same(trace[f"{layer}.{norm}.var"], x.var(axis=1, keepdims=True))
    out = trace[f"{layer}.{norm}.out"]
    same(out, (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5))
    return out


def check_feed_forward(trace: Trace, layer: str, weights: str, x: np.ndarray) -> None:
    same(trace[f"{layer}.mlp.pre"], x @ trace[f"weights.{weights}.mlp.W_1"].T)
    same(trace[f"{layer}.mlp.post"], trace[f"{layer}.mlp.pre"].clip(min=0))
    same(trace[f"{layer}.mlp.out"], trace[f"{layer}.mlp.post"] @ trace[f"weights.{weights}.mlp.W_2"].T)


def test_inputs_are_embeddings_plus_positions(trace: Trace) -> None:
    for side, length in (("src", len(trace.config.source)), ("tgt", len(trace.config.target))):
        same(trace[f"{side}.embed"], trace["embed.weight"][list(trace.ids(f"{side}.tokens"))])
        same(trace[f"{side}.input"], trace[f"{side}.embed"] + trace["pos_embed"][:length])
        assert trace[f"{side}.tokens"].shape == (length,)


def test_order_is_only_seen_with_positions(trace: Trace) -> None:
    rows, positions = trace["src.embed"], trace["pos_embed"][: len(trace.config.source)]
    same(trace["order.embed_dots"], rows @ rows.T)
    same(trace["order.embed_dots_reversed"], (rows @ rows.T)[::-1, ::-1])
    same(trace["order.input_dots"], (rows + positions) @ (rows + positions).T)
    backwards = rows[::-1] + positions
    same(trace["order.input_dots_reversed"], backwards @ backwards.T)


def test_reversing_the_tutorials_sentence_changes_its_dots_with_positions(tutorial: Trace) -> None:
    turned = tutorial["order.input_dots_reversed"][::-1, ::-1]
    assert np.abs(turned - tutorial["order.input_dots"]).max() > 0.1


def test_encoder(trace: Trace) -> None:
    x = trace["src.input"]
    for index in range(trace.config.encoder_layers):
        layer = f"encoder.{index}"
        check_attention(trace, f"{layer}.attn", f"{layer}.attn", x, x)
        x = check_add_norm(trace, layer, "resid_mid", "ln1", x, "attn.out")
        check_feed_forward(trace, layer, layer, x)
        x = check_add_norm(trace, layer, "resid_post", "ln2", x, "mlp.out")
        same(trace[f"{layer}.out"], x)
    same(trace["encoder.out"], x)


def test_decoder_in_training_and_in_every_pass(trace: Trace) -> None:
    for stem in decoder_stems(trace):
        x = trace[f"{stem}input" if stem else "tgt.input"]
        cached = stem.startswith("greedy_cached")
        for index in range(trace.config.decoder_layers):
            layer, weights, last = f"{stem}decoder.{index}", f"decoder.{index}", "ln2"
            check_attention(trace, f"{layer}.self_attn", f"{weights}.self_attn", x, None if cached else x)
            x = check_add_norm(trace, layer, "resid_mid", "ln1", x, "self_attn.out")
            crosses = trace.config.cross_attention == "every" or index == trace.config.decoder_layers - 1
            assert (f"{layer}.cross_attn.q" in trace) == crosses
            if crosses:
                check_attention(trace, f"{layer}.cross_attn", f"{weights}.cross_attn", x, trace["encoder.out"])
                x = check_add_norm(trace, layer, "resid_mid_cross", "ln2", x, "cross_attn.out")
                last = "ln3"
            check_feed_forward(trace, layer, weights, x)
            x = check_add_norm(trace, layer, "resid_post", last, x, "mlp.out")
            same(trace[f"{layer}.out"], x)
        same(trace[f"{stem}decoder.out"], x)
        same(trace[f"{stem}logits"], x @ trace["weights.W_out"].T)
        same(trace[f"{stem}probs"], scipy.special.softmax(trace[f"{stem}logits"], axis=-1))


def test_masks(trace: Trace) -> None:
    for stem in decoder_stems(trace):
        mask = trace[f"{stem}mask" if stem else "decoder.mask"]
        if stem.startswith("greedy_cached"):
            same(mask, np.zeros((1, mask.shape[1])))
        else:
            same(mask, np.triu(np.full(mask.shape, -1e9), 1))
    for key in trace:
        if key.endswith("self_attn.pattern") and "cached" not in key:
            assert (trace[key][:, np.triu(np.ones(trace[key].shape[1:], bool), 1)] == 0.0).all()


@pytest.mark.parametrize("name", ["aligned", "shifted"])
def test_losses(trace: Trace, name: str) -> None:
    labels = trace.ids(f"labels.{name}")
    losses = trace[f"loss.{name}"]
    same(losses, np.array([-np.log(trace["probs"][row, label]) for row, label in enumerate(labels)]))
    same(trace[f"loss.{name}.mean"], np.array(losses.mean() if len(losses) else 0.0))


def test_labels(trace: Trace) -> None:
    config = trace.config
    assert trace.words("labels.aligned") == trace.words("tgt.tokens")
    if config.start_symbol is None:
        assert trace.words("tgt.tokens") == config.target
        assert trace.words("labels.shifted") == config.target[1:]
    else:
        assert trace.words("tgt.tokens") == (config.start_symbol, *config.target[:-1])
        assert trace.words("labels.shifted") == config.target


def test_a_dot_product_spelled_out_on_screen_adds_up_to_the_last_bit(tutorial: Trace) -> None:
    x, W, q = tutorial["src.input"], tutorial["weights.encoder.0.attn.W_Q"], tutorial["encoder.0.attn.q"]
    for head, row, column in np.ndindex(q.shape):
        terms = [float(a) * float(b) for a, b in zip(x[row], W[head, column], strict=True)]
        assert terms[0] + terms[1] + terms[2] + terms[3] == q[head, row, column]
