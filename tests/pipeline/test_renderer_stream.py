"""From pixels to the stream: conversion by parts, repeats without encoding, quality."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from frame_record import KeptDirtyRecord, play
from hypothesis import given, settings
from hypothesis import strategies as st
from manim import BLUE, RED, FadeIn, Rectangle, Scene, Text, VGroup

from pipeline import encoder
from pipeline.encoder import ColourConverter
from pipeline.probe import faults_of, probe
from pipeline.qualities import Quality
from pipeline.renderer import FastRenderer
from pipeline.renderer.repeats import RepeatError, Repeats, escaped, unescaped, units_of
from pipeline.renderer.stream import PictureStream, StreamThread, _sample
from pipeline.renderer.yuv import YuvPicture

WIDTH, HEIGHT, FPS = 194, 98, 10  # two pixels more than whole blocks


def _planes(frame: Any) -> list[np.ndarray]:
    planes = []
    for plane, width in zip(frame.planes, (frame.width, frame.width // 2, frame.width // 2), strict=True):
        planes.append(np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[:, :width].copy())
    return planes


def _equal(a: Any, b: Any) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(_planes(a), _planes(b), strict=True))


def _picture(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    pixels = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    pixels[..., :3] = random.integers(0, 256, (HEIGHT, WIDTH, 3))
    return pixels


boxes = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(1, 120), st.integers(1, 80)).map(
    lambda b: (b[0], b[1], min(WIDTH, b[0] + b[2]), min(HEIGHT, b[1] + b[3]))
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(boxes, max_size=5) | st.none(), st.integers(0, 3)), min_size=1, max_size=8))
def test_a_picture_converted_by_parts_is_the_picture_converted_whole(steps: list[Any]) -> None:
    """Frames are taken, kept for a while and given back in any order."""
    picture, pixels = YuvPicture(WIDTH, HEIGHT, ColourConverter), _picture(0)
    picture.update(pixels, None)
    kept: list[Any] = []
    for seed, (changed, keep) in enumerate(steps, 1):
        new = _picture(seed)
        if changed is None:
            pixels = new
        else:
            for left, top, right, bottom in changed:
                pixels[top:bottom, left:right] = new[top:bottom, left:right]
        picture.update(pixels, changed)
        frame = picture.take()
        assert _equal(frame, ColourConverter().convert(pixels))
        kept.append(frame)
        while len(kept) > keep:
            picture.give_back(kept.pop(0))


def test_a_picture_with_odd_sides_is_refused() -> None:
    with pytest.raises(ValueError, match="even sides of four pixels or more, not 427×240"):
        YuvPicture(427, 240, ColourConverter)


# -- repeats ----------------------------------------------------------------------------------------------------------
@settings(deadline=None)
@given(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 255]), max_size=40).map(bytes))
def test_escapes(payload: bytes) -> None:
    unit = b"\x41" + payload + b"\x80"
    assert unescaped(escaped(unit)) == unit
    assert not re.search(rb"\x00\x00[\x00-\x02]", escaped(unit))
    assert list(units_of(b"\x00\x00\x00\x01" + escaped(unit))) == [escaped(unit)]


def _moving(count: int) -> list[Any]:
    """Frames of a bright square that moves over a ramp."""
    frames = []
    for step in range(count):
        pixels = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
        pixels[..., 0] = np.linspace(0, 200, WIDTH)
        pixels[..., 1], pixels[..., 2] = 30, 60
        pixels[20:60, 5 + 7 * step : 45 + 7 * step, :3] = (250, 240, 60 + step)
        frames.append(ColourConverter().convert(pixels))
    return frames


def _decoded(path: Path) -> list[Any]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def test_a_stream_with_repeats_shows_what_it_was_given(tmp_path: Path) -> None:
    """Every still equals its first frame, every first frame is close to the source, key frames where asked for."""
    shown = [1, 4, 1, 1, 130, 2, 17, 1, 1, 60, 1, 3]
    stream = PictureStream(tmp_path / "a.mp4", WIDTH, HEIGHT, FPS)
    sources = _moving(len(shown))
    for index, (frame, repeat) in enumerate(zip(sources, shown, strict=True)):
        stream.write(frame, repeat, key=index in (0, 6))
    stream.close()
    assert stream.frames == sum(shown)
    frames = _decoded(tmp_path / "a.mp4")
    assert len(frames) == sum(shown)
    assert [frame.pts for frame in frames] == [index * 9000 for index in range(sum(shown))]
    keys = [index for index, frame in enumerate(frames) if frame.key_frame]
    first = 0
    for index, repeat in enumerate(shown):
        group = frames[first : first + repeat]
        differences = [
            np.abs(a.astype(int) - b).mean() for a, b in zip(*map(_planes, (group[0], sources[index])), strict=True)
        ]
        assert max(differences) < 2.5
        for number, frame in enumerate(group, first):
            if not any(first < key <= number for key in keys):
                assert _equal(frame, group[0])
        first += repeat
    assert {0, sum(shown[:6])} <= set(keys)
    assert max(np.diff([*keys, len(frames)])) <= encoder.SECONDS_BETWEEN_KEY_FRAMES * FPS


def test_the_same_again_is_not_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    encode = PictureStream._encode
    monkeypatch.setattr(
        PictureStream, "_encode", lambda self, frame, key: (encoded.append(1), encode(self, frame, key=key))
    )
    stream = PictureStream(tmp_path / "a.mp4", WIDTH, HEIGHT, FPS)
    first, second = _moving(2)
    stream.write(first, 3, key=True)
    stream.write(first, 5, key=False, same=True)
    stream.write(second, 1, key=False)
    stream.write(second, 1, key=False, same=True)
    stream.close()
    assert len(encoded) == 2
    frames = _decoded(tmp_path / "a.mp4")
    assert len(frames) == 10
    assert all(_equal(frame, frames[0]) for frame in frames[:8])
    assert not _equal(frames[8], frames[0])
    assert _equal(frames[9], frames[8])


def test_streams_join_by_copy(tmp_path: Path) -> None:
    """Two streams with the same settings, one packet after the other, decode to the frames of both."""
    for name, repeats in (("a", [2, 30]), ("b", [9, 1])):
        stream = PictureStream(tmp_path / f"{name}.mp4", WIDTH, HEIGHT, FPS)
        for frame, repeat in zip(_moving(2), repeats, strict=True):
            stream.write(frame, repeat, key=False)
        stream.close()
    with av.open(str(tmp_path / "ab.mp4"), "w") as out:
        time = 0
        target = None
        for name in ("a", "b"):
            with av.open(str(tmp_path / f"{name}.mp4")) as part:
                target = target or out.add_stream_from_template(part.streams.video[0])
                for packet in part.demux(video=0):
                    if packet.size:
                        packet.pts = packet.dts = time
                        packet.stream = target
                        time += packet.duration
                        out.mux(packet)
    separate = [*_decoded(tmp_path / "a.mp4"), *_decoded(tmp_path / "b.mp4")]
    joined = _decoded(tmp_path / "ab.mp4")
    assert len(joined) == 42
    assert all(_equal(a, b) for a, b in zip(joined, separate, strict=True))


def test_the_file_is_what_a_clip_must_be(tmp_path: Path) -> None:
    """The pipeline's own judge: codec, profile, colours, even spacing, durations."""
    stream = PictureStream(tmp_path / "a.mp4", WIDTH, HEIGHT, FPS)
    for frame in _moving(5):
        stream.write(frame, 13, key=False)
    stream.close()
    assert faults_of(probe(tmp_path / "a.mp4"), Quality("small", WIDTH, HEIGHT, FPS), 65) == []


