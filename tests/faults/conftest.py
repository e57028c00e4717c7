"""The small studio of the pipeline's tests, and a film of it that nothing disturbed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pipeline"))
from small_studio import DATA, Studio


def fresh(root: Path) -> Studio:
    """A copy of the small studio, nothing rendered."""
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    return Studio(root)


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A fresh copy of the small studio, nothing rendered."""
    return fresh(tmp_path / "studio")


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with its film, rendered by two workers. To be looked at, not to be changed."""
    made = fresh(tmp_path_factory.mktemp("undisturbed") / "studio")
    done = made.explain("render", "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture
def rendered(undisturbed: Studio, tmp_path: Path) -> Studio:
    """A copy of the finished studio that a test may change."""
    shutil.copytree(undisturbed.root, tmp_path / "studio", ignore=shutil.ignore_patterns("__pycache__"))
    return Studio(tmp_path / "studio")
