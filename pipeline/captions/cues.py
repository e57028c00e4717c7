"""When each caption is on the screen: from the audio where there is some, else from the time that reading takes.

The laws: captions never overlap, stay inside their beat, lie on frames, and last 1 to 7 seconds wherever their beat
leaves room for it. A caption stays a moment after its last word, so that the eye can finish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..jobs import ClipCue
from ..reading import DEFAULT_SPEED, reading_units
from ..sentences import sentences
from ..voice.narration import Sentence
from .lines import pieces_of, spans

SHORTEST = 1.0  # seconds
LONGEST = 7.0  # seconds
_LINGER = 0.8  # seconds that a caption stays after its last word, where nothing follows
_SLOWER = 1.5  # the words of a silent beat are shown at most so many times their reading time

Heard = Mapping[str, Sequence[Sentence]]  # beat -> its sentences with their times
ReadingTime = Callable[[str], float]


@dataclass(frozen=True)
class Caption:
    """A text of at most two lines, from one frame to another (end exclusive)."""

    name: str
    start_frame: int
    end_frame: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as they are spoken: with a space between where one was written."""
        return " ".join(self.lines)


@dataclass(frozen=True)
class _Piece:
    """A part of a line, and when it is heard, in seconds from the beginning of the beat."""

    text: str
    start: float
    end: float


def captions_of(
    cues: Iterable[ClipCue],
    unit: str,
    scene_id: str,
    offset: int = 0,
    *,
    fps: int = 30,
    heard: Heard | None = None,
    reading_time: ReadingTime | None = None,
) -> list[Caption]:
    """The captions of a clip's cues.

    `unit`: "characters" or "words"; `offset`: the clip's first frame in the film; `fps`: frames a second; `heard`: when
    the sentences of each beat are spoken; `reading_time`: for silent beats, the seconds that words take to read
    (default: at the calm pace of a lecture).
    """
    captions: list[Caption] = []
    for cue in cues:
        if not cue.words:  # a card that says nothing
            continue
        length = (cue.end_frame - cue.start_frame) / fps
        spoken = (heard or {}).get(cue.beat)
        pieces = _timed(cue.words, spoken or _silent(cue.words, unit, length, reading_time), unit)
        shown = _shown(pieces, unit, length)
        edges = _frames(shown, fps, cue.end_frame - cue.start_frame)
        for number, ((lines, _, _), (first, last)) in enumerate(zip(shown, edges, strict=False)):
            name = f"{scene_id}.{cue.beat}" + (f".{number + 1}" if len(edges) > 1 else "")
            start = offset + cue.start_frame
            captions.append(Caption(name, start + first, start + last, lines))
    return captions


def _silent(words: str, unit: str, length: float, reading_time: ReadingTime | None) -> list[Sentence]:
    """When the sentences of a silent beat are read: each gets its share of the time."""
    texts = sentences(words)
    seconds = reading_units(words, unit) / DEFAULT_SPEED[unit] if reading_time is None else reading_time(words)
    total = min(length, max(_SLOWER * seconds, SHORTEST))
    weights = [max(reading_units(text, unit), 1.0) for text in texts]
    found: list[Sentence] = []
    start = 0.0
    for text, weight in zip(texts, weights, strict=True):
        end = start + total * weight / sum(weights)
        found.append(Sentence(text, start, end))
        start = end
    return found


def _timed(words: str, spoken: Sequence[Sentence], unit: str) -> list[_Piece]:
    """The pieces of a beat's words with the time of each: inside a sentence by their share of what is read."""
    pieces: list[_Piece] = []
    for sentence in spoken:
        texts = pieces_of(sentence.text, unit)
        weights = [reading_units(text, unit) + 0.2 for text in texts]
        start = sentence.start
        for number, (text, weight) in enumerate(zip(texts, weights, strict=True)):
            end = start + (sentence.end - sentence.start) * weight / sum(weights)
            # Between sentences the space that the words have; at the beginning of all none.
            gap = " " if number == 0 and pieces and _spaced(words, pieces, text) else ""
            pieces.append(_Piece(gap + text, start, end))
            start = end
    return pieces


def _spaced(words: str, pieces: Sequence[_Piece], text: str) -> bool:
    """Whether there is white space before `text` in `words`, behind the pieces so far."""
    behind = sum(len("".join(piece.text.split())) for piece in pieces)
    position = 0
    for index, char in enumerate(words):
        if char.isspace():
            continue
        if position == behind:
            return index > 0 and words[index - 1].isspace() and bool(text)
        position += 1
    return False


def _shown(pieces: Sequence[_Piece], unit: str, length: float) -> list[tuple[tuple[str, ...], float, float]]:
    """Captions as (lines, start, end) in seconds from the beginning of the beat."""
    if not pieces:
        return []

    def cost(first: int, end: int) -> float:
        until = pieces[end].start if end < len(pieces) else length
        heard = pieces[end - 1].end - pieces[first].start
        return 6.0 * max(0.0, heard - LONGEST) + 6.0 * max(0.0, SHORTEST - (until - pieces[first].start))

    found = spans([piece.text for piece in pieces], unit, cost)
    shown = []
    for number, span in enumerate(found):
        start = pieces[span.first].start
        following = pieces[found[number + 1].first].start if number + 1 < len(found) else length
        end = min(max(pieces[span.end - 1].end + _LINGER, start + SHORTEST), following, start + LONGEST, length)
        shown.append((span.lines, start, end))
    return _lengthened(shown)


def _lengthened(shown: list[tuple[tuple[str, ...], float, float]]) -> list[tuple[tuple[str, ...], float, float]]:
    """Captions that are too short begin earlier, where the one before has time to spare."""
    for number in range(len(shown) - 1, -1, -1):
        lines, start, end = shown[number]
        if end - start >= SHORTEST:
            continue
        earliest = shown[number - 1][1] + SHORTEST if number else 0.0
        moved = max(min(start, end - SHORTEST), min(start, earliest))
        shown[number] = (lines, moved, end)
        if number and shown[number - 1][2] > moved:
            before = shown[number - 1]
            shown[number - 1] = (before[0], before[1], moved)
    return shown


def _frames(shown: Sequence[tuple[object, float, float]], fps: int, frames: int) -> list[tuple[int, int]]:
    """Start and end in frames from the beginning of the beat, at least one frame each; fewer when there is no room."""
    edges: list[tuple[int, int]] = []
    count = min(len(shown), frames)
    for number in range(count):
        _, start, end = shown[number]
        least = edges[-1][1] if edges else 0
        first = min(max(round(start * fps), least), frames - (count - number))
        last = min(max(round(end * fps), first + 1), frames - (count - number - 1))
        edges.append((first, last))
    return edges
