"""The frame around a scene keeps its parts apart, however long its words are."""

from __future__ import annotations

import pytest

from scenes.stage import theme
from scenes.stage.chrome import Chrome, ChromeWords
from scenes.stage.words import Words

LONG = "How the embedding table turns a word into numbers, and why that is not magic at all"


def chrome(title: str, takeaway: str = "short", track: str = "both") -> Chrome:
    words = ChromeWords(title, takeaway, "Step", "training ∥ inference", "embedding + positions")
    return Chrome(words, track, "decoder", 5, 2, 19, 2, 2)


def texts(of: Chrome) -> dict[str, Words]:
    return {part.string: part for part in of.get_family() if isinstance(part, Words)}


@pytest.mark.parametrize("title", ["词嵌入", "Embedding", LONG])
def test_a_title_leaves_the_map_and_the_badge_alone(title):
    made = chrome(title)
    found = texts(made)
    shown = next(part for text, part in found.items() if text.rstrip("…") and title.startswith(text.rstrip("…")))
    assert shown.get_right()[0] < made.badge.get_left()[0]
    assert found["training ∥ inference"].get_right()[0] < made.map.get_left()[0]
    assert shown.cap_height * theme.PIXELS_PER_UNIT_1080 >= theme.MIN_TEXT_PIXELS


def test_only_a_title_that_does_not_fit_is_cut():
    assert "Embedding" in texts(chrome("Embedding"))
    assert LONG not in texts(chrome(LONG))


def test_a_long_take_away_ends_before_the_map():
    made = chrome("Embedding", takeaway=LONG * 2)
    lines = [part for text, part in texts(made).items() if text.startswith("How the")]
    assert len(lines) == 1
    assert lines[0].get_right()[0] < made.map.get_left()[0]
