"""docs/training.md: what is trained, and what came out.

Run `python -m engine.training_page` to write it, with --check to see whether it is up to date. Every number is that of
the committed weights, or of the survey (`python -m engine.survey`).
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

import numpy as np

from engine.config import ModelConfig, preset
from engine.corpora import CORPORA
from engine.documents import DOCS, publish, table
from engine.ops import Array
from engine.survey import Trial, read_survey
from engine.trace import Trace
from engine.trained import run_trained, trained
from engine.training import ACCURACY_WANTED, ATTENTION_WANTED, Training

PAGE = DOCS / "training.md"

_INTRODUCTION = """\
# Training

The film's weights are random numbers. This page says what becomes of the same model, from the same numbers, when it is
really trained. It is made from the committed weights (`engine/weights/`); write it anew with
`python -m engine.training_page`.

One sentence teaches memorising; many sentences force looking.
"""

_RECIPES = """\
## What is trained

Both trainings begin with the weights that the film shows and change every weight, E included; positions are not
learned. Row i of the decoder is scored on the word that follows (next-word targets), because that is what inference
asks of it; the original tutorial scores it on the word it has just read, which teaches copying. The gradients are exact
(`engine/backward.py`, one function beside each operation), the optimiser is Adam.
"""

_ANOTHER = """\
## Another sentence

Change `source` and `target` (or any size) under `film: model:` in the storyboard, then

```
explain train
```

It trains on the one sentence (a second) and on all sentences of its words, or 256 of them (some ten seconds for each
order that is tried), and writes one file each to `engine/weights/`. The film and the trace use these files from then
on. Without them everything works too; then the model is trained, in one order, whenever the film or the trace first
needs a trained value. Files belong to a model, not to its words: another sentence of four different words, translated
by four others, with the same E, needs no training. Where the sentences have different lengths, target position j
translates source position j · (source length) // (target length); `engine/corpora.py` has the rest of that rule.

`explain train --steps 6000 --restarts 40` tries longer and more often; it keeps the best.
"""

_MACHINES = """\
## The same on every machine

