"""`explain posters`: the one frame that stands for the film, and one for each scene, as the storyboard chooses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from .clips import Media, film_name
from .plan import choose_languages, choose_scenes
from .problems import UserError, shown_path
from .qualities import QUALITIES, Quality
from .scene_pool import run_scenes
from .still_drawing import SceneRun, draw_stills
from .stills import write_picture
from .storyboard import Entry, Storyboard

POSTERS = "posters"


@dataclass(frozen=True)
class PosterRequest:
    """What the user asked for. None: everything drawn, the storyboard's language and quality, one job a core."""

    folder: Path
    media: Path
    scenes: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    quality: str | None = None
    jobs: int | None = None


def poster_beat(entry: Entry) -> str:
    """The beat whose last frame stands for the scene: the storyboard's choice, else the last one."""
    return entry.poster or list(entry.beats)[-1]


def film_poster(storyboard: Storyboard, entries: Sequence[Entry]) -> tuple[Entry, str]:
    """Scene and beat of the film's poster: the storyboard's choice, else that of the first of `entries`."""
    chosen = storyboard.film.poster
    if chosen is None:
        return entries[0], poster_beat(entries[0])
    entry = storyboard.entry(chosen.scene)
    return entry, chosen.beat or poster_beat(entry)


def film_poster_path(storyboard: Storyboard, media: Path, language: str, quality: Quality) -> Path:
    """Where the film's poster lies: beside the film, under its name."""
    film = Media(media).film(language, film_name(storyboard, language, quality, None))
    return film.with_name(f"{film.stem}-poster.png")


def scene_poster_path(media: Path, language: str, scene_id: str) -> Path:
    """Where the poster of a scene lies."""
    return media / POSTERS / language / f"{scene_id}.png"


def make_posters(storyboard: Storyboard, request: PosterRequest, console: Console) -> int:
    """Draw and write the posters; the exit status, 1 when a scene could not be drawn.

    With `scenes` only theirs, and not the film's.
    """
    entries = choose_scenes(storyboard, request.scenes)
    quality = QUALITIES[request.quality or storyboard.film.quality]
    items = []
    for language in choose_languages(storyboard, request.languages):
        wanted = {entry.id: {poster_beat(entry): [_target(request, language, entry)]} for entry in entries}
        if request.scenes is None:
            entry, beat = film_poster(storyboard, entries)
            path = str(film_poster_path(storyboard, request.media, language, quality).resolve())
            wanted.setdefault(entry.id, {}).setdefault(beat, []).append(path)
        for entry in entries:
            run = SceneRun(entry.scene, request.folder, storyboard.path.resolve(), language, quality)
            items.append((f"{language}/{entry.id}", run, (wanted[entry.id],)))
    done, faults = run_scenes(draw_posters, items, request.jobs, console)
    for paths in done.values():
        for path in paths:
            console.print(shown_path(path), highlight=False, markup=False, soft_wrap=True)
    for name, fault in faults.items():
        console.print(f"{name}: {fault.text}", highlight=False, markup=False, soft_wrap=True)
    return 1 if faults else 0


def _target(request: PosterRequest, language: str, entry: Entry) -> str:
    return str(scene_poster_path(request.media, language, entry.id).resolve())


def draw_posters(run: SceneRun, wanted: Mapping[str, Sequence[str]]) -> list[str]:
    """Draw the last frame of each beat of `wanted` into its files; the files. Runs in a process of its own."""
    from .still_renderer import Wish  # noqa: PLC0415 (manim; only who draws needs it)

    found: dict[str, Any] = {}
    draw_stills(run, Wish(frozenset(wanted)), lambda _, still: found.setdefault(still.beat, still.pixels))
    if missing := [beat for beat in wanted if beat not in found]:
        raise UserError(f'{shown_path(run.file)}: the scene never plays the beat "{missing[0]}"')
    paths = []
    for beat, targets in wanted.items():
        for target in targets:
            write_picture(np.ascontiguousarray(found[beat][:, :, :3]), Path(target))
            paths.append(target)
    return paths
