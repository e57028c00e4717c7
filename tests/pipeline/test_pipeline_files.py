"""Files are whole or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.files import remove_partials, sha256_of, whole_file, write_json, write_text


def test_a_file_takes_its_place_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file.txt"
    write_text(path, "old")
    with path.open(encoding="utf-8") as reader:
        write_text(path, "new")
        # Who had the old file open still reads all of it: it was replaced, not written over.
        assert reader.read() == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(OSError, match="disk full"):
        fail_half_way(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]


def fail_half_way(path: Path) -> None:
    with whole_file(path) as temporary:
        temporary.write_text("half")
        assert temporary.parent == path.parent
        raise OSError("disk full")


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".clip.mp4.123.partial", "clip.mp4", ".hidden", "partial"):
        (tmp_path / name).write_text("x")
    remove_partials(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".hidden", "clip.mp4", "partial"]


def test_json_is_readable_and_stable(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": "字"})
    write_json(tmp_path / "b.json", {"a": "字", "b": 1})
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"a": "字", "b": 1}
    assert sha256_of(tmp_path / "a.json") == sha256_of(tmp_path / "b.json")
    assert "字" in (tmp_path / "a.json").read_text(encoding="utf-8")
