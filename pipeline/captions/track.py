"""Captions as a stream of 3GPP timed text (3GPP TS 26.245), which an MP4 file holds as "tx3g".

ffmpeg makes such a stream of a caption file through its own styled form, in which braces and backslashes are codes; so
the samples are written here, and the stream is copied into the film as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av

from .cues import Caption
from .formats import film_text

_TICKS = 90_000  # a second; divisible by every frame rate of the film
# The default style, in the form that the encoder asks for: most players have one of their own, the others take this.
_FIELDS = (
    "Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, "
    "StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, "
    "Encoding"
)
_WHITE_SANS = "Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0"
_STYLE = (
    "[Script Info]\nScriptType: v4.00+\nPlayResX: 384\nPlayResY: 288\n\n"
    f"[V4+ Styles]\nFormat: {_FIELDS}\nStyle: {_WHITE_SANS}\n"
).encode()


def write_track(path: Path, captions: Iterable[Caption], fps: int) -> None:
    """Write the captions to `path`: an MP4 file of one stream of text."""
    with av.open(str(path), "w", format="mp4", options={"movie_timescale": str(_TICKS)}) as container:
        stream = container.add_stream("mov_text")
        stream.time_base = stream.codec_context.time_base = Fraction(1, _TICKS)
        stream.codec_context.subtitle_header = _STYLE
        for caption in captions:
            text = film_text(caption.lines).encode("utf-8")
            packet = av.Packet(len(text).to_bytes(2, "big") + text)
            packet.stream, packet.time_base = stream, Fraction(1, _TICKS)
            packet.pts = packet.dts = caption.start_frame * _TICKS // fps
            packet.duration = (caption.end_frame - caption.start_frame) * _TICKS // fps
            container.mux(packet)


def samples_of(path: Path) -> list[tuple[str | None, list[tuple[Fraction, str]]]]:
    """The streams of text in the video file `path`: language, and begin (in seconds) and text of each sample."""
    with av.open(str(path)) as container:
        streams = list(container.streams.subtitles)
        found: dict[int, list[tuple[Fraction, str]]] = {stream.index: [] for stream in streams}
        for packet in container.demux(streams) if streams else ():
            # The first two bytes are the length of the text; an empty text is the pause between two captions.
            text = bytes(packet)[2 : 2 + int.from_bytes(bytes(packet)[:2], "big")].decode("utf-8", errors="replace")
            if text and packet.pts is not None:
                found[packet.stream.index].append((packet.pts * Fraction(packet.time_base), text))
        return [(stream.language, found[stream.index]) for stream in streams]
