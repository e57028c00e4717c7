"""`explain still`: one frame of a scene, drawn by running what comes before it without drawing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .files import whole_file
from .problems import UserError, did_you_mean, listed, shown_path
from .qualities import QUALITIES
from .scene_pool import fault_text
from .still_drawing import SceneRun, draw_stills
from .storyboard import Entry, Storyboard

MOMENTS = ("start", "middle", "end")
STILLS = "stills"


@dataclass(frozen=True)
class StillRequest:
    """What the user asked for. None: what the storyboard says, or a place below `media`."""

    scene: str
    beat: str
    folder: Path
    media: Path
    language: str | None = None
    quality: str | None = None
    at: str = "end"
    out: Path | None = None


def write_still(storyboard: Storyboard, request: StillRequest) -> Path:
    """Draw the frame and write it as a PNG file; its path.

    Raises UserError for an unknown scene, beat or language, and for a scene that cannot be drawn.
    """
    entry = drawn_entry(storyboard, request.scene)
    beat = known_beat(entry, request.beat)
    language = known_language(storyboard, request.language)
    quality = QUALITIES[request.quality or storyboard.film.quality]
    run = SceneRun(entry.scene, request.folder, storyboard.path.resolve(), language, quality)
    out = request.out or request.media / STILLS / language / f"{entry.id}-{beat}-{request.at}.png"
    write_picture(one_still(run, beat, request.at), out)
    return out


def one_still(run: SceneRun, beat: str, at: str = "end") -> np.ndarray:
    """The pixels (height, width, 3) of the frame of `beat` at `at`, drawn here.

    Raises UserError with the scene's fault, or when the scene does not come to the beat.
    """
    from .still_renderer import Wish  # noqa: PLC0415 (manim; only who draws needs it)

    found: list[Any] = []
    try:
        draw_stills(run, Wish(frozenset({beat}), at), lambda _, still: found.append(still))
    except Exception as error:
        raise UserError(fault_text(error, run)) from error
    if not found:
        raise UserError(
            f'{shown_path(run.file)}: the scene never plays the beat "{beat}".\n    next: let its construct play it'
        )
    return np.ascontiguousarray(found[0].pixels[:, :, :3])


def write_picture(pixels: np.ndarray, path: Path) -> None:
    """`pixels` (height, width, 3) uint8 as a PNG or, by the file's suffix, JPEG or WebP file, whole or not at all."""
    from PIL import Image  # noqa: PLC0415

    picture = Image.fromarray(pixels)
    kind = {".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}.get(path.suffix.lower(), "PNG")
    options: dict[str, Any] = {"JPEG": {"quality": 90}, "WEBP": {"lossless": True, "method": 6}}.get(kind, {})
    with whole_file(path) as temporary:
        picture.save(temporary, format=kind, **options)


def drawn_entry(storyboard: Storyboard, scene_id: str) -> Entry:
    """The entry of a scene that is drawn. Raises UserError for an unknown one and for a draft."""
    drawn = [entry.id for entry in storyboard.drawn]
    entry = next((entry for entry in storyboard.with_cards(storyboard.scenes) if entry.id == scene_id), None)
    if entry is not None and not entry.draft:
        return entry
    what = "is a draft: it is not drawn yet" if entry is not None else "is no scene of the storyboard"
    hint = did_you_mean(scene_id, drawn) if entry is None else ""
    raise UserError(_refusal(f'"{scene_id}" {what}.', drawn, hint))


def known_beat(entry: Entry, beat: str) -> str:
    """`beat` if the scene has it. Raises UserError that names the scene's beats."""
    if beat not in entry.beats:
        message = f'The scene "{entry.id}" has no beat "{beat}".'
        raise UserError(_refusal(message, list(entry.beats), did_you_mean(beat, entry.beats)))
    return beat


def known_language(storyboard: Storyboard, language: str | None) -> str:
    """`language`, or the film's own for None. Raises UserError for one that the film does not have."""
    languages = storyboard.film.languages
    if language is not None and language not in languages:
        message = f'The film has no language "{language}".'
        raise UserError(_refusal(message, languages, did_you_mean(language, languages)))
    return language or storyboard.film.default_language


def _refusal(message: str, allowed: list[str], hint: str) -> str:
    lines = [message, f"    allowed: {listed(allowed)}"]
    return "\n".join([*lines, f"    next: {hint or 'choose one of these'}"])
