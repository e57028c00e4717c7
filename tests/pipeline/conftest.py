"""The small studio, fresh or rendered at draft quality."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_studio import DATA, Studio


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A fresh copy of the small studio, nothing rendered."""
    shutil.copytree(DATA / "studio", tmp_path / "studio", ignore=shutil.ignore_patterns("__pycache__", "media"))
    return Studio(tmp_path / "studio")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with its film in both languages. To be looked at, not to be changed."""
    root = tmp_path_factory.mktemp("finished") / "studio"
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    made = Studio(root)
    done = made.explain("render", "--language", "all")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture
def rendered(finished: Studio, tmp_path: Path) -> Studio:
    """A copy of the finished studio that a test may change."""
    shutil.copytree(finished.root, tmp_path / "studio", ignore=shutil.ignore_patterns("__pycache__"))
    return Studio(tmp_path / "studio")
