"""Training: real gradient descent from the weights that the film shows, on one sentence or on many.

A run is a recipe on a corpus. It is deterministic, and gives the same weights on every machine (see `engine.backward`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.backward import Ids, mean_loss
from engine.batch import Batch, Pass, forward, gradients
from engine.config import ModelConfig
from engine.corpora import CORPORA, LABELS, Corpus, aligned_source
from engine.ops import Array
from engine.optimisers import OPTIMISERS
from engine.params import Params, draw
from engine.settings import ConfigError
from engine.vector import from_vector, learned, to_vector

MOST_STEPS = 20_000
MOST_SNAPSHOTS = 60  # after the first one, at step 0
SCHEDULES = ("constant", "linear")

# What the film promises of a model that has learned to translate: words right, and attention on the aligned word.
ACCURACY_WANTED, ATTENTION_WANTED = 0.99, 0.9


@dataclass(frozen=True)
class Recipe:
    """How to train.

    steps      updates of the weights, 0-20000
    rate       learning rate, more than 0, at most 10
    schedule   constant: `rate` in every step; linear: step s of n has rate · (1 − s / n)
    sentences  how many sentences a step looks at, 1-256; in an epoch each sentence has its turn once
    order      seed of the order of the sentences (and of the corpus, where it is a sample), 0 to 2**32 - 1
    optimiser  adam or descent
    labels     shifted: rows predict the word that follows; aligned: the word just read, as the original tutorial does

    Raises `ConfigError` for the first setting that cannot be.
    """

    steps: int
    rate: float
    schedule: str = "constant"
    sentences: int = 256
    order: int = 0
    optimiser: str = "adam"
    labels: str = "shifted"

    def __post_init__(self) -> None:
        for name, low, high in (("steps", 0, MOST_STEPS), ("sentences", 1, 256), ("order", 0, 2**32 - 1)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
                raise ConfigError(name, f"must be a whole number in {low}-{high}, not {number!r}")
        if isinstance(self.rate, bool) or not isinstance(self.rate, int | float) or not 0.0 < self.rate <= 10.0:
            raise ConfigError("rate", f"must be a number above 0 and at most 10, not {self.rate!r}")
        for name, allowed in (("schedule", SCHEDULES), ("optimiser", tuple(OPTIMISERS)), ("labels", LABELS)):
            if getattr(self, name) not in allowed:
                raise ConfigError(name, f"must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")

    def rate_at(self, step: int) -> float:
        """The learning rate of step `step`, counted from 0."""
        return self.rate if self.schedule == "constant" else self.rate * (1.0 - step / self.steps)


RECIPES: Mapping[str, Recipe] = {
    "one_sentence": Recipe(steps=200, rate=0.05),
    # The order is the one of those tried with which a single head of the film's own model looks at every aligned word;
    # docs/training.md has the others.
    "word_by_word": Recipe(steps=3000, rate=0.02, schedule="linear", sentences=32, order=98),
}


@dataclass(frozen=True)
class History:
    """What could be seen along the way, at some of the steps (axis `step`).

    steps       (step,) updates made so far, from 0 to all
    loss        (step,) mean loss of the whole corpus, to nine decimals
    accuracy    (step,) share of the words right under greedy decoding, over the whole corpus
    probs       (step, pos, V) what the model says about the film's pair: the training pass's `probs`, to six decimals
    cross_attn  (step, h, q, k) the last decoder layer's cross-attention on the film's pair, to six decimals
    """

    steps: Array
    loss: Array
    accuracy: Array
    probs: Array
    cross_attn: Array


@dataclass(frozen=True)
class Training:
    """A finished training: where it began, how it went, and the weights it ended with."""

    config: ModelConfig
    corpus: str
    recipe: Recipe
    params: Params
    history: History

    @property
    def loss(self) -> float:
        """The last mean loss of the corpus."""
        return float(self.history.loss[-1])

    @property
    def accuracy(self) -> float:
        """The last share of words right."""
        return float(self.history.accuracy[-1])

    @property
    def attention_along(self) -> Array:
        """How much of each predicted word's attention the aligned source word got, (step, h, predicted word)."""
        return alignment(self.config, self.history.cross_attn)

    @property
    def attention(self) -> Array:
        """The same at the end, (h, predicted word)."""
        return self.attention_along[-1]

    @property
    def head(self) -> int:
        """The head that looks best: the one whose least share is the largest."""
        return best_head(self.attention)

    @property
    def least_attention(self) -> float:
        """Of the predicted words, the smallest share that the best head for it gives to its source word; 0 without."""
        return float(np.min(self.attention.max(axis=0))) if self.attention.size else 0.0

    @property
    def has_learned_to_translate(self) -> bool:
        """Whether words and attention are as the film promises."""
        return self.accuracy >= ACCURACY_WANTED and self.least_attention >= ATTENTION_WANTED

    def digest(self) -> str:
        """SHA-256 over the names and the bytes of the weights, in hexadecimal."""
        return digest_of(self.params)


Progress = Callable[[int, float, float], None]


def train(config: ModelConfig, corpus: str, recipe: Recipe | None = None, progress: Progress | None = None) -> Training:
    """Train the model of `config`, from its own weights, on the corpus of that name (a key of `CORPORA`).

    `progress` is told step, loss and accuracy at every snapshot.
    """
    recipe = recipe or RECIPES[corpus]
    pairs = CORPORA[corpus](config, recipe.order)
    watch = _Watch(config, pairs, recipe, progress)
    params = draw(config)
    watch(0, params)
    for step, better in enumerate(descend(params, pairs.batch(recipe.labels), recipe), 1):
        watch(step, params := better)
    return Training(config, corpus, recipe, params, watch.history())


