"""WebVTT captions: the words of each beat, split to two short lines, timed by frames.

Chinese has no spaces to split at: it is split behind punctuation, else between characters, never inside a Latin word
or number, and no line begins with a closing mark or ends with an opening one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from .jobs import ClipCue
from .reading import reading_units

LINES = 2
# Width of a line in columns; an ideograph is two columns wide, so 40 columns are 20 Chinese characters.
LINE_WIDTH = {"characters": 40, "words": 42}

_OPENING = "（(【[「『《〈“‘{"
_SENTENCE_END = "。！？!?…"
_CLAUSE_END = "，,；;：:、—"
_CLOSING = "）)】]」』》〉”’}%％" + _SENTENCE_END + _CLAUSE_END + "."
_PIECE = re.compile(r"\s+|\w+(?:[.,'’\-/]\w+)*|\S")


@dataclass(frozen=True)
class Caption:
    """A text of at most two lines, from one frame to another (end exclusive)."""

    name: str
    start_frame: int
    end_frame: int
    lines: tuple[str, ...]


def captions_of(cues: Iterable[ClipCue], unit: str, scene_id: str, offset: int = 0) -> list[Caption]:
    """The captions of a clip's cues. `unit`: "characters" or "words"; `offset`: the clip's first frame in the film."""
    captions: list[Caption] = []
    for cue in cues:
        texts = split(cue.words, unit)
        weights = [max(reading_units(" ".join(lines), unit), 1.0) for lines in texts]
        frames = cue.end_frame - cue.start_frame
        texts, weights = texts[:frames], weights[:frames]
        edges = _shares(frames, weights)
        for number, lines in enumerate(texts):
            name = f"{scene_id}.{cue.beat}" + (f".{number + 1}" if len(texts) > 1 else "")
            start = offset + cue.start_frame
            captions.append(Caption(name, start + edges[number], start + edges[number + 1], lines))
    return captions


def _shares(frames: int, weights: Sequence[float]) -> list[int]:
    """Edges 0..frames that give every weight its share, at least one frame each."""
    edges = [0]
    total = sum(weights)
    for index in range(1, len(weights)):
        ideal = round(frames * sum(weights[:index]) / total)
        edges.append(min(max(ideal, edges[-1] + 1), frames - (len(weights) - index)))
    return [*edges, frames]


def vtt(captions: Iterable[Caption], fps: int) -> str:
    """The captions as a WebVTT file."""
    blocks = ["WEBVTT"]
    for caption in captions:
        start, end = (_time(frame, fps) for frame in (caption.start_frame, caption.end_frame))
        blocks.append("\n".join([caption.name, f"{start} --> {end}", *map(_escaped, caption.lines)]))
    return "\n\n".join(blocks) + "\n"


def _escaped(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _time(frame: int, fps: int) -> str:
    milliseconds = round(Fraction(frame * 1000, fps))
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


# --- splitting ----------------------------------------------------------------------------------------------------


def split(words: str, unit: str) -> list[tuple[str, ...]]:
    """`words` as captions of at most two lines each, none wider than a line may be, in order and complete."""
    pieces = _pieces(words, LINE_WIDTH[unit])
    if not pieces:
        return []
    return [_lines(pieces[start:end], LINE_WIDTH[unit]) for start, end in _best_cuts(tuple(pieces), LINE_WIDTH[unit])]


def width(text: str) -> int:
    """Columns that `text` takes."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1 for char in text
    )


def _pieces(words: str, limit: int) -> list[str]:
    """The smallest parts that a line may be broken between, each with the space before it."""
    pieces: list[str] = []
    space = ""
    glue = False  # the part before must not stand at a line's end
    for part in _PIECE.findall(unicodedata.normalize("NFC", words)):
        if part.isspace():
            space, glue = " ", False
            continue
        for unit in _atoms(part, limit):
            closing = unit[0] in _CLOSING and not space
            if pieces and (glue or closing):
                pieces[-1] += space + unit
            else:
                pieces.append((space if pieces else "") + unit)
            space = ""
            glue = unit in _OPENING
    return pieces


def _atoms(part: str, limit: int) -> list[str]:
    """A word is one part, an ideograph is one part each; a word too long for a line is cut."""
    atoms: list[str] = []
    for char in part:
        wide = unicodedata.east_asian_width(char) in "WF"
        if atoms and not wide and width(atoms[-1][-1]) < 2 and width(atoms[-1]) < limit // 2:
            atoms[-1] += char
        else:
            atoms.append(char)
    return atoms


def _width_of(pieces: Sequence[str]) -> int:
    return width("".join(pieces).strip())


def _cut_cost(piece: str, following: str) -> float:
    """How much a break behind `piece` hurts."""
    last = piece.rstrip("”’」』》）)】]")[-1:] or piece[-1:]
    if last in _SENTENCE_END or (last == "." and following.startswith(" ")):
        return 0.0
    if last in _CLAUSE_END:
        return 1.0
    return 4.0 if following.startswith(" ") or width(piece[-1:]) == 2 else 8.0


def _best_cuts(pieces: tuple[str, ...], limit: int) -> list[tuple[int, int]]:
    """Where captions begin and end: few, cut behind sentences and clauses, none of them a stub."""

    @cache
    def best(start: int) -> tuple[float, int]:
        options: list[tuple[float, int]] = []
        for end in range(start + 1, len(pieces) + 1):
            part = pieces[start:end]
            if end - start > 1 and (_width_of(part) > LINES * limit or not _fits(part, limit)):
                break
            cost = 3.0 + 4.0 * max(0.0, 0.35 - _width_of(part) / (LINES * limit))
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