def test_the_bytes_are_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        stream = PictureStream(tmp_path / f"{name}.mp4", WIDTH, HEIGHT, FPS)
        for frame in _moving(4):
            stream.write(frame, 3, key=False)
        stream.close()
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


@pytest.mark.parametrize(
    ("setting", "reason"), [({"bframes": 2}, "B pictures"), ({"ref": 3}, "more than one reference picture")]
)
def test_settings_that_rule_repeats_out_are_refused(
    setting: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "X264_PARAMS", encoder.X264_PARAMS | setting)
    with pytest.raises(RepeatError, match=reason):
        Repeats(_sample(WIDTH, HEIGHT, FPS))


def test_the_thread_hands_every_frame_back(tmp_path: Path) -> None:
    done: list[Any] = []
    counts: list[int] = []
    thread = StreamThread(PictureStream(tmp_path / "a.mp4", WIDTH, HEIGHT, FPS), done.append, counts.append)
    frames = _moving(6)
    for frame in frames:
        thread.write(frame, 2, key=False)
    thread.finish()
    assert [id(frame) for frame in done] == [id(frame) for frame in frames]
    assert thread.frames == counts[-1] == 12
    assert len(_decoded(tmp_path / "a.mp4")) == 12


def test_the_thread_tells_what_went_wrong(tmp_path: Path) -> None:
    done: list[Any] = []
    thread = StreamThread(PictureStream(tmp_path / "a.mp4", WIDTH, HEIGHT, FPS), done.append)
    thread.write("no frame", 1, key=False)
    thread.write("nor this", 1, key=False)
    with pytest.raises(AttributeError, match="'str' object has no attribute 'time_base'"):
        thread.finish()
    assert done == ["no frame", "nor this"]


