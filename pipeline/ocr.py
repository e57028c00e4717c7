"""`explain ocr`: whether a reader that knows nothing of this project finds the film's numbers in its frames.

At the end of every beat each number that is to be seen is cut out of the 1080p frame with half a capital letter's
height of what is around it, read by an OCR model, and compared with the value in the trace. The stage says which
numbers are there and where; what stands there is read from the pixels, what should stand there from the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from .files import write_text
from .plan import choose_languages, choose_scenes
from .problems import UserError, shown_path
from .qualities import Quality
from .scene_pool import fault_text
from .still_drawing import SceneRun, draw_stills
from .stills import write_picture
from .storyboard import Storyboard

FOLDER = "ocr"
GOAL = 0.98  # the share of numbers that must be found
AROUND = 0.5  # of a capital letter's height on each side; the stage keeps a third of it free
QUALITY = Quality("ocr", 1920, 1080, 15)  # a still frame is the same at any number of frames a second

# What a reader may take for the film's minus sign.
MINUS_SIGNS = "-−–—‐‑一"

Reader = Callable[[Sequence[np.ndarray]], list[str]]


@dataclass(frozen=True)
class Shown:
    """A number on screen: its value in the trace and how many decimals are printed, where it comes from, its box.

    `box` is left, top, right, bottom in pixels of the frame; `cap` the height of a capital letter there.
    """

    value: float
    decimals: int
    origin: str
    box: tuple[float, float, float, float]
    cap: float


@dataclass(frozen=True)
class Miss:
    """A number that was not read as what it is."""

    scene: str
    language: str
    beat: str
    shown: Shown
    read: str
    crop: np.ndarray


def plain(text: str) -> str:
    """What a reader made of a number, with a plain minus and without spaces."""
    return "".join("-" if letter in MINUS_SIGNS else letter for letter in text if not letter.isspace())


def agrees(read: str, value: float, decimals: int) -> bool:
    """Whether `read` is `value` printed with so many decimals: digits, point and sign, nothing more, nothing less.

    A rounded zero has no sign. A power of ten may be printed as in −1e9.
    """
    text = plain(read)
    wanted = f"{value:.{decimals}f}"
    if float(wanted) == 0:
        wanted = wanted.removeprefix("-")
    if text == wanted:
        return True
    if "e" in text.lower():
        try:
            return float(text) == value
        except ValueError:
            return False
    return False


def cut_out(pixels: np.ndarray, shown: Shown) -> np.ndarray:
    """The part of a frame (height, width, 3) that holds a number and what is close around it."""
    left, top, right, bottom = shown.box
    air = AROUND * shown.cap
    rows = slice(max(int(top - air), 0), int(bottom + air) + 1)
    columns = slice(max(int(left - air), 0), int(right + air) + 1)
    return np.ascontiguousarray(pixels[rows, columns])


def numbers_on(scene: Any) -> list[Shown]:
    """The numbers that can be seen on `scene` now."""
    from manim import config  # noqa: PLC0415

    from scenes.stage.audit.picture import Outlines, take  # noqa: PLC0415

    picture = take(scene, Outlines())
    scale = config.pixel_height / config.frame_height
    middle_x, middle_y = config.pixel_width / 2, config.pixel_height / 2
    found = []
    for index, text in enumerate(picture.texts):
        origin = getattr(text.mobject, "provenance", None)
        if origin is None or index in picture.covered:
            continue
        left, bottom, right, top = text.box
        box = (
            middle_x + left * scale,
            middle_y - top * scale,
            middle_x + right * scale,
            middle_y - bottom * scale,
        )
        value = float(origin.value(scene.trace))
        found.append(Shown(value, int(origin.decimals), str(origin), box, text.cap * scale))
    return found


def rapid_reader() -> Reader:
    """RapidOCR's recognition model. Raises UserError when the package is not installed."""
    try:
        from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415
    except ImportError:
        raise UserError(
            "The OCR package rapidocr-onnxruntime is not installed.\n    next: make test-ocr, or pip install '.[ocr]'"
        ) from None
    engine = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
    known: dict[tuple[tuple[int, ...], bytes], str] = {}  # most of a picture stays from beat to beat

    def read(crops: Sequence[np.ndarray]) -> list[str]:
        keys = [(crop.shape, crop.tobytes()) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in known}
        if new:
            results, _ = engine.text_rec([crop[:, :, ::-1] for crop in new.values()])
            known.update({key: str(result[0]) for key, result in zip(new, results, strict=True)})
        return [known[key] for key in keys]

    return read


