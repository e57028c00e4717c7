"""The small studio that the pipeline's tests work on: a storyboard, three quick scenes, the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
REPO = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Studio:
    """A folder with a storyboard, its scenes and the media made from them."""

    root: Path

    @property
    def storyboard(self) -> Path:
        return self.root / "storyboard.yaml"

    @property
    def scenes(self) -> Path:
        return self.root / "scenes"

    @property
    def media(self) -> Path:
        return self.root / "media"

    def command(self, *arguments: str) -> list[str]:
        own = ["--storyboard", str(self.storyboard), "--scenes-folder", str(self.scenes), "--media", str(self.media)]
        return [sys.executable, "-m", "pipeline.cli", *arguments, *own]

    def explain(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the command line on this studio."""
        return subprocess.run(
            self.command(*arguments),
            capture_output=True,
            text=True,
            cwd=REPO,
            env=os.environ | {"COLUMNS": "200"} | environment,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command line on this studio in a process group of its own."""
        return subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=REPO,
            start_new_session=True,
        )

    def clips(self, language: str = "zh") -> dict[str, Path]:
        """The clips there are, by scene; one that has two is an error here."""
        found: dict[str, Path] = {}
        for path in sorted((self.media / "clips" / "draft" / language).glob("*.mp4")):
            scene = path.stem.rpartition("-")[0]
            assert scene not in found, f"two clips of {scene}"
            found[scene] = path
        return found

    def film(self, language: str = "zh") -> Path:
        return self.media / "film" / language / f"a-small-film-{language}-draft.mp4"

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the one place where `old` stands in a file of the studio."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def explain_film(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line on the film itself."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=REPO,
        env=os.environ | {"COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        check=False,
    )


def fresh(root: Path) -> Studio:
    """A copy of the small studio in the new folder `root`, nothing rendered."""
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    return Studio(root)


def finished_with(root: Path, *arguments: str) -> Studio:
    """A fresh copy in `root` with its film, as `explain render` with `arguments` makes it."""
    made = fresh(root)
    done = made.explain("render", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def copied(studio: Studio, root: Path) -> Studio:
    """A copy of `studio` with all that it has made, in the new folder `root`."""
    shutil.copytree(studio.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    return Studio(root)
