"""Whether the pictures of the storyboard as it is now hold: no text over another, none cut off, none too small.

The rules are those of the film's own tests (`scenes.stage.audit`): every scene is played without being drawn and looked
at after every play.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from .plan import choose_languages, choose_scenes
from .problems import UserError, shown_path
from .progress import say
from .qualities import QUALITIES
from .scene_loading import load_class
from .scene_pool import run_scenes
from .stall import stall_limited
from .still_drawing import SceneRun
from .storyboard import Storyboard

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)+)'|\"((?:[^\"\\]|\\.)+)\"")


@dataclass(frozen=True)
class Finding:
    """What is wrong in one picture: in which beat (none: in the scene as a whole), what, and what is allowed.

    Not the audit's own record: that comes with manim, which only the processes that look have imported.
    """

    beat: str
    what: str
    allowed: str


def check_pictures(
    storyboard: Storyboard,
    folder: Path,
    scenes: Sequence[str] | None,
    languages: Sequence[str] | None,
    jobs: int | None,
    console: Console,
) -> int:
    """Play `scenes` (None: all) in `languages` (None: the default one) and tell what does not hold; the exit status."""
    items, entries = [], {}
    for language in choose_languages(storyboard, languages):
        for entry in choose_scenes(storyboard, scenes):
            name = f"{language}/{entry.id}"
            entries[name] = entry
            run = SceneRun(entry.scene, folder.resolve(), storyboard.path.resolve(), language, QUALITIES["draft"])
            items.append((name, run, ()))
    found, faults = run_scenes(look, items, jobs, console)
    lines = storyboard.path.read_text(encoding="utf-8").splitlines()
    for name, findings in found.items():
        places: dict[int, list[Finding]] = {}  # one fault of a text shows in several ways
        for finding in findings:
            places.setdefault(_line_of(finding, lines, storyboard.line_of(entries[name].id)), []).append(finding)
        for line, (first, *others) in places.items():
            beat = f", beat {first.beat}" if first.beat else ""
            more = f" (and {len(others)} more)" if others else ""
            say(console, f"{shown_path(storyboard.path)}:{line}: {name}{beat}: {first.what}{more}")
            say(console, f"    allowed: {first.allowed}")
    for name, fault in faults.items():
        say(console, f"{name}: {fault.text}")
    wrong = sum(len(findings) for findings in found.values())
    if wrong:
        say(console, f"{wrong} fault{'s' * (wrong > 1)} in the pictures")
        say(console, "    next: shorten the text, then check again; `explain still SCENE BEAT` shows the picture")
    elif not faults:
        say(console, f"OK: every picture of {len(found)} scene{'s' * (len(found) > 1)} holds")
    return 1 if wrong or faults else 0


def look(run: SceneRun) -> list[Finding]:
    """Play one scene and look at its pictures. Runs in a process of its own."""
    from scenes.stage.audit import audit_scene  # noqa: PLC0415 (manim; only who looks needs it)
    from scenes.stage.scene import ExplainerScene  # noqa: PLC0415

    with stall_limited(run.folder):
        scene: Any = load_class(run.folder, run.scene)
        if not issubclass(scene, ExplainerScene):
            kind = f"{scene.__name__} is no ExplainerScene, which alone can be looked at"
            raise UserError(f"{shown_path(run.file)}: {kind}")
        return [
            Finding(one.beat, f"{one.what}{f' at {one.where}' if one.where else ''}: {one.measured}", one.allowed)
            for one in audit_scene(scene, run.storyboard, run.language)
        ]


def _line_of(finding: Finding, lines: Sequence[str], entry: int) -> int:
    """The line of the longest text of the storyboard that `finding` names, from the scene's own line on; else that."""
    texts = sorted((a or b for a, b in _QUOTED.findall(finding.what)), key=len, reverse=True)
    order = [*range(entry - 1, len(lines)), *range(entry - 1)]
    for text in texts:
        for index in order:
            if len(text) > 1 and text in lines[index]:
                return index + 1
    return entry
