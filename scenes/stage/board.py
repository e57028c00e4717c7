"""The storyboard and the trace that a scene is drawn from, read once for a process."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from engine import Trace, preset, run_trained
from pipeline.storyboard import Problem, Storyboard, StoryboardError, load_storyboard

STORYBOARD_VARIABLE = "EXPLAINER_STORYBOARD"


def storyboard_path() -> Path:
    """The storyboard to draw from: $EXPLAINER_STORYBOARD, else the project's own."""
    named = os.environ.get(STORYBOARD_VARIABLE)
    return Path(named) if named else Path(__file__).resolve().parents[2] / "storyboard.yaml"


def storyboard_for(scene: str, path: Path) -> Storyboard:
    """The storyboard at `path` for drawing `scene` ("embedding.Embedding").

    Raises StoryboardError for what is wrong with the storyboard itself or with this scene; a scene that another one
    being broken does not hinder is drawn.
    """
    board, problems = _read(path, _changed(path))
    mine = [problem for problem in problems if not _of_another(problem, scene, board)]
    if mine:
        raise StoryboardError(mine)
    return board


def trace_for(path: Path) -> Trace:
    """The trace of the storyboard's model."""
    return _trace(path, _changed(path))


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> tuple[Storyboard, tuple[Problem, ...]]:
    """The storyboard, and what is wrong with its scenes."""
    try:
        return load_storyboard(path), ()
    except StoryboardError as error:
        return load_storyboard(path, check_scenes=False), tuple(error.problems)


@lru_cache(maxsize=4)
def _trace(path: Path, changed: int) -> Trace:
    model = dict(_read(path, changed)[0].film.model)
    return run_trained(preset(model.pop("preset", "tutorial"), **model))


def _of_another(problem: Problem, scene: str, board: Storyboard) -> bool:
    """Whether a problem is of another scene's entry or file."""
    named = re.match(r"scenes\.(\w+)\.", problem.item)
    card = re.match(r"film\.cards\.(\w+)\.", problem.item)
    if Path(problem.file).resolve() == board.path.resolve():
        if card is not None:
            return all(entry.scene != scene for entry in board.cards if entry.card == card[1])
        return named is not None and board.entry(named[1]).scene != scene
    # A scene file may hold several classes, and one that cannot be read has none.
    return Path(problem.file).stem != scene.split(".", maxsplit=1)[0]