def read_scene(run: SceneRun, names: tuple[str, str], reader: Reader) -> tuple[int, list[Miss]]:
    """How many numbers the scene (`names`: its id, the language) shows at the ends of its beats; the ones not read."""
    from .still_renderer import Wish  # noqa: PLC0415

    count, misses = 0, []

    def look(_scene: Any, still: Any) -> None:
        nonlocal count
        pixels = still.pixels[:, :, :3]
        crops = [cut_out(pixels, shown) for shown in still.note]
        count += len(crops)
        for shown, crop, read in zip(still.note, crops, reader(crops) if crops else [], strict=True):
            if not agrees(read, shown.value, shown.decimals):
                misses.append(Miss(*names, still.beat, shown, read, crop))

    draw_stills(run, Wish(), look, numbers_on)
    return count, misses


def check_film(
    storyboard: Storyboard,
    folders: tuple[Path, Path],
    wanted: tuple[Sequence[str] | None, Sequence[str] | None],
    console: Console,
    reader: Reader | None = None,
) -> int:
    """Read the scenes and languages `wanted` (None: all); write the misses; the exit status, 0 when enough is found.

    `folders`: where the scenes lie, where output goes.
    """
    reader = reader or rapid_reader()
    folder, out = folders[0], folders[1] / FOLDER
    entries = choose_scenes(storyboard, wanted[0])
    languages = choose_languages(storyboard, wanted[1] or ["all"])
    good = True
    for language in languages:
        total, misses = 0, []
        for number, entry in enumerate(entries, 1):
            run = SceneRun(entry.scene, folder, storyboard.path.resolve(), language, QUALITY)
            try:
                count, missed = read_scene(run, (entry.id, language), reader)
            except Exception as error:
                raise UserError(fault_text(error, run)) from error
            total += count
            misses += missed
            console.print(
                f"{language}/{entry.id}: {count - len(missed)} of {count} numbers found ({number}/{len(entries)})",
                highlight=False,
            )
        share = 1 - len(misses) / total if total else 1.0
        where = write_misses(misses, out / language, total)
        console.print(
            f"{language}: {share:.2%} of {total} numbers found, at least {GOAL:.0%} must be; "
            f"{len(misses)} misses: {shown_path(where)}",
            highlight=False,
            soft_wrap=True,
        )
        good = good and share >= GOAL
    return 0 if good else 1


def write_misses(misses: Sequence[Miss], folder: Path, total: int) -> Path:
    """Write the list of misses and a picture of each, four times as large, for looking at; the list's path."""
    for old in folder.glob("*.png"):
        old.unlink()
    lines = [f"# {len(misses)} of {total} numbers were not read as what they are", ""]
    if misses:
        lines += ["| picture | scene | beat | should be | was read | comes from |", "|---|---|---|---|---|---|"]
    for number, miss in enumerate(misses, 1):
        name = f"{number:03}-{miss.scene}-{miss.beat}.png"
        write_picture(miss.crop.repeat(4, axis=0).repeat(4, axis=1), folder / name)
        value = f"{miss.shown.value:.{miss.shown.decimals}f}"
        lines.append(
            f"| ![]({name}) | {miss.scene} | {miss.beat} | {value} | `{miss.read or ' '}` | {miss.shown.origin} |"
        )
    write_text(folder / "misses.md", "\n".join(lines) + "\n")
    return folder / "misses.md"
