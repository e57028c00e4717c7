"""docs/training.md and the survey it quotes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import Trace, preset, run_trained, training_page
from engine.documents import write_whole
from engine.survey import MODELS, Trial, read_survey, size_of, survey, to_text
from engine.trained import trained
from engine.training import RECIPES


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return read_survey()


@pytest.fixture(scope="module")
def film() -> Trace:
    return run_trained(preset("tutorial"))


def test_committed_page_is_that_of_the_weights(film: Trace, trials: list[Trial]) -> None:
    assert training_page.PAGE.read_text(encoding="utf-8") == training_page.render_training(film, trials)
    assert training_page.main(["--check"]) == 0


def test_page_has_the_numbers_that_were_promised(film: Trace, trials: list[Trial]) -> None:
    page = training_page.render_training(film, trials)
    for corpus in RECIPES:
        assert f"{film[f'trained.{corpus}.loss.shifted.mean']:.4f}" in page
        assert f"{film[f'training.{corpus}.accuracy_all']:.1%}" in page
        for row, index in enumerate(film.ids("labels.shifted")):
            assert f"{film[f'trained.{corpus}.probs'][row, index]:.3f}" in page
        for share in film[f"trained.{corpus}.decoder.1.cross_attn.pattern"][:, :3].ravel():
            assert f"{share:.3f}" in page
    assert "64 of the 64 sentences that begin with 我" in " ".join(page.split())


def test_survey_has_every_model_and_agrees_with_the_committed_weights(trials: list[Trial]) -> None:
    assert [(dict(trial.settings), len(trial.outcomes)) for trial in trials] == [(dict(s), n) for s, n in MODELS]
    for trial in trials:
        assert trial.weights == size_of(preset("tutorial", **trial.settings))
        assert [one.order for one in trial.outcomes] == list(range(len(trial.outcomes)))
    film = next(trial for trial in trials if not trial.settings)
    committed = trained(preset("tutorial"), "word_by_word")
    same = film.outcomes[committed.recipe.order]
    assert same.loss == pytest.approx(committed.loss, abs=1e-5)
    assert same.accuracy == committed.accuracy
    np.testing.assert_allclose(same.attention, committed.attention.max(axis=0), atol=1e-3)
    assert same.one_head == pytest.approx(committed.attention.min(axis=1).max(), abs=1e-3)


def test_a_training_that_the_film_needs_takes_less_than_a_minute(trials: list[Trial]) -> None:
    film = next(trial for trial in trials if not trial.settings)
    assert max(one.seconds for one in film.outcomes) < 60


def test_survey_is_written_and_read_back(tmp_path: Path) -> None:
    recipe = replace(RECIPES["word_by_word"], steps=2)
    models = (({}, 2), ({"d_model": 2, "heads": 1}, 1))
    made = list(survey(models, recipe))
    write_whole(tmp_path / "survey.json", to_text(made))
    assert read_survey(tmp_path / "survey.json") == made
    again = list(survey(models, recipe))
    assert [[replace(one, seconds=0) for one in trial.outcomes] for trial in again] == [
        [replace(one, seconds=0) for one in trial.outcomes] for trial in made
    ]
    assert made[0].outcomes[0].loss != made[0].outcomes[1].loss


def test_verdict_follows_the_numbers(film: Trace, trials: list[Trial]) -> None:
    own = next(trial for trial in trials if not trial.settings)
    small = next(trial for trial in trials if trial.settings.get("d_ff") == 1)
    good = replace(small.outcomes[0], accuracy=1.0, attention=(0.95, 0.96, 0.97))
    bad = replace(good, attention=(0.95, 0.1, 0.97))
    for outcome, words in ((good, f"has {small.weights} weights"), (bad, "No smaller model was found")):
        page = training_page.render_training(film, [replace(small, outcomes=(outcome,)), own])
        assert words in " ".join(page.split())
