"""Draws the clips that are missing: cut into pieces, the longest first, by workers here or elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from rich.console import Console

from .clips import Clip, Media, beat_frames, last_seconds, usable
from .jobs import Drawn, Failure, Job, SceneFaultError, Sidecar
from .pieces import Piece, assemble, cut
from .progress import FilmProgress
from .scene_loading import module_file
from .storyboard import Film
from .workers import OnFrames, Result, local_workers


class Workers(Protocol):
    """What draws jobs, on this machine or on others. A job's piece lies in its place when its future is done."""

    @property
    def count(self) -> int:
        """How many jobs are drawn at the same time."""

    def submit(self, job: Job) -> Future[Result]:
        """Have `job` drawn when its turn comes."""


Hiring = Callable[[int, OnFrames], AbstractContextManager[Workers]]


@dataclass(frozen=True)
class Work:
    """Where and how clips are rendered. `hire` gives the workers, given how many at most and whom to tell of frames."""

    storyboard: Path
    film: Film
    scenes_folder: Path
    folder: Path
    jobs: int | None
    lock: int | None
    renderer: str = "fast"
    hire: Hiring | None = None


@dataclass
class _Cut:
    """A clip that is being drawn."""

    clip: Clip
    name: str
    jobs: list[Job] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    frames: dict[Job, int] = field(default_factory=dict)
    drawn: dict[Job, Drawn] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        return self.failure is not None or len(self.drawn) == len(self.jobs)


def render_clips(
    clips: Sequence[Clip], work: Work, console: Console
) -> tuple[dict[Clip, Sidecar], dict[Clip, Failure]]:
    """Render `clips`, the longest first. One that fails does not keep the others from being made."""
    done: dict[Clip, Sidecar] = {}
    failed: dict[Clip, Failure] = {}
    cuts: dict[Job, _Cut] = {}
    names = {clip: f"{clip.entry.id} ({clip.language})" for clip in clips}
    with FilmProgress(console, {names[clip]: clip.estimate for clip in clips}) as progress:

        def on_frames(job: Job, frames: int) -> None:
            one = cuts[job]
            one.frames[job] = frames
            progress.frames(one.name, sum(one.frames.values()))

        hire = work.hire or _here(work)
        with hire(work.jobs or os.cpu_count() or 1, on_frames) as workers:
            for one in _cuts(clips, names, work, workers.count):
                cuts |= dict.fromkeys(one.jobs, one)
            for one in _ended(cuts, workers):
                outcome = one.failure or _put_together(one, work)
                if isinstance(outcome, Sidecar):
                    done[one.clip] = outcome
                    progress.finished(one.name, outcome.frames, outcome.render_seconds)
                else:
                    failed[one.clip] = outcome
                    progress.finished(one.name, None)
    return done, failed


@contextmanager
def _local(work: Work, count: int, on_frames: OnFrames) -> Iterator[Workers]:
    with local_workers(count, on_frames, work.lock) as workers:
        yield workers


def _here(work: Work) -> Hiring:
    return lambda count, on_frames: _local(work, count, on_frames)


def _cuts(clips: Sequence[Clip], names: dict[Clip, str], work: Work, count: int) -> list[_Cut]:
    """The clips cut into jobs, so that each worker has its share."""
    weights = _weights(clips)
    share = sum(weights.values()) / count
    cuts = []
    for clip, weight in weights.items():
        frames = beat_frames(clip.entry, clip.language, work.film, clip.quality)
        scale = weight / (sum(frames.values()) or 1)
        pieces = cut([(name, number * scale) for name, number in frames.items()], share)
        one = _Cut(clip, names[clip])
        for number, piece in enumerate(pieces):
            one.jobs.append(_job(clip, piece, number if len(pieces) > 1 else None, work))
            one.weights.append(piece.weight)
        cuts.append(one)
    return cuts


def _weights(clips: Sequence[Clip]) -> dict[Clip, float]:
    """About how long each clip takes: by its last time, else by its length and how long the others took."""
    seconds = {clip: last_seconds(clip) for clip in clips}
    known = [(clip.estimate, time) for clip, time in seconds.items() if time]
    rate = sum(time for _, time in known) / sum(frames for frames, _ in known) if known else 1.0
    return {clip: time or clip.estimate * rate for clip, time in seconds.items()}


def _job(clip: Clip, piece: Piece, number: int | None, work: Work) -> Job:
    folder = f"{clip.entry.id}-{clip.language}" + ("" if number is None else f"-{number + 1}")
    return Job(
        scene_id=clip.entry.id,
        scene=clip.entry.scene,
        scenes_folder=str(work.scenes_folder.resolve()),
        storyboard=str(work.storyboard.resolve()),
        language=clip.language,
        quality=clip.quality.name,
        gap=clip.quality.frames(work.film.gap),
        sources=clip.sources,
        work_folder=str((work.folder / folder).resolve()),
        renderer=work.renderer,
        first_beat=piece.first_beat,
        end_beat=piece.end_beat,
        narration=clip.narration,
    )


def _ended(cuts: dict[Job, _Cut], workers: Workers) -> Iterator[_Cut]:
    """Have all jobs drawn, the longest first; each clip as soon as it has all its pieces or one has failed."""
    weight = {job: one.weights[one.jobs.index(job)] for job, one in cuts.items()}
    waiting = {workers.submit(job): job for job in sorted(cuts, key=lambda job: -weight[job])}
    while waiting:
        done, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
        for future in done:
            job = waiting.pop(future)
            one = cuts[job]
            if future.cancelled() or one.ended:
                continue
            result = future.result()
            if isinstance(result, Failure):
                one.failure = result
                for other, its in list(waiting.items()):
                    if cuts[its] is one:
                        other.cancel()
            else:
                one.drawn[job] = result
            if one.ended:
                yield one


def _put_together(one: _Cut, work: Work) -> Sidecar | Failure:
    """The clip of the pieces drawn; its file must then be there and whole, whatever the workers say."""
    clip = one.clip
    about = Sidecar(
        scene_id=clip.entry.id,
        language=clip.language,
        quality=clip.quality.name,
        fingerprint=clip.fingerprint,
        fps=clip.quality.fps,
        frames=0,
        cues=(),
        sha256="",
        size=0,
        parts=dict(clip.parts),
        model=clip.model.digest,
    )
    pieces = [(Path(job.piece), one.drawn[job]) for job in one.jobs]
    try:
        assemble(clip.path, pieces, clip.quality, list(clip.entry.beats), clip.quality.frames(work.film.gap), about)
    except SceneFaultError as error:
        file = module_file(work.scenes_folder, clip.entry.module)
        return Failure(clip.entry.id, None, str(error), str(file))
    for path, _ in pieces:
        path.unlink(missing_ok=True)
    return usable(clip) or Failure(clip.entry.id, None, "the clip was changed right after it was written", "")


def keep_logs(failures: dict[Clip, Failure], folder: Path, media: Media) -> None:
    """Keep what failed workers printed; the logs of an earlier render go."""
    shutil.rmtree(media.logs, ignore_errors=True)
    for clip in failures:
        name = f"{clip.entry.id}-{clip.language}"
        places = [folder / name, *sorted(folder.glob(f"{name}-[0-9]*"))]
        logs = [log for place in places if (log := place / "log.txt").is_file() and log.stat().st_size]
        if logs:
            media.logs.mkdir(parents=True, exist_ok=True)
            text = b"".join(log.read_bytes() for log in logs)
            (media.logs / f"{name}.txt").write_bytes(text)
