"""Words as captions of at most two lines, cut where they hurt least: behind sentences, then clauses, then words.

Chinese has no spaces to cut at: a segmenter says where its words end. A Latin word or number is never cut unless it is
wider than a line, and no line begins with a closing mark or ends with an opening one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from ..segment import chinese_words
from ..sentences import SENTENCE_END

LINES = 2
# Width of a line in columns; an ideograph is two columns wide, so 40 columns are 20 Chinese characters.
LINE_WIDTH = {"characters": 40, "words": 42}

_OPENING = "（(【[「『《〈“‘{"
_CLAUSE_END = "，,；;：:、—"
_CLOSING = "）)】]」』》〉”’}%％" + SENTENCE_END + _CLAUSE_END + "."
_PIECE = re.compile(r"\s+|\w+(?:[.,'’\-/]\w+)*|\S")
_HAN = re.compile(r"([㐀-䶿一-鿿〇]+)")

# What a cut costs behind a sentence, a clause, a word, inside a word; each caption, each sentence end inside one.
_SENTENCE_CUT, _CLAUSE_CUT, _WORD_CUT, _INNER_CUT = 0.0, 1.0, 4.0, 8.0
_CAPTION, _JOINED_SENTENCE = 1.0, 1.5

# Seconds that pieces number `first` to `end` (exclusive) are heard.
Heard = Callable[[int, int], float]


@dataclass(frozen=True)
class Span:
    """Pieces number `first` to `end` (exclusive) as one caption."""

    first: int
    end: int
    lines: tuple[str, ...]


def split(words: str, unit: str) -> list[tuple[str, ...]]:
    """`words` as captions of at most two lines each, none wider than a line may be, in order and complete."""
    return [span.lines for span in spans(pieces_of(words, unit), unit)]


def spans(pieces: Sequence[str], unit: str, cost: Heard | None = None) -> list[Span]:
    """`pieces` as captions. `cost`: what it costs beside the words' own breaks to show pieces i to j as one."""
    limit = LINE_WIDTH[unit]
    return [
        Span(first, end, _lines(pieces[first:end], limit))
        for first, end in _best_cuts(tuple(pieces), limit, cost or (lambda _first, _end: 0.0))
    ]


def width(text: str) -> int:
    """Columns that `text` takes."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1 for char in text
    )


def pieces_of(words: str, unit: str) -> list[str]:
    """The smallest parts that a line may be broken between, each with the space before it; together they are `words`,
    runs of white space made one space."""
    limit = LINE_WIDTH[unit]
    pieces: list[str] = []
    space = ""
    glue = False  # the part before must not stand at a line's end
    for part in _PIECE.findall(unicodedata.normalize("NFC", words)):
        if part.isspace():
            space = " " if pieces else ""
            # A closing quote that is spelled like an opening one stands behind a space: it does not hold what follows.
            continue
        for atom in _atoms(part, limit):
            closing = atom[0] in _CLOSING and not space
            if pieces and (glue or closing):
                pieces[-1] += space + atom
            else:
                pieces.append(space + atom)
            space = ""
            glue = atom in _OPENING
    return pieces


def _atoms(part: str, limit: int) -> list[str]:
    """The words in a run of letters: Chinese by the segmenter, others whole; one too long for a line is cut."""
    atoms: list[str] = []
    for run in filter(None, _HAN.split(part)):
        for word in chinese_words(run) if _HAN.fullmatch(run) else _by_width(run):
            atoms += _cut(word, limit // 2)
    return atoms


def _by_width(run: str) -> list[str]:
    """Wide letters are one part each, narrow ones stay together."""
    parts: list[str] = []
    for char in run:
        if parts and width(char) < 2 and width(parts[-1][-1]) < 2:
            parts[-1] += char
        else:
            parts.append(char)
    return parts


def _cut(word: str, limit: int) -> list[str]:
    """`word`, in parts of at most `limit` columns."""
    if width(word) <= limit:
        return [word]
    parts = [""]
    for char in word:
        if parts[-1] and width(parts[-1]) + width(char) > limit:
            parts.append("")
        parts[-1] += char
    return parts


def _width_of(pieces: Sequence[str]) -> int:
    return width("".join(pieces).strip())


def ends_sentence(piece: str, following: str) -> bool:
    """Whether a sentence ends with `piece`."""
    last = piece.rstrip("”’」』》）)】]\"'")[-1:] or piece[-1:]
    return last in SENTENCE_END or (last == "." and (not following or following.startswith(" ")))


def _cut_cost(piece: str, following: str) -> float:
    """How much a break behind `piece` hurts."""
    if ends_sentence(piece, following):
        return _SENTENCE_CUT
    last = piece.rstrip("”’」』》）)】]")[-1:] or piece[-1:]
    if last in _CLAUSE_END:
        return _CLAUSE_CUT
    return _WORD_CUT if following.startswith(" ") or width(piece[-1:]) == 2 else _INNER_CUT


def _best_cuts(pieces: tuple[str, ...], limit: int, extra: Heard) -> list[tuple[int, int]]:
    """Where captions begin and end: cut behind sentences and clauses, none of them a stub."""

    @cache
    def best(start: int) -> tuple[float, int]:
        options: list[tuple[float, int]] = []
        joined = 0
        for end in range(start + 1, len(pieces) + 1):
            part = pieces[start:end]
            if end - start > 1 and (_width_of(part) > LINES * limit or not _fits(part, limit)):
                break
            if end - start > 1:
                joined += ends_sentence(pieces[end - 2], pieces[end - 1])
            cost = _CAPTION + joined * _JOINED_SENTENCE + extra(start, end)
            cost += 4.0 * max(0.0, 0.35 - _width_of(part) / (LINES * limit))
            if end < len(pieces):
                cost += _cut_cost(pieces[end - 1], pieces[end]) + best(end)[0]
            options.append((cost, end))
        return min(options)

    # From the end on, so that the recursion is never deep.
    for start in range(len(pieces) - 1, -1, -1):
        best(start)
    cuts, start = [], 0
    while start < len(pieces):
        end = best(start)[1]
        cuts.append((start, end))
        start = end
    return cuts


def _fits(pieces: Sequence[str], limit: int) -> bool:
    return _width_of(pieces) <= limit or any(
        _width_of(pieces[:cut]) <= limit and _width_of(pieces[cut:]) <= limit for cut in range(1, len(pieces))
    )


def _lines(pieces: Sequence[str], limit: int) -> tuple[str, ...]:
    """One line, or the two of most equal width that break where it hurts least."""
    text = "".join(pieces).strip()
    if width(text) <= limit or len(pieces) == 1:
        return (text,)
    cuts = []
    for cut in range(1, len(pieces)):
        first, second = _width_of(pieces[:cut]), _width_of(pieces[cut:])
        if max(first, second) <= limit:
            cuts.append((abs(first - second) / limit + 0.2 * _cut_cost(pieces[cut - 1], pieces[cut]), cut))
    cut = min(cuts)[1]
    return "".join(pieces[:cut]).strip(), "".join(pieces[cut:]).strip()
