"""The exercises of the worksheet: which numbers of the trace are given, and which are asked for.

Nothing is computed here. A question is a table of cells, and a cell is a value's key and index in the trace. The seed
picks the words, the positions and the heads.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from engine import Trace

GIVEN_DECIMALS, ASKED_DECIMALS, PROBABILITY_DECIMALS = 3, 2, 4
# A row that varies less than this cannot be normalised from rounded numbers.
LEAST_VARIANCE = 0.05
TRAINED = "trained.word_by_word."


@dataclass(frozen=True)
class Number:
    """One number of the trace, shown with so many decimals."""

    key: str
    index: tuple[int, ...]
    decimals: int

    def value(self, trace: Trace) -> float:
        """The number itself, not rounded."""
        return float(trace[self.key][self.index])

    def text(self, trace: Trace) -> str:
        """The number as it is printed: with a true minus sign, and no sign before a zero."""
        text = f"{self.value(trace):.{self.decimals}f}"
        if float(text) == 0.0:
            text = text.lstrip("-")
        return text.replace("-", "−")


@dataclass(frozen=True)
class Word:
    """The word whose id stands in the trace."""

    key: str
    index: tuple[int, ...] = ()

    def text(self, trace: Trace) -> str:
        """The word."""
        return trace.config.vocabulary[int(trace[self.key][self.index])]


Cell = Number | Word


@dataclass(frozen=True)
class Label:
    """Words of the worksheet, by their name in the exercise's words, and what fills them."""

    name: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """A row of a table. What is `asked` for is blank in the worksheet and printed in the answers."""

    label: Label
    cells: tuple[Cell, ...]
    asked: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under a common head; a column's head is a word of the sentence or a label. No columns: no head."""

    columns: tuple[str | Label, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Exercise:
    """One exercise: `name` finds its words, `fields` fill them."""

    name: str
    fields: Mapping[str, object]
    tables: tuple[Table, ...]

    def asked(self) -> list[Line]:
        """The lines to be filled in."""
        return [line for table in self.tables for line in table.lines if line.asked]


def make_exercises(trace: Trace, seed: int) -> list[Exercise]:
    """All exercises that the trace's model allows, with words and heads picked by `seed`."""
    pick = random.Random(seed)
    made = (make(trace, pick) for make in _MAKERS)
    return [exercise for exercise in made if exercise is not None]


def _row(trace: Trace, key: str, *index: int, asked: bool = False) -> tuple[Cell, ...]:
    """All numbers of the last axis of `key` at `index`."""
    decimals = ASKED_DECIMALS if asked else GIVEN_DECIMALS
    return tuple(Number(key, (*index, last), decimals) for last in range(trace[key].shape[-1]))


def _given(name: str, cells: Iterable[Cell], **fields: object) -> Line:
    return Line(Label(name, fields), tuple(cells))


def _asked(name: str, cells: Iterable[Cell], **fields: object) -> Line:
    return Line(Label(name, fields), tuple(cells), asked=True)


def _one(key: str, *index: int) -> tuple[Cell, ...]:
    return (Number(key, index, ASKED_DECIMALS),)


def _dimensions(width: int) -> tuple[Label, ...]:
    return tuple(Label("dimension", {"n": n + 1}) for n in range(width))


def _input(trace: Trace, pick: random.Random) -> Exercise:
    at = pick.randrange(len(trace.config.source))
    lines = (
        _given("embedding", _row(trace, "src.embed", at)),
        _given("code", _row(trace, "pos_embed", at)),
        _asked("sum", _row(trace, "src.input", at, asked=True)),
    )
    table = Table(_dimensions(trace.config.d_model), lines)
    return Exercise("input", {"word": trace.config.source[at], "position": at}, (table,))


def _query(trace: Trace, pick: random.Random) -> Exercise:
    config = trace.config
    at, head = pick.randrange(len(config.source)), pick.randrange(config.heads)
    weights = "weights.encoder.0.attn.W_Q"
    rows = (_given("matrix", _row(trace, weights, head, row), n=row + 1) for row in range(config.d_head))
    given = Table(_dimensions(config.d_model), (_given("x", _row(trace, "src.input", at)), *rows))
    answer = _asked("q", _row(trace, "encoder.0.attn.q", head, at, asked=True))
    fields = {"word": config.source[at], "head": head + 1}
    return Exercise("query", fields, (given, Table(_dimensions(config.d_head), (answer,))))


def _score(trace: Trace, pick: random.Random) -> Exercise:
    config = trace.config
    asking, asked = (pick.randrange(len(config.source)) for _ in range(2))
    head = pick.randrange(config.heads)
    fields = {
        "asking": config.source[asking],
        "asked": config.source[asked],
        "head": head + 1,
        "d_head": config.d_head,
    }
    given = (
        _given("q", _row(trace, "encoder.0.attn.q", head, asking), **fields),
        _given("k", _row(trace, "encoder.0.attn.k", head, asked), **fields),
    )
    wanted = (
        _asked("dot", _one("encoder.0.attn.dots", head, asking, asked), **fields),
        _asked("score", _one("encoder.0.attn.scores", head, asking, asked), **fields),
    )
    return Exercise("score", fields, (Table(_dimensions(config.d_head), given), Table((), wanted)))


def _softmax(trace: Trace, pick: random.Random) -> Exercise:
    config = trace.config
    at, head = pick.randrange(len(config.source)), pick.randrange(config.heads)
    lines = (
        _given("scores", _row(trace, "encoder.0.attn.scores", head, at)),
        _asked("pattern", _row(trace, "encoder.0.attn.pattern", head, at, asked=True)),
    )
    return Exercise("softmax", {"asking": config.source[at], "head": head + 1}, (Table(config.source, lines),))


def _mix(trace: Trace, pick: random.Random) -> Exercise:
    config = trace.config
    at, head = pick.randrange(len(config.source)), pick.randrange(config.heads)
    shares = Table(config.source, (_given("pattern", _row(trace, "encoder.0.attn.pattern", head, at)),))
    values = (
        _given("v", _row(trace, "encoder.0.attn.v", head, other), asked=word)
        for other, word in enumerate(config.source)
    )
    answer = _asked("z", _row(trace, "encoder.0.attn.z", head, at, asked=True))
    fields = {"asking": config.source[at], "head": head + 1}
    return Exercise("mix", fields, (shares, Table(_dimensions(config.d_head), (*values, answer))))


def _norm(trace: Trace, pick: random.Random) -> Exercise:
    variances = trace["encoder.0.ln1.var"][:, 0]
    wide = [at for at, variance in enumerate(variances) if variance >= LEAST_VARIANCE]
    at = pick.choice(wide or [int(np.argmax(variances))])
    row = _given("x", _row(trace, "encoder.0.resid_mid", at))
    numbers = (_asked("mean", _one("encoder.0.ln1.mean", at, 0)), _asked("var", _one("encoder.0.ln1.var", at, 0)))
    out = _asked("out", _row(trace, "encoder.0.ln1.out", at, asked=True))
    columns = _dimensions(trace.config.d_model)
    fields = {"word": trace.config.source[at], "d_model": trace.config.d_model}
    return Exercise("norm", fields, (Table(columns, (row,)), Table((), numbers), Table(columns, (out,))))


def _relu(trace: Trace, pick: random.Random) -> Exercise:
    at = pick.randrange(len(trace.config.source))
    lines = (
        _given("pre", _row(trace, "encoder.0.mlp.pre", at)),
        _asked("post", _row(trace, "encoder.0.mlp.post", at, asked=True)),
    )
    fields = {"word": trace.config.source[at], "d_ff": trace.config.d_ff}
    return Exercise("relu", fields, (Table(_dimensions(trace.config.d_ff), lines),))


def _mask(trace: Trace, pick: random.Random) -> Exercise:
    head = pick.randrange(trace.config.heads)
    words = trace.words("tgt.tokens")
    stem = "decoder.0.self_attn"
    scores = (_given("scores", _row(trace, f"{stem}.scaled", head, at), read=word) for at, word in enumerate(words))
    weights = (
        _asked("weights", _row(trace, f"{stem}.pattern", head, at, asked=True), read=word)
        for at, word in enumerate(words)
    )
    return Exercise("mask", {"head": head + 1}, (Table(words, tuple(scores)), Table(words, tuple(weights))))


def _loss(trace: Trace, _: random.Random) -> Exercise | None:
    labels = trace.ids("labels.shifted")
    if not labels:  # a single word that is given: nothing is predicted, so nothing costs
        return None
    read, wanted = trace.words("tgt.tokens"), trace.words("labels.shifted")
    columns = tuple(
        Label("column", {"read": old, "next": new}) for old, new in zip(read[: len(wanted)], wanted, strict=True)
    )
    p = (Number("probs", (at, word), PROBABILITY_DECIMALS) for at, word in enumerate(labels))
    each = Table(columns, (_given("p", p), _asked("loss", _row(trace, "loss.shifted", asked=True))))
    return Exercise("loss", {}, (each, Table((), (_asked("mean", _one("loss.shifted.mean")),))))


def _greedy(trace: Trace, _: random.Random) -> Exercise:
    given = trace.words("greedy.1.tokens")[0]
    lines = (
        _given("before", _row(trace, "greedy.1.probs", 0)),
        _given("after", _row(trace, f"{TRAINED}greedy.1.probs", 0)),
    )
    chosen = (
        _asked("chosen_before", [Word("greedy.1.next")]),
        _asked("chosen_after", [Word(f"{TRAINED}greedy.1.next")]),
    )
    return Exercise("greedy", {"given": given}, (Table(trace.config.vocabulary, lines), Table((), chosen)))


_MAKERS: tuple[Callable[[Trace, random.Random], Exercise | None], ...] = (
    _input, _query, _score, _softmax, _mix, _norm, _relu, _mask, _loss, _greedy,
)  # fmt: skip
