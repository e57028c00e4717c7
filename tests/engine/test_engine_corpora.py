"""The corpora: every sentence once, translated word by word, for pairs of any lengths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from model_cases import configs

from engine import ModelConfig, preset
from engine.corpora import CORPORA, MOST_SENTENCES, aligned_source, one_sentence, translator, word_by_word


def pairs(corpus: object) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(tuple(s), tuple(t)) for s, t in zip(corpus.source.T.tolist(), corpus.target.T.tolist(), strict=True)]


def test_all_256_sentences_of_the_running_example_are_translated_word_by_word() -> None:
    found = pairs(word_by_word(preset("tutorial")))
    assert [source for source, _ in found] == list(itertools.product(range(4), repeat=4))
    assert all(target == tuple(word + 4 for word in source) for source, target in found)


def test_one_sentence_is_the_film_s_own_pair() -> None:
    assert pairs(one_sentence(preset("tutorial"))) == [((0, 1, 2, 3), (4, 5, 6, 7))]


@pytest.mark.parametrize(
    ("source", "target", "places", "sentence", "translated"),
    [
        ("abc", "vwxyz", (0, 0, 1, 1, 2), "cab", "zzvwx"),  # c has one word for two places, b two for one
        ("abcdef", "wxyz", (0, 1, 3, 4), "fcbeda", "zxzy"),  # c and f are left out: like b and e
        ("aba", "xyz", (0, 1, 2), "baa", "yxx"),  # the second a is translated like the first
        ("ab", "x", (0,), "ba", "x"),
    ],
)
def test_dictionary_of_pairs_of_unequal_lengths(
    source: str, target: str, places: tuple[int, ...], sentence: str, translated: str
) -> None:
    config = ModelConfig(source=list(source), target=list(target))
    words = config.vocabulary
    assert aligned_source(config) == places
    ids = translator(config)([words.index(word) for word in sentence])
    assert "".join(words[index] for index in ids) == translated


def test_a_sample_is_drawn_where_there_are_too_many_and_has_the_film_s_pair() -> None:
    config = preset("tutorial", source=list("abcdef"), target=list("uvwxyz"))
    found = pairs(word_by_word(config, 1))
    assert len(found) == len(set(found)) == MOST_SENTENCES
    assert (config.source_ids, config.target_ids) in found
    assert pairs(word_by_word(config, 1)) == found
    assert pairs(word_by_word(config, 2)) != found


@settings(max_examples=40, deadline=None)
@given(configs())
def test_corpora_of_any_model_fit_its_model(config: ModelConfig) -> None:
    for name, make in CORPORA.items():
        corpus = make(config, 5)
        assert corpus.name == name
        assert (config.source_ids, config.target_ids) in pairs(corpus)
        assert corpus.source.shape == (len(config.source), len(corpus))
        assert corpus.target.shape == (len(config.target), len(corpus))
        assert set(np.unique(corpus.source)) <= set(config.source_ids)
        assert set(np.unique(corpus.target)) <= set(config.target_ids)
        shifted, aligned = corpus.batch(), corpus.batch("aligned")
        np.testing.assert_array_equal(aligned.decoder, aligned.labels)
        assert aligned.decoder.shape == corpus.target.shape
        # What a row should predict is what the next row reads.
        np.testing.assert_array_equal(shifted.decoder[1:], shifted.labels[: len(shifted.decoder) - 1])
        assert len(shifted.labels) == len(config.target) - (config.start_symbol is None)


def test_labels_of_both_kinds() -> None:
    plain, started = one_sentence(preset("tutorial")), one_sentence(preset("paper"))
    assert plain.batch().decoder[:, 0].tolist() == [4, 5, 6]
    assert plain.batch().labels[:, 0].tolist() == [5, 6, 7]
    assert plain.batch("aligned").labels[:, 0].tolist() == [4, 5, 6, 7]
    assert started.batch().decoder[:, 0].tolist() == [8, 4, 5, 6]
    assert started.batch().labels[:, 0].tolist() == [4, 5, 6, 7]
    assert started.batch("aligned").labels[:, 0].tolist() == [8, 4, 5, 6]
    with pytest.raises(ValueError, match="shifted, aligned"):
        plain.batch("sideways")
