"""The grammar of `explain train` and `explain worksheet`. The engine is imported only when one of them runs."""

from __future__ import annotations

import argparse
from typing import Any

from .arguments import Parsed, Shared, add_command, language_option, one_of, out_option, whole
from .storyboard import load_storyboard

CORPORA = ("one_sentence", "word_by_word")
WORKSHEETS = "worksheet"


def add_learning_commands(commands: Any, shared: Shared) -> None:
    """Add both commands to `commands`, argparse's subparsers."""
    train = add_command(
        commands,
        "train",
        "train the storyboard's model and keep its weights",
        "Train the storyboard's model, from the weights that the film shows, and write one small text file "
        "for each corpus. The film uses the file from then on.",
    )
    train.add_argument(
        "--corpus",
        type=_corpora,
        default=CORPORA,
        metavar="NAME",
        help="one_sentence: the film's sentence alone; word_by_word: all sentences of its words, or 256 of them, "
        "translated word by word; all: both (default)",
    )
    train.add_argument(
        "--steps", type=whole(0, 20_000), metavar="N", help="updates of the weights (default: 200; 3000)"
    )
    train.add_argument("--rate", type=_rate, metavar="X", help="learning rate (default: 0.05; 0.02, falling to 0)")
    train.add_argument("--order", type=whole(0, 2**32 - 1), metavar="N", help="seed of the order of the sentences")
    train.add_argument(
        "--restarts",
        type=whole(1, 1000),
        metavar="N",
        help="try at most N orders, until words and attention are right (default: 8)",
    )
    out_option(train, "FOLDER", "engine/weights")
    shared.common(train)

    worksheet = add_command(
        commands,
        "worksheet",
        "write exercises for students and their answers",
        "Write exercises made from the model's numbers, and their answers in files of their own, as "
        "Markdown and as HTML for printing.",
    )
    language_option(worksheet, "zh or en", "the storyboard's default_language")
    worksheet.add_argument(
        "--seed",
        type=whole(0, 999_999),
        default=1,
        metavar="N",
        help="which words and heads are asked about (default: 1)",
    )
    out_option(worksheet, "FOLDER", "media/worksheet")
    shared.common(worksheet)

    def run_train(arguments: Parsed) -> int:
        from engine.weights_file import FOLDER  # noqa: PLC0415

        from .train_command import TrainRequest, train_model  # noqa: PLC0415

        request = TrainRequest(
            corpora=arguments.corpus,
            steps=arguments.steps,
            rate=arguments.rate,
            order=arguments.order,
            restarts=arguments.restarts,
            folder=arguments.out or FOLDER,
        )
        return train_model(load_storyboard(shared.storyboard(arguments), check_scenes=False), request)

    def run_worksheet(arguments: Parsed) -> int:
        from .worksheet import make_worksheet  # noqa: PLC0415

        board = load_storyboard(shared.storyboard(arguments), check_scenes=False)
        folder = arguments.out or shared.media(arguments) / WORKSHEETS
        return make_worksheet(board, arguments.language, arguments.seed, folder)

    train.set_defaults(run=run_train)
    worksheet.set_defaults(run=run_worksheet)


def _corpora(text: str) -> tuple[str, ...]:
    name = one_of([*CORPORA, "all"], "a corpus")(text)
    return CORPORA if name == "all" else (name,)


def _rate(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 10.0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a learning rate; allowed: more than 0, at most 10')
    return number
