"""Contact sheets and posters: which frames are on them, how words are wrapped, and that they are whole or not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from small_studio import Studio

from pipeline.contact_sheet import COLUMNS, FRAME_WIDTH, MARGIN, Cell, compose, wrap
from pipeline.posters import film_poster, poster_beat
from pipeline.storyboard import load_storyboard

CLOSING = "，。！？）”"


def length(text: str) -> float:
    return sum(2.0 if ord(letter) > 0x2000 else 1.0 for letter in text)


@given(st.text(alphabet="abcd e,.水课爱我，。！（）“”", max_size=120), st.integers(6, 40))
def test_words_are_wrapped_and_none_is_lost(text: str, width: int) -> None:
    lines = wrap(text, length, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line.strip() for line in lines)
    # What holds together is only broken where it is wider than a whole line.
    assert all(length(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("我爱水课，我爱", 8, ["我爱水", "课，我爱"]),
        ("任务是“翻译”。", 9, ["任务是", "“翻", "译”。"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("", 4, []),
    ],
)
def test_where_lines_break(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, length, width) == lines


def test_a_sheet_has_room_for_every_frame_and_its_words() -> None:
    frame = np.full((360, FRAME_WIDTH, 3), 200, dtype=np.uint8)
    few = compose([Cell(frame, "a", 1.0, "few")] * 4, ("Title", "note"))
    many = compose([Cell(frame, "a", 1.0, "many words " * 30)] * 4, ("Title", "note"))
    assert few.shape[1] == many.shape[1] == COLUMNS * (FRAME_WIDTH + MARGIN) + MARGIN
    assert few.shape[0] > 2 * 360
    assert many.shape[0] > few.shape[0] + 200
    # Words are printed below the frame, in the colour of ink, and not on it.
    dark = np.argwhere(np.all(few < 90, axis=2))
    assert len(dark) > 100
    assert np.all(few == 200, axis=2).sum() == 4 * 360 * FRAME_WIDTH


def frames_on(sheet: Path) -> int:
    """How many frames of the small studio's scene `middle` (red, blue, half and half) the sheet shows."""
    pixels = np.asarray(Image.open(sheet)).astype(int)
    red = (pixels[:, :, 0] > 200) & (pixels[:, :, 1:].max(axis=2) < 60)
    blue = (pixels[:, :, 2] > 200) & (pixels[:, :, :2].max(axis=2) < 60)
    return round(float((red | blue).sum()) / (FRAME_WIDTH * 360))


def test_the_command_writes_a_sheet_a_scene_or_none(studio: Studio) -> None:
    studio.edit("scenes/ending.py", "circle = Circle", "circle = Cirle")
    done = studio.explain("contact-sheet", "--language", "all")
    assert done.returncode == 1
    assert "ending.py:9: NameError" in done.stdout
    assert "next:" in done.stdout
    folder = studio.media / "contact-sheets"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {"zh/opening.png", "zh/middle.png", "en/opening.png", "en/middle.png"}
    assert frames_on(folder / "zh" / "middle.png") == 3
    assert "(6/6" in done.stdout
    done = studio.explain("contact-sheet", "--scenes", "middle", "--every", "0.4", "--out", str(studio.root / "out"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert frames_on(studio.root / "out" / "zh" / "middle.png") == 5  # 30 frames, 15 a second, one in six


def test_posters_are_the_storyboards_choice(studio: Studio) -> None:
    studio.edit("storyboard.yaml", "  gap: 0.4", "  gap: 0.4\n  poster: {scene: middle, beat: blue}")
    studio.edit("storyboard.yaml", "    takeaway: {zh: 颜色不变。", "    poster: red\n    takeaway: {zh: 颜色不变。")
    done = studio.explain("posters", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    posters = studio.media / "posters" / "zh"
    assert sorted(path.name for path in posters.iterdir()) == ["ending.png", "middle.png", "opening.png"]
    assert np.asarray(Image.open(posters / "middle.png")).mean(axis=(0, 1)).argmax() == 0
    (film,) = (studio.media / "film" / "zh").iterdir()
    assert film.name == "a-small-film-zh-draft-poster.png"
    assert np.asarray(Image.open(film)).mean(axis=(0, 1)).argmax() == 2
    board = load_storyboard(studio.storyboard, scenes=studio.scenes)
    opening = board.entry("opening")
    assert poster_beat(opening) == "second"
    entry, beat = film_poster(board, [opening])
    assert (entry.id, beat) == ("middle", "blue")


def test_a_choice_of_poster_makes_no_clip_stale(studio: Studio) -> None:
    before = load_storyboard(studio.storyboard, scenes=studio.scenes)
    studio.edit("storyboard.yaml", "  gap: 0.4", "  gap: 0.4\n  poster: {scene: middle}")
    studio.edit("storyboard.yaml", "    takeaway: {zh: 颜色不变。", "    poster: red\n    takeaway: {zh: 颜色不变。")
    after = load_storyboard(studio.storyboard, scenes=studio.scenes)
    assert after.entry("middle").poster == "red"
    assert [entry.model_dump() for entry in before.scenes] == [entry.model_dump() for entry in after.scenes]
    assert before.film.model_dump() == after.film.model_dump()
