"""The measurements' page: medians, ratios within a round; and one measurement of a real scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.bench import __main__ as bench
from pipeline.bench.commands import Taken, Task
from pipeline.bench.page import page, ratio, table
from pipeline.qualities import QUALITIES

ROUNDS = [
    {"A": Taken(60, 70), "G": Taken(10, 19, 600, 300_000_000), "K": Taken(8, 16)},
    {"A": Taken(100, 70), "G": Taken(20, 19, 600, 300_000_000), "K": Taken(10, 16)},
    {"A": Taken(80, 70), "G": Taken(10, 19, 600, 300_000_000), "K": Taken(9, 16)},
]


def test_ratios_are_taken_within_a_round() -> None:
    """The median of 6, 5 and 8, not the ratio of the medians 80 and 10."""
    assert ratio(ROUNDS, "A", "G") == "6.00"
    assert ratio(ROUNDS, "G", "K") == "1.25"
    assert ratio(ROUNDS, "H", "K") == ""


def test_the_table_has_a_row_for_each_variant_measured() -> None:
    lines = table(bench.ROWS, ROUNDS, 600).splitlines()
    assert [line.split("|")[1].strip(" *") for line in lines[2:]] == ["A", "G", "K"]
    assert "| 80.0 | 70.0 | 133.3 | 8.89 | 1.00 |" in lines[2]
    assert "| 10.0 | 19.0 | 16.7 | 1.25 | 6.00 |" in lines[3]


def test_the_page_says_what_was_measured() -> None:
    text = page(Task([], "zh", QUALITIES["high"]), bench.ROWS, ROUNDS, 600, {"high": 300_000_000})
    assert "600 frames of 1920×1080 at 60 frames a second" in text
    assert "medians of 3 rounds" in text
    assert "| high | 300 |" in text


def test_the_page_reckons_with_the_floors_encoder() -> None:
    """10 + 8 - 4 of 8, 20 + 10 - 5 of 10, 10 + 9 - 4.5 of 9; and 60 of 14, 100 of 25, 80 of 14.5."""
    lean = [Taken(4, 8), Taken(5, 8), Taken(4.5, 8)]
    rounds = [one | {"L": taken} for one, taken in zip(ROUNDS, lean, strict=True)]
    text = page(Task([], "zh", QUALITIES["high"]), bench.ROWS, rounds, 600, {})
    assert "at most 1.75 × the floor and be at least 4.29 times as fast as A" in text
    without = page(Task([], "zh", QUALITIES["high"]), bench.ROWS, ROUNDS, 600, {})
    assert "at most" not in without


def test_an_unknown_scene_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--scenes", "embeding"]) == 1
    assert 'There is no scene "embeding"' in capsys.readouterr().err


@pytest.mark.slow
def test_a_scene_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The encoder alone, and ours: frames, memory and time are those of a real render."""
    out = tmp_path / "performance.md"
    assert bench.main([
        "--scenes", "encoder_stack", "--quality", "draft", "--rounds", "1", "--rows", "G", "L", "--memory",
        "--no-peer", "--out", str(out),
    ]) == 0  # fmt: skip
    text = out.read_text(encoding="utf-8")
    assert capsys.readouterr().out == text + "\n"
    rows = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("| ")}
    assert float(rows["G"].split("|")[3]) > float(rows["L"].split("|")[3]) > 0
