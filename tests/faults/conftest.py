"""The small studio of the pipeline's tests, and a film of it that nothing disturbed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pipeline"))
from small_studio import Studio, copied, finished_with, fresh


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A fresh copy of the small studio, nothing rendered."""
    return fresh(tmp_path / "studio")


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with its film, rendered by two workers. To be looked at, not to be changed."""
    return finished_with(tmp_path_factory.mktemp("undisturbed") / "studio", "--jobs", "2")


@pytest.fixture
def rendered(undisturbed: Studio, tmp_path: Path) -> Studio:
    """A copy of the finished studio that a test may change."""
    return copied(undisturbed, tmp_path / "studio")
