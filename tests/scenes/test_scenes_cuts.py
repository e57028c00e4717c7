"""Matched cuts: a scene opens on the picture on which the one before it closed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pipeline.storyboard import load_storyboard
from scenes.stage.audit import drawn_scenes
from scenes.stage.audit.look import SEEN_CHANGE, Look

BOARD = load_storyboard(Path(__file__).resolve().parents[2] / "storyboard.yaml")
DRAWN = drawn_scenes(BOARD)
CUTS = [pytest.param(one[1], two[1], id=f"{one[0].id}-{two[0].id}") for one, two in pairwise(DRAWN)]
TWO_PIXELS = 2 / 135  # units, at 1080p


@pytest.mark.parametrize("language", BOARD.film.languages)
@pytest.mark.parametrize(("before", "after"), CUTS)
def test_a_scene_opens_on_what_the_one_before_closed_on(before, after, language, look_at):
    closing = look_at(before, BOARD.path, language).closing
    opening = look_at(after, BOARD.path, language).opening
    assert len(closing.things) > 0
    assert closing.missing_in(opening, TWO_PIXELS) == []
    assert opening.missing_in(closing, TWO_PIXELS) == []


def test_a_difference_is_seen():
    """Another place, another colour, one thing more: none of them is the same picture."""
    points, paint = np.zeros((4, 3)), np.full(9, 0.5)

    def picture(*things: tuple[float, float]) -> Look:
        shifted = [points + np.array([x, 0.0, 0.0]) for x, _ in things]
        paints = [paint + change for _, change in things]
        return Look(tuple(range(len(things))), (4,) * len(things), np.concatenate(shifted), np.array(paints))

    one = picture((0, 0))
    assert one.missing_in(picture((0, 0)), TWO_PIXELS) == []
    assert one.missing_in(picture((0.1, 0)), TWO_PIXELS) == [(0, 0)]
    assert one.missing_in(picture((0, 2 * SEEN_CHANGE)), TWO_PIXELS) == [(0, 0)]
    assert picture((0, 0), (1, 0)).missing_in(one, TWO_PIXELS) == [(1, 0)]
