"""docs/trace.md: the table of trace keys, made from the registry.

Run `python -m engine.keydoc` to write it, with --check to see whether it is up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.config import preset
from engine.documents import DOCS, publish, table
from engine.keys import PASS_FAMILIES, KeySpec, key_specs, pattern_of
from engine.trained_keys import TRAINING, trained_specs

PAGE = DOCS / "trace.md"

_INTRODUCTION = """\
# The trace

Everything that one run of the model computes stands in the trace under a key. `engine.run(config)` returns it;
`explain trace` writes it as JSON or CSV. This page is made from the registry (`engine/keys.py`); write it anew with
`python -m engine.keydoc`.

* Every array is float64 and read-only, ids included (`trace.ids(key)` and `trace.words(key)` turn them back).
* Layers (`{l}`), heads and positions count from 0. Passes (`{k}`) count from 1: pass k has read k words.
* Axes: `pos` positions; `h` heads; `q` the positions that ask, `k` those that are asked; `d` = d_model; `d_head`;
  `d_ff`; `V` words of the vocabulary; `1` an axis of length 1. "one number" is an array without axes.
* The vocabulary is each source word, each target word, and the start symbol, each once; a word's index is its id.
* `x` in a formula is the layer's input: `src.input`, `tgt.input`, or the `out` of the layer before.
* A key that stands twice has its first formula in decoder layers without cross-attention, its second in those with it.
* Step is the number, 0-95, at which the film shows the value. Of several, the first belongs to the first layer or pass.
* Every sum runs from left to right, so a row has the same bits whether it is computed alone, beside rows that are
  masked, or from a cache.
"""

_PASSES = """\
## The decoder word by word

Each pass holds, besides the keys below, all keys of its decoder, with the formulas of the training pass:
`{family}.{k}.decoder.{l}.…`, `{family}.{k}.decoder.out`, `{family}.{k}.logits` and `{family}.{k}.probs`.

* `greedy.{k}`: the loop itself. The likeliest word is fed back, all rows are computed again in every pass.
* `greedy_cached.{k}`: the same loop with the keys and values of earlier words kept. Only the last row is computed, so
  `pos` and `q` are 1 long, except in `tokens` and in the self-attention's `k` and `v`, which hold all k rows.
* `generate.{k}`: the decoder on the first k words of its training input, whatever it would have said itself. Its last
  row is row k − 1 of the training pass.

There is no end symbol: the loop makes as many words as the target has, and at most `max_length`. Among equally likely
words the one with the lowest id is taken. Where the given first word is already the whole sentence, one pass is made
all the same, to be looked at, and its word is not appended.
"""

_LABELS = """\
## What is scored

`aligned` scores row i on the word at position i of the decoder's own input, as the original tutorial does. `shifted`
scores it on the word that follows: with a start symbol every row has one, without it the last row has none, so
`labels.shifted` and `loss.shifted` are one shorter, and empty for a target of one word. The mean of no losses is 0.
"""


_TRAINED = """\
## The same model, trained

`engine.run_trained(config)` has further keys behind these, for each corpus (`one_sentence`, `word_by_word`). A corpus's
values are read from its weights file, or computed, when the first of them is asked for; [training.md](training.md) says
what was trained.

* `trained.{corpus}.…` has all keys above from the trained weights, with the same axes, steps and formulas:
  `trained.{corpus}.probs`, `trained.{corpus}.greedy.tokens`, `trained.{corpus}.weights.W_out`, …
* `training.{corpus}.…` has what was seen along the way, at up to 61 moments (axis `step`; the first is before any
  training). Axis `said`: the words that the model predicts, which are all target words but a given first one.
"""


def render_keys() -> str:
    """The page: the tutorial's keys, which are of every kind there is, and what the passes add to them."""
    specs = key_specs(preset("tutorial"))
    training = [spec for spec in specs if not spec.key.startswith(PASS_FAMILIES)]
    shared = {spec.key for spec in training}
    # What stands behind "family.k." is the training pass's key, or the pass's own.
    own = [spec for spec in specs if spec.key.startswith(PASS_FAMILIES) and spec.key.split(".", 2)[-1] not in shared]
    trained = trained_specs(preset("tutorial"), "one_sentence", 1)
    history = [replace(spec, key=_any_corpus(spec.key)) for spec in trained if spec.key.startswith(f"{TRAINING}.")]
    tables = ["## Keys\n", _table(training) + "\n", _LABELS, _PASSES, _table(own) + "\n", _TRAINED, _table(history)]
    return "\n".join([_INTRODUCTION, *tables]) + "\n"


def _any_corpus(key: str) -> str:
    family, _, name = key.split(".", 2)
    return f"{family}.{{corpus}}.{name}"


def _table(specs: Iterable[KeySpec]) -> str:
    """One line per key and formula: a key has two where layers with and without cross-attention differ."""
    grouped: dict[tuple[str, str], list[KeySpec]] = {}
    for spec in specs:
        grouped.setdefault((pattern_of(spec.key), spec.formula), []).append(spec)
    return table(
        ("key", "axes", "step", "formula", "meaning"),
        [
            (
                f"`{pattern}`",
                ", ".join(group[0].axes) or "one number",
                ", ".join(dict.fromkeys(str(spec.step) for spec in group)),
                formula,
                group[0].meaning,
            )
            for (pattern, formula), group in grouped.items()
        ],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page."""
    return publish("engine.keydoc", PAGE, render_keys, arguments)


if __name__ == "__main__":
    sys.exit(main())
