"""Which clips a film needs: the scenes and languages that were asked for, and each clip's fingerprint and place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .clips import Clip, Media, estimated_frames
from .fingerprint import digest_of, model_of, parts_of, sources_of
from .problems import UserError, did_you_mean, listed, shown_path
from .qualities import Quality
from .scene_loading import module_file
from .sources import recall
from .storyboard import Entry, Storyboard
from .voice.narration import Table, durations, for_scenes


def choose_scenes(storyboard: Storyboard, wanted: Sequence[str] | None) -> list[Entry]:
    """The scenes to render, in the storyboard's order; cards only where they are asked for.

    Raises UserError for unknown scenes and drafts.
    """
    if wanted is None:
        entries = [entry for entry in storyboard.scenes if not entry.draft]
        if not entries:
            raise UserError(f"{shown_path(storyboard.path)}: every scene is a draft; there is nothing to render")
        return entries
    every = storyboard.with_cards(storyboard.scenes)
    by_id = {entry.id: entry for entry in every}
    faults = []
    for name in wanted:
        if name not in by_id:
            hint = did_you_mean(name, by_id)
            faults.append(f'There is no scene "{name}"' + (f"; {hint}" if hint else "."))
        elif by_id[name].draft:
            place = f"{shown_path(storyboard.path)}:{storyboard.line_of(name)}"
            faults.append(f'The scene "{name}" is a draft ({place}).\n    next: draw it, then remove draft: true')
    if faults:
        drawn = [entry.id for entry in storyboard.drawn]
        raise UserError("\n".join([*faults, f"    allowed: {listed(drawn)}"]))
    return [entry for entry in every if entry.id in wanted]


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
    spoken: Mapping[str, Table] | None = None,
) -> list[Clip]:
    """The clips that the films need, language by language, scene by scene. `spoken`: narration by language."""
    recall(media.sources)
    model = model_of(storyboard)
    files = {entry.module: module_file(scenes_folder, entry.module) for entry in entries}
    sources = {module: sources_of(file) for module, file in files.items()}
    clips = []
    for language in languages:
        for entry in entries:
            drawn_by = (files[entry.module], sources[entry.module])
            beats = (spoken or {}).get(language, {}).get(entry.id)
            seconds = None if beats is None else durations(beats)
            parts = parts_of(storyboard, entry, language, quality, model.shape, drawn_by, seconds)
            digest = digest_of(parts)
            clips.append(
                Clip(
                    entry=entry,
                    language=language,
                    quality=quality,
                    path=media.clip(quality, language, entry.id, digest, model.digest),
                    fingerprint=digest,
                    parts=parts,
                    model=model,
                    sources=digest_of(sources[entry.module]),
                    estimate=estimated_frames(entry, language, storyboard.film, quality),
                    narration="" if beats is None else for_scenes({entry.id: beats}),
                )
            )
    return clips
