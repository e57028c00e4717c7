"""Files that are looked at again and again: which were saved, and what is in them as a digest."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from .files import sha256_of


class WatchedFiles:
    """Some files, and every Python file below some folders. What is there at the first look counts as seen."""

    def __init__(self, files: Iterable[Path], folders: Iterable[Path]) -> None:
        self._files, self._folders = tuple(files), frozenset(folders)
        self._stats: dict[str, tuple[int, int]] = {}
        self.changed()

    def changed(self) -> list[str]:
        """The files that were saved, or are new, since the last look."""
        now: dict[str, tuple[int, int]] = {}
        for path in (*self._files, *(path for folder in self._folders for path in folder.rglob("*.py"))):
            try:
                stat = path.stat()
            except OSError:  # being replaced just now
                continue
            now[str(path)] = (stat.st_mtime_ns, stat.st_size)
        found = [path for path, stat in now.items() if self._stats.get(path) != stat]
        self._stats |= now
        return found

    def saved_at(self, file: str) -> float:
        """When a file that was seen was saved, in seconds since 1970."""
        return self._stats[file][0] / 1e9


def digest(file: str) -> str:
    """The digest of the file's bytes, "" where it cannot be read. Read again only when time or size have changed."""
    try:
        stat = Path(file).stat()
        return _digest(file, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return ""


def digests(files: Iterable[str]) -> dict[str, str]:
    """The digest of each file."""
    return {file: digest(file) for file in files}


@lru_cache(maxsize=1024)
def _digest(file: str, _changed: int, _size: int) -> str:
    return sha256_of(Path(file))
