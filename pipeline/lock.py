"""One render at a time for a media folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .problems import UserError, shown_path

# The workers of a killed render hold the lock until they have noticed, which takes them a moment.
PATIENCE = 10.0
PATIENCE_VARIABLE = "EXPLAINER_LOCK_PATIENCE"


@contextmanager
def media_lock(media: Path, patience: float | None = None) -> Iterator[int]:
    """Hold the lock of `media`; yields its file descriptor, which workers inherit so that they hold it, too.

    Raises UserError when another render has it for longer than `patience` seconds (default: the environment's
    EXPLAINER_LOCK_PATIENCE, else ten).
    """
    if patience is None:
        patience = float(os.environ.get(PATIENCE_VARIABLE) or PATIENCE)
    media.mkdir(parents=True, exist_ok=True)
    path = media / ".lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + patience
        told = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise UserError(_message(path, media)) from None
                if not told:
                    print(f"Another render is at work in {shown_path(media)}; waiting for it.", flush=True)
                    told = True
                time.sleep(0.1)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _message(path: Path, media: Path) -> str:
    owner = path.read_text(encoding="ascii", errors="replace").strip()
    who = f" (process {owner})" if owner.isdigit() else ""
    return (
        f"Another render is at work in {shown_path(media)}{who}.\n"
        "    next: wait until it has finished, or stop it with Ctrl-C, then run the command again"
    )
