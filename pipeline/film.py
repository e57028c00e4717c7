"""Joins clips into the film by stream copy, with chapters, and verifies what came out before it gets its name."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from .captions import Caption, captions_of, vtt
from .files import sha256_of, whole_file, write_text
from .manifest import JoinedFilm, Part, film_in_place, recipe, write_manifest
from .problems import UserError
from .qualities import Quality

if TYPE_CHECKING:  # a film that is in place needs neither PyAV nor ffmpeg
    from .probe import Video

FFMPEG_VARIABLE = "EXPLAINER_FFMPEG"
# ISO 639-2 codes, which MP4 files use.
_THREE_LETTERS = {
    "zh": "zho", "en": "eng", "ja": "jpn", "ko": "kor", "de": "deu", "fr": "fra", "es": "spa", "it": "ita",
    "pt": "por", "ru": "rus", "ar": "ara", "hi": "hin", "nl": "nld", "pl": "pol", "tr": "tur", "vi": "vie",
}  # fmt: skip


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


def finished_film(
    parts: Sequence[Part],
    target: Path,
    quality: Quality,
    *,
    language: str,
    title: str,
    unit: str,
    binary: Callable[[], str],
) -> JoinedFilm:
    """The film of `parts` at `target`: the one that is there if it is this very film, whole; else it is joined."""
    made_from = recipe(parts, target, quality, language=language, title=title, unit=unit)
    there = film_in_place(target, made_from)
    return there or join(parts, target, quality, language=language, title=title, unit=unit, binary=binary())


def join(
    parts: Sequence[Part], target: Path, quality: Quality, *, language: str, title: str, unit: str, binary: str
) -> JoinedFilm:
    """Write the film of `parts`, its captions, those of its clips, and its manifest.

    Raises UserError where ffmpeg or the verification finds a fault; then what was there before is still there.
    """
    frames = sum(part.sidecar.frames for part in parts)
    write_clip_captions(parts, unit)
    with whole_file(target) as temporary:
        _run_ffmpeg(parts, temporary, quality, language, title, binary)
        verify(temporary, parts, quality, shown=target)
        size, sha256 = temporary.stat().st_size, sha256_of(temporary)
        captions = target.with_suffix(".vtt")
        write_text(captions, vtt(film_captions(parts, unit), quality.fps))
    film = JoinedFilm(target, captions, frames, frames / quality.fps, size)
    write_manifest(film, recipe(parts, target, quality, language=language, title=title, unit=unit), sha256)
    return film


def write_clip_captions(parts: Sequence[Part], unit: str) -> None:
    """Captions beside every clip, where they are not there yet or differ."""
    for part in parts:
        text = vtt(captions_of(part.sidecar.cues, unit, part.sidecar.scene_id), part.sidecar.fps)
        if not part.captions.is_file() or part.captions.read_text(encoding="utf-8", errors="replace") != text:
            write_text(part.captions, text)


def film_captions(parts: Sequence[Part], unit: str) -> list[Caption]:
    """The captions of all clips, each behind those before it."""
    starts = accumulate((part.sidecar.frames for part in parts), initial=0)
    return [
        caption
        for start, part in zip(starts, parts, strict=False)
        for caption in captions_of(part.sidecar.cues, unit, part.sidecar.scene_id, start)
    ]


def _run_ffmpeg(parts: Sequence[Part], target: Path, quality: Quality, language: str, title: str, binary: str) -> None:
    import ffmpeg  # noqa: PLC0415 (see above)

    from .encoder import TIME_SCALE  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix=".join-", dir=target.parent) as folder:
        clips, metadata = Path(folder, "clips.txt"), Path(folder, "chapters.txt")
        clips.write_text(concat_list(parts, quality), encoding="utf-8")
        metadata.write_text(chapter_list(parts, quality, title), encoding="utf-8")
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
            "metadata:s:v:0": f"language={_THREE_LETTERS.get(language.split('-', maxsplit=1)[0], 'und')}",
            "video_track_timescale": TIME_SCALE,
            "movie_timescale": TIME_SCALE,
            "movflags": "+faststart",
            "format": "mp4",
        }
        # "v?": the metadata has no video, and is not meant to have.
        output = ffmpeg.output(video["v"], chapters["v?"], str(target), **settings)
        command = ffmpeg.compile(
            output.global_args("-hide_banner", "-loglevel", "warning"), binary, overwrite_output=True
        )
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


def chapter_list(parts: Sequence[Part], quality: Quality, title: str) -> str:
    """The film's title and a chapter for every clip in ffmpeg's metadata format."""
    lines = [";FFMETADATA1", f"title={_escaped(title)}"]
    start = 0
    for part in parts:
        end = start + part.sidecar.frames
        lines += [
            "[CHAPTER]",
            f"TIMEBASE=1/{quality.fps}",
            f"START={start}",
            f"END={end}",
            f"title={_escaped(part.title)}",
        ]
        start = end
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return "".join("\\" + char if char in "=;#\\\n" else char for char in text)


def verify(path: Path, parts: Sequence[Part], quality: Quality, shown: Path | None = None) -> Video:
    """The facts of the film of `parts` at `path`. Raises BrokenVideoError: frames, times, format or chapters differ."""
    from .probe import BrokenVideoError, faults_of, probe  # noqa: PLC0415 (see above)

    video = probe(path)
    faults = faults_of(video, quality, sum(part.sidecar.frames for part in parts))
    starts = list(accumulate((part.sidecar.frames for part in parts), initial=0))
    missing = [start for start in starts[:-1] if start not in set(video.key_frames)]
    if missing:
        faults.append(f"no key frame where clips begin: {missing}")
    expected = [
        (start / quality.fps, end / quality.fps, part.title)
        for start, end, part in zip(starts, starts[1:], parts, strict=False)
    ]
    # Players keep chapters in milliseconds.
    same = len(expected) == len(video.chapters) and all(
        abs(wanted[0] - found[0]) < 0.002 and abs(wanted[1] - found[1]) < 0.002 and wanted[2] == found[2]
        for wanted, found in zip(expected, video.chapters, strict=True)
    )
    if not same:
        faults.append(f"the chapters are {list(video.chapters)}, expected {expected}")
    if faults:
        raise BrokenVideoError(shown or path, faults)
    return video
