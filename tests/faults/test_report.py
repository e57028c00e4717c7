"""The rows of the page on reliability: kept where asked for, in order, none lost."""

from __future__ import annotations

from pathlib import Path

import pytest
import report


def test_rows_become_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(report.ROWS_VARIABLE, str(tmp_path / "rows"))
    report.record("storyboards", "a | b", 9_000, "told")
    report.record("killed", "the main process", 3, "lost")
    report.record("killed", "the main process", 50, "finished")
    rows = report.rows_in(tmp_path / "rows")
    assert [(row.group, row.count) for row in rows] == [("killed", 50), ("storyboards", 9_000)]
    text = report.page(rows, "a day", "a machine")
    assert "9,050 faults and inputs" in text
    assert "| a \\| b | 9,000 | told |" in text
    assert text.index("## Killed") < text.index("## Hostile storyboards")


def test_nothing_is_kept_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(report.ROWS_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    report.record("files", "anything", 1, "told")
    assert list(tmp_path.iterdir()) == []
    assert report.main([str(tmp_path), str(tmp_path / "page.md")]) == 1


@pytest.mark.parametrize(("group", "count"), [("nowhere", 1), ("files", 0)])
def test_a_row_that_says_nothing_is_refused(group: str, count: int) -> None:
    with pytest.raises(ValueError, match="a row needs a group"):
        report.record(group, "anything", count, "told")