Training on many sentences is chaotic: a start that differs by 1e-15 ends with another head looking elsewhere. So the
training's sums run in a fixed order, its exponential is written out, and its positions are rounded to twelve decimals.
The weights come out bit for bit the same whatever the processor, and a test trains both models anew to see it.
"""


def render_training(trace: Trace, trials: Sequence[Trial]) -> str:
    """The page, from the trace of `run_trained(preset("tutorial"))` and the survey."""
    config = trace.config
    trainings = [trained(config, corpus) for corpus in CORPORA]
    parts = [
        _INTRODUCTION,
        _RECIPES,
        _recipes(trainings) + "\n",
        "## What was found\n",
        _results(trace) + "\n",
        _memorised(trace),
        *(_map(trace, training) for training in trainings),
        _everywhere(trainings[-1], trials),
        _along_the_way(trainings) + "\n",
        _sizes(trials),
        _MACHINES,
        _ANOTHER,
    ]
    return "\n".join(parts)


def _paragraph(words: str) -> str:
    return textwrap.fill(" ".join(words.split()), 120, break_long_words=False, break_on_hyphens=False) + "\n"


def _recipes(trainings: Sequence[Training]) -> str:
    rows = []
    for training in trainings:
        recipe = training.recipe
        count = len(CORPORA[training.corpus](training.config, recipe.order))
        rows.append(
            (
                f"`{training.corpus}`",
                str(count),
                str(recipe.steps),
                str(min(recipe.sentences, count)),
                f"{recipe.rate:g}" + (", falling evenly to 0" if recipe.schedule == "linear" else ""),
                str(recipe.order) if recipe.sentences < count else "none",
                f"`{training.digest()[:12]}`",
            )
        )
    head = (
        "corpus",
        "sentences",
        "steps",
        "sentences a step",
        "learning rate",
        "order (seed)",
        "digest of the weights",
    )
    return table(head, rows)


def _results(trace: Trace) -> str:
    names = {"untrained": "", **{f"trained on `{corpus}`": f"trained.{corpus}." for corpus in CORPORA}}
    words = trace.words("labels.shifted")
    wanted = list(enumerate(trace.ids("labels.shifted")))
    rows = [
        ("loss on the film's sentence", *(f"{trace[f'{stem}loss.shifted.mean']:.4f}" for stem in names.values())),
        *(
            (f"p({word}) in row {row}", *(f"{trace[f'{stem}probs'][row, index]:.3f}" for stem in names.values()))
            for (row, index), word in zip(wanted, words, strict=True)
        ),
        ("greedy decoding says", *(" ".join(trace.words(f"{stem}greedy.tokens")) for stem in names.values())),
        ("words right, all sentences", *_accuracies(trace)),
    ]
    return table(("", *names), rows)


def _accuracies(trace: Trace) -> list[str]:
    before = trace["training.word_by_word.accuracy"][0]
    return [f"{before:.1%}", *(f"{trace[f'training.{corpus}.accuracy_all']:.1%}" for corpus in CORPORA)]


def _memorised(trace: Trace) -> str:
    one, many = (f"training.{corpus}" for corpus in CORPORA)
    first, answer = trace.config.source[0], " ".join(trace.words("trained.one_sentence.greedy.tokens"))
    return _paragraph(
        f"""Trained on one sentence, the model has learned it by heart: to {trace[f"{one}.alike"]:.0f} of the
        {trace[f"{one}.asked"]:.0f} sentences that begin with {first} it answers “{answer}”, whatever follows. Its
        cross-attention has stayed as flat as it was, because the position alone says which word comes next. Trained on
        all sentences, it gives that answer to {trace[f"{many}.alike"]:.0f} of them, and the rows of cross-attention
        have moved to the source words that they translate."""
    )


def _map(trace: Trace, training: Training) -> str:
    """Cross-attention on the film's sentence, one line a predicted word, one column a head and source word."""
    config, corpus = trace.config, training.corpus
    pattern = trace[f"trained.{corpus}.decoder.{config.decoder_layers - 1}.cross_attn.pattern"]
    head = ("predicted word", *(f"head {h + 1}: {word}" for h in range(config.heads) for word in config.source))
    rows = []
    for row, word in enumerate(trace.words("labels.shifted")):
        rows.append((word, *(f"{share:.3f}" for h in range(config.heads) for share in pattern[h, row])))
    return f"### Cross-attention after `{corpus}`\n\n{table(head, rows)}\n\n{_best_heads(config, training.attention)}"


def _best_heads(config: ModelConfig, attention: Array) -> str:
    said = config.target[config.start_symbol is None :]
    parts = (
        f"{word}: head {int(np.argmax(attention[:, at])) + 1} with {np.max(attention[:, at]):.3f}"
        for at, word in enumerate(said)
    )
    return _paragraph(
        f"""Most attention on the word that is translated: {"; ".join(parts)}. The head that looks best at all of them
        is head {int(np.argmax(attention.min(axis=1))) + 1}, with {np.max(attention.min(axis=1)):.3f} or more."""
    )


def _everywhere(training: Training, trials: Sequence[Trial]) -> str:
    film = next(trial for trial in trials if not trial.settings)
    shares = film.outcomes[training.recipe.order].everywhere
    return _paragraph(
        f"""That is the film's sentence. Over all sentences the mean share, of the best head for each word, is
        {", ".join(f"{share:.2f}" for share in shares)}: every word is right, but not every sentence is looked at as
        straight as this one."""
    )


def _along_the_way(trainings: Sequence[Training]) -> str:
    parts = ["### Along the way\n"]
    for training in trainings:
        h = training.history
        chosen = np.unique(np.linspace(0, len(h.steps) - 1, 11).astype(int))
        rows = [
            (
                f"{h.steps[at]:.0f}",
                f"{h.loss[at]:.4f}",
                f"{h.accuracy[at]:.1%}",
                *(f"{share:.2f}" for share in training.attention_along[at, training.head]),
            )
            for at in chosen
        ]
        said = training.config.target[training.config.start_symbol is None :]
        head = ("step", "loss", "words right", *(f"head {training.head + 1} at {word}'s source" for word in said))
        parts.append(f"`{training.corpus}`\n\n{table(head, rows)}\n")
    return "\n".join(parts).rstrip("\n")


