"""The computed pages, and the rule of this room: NumPy, the standard library, nothing else."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import engine
from engine import ModelConfig, Trace, documents, errata, key_specs, keydoc, preset, run
from engine.keys import pattern_of

ROOM = Path(engine.__file__).parent


def test_committed_errata_are_those_of_the_trace(tutorial: Trace) -> None:
    assert errata.PAGE.read_text(encoding="utf-8") == errata.render_errata(tutorial)


def test_committed_table_is_that_of_the_registry() -> None:
    assert keydoc.PAGE.read_text(encoding="utf-8") == keydoc.render_keys()


def test_errata_show_both_values_of_all_seven_points(tutorial: Trace) -> None:
    page = errata.render_errata(tutorial)
    sections = re.split(r"^## \d\. ", page, flags=re.MULTILINE)[1:]
    assert len(sections) == 7
    expected = [
        ["0.072", "0.103", "0.330", "0.140", "0.419", "0.284"],
        ["rank 3", "rank 2"],
        ["0.25 |", "0.257"],
        ["0.57 |", "0.575"],
        ["position 3, courses 0.563", "position 2, courses 0.263"],
        ["| 0 | I | I | love |", "1.947", "2.360"],
        ["12-13", "52-53", "67-73", "81-85", "decoder.1.self_attn.q"],
    ]
    for section, values in zip(sections, expected, strict=True):
        assert [value for value in values if value not in section] == []


def test_errata_are_refused_for_another_model() -> None:
    with pytest.raises(ValueError, match="preset 'tutorial'"):
        errata.render_errata(run(preset("tutorial", seed=1)))


@pytest.mark.parametrize("name", ["tutorial", "paper"])
def test_table_has_every_key_and_formula(name: str) -> None:
    page = keydoc.render_keys()
    for spec in key_specs(preset(name)):
        pattern = pattern_of(spec.key)
        inside = re.sub(r"^(greedy|greedy_cached|generate)\.\{k\}\.(?=decoder|logits|probs)", "", pattern)
        assert re.search(rf"^\| `{re.escape(inside)}` \| .* \| {re.escape(spec.formula)} \|", page, re.MULTILINE), (
            inside
        )


@pytest.mark.parametrize("module", [errata, keydoc])
def test_a_stale_page_is_noticed_and_written_anew(
    module: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main: Callable[[list[str]], int] = module.main
    page = tmp_path / "docs" / "page.md"
    monkeypatch.setattr(module, "PAGE", page)
    assert main(["--check"]) == 1
    assert not page.exists()
    assert main([]) == 0
    assert main(["--check"]) == 0
    page.write_text(page.read_text(encoding="utf-8").replace("0", "1"), encoding="utf-8")
    assert main(["--check"]) == 1
    assert f"run `python -m {module.__name__}`" in capsys.readouterr().err
    assert [path.name for path in page.parent.iterdir()] == ["page.md"]


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(documents.os, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            documents.write_whole(page, "new")
    assert page.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [page]
    documents.write_whole(page, "new")
    assert page.read_text(encoding="utf-8") == "new"
    assert page.stat().st_mode & 0o600 == 0o600


def test_a_page_that_cannot_be_written_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").write_text("a file where a folder should be", encoding="utf-8")
    monkeypatch.setattr(keydoc, "PAGE", tmp_path / "docs" / "trace.md")
    assert keydoc.main([]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert str(tmp_path / "docs" / "trace.md") in message


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("engine" if node.level else (node.module or "").partition(".")[0])
    return names


def test_the_engine_imports_numpy_and_the_standard_library_only(tmp_path: Path) -> None:
    allowed = sys.stdlib_module_names | {"numpy", "engine"}
    modules = sorted(ROOM.glob("**/*.py"))
    assert len(modules) >= 8
    assert {path.name: imported(path) - allowed for path in modules if imported(path) - allowed} == {}
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from manim.scene import Scene\n    import os, yaml as y\n", encoding="utf-8")
    assert imported(bad) - allowed == {"manim", "yaml"}


def test_modules_are_small() -> None:
    assert [path.name for path in ROOM.glob("*.py") if len(path.read_text(encoding="utf-8").splitlines()) >= 400] == []


def test_a_one_word_target_has_no_label_to_shift_to_and_a_mean_of_zero() -> None:
    trace = run(ModelConfig(source=("猫",), target=("cat",)))
    assert trace["labels.shifted"].shape == trace["loss.shifted"].shape == (0,)
    assert trace["loss.shifted.mean"] == 0.0
    assert '"loss.shifted": {"axes": ["pos"], "shape": [0], "step": 88, "values": []}' in trace.to_json("loss.shifted")
