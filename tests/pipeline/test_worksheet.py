"""The worksheet: every printed number is the trace's, every answer follows from what is given, nothing leaks."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine import ModelConfig, Trace, preset, run_trained
from pipeline.problems import UserError
from pipeline.storyboard import load_storyboard
from pipeline.worksheet import make_worksheet, worksheet_words
from pipeline.worksheet_exercises import Exercise, Label, Line, Number, Word, make_exercises
from pipeline.worksheet_pages import Page, markdown, numbers_of, web_page

LANGUAGES = ("zh", "en")


@pytest.fixture(scope="module")
def film() -> Trace:
    return run_trained(preset("tutorial"))


@pytest.fixture(scope="module", params=range(6))
def exercises(request: pytest.FixtureRequest, film: Trace) -> list[Exercise]:
    return make_exercises(film, request.param)


def by_name(exercises: list[Exercise], name: str) -> Exercise:
    return next(exercise for exercise in exercises if exercise.name == name)


def row(trace: Trace, exercise: Exercise, name: str) -> np.ndarray:
    """The numbers of the lines of that name as they are printed, (line, cell), or (cell,) of a single line."""
    found = [line for table in exercise.tables for line in table.lines if line.label.name == name]
    values = [[float(cell.text(trace).replace("−", "-")) for cell in line.cells] for line in found]
    return np.array(values[0] if len(values) == 1 else values)


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum()


def test_every_printed_number_is_the_trace_s_to_its_decimals(film: Trace, exercises: list[Exercise]) -> None:
    numbers = numbers_of(exercises)
    assert len(numbers) > 80
    for number in numbers:
        printed = float(number.text(film).replace("−", "-"))
        value = film[number.key][number.index]
        assert abs(printed - value) <= 0.5 * 10**-number.decimals + 1e-12
        assert not number.text(film).startswith("−0.") or printed != 0.0


def test_answers_follow_from_what_is_given(film: Trace, exercises: list[Exercise]) -> None:
    """Computed anew from the printed numbers alone, as a student would."""

    def same(found: np.ndarray | float, name: str, answer: str, room: float = 0.02) -> None:
        np.testing.assert_allclose(found, row(film, by_name(exercises, name), answer), atol=room, rtol=room)

    def given(name: str, line: str) -> np.ndarray:
        return row(film, by_name(exercises, name), line)

    same(given("input", "embedding") + given("input", "code"), "input", "sum")
    same(given("query", "matrix") @ given("query", "x"), "query", "q")
    dot = given("score", "q") @ given("score", "k")
    same(dot, "score", "dot")
    same(dot / math.sqrt(2), "score", "score")
    same(softmax(given("softmax", "scores")), "softmax", "pattern")
    same(given("mix", "pattern") @ given("mix", "v"), "mix", "z")
    x = given("norm", "x")
    same(x.mean(), "norm", "mean")
    same(x.var(), "norm", "var")
    same((x - x.mean()) / math.sqrt(x.var() + 1e-5), "norm", "out")
    same(np.maximum(given("relu", "pre"), 0), "relu", "post")
    scores = given("mask", "scores")
    weights = [[*softmax(scores[at, : at + 1]), *[0] * (3 - at)] for at in range(4)]
    same(np.array(weights), "mask", "weights")
    losses = -np.log(given("loss", "p"))
    same(losses, "loss", "loss")
    same(losses.mean(), "loss", "mean")
    greedy = by_name(exercises, "greedy")
    for before, chosen in (("before", "chosen_before"), ("after", "chosen_after")):
        line = next(line for line in greedy.asked() if line.label.name == chosen)
        assert line.cells[0].text(film) == film.config.vocabulary[row(film, greedy, before).argmax()]


def test_another_seed_asks_about_other_words_and_the_same_seed_about_the_same(film: Trace) -> None:
    assert make_exercises(film, 1) == make_exercises(film, 1)
    assert make_exercises(film, 1) != make_exercises(film, 2)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("write", [markdown, web_page])
def test_questions_have_no_answer_and_answers_have_each(
    film: Trace, exercises: list[Exercise], language: str, write: object
) -> None:
    words = worksheet_words()
    questions, answers = (write(Page(film, exercises, words, language, 1, key)) for key in (False, True))
    lines = [line for exercise in exercises for line in exercise.asked()]
    for line in lines:
        texts = [cell.text(film) for cell in line.cells]
        if write is markdown:
            printed = " | ".join(texts)
            assert f"| {printed} | `{line.cells[0].key}" in answers
            assert f" | {printed} |" not in questions or len(texts) == 1
        else:
            printed = "".join(f"<td>{html.escape(text)}</td>" for text in texts)
            assert f'{printed}<td class="source">{line.cells[0].key}' in answers
    if write is markdown:
        assert len(re.findall(r"(?<= \|)  (?=\|)", questions)) >= sum(len(line.cells) for line in lines)
    else:
        assert questions.count('class="blank"') == sum(len(line.cells) for line in lines)
        assert 'class="blank"' not in answers


def test_a_page_says_nothing_in_the_other_language(film: Trace, exercises: list[Exercise]) -> None:
    chinese = re.compile("[\u4e00-\u9fff]")
    words = worksheet_words()
    text = markdown(Page(film, exercises, words, "en", 1, False))
    for word in film.config.source:
        text = text.replace(word, "")
    assert not chinese.search(text)
    assert "{" not in text


def leaves(tree: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(tree, dict) and not set(tree) & set(LANGUAGES):
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    else:
        yield path, tree


def test_all_words_are_there_in_both_languages_and_have_the_same_placeholders() -> None:
    found = dict(leaves(worksheet_words()))
    assert len(found) > 40
    for path, words in found.items():
        assert isinstance(words, dict), path
        assert set(words) == set(LANGUAGES), path
        names = [sorted(re.findall(r"{(\w+)}", words[language])) for language in LANGUAGES]
        assert names[0] == names[1], path


def test_every_word_is_used(film: Trace) -> None:
    exercises = make_exercises(film, 1)
    used = {(exercise.name, label) for exercise in exercises for label in labels(exercise)}
    used |= {(exercise.name, own) for exercise in exercises for own in ("title", "task")}
    assert used - {(name, "dimension") for name, _ in used} == {
        (name, label) for name, words in worksheet_words()["exercises"].items() for label in words
    }


def labels(exercise: Exercise) -> Iterator[str]:
    for table in exercise.tables:
        yield from (column.name for column in table.columns if isinstance(column, Label))
        yield from (line.label.name for line in table.lines)


@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(source=("猫",), target=("cat",), d_model=2, heads=1, encoder_layers=1, decoder_layers=1),
        preset("paper", source=["a|b", "<i>", "`c`"], target=["*d*", "e&f", "_g_", "h"], d_model=8, heads=4),
        preset("tutorial", source=list("abcdefgh"), target=list("hgfeijkl"), d_model=16, d_ff=64),
    ],
    ids=["one word", "signs that mean something", "large"],
)
def test_any_model_has_a_worksheet(config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import trained  # noqa: PLC0415
    from engine.training import RECIPES, Recipe  # noqa: PLC0415

    monkeypatch.setattr(trained, "RECIPES", dict.fromkeys(RECIPES, Recipe(steps=0, rate=1.0)))
    trace = run_trained(config)
    exercises = make_exercises(trace, 0)
    names = {exercise.name for exercise in exercises}
    assert ("loss" in names) == (len(config.target) > 1 or config.start_symbol is not None)
    for language in LANGUAGES:
        for answers in (False, True):
            page = Page(trace, exercises, worksheet_words(), language, 0, answers)
            text, web = markdown(page), web_page(page)
            assert "<i>" not in text.replace("\\<i\\>", "")
            assert "<i>" not in web
            # A bar in a word does not make a column.
            for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
                widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().splitlines()}
                assert len(widths) == 1


def test_command_writes_four_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storyboard = load_storyboard(Path(__file__).parents[2] / "storyboard.yaml", check_scenes=False)
    assert make_worksheet(storyboard, "en", 7, tmp_path) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "worksheet-en-7-answers.html",
        "worksheet-en-7-answers.md",
        "worksheet-en-7.html",
        "worksheet-en-7.md",
    ]
    assert capsys.readouterr().out.count("worksheet-en-7") == 4
    with pytest.raises(UserError, match=r'no words in "fr"(.|\n)*allowed: zh, en(.|\n)*next:'):
        make_worksheet(storyboard, "fr", 7, tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be written"):
        make_worksheet(storyboard, None, 7, tmp_path / "file")


def test_number_and_word_as_printed(film: Trace) -> None:
    assert Number("src.input", (1, 2), 2).text(film) == "−0.09"
    assert Number("decoder.0.self_attn.pattern", (0, 0, 3), 2).text(film) == "0.00"
    assert Word("src.tokens", (3,)).text(film) == "课"
    assert Line(Label("x"), (Number("src.input", (1, 2), 2),)).asked is False