# -- quality ----------------------------------------------------------------------------------------------------------
def _similarity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Structural similarity of two luma planes in each 8 by 8 window (Wang et al. 2004, equation 13)."""

    def windows(plane: np.ndarray) -> np.ndarray:
        height, width = (side // 8 * 8 for side in plane.shape)
        tiles = plane[:height, :width].astype(float).reshape(height // 8, 8, width // 8, 8)
        return tiles.swapaxes(1, 2).reshape(-1, 64)

    x, y = windows(a), windows(b)
    mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
    both = (x * y).mean(axis=1) - mean_x * mean_y
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    above = (2 * mean_x * mean_y + c1) * (2 * both + c2)
    return above / ((mean_x**2 + mean_y**2 + c1) * (x.var(axis=1) + y.var(axis=1) + c2))


class Reading(Scene):
    """Small text that comes, moves and changes colour over panels."""

    def construct(self) -> None:
        self.camera.background_color = "#0d1117"
        panels = VGroup(*[Rectangle(width=3, height=0.7, color=BLUE, fill_opacity=0.3) for _ in range(9)])
        panels.arrange_in_grid(3, 3, buff=0.4)
        lines = VGroup(*[Text(f"−{i}.53  rows of text", font_size=20).move_to(panel) for i, panel in enumerate(panels)])
        self.add(panels)
        self.play(FadeIn(lines), run_time=0.4)
        self.play(lines.animate.shift([0.31, 0.17, 0]), panels[4].animate.set_fill(RED), run_time=0.6)
        self.wait(0.3)


def test_text_stays_crisp(tmp_path: Path) -> None:
    record = play(Reading, FastRenderer, KeptDirtyRecord, tmp_path, size=(854, 480), rate=30).renderer.file_writer
    stream = PictureStream(tmp_path / "a.mp4", 854, 480, 30)
    raw = []
    for pixels, (_, repeat) in zip(record.pictures, record.frames, strict=True):
        frame = ColourConverter().convert(pixels)
        raw += [_planes(frame)[0]] * repeat
        stream.write(frame, repeat, key=False)
    stream.close()
    similar = [_similarity(a, _planes(b)[0]) for a, b in zip(raw, _decoded(tmp_path / "a.mp4"), strict=True)]
    assert min(frame.mean() for frame in similar) >= 0.995
    assert min(np.quantile(frame, 0.01) for frame in similar) >= 0.95
