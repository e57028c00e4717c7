"""`explain prune`: removes clips that neither the film as it is now nor the last versions of a film are made of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .clips import Media, outdated, sidecar_of
from .files import PARTIAL
from .lock import media_lock
from .manifest import beside_film, manifest_of, versions_of
from .plan import plan
from .problems import UserError, shown_path
from .progress import size
from .qualities import QUALITIES
from .storyboard import Storyboard


@dataclass(frozen=True)
class Leftover:
    """Something that nothing needs: a clip with what lies beside it, or what a film or a killed render left behind."""

    name: str
    kind: str  # clip, leftover
    paths: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        files = (file for path in self.paths for file in ([path] if path.is_file() else path.rglob("*")))
        return sum(file.stat().st_size for file in files if file.is_file())

    def remove(self) -> None:
        # The clip's description goes first: a clip without one is never used.
        for path in sorted(self.paths, key=lambda path: path.suffix != ".json"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def prune(storyboard: Storyboard, folders: tuple[Path, Path], *, keep: int, dry_run: bool) -> str:
    """Remove what nothing needs and say what that was. `folders`: the scenes, the media; `keep`: versions of each film.

    Raises UserError where it cannot be told what a film is made of, or while a render is at work.
    """
    scenes, root = folders
    media = Media(root.resolve())
    if not media.root.is_dir():
        return f"There is no {shown_path(root)}; nothing to remove."
    with media_lock(media.root):
        needed = films_clips(media, keep) | storyboards_clips(storyboard, scenes, media)
        found = [*unused_clips(media, needed), *left_behind(media)]
        sizes = {leftover: leftover.size for leftover in found}
        if not dry_run:
            for leftover in found:
                leftover.remove()
    return report(sizes, dry_run=dry_run)


def report(sizes: dict[Leftover, int], *, dry_run: bool) -> str:
    """A line for everything that is removed, and one for all of it."""
    done = "Would remove" if dry_run else "Removed"
    lines = [f"{done} {leftover.name}, {size(count)}" for leftover, count in sizes.items()]
    clips = sum(leftover.kind == "clip" for leftover in sizes)
    total = f"{sum(sizes.values()) / 1e6:.1f} MB"
    nouns = f"{clips} {'clip' if clips == 1 else 'clips'}, {len(sizes) - clips} other leftovers"
    return "\n".join([*lines, f"{done} {nouns}: {total}." if sizes else "There is nothing to remove."])


def films_clips(media: Media, keep: int) -> set[Path]:
    """The clips of the newest `keep` versions of every film that is there."""
    needed: set[Path] = set()
    for film in sorted((media.root / "film").rglob("*.mp4")):
        manifest = manifest_of(film)
        if not manifest.exists():
            continue  # of a program that kept none; the storyboard's own clips stay in any case
        versions = versions_of(manifest, keep)
        if versions is None:
            raise UserError(
                f"{shown_path(manifest)} cannot be read, so nobody knows which clips {film.name} is made of.\n"
                "    next: run explain render, which writes it anew, or remove the film; then prune again"
            )
        needed |= {clip for clips in versions for clip in clips}
    return needed


def storyboards_clips(storyboard: Storyboard, scenes: Path, media: Media) -> set[Path]:
    """The clips that the storyboard as it is now would be rendered with, in every quality and language there is.

    With a voice and without one: neither how long the words are spoken nor how fast they are read is looked at.
    """
    entries = storyboard.drawn
    needed = set()
    for quality in QUALITIES.values():
        folder = media.root / "clips" / quality.name
        languages = [language for language in storyboard.film.languages if (folder / language).is_dir()]
        for clip in plan(storyboard, entries, languages, quality, scenes, media) if languages else []:
            for path in clip.path.parent.glob(f"{clip.entry.id}-*.mp4"):
                sidecar = sidecar_of(path)
                if sidecar is not None and _timeless(sidecar.parts) == _timeless(clip.parts):
                    needed |= set() if outdated(sidecar, clip.model) else {path}
    return needed


def _timeless(parts: Mapping[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in parts.items() if name.partition("/")[0] not in ("reading", "spoken")}


def unused_clips(media: Media, needed: Iterable[Path]) -> Iterator[Leftover]:
    """Clips, and what lies beside clips that are gone, unless they are needed."""
    kept = {path.with_suffix("") for path in needed}
    together: dict[Path, list[Path]] = {}
    for path in sorted((media.root / "clips").glob("*/*/*")):
        if path.suffix in {".mp4", ".json", ".vtt", ".srt"} and not path.name.startswith("."):
            together.setdefault(path.with_suffix(""), []).append(path)
    for stem, paths in together.items():
        if stem not in kept:
            yield Leftover(stem.relative_to(media.root).as_posix(), "clip", tuple(paths))


def left_behind(media: Media) -> Iterator[Leftover]:
    """Captions and manifests of films that are gone; what a killed render has not finished."""
    for manifest in sorted((media.root / "film").rglob("*.json")):
        if not manifest.name.startswith(".") and not manifest.with_suffix(".mp4").exists() and versions_of(manifest, 1):
            beside = [manifest, *beside_film(manifest.with_suffix(".mp4"))]
            paths = [path for path in beside if path.exists()]
            yield Leftover(f"what the film {manifest.stem} left", "leftover", tuple(paths))
    for folder in ("clips", "film"):
        for place, directories, files in os.walk(media.root / folder):
            names = [name for name in files if name.startswith(".") and name.endswith(PARTIAL)]
            for name in [*names, *(name for name in directories if name.startswith(".join-"))]:
                yield Leftover(f"{folder}/…/{name}", "leftover", (Path(place, name),))
