"""`explain worksheet`: exercises for students, made from the trace, and their answers in files of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from engine import WeightsFileError, preset, run_trained

from .files import write_text
from .problems import UserError, did_you_mean, listed, shown_path
from .storyboard import Storyboard
from .worksheet_exercises import make_exercises
from .worksheet_pages import Page, markdown, web_page

WORDS = Path(__file__).with_name("worksheet_words.yaml")


def worksheet_words() -> Mapping[str, Any]:
    """The words of the worksheet by language."""
    return yaml.safe_load(WORDS.read_text(encoding="utf-8"))


def make_worksheet(storyboard: Storyboard, language: str | None, seed: int, folder: Path) -> int:
    """Write questions and answers about the storyboard's model to `folder`, each as Markdown and as HTML.

    `language` defaults to the storyboard's. Returns the exit status. Raises UserError for a language the worksheet has
    no words in, and where a file cannot be written.
    """
    words = worksheet_words()
    languages = list(words["title"])
    language = language or storyboard.film.default_language
    if language not in languages:
        hint = did_you_mean(language, languages, f"add its words to {shown_path(WORDS)}")
        raise UserError(
            f'The worksheet has no words in "{language}".\n    allowed: {listed(languages)}\n    next: {hint}'
        )
    name, settings = storyboard.film.preset
    try:
        trace = run_trained(preset(name, **settings))
        exercises = make_exercises(trace, seed)
    except WeightsFileError as error:
        raise UserError(str(error)) from None
    for answers in (False, True):
        page = Page(trace, exercises, words, language, seed, answers)
        stem = f"worksheet-{language}-{seed}{'-answers' if answers else ''}"
        for ending, text in ((".md", markdown(page)), (".html", web_page(page))):
            path = folder / (stem + ending)
            try:
                write_text(path, text)
            except OSError as error:
                raise UserError(f'"{path}" cannot be written: {error.strerror or error}') from None
            print(shown_path(path))
    return 0
