"""Runs scenes without drawing them, to learn what is said: `python -m pipeline.voice.words_run`, a request on stdin.

The words of a beat hold values that only its scene knows, so the scene is run; every play is passed over. Answers are
JSON lines: `{"scene": id, "words": {beat: words}, "templates": {beat: words}}`, or `{"scene": id, "error": …}`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..scene_loading import camera_of, load_class, manim_settings, scene_environment


def main() -> int:
    """Answer the request: `storyboard`, `scenes_folder`, `language` and `scenes`, a list of [id, "file.Class"]."""
    request = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not break a line
    os.environ.update(scene_environment(request["storyboard"], request["language"], request["scenes_folder"]))
    os.environ.pop("EXPLAINER_NARRATION", None)
    for scene_id, scene in request["scenes"]:
        answer: dict[str, Any] = {"scene": scene_id}
        try:
            answer["words"], answer["templates"] = words_of(Path(request["scenes_folder"]), scene, request["language"])
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
        answers.flush()
    return 0


def words_of(folder: Path, scene: str, language: str) -> tuple[dict[str, str], dict[str, str]]:
    """The words of each beat of `scene` ("file.Class" below `folder`), filled and as the storyboard has them.

    Raises whatever the scene raises.
    """
    from manim import tempconfig  # noqa: PLC0415 (it takes a second, and its settings must be private to the run)
    from manim.renderer.cairo_renderer import CairoRenderer  # noqa: PLC0415

    with (
        tempfile.TemporaryDirectory(prefix="words-") as media,
        tempconfig({**manim_settings(160, 90, 30, media), "dry_run": True}),
    ):
        scene_class = load_class(folder, scene)
        played = scene_class(renderer=CairoRenderer(skip_animations=True, **camera_of(scene_class)))
        played.render()
        templates = {name: beat.words[language] for name, beat in played.entry.beats.items()}
        return {cue.beat: cue.words for cue in played.cues}, templates


if __name__ == "__main__":
    sys.exit(main())
