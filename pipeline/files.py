"""Files that are whole or not there, and their digests."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PARTIAL = ".partial"


def partial_path(path: Path) -> Path:
    """A hidden name beside `path`, for what is not whole yet. The process is part of it: two never share one."""
    return path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well, and disappears when it does not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = partial_path(path)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(folder: Path) -> None:
    """Make `folder`, and make sure that files can be made in it. Raises OSError with the folder's name."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def write_text(path: Path, text: str) -> None:
    """`text` as the UTF-8 file `path`, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, data: Any) -> None:
    """`data` as the JSON file `path`, whole or not at all."""
    write_text(path, json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_partials(folder: Path) -> None:
    """Remove what a killed run left half-written below `folder`."""
    for path in folder.rglob(f".*{PARTIAL}"):
        path.unlink(missing_ok=True)
