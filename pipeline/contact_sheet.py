"""`explain contact-sheet`: one picture a scene with the frames at the end of its beats and the words spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from .plan import choose_languages, choose_scenes
from .problems import UserError, shown_path
from .progress import duration
from .qualities import QUALITIES
from .scene_pool import run_scenes
from .still_drawing import SceneRun, draw_stills
from .stills import write_picture
from .storyboard import Storyboard

SHEETS = "contact-sheets"
COLUMNS = 3
FRAME_WIDTH = 640  # pixels of one frame on the sheet
MARGIN = 24
WORDS_SIZE, NOTE_SIZE, TITLE_SIZE = 22, 17, 40
LINE_SPACING = 1.45
PAPER, INK, QUIET = (250, 250, 248), (24, 28, 34), (100, 108, 118)


@dataclass(frozen=True)
class SheetRequest:
    """What the user asked for. None: everything drawn, the storyboard's language, draft quality, one job a core."""

    folder: Path
    media: Path
    scenes: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    every: float | None = None  # seconds between frames; None: the end of each beat
    quality: str = "draft"
    out: Path | None = None
    jobs: int | None = None


@dataclass(frozen=True)
class Cell:
    """One frame of a sheet: its picture (height, width, 3), and what is written below it."""

    pixels: np.ndarray
    beat: str
    seconds: float
    words: str


def make_sheets(storyboard: Storyboard, request: SheetRequest, console: Console) -> int:
    """Draw and write all sheets; the exit status, 1 when a scene could not be drawn."""
    entries = choose_scenes(storyboard, request.scenes)
    quality = QUALITIES[request.quality]
    every = None if request.every is None else max(1, quality.frames(request.every))
    items, paths = [], {}
    for language in choose_languages(storyboard, request.languages):
        for entry in entries:
            name = f"{language}/{entry.id}"
            path = _folder(request, language) / f"{entry.id}.png"
            run = SceneRun(entry.scene, request.folder, storyboard.path.resolve(), language, quality)
            heading = (entry.title[language], f"{entry.id} · {language}")
            items.append((name, run, (heading, every, str(path.resolve()))))
            paths[name] = path
    done, faults = run_scenes(draw_sheet, items, request.jobs, console)
    for name in done:
        console.print(shown_path(paths[name]), highlight=False, markup=False, soft_wrap=True)
    for name, fault in faults.items():
        console.print(f"{name}: {fault.text}", highlight=False, markup=False, soft_wrap=True)
    return 1 if faults else 0


def _folder(request: SheetRequest, language: str) -> Path:
    return (request.out or request.media / SHEETS) / language


def draw_sheet(run: SceneRun, heading: tuple[str, str], every: int | None, target: str) -> int:
    """Draw the sheet of one scene into the file `target`; how many frames it has. Runs in a process of its own."""
    from .still_renderer import Wish  # noqa: PLC0415 (manim; only who draws needs it)

    found: list[Any] = []
    scene = draw_stills(run, Wish(every=every), lambda _, still: found.append(_small(still)))
    if not found:
        raise UserError(f"{shown_path(run.file)}: the scene plays nothing\n    next: let its construct play its beats")
    words = {cue.beat: cue.words for cue in scene.cues}
    cells = [
        Cell(pixels, beat, (frame + 1 if every is None else frame) / run.quality.fps, words.get(beat, ""))
        for beat, frame, pixels in found
    ]
    length = max(cue.end_frame for cue in scene.cues) / run.quality.fps
    note = f"{heading[1]} · {len(scene.cues)} beats · {duration(length)}"
    write_picture(compose(cells, (heading[0], note)), Path(target))
    return len(cells)


def _small(still: Any) -> tuple[str, int, np.ndarray]:
    """Beat, number and picture of a frame, no wider than the sheet shows it: a 2160p frame takes 33 MB."""
    from PIL import Image  # noqa: PLC0415

    picture = Image.fromarray(np.ascontiguousarray(still.pixels[:, :, :3]))
    height = round(picture.height * FRAME_WIDTH / picture.width)
    return still.beat, still.frame, np.asarray(picture.resize((FRAME_WIDTH, height), Image.Resampling.LANCZOS))


