"""Where clips meet: the film shows the clips' own pictures, none black, none frozen; and doctored films fail."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest
from small_studio import Studio
from test_cache_film import parts_of
from test_pipeline_film import TINY, clip, make, picture_of, remux

from pipeline.encoder import ColourConverter
from pipeline.files import sha256_of
from pipeline.film import verify
from pipeline.jobs import ClipCue, Sidecar
from pipeline.manifest import Part
from pipeline.probe import BrokenVideoError
from pipeline.qualities import QUALITIES
from pipeline.renderer.stream import PictureStream
from pipeline.seams import black, same, seam_faults

BLACK = np.zeros((48, 64, 4), np.uint8)
FPS = TINY.fps


def drawn(path: Path, pictures: Sequence[tuple[np.ndarray, int]]) -> Part:
    """A clip of pictures, each for so many frames."""
    stream = PictureStream(path, TINY.width, TINY.height, FPS)
    for picture, count in pictures:
        stream.write(ColourConverter().convert(picture), count, key=True)
    stream.close()
    frames = sum(count for _, count in pictures)
    cues = (ClipCue("b", 0, frames, "Words."),)
    digest, size = sha256_of(path), path.stat().st_size
    return Part(path, Sidecar(path.stem, "en", "draft", "f", FPS, frames, cues, digest, size), path.stem)


def test_a_film_of_sound_clips_has_no_fault(tmp_path: Path) -> None:
    parts = [clip(tmp_path / f"{name}.mp4", frames) for name, frames in (("a", 7), ("b", 1), ("c", 31))]
    film = make(parts, tmp_path / "film.mp4").path
    assert seam_faults(film, parts, FPS) == []
    for part in parts:  # where the clips are gone the rest is still looked at
        part.clip.unlink()
    assert seam_faults(film, parts, FPS) == []


def test_a_film_joined_from_other_clips_is_found(tmp_path: Path) -> None:
    a, b, c = (clip(tmp_path / f"{name}.mp4", 20) for name in "abc")
    film = make([a, c], tmp_path / "film.mp4").path
    told = [Part(a.clip, a.sidecar, a.title), Part(b.clip, b.sidecar, c.title)]
    assert seam_faults(film, told, FPS) == [
        f"the picture at frame {frame} is not the one of b's clip" for frame in (20, 39)
    ]
    with pytest.raises(BrokenVideoError, match="is not the one of b's clip"):
        verify(film, told, TINY)


@pytest.mark.parametrize("frame", [0, 19, 20, 39], ids=["beginning", "before the seam", "after the seam", "end"])
def test_a_black_frame_at_a_seam_is_found(tmp_path: Path, frame: int) -> None:
    a, b = clip(tmp_path / "a.mp4", 20), clip(tmp_path / "b.mp4", 20)
    film = make([a, b], tmp_path / "film.mp4").path
    for part in (a, b):
        part.clip.unlink()
    dark = f"lutyuv=y=16:u=128:v=128:enable='between(n\\,{frame}\\,{frame})'"
    doctored = remux(film, tmp_path / "dark.mp4", "-map", "0:v", "-g", "1", "-vf", dark)
    assert seam_faults(doctored, [a, b], FPS) == [f"the picture at frame {frame} is black"]
    whole = remux(film, tmp_path / "night.mp4", "-map", "0:v", "-g", "1", "-vf", "lutyuv=y=16:u=128:v=128")
    assert len(seam_faults(whole, [a, b], FPS)) == 4


def test_a_black_picture_that_was_drawn_is_no_excuse(tmp_path: Path) -> None:
    a = clip(tmp_path / "a.mp4", 20)
    b = drawn(tmp_path / "b.mp4", [(BLACK, 1), (picture_of("b"), 19)])
    with pytest.raises(BrokenVideoError, match="the picture at frame 20 is black"):
        make([a, b], tmp_path / "film.mp4")
    assert not (tmp_path / "film.mp4").exists()


def test_a_clip_that_begins_frozen_is_found(tmp_path: Path) -> None:
    first, second = picture_of("first"), picture_of("second")
    a = drawn(tmp_path / "a.mp4", [(first, 10), (second, 10)])
    b = drawn(tmp_path / "b.mp4", [(second, 5), (first, 15)])
    with pytest.raises(BrokenVideoError, match="b begins at frame 20 with the picture that came before: it is frozen"):
        make([a, b], tmp_path / "film.mp4")


def test_a_seam_after_which_nothing_moves_is_found(tmp_path: Path) -> None:
    a = drawn(tmp_path / "a.mp4", [(picture_of("first"), 10), (picture_of("second"), 10)])
    still = drawn(tmp_path / "b.mp4", [(picture_of("third"), 5 * FPS), (picture_of("fourth"), 5)])
    with pytest.raises(BrokenVideoError, match=r"nothing moves for 4.5 s from frame 20 on, where b begins"):
        make([a, still], tmp_path / "film.mp4")
    moving = drawn(tmp_path / "c.mp4", [(picture_of("third"), 4 * FPS), (picture_of("fourth"), 5)])
    make([a, moving], tmp_path / "film.mp4")


def test_coding_is_no_change_and_a_changed_word_is() -> None:
    one = np.full((72, 64), 16, np.uint8)
    coded = one.copy()
    coded[10, 10] += 20
    word = one.copy()
    word[10:12, 10:12] += 60
    assert same(one, coded)
    assert not same(one, word)
    assert black(one)
    assert not black(word)


def test_the_first_frame_of_a_clip_is_its_still(finished: Studio, tmp_path: Path) -> None:
    """The film's frame at each seam, against the still that is drawn on its own, as far as the codec lets it be."""
    start = 0
    with av.open(str(finished.film())) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    for part, beat in zip(parts_of(finished), ("first", "red", "last"), strict=True):
        out = tmp_path / f"{beat}.png"
        done = finished.explain("still", part.sidecar.scene_id, beat, "--at", "start", "--out", str(out))
        assert done.returncode == 0, done.stderr
        with av.open(str(out)) as picture:
            still = next(picture.decode(video=0)).to_ndarray(format="rgb24")
        apart = np.abs(still.astype(int) - frames[start].astype(int))
        assert apart.mean() < 3, part.sidecar.scene_id
        assert (apart.max(axis=2) > 60).mean() < 0.01, part.sidecar.scene_id
        start += part.sidecar.frames
    assert start == len(frames)


def test_the_gate_looks_at_the_seams_of_a_rendered_film(finished: Studio) -> None:
    assert seam_faults(finished.film(), parts_of(finished), QUALITIES["draft"].fps) == []
