"""The finished film, looked at stream by stream; and that the look finds what is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from small_studio import Studio
from test_pipeline_captions import parse_vtt

from pipeline.encoder import ColourConverter
from pipeline.files import sha256_of
from pipeline.film import JoinedFilm, Part, concat_list, find_ffmpeg, join, verify
from pipeline.jobs import ClipCue, Sidecar
from pipeline.probe import BrokenVideoError, faults_of, probe, top_level_boxes
from pipeline.problems import UserError
from pipeline.qualities import QUALITIES, Quality
from pipeline.renderer.stream import PictureStream

DRAFT = QUALITIES["draft"]
TINY = Quality("draft", 64, 48, 30)
GAP = 6  # 0.4 s at 15 frames a second
LENGTHS = {"opening": 18 + GAP, "middle": 30 + GAP, "ending": 20 + GAP}
STARTS = {"opening": 0, "middle": 24, "ending": 60}
FRAMES = sum(LENGTHS.values())


def sidecar_of(clip: Path) -> dict[str, object]:
    return json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))


# --- clips --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", LENGTHS)
def test_clips_have_exactly_the_frames_that_the_scene_played(finished: Studio, scene: str) -> None:
    clip = finished.clips()[scene]
    video = probe(clip)
    assert video.frames == LENGTHS[scene] == sidecar_of(clip)["frames"]
    assert faults_of(video, DRAFT, LENGTHS[scene]) == []
    with av.open(str(clip)) as container:
        assert sum(1 for _ in container.decode(video=0)) == LENGTHS[scene]


def test_every_beat_begins_with_a_key_frame(finished: Studio) -> None:
    for scene, clip in finished.clips().items():
        cues = sidecar_of(clip)["cues"]
        assert isinstance(cues, list)
        starts = {cue["start_frame"] for cue in cues}
        assert starts <= set(probe(clip).key_frames), scene
    assert probe(finished.clips()["middle"]).key_frames == (0, 12, 24)


def encode(path: Path, pixels: np.ndarray, frames: int, quality: Quality = TINY) -> None:
    """A file of one picture."""
    stream = PictureStream(path, quality.width, quality.height, quality.fps)
    stream.write(ColourConverter().convert(pixels), frames, key=True)
    stream.close()


def test_key_frames_come_at_least_every_five_seconds(tmp_path: Path) -> None:
    encode(tmp_path / "still.mp4", np.full((48, 64, 4), 255, np.uint8), 400)
    keys = probe(tmp_path / "still.mp4").key_frames
    assert keys == (0, 150, 300)


def luma_chroma(red: int, green: int, blue: int) -> tuple[float, float, float]:
    """BT.709 in limited range, written out from its definition."""
    r, g, b = red / 255, green / 255, blue / 255
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return 16 + 219 * y, 128 + 224 * (b - y) / (2 * (1 - 0.0722)), 128 + 224 * (r - y) / (2 * (1 - 0.2126))


def middle_of(frame: av.VideoFrame, x: float = 0.5) -> list[float]:
    """Y, U, V of a patch at the relative place `x`, half way down."""
    values = []
    for plane in frame.planes:
        rows = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
        column = int(plane.width * x)
        values.append(float(rows[plane.height // 2 - 4 : plane.height // 2 + 4, column - 4 : column + 4].mean()))
    return values


def frames_of(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def test_colours_are_those_that_were_drawn(finished: Studio) -> None:
    frames = frames_of(finished.clips()["middle"])
    red, blue = luma_chroma(255, 0, 0), luma_chroma(0, 0, 255)
    assert middle_of(frames[5]) == pytest.approx(red, abs=2)
    assert middle_of(frames[20]) == pytest.approx(blue, abs=2)
    assert middle_of(frames[27], 0.25) == pytest.approx(red, abs=2)
    assert middle_of(frames[27], 0.75) == pytest.approx(blue, abs=2)
    # The gap holds the last picture.
    assert middle_of(frames[-1], 0.25) == pytest.approx(red, abs=2)


@pytest.mark.parametrize(
    "colour", [(255, 255, 255), (0, 0, 0), (0, 255, 0), (18, 20, 38), (250, 150, 40), (255, 92, 138)]
)
def test_colours_survive_the_encoder_as_a_player_shows_them(tmp_path: Path, colour: tuple[int, int, int]) -> None:
    pixels = np.empty((48, 64, 4), np.uint8)
    pixels[:] = (*colour, 255)
    encode(tmp_path / "colour.mp4", pixels, 3)
    frame = frames_of(tmp_path / "colour.mp4")[1]
    assert middle_of(frame) == pytest.approx(luma_chroma(*colour), abs=1.5)
    # ffmpeg as the player: it follows the file's own colour tags.
    command = [find_ffmpeg(), "-v", "error", "-i", str(tmp_path / "colour.mp4"), "-frames:v", "1", "-f", "rawvideo"]
    shown = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
    assert np.frombuffer(shown, np.uint8).reshape(48, 64, 3)[24, 32].tolist() == pytest.approx(colour, abs=4)


def test_a_still_picture_is_encoded_without_drift(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    pixels = np.full((48, 64, 4), 255, np.uint8)
    pixels[..., :3] = rng.integers(0, 255, (6, 8, 3)).repeat(8, 0).repeat(8, 1)
    encode(tmp_path / "still.mp4", pixels, 60)
    frames = [frame.to_ndarray() for frame in frames_of(tmp_path / "still.mp4")]
    assert len(frames) == 60
    assert max(int(np.abs(frame.astype(int) - frames[0]).max()) for frame in frames) <= 24
    assert float(np.abs(frames[-1].astype(int) - frames[0]).mean()) < 1.5


# --- the film -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_film_is_its_clips_one_after_the_other(finished: Studio, language: str) -> None:
    film = finished.film(language)
    video = probe(film)
    assert video.frames == FRAMES
    assert faults_of(video, DRAFT, FRAMES) == []
    assert (video.codec, video.profile, video.pixel_format) == ("h264", "High", "yuv420p")
    assert (video.width, video.height, video.rate) == (854, 480, 15)
    assert video.colours == (1, 1, 1, 1)
    step = Fraction(1, 15) / video.time_base
    assert sorted(video.pts) == [step * index for index in range(FRAMES)]
    assert list(video.dts) == sorted(set(video.dts))
    assert video.duration == Fraction(FRAMES, 15)
    boxes = top_level_boxes(film)
    assert boxes.index("moov") < boxes.index("mdat")
    assert set(STARTS.values()) <= set(video.key_frames)


def test_the_films_pictures_are_the_clips(finished: Studio) -> None:
    shown = [frame.to_ndarray() for frame in frames_of(finished.film())]
    clips = finished.clips()
    made = [frame.to_ndarray() for scene in LENGTHS for frame in frames_of(clips[scene])]
    assert len(shown) == len(made) == FRAMES
    assert all(np.array_equal(one, other) for one, other in zip(shown, made, strict=True))


def test_chapters_are_the_scenes(finished: Studio) -> None:
    expected = {"zh": ["开头", "中间：红与蓝", "结尾"], "en": ["The opening", "The middle: red & blue", "The ending"]}
    for language, titles in expected.items():
        chapters = probe(finished.film(language)).chapters
        assert [chapter[2] for chapter in chapters] == titles
        assert [round(chapter[0] * 15, 2) for chapter in chapters] == list(STARTS.values())
        assert round(chapters[-1][1] * 15, 2) == FRAMES


def test_the_film_carries_title_and_language(finished: Studio) -> None:
    with av.open(str(finished.film("zh"))) as container:
        assert container.metadata["title"] == "小电影"
        assert container.streams.video[0].language == "zho"
    with av.open(str(finished.film("en"))) as container:
        assert container.streams.video[0].language == "eng"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_captions_of_film_and_clips(finished: Studio, language: str) -> None:
    cues = parse_vtt(finished.film(language).with_suffix(".vtt").read_text(encoding="utf-8"))
    by_scene: dict[str, list[tuple[float, float, list[str]]]] = {}
    for name, start, end, lines in cues:
        by_scene.setdefault(name.split(".")[0], []).append((start, end, lines))
    assert list(by_scene) == list(LENGTHS)
    for scene, found in by_scene.items():
        text = finished.clips(language)[scene].with_suffix(".vtt").read_text(encoding="utf-8")
        offset = STARTS[scene] / 15
        for (start, end, lines), own in zip(found, parse_vtt(text), strict=True):
            assert (start - offset, end - offset) == pytest.approx(own[1:3], abs=0.0015)
            assert lines == own[3]
    assert all(before[2] <= after[1] for before, after in pairwise(cues))
    said = "它的边长是 2.0。" if language == "zh" else "Its side is 2.0."
    assert any(lines == [said] for _, _, _, lines in cues)


def test_no_partial_files_are_left(finished: Studio) -> None:
    names = [path.name for path in finished.media.rglob("*") if path.is_file()]
    assert not [name for name in names if name.startswith(".") and name not in (".lock", ".sources.json")]
    assert list((finished.media / ".work").iterdir()) == []


# --- joining many -------------------------------------------------------------------------------------------------


def picture_of(name: str, quality: Quality = TINY) -> np.ndarray:
    """Coarse squares of grey that depend on the name, (height, width, 4)."""
    squares = np.random.default_rng(list(name.encode())).integers(60, 220, (quality.height // 8, quality.width // 8, 1))
    return np.append(squares.repeat(3, 2), np.full_like(squares, 255), 2).astype(np.uint8).repeat(8, 0).repeat(8, 1)


def clip(path: Path, frames: int, quality: Quality = TINY) -> Part:
    """A clip of two pictures that no other clip has, with its sidecar's facts."""
    stream = PictureStream(path, quality.width, quality.height, quality.fps)
    drawn = picture_of(path.stem, quality), picture_of(f"{path.stem}, later", quality)
    for number, count in enumerate(count for count in (frames - frames // 2, frames // 2) if count):
        stream.write(ColourConverter().convert(drawn[number]), count, key=number == 0)
    stream.close()
    cues, size = (ClipCue("b", 0, frames, "Words."),), path.stat().st_size
    sidecar = Sidecar(path.stem, "en", "draft", "f", quality.fps, frames, cues, sha256_of(path), size)
    return Part(path, sidecar, f"Chapter = {path.stem}; #1 \\ 'x'")


def make(parts: list[Part], target: Path, quality: Quality = TINY) -> JoinedFilm:
    return join(parts, target, quality, language="en", title="T", unit="words", binary=find_ffmpeg())


PRIMES = [7, 1, 2, 11, 13, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83]
# In microseconds each of these is rounded the same way, so that the errors add up to more than a tick.
DRIFTING = [7, 4, 10] * 8


@pytest.mark.parametrize("fps", [15, 30, 60])
@pytest.mark.parametrize("lengths", [PRIMES, DRIFTING], ids=["primes", "drifting"])
def test_many_clips_join_without_any_error(tmp_path: Path, fps: int, lengths: list[int]) -> None:
    quality = Quality("draft", 64, 48, fps)
    parts = [clip(tmp_path / f"it's {index}.mp4", length, quality) for index, length in enumerate(lengths)]
    film = make(parts, tmp_path / "out" / "film.mp4", quality)
    video = probe(film.path)
    step = Fraction(1, fps) / video.time_base
    assert sorted(video.pts) == [step * index for index in range(sum(lengths))]
    assert film.frames == video.frames == sum(lengths)
    assert video.duration == Fraction(sum(lengths), fps)
    assert float(video.file_duration) == pytest.approx(sum(lengths) / fps, abs=2e-6)
    # What players read first: time scale and duration in the movie header.
    header = film.path.read_bytes().partition(b"mvhd")[2]
    assert [int.from_bytes(header[at : at + 4], "big") for at in (12, 16)] == [90_000, sum(lengths) * step]
    assert [chapter[2] for chapter in video.chapters] == [part.title for part in parts]
    assert [path.name for path in film.path.parent.iterdir() if path.name.startswith(".")] == []


def test_the_list_for_ffmpeg_states_exact_durations(tmp_path: Path) -> None:
    lines = concat_list([clip(tmp_path / "a.mp4", 7)], TINY).splitlines()
    assert lines[0] == "ffconcat version 1.0"
    assert lines[2] == "duration 0.233333"


# --- the verification finds what is wrong -------------------------------------------------------------------------


def test_a_film_that_is_not_what_it_should_be_gets_no_name(tmp_path: Path) -> None:
    good = clip(tmp_path / "a.mp4", 20)
    lying = Part(good.clip, Sidecar("b", "en", "draft", "f", 30, 21, good.sidecar.cues, "s", 1), "B")
    target = tmp_path / "film" / "film.mp4"
    target.parent.mkdir()
    target.write_bytes(b"the film of yesterday")
    with pytest.raises(BrokenVideoError, match="frames: 40, expected 41"):
        make([good, lying], target)
    assert target.read_bytes() == b"the film of yesterday"
    assert list(target.parent.iterdir()) == [target]


def test_clips_that_ffmpeg_cannot_read_are_told(tmp_path: Path) -> None:
    good = clip(tmp_path / "a.mp4", 20)
    (tmp_path / "b.mp4").write_bytes(b"no video")
    with pytest.raises(UserError, match=r"ffmpeg says|frames"):
        make([good, Part(tmp_path / "b.mp4", good.sidecar, "B")], tmp_path / "film.mp4")
    assert not (tmp_path / "film.mp4").exists()


def remux(source: Path, target: Path, *options: str) -> Path:
    subprocess.run([find_ffmpeg(), "-v", "error", "-i", str(source), *options, str(target)], check=True)
    return target


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["-c", "copy"], "moov"),
        (["-c:v", "libx264", "-profile:v", "baseline", "-movflags", "+faststart"], "profile"),
        (["-c:v", "libx264", "-pix_fmt", "yuv444p", "-movflags", "+faststart"], "pixel format"),
        (["-c", "copy", "-movflags", "+faststart", "-bsf:v", "setts=pts=PTS+6000*gte(N\\,10)"], "evenly spaced"),
        (["-c", "copy", "-movflags", "+faststart", "-frames:v", "15"], "frames: 15, expected 20"),
        (["-vf", "scale=32:32", "-movflags", "+faststart"], "size"),
        (["-vf", "setparams=colorspace=smpte170m", "-movflags", "+faststart"], "colours"),
        (["-r", "25", "-movflags", "+faststart"], "frames a second"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_faults_are_found(tmp_path: Path, options: list[str], fault: str) -> None:
    source = clip(tmp_path / "a.mp4", 20)
    assert faults_of(probe(source.clip), TINY, 20) == []
    bad = remux(source.clip, tmp_path / "bad.mp4", *options)
    assert any(fault in found for found in faults_of(probe(bad), TINY, 20))


def test_missing_chapters_and_key_frames_are_found(tmp_path: Path) -> None:
    parts = [clip(tmp_path / "a.mp4", 20), clip(tmp_path / "b.mp4", 20)]
    film = make(parts, tmp_path / "film.mp4").path
    verify(film, parts, TINY)
    plain = remux(
        film, tmp_path / "plain.mp4", "-map", "0:v", "-c", "copy", "-map_chapters", "-1", "-movflags", "+faststart"
    )
    with pytest.raises(BrokenVideoError, match="chapters"):
        verify(plain, parts, TINY)
    one = clip(tmp_path / "c.mp4", 40)
    with pytest.raises(BrokenVideoError, match="no key frame where clips begin"):
        verify(one.clip, parts, TINY)


def test_what_is_no_video_is_told(tmp_path: Path) -> None:
    path = clip(tmp_path / "a.mp4", 20).clip
    shutil.copyfile(path, tmp_path / "short.mp4")
    with (tmp_path / "short.mp4").open("r+b") as file:
        file.truncate(path.stat().st_size - 40)
    for bad in (tmp_path / "short.mp4", tmp_path / "missing.mp4"):
        with pytest.raises(BrokenVideoError, match="cannot be read"):
            probe(bad)


# --- which ffmpeg -------------------------------------------------------------------------------------------------


def test_the_chosen_ffmpeg_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Path(find_ffmpeg()).is_file()
    with pytest.raises(UserError, match="cannot be run"):
        find_ffmpeg(str(tmp_path / "ffmpeg"))
    with pytest.raises(UserError, match="it is not ffmpeg"):
        find_ffmpeg("/bin/echo")
    chosen = tmp_path / "my-ffmpeg"
    chosen.symlink_to(find_ffmpeg())
    monkeypatch.setenv("EXPLAINER_FFMPEG", str(chosen))
    assert find_ffmpeg() == str(chosen)
