"""The grammar of `explain train` and `explain worksheet`. The engine is imported only when one of them runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .problems import did_you_mean, listed
from .storyboard import load_storyboard

CORPORA = ("one_sentence", "word_by_word")
WORKSHEETS = "worksheet"


def add_learning_commands(
    commands: Any,
    common: Callable[[Any], None],
    storyboard: Callable[[argparse.Namespace], Path],
    media: Callable[[argparse.Namespace], Path],
) -> None:
    """Add both commands to `commands`, argparse's subparsers.

    `common` adds the options that every command has; `storyboard` and `media` read the paths from parsed arguments.
    """
    train = commands.add_parser(
        "train",
        allow_abbrev=False,
        help="train the storyboard's model and keep its weights",
        description="Train the storyboard's model, from the weights that the film shows, and write one small text file "
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
        "--steps", type=_whole(0, 20_000), metavar="N", help="updates of the weights (default: 200; 3000)"
    )
    train.add_argument("--rate", type=_rate, metavar="X", help="learning rate (default: 0.05; 0.02, falling to 0)")
    train.add_argument("--order", type=_whole(0, 2**32 - 1), metavar="N", help="seed of the order of the sentences")
    train.add_argument(
        "--restarts",
        type=_whole(1, 1000),
        metavar="N",
        help="try at most N orders, until words and attention are right (default: 8)",
    )
    train.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: engine/weights)")
    common(train)

    worksheet = commands.add_parser(
        "worksheet",
        allow_abbrev=False,
        help="write exercises for students and their answers",
        description="Write exercises made from the model's numbers, and their answers in files of their own, as "
        "Markdown and as HTML for printing.",
    )
    worksheet.add_argument("--language", metavar="LANG", help="zh or en (default: the storyboard's default_language)")
    worksheet.add_argument(
        "--seed",
        type=_whole(0, 999_999),
        default=1,
        metavar="N",
        help="which words and heads are asked about (default: 1)",
    )
    worksheet.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: media/worksheet)")
    common(worksheet)

    def run_train(arguments: argparse.Namespace) -> int:
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
        return train_model(load_storyboard(storyboard(arguments), check_scenes=False), request)

    def run_worksheet(arguments: argparse.Namespace) -> int:
        from .worksheet import make_worksheet  # noqa: PLC0415

        board = load_storyboard(storyboard(arguments), check_scenes=False)
        folder = arguments.out or media(arguments) / WORKSHEETS
        return make_worksheet(board, arguments.language, arguments.seed, folder)

    train.set_defaults(run=run_train)
    worksheet.set_defaults(run=run_worksheet)


def _corpora(text: str) -> tuple[str, ...]:
    if text == "all":
        return CORPORA
    if text not in CORPORA:
        names = [*CORPORA, "all"]
        hint = did_you_mean(text, names)
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a corpus; allowed: {listed(names)}' + (f"; {hint}" if hint else "")
        )
    return (text,)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f'"{text}" is not allowed; allowed: whole numbers from {low} to {high}')
        return number

    return parse


def _rate(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 10.0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a learning rate; allowed: more than 0, at most 10')
    return number
