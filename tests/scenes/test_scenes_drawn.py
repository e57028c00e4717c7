"""Every drawn scene of the film, in every language, passes every audit; so it does with other sentences and seeds.

The scenes are those that the storyboard does not call drafts. None is named here, none is excepted.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from other_models import LARGE, MODELS, SMALL, STORYBOARD, derived

from engine import preset
from pipeline.storyboard import Entry, load_storyboard
from scenes.stage.audit import drawn_scenes
from scenes.stage.audit.texts import DECIMAL, missing_glyphs
from scenes.stage.scene import ExplainerScene

BOARD = load_storyboard(STORYBOARD)
LANGUAGES = BOARD.film.languages
DRAWN = [pytest.param(entry, scene, id=entry.id) for entry, scene in drawn_scenes(BOARD)]

ANOTHER_SEED = 7


@pytest.fixture(scope="session")
def another_seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return derived(tmp_path_factory.mktemp("seed"), "seed", {**MODELS[SMALL], "seed": ANOTHER_SEED})


def test_there_are_drawn_scenes():
    assert DRAWN
    assert len({param.values[0].id for param in DRAWN}) == sum(not entry.draft for entry in BOARD.scenes)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("entry", "scene"), DRAWN)
def test_the_scene_passes_all_audits(entry: Entry, scene: type[ExplainerScene], language, look_at):
    seen = look_at(scene, STORYBOARD, language)
    assert not seen.findings, f"{len(seen.findings)} findings\n{seen.report()}"
    assert (seen.scene, seen.language) == (entry.scene, language)
    assert [cue.beat for cue in seen.cues] == list(entry.beats)


@pytest.mark.parametrize("model", [SMALL, LARGE])
@pytest.mark.parametrize(("entry", "scene"), DRAWN)
def test_the_scene_passes_with_another_model(entry, scene, model, look_at, other_storyboards):
    seen = look_at(scene, other_storyboards[model], LANGUAGES[0])
    assert not seen.findings, f"{len(seen.findings)} findings\n{seen.report()}"
    assert seen.scene == entry.scene


@pytest.mark.parametrize("scene", [pytest.param(param.values[1], id=param.id) for param in DRAWN])
def test_another_sentence_and_another_seed_change_the_numbers(scene, look_at, other_storyboards, another_seed):
    told = look_at(scene, STORYBOARD, LANGUAGES[0]).numbers
    three = look_at(scene, other_storyboards[SMALL], LANGUAGES[0]).numbers
    again = look_at(scene, another_seed, LANGUAGES[0])
    assert not again.findings, again.report()
    if told:  # a scene without numbers has none to change
        assert told != three
    computed = [origin for origin in three.keys() & again.numbers.keys() if origin.decimals]
    if computed:  # ids of tokens are whole, and no seed changes them
        assert any(again.numbers[origin] != three[origin] for origin in computed)


def test_some_numbers_are_drawn(look_at):
    """The audits of numbers would pass on a film without any."""
    counts = [len(look_at(param.values[1], STORYBOARD, LANGUAGES[0]).numbers) for param in DRAWN]
    assert sum(counts) > 20 * len(counts)


# -- the words of all entries, drafts too ----------------------------------------------------------------------------
def texts() -> list[tuple[str, str]]:
    """Every text of the storyboard with its place."""
    film = BOARD.film
    found = [(f"film.title.{language}", text) for language, text in film.title.items()]
    found += [(f"film.words.{name}.{lang}", text) for name, words in film.words.items() for lang, text in words.items()]
    for entry in BOARD.scenes:
        parts = {"title": entry.title, "takeaway": entry.takeaway}
        parts |= {f"labels.{name}": words for name, words in entry.labels.items()}
        parts |= {f"beats.{name}": beat.words for name, beat in entry.beats.items()}
        found += [(f"{entry.id}.{name}.{lang}", text) for name, words in parts.items() for lang, text in words.items()]
    return found


def test_every_character_of_the_storyboard_has_a_glyph():
    missing = {place: missing_glyphs(text) for place, text in texts() if missing_glyphs(text)}
    assert not missing


def test_every_word_of_the_model_has_glyphs():
    model = dict(BOARD.film.model)
    for word in preset(model.pop("preset"), **model).vocabulary:
        assert not missing_glyphs(word)


def test_no_decimal_number_is_typed_in_the_storyboard():
    assert not [place for place, text in texts() if DECIMAL.search(re.sub(r"\{[^{}]*\}", "", text))]


def test_every_text_is_there_in_every_language():
    """What is said in one language is said in all; the audits then look at each."""
    for place in {place.rpartition(".")[0] for place, _ in texts()}:
        assert {name.rpartition(".")[2] for name, _ in texts() if name.rpartition(".")[0] == place} == set(LANGUAGES)
