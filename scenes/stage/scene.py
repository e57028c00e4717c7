"""The base of every scene: trace, words, beats, chrome, and the makers of numbers that keep their provenance."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from manim import Animation, Mobject, Scene, Wait
from manim import config as manim_config

from pipeline.storyboard import fill, film_values

from . import theme
from .beats import Beat, Cue
from .board import STORYBOARD_VARIABLE, storyboard_for, storyboard_path, trace_for
from .chrome import Chrome, ChromeWords
from .facts import Fact, Value, told
from .grid import Heatmap, MatrixGrid, Name
from .motion import all_but
from .narration import spoken_seconds
from .reckoning import Entry, Expression, Result
from .words import Number

__all__ = ["STORYBOARD_VARIABLE", "ExplainerScene", "SceneError", "Value", "storyboard_path"]

LANGUAGE_VARIABLE = "EXPLAINER_LANGUAGE"

BREATH = 0.7  # seconds of quiet after the words of a beat, so that the eye can finish
BREATH_AFTER_SPEECH = 0.3  # seconds after what is heard, beside the silence that its sound ends with
SHORTEST_BEAT = 3.0  # seconds


class SceneError(RuntimeError):
    """A scene and its storyboard entry do not fit; the message says what to change."""


class ExplainerScene(Scene):
    """A scene whose words come from the storyboard and whose numbers come from the trace.

    After rendering, `cues` holds what was said when, in frames, `frame_count` the length, and `trace.reads()` which
    values were looked up.
    """

    map_layer: int | None = None  # the one layer that the map lights, from 0 or from the end; None: all of them

    def setup(self) -> None:
        """Load words and numbers and put the chrome up.

        Raises KeyError when the storyboard has no entry for this class, StoryboardError when the storyboard or this
        scene's entry is broken.
        """
        path = storyboard_path()
        self.storyboard = storyboard_for(self.name_in_storyboard(), path)
        self.language = os.environ.get(LANGUAGE_VARIABLE) or self.storyboard.film.default_language
        self.entry = self.storyboard.scene_for(self.name_in_storyboard())
        self.trace = trace_for(path).watched()
        self.model = self.trace.config
        self.cues: list[Cue] = []
        self.frame_count = 0
        self.after_play: list[Callable[[ExplainerScene], None]] = []
        self._beat: Beat | None = None
        self._played: list[str] = []
        self.camera.background_color = theme.BACKGROUND
        self.chrome = self._make_chrome()
        self.add(self.chrome)

    @classmethod
    def name_in_storyboard(cls) -> str:
        """`topic.Class`, as the storyboard's `scene:` field has it."""
        return f"{Path(inspect.getfile(cls)).stem}.{cls.__name__}"

    def tear_down(self) -> None:
        """Refuse a scene that left out a beat of the storyboard."""
        missing = [name for name in self.entry.beats if name not in self._played]
        if missing:
            raise SceneError(f"{self.name_in_storyboard()} never played the beats {', '.join(missing)}")

    # -- words ----------------------------------------------------------------------------------------------------
    def film_facts(self) -> dict[str, Any]:
        """Values for the placeholders that every sentence may use."""
        return dict(film_values(self.model, self.language))

    def label(self, name: str, **facts: Any) -> str:
        """A label of this scene's storyboard entry in the language drawn, with its placeholders filled."""
        return fill(self.entry.labels[name][self.language], {**self.film_facts(), **facts})

    def film_word(self, name: str) -> str:
        """A word of the film's frame in the language drawn."""
        return str(self.storyboard.film.words[name][self.language])

    # -- beats ----------------------------------------------------------------------------------------------------
    @contextmanager
    def beat(self, name: str, **facts: Any) -> Iterator[Beat]:
        """A named span: lasts as long as its words need, or longer when its animations do.

        `facts` fill the placeholders of the words. Raises SceneError for a name the storyboard does not have.
        """
        if name not in self.entry.beats:
            raise SceneError(f"{self.name_in_storyboard()} plays the beat {name!r}; its storyboard entry has none such")
        spoken = self.entry.beats[name]
        try:
            words = fill(spoken.words[self.language], {**self.film_facts(), **facts})
        except (ValueError, TypeError) as error:
            raise SceneError(
                f"the words of the beat {name!r} ask for a format that its value does not take: {error}"
            ) from None
        seconds = max(SHORTEST_BEAT, self.entry.seconds, self._seconds_of(name, words))
        rate = float(manim_config.frame_rate)
        beat = Beat(name, words, tuple(spoken.steps), self.frame_count, max(1, round(seconds * rate)), rate)
        self._beat = beat
        self._count_on()
        yield beat
        while (left := beat.frames_left(self.frame_count)) > 0:
            boundary = beat.next_boundary(self.frame_count)
            frames = left if boundary is None else min(left, boundary - self.frame_count)
            # Numbers that a long play has passed share the time to the next one.
            self.wait(max(1, frames // max(1, len(self._due()))) / rate)
        if beat.steps and (not beat.shown or beat.shown[-1] != beat.steps[-1]):
            raise SceneError(f"beat {name!r} ended before its numbers {beat.steps} were shown; give it more plays")
        self._beat = None
        self._played.append(name)
        origins = [one for fact, value in facts.items() if isinstance(value, Fact) for one in value.named(fact)]
        self.cues.append(Cue(name, beat.start, self.frame_count, words, beat.steps, tuple(origins)))

    def _seconds_of(self, name: str, words: str) -> float:
        """Seconds that the words of a beat take, heard or read, and the quiet after them."""
        try:
            spoken = spoken_seconds(self.entry.id, name, words)
        except ValueError as error:
            raise SceneError(str(error)) from None
        if spoken is not None:
            return spoken + BREATH_AFTER_SPEECH
        return self.storyboard.film.reading_time(words, self.language) + BREATH

    @property
    def beat_name(self) -> str:
        """The beat that is being played, "" between beats."""
        return self._beat.name if self._beat else ""

    def _count_on(self) -> None:
        """Let the badge show the number that belongs to this moment."""
        # A long play can pass a boundary; the numbers it passed are still shown, one after the other.
        due = self._due()
        if self._beat is not None and due:
            self._beat.shown.append(due[0])
            self.chrome.badge.show(due[0])

    def _due(self) -> list[int]:
        """The numbers of the beat that belong to this moment or to earlier ones and were not shown yet."""
        step = self._beat.step_at(self.frame_count) if self._beat else None
        if self._beat is None or step is None:
            return []
        return [number for number in self._beat.steps if number <= step and number not in self._beat.shown]

    # -- time -----------------------------------------------------------------------------------------------------
    def get_run_time(self, animations: list[Animation]) -> float:
        """Run time rounded to whole frames, so that a clip's length is known exactly before it is encoded.

        manim renders frames at 0, 1/rate, ... below the run time, and repeats a still frame floor(run time * rate)
        times; the quarter and half frames keep both clear of rounding.
        """
        rate = float(manim_config.frame_rate)
        frames = max(1, round(max(animation.run_time for animation in animations) * rate))
        self._frames_of_play = frames
        still = len(animations) == 1 and isinstance(animations[0], Wait) and not self.should_update_mobjects()
        return (frames + 0.25) / rate if still else (frames - 0.5) / rate

    def play(self, *args: Any, **kwargs: Any) -> None:
        """Play, count the frames, and let the observers look at the picture."""
        self._count_on()
        super().play(*args, **kwargs)
        self.frame_count += self._frames_of_play
        for look in self.after_play:
            look(self)

    def others(self, *kept: Mobject) -> list[Mobject]:
        """All that is on stage beside the chrome and `kept`; groups that hold both are taken apart."""
        return all_but(self.mobjects, self.chrome, *kept)

    # -- makers ---------------------------------------------------------------------------------------------------
    def number(self, key: str, index: tuple[int, ...] = (), decimals: int = 2, **settings: Any) -> Number:
        """One value of the trace as text."""
        return Number(self.trace, key, index, decimals, **settings)

    def result(self, expression: Expression, decimals: int = 2, **settings: Any) -> Result:
        """A value reckoned from entries of the trace as text."""
        return Result(self.trace, expression, decimals, **settings)

    def grid(self, key: str, index: tuple[int, ...] = (), **settings: Any) -> MatrixGrid:
        """A matrix (or one vector) of the trace."""
        return MatrixGrid(self.trace, key, index, **settings)

    def heatmap(self, key: str, index: tuple[int, ...] = (), **settings: Any) -> Heatmap:
        """A matrix of the trace whose fills follow its values."""
        return Heatmap(self.trace, key, index, **settings)

    def value(self, key: str, index: tuple[int, ...] = ()) -> Value:
        """One value of the trace for the words."""
        value: Value = told(float(self.trace[key][index]), Entry(key, index))
        return value

    def reckoned(self, expression: Expression) -> Value:
        """A value reckoned from entries of the trace for the words; see `told` for other facts."""
        value: Value = told(expression.value(self.trace), expression)
        return value

    # -- tokens ---------------------------------------------------------------------------------------------------
    def token_color(self, token_id: int) -> str:
        """The colour of a vocabulary entry, the same through the whole film."""
        word = self.model.vocabulary[token_id]
        if word == self.model.start_symbol:
            return theme.START_TOKEN
        if word in self.model.source:
            return theme.SOURCE_TOKENS[list(dict.fromkeys(self.model.source)).index(word) % len(theme.SOURCE_TOKENS)]
        return theme.TARGET_TOKENS[list(dict.fromkeys(self.model.target)).index(word) % len(theme.TARGET_TOKENS)]

    def names(self, ids: Any) -> list[Name]:
        """Headings for token ids: the word in its colour."""
        return [Name(self.model.vocabulary[int(i)], self.token_color(int(i))) for i in ids]

    def tokens(self, ids: Any) -> list[tuple[str, str]]:
        """(word, colour) of token ids, for a TokenRow."""
        return [(name.text, name.color) for name in self.names(ids)]

    # -- chrome ---------------------------------------------------------------------------------------------------
    def _make_chrome(self) -> Chrome:
        entry, film = self.entry, self.storyboard.film
        words = ChromeWords(
            title=entry.title[self.language],
            takeaway=fill(entry.takeaway[self.language], self.film_facts()),
            step=film.words["step"][self.language],
            track=film.words[f"track_{entry.track}"][self.language],
            place=film.words[f"map_{entry.map}"][self.language],
        )
        return Chrome(
            words,
            entry.track,
            entry.map,
            entry.steps[0],
            self.storyboard.rank_of(entry),
            len(self.storyboard.scenes),
            self.model.encoder_layers,
            self.model.decoder_layers,
            self.map_layer,
        )
