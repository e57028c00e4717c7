"""Colours: contrast as WCAG defines it, and every pairing of ink and ground that the theme offers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.stage import theme
from scenes.stage.audit.picture import hex_of, rgb
from scenes.stage.audit.signals import is_masked_hue

GROUNDS = [theme.BACKGROUND, theme.PANEL, theme.PANEL_RAISED]
TOKENS = [*theme.SOURCE_TOKENS, *theme.TARGET_TOKENS, theme.START_TOKEN]
TRACKS = [theme.SHARED, theme.TRAINING, theme.INFERENCE]
ROLES = [theme.QUERY, theme.KEY, theme.VALUE, theme.POSITIVE, theme.NEGATIVE, theme.RIGHT_ANSWER, theme.WRONG_ANSWER]
HEATS = [*TRACKS, *ROLES, theme.MASKED, *TOKENS]
colours = st.tuples(*[st.integers(0, 255)] * 3).map(lambda c: "#" + "".join(f"{x:02x}" for x in c))


@pytest.mark.parametrize(
    ("a", "b", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#ffffff", 1.0),
        ("#777777", "#ffffff", 4.48),  # the well known near miss
        ("#767676", "#ffffff", 4.54),  # the lightest grey that passes on white
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
        ("#ff0000", "#0000ff", 2.15),
    ],
)
def test_contrast_of_known_pairs(a, b, ratio):
    assert theme.contrast(a, b) == pytest.approx(ratio, abs=0.005)


@given(colours, colours)
def test_contrast_is_symmetric_and_between_1_and_21(a, b):
    assert theme.contrast(a, b) == theme.contrast(b, a)
    assert 1.0 <= theme.contrast(a, b) <= 21.0


@given(colours)
def test_ink_is_readable_on_any_fill(fill):
    assert theme.contrast(theme.ink_on(fill), fill) >= theme.MIN_CONTRAST


@pytest.mark.parametrize("color", HEATS)
def test_ink_is_readable_on_the_whole_range_of_heat(color):
    worst = min(
        theme.contrast(theme.ink_on(theme.heat(share, color)), theme.heat(share, color))
        for share in np.linspace(-0.2, 1.2, 281)
    )
    assert worst >= theme.MIN_CONTRAST


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("ink", [theme.INK, theme.DIM, theme.MASKED_INK, theme.FOCUS, *TRACKS, *ROLES, *TOKENS])
def test_inks_are_readable_on_the_grounds(ink, ground):
    assert theme.contrast(ink, ground) >= theme.MIN_CONTRAST


@pytest.mark.parametrize("color", TOKENS)
def test_a_token_is_readable_on_its_chip(color):
    assert theme.contrast(color, theme.tint(color, 0.16)) >= theme.MIN_CONTRAST


@pytest.mark.parametrize("color", [*TRACKS, *ROLES, *TOKENS])
def test_text_is_readable_on_what_is_lit(color):
    """`light` and FlowBox paint tints of these shares; notes on a FlowBox are quiet."""
    for share in (0.14, 0.22, 0.24, 0.3):
        fill = theme.tint(color, share)
        assert theme.contrast(theme.ink_on(fill), fill) >= theme.MIN_CONTRAST
        assert theme.contrast(theme.quiet_ink_on(fill), fill) >= theme.MIN_CONTRAST
    assert theme.quiet_ink_on(theme.BACKGROUND) == theme.DIM


def test_masked_ink_is_readable_on_masked_cells():
    assert theme.contrast(theme.MASKED_INK, theme.tint(theme.MASKED, 0.32)) >= theme.MIN_CONTRAST


@pytest.mark.parametrize("track", theme.TRACKS.values())
def test_the_badge_is_readable(track):
    assert theme.contrast(track[0], theme.mix(track[0], theme.BACKGROUND, 0.15)) >= theme.MIN_CONTRAST


def test_tokens_and_tracks_can_be_told_apart():
    assert len(set(TOKENS)) == len(TOKENS)
    assert len(set(TRACKS)) == 3
    for a, b in itertools.combinations(TRACKS, 2):
        assert np.linalg.norm(rgb(a) - rgb(b)) > 0.25


# -- mixing ----------------------------------------------------------------------------------------------------------
@given(colours, colours, st.floats(0, 1))
def test_mixing_is_what_a_sheer_layer_does(over, under, share):
    expected = rgb(over) * share + rgb(under) * (1 - share)
    assert np.abs(rgb(theme.mix(over, under, share)) - expected).max() <= 1 / 255


@given(colours)
def test_hex_and_shares_are_the_same_colour(color):
    assert hex_of(rgb(color)) == color


@given(st.floats(0.1, 1.0))
def test_the_masked_hue_is_known_in_every_tint(share):
    assert is_masked_hue(rgb(theme.tint(theme.MASKED, share)))


@pytest.mark.parametrize("color", [*TRACKS, *ROLES, *TOKENS])
def test_no_other_role_is_taken_for_masked(color):
    shades = [color, *[theme.tint(color, share) for share in (0.14, 0.16, 0.22, 0.24, 0.3)]]
    assert not [shade for shade in shades if is_masked_hue(rgb(shade))]


@pytest.mark.parametrize("ground", [*GROUNDS, theme.LINE, theme.FAINT, theme.INK, theme.DIM])
def test_no_ground_is_taken_for_masked(ground):
    assert not is_masked_hue(rgb(ground))


def test_masked_inks_belong_to_texts_not_to_boxes():
    assert not is_masked_hue(rgb(theme.MASKED_INK))
