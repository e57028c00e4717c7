"""`explain render`: from a storyboard to verified films, rendering only the clips that are not there yet."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from .captions import captions_of, vtt
from .clips import Clip, Media, estimated_frames, film_name, usable
from .files import remove_partials, write_text
from .film import FFMPEG_VARIABLE, JoinedFilm, Part, find_ffmpeg, finished_film
from .fingerprint import fingerprint, model_of, source_digest
from .jobs import Failure, Sidecar
from .lock import media_lock
from .problems import UserError, did_you_mean, listed, shown_path
from .progress import duration, size
from .qualities import QUALITIES, Quality
from .rendering import Work, keep_logs, render_clips
from .storyboard import Entry, Storyboard, load_storyboard


@dataclass(frozen=True)
class RenderRequest:
    """What the user asked for. None: what the storyboard says, or everything there is."""

    storyboard: Path
    scenes_folder: Path
    media: Path
    scenes: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    quality: str | None = None
    jobs: int | None = None
    force: bool = False
    renderer: str = "fast"
    ffmpeg: str | None = None


def render_film(request: RenderRequest, console: Console) -> int:
    """Render, join and verify. Returns the exit status: 0 when every film asked for is in place.

    Raises UserError for everything that keeps the work from beginning.
    """
    began = time.monotonic()
    storyboard = load_storyboard(request.storyboard, scenes=request.scenes_folder)
    binary = partial(find_ffmpeg, request.ffmpeg)
    if request.ffmpeg or os.environ.get(FFMPEG_VARIABLE):
        binary()  # one that was chosen is tried before any work; the packaged one is looked up when it is needed
    quality = QUALITIES[request.quality or storyboard.film.quality]
    entries = choose_scenes(storyboard, request.scenes)
    languages = choose_languages(storyboard, request.languages)
    _say(console, f"{_count(len(entries), 'scene')} in {listed(languages)}, quality {quality}")
    for warning in storyboard.warnings:
        _say(console, str(warning))
    drafts = [entry for entry in storyboard.scenes if entry.draft]
    if drafts and request.scenes is None:
        _say(console, f"Left out, not drawn yet: {listed(entry.id for entry in drafts)}")

    media = Media(request.media.resolve())
    with media_lock(media.root) as lock:
        _clean(media)
        with tempfile.TemporaryDirectory(prefix="render-", dir=media.work) as folder:
            # Workers read a copy, so that an edit during the render cannot mix two versions in one film.
            copy = Path(folder, storyboard.path.name)
            copy.write_bytes(storyboard.path.read_bytes())
            clips = plan(storyboard, entries, languages, quality, request.scenes_folder, media)
            sidecars = {} if request.force else {clip: sidecar for clip in clips if (sidecar := usable(clip))}
            missing = [clip for clip in clips if clip not in sidecars]
            if len(missing) < len(clips):
                _say(console, f"Unchanged: {_count(len(clips) - len(missing), 'clip')}")
            failures: dict[Clip, Failure] = {}
            if missing:
                work = Work(
                    copy, storyboard.film, request.scenes_folder, Path(folder), request.jobs, lock, request.renderer
                )
                rendered, failures = render_clips(missing, work, console)
                sidecars |= rendered
                keep_logs(failures, Path(folder), media)
        write_clip_captions(sidecars, storyboard)
        for clip, failure in failures.items():
            _say(console, failure_report(clip, failure, storyboard))
        films = []
        for language in languages:
            wanted = [clip for clip in clips if clip.language == language]
            if any(clip in failures for clip in wanted):
                broken = listed(clip.entry.id for clip in wanted if clip in failures)
                _say(console, f'The film in "{language}" was not written: {broken} failed.')
                continue
            parts = [Part(clip.path, sidecars[clip], clip.entry.title[language]) for clip in wanted]
            scenes = [entry.id for entry in entries] if request.scenes is not None else None
            films.append(_join(parts, storyboard, language, quality, (media, scenes, binary)))
    for film in films:
        _say(console, summary(film, quality))
    _say(console, f"{_count(len(missing) - len(failures), 'clip')} rendered in {duration(time.monotonic() - began)}")
    return 1 if failures else 0


def choose_scenes(storyboard: Storyboard, wanted: Sequence[str] | None) -> list[Entry]:
    """The entries to render, in the storyboard's order. Raises UserError for unknown scenes and drafts."""
    if wanted is None:
        entries = [entry for entry in storyboard.scenes if not entry.draft]
        if not entries:
            raise UserError(f"{shown_path(storyboard.path)}: every scene is a draft; there is nothing to render")
        return entries
    by_id = {entry.id: entry for entry in storyboard.scenes}
    faults = []
    for name in wanted:
        if name not in by_id:
            hint = did_you_mean(name, by_id)
            faults.append(f'There is no scene "{name}"' + (f"; {hint}" if hint else "."))
        elif by_id[name].draft:
            place = f"{shown_path(storyboard.path)}:{storyboard.line_of(name)}"
            faults.append(f'The scene "{name}" is a draft ({place}).\n    next: draw it, then remove draft: true')
    if faults:
        drawn = [entry.id for entry in storyboard.scenes if not entry.draft]
        raise UserError("\n".join([*faults, f"    allowed: {listed(drawn)}"]))
    return [entry for entry in storyboard.scenes if entry.id in wanted]


