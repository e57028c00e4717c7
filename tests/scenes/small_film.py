"""The storyboard of the small scenes in `bad_scenes`, written from their source."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import bad_scenes

from pipeline.scene_facts import facts_of, read_module

FOLDER = Path(__file__).parent
LAST = 95
PACE = {"zh": 2.0, "en": 1.0}  # slow, so that a scene of a few words is long enough to be a scene
# 27 seconds in either language, in one beat or in two.
SAID = {
    "zh": "这里什么也没有说，只是为了让画面停留得足够久，好让检查的人看清楚每一个地方，然后再继续往下看，"
    "不慌不忙地看完这一段话。",
    "en": " ".join(["word"] * 27),
}


def classes(broken: bool) -> list[type[bad_scenes.Small]]:
    """The scenes that break a law, or those that break none."""
    found = [c for _, c in inspect.getmembers(bad_scenes, inspect.isclass) if issubclass(c, bad_scenes.Small)]
    return [c for c in found if c is not bad_scenes.Small and (c.BREAKS is not None) == broken]


def write(path: Path) -> Path:
    """Write a storyboard in which every small scene has an entry; the rest of the numbering is one draft."""
    module = read_module(FOLDER / "bad_scenes.py")
    assert module is not None
    entries = []
    step = 0
    for cls in [*classes(True), *classes(False)]:
        last = step + getattr(cls, "STEPS", 1) - 1
        names = facts_of(module, cls.__name__).beat_names()
        if "second" in names:
            names = ["only", "second"]
        beats = {name: dict(SAID) for name in names}
        beats[names[0]] = {"steps": f"{step}-{last}"} | beats[names[0]]
        entries.append(_entry(cls.__name__.lower(), f"bad_scenes.{cls.__name__}", f"{step}-{last}", beats))
        step = last + 1
    rest = {"all": {"steps": f"{step}-{LAST}"} | SAID}
    entries.append(_entry("rest", "rest.Rest", f"{step}-{LAST}", rest) | {"draft": True})
    word = {"zh": "词", "en": "word"}
    names = ["step", *[f"track_{t}" for t in ("shared", "training", "inference", "both")]]
    names += [f"map_{m}" for m in ("overview", "embedding", "encoder", "cross_attention", "decoder", "output")]
    film = {
        "title": word,
        "languages": ["zh", "en"],
        "default_language": "zh",
        "model": {"preset": "tutorial"},
        "reading_speed": PACE,
        "words": {name: word for name in names},
    }
    # JSON is YAML, and has no anchors for words that are repeated.
    path.write_text(json.dumps({"film": film, "scenes": entries}, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def _entry(name: str, scene: str, steps: str, beats: dict) -> dict:
    words = {"zh": "小场景", "en": "small scene"}
    return {
        "id": name,
        "scene": scene,
        "steps": steps,
        "track": "shared",
        "map": "encoder",
        "title": words,
        "takeaway": words,
        "beats": beats,
    }
