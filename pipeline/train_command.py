"""`explain train`: train the storyboard's model and keep its weights in a small text file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from engine import RECIPES, ConfigError, ModelConfig, Recipe, Training, preset, restarts, snapshot_steps
from engine.corpora import CORPORA
from engine.weights_file import FOLDER, path_of, write

from .problems import UserError, shown_path
from .storyboard import Storyboard

# How often a training whose result depends on the order of the sentences is begun anew, if it does not succeed.
RESTARTS = 8


@dataclass(frozen=True)
class TrainRequest:
    """What to train: corpora by name, what differs from their recipes (None: nothing), where the files go."""

    corpora: tuple[str, ...] = tuple(CORPORA)
    steps: int | None = None
    rate: float | None = None
    order: int | None = None
    restarts: int | None = None
    folder: Path = FOLDER


def train_model(storyboard: Storyboard, request: TrainRequest, err: TextIO | None = None) -> int:
    """Train and write one file a corpus; progress goes to `err` (standard error), results to standard output.

    Returns the exit status. Raises UserError for a recipe that cannot be and for a file that cannot be written.
    """
    name, settings = storyboard.film.preset
    config = preset(name, **settings)
    recipes = {corpus: _recipe(corpus, request) for corpus in request.corpora}
    for corpus, recipe in recipes.items():
        size = len(CORPORA[corpus](config, recipe.order))
        again = recipe.sentences < size  # else every step sees all sentences, and no order makes a difference
        count = (request.restarts or RESTARTS) if again else 1
        best = _best(_shown(config, corpus, recipe, count, err or sys.stderr))
        try:
            path = write(best, request.folder)
        except OSError as error:
            place = path_of(config, corpus, request.folder)
            raise UserError(f'"{place}" cannot be written: {error.strerror or error}') from None
        print("\n".join(summary(best, path)))
    return 0


def summary(training: Training, path: Path) -> list[str]:
    """What came out, in lines to be read."""
    corpus, history = training.corpus, training.history
    lines = [
        f"{shown_path(path)}",
        f"  {corpus}: loss {history.loss[0]:.3f} → {training.loss:.4f}, "
        f"{training.accuracy:.1%} of the words right, after {training.recipe.steps} steps",
    ]
    if training.attention.size:
        config = training.config
        said = config.target[config.start_symbol is None :]
        best = zip(said, training.attention.argmax(axis=0), training.attention.max(axis=0), strict=True)
        shares = ", ".join(f"{word} {share:.2f} (head {head + 1})" for word, head, share in best)
        lines.append(f"  cross-attention on the aligned source word: {shares}")
    if training.accuracy < 1.0:
        lines.append("  not all words are right: try more --steps, more --restarts, or a wider model (d_model, d_ff)")
    return lines


def _recipe(corpus: str, request: TrainRequest) -> Recipe:
    changes: dict[str, Any] = {
        name: value
        for name in ("steps", "rate", "order")
        if (value := getattr(request, name)) is not None
    }  # fmt: skip
    try:
        return replace(RECIPES[corpus], **changes)
    except ConfigError as error:
        raise UserError(f"--{error.field}: {error.message}") from None


def _shown(config: ModelConfig, corpus: str, recipe: Recipe, count: int, err: TextIO) -> Iterable[Training]:
    """The trainings, each with its progress: one line that is overwritten on a terminal, a few lines elsewhere."""
    live = err.isatty()
    began = time.monotonic()

    def progress(step: int, loss: float, accuracy: float) -> None:
        done = step == recipe.steps
        if not live and not done and step not in marks:
            return
        text = f"{corpus}: step {step} of {recipe.steps}, loss {loss:.4f}, {accuracy:.1%} of the words right"
        spent = f"{time.monotonic() - began:.0f} s"
        print(
            f"\r{text}, {spent}\x1b[K" if live else f"{text}, {spent}", end="" if live and not done else "\n", file=err
        )
        err.flush()

    marks = _marks(recipe.steps)
    for number, training in enumerate(restarts(config, corpus, recipe, count, progress), 1):
        yield training
        if number < count and not training.has_learned_to_translate:
            print(f"{corpus}: beginning anew with another order of the sentences ({number + 1} of {count})", file=err)


def _marks(steps: int) -> set[int]:
    """The moments that are told where the output is no terminal: the first, and about six more."""
    moments = snapshot_steps(steps)
    return set(moments[:: max(1, len(moments) // 6)])


def _best(trainings: Iterable[Training]) -> Training:
    """The training with the most words right; among equals, the one that looks best at the aligned words."""
    return max(trainings, key=lambda training: (training.accuracy, training.least_attention))
