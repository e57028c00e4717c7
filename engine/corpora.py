"""What the model learns from: pairs of a source and a target sentence, all as long as the film's own pair.

one_sentence   the film's pair, and nothing else.
word_by_word   every sentence of the film's source words, in any order and as often as you like, each translated word by
               word. Where there are more than 256 of them: the film's pair and 255 others drawn with the seed.

The dictionary is read off the film's pair: target position j translates source position j · (source length) // (target
length), so with equal lengths word i translates word i. A source word that the pair translates by several words takes
the first of them where there is room for one only, and repeats the last where there is room for more; one that it
leaves out is translated like its nearest neighbour. A source word that stands twice is translated as in its first place
(in the film's own pair: as the pair says).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.backward import Ids
from engine.batch import Batch
from engine.config import ModelConfig

MOST_SENTENCES = 256
LABELS = ("shifted", "aligned")

_Pair = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs as ids: source (source pos, b) and target (target pos, b), the film's own pair among them.

    `start` is the id that stands before every target, or None where the decoder is given the first target word.
    """

    name: str
    source: Ids
    target: Ids
    start: int | None

    def __len__(self) -> int:
        return self.source.shape[1]

    @property
    def given(self) -> Ids:
        """What the decoder is given before it says anything, (1, b): the start symbol or the first target word."""
        return self.target[:1] if self.start is None else np.full_like(self.target[:1], self.start)

    @property
    def wanted(self) -> Ids:
        """The words that are the model's own to say, (pos, b)."""
        return self.target[1:] if self.start is None else self.target

    def batch(self, labels: str = "shifted") -> Batch:
        """All pairs for one pass.

        shifted   every row that has one is scored on the word that follows, as in real training
        aligned   every row is scored on the word it has just read, as the original tutorial does
        """
        if labels == "aligned":
            read = np.concatenate([self.given, self.wanted])[: len(self.target)]
            return Batch(self.source, read, read)
        if labels != "shifted":
            raise ValueError(f"labels must be one of {', '.join(LABELS)}, not {labels!r}")
        return Batch(self.source, np.concatenate([self.given, self.wanted[:-1]]), self.wanted)


def one_sentence(config: ModelConfig, seed: int = 0) -> Corpus:  # noqa: ARG001 (all corpora are made alike)
    """The film's own pair."""
    return _corpus("one_sentence", config, [(config.source_ids, config.target_ids)])


def word_by_word(config: ModelConfig, seed: int = 0) -> Corpus:
    """Sentences of the film's source words with their word-by-word translations; `seed` draws them if not all fit."""
    own = (config.source_ids, config.target_ids)
    sources = _all_or_some(tuple(dict.fromkeys(config.source_ids)), config.source_ids, seed)
    translate = translator(config)
    return _corpus("word_by_word", config, [own if ids == own[0] else (ids, translate(ids)) for ids in sources])


CORPORA: Mapping[str, Callable[[ModelConfig, int], Corpus]] = {
    "one_sentence": one_sentence,
    "word_by_word": word_by_word,
}


def aligned_source(config: ModelConfig) -> tuple[int, ...]:
    """For every target position the source position that it translates."""
    words, length = len(config.source), len(config.target)
    return tuple(position * words // length for position in range(length))


def translator(config: ModelConfig) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """The function that translates a sentence of the film's source words, ids to ids, by the film's dictionary."""
    places = aligned_source(config)
    phrases: dict[int, list[int]] = {}
    for place, word in enumerate(config.source_ids):
        nearest = min(places, key=lambda other: abs(other - place))
        phrase = [target for target, at in zip(config.target_ids, places, strict=True) if at == nearest]
        phrases.setdefault(word, phrase)
    # Of the target positions that translate one source position, which is this one?
    turns = [places[:position].count(place) for position, place in enumerate(places)]

    def translate(ids: Sequence[int]) -> tuple[int, ...]:
        chosen = [phrases[ids[place]] for place in places]
        return tuple(phrase[min(turn, len(phrase) - 1)] for phrase, turn in zip(chosen, turns, strict=True))

    return translate


def _all_or_some(words: Sequence[int], own: tuple[int, ...], seed: int) -> Iterator[tuple[int, ...]]:
    if len(words) ** len(own) <= MOST_SENTENCES:
        yield from itertools.product(words, repeat=len(own))
        return
    random = np.random.RandomState(seed)
    drawn = {own: None}  # a dictionary keeps its order, a set does not
    while len(drawn) < MOST_SENTENCES:
        drawn[tuple(words[index] for index in random.randint(0, len(words), len(own)))] = None
    yield from drawn


def _corpus(name: str, config: ModelConfig, pairs: Sequence[_Pair]) -> Corpus:
    source, target = (np.array(sentences, dtype=np.int64).T for sentences in zip(*pairs, strict=True))
    start = None if config.start_symbol is None else config.vocabulary.index(config.start_symbol)
    return Corpus(name, source, target, start)
