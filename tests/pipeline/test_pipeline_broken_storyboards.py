"""Every way to break a storyboard in tests/data/storyboards gives the messages that the file itself announces.

A line `# expect LINE: phrase | phrase` announces one problem on LINE whose report has all the phrases; there must be no
other problem.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_studio import DATA, Studio

from pipeline.problems import Problem
from pipeline.storyboard import StoryboardError, load_storyboard

BROKEN = sorted((DATA / "storyboards").glob("*.yaml"))


def expected(file: Path) -> list[tuple[int, list[str]]]:
    text = file.read_bytes().decode("utf-8", errors="replace")
    return [(int(line), phrases.split(" | ")) for line, phrases in re.findall(r"(?m)^# expect (\d+): (.*)$", text)]


def problems_of(file: Path) -> list[Problem]:
    with pytest.raises(StoryboardError) as caught:
        load_storyboard(file, scenes=DATA / "studio" / "scenes")
    return caught.value.problems


def test_there_are_many_ways() -> None:
    assert len(BROKEN) >= 45
    assert all(expected(file) for file in BROKEN)


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_every_problem_is_told(file: Path) -> None:
    left = problems_of(file)
    shown = "\n".join(map(str, left))
    for line, phrases in expected(file):
        match = [problem for problem in left if problem.line == line and all(part in str(problem) for part in phrases)]
        assert match, f"no problem on line {line} says {phrases}; found:\n{shown}"
        left.remove(match[0])
    assert not left, "not announced:\n" + "\n".join(map(str, left))


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_every_problem_says_where_what_and_what_to_do(file: Path) -> None:
    for problem in problems_of(file):
        assert str(problem).startswith(f"{_shown(problem.file)}:{problem.line}: ")
        assert problem.message
        assert problem.allowed or problem.hint, f"no way out: {problem}"


def _shown(file: str) -> str:
    relative = Path(file).resolve().relative_to(Path.cwd()) if Path(file).resolve().is_relative_to(Path.cwd()) else file
    return str(relative)


def test_nothing_in_a_storyboard_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    problems_of(DATA / "storyboards" / "python_tag.yaml")
    assert not (tmp_path / "pwned").exists()


def test_check_prints_them_and_fails(studio: Studio) -> None:
    studio.edit("storyboard.yaml", "track: shared", "track: shred")
    studio.edit("storyboard.yaml", "zh: 红色来了。", 'zh: ""')
    done = studio.explain("check")
    assert done.returncode == 1
    assert "storyboard.yaml:36: scenes.middle.track: " in done.stderr
    assert "the words are empty" in done.stderr
    assert "2 problems found" in done.stderr
    assert "Traceback" not in done.stderr


def test_render_stops_before_any_work(studio: Studio) -> None:
    studio.edit("storyboard.yaml", "track: shared", "track: shred")
    done = studio.explain("render")
    assert done.returncode == 1
    assert 'did you mean "shared"?' in done.stderr
    assert not studio.media.exists()


@pytest.mark.parametrize(
    ("make", "phrase"),
    [
        (lambda path: path.parent, "there is no such file"),
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: path.write_bytes(b"a: " + b"[" * 3000), "nested too deeply"),
        (lambda path: path.write_bytes(b"#" * 500_001), "the file is too large"),
    ],
    ids=["missing", "folder", "deep", "large"],
)
def test_what_is_no_storyboard_at_all(tmp_path: Path, make: object, phrase: str) -> None:
    path = tmp_path / "story.yaml"
    make(path)  # type: ignore[operator]
    with pytest.raises(StoryboardError, match=phrase):
        load_storyboard(path)
