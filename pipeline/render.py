"""`explain render`: from a storyboard to verified films, rendering only the clips that are not there yet."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from .again import command
from .clips import Clip, Media, damaged, film_name, find, whole
from .described import SUFFIX as DESCRIBED
from .described import write_described
from .files import remove_partials
from .film import FFMPEG_VARIABLE, JoinedFilm, Part, find_ffmpeg, finished_film, write_clip_captions
from .film_extras import INCOMPLETE, extras_of
from .fingerprint import model_of
from .jobs import Failure, Sidecar
from .lock import media_lock
from .narrating import VOICE_STORE, narrations, script_folder
from .plan import choose_languages, choose_scenes, plan
from .problems import UserError, listed, shown_path
from .progress import duration, say, size
from .qualities import QUALITIES, Quality
from .sources import recall, remember
from .storyboard import Entry, Storyboard, load_storyboard
from .voice.choice import voicing
from .voice.narration import Table
from .voice.script import Script, ScriptFolder, keep_words, kept_words
from .why import explanation


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
    cluster: str | None = None  # the address of a Dask scheduler whose workers draw
    ffmpeg: str | None = None
    voice: str | None = None  # none, recordings or kokoro
    why: bool = False  # say what would be rendered and why, and render nothing
    keep_going: bool = False  # join films without the scenes that failed
    given: tuple[str, ...] = ()  # options and values, alternating, with which a scene is to be rendered again


def render_film(request: RenderRequest, console: Console) -> int:
    """Render, join and verify. Returns the exit status: 0 when every film asked for is in place, 3 when all are and
    lack scenes that failed.

    Raises UserError for everything that keeps the work from beginning.
    """
    began = time.monotonic()
    storyboard, text = _loaded(request)
    binary = partial(find_ffmpeg, request.ffmpeg)
    if request.ffmpeg or os.environ.get(FFMPEG_VARIABLE):
        binary()  # one that was chosen is tried before any work; the packaged one is looked up when it is needed
    quality = QUALITIES[request.quality or storyboard.film.quality]
    entries = choose_scenes(storyboard, request.scenes)
    languages = choose_languages(storyboard, request.languages)
    say(console, f"{_count(len(entries), 'scene')} in {listed(languages)}, quality {quality}")
    entries = storyboard.with_cards(entries) if request.scenes is None else entries
    _warn(console, storyboard, whole=request.scenes is None)
    media = Media(request.media.resolve())
    recall(media.sources)
    how = voicing(storyboard, media.root / VOICE_STORE, request.voice)
    words = script_folder(media.root, request.scenes_folder, jobs=request.jobs)
    planned = partial(plan, storyboard, entries, languages, quality, request.scenes_folder, media)
    if request.why:
        spoken, mute = narrations(storyboard, entries, languages, how, words, console)
        clips, failures = sorted_by_fault(planned(spoken), mute)
        say(console, explanation(clips, force=request.force))
        _tell_failures(failures, storyboard, request.given, console)
        return 1 if failures else 0
    with media_lock(media.root) as lock:
        _clean(media)
        spoken, mute = narrations(storyboard, entries, languages, how, words, console)
        with tempfile.TemporaryDirectory(prefix="render-", dir=media.work) as folder:
            # Workers read a copy, so that an edit during the render cannot mix two versions in one film.
            (copy := Path(folder, storyboard.path.name)).write_bytes(text)
            clips, untold = sorted_by_fault(planned(spoken), mute)
            remember(media.sources)
            where = (copy, Path(folder), media, lock)
            there, failures, drawn = _drawn(clips, storyboard, request, where, console)
            failures = untold | failures
        _tell_failures(failures, storyboard, request.given, console)
        by_place = {(clip.language, clip.entry.id): clip for clip in (*there, *failures)}
        known = _all_words(storyboard, entries, there, words)
        films: list[str] = []
        for language in languages:
            wanted = [by_place[language, entry.id] for entry in entries]
            broken = [clip.entry.id for clip in wanted if clip in failures]
            parts = film_parts(
                [(clip, there[clip]) for clip in wanted if clip in there], language, spoken.get(language, {}), known
            )
            written = not broken or (request.keep_going and not all(part.card for part in parts))
            if broken:
                say(console, _verdict(language, broken, written=written))
            if not written:
                write_clip_captions(parts, storyboard.film.unit(language), extras_of(storyboard))
                continue
            scenes = [entry.id for entry in entries] if request.scenes is not None else None
            film = _join(parts, storyboard, language, quality, (media, scenes, binary), broken)
            films.append(summary(film, quality, broken))
    for told in films:
        say(console, told)
    say(console, f"{_count(drawn, 'clip')} rendered in {duration(time.monotonic() - began)}")
    return 1 if len(films) < len(languages) else INCOMPLETE if failures else 0


def _loaded(request: RenderRequest) -> tuple[Storyboard, bytes]:
    """The storyboard, and the very bytes that it was read from. Raises UserError."""
    text = request.storyboard.read_bytes() if request.storyboard.is_file() else b""
    storyboard = load_storyboard(request.storyboard, scenes=request.scenes_folder)
    if storyboard.path.read_bytes() != text:
        raise UserError(
            f"{shown_path(storyboard.path)} was changed while it was read.\n    next: run the command again"
        )
    return storyboard, text


def _warn(console: Console, storyboard: Storyboard, *, whole: bool) -> None:
    """Say what is doubtful in the storyboard, and which scenes a whole film leaves out."""
    for warning in storyboard.warnings:
        say(console, str(warning))
    drafts = [entry for entry in storyboard.scenes if entry.draft]
    if drafts and whole:
        say(console, f"Left out, not drawn yet: {listed(entry.id for entry in drafts)}")


def _all_words(
    storyboard: Storyboard, entries: Sequence[Entry], there: dict[Clip, Sidecar], where: ScriptFolder
) -> dict[str, Script]:
    """By language, the words of all scenes for which they are known; those of the clips that are there are kept."""
    found = {
        (clip.entry.id, clip.language): {cue.beat: cue.words for cue in sidecar.cues} for clip, sidecar in there.items()
    }
    keep_words(storyboard, found, where)
    return {language: kept_words(storyboard, entries, language, where) for language in storyboard.film.languages}


def film_parts(
    clips: Sequence[tuple[Clip, Sidecar]], language: str, spoken: Table, known: Mapping[str, Script]
) -> list[Part]:
    """Clips as parts of the film in `language`, with their narration and with the words known in other languages."""
    others = {name: script for name, script in known.items() if name != language}
    return [
        Part(
            clip.path,
            sidecar,
            clip.entry.title[language],
            spoken.get(clip.entry.id, {}),
            {name: script[clip.entry.id] for name, script in others.items() if clip.entry.id in script},
            card=bool(clip.entry.card),
        )
        for clip, sidecar in clips
    ]


def sorted_by_fault(
    clips: Sequence[Clip], faults: Mapping[tuple[str, str], Failure]
) -> tuple[list[Clip], dict[Clip, Failure]]:
    """The clips that can be drawn, and those of which it is known that they cannot: (language, scene) -> why."""
    failures = {clip: fault for clip in clips if (fault := faults.get((clip.language, clip.entry.id))) is not None}
    return [clip for clip in clips if clip not in failures], failures


def _sorted_out(clips: list[Clip], *, force: bool) -> tuple[dict[Clip, Sidecar], list[Clip]]:
    """The clips that are there (each with the file that will do) and those that must be rendered."""
    there: dict[Clip, Sidecar] = {}
    missing = []
    for clip in clips:
        found = None if force else find(clip)
        if found is None:
            missing.append(clip)
        else:
            there[found[0]] = found[1]
    return there, missing


def _drawn(
    clips: list[Clip],
    storyboard: Storyboard,
    request: RenderRequest,
    where: tuple[Path, Path, Media, int],
    console: Console,
) -> tuple[dict[Clip, Sidecar], dict[Clip, Failure], int]:
    """The clips that are there in the end, those that failed, and how many were drawn. `where`: see `_render`."""
    there, missing = _sorted_out(clips, force=request.force)
    if there:
        say(console, f"Unchanged: {_count(len(there), 'clip')}")
    _tell_damage([] if request.force else list(filter(damaged, missing)), "that was kept is damaged", console)
    rendered, failures = _render(missing, storyboard, request, where, console)
    there |= rendered
    # A night may lie between looking at a kept clip and joining it.
    lost = [clip for clip, sidecar in there.items() if not whole(clip.path, sidecar)]
    _tell_damage(lost, "was damaged during the render", console)
    rendered, again = _render(lost, storyboard, request, where, console)
    there = {clip: sidecar for clip, sidecar in there.items() if clip not in lost} | rendered
    failures |= again
    return there, failures, len(missing) + len(lost) - len(failures)


def _render(
    missing: list[Clip],
    storyboard: Storyboard,
    request: RenderRequest,
    where: tuple[Path, Path, Media, int],
    console: Console,
) -> tuple[dict[Clip, Sidecar], dict[Clip, Failure]]:
    """Render the clips that are missing. `where`: the storyboard's copy, the folder to work in, the media, the lock."""
    if not missing:
        return {}, {}
    from .rendering import Work, keep_logs, render_clips  # noqa: PLC0415 (a film in place needs no encoder)

    copy, folder, media, lock = where
    hire = None
    if request.cluster is not None:
        from .cluster import hiring  # noqa: PLC0415 (an extra)

        files = dict.fromkeys(f"{clip.entry.module.replace('.', '/')}.py" for clip in missing)
        hire = hiring(request.cluster, request.scenes_folder, files, lambda text: say(console, text))
    work = Work(copy, storyboard.film, request.scenes_folder, folder, request.jobs, lock, request.renderer, hire)
    rendered, failures = render_clips(missing, work, console)
    if model_of(storyboard).digest != missing[0].model.digest:
        rendered, failures = {}, failures | withdrawn(rendered)
    keep_logs(failures, folder, media)
    return rendered, failures


