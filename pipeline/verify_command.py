"""`explain verify`: whether finished films are still what they were when they were joined, and without any fault."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import av

from .captions import Caption
from .coded import coded_digests
from .files import sha256_of
from .film import verify
from .film_extras import three_letters
from .gate import caption_file_faults, sound_faults, subtitle_faults
from .jobs import Sidecar
from .manifest import Part, film_chapters, manifest_of, plain_copy
from .probe import BrokenVideoError
from .problems import UserError, listed, shown_path
from .progress import duration
from .qualities import Quality


def verify_films(films: Sequence[Path], media: Path) -> int:
    """Check `films`, or all below `media`, and print what is found. The exit status: 1 where a film is not sound.

    Raises UserError where there is no film to check.
    """
    paths = list(films) or sorted(
        path for path in (media / "film").rglob("*.mp4") if manifest_of(path).is_file() and path.name[0] != "."
    )
    if not paths:
        raise UserError(f"There is no film below {shown_path(media / 'film')}.\n    next: explain render makes one")
    harmed = 0
    for path in paths:
        faults, told = faults_and_facts(path)
        harmed += bool(faults)
        print(f"{shown_path(path)}: " + ("not sound" if faults else f"OK, {told}"))
        for fault in faults:
            print(f"    {fault}")
    if harmed:
        print("    next: explain render joins it again")
    return 1 if harmed else 0


def faults_and_facts(path: Path) -> tuple[list[str], str]:
    """What is wrong with the film at `path`, and in a line what was looked at.

    Raises UserError where nothing is known of it.
    """
    try:
        data = json.loads(manifest_of(path).read_text(encoding="utf-8"))
        made_from = data["made_from"]
        quality = Quality(**made_from["quality"])
        parts = [_part(part, made_from, path.parent) for part in made_from["parts"]]
        language = str(made_from["settings"]["language"])
    except (OSError, ValueError, TypeError, KeyError):
        raise UserError(
            f"{shown_path(path)}: nothing is known of this film; its manifest {manifest_of(path).name} is missing or "
            "cannot be read\n    next: explain render makes it anew"
        ) from None
    frames = sum(part.sidecar.frames for part in parts)
    if not path.is_file():
        return ["there is no such file any more"], ""
    faults = [] if sha256_of(path) == data["film"]["sha256"] else ["its bytes are not those that were joined"]
    faults += _beside_faults(path, data)
    try:
        verify(path, parts, quality)
    except BrokenVideoError as error:
        faults += error.faults
        if not path.is_file() or any("cannot be read" in fault for fault in error.faults):
            return faults, ""
    if "pictures" in data:
        faults += _picture_faults(path, parts, data["pictures"])
    if not path.with_suffix(".vtt").is_file():
        return faults, ""
    captions = read_captions(path.with_suffix(".vtt"), quality.fps)
    faults += caption_file_faults(path.with_suffix(".srt"), captions, quality.fps)
    with av.open(str(path)) as container:
        inside = [stream.language for stream in container.streams.subtitles]
    if captions and three_letters(language) not in inside:
        faults.append(f"captions in {three_letters(language)} are not in the film")
    elif captions and len(inside) == 1:
        faults += subtitle_faults(path, [(inside[0], captions)], quality.fps)
    spoken = any(part["sound"] for part in made_from["parts"])
    if spoken:
        starts = [0]
        for part in parts:
            starts.append(starts[-1] + part.sidecar.frames)
        faults += sound_faults(path, frames, quality.fps, starts, captions)
    left_out = str(made_from["settings"].get("left_out", "")).split()
    told = [duration(frames / quality.fps), f"{frames:,} frames", _chapters(len(film_chapters(parts)))]
    told += ["spoken" if spoken else "silent", *([f"captions {' '.join(inside)}"] if inside else [])]
    return faults, ", ".join([*told, *([f"not whole: without {listed(left_out)}"] if left_out else [])])


def _chapters(count: int) -> str:
    return f"{count} {'chapter' if count == 1 else 'chapters'}"


def _beside_faults(path: Path, data: dict[str, Any]) -> list[str]:
    """Faults of what lies beside the film: the files with its words, the copy without chapters and captions."""
    faults = []
    for file in data["captions"]:
        beside = path.parent / file["file"]
        if "/" in file["file"]:  # a clip's, which other films of the same clip write, too
            continue
        if not beside.is_file():
            faults.append(f"{beside.name} is missing")
        elif sha256_of(beside) != file["sha256"]:
            faults.append(f"{beside.name} is not what was written with the film")
    plain = plain_copy(path)
    if not plain.is_file():
        faults.append(f"{plain.name} is missing")
    elif plain.stat().st_size != data["film"]["plain_size"]:
        faults.append(f"{plain.name} is not what was written with the film")
    elif "pictures" in data:
        faults += [f"{plain.name}: {fault}" for fault in _readable_faults(plain, data)]
    return faults


def _readable_faults(plain: Path, data: dict[str, Any]) -> list[str]:
    try:
        same = coded_digests(plain, [part["frames"] for part in data["made_from"]["parts"]]) == data["pictures"]
    except BrokenVideoError as error:
        return error.faults
    return [] if same else ["its pictures are not those of the film"]


def _picture_faults(path: Path, parts: Sequence[Part], expected: Sequence[str]) -> list[str]:
    """Which scenes' pictures are not, bit for bit, those that were joined."""
    found = coded_digests(path, [part.sidecar.frames for part in parts])
    faults, start = [], 0
    for part, one, other in zip(parts, found, expected, strict=True):
        end = start + part.sidecar.frames
        if one != other:
            faults.append(f"frames {start}-{end - 1}: not the pictures of {part.sidecar.scene_id} that were joined")
        start = end
    return faults


def _part(part: dict[str, Any], made_from: dict[str, Any], folder: Path) -> Part:
    quality, language = made_from["quality"], str(made_from["settings"]["language"])
    sidecar = Sidecar(
        scene_id=str(part["scene"]),
        language=language,
        quality=quality["name"],
        fingerprint="",
        fps=quality["fps"],
        frames=int(part["frames"]),
        cues=(),
        sha256=str(part["sha256"]),
        size=0,
    )
    return Part(folder / part["clip"], sidecar, str(part["title"]), card=bool(part.get("card", False)))


def read_captions(path: Path, fps: int) -> list[Caption]:
    """The captions of a WebVTT file as ffmpeg reads them, without their last words' ends. Raises UserError."""
    try:
        with av.open(str(path)) as container:
            packets = [packet for packet in container.demux(container.streams.subtitles[0]) if packet.size]
            return [
                Caption(
                    f"{number} of {path.name}",
                    round(packet.pts * Fraction(packet.time_base) * fps),
                    round((packet.pts + packet.duration) * Fraction(packet.time_base) * fps),
                    tuple(unescape(bytes(packet).decode("utf-8")).split("\n")),
                )
                for number, packet in enumerate(packets, 1)
                if packet.pts is not None
            ]
    except (av.FFmpegError, IndexError, OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{shown_path(path)}: cannot be read: {error}\n    next: explain render joins it again"
        ) from None