def _sizes(trials: Sequence[Trial]) -> str:
    rows = []
    for trial in trials:
        config = preset("tutorial", **trial.settings)
        outcomes = trial.outcomes
        right = [one for one in outcomes if one.accuracy >= ACCURACY_WANTED]
        looking = [one for one in right if min(one.attention) >= ATTENTION_WANTED]
        best = max(outcomes, key=lambda one: (one in looking, one.accuracy, one.one_head, min(one.attention)))
        rows.append(
            (
                _described(config),
                str(trial.weights),
                f"{len(right)} of {len(outcomes)}",
                f"{len(looking)} of {len(outcomes)}",
                str(best.order),
                f"{best.accuracy:.1%}",
                ", ".join(f"{share:.2f}" for share in best.attention),
                f"{np.median([one.seconds for one in outcomes]):.0f}",
            )
        )
    head = (
        "model", "weights", f"orders with {ACCURACY_WANTED:.0%} of words right",
        f"and {ATTENTION_WANTED} on each aligned word", "best order", "words right", "attention", "seconds",
    )  # fmt: skip
    return "\n".join(
        ["## How large must the model be?\n", _paragraph(_verdict(trials)), table(head, rows), "", _SECONDS]
    )


_SECONDS = _paragraph(
    """Best order: one with both, if there is one, else the most words right; among these the one whose best single head
    looks best. The columns behind it are its own. Attention: the share of each predicted word's attention that the best
    head for it gives to the aligned source word. Seconds: processor time of a training, the median, on one core of the
    machine that made the survey."""
)


def _verdict(trials: Sequence[Trial]) -> str:
    """What the survey says, in words that follow its numbers."""

    def met(trial: Trial) -> int:
        return sum(one.accuracy >= ACCURACY_WANTED and min(one.attention) >= ATTENTION_WANTED for one in trial.outcomes)

    film = next(trial for trial in trials if not trial.settings)
    right = [one for one in film.outcomes if one.accuracy >= ACCURACY_WANTED]
    one_head = sum(one.one_head >= ATTENTION_WANTED for one in right)
    text = f"""The film's own model is large enough. From the film's weights it has learned the translation in
        {len(right)} of {len(film.outcomes)} orders of the sentences. That its attention then lies on the aligned words
        is rarer, {met(film)} of {len(film.outcomes)}: the encoder mixes the words, so the decoder may find a word in
        another place than where it stands. Right words do not mean a straight look. In {one_head} of the orders a
        single head does it for all words; the film's weights are of that kind."""
    smaller = [trial for trial in trials if trial.weights < film.weights and met(trial)]
    if smaller:
        least = min(smaller, key=lambda trial: (trial.weights, -met(trial)))
        text += f""" The smallest model found that meets both has {least.weights} weights
            ({_described(preset("tutorial", **least.settings))}), and does so in {met(least)} of
            {len(least.outcomes)} orders."""
    else:
        text += " No smaller model was found that meets both."
    text += """ With d_model = 2 nothing can be learned: LayerNorm leaves a row of two numbers no choice but (1, −1) or
        (−1, 1), so the output layer can tell two words apart at most."""
    return text


def _described(config: ModelConfig) -> str:
    def plural(count: int, word: str) -> str:
        return f"{count} {word}" + ("" if count == 1 else "s")

    layers = f"{config.encoder_layers} + {plural(config.decoder_layers, 'layer')}"
    return f"d_model {config.d_model}, {plural(config.heads, 'head')}, d_ff {config.d_ff}, {layers}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page."""
    return publish("engine.training_page", PAGE, _render, arguments)


def _render() -> str:
    return render_training(run_trained(preset("tutorial")), read_survey())


if __name__ == "__main__":
    sys.exit(main())
