"""Word by word: what the mask, the cache and the loop promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ModelConfig, Params, Trace, model, params, preset, run

# The source names every word there is, so that the vocabulary, E and all weights are the same for every target.
SOURCE = tuple("abcdefgh")
targets = st.lists(st.sampled_from(SOURCE), min_size=1, max_size=8)


def model_of(target: list[str], **changes: object) -> ModelConfig:
    return ModelConfig(source=SOURCE, target=tuple(target), d_model=6, heads=3, seed=5, **changes)


def passes_of(trace: Trace, family: str) -> int:
    return sum(key.startswith(f"{family}.") and key.endswith(".tokens") and key.count(".") == 2 for key in trace)


def last_row(trace: Trace, key: str) -> np.ndarray:
    """The row of the position read last, of an array whose positions stand on the axis `pos` or `q`."""
    axis = next(n for n, name in enumerate(trace.spec(key).axes) if name in ("pos", "q"))
    return np.take(trace[key], -1, axis=axis)


def test_step_k_is_training_row_k_minus_1_to_the_last_bit(trace: Trace) -> None:
    for k in range(1, passes_of(trace, "generate") + 1):
        prefix = f"generate.{k}."
        assert trace.ids(f"{prefix}tokens") == trace.ids("tgt.tokens")[:k]
        for key in trace:
            if not key.startswith(f"{prefix}decoder.") and key not in (f"{prefix}logits", f"{prefix}probs"):
                continue
            full = trace[key.removeprefix(prefix)]
            step = trace[key]
            if step.shape == full.shape:
                np.testing.assert_array_equal(step, full)
                continue
            axes = trace.spec(key).axes
            reach = tuple(slice(0, n) for n in step.shape)
            assert axes[0] in ("h", "pos")
            np.testing.assert_array_equal(step, full[reach])
        np.testing.assert_array_equal(trace[f"{prefix}probs"][k - 1], trace["probs"][k - 1])


@settings(max_examples=40, deadline=None)
@given(targets, targets, st.sampled_from(["last", "every"]), st.sampled_from([None, "<s>"]))
def test_a_row_does_not_know_the_words_after_it(
    one: list[str], other: list[str], cross: str, start: str | None
) -> None:
    traces = [run(model_of(target, cross_attention=cross, start_symbol=start)) for target in (one, other)]
    ids = [trace.ids("tgt.tokens") for trace in traces]
    shared = 0
    while shared < min(map(len, ids)) and ids[0][shared] == ids[1][shared]:
        shared += 1
    for key in ("decoder.0.out", "decoder.1.cross_attn.out", "decoder.out", "logits", "probs"):
        np.testing.assert_array_equal(traces[0][key][:shared], traces[1][key][:shared])


def test_a_row_does_know_the_words_before_it() -> None:
    one, other = run(model_of(["a", "c"])), run(model_of(["b", "c"]))
    assert np.abs(one["probs"][1] - other["probs"][1]).max() > 1e-6


def test_the_cache_changes_nothing_to_the_last_bit(trace: Trace) -> None:
    passes = passes_of(trace, "greedy")
    assert passes == passes_of(trace, "greedy_cached") >= 1
    for k in range(1, passes + 1):
        plain, cached = f"greedy.{k}.", f"greedy_cached.{k}."
        assert trace.ids(f"{plain}tokens") == trace.ids(f"{cached}tokens")
        assert trace.ids(f"{plain}next") == trace.ids(f"{cached}next")
        keys = [key.removeprefix(plain) for key in trace if key.startswith(plain) and trace.spec(key).axes]
        for name in keys:
            if name == "tokens" or name.endswith(("attn.k", "attn.v")):
                np.testing.assert_array_equal(trace[plain + name], trace[cached + name])
            else:
                np.testing.assert_array_equal(last_row(trace, plain + name), last_row(trace, cached + name))


def test_the_cached_pass_computes_one_row(trace: Trace) -> None:
    config = trace.config
    for k in range(1, passes_of(trace, "greedy_cached") + 1):
        stem = f"greedy_cached.{k}"
        assert trace[f"{stem}.probs"].shape == (1, len(config.vocabulary))
        assert trace[f"{stem}.decoder.0.self_attn.q"].shape == (config.heads, 1, config.d_head)
        assert trace[f"{stem}.decoder.0.self_attn.k"].shape == (config.heads, k, config.d_head)
        assert trace[f"{stem}.decoder.0.self_attn.pattern"].shape == (config.heads, 1, k)


def test_the_memorys_keys_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    config = preset("tutorial")
    asked: list[int] = []
    linear = model.ops.linear

    def counting(x: np.ndarray, W: np.ndarray) -> np.ndarray:
        asked.append(len(x))
        return linear(x, W)

    weights = params.draw(config)
    recorder = model.Recorder(config)
    memory = np.ones((4, 4))
    monkeypatch.setattr(model.ops, "linear", counting)
    model.greedy_cached(weights, config, memory, model.Scope(recorder, "greedy_cached."))
    # Once for the memory's keys and once for its values; every other product is of one new row, or of no row at all.
    assert sorted(set(asked)) == [0, 1, 4]
    assert asked.count(4) == 2


def test_the_loop_feeds_its_own_words_back(trace: Trace) -> None:
    words = [trace.ids("tgt.tokens")[0]]
    for k in range(1, passes_of(trace, "greedy") + 1):
        assert trace.ids(f"greedy.{k}.tokens") == tuple(words)
        choice = trace.ids(f"greedy.{k}.next")[0]
        assert choice == int(np.argmax(trace[f"greedy.{k}.probs"][-1]))
        words.append(choice)
    assert trace.ids("greedy.tokens") == tuple(words)[: trace["greedy.tokens"].size]


@pytest.mark.parametrize(
    ("start", "words", "max_length", "passes", "length"),
    [
        (None, 4, 8, 3, 4),
        (None, 4, 3, 2, 3),
        (None, 4, 1, 1, 1),
        (None, 1, 8, 1, 1),
        (None, 2, 8, 1, 2),
        (None, 8, 8, 7, 8),
        ("<s>", 4, 8, 4, 5),
        ("<s>", 4, 2, 2, 3),
        ("<s>", 1, 8, 1, 2),
    ],
)
def test_the_loop_stops(start: str | None, words: int, max_length: int, passes: int, length: int) -> None:
    trace = run(model_of(list("abcdefgh"[:words]), start_symbol=start, max_length=max_length))
    assert passes_of(trace, "greedy") == passes
    assert trace["greedy.tokens"].shape == (length,)
    assert passes_of(trace, "generate") == (words if start else max(1, words - 1))


def test_among_equally_likely_words_the_lowest_id_is_taken() -> None:
    config = preset("tutorial")
    drawn = params.draw(config)
    W_out = drawn.W_out.copy()
    W_out[2] = W_out[5] = 10 * run(config)["generate.1.decoder.out"][0]
    trace = run(config, Params(drawn.E, drawn.encoder, drawn.decoder, W_out))
    assert trace["greedy.1.probs"][0, 2] == trace["greedy.1.probs"][0, 5] == trace["greedy.1.probs"].max()
    assert trace.ids("greedy.1.next") == trace.ids("greedy_cached.1.next") == (2,)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)))
def test_without_positions_the_encoder_only_carries_the_order_along(order: list[int]) -> None:
    words = tuple("abcde")
    config = ModelConfig(source=words, target=("f",), d_model=6, heads=2, E=None)
    E = params.draw_embeddings(config)
    moved = ModelConfig(source=tuple(words[n] for n in order), target=("f",), d_model=6, heads=2, E=E[[*order, 5]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "_positions", lambda config: np.zeros((len(config.source), config.d_model)))
        plain, permuted = run(config), run(moved)
    np.testing.assert_allclose(permuted["encoder.out"], plain["encoder.out"][order], atol=1e-12)
    pattern = plain["encoder.0.attn.pattern"]
    np.testing.assert_allclose(permuted["encoder.0.attn.pattern"], pattern[:, order][:, :, order], atol=1e-12)


def test_with_positions_the_order_matters(tutorial: Trace) -> None:
    E = np.array(tutorial.config.E)
    turned = run(preset("tutorial", source=["课", "水", "爱", "我"], E=E[[3, 2, 1, 0, 4, 5, 6, 7]]))
    assert np.abs(turned["encoder.out"][::-1] - tutorial["encoder.out"]).max() > 0.01
