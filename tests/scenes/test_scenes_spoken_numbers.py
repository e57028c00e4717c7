"""Every number in the words of the film says where it comes from, and reads as what stands there."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
from other_models import STORYBOARD

from engine import Trace, preset, run_trained
from pipeline.course.provenance import Fragment, fragments
from pipeline.jobs import ClipCue, origins_of
from pipeline.storyboard import FILM_PLACEHOLDERS, Entry, load_storyboard
from scenes.stage.audit import drawn_scenes
from scenes.stage.beats import Cue
from scenes.stage.facts import told
from scenes.stage.reckoning import Entry as At
from scenes.stage.reckoning import Length, Product, Root, Sum

BOARD = load_storyboard(STORYBOARD)
DRAWN = [pytest.param(entry, scene, id=entry.id) for entry, scene in drawn_scenes(BOARD)]
KEY = "encoder.0.attn.pattern"


@cache
def trace() -> Trace:
    name, settings = BOARD.film.preset
    return run_trained(preset(name, **settings))


def numbers(cue: Cue, entry: Entry, language: str) -> list[Fragment]:
    """The numbers in the words of `cue`, each with the place that the scene says; nothing is searched for."""
    origins = origins_of([vars(origin) for origin in cue.origins])
    said = ClipCue(cue.beat, cue.start_frame, cue.end_frame, cue.words, cue.steps, origins)
    return [part for part in fragments(said, entry, language, trace(), reads=()) if part.number]


@pytest.mark.parametrize("language", BOARD.film.languages)
@pytest.mark.parametrize(("entry", "scene"), DRAWN)
def test_every_number_that_is_said_is_linked(entry: Entry, scene: Any, language: str, look_at: Any) -> None:
    """A number without a link is a fact that a scene passes to its beat as a bare number: `told` or `self.value`."""
    seen = look_at(scene, STORYBOARD, language)
    for cue in seen.cues:
        for part in numbers(cue, entry, language):
            where = f"{entry.id}, {cue.beat}: {part.text} in “{cue.words}”"
            assert part.place or part.setting, where
            assert part.exact, where
            if part.place is None:
                assert part.setting in FILM_PLACEHOLDERS, where
                continue
            array = trace()[part.place.key]
            assert part.place.index is None or len(part.place.index) == array.ndim, where
            if part.how or (part.place.index is None and array.ndim):
                assert part.how, where
                continue
            value, text = float(array[part.place.index or ()]), part.text.replace("−", "-")
            decimals = len(text.partition(".")[2])
            assert math.isclose(float(text), value, rel_tol=1e-12, abs_tol=0.5 * 10.0**-decimals + 1e-12), where


def test_there_are_many_numbers(look_at: Any) -> None:
    """The test above would pass on a film that says none."""
    said = [
        number
        for entry, scene in drawn_scenes(BOARD)
        for cue in look_at(scene, STORYBOARD, "zh").cues
        for number in numbers(cue, entry, "zh")
    ]
    assert len(said) > 60
    assert sum(part.place is not None for part in said) > 40


def test_a_fact_knows_where_it_comes_from() -> None:
    (origin,) = told(0.25, At(KEY, (0, 1, 2))).origins
    assert (origin.places, origin.how) == (((KEY, (0, 1, 2)),), "")
    root = Root(Length(KEY))
    (origin,) = told(2.0, root).origins
    assert (origin.places, origin.how) == (((KEY, ()),), str(root))
    terms = Sum((Product((At(KEY, (0, 0, 0)), At("logits", (1, 2)))), At(KEY, (0, 0, 0))))
    (origin,) = told(2.0, terms).origins
    assert origin.places == ((KEY, (0, 0, 0)), ("logits", (1, 2)))
    assert origin.how == str(terms)


def test_a_fact_fills_words_as_its_value_does() -> None:
    assert f"{told(-0.256, At(KEY)):.1f} {told(3, At(KEY))} {told('3, 4', At(KEY), At(KEY))}" == "−0.3 3 3, 4"
    assert [len(told(value, At(KEY), At(KEY)).origins) for value in (0.5, 3, "3, 4")] == [1, 1, 2]
    (origin,) = told(2, setting="heads").origins
    assert (origin.places, origin.setting) == ((), "heads")
    assert [one.name for one in told("3, 4", At(KEY), At(KEY)).named("ids")] == ["ids", "ids"]