def withdrawn(rendered: dict[Clip, Sidecar]) -> dict[Clip, Failure]:
    """Give up clips that were drawn while the model's weights were changed: nobody knows which ones they show."""
    for clip in rendered:
        clip.path.with_suffix(".json").unlink(missing_ok=True)
    error = "the model's trained weights were changed since the render began"
    return {clip: Failure(clip.entry.id, None, error, "") for clip in rendered}


def _join(
    parts: list[Part],
    storyboard: Storyboard,
    language: str,
    quality: Quality,
    where: tuple[Media, list[str] | None, Callable[[], str]],
    left_out: Sequence[str] = (),
) -> JoinedFilm:
    media, scenes, binary = where
    film = storyboard.film
    joined = finished_film(
        parts,
        media.film(language, film_name(storyboard, language, quality, scenes, incomplete=bool(left_out))),
        quality,
        language=language,
        title=film.title[language],
        unit=film.unit(language),
        binary=binary,
        extras=replace(extras_of(storyboard), left_out=tuple(left_out)),
    )
    if not joined.unchanged or not joined.path.with_suffix(DESCRIBED).is_file():
        write_described(storyboard, parts, joined.path, language, quality.fps)
    return joined


def failure_report(clip: Clip, failure: Failure, storyboard: Storyboard, given: Sequence[str] = ()) -> str:
    """Which scene, which beat, where in the storyboard and in the scene, what happened, how to try again.

    `given`: options that this run was given and the next one needs, too.
    """
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
    again = command(clip.entry.id, clip.language, clip.quality.name, given)
    return "\n".join([*lines, f"    next: mend it, then: {again}"])


def _tell_failures(
    failures: Mapping[Clip, Failure], storyboard: Storyboard, given: Sequence[str], console: Console
) -> None:
    for clip, failure in failures.items():
        say(console, failure_report(clip, failure, storyboard, given))


def _tell_damage(clips: Sequence[Clip], what: str, console: Console) -> None:
    for clip in clips:
        say(console, f"{clip.entry.id} ({clip.language}): the clip {what}; it is drawn again")


def _verdict(language: str, broken: Sequence[str], *, written: bool) -> str:
    if written:
        are = "is" if len(broken) == 1 else "are"
        return f'The film in "{language}" is not whole: {listed(broken)} failed and {are} left out.'
    return f'The film in "{language}" was not written: {listed(broken)} failed.'


def summary(film: JoinedFilm, quality: Quality, left_out: Sequence[str] = ()) -> str:
    """The finished film in one line each: path, length, size; what it lacks."""
    return "\n".join(
        [
            f"Film{', not whole' if left_out else ''}: {shown_path(film.path)}",
            *([f"    without {listed(left_out)}"] if left_out else []),
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
