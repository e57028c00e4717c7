"""Strategies: every allowed model, small ones first."""

from __future__ import annotations

from hypothesis import strategies as st

from engine import ModelConfig

WORDS = ["我", "爱", "水", "课", "I", "love", "easy", "courses", "🙂", "naïve", "x" * 24, "'", "東京", "no"]

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)


@st.composite
def configs(draw: st.DrawFn) -> ModelConfig:
    """Any model that is allowed."""
    d_model = draw(st.sampled_from(range(2, 17, 2)))
    start = draw(st.sampled_from([None, "<s>"]))
    source, target = draw(sentences), draw(sentences)
    rows = len({*source, *target}) + (start is not None)
    number = st.floats(-10, 10)
    table = st.lists(st.lists(number, min_size=d_model, max_size=d_model), min_size=rows, max_size=rows)
    return ModelConfig(
        source=source,
        target=target,
        d_model=d_model,
        heads=draw(st.sampled_from([n for n in range(1, d_model + 1) if d_model % n == 0])),
        d_ff=draw(st.integers(1, 64)),
        encoder_layers=draw(st.integers(1, 6)),
        decoder_layers=draw(st.integers(1, 6)),
        max_length=draw(st.integers(1, 8)),
        cross_attention=draw(st.sampled_from(["last", "every"])),
        start_symbol=start,
        seed=draw(st.integers(0, 2**32 - 1)),
        weight_recipe=draw(st.sampled_from(["tutorial", "paper"])),
        E=draw(st.one_of(st.none(), table)),
    )
