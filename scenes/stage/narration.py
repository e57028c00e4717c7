"""How long the narrator speaks in each beat: read from the JSON file that the environment names, if it names one."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

NARRATION_VARIABLE = "EXPLAINER_NARRATION"


def spoken_seconds(scene_id: str, beat: str, words: str) -> float | None:
    """Seconds of the sound of a beat; None where the film is silent.

    Raises ValueError where the narration has other words for this beat, or none: it was made for another film.
    """
    named = os.environ.get(NARRATION_VARIABLE)
    if not named:
        return None
    path = Path(named)
    told = _table(path, path.stat().st_mtime_ns).get(scene_id, {}).get(beat)
    if told is None:
        raise ValueError(f"the narration has no sound for the beat {beat!r} of {scene_id}; render again")
    if told["words"] != words:
        raise ValueError(f"the narration of {scene_id}, {beat!r}, says “{told['words']}”, not “{words}”; render again")
    return float(told["seconds"])


@lru_cache(maxsize=4)
def _table(path: Path, _changed: int) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
