"""What is inside a video file, as the container and the stream say it. Reads packets; decodes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from .encoder import TIME_SCALE
from .problems import UserError
from .qualities import Quality

BT709 = 1
LIMITED_RANGE = 1


class BrokenVideoError(UserError):
    """A file that is not what was meant to be written."""

    def __init__(self, path: Path, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("\n".join([f"{path}: not a sound video file", *(f"    {fault}" for fault in faults)]))


@dataclass(frozen=True)
class Video:
    """The facts of one file. Times are in ticks of `time_base`; packets are in the order of the file."""

    streams: tuple[str, ...]
    codec: str
    profile: str
    pixel_format: str
    width: int
    height: int
    colours: tuple[int, int, int, int]  # matrix, primaries, transfer, range
    rate: Fraction
    time_base: Fraction
    pts: tuple[int, ...]
    dts: tuple[int, ...]
    key_frames: tuple[int, ...]  # frame numbers in playing order
    chapters: tuple[tuple[float, float, str], ...]  # start, end in seconds, title
    boxes: tuple[str, ...]
    duration: Fraction  # of the stream, in seconds
    file_duration: Fraction  # of the whole file, in seconds, to a microsecond

    @property
    def frames(self) -> int:
        return len(self.pts)


def probe(path: Path) -> Video:
    """The facts of the video file `path`. Raises BrokenVideoError where it cannot be read as one."""
    try:
        boxes = tuple(top_level_boxes(path))
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise BrokenVideoError(path, ["there is no video stream"])
            stream = container.streams.video[0]
            packets = [packet for packet in container.demux(stream) if packet.dts is not None]
            context = stream.codec_context
            order = sorted(range(len(packets)), key=lambda index: packets[index].pts)
            return Video(
                streams=tuple(other.type for other in container.streams),
                codec=context.name,
                profile=str(context.profile),
                pixel_format=str(context.pix_fmt),
                width=context.width,
                height=context.height,
                colours=(
                    int(context.colorspace),
                    int(context.color_primaries),
                    int(context.color_trc),
                    int(context.color_range),
                ),
                rate=Fraction(stream.average_rate or 0),
                time_base=Fraction(stream.time_base or 0),
                pts=tuple(packet.pts for packet in packets),
                dts=tuple(packet.dts for packet in packets),
                key_frames=tuple(frame for frame, index in enumerate(order) if packets[index].is_keyframe),
                chapters=tuple(_chapters(container)),
                boxes=boxes,
                duration=Fraction(stream.duration or 0) * Fraction(stream.time_base or 0),
                file_duration=Fraction(container.duration or 0, av.time_base),
            )
    except (av.FFmpegError, OSError, ValueError, IndexError) as error:
        raise BrokenVideoError(path, [f"it cannot be read: {error}"]) from None


def _chapters(container: av.container.InputContainer) -> list[tuple[float, float, str]]:
    return [
        (
            float(chapter["start"] * chapter["time_base"]),
            float(chapter["end"] * chapter["time_base"]),
            chapter["metadata"].get("title", ""),
        )
        for chapter in container.chapters()
    ]


def top_level_boxes(path: Path) -> list[str]:
    """The names of an MP4 file's outermost boxes, in order. Raises ValueError where the sizes do not add up."""
    names: list[str] = []
    end = path.stat().st_size
    with path.open("rb") as file:
        position = 0
        while position < end:
            file.seek(position)
            head = file.read(16)
            if len(head) < 8:
                raise ValueError("the file ends inside a box")
            size = int.from_bytes(head[:4], "big")
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            elif size == 0:
                size = end - position
            if size < 8 or position + size > end:
                raise ValueError("the file ends inside a box")
            names.append(head[4:8].decode("latin-1"))
            position += size
    return names


def faults_of(video: Video, quality: Quality, frames: int) -> list[str]:
    """What in `video` differs from a film of `frames` frames at `quality`; empty where it is as it should be."""
    step = Fraction(1, quality.fps) / video.time_base if video.time_base else Fraction(0)
    expected = {
        "frames": (video.frames, frames),
        "codec": (video.codec, "h264"),
        "profile": (video.profile, "High"),
        "pixel format": (video.pixel_format, "yuv420p"),
        "size": (f"{video.width}×{video.height}", f"{quality.width}×{quality.height}"),
        "colours (matrix, primaries, transfer, range)": (video.colours, (BT709, BT709, BT709, LIMITED_RANGE)),
        "frames a second": (str(video.rate), str(quality.fps)),
        "time base": (str(video.time_base), f"1/{TIME_SCALE}"),
        "duration in seconds": (str(video.duration), str(Fraction(frames, quality.fps))),
    }
    faults = [f"{name}: {found}, expected {wanted}" for name, (found, wanted) in expected.items() if found != wanted]
    if any(tick != index * step for index, tick in enumerate(sorted(video.pts))):
        index = next(index for index, tick in enumerate(sorted(video.pts)) if tick != index * step)
        faults.append(
            f"the frames are not evenly spaced from 0 on: frame {index} is at {sorted(video.pts)[index]} ticks"
        )
    if abs(video.file_duration - Fraction(frames, quality.fps)) > Fraction(1, TIME_SCALE):
        faults.append(f"file duration in seconds: {float(video.file_duration)}, expected {frames / quality.fps}")
    if any(later <= earlier for earlier, later in zip(video.dts, video.dts[1:], strict=False)):
        faults.append("the decoding time stamps do not rise")
    if not video.key_frames or video.key_frames[0] != 0:
        faults.append("the first frame is not a key frame")
    if "moov" not in video.boxes or "mdat" not in video.boxes or video.boxes.index("moov") > video.boxes.index("mdat"):
        faults.append(f"the index (moov) does not come before the pictures (mdat): {' '.join(video.boxes)}")
    return faults
