"""The course kit of the small studio, made once for all tests that look at one, and what they look with."""

from __future__ import annotations

import json
import shutil
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from small_studio import Studio

SLUG = "a-small-film"
SCENES = ("opening", "middle", "ending")


def make_kit(finished: Studio, root: Path, settings: str = "") -> tuple[Studio, Path]:
    """A copy of the finished studio and its kit. `settings`: what stands behind `course:` in the storyboard."""
    shutil.copytree(finished.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    studio = Studio(root)
    if settings:
        studio.edit("storyboard.yaml", "  gap: 0.4\n", f"  gap: 0.4\n  course: {settings}\n")
    done = studio.explain("course")
    assert done.returncode == 0, done.stdout + done.stderr
    return studio, studio.media / "course"


def manifest_of_kit(kit: Path) -> dict[str, Any]:
    return json.loads((kit / "manifest.json").read_text(encoding="utf-8"))


def package(kit: Path, version: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(kit / f"{SLUG}-SCORM-{version}.zip")


class Page(HTMLParser):
    """What a page holds: its elements in order, the data of its script block, its visible text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.data: dict[str, Any] = {}
        self.text = ""
        self._inside = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 (the parser's own signature)
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script" and data.strip():
            self.data = json.loads(data)
        elif self._inside not in {"script", "style"}:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]
