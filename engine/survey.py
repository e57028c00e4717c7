"""How large does the model have to be? Models of several sizes, each trained on all sentences in several orders.

Run `python -m engine.survey` to train them all anew (about twenty-five minutes of a processor) and write
engine/weights/survey.json, from which docs/training.md takes its table.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.backward import mean_loss
from engine.batch import forward
from engine.config import ModelConfig, preset
from engine.corpora import Corpus, word_by_word
from engine.documents import write_whole
from engine.params import Params, draw
from engine.training import RECIPES, Recipe, accuracy_of, alignment, best_head, descend, film_pair
from engine.vector import to_vector
from engine.weights_file import FOLDER

RESULTS = FOLDER / "survey.json"

# Settings in which a model differs from the tutorial's, smallest model first, and how many orders are tried.
MODELS: tuple[tuple[Mapping[str, Any], int], ...] = (
    ({"d_model": 2, "heads": 1}, 2),
    ({"heads": 1, "d_ff": 1, "encoder_layers": 1, "decoder_layers": 1}, 40),
    ({"heads": 2, "d_ff": 1, "encoder_layers": 1, "decoder_layers": 1}, 40),
    ({"heads": 1, "encoder_layers": 1, "decoder_layers": 1}, 24),
    ({"heads": 2, "encoder_layers": 1, "decoder_layers": 1}, 24),
    ({"heads": 1}, 8),
    ({}, 120),
    ({"d_model": 8, "d_ff": 16}, 8),
)


@dataclass(frozen=True)
class Outcome:
    """One training: what came out, and how many seconds of a processor it took.

    attention   of each predicted word, the share that the best head for it gives to its source word
    one_head    the least of the shares that the best single head gives
    everywhere  the mean share over all sentences, of the best head for each predicted word
    """

    order: int
    loss: float
    accuracy: float
    attention: tuple[float, ...]
    one_head: float
    everywhere: tuple[float, ...]
    seconds: float


@dataclass(frozen=True)
class Trial:
    """One model in all its orders."""

    settings: Mapping[str, Any]
    weights: int
    outcomes: tuple[Outcome, ...]


def size_of(config: ModelConfig) -> int:
    """How many numbers training changes."""
    return len(to_vector(draw(config)))


def outcome(config: ModelConfig, recipe: Recipe) -> Outcome:
    """Train once, without looking on the way; `recipe` has at least one step."""
    corpus = word_by_word(config, recipe.order)
    began = time.process_time()
    params = deque(descend(draw(config), corpus.batch(), recipe), maxlen=1).pop()
    seconds = time.process_time() - began
    return _measure(config, corpus, params, recipe.order, seconds)


def _measure(config: ModelConfig, corpus: Corpus, params: Params, order: int, seconds: float) -> Outcome:
    passed = forward(params, corpus.batch())
    own = alignment(config, forward(params, film_pair(config)).cross_pattern()[..., 0])
    everywhere = alignment(config, passed.cross_pattern().mean(axis=-1))
    return Outcome(
        order,
        round(mean_loss(passed.losses()), 5),
        round(accuracy_of(params, corpus), 4),
        tuple(np.round(own.max(axis=0), 3).tolist()),
        round(float(own[best_head(own)].min()), 3),
        tuple(np.round(everywhere.max(axis=0), 2).tolist()),
        round(seconds, 1),
    )


def survey(models: Sequence[tuple[Mapping[str, Any], int]] = MODELS, recipe: Recipe | None = None) -> Iterator[Trial]:
    """Each model in its turn."""
    recipe = recipe or RECIPES["word_by_word"]
    for settings, orders in models:
        config = preset("tutorial", **settings)
        found = tuple(outcome(config, replace(recipe, order=order)) for order in range(orders))
        yield Trial(settings, size_of(config), found)


def to_text(trials: Sequence[Trial]) -> str:
    """JSON, one training a line."""
    blocks = []
    for trial in trials:
        head = json.dumps({"settings": dict(trial.settings), "weights": trial.weights})[:-1]
        lines = ",\n".join(json.dumps(vars(one)) for one in trial.outcomes)
        blocks.append(f'{head}, "outcomes": [\n{lines}\n]}}')
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def read_survey(path: Path = RESULTS) -> list[Trial]:
    """The trials that `path` holds."""
    found = json.loads(path.read_text(encoding="utf-8"))

    def one(data: Any) -> Outcome:
        return Outcome(**{**data, "attention": tuple(data["attention"]), "everywhere": tuple(data["everywhere"])})

    return [Trial(trial["settings"], trial["weights"], tuple(map(one, trial["outcomes"]))) for trial in found]


def main() -> int:
    """Train everything and write the results, whole or not at all."""
    trials = []
    for trial in survey():
        trials.append(trial)
        right = sum(one.accuracy >= 0.99 for one in trial.outcomes)
        print(f"{dict(trial.settings)}: {trial.weights} weights, {right} of {len(trial.outcomes)} orders", flush=True)
    write_whole(RESULTS, to_text(trials))
    print(f"wrote {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
