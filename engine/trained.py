"""The trace with the trained models in it: what the same model says, and where it looks, once it has learned.

Weights come from the committed files where there is one for the model; otherwise the model is trained when somebody
first asks (one sentence: half a second; word by word: some ten seconds of a processor). Nothing is written here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from engine import weights_file
from engine.config import ModelConfig
from engine.corpora import CORPORA, word_by_word
from engine.keys import KeySpec, key_specs
from engine.model import run
from engine.ops import Array
from engine.trace import Recorder, Trace
from engine.trained_keys import TRAINED, TRAINING, corpus_of, trained_specs
from engine.training import RECIPES, Recipe, Training, accuracy_of, answers_alike, snapshot_steps, train


def trained(config: ModelConfig, corpus: str, folder: Path = weights_file.FOLDER) -> Training:
    """The model of `config` trained on `corpus`: from its file in `folder`, else trained now and kept in memory.

    Raises `WeightsFileError` for a damaged file.
    """
    path = weights_file.path_of(config, corpus, folder)
    if path.exists():
        return _read(path, path.stat().st_mtime_ns, config)
    return _train(config, corpus, RECIPES[corpus])


def run_trained(config: ModelConfig, folder: Path = weights_file.FOLDER) -> Trace:
    """`run(config)` and, behind its keys, `trained.{corpus}.…` and `training.{corpus}.…` of every corpus.

    As fast as `run`: a trained model is computed when one of its keys is first looked up.
    """
    return _TrainedTrace(config, folder)


def training_digest(config: ModelConfig, folder: Path = weights_file.FOLDER) -> str:
    """A digest of everything that the keys of the trained models depend on, found without training."""
    digest = hashlib.sha256()
    for corpus in CORPORA:
        path = weights_file.path_of(config, corpus, folder)
        source = path.read_bytes() if path.exists() else repr(RECIPES[corpus]).encode()
        digest.update(f"{weights_file.identity(config, corpus)} {len(source)} ".encode() + source)
    return digest.hexdigest()


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int, config: ModelConfig) -> Training:
    return weights_file.read(path, config)


@lru_cache(maxsize=16)
def _train(config: ModelConfig, corpus: str, recipe: Recipe) -> Training:
    return train(config, corpus, recipe)


class _TrainedTrace(Trace):
    def __init__(self, config: ModelConfig, folder: Path) -> None:
        base = run(config)
        self._config = config
        specs = list(key_specs(config))
        for corpus in CORPORA:
            has_file = weights_file.path_of(config, corpus, folder).exists()
            # How many moments there are is known without training.
            moments = len(
                trained(config, corpus, folder).history.steps if has_file else snapshot_steps(RECIPES[corpus].steps)
            )
            specs += trained_specs(config, corpus, moments)
        self._specs = {spec.key: spec for spec in specs}
        self._arrays = _Arrays(base, self._specs, folder)


class _Arrays(Mapping[str, Array]):
    """Arrays by key; those of a trained model are computed together when the first of them is asked for."""

    def __init__(self, base: Trace, specs: Mapping[str, KeySpec], folder: Path) -> None:
        self._base = base
        self._specs = specs
        self._folder = folder
        self._computed: dict[str, Mapping[str, Array]] = {}

    def __getitem__(self, key: str) -> Array:
        if key not in self._specs:
            raise KeyError(key)
        corpus = corpus_of(key)
        if corpus is None:
            return self._base[key]
        if corpus not in self._computed:
            self._computed[corpus] = self._compute(corpus)
        return self._computed[corpus][key]

    def __contains__(self, key: object) -> bool:
        return key in self._specs

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def _compute(self, corpus: str) -> Mapping[str, Array]:
        config = self._base.config
        training = trained(config, corpus, self._folder)
        recorder = Recorder(config, [spec for key, spec in self._specs.items() if corpus_of(key) == corpus])
        for key, array in run(config, training.params).items():
            recorder.put(f"{TRAINED}.{corpus}.{key}", array)
        for name, array in vars(training.history).items():
            recorder.put(f"{TRAINING}.{corpus}.{name}", array)
        recorder.put(f"{TRAINING}.{corpus}.attention", training.attention_along)
        everything = word_by_word(config, training.recipe.order)
        asked, alike = answers_alike(training.params, config, everything)
        numbers = {
            "head": training.head,
            "accuracy_all": accuracy_of(training.params, everything),
            "asked": asked,
            "alike": alike,
        }
        for name, number in numbers.items():
            recorder.put(f"{TRAINING}.{corpus}.{name}", number)
        return recorder.whole()
