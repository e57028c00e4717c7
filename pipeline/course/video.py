"""Video files of the kit: copies without chapters, clips with their part of the film's sound, still frames."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import av

from ..problems import UserError, shown_path
from .material import Edition, Lesson

_JPEG_QUALITY = 88


def has_sound(video: Path) -> bool:
    """Whether there is an audio stream in the file."""
    with av.open(str(video)) as container:
        return bool(container.streams.audio)


def write_clip(lesson: Lesson, edition: Edition, sounding: bool, target: Path, ffmpeg: str) -> None:
    """The clip of a scene at `target`: its pictures and, where the film sounds, that part of the film's sound."""
    if not sounding:
        shutil.copyfile(lesson.video, target)
        return
    start = edition.starts[lesson.number - 1]
    _run(
        ffmpeg,
        [
            *("-i", str(lesson.video), "-ss", f"{start:.6f}", "-t", f"{lesson.seconds:.6f}", "-i", str(edition.film)),
            *("-map", "0:v:0", "-map", "1:a:0", "-map_chapters", "-1", "-map_metadata", "-1"),
            *("-metadata", f"title={lesson.title}"),
        ],
        target,
    )


def _run(ffmpeg: str, arguments: list[str], target: Path) -> None:
    command = [ffmpeg, "-nostdin", "-v", "error", "-y", *arguments]
    # Without the encoder's name the same input gives the same bytes with every ffmpeg of one version.
    command += ["-c", "copy", "-fflags", "+bitexact", "-movflags", "+faststart", "-f", "mp4", str(target)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", errors="replace").strip().splitlines()[-4:]
        raise UserError("\n".join([f"{target.name} could not be written; ffmpeg says:", *(f"    {x}" for x in said)]))


def poster(lesson: Lesson, beat: str) -> bytes:
    """The last frame of a beat of the clip, as a JPEG file."""
    cue = next((cue for cue in lesson.sidecar.cues if cue.beat == beat), lesson.sidecar.cues[-1])
    frame = _frame(lesson.video, max(0, cue.end_frame - 1), lesson.sidecar.fps)
    picture = io.BytesIO()
    frame.to_image().save(picture, "JPEG", quality=_JPEG_QUALITY, subsampling=0, optimize=True)
    return picture.getvalue()


def _frame(video: Path, number: int, fps: int) -> av.VideoFrame:
    """Frame `number` of the file. Raises UserError where there is none."""
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        assert stream.time_base is not None
        wanted = round(number / fps / stream.time_base)
        container.seek(wanted, stream=stream)  # to the key frame at or before it
        last = None
        for frame in container.decode(stream):
            last = frame
            if frame.pts is not None and frame.pts >= wanted:
                break
    if last is None:
        raise UserError(f"{shown_path(video)}: it holds no frame\n    next: render the scene again with --force")
    return last