def choose_languages(storyboard: Storyboard, wanted: Sequence[str] | None) -> list[str]:
    """The languages to render. Raises UserError for one that the film does not have."""
    film = storyboard.film
    if wanted is None:
        return [film.default_language]
    if "all" in wanted:
        return list(film.languages)
    for language in wanted:
        if language not in film.languages:
            allowed = [*film.languages, "all"]
            hint = did_you_mean(language, allowed)
            lines = [f'The film has no language "{language}".', f"    allowed: {listed(allowed)}"]
            raise UserError("\n".join([*lines, *([f"    next: {hint}"] if hint else [])]))
    return [language for language in film.languages if language in wanted]


def plan(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    languages: Sequence[str],
    quality: Quality,
    scenes_folder: Path,
    media: Media,
) -> list[Clip]:
    """The clips that the films need, language by language, scene by scene."""
    model = model_of(storyboard)
    sources = {
        entry.module: source_digest(scenes_folder.joinpath(*entry.module.split(".")).with_suffix(".py"))
        for entry in entries
    }
    clips = []
    for language in languages:
        for entry in entries:
            digest = fingerprint(storyboard, entry, language, quality, (model, sources[entry.module]))
            clips.append(
                Clip(
                    entry=entry,
                    language=language,
                    quality=quality,
                    path=media.clip(quality, language, entry.id, digest),
                    fingerprint=digest,
                    sources=sources[entry.module],
                    estimate=estimated_frames(entry, language, storyboard.film, quality),
                )
            )
    return clips


def write_clip_captions(sidecars: dict[Clip, Sidecar], storyboard: Storyboard) -> None:
    """Captions beside every clip, where they are not there yet or differ."""
    for clip, sidecar in sidecars.items():
        text = vtt(captions_of(sidecar.cues, storyboard.film.unit(clip.language), clip.entry.id), sidecar.fps)
        if not clip.captions.is_file() or clip.captions.read_text(encoding="utf-8") != text:
            write_text(clip.captions, text)


def _join(
    parts: list[Part],
    storyboard: Storyboard,
    language: str,
    quality: Quality,
    where: tuple[Media, list[str] | None, Callable[[], str]],
) -> JoinedFilm:
    media, scenes, binary = where
    film = storyboard.film
    return finished_film(
        parts,
        media.film(language, film_name(storyboard, language, quality, scenes)),
        quality,
        language=language,
        title=film.title[language],
        unit=film.unit(language),
        binary=binary,
    )


def failure_report(clip: Clip, failure: Failure, storyboard: Storyboard) -> str:
    """Which scene, which beat, where in the storyboard and in the scene, what happened, how to try again."""
    where = f' in the beat "{failure.beat}"' if failure.beat else ""
    line = storyboard.line_of(clip.entry.id, failure.beat)
    lines = [
        f"The scene {clip.entry.id} ({clip.language}) failed{where}:",
        f"    {failure.error}",
        f"    storyboard: {shown_path(storyboard.path)}:{line}",
    ]
    if failure.scene_file:
        lines.append(f"    scene: {shown_path(failure.scene_file)}" + (f":{failure.line}" if failure.line else ""))
    lines += [f"      {detail}" for detail in failure.details]
    again = f"explain render --scenes {clip.entry.id} --language {clip.language} --quality {clip.quality.name}"
    return "\n".join([*lines, f"    next: mend it, then: {again}"])


def summary(film: JoinedFilm, quality: Quality) -> str:
    """The finished film in one line each: path, length, size."""
    return "\n".join(
        [
            f"Film: {shown_path(film.path)}",
            f"    {duration(film.seconds)} ({film.frames:,} frames), {size(film.size)}, "
            f"{quality.width}×{quality.height} at {quality.fps}, verified{', unchanged' if film.unchanged else ''}",
            f"    captions: {shown_path(film.captions)}",
        ]
    )


def _clean(media: Media) -> None:
    """Remove what a killed render left; the lock is held, so nobody is using it."""
    shutil.rmtree(media.work, ignore_errors=True)
    media.work.mkdir(parents=True, exist_ok=True)
    for folder in (media.root / "clips", media.root / "film"):
        if folder.is_dir():
            remove_partials(folder)
            for left in folder.rglob(".join-*"):
                shutil.rmtree(left, ignore_errors=True)


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
