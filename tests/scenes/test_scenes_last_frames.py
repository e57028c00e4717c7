"""The last frame of every scene in every language is the one that was looked at; `make update-frames` renews them."""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path

import last_frames
import numpy as np
import pytest
from last_frames import TOLERANCE, difference, fault, golden_file, read, side_by_side
from manim import DOWN, LEFT, RIGHT, UP, Camera, VMobject
from other_models import STORYBOARD
from PIL import Image

from pipeline.storyboard import Entry, load_storyboard
from scenes.stage import theme
from scenes.stage.audit import drawn_scenes
from scenes.stage.boxes import panel
from scenes.stage.scene import ExplainerScene
from scenes.stage.words import Words

BOARD = load_storyboard(STORYBOARD)
DRAWN = [pytest.param(entry, scene, id=entry.id) for entry, scene in drawn_scenes(BOARD)]
PIXEL = theme.FRAME_HEIGHT / last_frames.SIZE[1]
DIFFERENCES = Path(os.environ.get("EXPLAINER_MEDIA") or Path(__file__).resolve().parents[2] / "media") / "frames"


@pytest.mark.parametrize("language", BOARD.film.languages)
@pytest.mark.parametrize(("entry", "scene"), DRAWN)
def test_the_scene_ends_on_the_picture_that_was_looked_at(
    entry: Entry, scene: type[ExplainerScene], language: str, look_at
) -> None:
    now = look_at(scene, STORYBOARD, language).last_frame
    file = golden_file(entry.id, language)
    if os.environ.get(last_frames.UPDATE):
        if not file.exists() or fault(read(file), now):
            last_frames.keep(now, file)
        return
    assert file.exists(), f"{file} is not there\n    next: make update-frames"
    golden = read(file)
    if wrong := fault(golden, now):
        DIFFERENCES.mkdir(parents=True, exist_ok=True)
        shown = DIFFERENCES / f"{entry.id}-{language}.png"
        side_by_side(golden, now).save(shown)
        pytest.fail(
            f"the last frame of {entry.id} in {language} is another one: {wrong}\n"
            f"    see: {shown} (golden, now, difference)\n    next: make update-frames if the new one is right"
        )


def test_no_picture_is_kept_for_a_scene_that_is_not_drawn() -> None:
    wanted = {golden_file(param.values[0].id, language) for param in DRAWN for language in BOARD.film.languages}
    kept = set(last_frames.FOLDER.rglob("*.webp"))
    if os.environ.get(last_frames.UPDATE):
        for file in kept - wanted:
            file.unlink()
        return
    assert kept == wanted
    assert sum(file.stat().st_size for file in kept) < 3_000_000


# -- the comparison itself -------------------------------------------------------------------------------------------


def picture(*mobjects: VMobject) -> np.ndarray:
    camera = Camera(pixel_width=last_frames.SIZE[0], pixel_height=last_frames.SIZE[1])
    camera.background_color = theme.BACKGROUND
    camera.reset()
    camera.capture_mobjects(mobjects)
    return camera.pixel_array[:, :, :3].copy()


@pytest.mark.parametrize("color", [theme.INK, theme.DIM, theme.DARK_INK])
def test_a_digit_that_becomes_another_one_is_seen(color: str) -> None:
    """Each of the 45 pairs, at the smallest size, in the middle of a number."""
    box = panel(2, 1, fill=theme.SHARED if color == theme.DARK_INK else theme.PANEL)
    drawn = {}
    for digit in "0123456789":
        number = Words(f"−0.{digit}3", theme.SMALL_SIZE, color)
        whole = picture(box, number.move_to([-0.3, 0.05, 0], aligned_edge=LEFT))
        drawn[digit] = whole[200:280, 377:477]  # the box and what is around it
    missed = [a + b for a, b in combinations(drawn, 2) if not fault(drawn[a], drawn[b])]
    assert missed == []


@pytest.mark.parametrize("direction", [LEFT, RIGHT, UP, DOWN])
@pytest.mark.parametrize("word", ["encoder", "编码器", "0.13", "I"])
def test_a_word_moved_by_three_pixels_is_seen(word: str, direction: np.ndarray) -> None:
    before = Words(word, theme.SMALL_SIZE, theme.DIM)
    assert fault(picture(before), picture(before.copy().shift(direction * 3 * PIXEL)))


def test_a_lost_minus_sign_and_another_colour_are_seen() -> None:
    number = Words("−0.13", theme.SMALL_SIZE, theme.DIM)
    lost = Words("0.13", theme.SMALL_SIZE, theme.DIM).move_to(number, aligned_edge=RIGHT)
    assert fault(picture(number), picture(lost))
    cells = [panel(0.5, 0.4, fill=theme.heat(share)) for share in (0.3, 0.6)]
    assert fault(*map(picture, cells))


def test_other_smoothing_is_not_seen() -> None:
    things = [Words("The encoder 编码器 reads −0.13", theme.SMALL_SIZE), panel(3, 1).shift(2 * UP)]
    plain = picture(*things)
    camera = Camera(pixel_width=4 * last_frames.SIZE[0], pixel_height=4 * last_frames.SIZE[1])
    camera.background_color = theme.BACKGROUND
    camera.reset()
    camera.capture_mobjects(things)
    large = Image.fromarray(camera.pixel_array[:, :, :3])
    for smoothing in (Image.Resampling.BOX, Image.Resampling.LANCZOS, Image.Resampling.BICUBIC):
        assert fault(plain, np.asarray(large.resize(last_frames.SIZE, smoothing))) == ""
    nudged = picture(*[thing.copy().shift((RIGHT + UP) * 0.15 * PIXEL) for thing in things])
    assert 10 < difference(plain, nudged).max() <= TOLERANCE


def test_a_difference_is_shown_side_by_side() -> None:
    golden, now = picture(Words("0.13")), picture(Words("0.18"))
    sheet = np.asarray(side_by_side(golden, now))
    assert sheet.shape == (480, 3 * 854 + 2 * last_frames.LINE, 3)
    assert np.array_equal(sheet[:, :854], golden)
    assert np.array_equal(sheet[:, 858:1712], now)
    assert sheet[:, 1716:].max() > 100
    assert "not 854×480" in fault(golden, now[:, :800])
