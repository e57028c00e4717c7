"""The small studio, fresh or rendered at draft quality."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_studio import Studio, copied, finished_with, fresh


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A fresh copy of the small studio, nothing rendered."""
    return fresh(tmp_path / "studio")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with its film in both languages. To be looked at, not to be changed."""
    return finished_with(tmp_path_factory.mktemp("finished") / "studio", "--language", "all")


@pytest.fixture
def rendered(finished: Studio, tmp_path: Path) -> Studio:
    """A copy of the finished studio that a test may change."""
    return copied(finished, tmp_path / "studio")
