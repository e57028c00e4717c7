"""docs/errata.md: where the tutorial that the film starts from differs from what its own model computes.

Run `python -m engine.errata` to write it, with --check to see whether it is up to date. What the tutorial prints is
quoted here; every computed value is read from the trace.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

import numpy as np

from engine.config import preset
from engine.documents import DOCS, publish, table
from engine.model import run
from engine.steps import FIRST_STEP, LAST_STEP
from engine.trace import Trace

PAGE = DOCS / "errata.md"

_PRINTED_FIRST_STEP = (0.072, 0.034, 0.330, 0.028, 0.052, 0.013, 0.052, 0.419)
_PRINTED_RANK = 3
_PRINTED_LOVE_TO_LESSON = "0.25"
_PRINTED_LAST_LOSS = "0.57"
_PRINTED_ROW_OF_STEP_3 = 3
_PRINTED_COURSES = "0.563"
_MISSING_NUMBERS = ((12, 13), (52, 53), (67, 73), (81, 85))

_INTRODUCTION = """\
# Errata of the original tutorial

The film follows a printed tutorial: its sentence, its sizes, its weights. Computed exactly, the same model disagrees
with the printed page in seven places. The film shows the computed values; this page sets both side by side. It is made
from the trace of the preset `tutorial`; write it anew with `python -m engine.errata`.
"""


def render_errata(trace: Trace) -> str:
    """The page, from the trace of the preset "tutorial". Raises `ValueError` for any other model."""
    if trace.config != preset("tutorial"):
        raise ValueError("the errata are those of the preset 'tutorial'; run that one")
    points = (_first_step, _rank, _cross_attention, _last_loss, _row_of_step_3, _labels, _numbering)
    sections = []
    for number, point in enumerate(points, 1):
        title, words, *tables = point(trace)
        sections.append("\n\n".join([f"## {number}. {title}", _paragraph(words), *tables]) + "\n")
    return "\n".join([_INTRODUCTION, *sections])


def _paragraph(words: str) -> str:
    return textwrap.fill(" ".join(words.split()), 120, break_long_words=False, break_on_hyphens=False)


def _both(printed: str, computed: str) -> str:
    return table(("printed", "computed"), [(printed, computed)])


# Each point returns its title, what is to be said, and its tables.


def _first_step(trace: Trace) -> tuple[str, ...]:
    computed = trace["generate.1.probs"][0]
    words = trace.config.vocabulary
    given = trace.words("generate.1.tokens")[0]
    apart = np.abs(computed - trace["probs"][0]).max()
    rows = [
        (word, f"{old:.3f}", f"{new:.3f}") for word, old, new in zip(words, _PRINTED_FIRST_STEP, computed, strict=True)
    ]
    return (
        "The first inference step",
        f"""Given only {given}, the decoder computes a single row. It is row 0 of the training pass (`generate.1.probs`
        and `probs` differ by {apart:.3f} at most), because there the mask hides from that row all that is missing here.
        The printed distribution is another one.""",
        table(("word", "printed", "computed"), rows),
    )


def _rank(trace: Trace) -> tuple[str, ...]:
    row, label = trace["probs"][0], trace.ids("labels.aligned")[0]
    vocabulary = trace.config.vocabulary
    rank = 1 + int(np.sum(row > row[label]))
    order = [f"{vocabulary[index]} {row[index]:.3f}" for index in np.argsort(-row, kind="stable")]
    return (
        f"The rank of {vocabulary[label]} at position 0",
        f"Sorted, row 0 of `probs` reads {', '.join(order)}.",
        _both(f"rank {_PRINTED_RANK}", f"rank {rank}"),
    )


def _cross_attention(trace: Trace) -> tuple[str, ...]:
    config = trace.config
    key = f"decoder.{config.decoder_layers - 1}.cross_attn.pattern"
    asking, asked = 1, len(config.source) - 1
    value = trace[key][0, asking, asked]
    return (
        f"How much {config.target[asking]} attends to {config.source[asked]}",
        f"In head 0 of the cross-attention (`{key}`) this share does not round to the printed one.",
        _both(_PRINTED_LOVE_TO_LESSON, f"{value:.3f} ({value:.2f})"),
    )


def _last_loss(trace: Trace) -> tuple[str, ...]:
    last = len(trace["loss.aligned"]) - 1
    value = trace["loss.aligned"][last]
    probability = trace["probs"][last, trace.ids("labels.aligned")[last]]
    rounded = round(float(probability), 3)
    return (
        f"The loss at position {last}",
        f"""The target's probability is {probability:.5f}, and −ln of it is {value:.5f} (`loss.aligned`). Taken from the
        probability as it is printed, {rounded:.3f}, it would be {-np.log(rounded):.5f}, which rounds to the printed
        figure: rounding before the logarithm costs the last digit.""",
        _both(_PRINTED_LAST_LOSS, f"{value:.3f} ({value:.2f})"),
    )


def _row_of_step_3(trace: Trace) -> tuple[str, ...]:
    step = trace["generate.3.probs"][-1]
    apart = [np.abs(step - row).max() for row in trace["probs"]]
    same = int(np.argmin(apart))
    courses = len(trace.config.vocabulary) - 1
    word = trace.config.vocabulary[courses]
    return (
        "Which training row inference step 3 repeats",
        f"""Step 3 reads {", ".join(trace.words("generate.3.tokens"))}; counted from 0, its last row stands at position
        {same}. It is training row {same} (`generate.3.probs` and `probs` differ by {apart[same]:.3f} at most). From row
        {_PRINTED_ROW_OF_STEP_3}, which has read one word more, it differs by up to
        {apart[_PRINTED_ROW_OF_STEP_3]:.3f}.""",
        _both(
            f"position {_PRINTED_ROW_OF_STEP_3}, {word} {_PRINTED_COURSES}",
            f"position {same}, {word} {step[courses]:.3f}",
        ),
    )


def _labels(trace: Trace) -> tuple[str, ...]:
    aligned, shifted = trace.words("labels.aligned"), trace.words("labels.shifted")
    rows = [
        (str(position), read, aligned[position], (*shifted, "none, the sentence is over")[position])
        for position, read in enumerate(trace.words("tgt.tokens"))
    ]
    means = [f"{trace[f'loss.{name}.mean']:.3f}" for name in ("aligned", "shifted")]
    first = aligned[0]
    return (
        "What a row is trained to say",
        f"""The tutorial scores the row that reads a word on that same word, but at inference takes the same row's
        answer for the word that follows. Training towards such labels would teach the model to copy: given {first}, say
        {first}. With every label moved on by one word, training asks for exactly what inference uses. The trace holds
        both, `labels.aligned` and `labels.shifted`, and both losses, whose means are {means[0]} and {means[1]}.""",
        table(("row", "reads", "label as printed", "label that inference needs"), rows),
    )


def _numbering(trace: Trace) -> tuple[str, ...]:
    rows = []
    for first, last in _MISSING_NUMBERS:
        keys = [key for key in trace if first <= trace.spec(key).step <= last and not key.startswith("weights.")]
        rows.append((f"{first}-{last}", "left out", f"{len(keys)} values, `{keys[0]}` to `{keys[-1]}`"))
    return (
        "Numbers that are missing",
        f"""The tutorial promises a numbering without gaps and leaves these numbers out. In the film the numbers from
        {FIRST_STEP} to {LAST_STEP} are all used; at the missing ones it shows these values of the trace.""",
        table(("numbers", "printed", "computed"), rows),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page."""
    return publish("engine.errata", PAGE, lambda: render_errata(run(preset("tutorial"))), arguments)


if __name__ == "__main__":
    sys.exit(main())
