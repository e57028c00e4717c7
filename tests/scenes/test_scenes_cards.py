"""The cards of the film pass every audit, in every language and about other models; and the audits look at cards."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import yaml
from other_models import LARGE, MODELS, SMALL, STORYBOARD

from pipeline.storyboard import load_storyboard
from scenes.cards import TitleCard
from scenes.stage.audit import drawn_cards, inspect_scene
from scenes.stage.audit.run import RATE
from scenes.stage.card import fitting

BOARD = load_storyboard(STORYBOARD)
LANGUAGES = BOARD.film.languages
CARDS = [pytest.param(card, id=entry.id) for entry, card in drawn_cards(BOARD)]


def test_the_film_has_both_cards():
    assert [entry.id for entry, _ in drawn_cards(BOARD)] == ["title_card", "end_card"]
    assert len(BOARD.drawn) == len([entry for entry in BOARD.scenes if not entry.draft]) + 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scene", CARDS)
def test_the_card_passes_all_audits(scene, language, look_at):
    seen = look_at(scene, STORYBOARD, language)
    assert not seen.findings, seen.report()
    assert 3 <= seen.frame_count / RATE <= 5
    assert [(cue.beat, cue.words) for cue in seen.cues] == [("card", "")]
    assert seen.opening.things  # neither the first frame of the film nor that of the end card is empty
    assert not seen.opening.same_as(seen.closing)


@pytest.mark.parametrize(
    ("model", "language"),
    [
        pytest.param(model, language, marks=() if model in (SMALL, LARGE) else pytest.mark.slow)
        for model, language in product(MODELS, LANGUAGES)
    ],
)
@pytest.mark.parametrize("scene", CARDS)
def test_the_card_passes_with_other_models(scene, model, language, look_at, other_storyboards):
    seen = look_at(scene, other_storyboards[model], language)
    assert not seen.findings, seen.report()


def derived(path: Path, change) -> Path:
    document = yaml.safe_load(STORYBOARD.read_text(encoding="utf-8"))
    change(document["film"])
    path.write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def test_long_words_and_a_licence_fit(tmp_path):
    def longer(film):
        film["licence"] = "CC BY-SA 4.0, with every number and every picture of it, and all that is said in it as well"
        film["title"] = {name: "How a Transformer is trained and what it does when it is asked" for name in LANGUAGES}
        film["cards"]["end"]["labels"]["next"] = {
            name: "Do it again with words of your own. " * 6 for name in LANGUAGES
        }

    board = derived(tmp_path / "long.yaml", longer)
    for _, card in drawn_cards(BOARD):
        assert inspect_scene(card, board, LANGUAGES[0]).report() == ""


def test_a_card_that_speaks_lasts_as_long_as_its_words(tmp_path):
    def speak(film):
        film["cards"]["title"]["words"] = {"zh": "这部影片讲的是“{source}”。" * 3, "en": "A film about “{source}”."}

    seen = inspect_scene(TitleCard, derived(tmp_path / "spoken.yaml", speak), "zh")
    assert seen.report() == ""
    assert 5 < seen.frame_count / RATE < 8
    assert seen.cues[0].words.startswith("这部影片讲的是“我爱水课”。")


def test_the_audits_look_at_cards():
    """A card on which something is wrong is found out."""

    class Frozen(TitleCard):
        @classmethod
        def name_in_storyboard(cls) -> str:
            return TitleCard.name_in_storyboard()

        def construct(self) -> None:
            with self.beat("card"):
                self.add(fitting("too small", 9.0, 5.0).move_to([0, -3.4, 0]))
                self.wait(9)

    report = inspect_scene(Frozen, STORYBOARD, "en").report()
    for law in ("[stillness]", "[length]", "[height]"):
        assert law in report, report
