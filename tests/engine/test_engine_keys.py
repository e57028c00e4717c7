"""The registry: the exact keys, and that each stands at a step of the scene that shows it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given, settings
from model_cases import configs

from engine import ModelConfig, Trace, key_list, key_specs, preset
from engine.keys import pattern_of
from engine.steps import FIRST_STEP, LAST_STEP

TUTORIAL_KEYS = (Path(__file__).parents[1] / "data" / "tutorial_keys.txt").read_text(encoding="utf-8").split()

# The scenes' ranges of steps, and the keys of the tutorial that each scene shows.
SCENES: list[tuple[int, int, str]] = [
    (1, 3, "src.tokens tgt.tokens"),
    (4, 6, "embed.weight src.embed tgt.embed"),
    (7, 13, "pos_embed src.input order.*"),
    (14, 22, "*encoder.0.attn.[qkv] weights.encoder.0.attn.W_[QKV]"),
    (23, 26, "encoder.0.attn.dots encoder.0.attn.scores encoder.0.attn.pattern"),
    (
        27,
        38,
        "encoder.0.attn.z encoder.0.attn.concat encoder.0.attn.out weights.encoder.0.attn.W_O encoder.0.resid_* "
        "encoder.0.ln?.* encoder.0.mlp.* weights.encoder.0.mlp.* encoder.0.out",
    ),
    (39, 51, "encoder.1.* weights.encoder.1.* encoder.out"),
    (52, 54, "tgt.input decoder.mask"),
    (55, 66, "decoder.0.* weights.decoder.0.*"),
    (67, 73, "decoder.1.self_attn.* weights.decoder.1.self_attn.* decoder.1.resid_mid decoder.1.ln1.*"),
    (74, 80, "decoder.1.cross_attn.* weights.decoder.1.cross_attn.*"),
    (
        81,
        85,
        "decoder.1.resid_mid_cross decoder.1.ln[23].* decoder.1.mlp.* weights.decoder.1.mlp.* decoder.1.resid_post "
        "decoder.1.out decoder.out",
    ),
    (86, 90, "weights.W_out logits probs labels.* loss.*"),
    (91, 91, "greedy.* greedy_cached.*"),
    (92, 92, "generate.1.*"),
    (93, 93, "generate.2.*"),
    (94, 94, "generate.3.*"),
]

# The keys that scenes and exercises were promised.
PROMISED = """
embed.weight pos_embed src.tokens src.embed src.input tgt.tokens tgt.embed tgt.input
order.embed_dots order.embed_dots_reversed order.input_dots order.input_dots_reversed
encoder.0.attn.q encoder.0.attn.k encoder.0.attn.v encoder.0.attn.z encoder.0.attn.dots encoder.0.attn.scores
encoder.0.attn.pattern encoder.0.attn.concat encoder.0.attn.out encoder.0.resid_mid encoder.0.ln1.mean encoder.0.ln1.var
encoder.0.ln1.out encoder.0.mlp.pre encoder.0.mlp.post encoder.0.mlp.out encoder.0.resid_post encoder.0.ln2.mean
encoder.0.ln2.var encoder.0.ln2.out encoder.0.out encoder.out decoder.mask decoder.0.self_attn.dots
decoder.0.self_attn.scaled decoder.0.self_attn.scores decoder.1.cross_attn.dots decoder.1.ln3.out decoder.1.mlp.out
decoder.1.out decoder.out logits probs labels.aligned labels.shifted loss.aligned loss.shifted loss.aligned.mean
loss.shifted.mean weights.encoder.1.attn.W_Q generate.3.decoder.1.cross_attn.pattern generate.1.tokens generate.1.input
generate.1.mask generate.3.logits generate.3.probs greedy.1.next greedy.3.decoder.0.self_attn.pattern greedy.tokens
greedy_cached.2.decoder.1.self_attn.k greedy_cached.3.next
"""


def test_exact_ordered_keys_of_the_tutorial(tutorial: Trace) -> None:
    assert list(key_list(preset("tutorial"))) == TUTORIAL_KEYS
    assert list(tutorial.keys()) == TUTORIAL_KEYS


def test_promised_keys_are_there(tutorial: Trace) -> None:
    assert [key for key in PROMISED.split() if key not in tutorial] == []


def test_every_key_stands_in_the_range_of_the_one_scene_that_shows_it(tutorial: Trace) -> None:
    for key in tutorial:
        shown = [(first, last) for first, last, keys in SCENES if any(fnmatchcase(key, name) for name in keys.split())]
        assert len(shown) == 1, key
        assert shown[0][0] <= tutorial.spec(key).step <= shown[0][1], key


def test_steps_never_go_back_in_the_tutorial(tutorial: Trace) -> None:
    steps = [tutorial.spec(key).step for key in tutorial]
    assert steps == sorted(steps)


@settings(max_examples=30, deadline=None)
@given(configs())
def test_registry_of_any_model_is_sound(config: ModelConfig) -> None:
    specs = key_specs(config)
    assert len({spec.key for spec in specs}) == len(specs)
    for spec in specs:
        assert len(spec.axes) == len(spec.shape)
        assert FIRST_STEP <= spec.step <= LAST_STEP
        assert spec.formula
        assert spec.meaning
        assert "\n" not in spec.meaning


def test_axes_have_the_lengths_of_the_model() -> None:
    config = preset("tutorial", source=["a", "b", "c"], d_model=6, heads=3, d_ff=5)
    specs = {spec.key: (spec.axes, spec.shape) for spec in key_specs(config)}
    assert specs["encoder.0.attn.q"] == (("h", "pos", "d_head"), (3, 3, 2))
    assert specs["decoder.1.cross_attn.k"] == (("h", "pos", "d_head"), (3, 3, 2))
    assert specs["decoder.1.cross_attn.pattern"] == (("h", "q", "k"), (3, 4, 3))
    assert specs["encoder.1.ln1.mean"] == (("pos", "1"), (3, 1))
    assert specs["encoder.1.mlp.pre"] == (("pos", "d_ff"), (3, 5))
    assert specs["weights.encoder.0.attn.W_Q"] == (("h", "d_head", "d"), (3, 2, 6))
    assert specs["weights.decoder.0.mlp.W_2"] == (("d", "d_ff"), (6, 5))
    assert specs["pos_embed"] == (("pos", "d"), (4, 6))
    assert specs["logits"] == (("pos", "V"), (4, 7))
    assert specs["greedy.2.next"] == ((), ())


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        ("encoder.12.attn.q", "encoder.{l}.attn.q"),
        ("weights.decoder.0.mlp.W_1", "weights.decoder.{l}.mlp.W_1"),
        ("greedy_cached.3.decoder.1.out", "greedy_cached.{k}.decoder.{l}.out"),
        ("greedy.tokens", "greedy.tokens"),
        ("encoder.out", "encoder.out"),
    ],
)
def test_pattern_of(key: str, pattern: str) -> None:
    assert pattern_of(key) == pattern
