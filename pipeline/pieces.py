"""A clip is drawn in one piece or in several, cut at beats; here is where to cut, and how pieces become a clip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import av

from .encoder import TIME_SCALE
from .files import sha256_of, whole_file, write_json
from .jobs import ClipCue, Drawn, SceneFaultError, Sidecar, check_beats
from .probe import faults_of, probe
from .qualities import Quality

# A clip is cut only where it is so much longer than its share; running the beats before a piece costs time, too.
TOLERANCE = 1.15
ROUNDING = 1e-6  # of a piece


@dataclass(frozen=True)
class Piece:
    """The beats of a clip from `first_beat` (None: the scene's first frame) up to `end_beat` (None: its end)."""

    first_beat: str | None
    end_beat: str | None
    weight: float


def cut(beats: Sequence[tuple[str, float]], share: float) -> list[Piece]:
    """Pieces of a clip whose beats (name, weight) are given, none much heavier than `share` if beats allow it.

    Laws: the pieces are the beats in order, each beat in one of them; there are no more than are needed.
    """
    total = sum(weight for _, weight in beats)
    count = 1 if share <= 0 or total <= share * TOLERANCE else min(len(beats), math.ceil(total / share - ROUNDING))
    pieces: list[Piece] = []
    first, taken, reached = 0, 0.0, 0.0
    for index, (_, weight) in enumerate(beats):
        taken += weight
        reached += weight
        left = len(beats) - index - 1
        goal = total * (len(pieces) + 1) / count
        following = beats[index + 1][1] if left else 0.0
        # Cut where the end of the piece is nearest to its goal, and leave a beat for each piece that is to come.
        near = abs(reached - goal) <= abs(reached + following - goal)
        if left == 0 or (len(pieces) < count - 1 and (near or left == count - 1 - len(pieces))):
            name = None if first == 0 else beats[first][0]
            pieces.append(Piece(name, beats[index + 1][0] if left else None, taken))
            first, taken = index + 1, 0.0
    return pieces


def assemble(target: Path, pieces: Sequence[tuple[Path, Drawn]], quality: Quality, beats: Sequence[str], gap: int,
             about: Sidecar) -> Sidecar:  # fmt: skip
    """Write the clip of `pieces` (in order) and its sidecar; `about` says what is known of it before it is there.

    Raises SceneFaultError when the pieces do not fit together or the clip is not what was drawn.
    """
    start = 0
    for path, drawn in pieces:
        if drawn.start_frame != start:
            raise SceneFaultError(f"{path.parent.name} begins with frame {drawn.start_frame}, not {start}")
        start += drawn.frames
    cues = tuple(cue for _, drawn in pieces for cue in drawn.cues)
    check_cues(cues, list(beats), start - gap)
    with whole_file(target) as temporary:
        join_pieces([path for path, _ in pieces], temporary, quality)
        if faults := faults_of(probe(temporary), quality, start):
            raise SceneFaultError("the encoded clip is not what was drawn: " + "; ".join(faults))
        sidecar = Sidecar(
            **{
                **vars(about),
                "frames": start,
                "cues": cues,
                "sha256": sha256_of(temporary),
                "size": temporary.stat().st_size,
                "render_seconds": round(sum(drawn.seconds for _, drawn in pieces), 2),
                "memory": max(drawn.memory for _, drawn in pieces),
                "reads": all_reads([drawn for _, drawn in pieces]),
            }
        )
    write_json(target.with_suffix(".json"), sidecar.to_data())
    return sidecar


def all_reads(pieces: Sequence[Drawn]) -> dict[str, str] | None:
    """What any of the pieces looked up; None where one of them did not say."""
    reads: dict[str, str] = {}
    for drawn in pieces:
        if drawn.reads is None:
            return None
        reads |= drawn.reads
    return dict(sorted(reads.items()))


def join_pieces(pieces: Sequence[Path], target: Path, quality: Quality) -> None:
    """The streams of `pieces` one after the other in the MP4 file `target`, nothing coded again."""
    options = {
        "movflags": "+faststart",
        "movie_timescale": str(TIME_SCALE),
        "video_track_timescale": str(TIME_SCALE),
        "write_btrt": "0",  # the bit rate that it tells would be the first piece's
    }
    step = TIME_SCALE // quality.fps
    written = 0
    with av.open(str(target), "w", format="mp4", options=options) as output:
        stream = None
        for piece in pieces:
            with av.open(str(piece)) as source:
                origin = source.streams.video[0]
                if stream is None:
                    stream = output.add_stream_from_template(origin)
                    stream.time_base = origin.time_base
                for packet in source.demux(origin):
                    if packet.dts is None:  # the end
                        continue
                    packet.stream = stream
                    packet.time_base = stream.time_base
                    packet.pts = packet.dts = written * step
                    packet.duration = step
                    written += 1
                    output.mux(packet)


def check_cues(cues: tuple[ClipCue, ...], beats: list[str], frames: int) -> None:
    """Raise SceneFaultError unless the cues are the storyboard's beats, one after the other, inside the scene."""
    check_beats([cue.beat for cue in cues], beats)
    end = 0
    for cue in cues:
        if not end <= cue.start_frame < cue.end_frame <= frames:
            raise SceneFaultError(
                f'the beat "{cue.beat}" takes the frames {cue.start_frame}-{cue.end_frame}; '
                f"it must begin at {end} or later and end at {frames} or earlier"
            )
        end = cue.end_frame
