"""Exercises as pages: Markdown to be edited, HTML to be printed; the questions in one file, the answers in another."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine import Trace

from .worksheet_exercises import Cell, Exercise, Label, Line, Number, Table

_STYLE = """\
body { font: 12pt/1.5 "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; color: #111; background: #fff;
       max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; }
h2 { font-size: 1.1rem; margin: 0 0 .2rem; }
section { break-inside: avoid; margin: 1.6rem 0; }
.student { float: right; border-bottom: 1px solid #111; width: 14rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { border: 1px solid #777; padding: .25rem .6rem; text-align: right; min-width: 3.2rem; font-weight: normal; }
th[scope=row] { text-align: left; background: #f2f2f2; }
thead th { text-align: center; background: #f2f2f2; }
td.blank { height: 1.6rem; background: #fff; }
td.source { text-align: left; font: 9pt monospace; border: none; color: #444; }
@page { margin: 18mm; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } }
"""


@dataclass(frozen=True)
class Page:
    """What both formats of a page say, in one language."""

    trace: Trace
    exercises: list[Exercise]
    words: Mapping[str, Any]
    language: str
    seed: int
    answers: bool

    def say(self, words: Mapping[str, str], **fields: object) -> str:
        """The words in the page's language, filled."""
        return words[self.language].format(**fields)

    def label(self, exercise: Exercise, label: Label | str) -> str:
        """A label's words: the exercise's own, else the page's. A string is said as it is."""
        if isinstance(label, str):
            return label
        own = self.words["exercises"][exercise.name]
        return self.say(own.get(label.name) or self.words[label.name], **label.fields)

    @property
    def title(self) -> str:
        """The heading of the page."""
        words = self.trace.config.source
        source = ("" if all(len(word) == 1 for word in words) else " ").join(words)  # as the film writes it
        return self.say(self.words["answers_title" if self.answers else "title"], source=source)

    @property
    def subtitle(self) -> str:
        """Which set of exercises this is."""
        return self.say(self.words["set"], seed=self.seed)

    @property
    def introduction(self) -> str:
        """What to know before the first exercise."""
        config = self.trace.config
        return self.say(
            self.words["answers_introduction" if self.answers else "introduction"],
            vocabulary_size=len(config.vocabulary),
            d_model=config.d_model,
            heads=config.heads,
            d_ff=config.d_ff,
        )

    def heading(self, number: int, exercise: Exercise) -> str:
        """An exercise's heading, numbered from 1."""
        title = self.say(self.words["exercises"][exercise.name]["title"])
        return self.say(self.words["heading"], number=number, title=title)

    def task(self, exercise: Exercise) -> str:
        """What is to be done."""
        return self.say(self.words["exercises"][exercise.name]["task"], **exercise.fields)

    def tables(self, exercise: Exercise) -> list[Table]:
        """The tables of the page: all of them, or what was asked for."""
        if not self.answers:
            return list(exercise.tables)
        kept = (Table(table.columns, tuple(line for line in table.lines if line.asked)) for table in exercise.tables)
        return [table for table in kept if table.lines]

    def cell(self, line: Line, cell: Cell, blank: str) -> str:
        """A cell's text; what is asked for is `blank` in the questions."""
        return blank if line.asked and not self.answers else cell.text(self.trace)

    def source(self, line: Line) -> str:
        """Where an answer stands in the trace, and by which law it was made."""
        return f"{place_of(line.cells)} = {self.trace.spec(line.cells[0].key).formula}"


def place_of(cells: tuple[Cell, ...]) -> str:
    """Key and index of cells in one row, as in `encoder.0.attn.q[0, 1, :]`."""
    key, index = cells[0].key, [str(number) for number in cells[0].index]
    if len(cells) > 1:
        index[-1] = ":"
    return f"{key}[{', '.join(index)}]" if index else key


def markdown(page: Page) -> str:
    """The page as Markdown."""
    parts = [f"# {_marked(page.title)}", _marked(page.subtitle), _marked(page.introduction)]
    for number, exercise in enumerate(page.exercises, 1):
        parts.append(f"## {_marked(page.heading(number, exercise))}")
        if not page.answers:
            parts.append(_marked(page.task(exercise)))
        parts += [_markdown_table(page, exercise, table) for table in page.tables(exercise)]
    return "\n\n".join(parts) + "\n"


def web_page(page: Page) -> str:
    """The page as one HTML file that needs no other, made for printing on A4 or Letter."""
    sections = []
    for number, exercise in enumerate(page.exercises, 1):
        task = "" if page.answers else f"<p>{html.escape(page.task(exercise))}</p>\n"
        tables = "\n".join(_html_table(page, exercise, table) for table in page.tables(exercise))
        sections.append(
            f"<section>\n<h2>{html.escape(page.heading(number, exercise))}</h2>\n{task}{tables}\n</section>"
        )
    student = "" if page.answers else f'<p class="student">{html.escape(page.say(page.words["student"]))}</p>\n'
    return (
        f'<!doctype html>\n<html lang="{html.escape(page.language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(page.title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{student}"
        f"<h1>{html.escape(page.title)}</h1>\n<p>{html.escape(page.subtitle)}</p>\n"
        f"<p>{html.escape(page.introduction)}</p>\n" + "\n".join(sections) + "\n</body>\n</html>\n"
    )


def _marked(text: str) -> str:
    """Text whose signs mean nothing to Markdown."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|~$" else sign for sign in text)


def _markdown_table(page: Page, exercise: Exercise, table: Table) -> str:
    rows = _rows(page, exercise, table, blank="", code=lambda text: f"`{text}`", plain=_marked)
    head = rows[0]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _rows(
    page: Page, exercise: Exercise, table: Table, *, blank: str, code: Callable[[str], str], plain: Callable[[str], str]
) -> list[list[str]]:
    """The head and the lines of a table; in the answers with one more column: where it stands in the trace."""
    width = max(len(line.cells) for line in table.lines)
    columns = [plain(page.label(exercise, column)) for column in table.columns] or [""] * width
    rows = [["", *columns, *([plain(page.say(page.words["source"]))] if page.answers else [])]]
    for line in table.lines:
        cells = [plain(page.cell(line, cell, blank)) for cell in line.cells]
        rows.append(
            [plain(page.label(exercise, line.label)), *cells, *([code(page.source(line))] if page.answers else [])]
        )
    return rows


def _html_table(page: Page, exercise: Exercise, table: Table) -> str:
    def cells(line: Line) -> Iterable[str]:
        for cell in line.cells:
            text = html.escape(page.cell(line, cell, ""))
            yield f"<td>{text}</td>" if text else '<td class="blank"></td>'
        if page.answers:
            yield f'<td class="source">{html.escape(page.source(line))}</td>'

    head = ""
    if table.columns:
        columns = "".join(f'<th scope="col">{html.escape(page.label(exercise, name))}</th>' for name in table.columns)
        head = f"<thead><tr><td></td>{columns}</tr></thead>\n"
    lines = "\n".join(
        f'<tr><th scope="row">{html.escape(page.label(exercise, line.label))}</th>{"".join(cells(line))}</tr>'
        for line in table.lines
    )
    return f'<div class="wide"><table>\n{head}<tbody>\n{lines}\n</tbody>\n</table></div>'


def numbers_of(exercises: Iterable[Exercise]) -> list[Number]:
    """Every number that is printed in the questions or the answers."""
    return [
        cell
        for exercise in exercises
        for table in exercise.tables
        for line in table.lines
        for cell in line.cells
        if isinstance(cell, Number)
    ]
