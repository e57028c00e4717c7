"""The measurements' page: medians, ratios within a round; and one measurement of a real scene."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_studio import REPO

from pipeline.bench import __main__ as bench
from pipeline.bench.commands import Taken
from pipeline.bench.page import Measured, keep, kept, page, ratio, table

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
    assert "| 80.0 | 70.0 | 133.3 | 8.89 |  | 1.00 |" in lines[2]
    assert "| 10.0 | 19.0 | 16.7 | 1.25 |  | 6.00 |" in lines[3]


def test_a_render_is_compared_with_the_floor_of_its_own_settings_too() -> None:
    rounds = [{"M": Taken(12, 20), "K": Taken(10, 19), "N": Taken(8, 15)}]
    row = next(line for line in table(bench.ROWS, rounds, 600).splitlines() if "| M |" in line)
    assert row.endswith("| 1.20 | 1.50 |  |")


def test_the_page_says_what_was_measured() -> None:
    measured = Measured("Scenes: a, b", 2, "zh", "high", 600, ROUNDS, {"high": 300_000_000}, machine="2 cores")
    text = page(bench.ROWS, [measured])
    assert "600 frames of 1920×1080 at 60 frames a second; 2 cores; medians of 3 rounds" in text
    assert "| high | 300 |" in text


def test_the_page_holds_what_several_runs_have_found(tmp_path: Path) -> None:
    """A later run of the same scenes takes the place of the earlier one; ratios are those within each run."""
    film = [{"M": Taken(24, 40, 9_000, 500_000_000), "K": Taken(20, 38)}]
    keep(tmp_path, Measured("The whole film", 19, "zh", "high", 1, film, {"high": 1}))
    keep(tmp_path, Measured("The whole film", 19, "zh", "high", 9_000, film, {"high": 500_000_000}))
    keep(tmp_path, Measured("Scenes: a", 1, "zh", "high", 600, ROUNDS, {"high": 300_000_000}, "no peer"))
    found = kept(tmp_path)
    assert [one.title for one in found] == ["Scenes: a", "The whole film"]
    assert found[0].rounds == ROUNDS
    text = page(bench.ROWS, found)
    assert "9,000 frames of 1920×1080 at 60 frames a second" in text
    assert "one round" in text
    assert "| 24.0 | 40.0 | 2.7 | 1.20 |  |  |" in text
    assert "| high | 500 |" in text
    assert text.endswith("## A peer\n\nno peer")


def test_an_unknown_scene_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--scenes", "embeding"]) == 1
    assert 'There is no scene "embeding"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--language", "fr"], 'The film has no language "fr"; allowed: '),
        (["--rows", "A", "D"], "add one of F, G, H, K, L, M, N"),
        (["--rounds", "0"], "--rounds: invalid choice: 0"),
        (["--rounds", "1000000"], "--rounds: invalid choice"),
        (["--rows", "Z"], "--rows: invalid choice: 'Z'"),
    ],
)
def test_values_that_cannot_be_measured_are_told_at_once(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = bench.main(arguments)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status in (1, 2)
    assert told in capsys.readouterr().err


def test_the_page_is_the_one_of_the_measurements_kept() -> None:
    written = (REPO / "docs" / "performance.md").read_text(encoding="utf-8")
    assert written == page(bench.ROWS, kept(REPO / "docs" / "performance"))


@pytest.mark.slow
def test_a_scene_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The encoder alone, and ours: frames, memory and time are those of a real render."""
    out = tmp_path / "performance.md"
    assert bench.main([
        "--scenes", "encoder_stack", "--quality", "draft", "--rounds", "1", "--rows", "G", "L", "--memory",
        "--no-peer", "--out", str(out), "--kept", str(tmp_path),
    ]) == 0  # fmt: skip
    text = out.read_text(encoding="utf-8")
    assert capsys.readouterr().out == text + "\n"
    rows = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("| ")}
    assert float(rows["G"].split("|")[3]) > float(rows["L"].split("|")[3]) > 0
