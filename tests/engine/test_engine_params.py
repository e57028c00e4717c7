"""The draws, counted out again from one long row of random numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from model_cases import configs

from engine import ModelConfig, preset
from engine.params import draw, draw_embeddings


class Deck:
    """The stream of rounded numbers that a seed gives, dealt in the order in which the recipes are written down."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.numbers = np.random.RandomState(config.seed).uniform(-1, 1, 60_000).round(1)
        self.dealt = 0

    def deal(self, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        self.dealt += count
        return self.numbers[self.dealt - count : self.dealt].reshape(shape)

    def attention(self, stem: str) -> Iterator[tuple[str, np.ndarray]]:
        c = self.config
        heads = self.deal(c.heads, 3, c.d_head, c.d_model)
        for index, name in enumerate(("W_Q", "W_K", "W_V")):
            yield f"{stem}.{name}", heads[:, index]
        yield f"{stem}.W_O", self.deal(c.d_model, c.d_model)

    def feed_forward(self, stem: str) -> Iterator[tuple[str, np.ndarray]]:
        c = self.config
        yield f"{stem}.W_1", self.deal(c.d_ff, c.d_model)
        yield f"{stem}.W_2", self.deal(c.d_model, c.d_ff)

    def all(self) -> Iterator[tuple[str, np.ndarray]]:
        c = self.config
        for layer in range(c.encoder_layers):
            yield from self.attention(f"weights.encoder.{layer}.attn")
            yield from self.feed_forward(f"weights.encoder.{layer}.mlp")
        for layer in range(c.decoder_layers):
            stem = f"weights.decoder.{layer}"
            yield from self.attention(f"{stem}.self_attn")
            if c.cross_attention == "every" or layer == c.decoder_layers - 1:
                if c.weight_recipe == "tutorial":
                    self.deal(2 * c.d_ff * c.d_model)
                yield from self.attention(f"{stem}.cross_attn")
            yield from self.feed_forward(f"{stem}.mlp")
        yield "weights.W_out", self.deal(len(c.vocabulary), c.d_model)


@settings(max_examples=25, deadline=None)
@given(configs())
def test_weights_are_dealt_in_the_written_order(config: ModelConfig) -> None:
    named, expected = dict(draw(config).named()), dict(Deck(config).all())
    assert list(named) == list(expected)
    for key, array in named.items():
        np.testing.assert_array_equal(array, expected[key], err_msg=key)


def test_the_tutorial_draws_672_numbers() -> None:
    deck = Deck(preset("tutorial"))
    assert len(dict(deck.all())) == 2 * 6 + 6 + 10 + 1
    assert deck.dealt == 672


def test_the_unused_draws_of_the_tutorial_move_what_follows() -> None:
    tutorial, paper = (draw(preset("tutorial", weight_recipe=name)) for name in ("tutorial", "paper"))
    np.testing.assert_array_equal(tutorial.decoder[0].mlp.W_2, paper.decoder[0].mlp.W_2)
    assert not np.array_equal(tutorial.decoder[1].mlp.W_1, paper.decoder[1].mlp.W_1)


@pytest.mark.parametrize("name", ["tutorial", "paper"])
def test_another_vocabulary_changes_no_weight_but_the_output_rows_it_adds(name: str) -> None:
    one = draw(preset(name))
    other = draw(preset(name, source=["a", "b", "c", "d", "e"], target=["f", "g", "h", "i", "j", "k"]))
    for (key, mine), (_, theirs) in zip(one.named(), other.named(), strict=True):
        np.testing.assert_array_equal(mine, theirs[: len(mine)] if key == "weights.W_out" else theirs, err_msg=key)


def test_the_drawn_table_depends_on_the_seed_alone_and_grows_with_the_vocabulary() -> None:
    one = draw(preset("tutorial", source=["a", "b"])).E
    more = draw(preset("tutorial", source=["a", "b"], target=["I", "love", "easy", "courses", "too"])).E
    np.testing.assert_array_equal(one, more[: len(one)])
    assert not np.array_equal(one, draw(preset("tutorial", source=["a", "b"], seed=1)).E)


def test_the_drawn_table_does_not_repeat_the_weights() -> None:
    E = draw_embeddings(preset("tutorial", E=None))
    assert not np.array_equal(E[0], draw(preset("tutorial")).encoder[0].attn.W_Q[0, 0])


def test_no_two_words_are_alike_even_where_there_is_little_room() -> None:
    # Sixteen words on a grid of 21 x 21 points: about every fourth seed would put two of them on the same one.
    for seed in range(40):
        config = ModelConfig(source=tuple("abcdefgh"), target=tuple("ijklmnop"), d_model=2, heads=1, seed=seed)
        assert len({tuple(row) for row in draw_embeddings(config)}) == 16


@settings(max_examples=40, deadline=None)
@given(configs())
def test_drawn_numbers_have_one_decimal_and_no_negative_zero(config: ModelConfig) -> None:
    E = draw_embeddings(config)
    assert E.shape == (len(config.vocabulary), config.d_model)
    for array in (E, draw(config).W_out):
        np.testing.assert_array_equal(array, array.round(1))
        assert np.abs(array).max() <= 1
        assert not np.signbit(array[array == 0]).any()


def test_a_given_table_is_taken_as_it_is() -> None:
    table = [[float(row), 0.25, -0.5, 1.0] for row in range(8)]
    np.testing.assert_array_equal(draw(preset("tutorial", E=table)).E, table)
