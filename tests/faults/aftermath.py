"""What must hold after a fault: no process is left, no file is incomplete, the next run makes the film."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from functools import cache
from pathlib import Path

import av
from small_studio import Studio

from pipeline.files import sha256_of
from pipeline.lock import media_lock

PATIENCE = 20.0  # seconds in which whatever a fault has left behind must have ended


def processes(studio: Studio) -> list[int]:
    """Processes at work in the studio, as Linux tells: by their command line or the folder that they are in."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        if place.name == str(os.getpid()):
            continue
        try:
            about = (place / "cmdline").read_bytes().decode(errors="replace") + os.readlink(place / "cwd")
        except OSError:
            continue
        if f"{studio.root}/" in about:
            found.append(int(place.name))
    return found


def nobody_is_left(studio: Studio) -> None:
    """Within some seconds the lock, which every worker holds, is free, and no process of the studio is alive."""
    with media_lock(studio.media, patience=PATIENCE):
        pass
    deadline = time.monotonic() + PATIENCE
    while left := processes(studio):
        assert time.monotonic() < deadline, f"still alive: {left}"
        time.sleep(0.05)


def nothing_is_incomplete(studio: Studio) -> None:
    """Each file under a final name is whole: clips fit their sidecars, films their manifests, JSON can be read.

    A clip whose sidecar is not there yet counts as none: it is never used.
    """
    for path in studio.media.rglob("*.json"):
        if path.name.startswith(".") or "/.work/" in str(path):
            continue
        data = json.loads(path.read_text(encoding="utf-8"))
        told = data.get("film", data) if isinstance(data, dict) else {}
        if "sha256" in told:
            assert sha256_of(path.with_suffix(".mp4")) == told["sha256"], path
    for path in (studio.media / "clips").rglob("*.mp4"):
        assert readable(path), path
    for path in (studio.media / "film").rglob("*.mp4"):
        assert readable(path), path


def readable(path: Path) -> bool:
    """Whether the video at `path` is decoded from beginning to end."""
    return bool(frame_digests(path))


def frame_digests(path: Path) -> list[str]:
    """The digest of every picture of the video at `path`, decoded."""
    with av.open(str(path)) as container:
        frames = container.decode(container.streams.video[0])
        return [hashlib.sha256(frame.to_ndarray().tobytes()).hexdigest() for frame in frames]


@cache
def _expected(path: Path) -> list[str]:
    return frame_digests(path)


def finish(studio: Studio, undisturbed: Studio, *arguments: str) -> str:
    """The next run ends well, with the undisturbed film's frames, and leaves nothing half done. What it said."""
    done = studio.explain("render", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert frame_digests(studio.film()) == _expected(undisturbed.film())
    nothing_is_incomplete(studio)
    left = [path.name for path in studio.media.rglob(".*") if path.name not in {".lock", ".work", ".sources.json"}]
    assert left == []
    assert list((studio.media / ".work").glob("*")) == []
    return done.stdout


def told(done: subprocess.CompletedProcess[str], *phrases: str, status: int = 1) -> str:
    """What a run that could not make the film whole said: the phrases, no traceback, and its exit status."""
    said = done.stdout + done.stderr
    assert done.returncode == status, said
    assert "Traceback" not in said, said
    for phrase in phrases:
        assert phrase in said, said
    return said


def after(studio: Studio) -> None:
    """All that must hold as soon as a disturbed run has ended."""
    nobody_is_left(studio)
    nothing_is_incomplete(studio)
