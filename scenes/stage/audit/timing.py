"""Audits of time: beats and cues, the step numbers, the length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pipeline.storyboard import Entry, Film

from ..beats import Cue
from .findings import Fault

SHORTEST_SCENE, LONGEST_SCENE = 25.0, 70.0  # seconds
SHORTEST_CARD, LONGEST_CARD = 3.0, 8.0  # seconds; the longest for one that speaks


def beats(entry: Entry, cues: Sequence[Cue], frame_count: int) -> Iterator[Fault]:
    """The cues are the storyboard's beats in order, one after the other from the first frame to the last."""
    wanted, played = list(entry.beats), [cue.beat for cue in cues]
    if played != wanted:
        yield Fault("beats", "the beats", "", f"played: {', '.join(played) or 'none'}", ", ".join(wanted))
    at = 0
    for cue in cues:
        if cue.start_frame != at:
            measured = f"begins at frame {cue.start_frame}"
            yield Fault("cues", f"beat {cue.beat}", "", measured, f"frame {at}, where the one before ends")
        if cue.end_frame <= cue.start_frame:
            yield Fault("cues", f"beat {cue.beat}", "", "lasts no frame", "at least one frame")
        at = cue.end_frame
    if at != frame_count:
        yield Fault("cues", "the last beat", "", f"ends at frame {at}", f"frame {frame_count}, the end of the scene")


def reading(film: Film, language: str, cues: Sequence[Cue], rate: float) -> Iterator[Fault]:
    """Each beat is at least as long as its words need at the film's reading speed."""
    for cue in cues:
        seconds, needed = (cue.end_frame - cue.start_frame) / rate, film.reading_time(cue.words, language)
        if seconds < needed - 1 / rate:
            yield Fault("reading time", f"beat {cue.beat}", "", f"{seconds:.1f} s", f"{needed:.1f} s and more")
        if "{" in cue.words or "}" in cue.words:
            yield Fault("reading time", f"beat {cue.beat}", "", f"words not filled: {cue.words}", "filled placeholders")


def length(entry: Entry, frame_count: int, rate: float) -> Iterator[Fault]:
    """A scene is neither a flash nor a lecture; a card is a moment."""
    seconds = frame_count / rate
    shortest, longest = (SHORTEST_CARD, LONGEST_CARD) if entry.card else (SHORTEST_SCENE, LONGEST_SCENE)
    if not shortest <= seconds <= longest:
        yield Fault("length", "the scene", "", f"{seconds:.1f} s", f"{shortest:g} to {longest:g} s")


def steps(entry: Entry, badge: Sequence[str | None]) -> Iterator[Fault]:
    """What the badge showed, play by play, counts through the scene's numbers, each once and in order.

    None stands for a play during which the badge was not on screen. A card has none.
    """
    if entry.card:
        return
    if None in badge:
        yield Fault("steps", "the step badge", "", f"not on screen in play {badge.index(None) + 1}", "always on screen")
    shown = [text.rpartition(" ")[2] for text, _ in groupby(text for text in badge if text is not None)]
    wanted = [str(number) for number in entry.steps.numbers()]
    if shown != wanted:
        yield Fault("steps", "the step badge", "", f"showed {' '.join(shown)}", " ".join(wanted))