def compose(cells: Sequence[Cell], heading: tuple[str, str]) -> np.ndarray:
    """The sheet (height, width, 3): the heading's two lines, then the cells in rows of `COLUMNS`, words wrapped."""
    from PIL import Image, ImageDraw  # noqa: PLC0415

    fonts = {size: _font(size) for size in (WORDS_SIZE, NOTE_SIZE, TITLE_SIZE)}
    columns = min(COLUMNS, len(cells))
    width = max(columns, 2) * (FRAME_WIDTH + MARGIN) + MARGIN
    lines = [wrap(cell.words, fonts[WORDS_SIZE].getlength, FRAME_WIDTH) for cell in cells]
    rows = [range(first, min(first + columns, len(cells))) for first in range(0, len(cells), columns)]
    note, line = round(NOTE_SIZE * LINE_SPACING), round(WORDS_SIZE * LINE_SPACING)
    frame = max(cell.pixels.shape[0] for cell in cells)
    heights = [frame + 8 + note + line * max(len(lines[i]) for i in row) + MARGIN for row in rows]
    top = MARGIN + round(TITLE_SIZE * LINE_SPACING) + note + MARGIN // 2
    sheet = Image.new("RGB", (width, top + sum(heights)), PAPER)
    pen = ImageDraw.Draw(sheet)
    pen.text((MARGIN, MARGIN // 2), heading[0], INK, fonts[TITLE_SIZE])
    pen.text((MARGIN, MARGIN // 2 + round(TITLE_SIZE * LINE_SPACING)), heading[1], QUIET, fonts[NOTE_SIZE])
    for row, height in zip(rows, heights, strict=True):
        for column, index in enumerate(row):
            x, y, cell = MARGIN + column * (FRAME_WIDTH + MARGIN), top, cells[index]
            sheet.paste(Image.fromarray(cell.pixels), (x, y))
            y += frame + 8
            pen.text((x, y), f"{cell.beat} · {_clock(cell.seconds)}", QUIET, fonts[NOTE_SIZE])
            for number, text in enumerate(lines[index]):
                pen.text((x, y + note + number * line), text, INK, fonts[WORDS_SIZE])
        top += height
    return np.asarray(sheet)


def wrap(text: str, width_of: Any, width: float) -> list[str]:
    """`text` in lines no wider than `width` by `width_of(line)`; Chinese may break between any two characters.

    A line never begins with a closing mark. A word that is wider than a line is broken.
    """
    lines, line = [], ""
    for piece in _pieces(text):
        if line and width_of((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
            piece = piece.lstrip()  # noqa: PLW2901
        for letter in piece if width_of(piece.rstrip()) > width else [piece]:
            if line and width_of((line + letter).rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            line += letter
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str) -> list[str]:
    """What may stand at the beginning of a line, in order: words of letters with the space after them, characters."""
    pieces: list[str] = []
    for letter in text:
        last = pieces[-1] if pieces else ""
        closing = letter in "，。：；！？、）》」』”’…,.:;!?)]}"
        word = letter.isascii() and last and last[-1].isascii() and not last.endswith(" ")
        opening = bool(last) and last[-1] in "（《「『“‘([{"
        if last and (closing or word or opening or letter == " "):
            pieces[-1] += letter
        else:
            pieces.append(letter)
    return pieces


def _font(size: int) -> Any:
    """The film's font for Pillow."""
    from PIL import ImageFont  # noqa: PLC0415

    from scenes.stage.fonts import FAMILY, font_file  # noqa: PLC0415

    for index in range(16):  # the members of the collection; one that is not there raises OSError
        font = ImageFont.truetype(str(font_file()), size, index=index)
        if font.getname()[0] == FAMILY:
            font.set_variation_by_axes([400])
            return font
    raise UserError(f"{font_file()} does not hold the font {FAMILY}\n    next: make setup")


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60)}:{seconds % 60:04.1f}"