def descend(params: Params, batch: Batch, recipe: Recipe) -> Iterator[Params]:
    """The weights after each step of `recipe` on the sentences of `batch`."""
    optimiser = OPTIMISERS[recipe.optimiser]()
    weights = to_vector(params)
    chosen = _sentences(len(batch), recipe)
    for step in range(recipe.steps):
        part = batch.take(next(chosen)) if recipe.sentences < len(batch) else batch
        gradient = to_vector(gradients(params, forward(params, part)))
        weights = optimiser.step(weights, gradient, recipe.rate_at(step))
        params = from_vector(params, weights)
        yield params


def restarts(
    config: ModelConfig, corpus: str, recipe: Recipe, count: int, progress: Progress | None = None
) -> Iterator[Training]:
    """Up to `count` trainings that differ in the order of the sentences, until one has learned to translate."""
    for offset in range(count):
        training = train(config, corpus, replace(recipe, order=(recipe.order + offset) % 2**32), progress)
        yield training
        if training.has_learned_to_translate:
            return


def greedy(params: Params, corpus: Corpus) -> Ids:
    """The words that the model says of its own, (pos, b): the likeliest one each time, fed back."""
    said = corpus.given
    for _ in range(len(corpus.wanted)):
        last = forward(params, Batch(corpus.source, said, said)).logits[-1]  # V,b
        said = np.concatenate([said, last.argmax(axis=0)[None]])
    return said[1:]


def accuracy_of(params: Params, corpus: Corpus) -> float:
    """The share of all words of the corpus that greedy decoding gets right; 0 where there is no word to say."""
    wanted = corpus.wanted
    return float((greedy(params, corpus) == wanted).sum() / max(1, wanted.size))


def answers_alike(params: Params, config: ModelConfig, corpus: Corpus) -> tuple[int, int]:
    """Of the sentences of `corpus` for which the decoder begins as it does for the film's own: how many there are, and
    how many of them get the same answer as the film's own. A model that looks at the source gives each its own.
    """
    begins_alike = corpus.given[0] == config.decoder_ids[0]
    said = greedy(params, corpus)[:, begins_alike]
    own = greedy(params, CORPORA["one_sentence"](config, 0))
    return said.shape[1], int((said == own).all(axis=0).sum())


def alignment(config: ModelConfig, pattern: Array) -> Array:
    """The share of cross-attention that each predicted word gives to the source word it translates.

    `pattern` is (..., q, k), of the training pass; the result (..., predicted word). Without a start symbol row r
    predicts target word r + 1, so it should look at that word's source.
    """
    places = aligned_source(config)[config.start_symbol is None :]
    rows = np.arange(len(places))
    return pattern[..., rows, list(places)]


def best_head(attention: Array) -> int:
    """The head of `attention` (h, predicted word) whose least share is the largest; 0 if no word is predicted."""
    return int(np.argmax(attention.min(axis=1, initial=1.0)))


def digest_of(params: Params) -> str:
    """SHA-256 over the names, shapes and bytes of the weights, in hexadecimal."""
    digest = hashlib.sha256()
    for key, array in learned(params):
        digest.update(f"{key} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()


def snapshot_steps(steps: int) -> tuple[int, ...]:
    """When to look: at 0, at the end, and in between the more often the earlier, since that is where most happens."""
    count = min(steps, MOST_SNAPSHOTS)
    chosen = [0]
    for index in range(1, count + 1):
        chosen.append(max(chosen[-1] + 1, steps * index * index // (count * count)))
    return tuple(chosen)


def _sentences(count: int, recipe: Recipe) -> Iterator[Ids]:
    """The numbers of the sentences of each step: every epoch has all of them, in an order of its own."""
    random = np.random.RandomState(recipe.order)
    while True:
        order = random.permutation(count).astype(np.int64)
        for first in range(0, count, recipe.sentences):
            yield order[first : first + recipe.sentences]


class _Watch:
    """Looks at the model at the steps of `snapshot_steps` and remembers what it saw."""

    def __init__(self, config: ModelConfig, corpus: Corpus, recipe: Recipe, progress: Progress | None) -> None:
        self._corpus = corpus
        self._batch = corpus.batch(recipe.labels)
        self._film = film_pair(config)
        self._steps = snapshot_steps(recipe.steps)
        self._progress = progress
        self._seen: list[tuple[float, float, Pass]] = []

    def __call__(self, step: int, params: Params) -> None:
        if step != self._steps[len(self._seen)]:
            return
        loss = mean_loss(forward(params, self._batch).losses())
        accuracy = accuracy_of(params, self._corpus)
        self._seen.append((loss, accuracy, forward(params, self._film)))
        if self._progress:
            self._progress(step, loss, accuracy)

    def history(self) -> History:
        losses, accuracies, passes = zip(*self._seen, strict=True)
        return History(
            np.array(self._steps, dtype=np.float64),
            np.array(losses).round(9),
            np.array(accuracies),
            np.stack([seen.probs[..., 0] for seen in passes]).round(6),
            np.stack([seen.cross_pattern()[..., 0] for seen in passes]).round(6),
        )


def film_pair(config: ModelConfig) -> Batch:
    """The film's own pair as the training pass reads it: all decoder rows, scored or not."""
    source, decoder = (np.array(ids, dtype=np.int64)[:, None] for ids in (config.source_ids, config.decoder_ids))
    return Batch(source, decoder, decoder)
