"""`explain train` and `explain worksheet` from the command line."""

from __future__ import annotations

import io
import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from small_studio import Studio

from engine import preset
from engine.corpora import CORPORA
from engine.training import RECIPES, Recipe, train
from engine.weights_file import path_of, read
from pipeline import cli, learning_commands, train_command
from pipeline.problems import UserError
from pipeline.storyboard import load_storyboard
from pipeline.train_command import TrainRequest, train_model


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_grammar_knows_the_corpora_of_the_engine() -> None:
    assert tuple(CORPORA) == learning_commands.CORPORA


def test_train_writes_one_file_a_corpus_and_tells_what_came_out(
    studio: Studio, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "weights"
    arguments = ["train", "--steps", "70", "--restarts", "2", "--order", "7", "--out", str(folder)]
    assert cli.main([*arguments, "--storyboard", str(studio.storyboard)]) == 0
    config = preset("tutorial")
    said = capsys.readouterr()
    paths = [path_of(config, corpus, folder) for corpus in CORPORA]
    assert sorted(folder.iterdir()) == sorted(paths)
    for corpus, path in zip(CORPORA, paths, strict=True):
        training = read(path, config)
        assert training.recipe.steps == 70
        assert path.name in said.out
        assert f"loss {training.history.loss[0]:.3f} → {training.loss:.4f}" in said.out
        assert (
            f"{corpus}: step 70 of 70, loss {training.loss:.4f}, {training.accuracy:.1%} of the words right" in said.err
        )
    # A single sentence has one order; many have several, and the better of the two was kept.
    assert "one_sentence: beginning anew" not in said.err
    assert "word_by_word: beginning anew with another order of the sentences (2 of 2)" in said.err
    tried = [train(config, "word_by_word", Recipe(70, 0.02, "linear", 32, order)) for order in (7, 8)]
    assert read(paths[1], config).accuracy == max(training.accuracy for training in tried)


def test_train_follows_the_storyboard_s_model(studio: Studio, tmp_path: Path) -> None:
    text = studio.storyboard.read_text(encoding="utf-8")
    studio.storyboard.write_text(
        text.replace("model: {preset: tutorial}", "model: {preset: paper, source: [a, b], target: [x, y, z], seed: 3}"),
        encoding="utf-8",
    )
    board = load_storyboard(studio.storyboard, check_scenes=False)
    assert train_model(board, TrainRequest(("one_sentence",), steps=3, folder=tmp_path), io.StringIO()) == 0
    config = preset("paper", source=["a", "b"], target=["x", "y", "z"], seed=3)
    assert read(path_of(config, "one_sentence", tmp_path), config).config == config


def test_progress_is_one_line_on_a_terminal_and_a_few_elsewhere(studio: Studio, tmp_path: Path) -> None:
    board = load_storyboard(studio.storyboard, check_scenes=False)
    terminal, file = Terminal(), io.StringIO()
    for err in (terminal, file):
        train_model(board, TrainRequest(("one_sentence",), steps=100, folder=tmp_path), err)
    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().count("\r") == 61
    lines = file.getvalue().splitlines()
    assert 5 <= len(lines) <= 9
    assert lines[0].startswith("one_sentence: step 0 of 100, loss 2.3595, 0.0% of the words right")
    assert "step 100 of 100" in lines[-1]


def test_an_interrupted_training_leaves_the_old_file_alone(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = preset("tutorial")
    arguments = ["train", "--corpus", "one_sentence", "--steps", "5", "--out", str(tmp_path / "weights")]
    assert cli.main([*arguments, "--storyboard", str(studio.storyboard)]) == 0
    before = path_of(config, "one_sentence", tmp_path / "weights").read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(train_command, "restarts", interrupted)
    assert cli.main([*arguments, "--storyboard", str(studio.storyboard)]) == cli.INTERRUPTED
    assert [path.read_bytes() for path in (tmp_path / "weights").iterdir()] == [before]


def test_a_killed_training_leaves_nothing(studio: Studio, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    training = studio.start("train", "--corpus", "word_by_word", "--out", str(folder))
    assert training.stdout is not None
    assert "step 0 of" in training.stdout.readline()
    time.sleep(0.2)
    training.send_signal(signal.SIGKILL)
    training.wait(timeout=20)
    training.stdout.close()
    assert not folder.exists() or list(folder.iterdir()) == []


def test_what_cannot_be_written_is_one_message(
    studio: Studio, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    arguments = ["train", "--corpus", "one_sentence", "--steps", "0", "--out", str(tmp_path / "file")]
    assert cli.main([*arguments, "--storyboard", str(studio.storyboard)]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_a_recipe_that_cannot_be_is_named_as_its_option(studio: Studio, tmp_path: Path) -> None:
    board = load_storyboard(studio.storyboard, check_scenes=False)
    with pytest.raises(UserError, match=r"--rate: must be a number above 0"):
        train_model(board, TrainRequest(rate=-1.0, folder=tmp_path), io.StringIO())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "--corpus", "one_sentense"], ["one_sentence, word_by_word, all", 'did you mean "one_sentence"?']),
        (["train", "--steps", "many"], ["whole numbers from 0 to 20000"]),
        (["train", "--rate", "0"], ["more than 0, at most 10"]),
        (["train", "--rate", "nan"], ["more than 0, at most 10"]),
        (["train", "--restarts", "0"], ["whole numbers from 1 to 1000"]),
        (["worksheet", "--seed", "-1"], ["whole numbers from 0 to 999999"]),
        (["worksheet", "--languge", "en"], ['did you mean "--language"?']),
    ],
)
def test_wrong_arguments_are_named(
    arguments: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert [text for text in expected if text not in said] == []


def test_worksheet_command(studio: Studio, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ["--storyboard", str(studio.storyboard), "--media", str(tmp_path)]
    assert cli.main(["worksheet", "--seed", "3", *own]) == 0
    names = [path.name for path in sorted((tmp_path / "worksheet").iterdir())]
    assert names == [f"worksheet-zh-3{rest}" for rest in ("-answers.html", "-answers.md", ".html", ".md")]
    assert capsys.readouterr().out.count("worksheet-zh-3") == 4
    assert cli.main(["worksheet", "--language", "fr", *own]) == 1
    assert "allowed: zh, en" in capsys.readouterr().err


def test_damaged_weights_are_told_in_one_message(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = path_of(preset("tutorial"), "word_by_word")
    data = json.loads(path.read_text(encoding="utf-8"))
    data["weights"]["weights.W_out"][0][0] += 1.0
    damaged = tmp_path / path.name
    damaged.write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr("engine.weights_file.path_of", lambda *_: damaged)
    own = ["--storyboard", str(studio.storyboard), "--media", str(tmp_path)]
    for command in (["worksheet"], ["trace", "--keys", "trained.word_by_word.probs"]):
        assert cli.main([*command, *own]) == 1
        said = capsys.readouterr().err
        assert str(damaged) in said
        assert "other weights than its digest says" in said
        assert "Traceback" not in said


def test_recipes_are_those_of_the_help() -> None:
    assert {corpus: (recipe.steps, recipe.rate) for corpus, recipe in RECIPES.items()} == {
        "one_sentence": (200, 0.05),
        "word_by_word": (3000, 0.02),
    }
    assert np.isclose(RECIPES["word_by_word"].rate_at(2999), 0.02 / 3000)
