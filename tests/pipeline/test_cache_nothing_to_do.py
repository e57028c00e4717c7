"""A render that has nothing to do: it draws nothing, joins nothing, loads nothing heavy, and is over at once."""

from __future__ import annotations

import subprocess
import sys
import time

from small_studio import REPO, Studio

# What drawing, encoding, joining or cutting captions need and looking does not.
HEAVY = ("manim", "av", "ffmpeg", "imageio_ffmpeg", "jieba", "pipeline.worker", "pipeline.rendering", "scenes")
SECONDS = 6.0  # on a machine that does other things, too; less than one on an idle one


def written(studio: Studio) -> dict[str, tuple[int, int]]:
    """Every file of the studio's clips and films, with the time it was written and which file it is."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_ino)
        for folder in ("clips", "film")
        for path in (studio.media / folder).rglob("*")
    }


def test_nothing_is_rendered_joined_or_written(rendered: Studio) -> None:
    before = written(rendered)
    done = rendered.explain("render", "--language", "all")
    assert done.returncode == 0, done.stderr
    assert "Unchanged: 6 clips" in done.stdout
    assert "0 clips rendered" in done.stdout
    assert done.stdout.count("verified, unchanged") == 2
    assert written(rendered) == before


def test_nothing_heavy_is_loaded(rendered: Studio) -> None:
    arguments = rendered.command("render")[3:]
    code = (
        f"import sys\nfrom pipeline.cli import main\nstatus = main({arguments!r})\n"
        f"print('loaded', *[name for name in {HEAVY!r} if name in sys.modules])\nsys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert "0 clips rendered" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded"


def test_it_is_over_at_once(rendered: Studio) -> None:
    rendered.explain("render")  # the disk has it all, and the sources are remembered
    times = []
    for _ in range(3):
        began = time.monotonic()
        assert rendered.explain("render").returncode == 0
        times.append(time.monotonic() - began)
    assert min(times) < SECONDS
