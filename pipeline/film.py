"""Joins clips into the film by stream copy, with chapters, and verifies what came out before it gets its name."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Unpack

from .captions import Caption, srt, vtt
from .clips import whole
from .files import sha256_of, whole_file
from .film_extras import NO_EXTRAS, Extras, program_version, three_letters
from .film_text import film_captions, other_captions, starts_of, write_clip_captions, write_film_texts
from .manifest import (
    JoinedFilm,
    Part,
    film_chapters,
    film_in_place,
    fingerprint_of,
    plain_copy,
    recipe,
    write_manifest,
)
from .problems import UserError, shown_path
from .qualities import Quality

if TYPE_CHECKING:  # a film that is in place needs neither PyAV nor ffmpeg
    from .probe import Video

FFMPEG_VARIABLE = "EXPLAINER_FFMPEG"


def find_ffmpeg(chosen: str | None = None) -> str:
    """The ffmpeg to use: the one chosen, else the environment's EXPLAINER_FFMPEG, else the one of the package."""
    named = chosen or os.environ.get(FFMPEG_VARIABLE)
    if not named:
        import imageio_ffmpeg  # noqa: PLC0415 (see above)

        try:
            return str(imageio_ffmpeg.get_ffmpeg_exe())
        except RuntimeError as error:
            raise UserError(f"There is no ffmpeg: {error}\n    next: install one and choose it with --ffmpeg") from None
    try:
        answer = subprocess.run([named, "-version"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        answer = None
        reason = error.strerror or str(error)
    if answer is None or answer.returncode or not answer.stdout.startswith(b"ffmpeg version"):
        reason = reason if answer is None else "it is not ffmpeg"
        raise UserError(
            f'ffmpeg "{named}" cannot be run: {reason}\n'
            f"    next: give its path with --ffmpeg or {FFMPEG_VARIABLE}, or leave both out to use the packaged one"
        )
    return named


class About(TypedDict):
    """What a film is told beside its clips: its language, its title, its unit of reading (words or characters)."""

    language: str
    title: str
    unit: str
    extras: NotRequired[Extras]


def _recipe(parts: Sequence[Part], target: Path, quality: Quality, about: About) -> dict[str, Any]:
    told = {"language": about["language"], "title": about["title"], "unit": about["unit"]}
    return recipe(parts, target, quality, **told, **about.get("extras", NO_EXTRAS).settings())


def finished_film(
    parts: Sequence[Part], target: Path, quality: Quality, *, binary: Callable[[], str], **about: Unpack[About]
) -> JoinedFilm:
    """The film of `parts` at `target`: the one that is there if it is this very film, whole; else it is joined."""
    there = film_in_place(target, _recipe(parts, target, quality, about))
    return there or join(parts, target, quality, binary=binary(), **about)


def join(parts: Sequence[Part], target: Path, quality: Quality, *, binary: str, **about: Unpack[About]) -> JoinedFilm:
    """Write the film of `parts`, its captions, chapters and transcript, the captions of its clips, and its manifest.

    Raises UserError where ffmpeg or the verification finds a fault; then what was there before is still there.
    """
    language, title, unit, extras = about["language"], about["title"], about["unit"], about.get("extras", NO_EXTRAS)
    frames = sum(part.sidecar.frames for part in parts)
    made_from = _recipe(parts, target, quality, about)
    write_clip_captions(parts, unit, extras)
    subtitles = subtitles_of(parts, language, unit, extras)
    with whole_file(target) as temporary:
        with tempfile.TemporaryDirectory(prefix=".join-", dir=target.parent) as folder:
            tracks = _write_tracks(parts, subtitles, Path(folder), quality)
            comment = f"commit {program_version()}, fingerprint {fingerprint_of(made_from)}"
            comment += f", without {', '.join(extras.left_out)}" if extras.left_out else ""
            tags = {"title": title, **extras.metadata, "comment": comment}
            _run_ffmpeg(parts, temporary, quality, language, tags, tracks, binary)
        verify(temporary, parts, quality, shown=target, subtitles=subtitles)
        pictures = _compared(temporary, parts, target)
        size, sha256 = temporary.stat().st_size, sha256_of(temporary)
        plain = plain_copy(target)
        with whole_file(plain) as copy:
            _run(
                [binary, "-hide_banner", "-loglevel", "warning", "-y", "-i", str(temporary), *_PLAIN, str(copy)], binary
            )
        captions = write_film_texts(parts, target, unit, extras, title, quality.fps)
    film = JoinedFilm(target, captions, frames, frames / quality.fps, size, plain=plain)
    write_manifest(film, made_from, sha256, pictures)
    return film


def _compared(film: Path, parts: Sequence[Part], shown: Path) -> list[str]:
    """The digests of the pictures of each part, which are those of its clip; and the clips are what was drawn.

    Looked at after joining, so that nothing can have changed in between. Raises UserError.
    """
    from .coded import coded_digests  # noqa: PLC0415 (see above)
    from .probe import BrokenVideoError  # noqa: PLC0415

    changed = [part.clip for part in parts if not whole(part.clip, part.sidecar)]
    if changed:
        raise UserError(
            "\n".join(
                [
                    f"{shown_path(shown)} was not written; these clips were changed while it was joined:",
                    *(f"    {shown_path(clip)}" for clip in changed),
                    "    next: run the command again, which draws them again",
                ]
            )
        )
    pictures = coded_digests(film, [part.sidecar.frames for part in parts])
    own = [coded_digests(part.clip, [part.sidecar.frames])[0] for part in parts]
    pairs = zip(parts, pictures, own, strict=True)
    if faults := [f"not the pictures of {part.sidecar.scene_id}'s clip" for part, one, other in pairs if one != other]:
        raise BrokenVideoError(shown, faults)
    return pictures


# A copy for platforms that choke on more than one picture and one sound.
_PLAIN = (
    *("-map", "0:v", "-map", "0:a?", "-c", "copy", "-map_chapters", "-1", "-video_track_timescale", "90000"),
    *("-movflags", "+faststart", "-f", "mp4"),
)


def subtitles_of(parts: Sequence[Part], language: str, unit: str, extras: Extras) -> list[tuple[str, list[Caption]]]:
    """The captions inside the film: those of its own language first, then those of others whose words are known."""
    found = [(language, film_captions(parts, unit, extras))]
    for other in dict.fromkeys(name for part in parts for name in part.others):
        if captions := other_captions(parts, other, extras):
            found.append((other, captions))
    return found


@dataclass(frozen=True)
class _Tracks:
    """Files of what goes beside the picture."""

    sound: Path | None
    subtitles: list[tuple[str, Path]]


def _write_tracks(
    parts: Sequence[Part], subtitles: Sequence[tuple[str, Sequence[Caption]]], folder: Path, quality: Quality
) -> _Tracks:
    from .captions.track import write_track  # noqa: PLC0415 (see above)
    from .gate import caption_file_faults  # noqa: PLC0415 (see above)

    files: list[tuple[str, Path]] = []
    faults = []
    for language, captions in subtitles:
        path = folder / f"{language}.vtt"
        for file, text in ((path.with_suffix(".srt"), srt(captions, quality.fps)), (path, vtt(captions, quality.fps))):
            file.write_text(text, encoding="utf-8")
            faults += caption_file_faults(file, captions, quality.fps) if captions else []
        if captions:
            files.append((language, path.with_suffix(".mp4")))
            write_track(files[-1][1], captions, quality.fps)
    if faults:
        raise UserError("\n".join(["The captions cannot be used:", *(f"    {fault}" for fault in faults)]))
    placed = [
        (
            Path(part.spoken[cue.beat].sound),
            start + cue.start_frame,
            start + cue.end_frame,
            f"{part.sidecar.scene_id}, {cue.beat}",
        )
        for start, part in zip(starts_of(parts), parts, strict=False)
        for cue in part.sidecar.cues
        if cue.beat in part.spoken
    ]
    if not placed:
        return _Tracks(None, files)
    from .voice.soundtrack import Placed, write_soundtrack  # noqa: PLC0415 (see above)

    write_soundtrack(folder / "sound.wav", [Placed(*one) for one in placed], starts_of(parts)[-1], quality.fps)
    return _Tracks(folder / "sound.wav", files)


def _run_ffmpeg(
    parts: Sequence[Part],
    target: Path,
    quality: Quality,
    language: str,
    tags: Mapping[str, str],
    tracks: _Tracks,
    binary: str,
) -> None:
    import ffmpeg  # noqa: PLC0415 (see above)

    from .encoder import TIME_SCALE  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix=".join-", dir=target.parent) as folder:
        clips, metadata = Path(folder, "clips.txt"), Path(folder, "chapters.txt")
        clips.write_text(concat_list(parts, quality), encoding="utf-8")
        metadata.write_text(chapter_list(parts, quality, tags), encoding="utf-8")
        video = ffmpeg.input(str(clips), format="concat", safe=0)
        chapters = ffmpeg.input(str(metadata), format="ffmetadata")
        # The concat demuxer keeps its offsets in microseconds; every time stamp is put back on its frame.
        step = TIME_SCALE // quality.fps
        snap = f"setts=pts=round(PTS/{step})*{step}:dts=round(DTS/{step})*{step}:duration={step}"
        settings = {
            "c:v": "copy",
            "bsf:v": snap,
            "map_metadata": 1,
            "map_chapters": 1,
            "metadata:s:v:0": f"language={three_letters(language)}",
            "video_track_timescale": TIME_SCALE,
            "movie_timescale": TIME_SCALE,
            "movflags": "+faststart",
            "format": "mp4",
        }
        # "v?": the metadata has no video, and is not meant to have.
        streams = [video["v"], chapters["v?"]]
        if tracks.sound is not None:
            streams.append(ffmpeg.input(str(tracks.sound))["a"])
            settings |= {"c:a": "aac", "b:a": "128k", "metadata:s:a:0": f"language={three_letters(language)}"}
        for number, (name, path) in enumerate(tracks.subtitles):
            streams.append(ffmpeg.input(str(path))["s"])
            settings |= {"c:s": "copy", f"metadata:s:s:{number}": f"language={three_letters(name)}"}
        output = ffmpeg.output(*streams, str(target), **settings)
        _run(
            ffmpeg.compile(output.global_args("-hide_banner", "-loglevel", "warning"), binary, overwrite_output=True),
            binary,
        )


def _run(command: Sequence[str], binary: str) -> None:
    """Run ffmpeg. Raises UserError with its last words where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UserError(f'ffmpeg "{binary}" cannot be run: {error.strerror or error}') from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", errors="replace").strip().splitlines()[-6:]
        raise UserError("\n".join(["The clips could not be joined; ffmpeg says:", *(f"    {line}" for line in lines)]))


def concat_list(parts: Sequence[Part], quality: Quality) -> str:
    """The script of ffmpeg's concat demuxer, the exact duration of every clip included."""
    lines = ["ffconcat version 1.0"]
    for part in parts:
        path = str(part.clip.resolve()).replace("'", "'\\''")
        seconds = Fraction(part.sidecar.frames, quality.fps)
        lines += [f"file '{path}'", f"duration {float(seconds):.6f}"]
    return "\n".join(lines) + "\n"


def chapter_list(parts: Sequence[Part], quality: Quality, tags: Mapping[str, str]) -> str:
    """What the film's file says of it, and its chapters, in ffmpeg's metadata format."""
    lines = [";FFMETADATA1", *(f"{name}={_escaped(text)}" for name, text in tags.items())]
    for title, start, end in film_chapters(parts):
        lines += [
            "[CHAPTER]",
            f"TIMEBASE=1/{quality.fps}",
            f"START={start}",
            f"END={end}",
            f"title={_escaped(title)}",
        ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    # ffmpeg takes a backslash at the end of a line for one that joins it to the next, escaped or not.
    text += " " if text.endswith("\\") else ""
    return "".join("\\" + char if char in "=;#\\\n" else char for char in text)


def verify(
    path: Path,
    parts: Sequence[Part],
    quality: Quality,
    shown: Path | None = None,
    subtitles: Sequence[tuple[str, Sequence[Caption]]] | None = None,
) -> Video:
    """The facts of the film of `parts` at `path`.

    `subtitles`: language and captions of each stream of text inside (default: those are not looked at).

    Raises BrokenVideoError: frames, times, format, chapters, sound, captions or seams are not what they should be.
    """
    from .gate import sound_faults, subtitle_faults  # noqa: PLC0415 (see above)
    from .probe import BrokenVideoError, faults_of, probe  # noqa: PLC0415
    from .seams import seam_faults  # noqa: PLC0415

    video = probe(path)
    faults = faults_of(video, quality, sum(part.sidecar.frames for part in parts))
    starts = list(accumulate((part.sidecar.frames for part in parts), initial=0))
    missing = [start for start in starts[:-1] if start not in set(video.key_frames)]
    if missing:
        faults.append(f"no key frame where clips begin: {missing}")
    expected = [(start / quality.fps, end / quality.fps, title) for title, start, end in film_chapters(parts)]
    # Players keep chapters in milliseconds.
    same = len(expected) == len(video.chapters) and all(
        abs(wanted[0] - found[0]) < 0.002 and abs(wanted[1] - found[1]) < 0.002 and wanted[2] == found[2].rstrip()
        for wanted, found in zip(expected, video.chapters, strict=True)
    )
    if not same:
        faults.append(f"the chapters are {list(video.chapters)}, expected {expected}")
    if not faults:
        faults += seam_faults(path, parts, quality.fps)
        if subtitles is not None:
            inside = [(three_letters(name), captions) for name, captions in subtitles if captions]
            faults += subtitle_faults(path, inside, quality.fps)
        if any(part.spoken for part in parts):
            faults += sound_faults(path, starts[-1], quality.fps, starts, subtitles[0][1] if subtitles else ())
    if faults:
        raise BrokenVideoError(shown or path, faults)
    return video
