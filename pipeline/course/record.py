"""What is in the kit: `manifest.json` for programs, `checksums.txt` for `sha256sum --check`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..files import sha256_of, write_json, write_text

MANIFEST = "manifest.json"
CHECKSUMS = "checksums.txt"
KIT = "course kit"


@dataclass(frozen=True)
class Origin:
    """What a file was made from; `fingerprint`: of the clip or film."""

    language: str | None = None
    scene: str | None = None
    fingerprint: str | None = None


@dataclass(frozen=True)
class Item:
    """A file of the kit. `path` is relative to it; `seconds`: the length of a video."""

    path: str
    kind: str
    origin: Origin
    seconds: float | None

    def facts(self) -> dict[str, Any]:
        return {"path": self.path, "kind": self.kind, "seconds": self.seconds, **asdict(self.origin)}


_NOWHERE = Origin()


class Record:
    """Files of a kit that is being written into `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.items: list[Item] = []

    def file(self, path: str, kind: str, origin: Origin = _NOWHERE, *, seconds: float | None = None) -> Path:
        """Note the file and give its whole path, its folder made."""
        self.items.append(Item(path, kind, origin, seconds))
        whole = self.folder / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        return whole

    def write(self, **facts: Any) -> None:
        """Write the manifest, with `facts` about the whole kit, and the checksums of all files, its own included."""
        files = []
        for item in sorted(self.items, key=lambda item: item.path):
            path = self.folder / item.path
            files.append(item.facts() | {"bytes": path.stat().st_size, "sha256": sha256_of(path)})
        write_json(self.folder / MANIFEST, {"kind": KIT, **facts, "files": files})
        sums = {file["path"]: file["sha256"] for file in files} | {MANIFEST: sha256_of(self.folder / MANIFEST)}
        write_text(self.folder / CHECKSUMS, "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items())))


def is_kit(folder: Path) -> bool:
    """Whether a kit was written into `folder`, so that it may be replaced."""
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and data.get("kind") == KIT
