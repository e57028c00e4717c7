"""The registry goes on: keys of the trained models and of what was seen while they were trained.

`trained.{corpus}.…` has every key of the untrained trace, at the step where the film shows that; `training.{corpus}.…`
has what changed along the way, at the step where the film shows the training. Axis `step`: the moments looked at.
"""

from __future__ import annotations

from dataclasses import replace

from engine import steps
from engine.config import ModelConfig
from engine.corpora import CORPORA
from engine.keys import KeySpec, key_specs

TRAINED, TRAINING = "trained", "training"


def trained_specs(config: ModelConfig, corpus: str, snapshots: int) -> tuple[KeySpec, ...]:
    """The keys that a model trained on `corpus` adds to the trace of `config`, in order."""
    same = (replace(spec, key=f"{TRAINED}.{corpus}.{spec.key}") for spec in key_specs(config))
    return (*same, *_training_specs(config, corpus, snapshots))


def corpus_of(key: str) -> str | None:
    """The corpus that a key of a trained model names, or None for any other key."""
    parts = key.split(".", 2)
    known = len(parts) == 3 and parts[0] in (TRAINED, TRAINING) and parts[1] in CORPORA
    return parts[1] if known else None


def _training_specs(config: ModelConfig, corpus: str, snapshots: int) -> tuple[KeySpec, ...]:
    rows, columns = len(config.target), len(config.source)
    said = rows - (config.start_symbol is None)
    lengths = {
        "step": snapshots, "pos": rows, "V": len(config.vocabulary),
        "h": config.heads, "q": rows, "k": columns, "said": said,
    }  # fmt: skip

    def spec(name: str, axes: str, formula: str, meaning: str, step: int = steps.TRAINING) -> KeySpec:
        names = tuple(axes.split())
        shape = tuple(lengths[axis] for axis in names)
        return KeySpec(f"{TRAINING}.{corpus}.{name}", names, step, formula, meaning, shape)

    aligned = "cross_attn at the source word that the predicted word translates"
    return (
        spec("steps", "step", "given", "updates of the weights made so far"),
        spec("loss", "step", "mean −ln probs[i, label i] of all sentences", "the corpus's price"),
        spec("accuracy", "step", "words right / words", "share of words right under greedy decoding, all sentences"),
        spec("probs", "step pos V", "probs, to 6 decimals", "what the model said about the film's pair"),
        spec("cross_attn", "step h q k", "the last layer's pattern, to 6 decimals", "where each target word looked"),
        spec("attention", "step h said", aligned, "share of attention on the right word, for each predicted word"),
        spec("head", "", "argmax over h of the least attention, at the end", "the head that looks best"),
        spec("accuracy_all", "", "words right / words", "share of words right in all sentences of the film's words"),
        spec("asked", "", "number of sentences", "sentences of the film's words for which the decoder begins as here"),
        spec("alike", "", "number of sentences", "how many of those asked get the very answer that the film's gets"),
    )
