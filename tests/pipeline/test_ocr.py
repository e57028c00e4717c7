"""OCR of the numbers on screen: how it is compared, that it reads frames of the film, that it is not fooled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from small_studio import Studio

from pipeline import ocr
from pipeline.ocr import QUALITY, Miss, Shown, agrees, cut_out, numbers_on, rapid_reader, write_misses
from pipeline.still_drawing import SceneRun, draw_stills
from pipeline.still_renderer import Still, Wish
from pipeline.storyboard import REPO_ROOT, load_storyboard

# Tables of small numbers at the end of a scene's last beat; bars and grids at the ends of all beats of another.
FRAMES = [("embedding", True, "zh"), ("inference_step_1", False, "en")]


@pytest.mark.parametrize(
    ("read", "value", "decimals", "same"),
    [
        ("−0.13", -0.1345, 2, True),
        ("-0.13", -0.1345, 2, True),
        ("一 0.13", -0.1345, 2, True),
        ("0.13", -0.1345, 2, False),  # a lost minus sign
        ("-0.13", 0.1345, 2, False),
        ("0.18", 0.1345, 2, False),
        ("0.1", 0.1345, 2, False),
        ("0.134", 0.1345, 2, False),
        ("[0.13", 0.1345, 2, False),
        ("0.00", -0.001, 2, True),
        ("-0.00", -0.001, 2, False),
        ("-1e9", -1e9, 0, True),
        ("1e9", -1e9, 0, False),
        ("", 0.0, 0, False),
        ("7", 7.0, 0, True),
    ],
)
def test_only_what_is_printed_agrees(read: str, value: float, decimals: int, same: bool) -> None:
    assert agrees(read, value, decimals) is same


def test_a_crop_holds_the_number_and_what_is_around_it() -> None:
    pixels = np.zeros((100, 200, 3), dtype=np.uint8)
    pixels[40:60, 50:90] = 255
    shown = Shown(1.0, 1, "x", (50.0, 40.0, 90.0, 60.0), 20.0)
    crop = cut_out(pixels, shown)
    assert crop.shape == (41, 61, 3)
    assert (crop == 255).sum() == 20 * 40 * 3
    assert cut_out(pixels, replace(shown, box=(0.0, 0.0, 10.0, 10.0))).shape == (21, 21, 3)


def test_misses_are_listed_with_pictures_and_old_ones_go(tmp_path: Path) -> None:
    (tmp_path / "001-old-x.png").write_bytes(b"")
    shown = Shown(-0.5, 1, "encoder.0[0]", (0, 0, 1, 1), 10)
    path = write_misses([Miss("qkv", "zh", "query", shown, "0.5", np.zeros((5, 9, 3), dtype=np.uint8))], tmp_path, 12)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["001-qkv-query.png", "misses.md"]
    text = path.read_text(encoding="utf-8")
    assert "1 of 12 numbers" in text
    assert "| -0.5 | `0.5` | encoder.0[0] |" in text


def test_too_many_misses_fail_the_check(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reader that gets two in a hundred wrong, and with one that gets three wrong."""
    numbers = [Shown(float(i), 0, "x", (10 + i, 10, 20 + i, 20), 10) for i in range(100)]
    monkeypatch.setattr(ocr, "numbers_on", lambda _: numbers)
    board = load_storyboard(studio.storyboard, scenes=studio.scenes)
    for wrong, status in ((2, 0), (3, 1)):
        reader = lambda crops, wrong=wrong: ["?" if i < wrong else str(i) for i in range(len(crops))]  # noqa: E731
        console = Console(quiet=True)
        folders = (studio.scenes, studio.media)
        assert ocr.check_film(board, folders, (["opening"], ["zh"]), console, reader) == status
        listed = (studio.media / "ocr" / "zh" / "misses.md").read_text(encoding="utf-8")
        assert f"# {2 * wrong} of 200 numbers" in listed


@pytest.mark.parametrize(("scene_id", "last", "language"), FRAMES)
def test_a_model_that_knows_nothing_of_the_film_reads_its_numbers(scene_id: str, last: bool, language: str) -> None:
    """Fails where the package is missing, so that the check is never left out in silence: `make ocr` installs it."""
    board = load_storyboard(REPO_ROOT / "storyboard.yaml", check_scenes=False)
    entry = board.entry(scene_id)
    run = SceneRun(entry.scene, REPO_ROOT / "scenes", board.path, language, QUALITY)
    found: list[Still] = []
    reader = rapid_reader()

    def keep(_scene: Any, still: Still) -> None:
        found.append(still)

    draw_stills(run, Wish(frozenset(list(entry.beats)[-1:]) if last else None), keep, numbers_on)
    numbers: list[Shown] = [shown for still in found for shown in still.note]
    assert len(numbers) >= 8
    read = reader([cut_out(still.pixels[:, :, :3], shown) for still in found for shown in still.note])
    missed = [
        (text, shown.value, shown.origin)
        for text, shown in zip(read, numbers, strict=True)
        if not agrees(text, shown.value, shown.decimals)
    ]
    assert len(missed) <= 0.02 * len(numbers), missed
    # Any other value would not have been found there.
    for text, shown in zip(read, numbers, strict=True):
        assert not agrees(text, shown.value + 10.0**-shown.decimals, shown.decimals)
        if abs(shown.value) >= 10.0**-shown.decimals:
            assert not agrees(text, -shown.value, shown.decimals)
