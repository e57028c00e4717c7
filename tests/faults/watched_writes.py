"""Sees every file that is written and every program that is started while a storyboard is tried."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_WATCHED: list[tuple[str, str]] = []
_watching = False
_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.truncate"}
_RUNS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    if event == "open":
        name, mode, flags = arguments
        written_to = isinstance(mode, str) and set(mode) & set("wax+")
        if (written_to or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) and isinstance(name, str | bytes):
            _WATCHED.append((event, os.fsdecode(name)))
    elif event in _CHANGES:
        _WATCHED.append((event, os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else ""))
    elif event in _RUNS:
        _WATCHED.append((event, repr(arguments)[:200]))


sys.addaudithook(_hook)


@contextmanager
def nothing_outside(folder: Path) -> Iterator[None]:
    """Fail where anything outside `folder` is written, moved or removed, or a program or connection is started."""
    global _watching  # noqa: PLW0603 (an audit hook cannot be taken away again)
    _WATCHED.clear()
    _watching = True
    try:
        yield
    finally:
        _watching = False
    # hypothesis and Python keep notes of their own, which no storyboard has a say in.
    own = (str(folder), "/dev/null", str(Path.cwd() / ".hypothesis"))
    outside = [found for found in _WATCHED if not found[1].startswith(own) and "__pycache__" not in found[1]]
    assert not outside, outside
