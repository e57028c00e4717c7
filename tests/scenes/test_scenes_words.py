"""Text: a common baseline, a known cap height, numbers as they are printed, provenance."""

from __future__ import annotations

import string
import tempfile
import unicodedata

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from manim import BOLD, NORMAL, RIGHT, UP, Text, VGroup, tempconfig

from engine import preset, run
from scenes.stage import fonts, outlines, theme
from scenes.stage.audit.texts import font_characters, missing_glyphs, tells_the_truth
from scenes.stage.formula import CAP_HEIGHT_PER_SIZE, Formula, Typeset
from scenes.stage.words import (
    Number,
    Provenance,
    Words,
    _outline,
    bold,
    cap_height_per_size,
    format_value,
    power_of_ten,
)

CHARACTERS = st.deferred(lambda: st.sampled_from(sorted(font_characters() - {0x20})).map(chr))
MIXED = ["H", "x", "gypsy", "词嵌入", "−0.30", "Step 4：行", "（E）", "ÄÉ", "…", "√d"]


@pytest.fixture(scope="module")
def trace():
    return run(preset("tutorial"))


def _with_length(points):
    """The curves (n, 4, 3) of `points` that lead somewhere, as points again."""
    curves = points.reshape(-1, 4, 3)
    return curves[np.abs(curves - curves[:, :1]).max(axis=(1, 2)) > 1e-6].reshape(-1, 3)


@settings(deadline=None, max_examples=40)
@given(st.text(CHARACTERS, min_size=1, max_size=6), st.booleans())
def test_an_outline_is_the_one_that_manim_draws(text, heavy):
    """Glyph for glyph, wherever the line begins."""
    fonts.register()  # before Pango first looks for it: what it has not found once, it does not look for again
    weight = BOLD if heavy else NORMAL
    assume(not any(unicodedata.category(character).startswith(("C", "Z", "M")) for character in text))
    with tempfile.TemporaryDirectory() as folder, tempconfig({"text_dir": folder, "pixel_width": 20_000}):
        line = Text("H" + text, font=fonts.FAMILY, font_size=96, weight=weight, warn_missing_font=False)
    theirs = [_with_length(glyph.points) for glyph in line if len(glyph.points)]
    ours = outlines.glyphs("H" + text, 96, weight)
    assert [len(glyph) for glyph in ours] == [len(glyph) for glyph in theirs]
    shift = theirs[0][0] - ours[0][0]
    np.testing.assert_allclose(np.concatenate(ours) + shift, np.concatenate(theirs), rtol=0, atol=1e-9)


def test_no_outline_is_left_among_the_temporary_files(tmp_path, monkeypatch):
    """Not even until the process ends: the pipeline kills its workers when all is drawn."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made_before = _outline.cache_info().misses
    Words("an outline of this test alone", 24)
    assert _outline.cache_info().misses > made_before
    assert list(tmp_path.iterdir()) == []


# -- the box ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", MIXED)
def test_the_box_is_cap_height_by_ink_width(text):
    words, capital = Words(text, 24), Words("H", 24)
    assert words.height == pytest.approx(capital.height)
    assert words.cap_height == pytest.approx(24 * cap_height_per_size())
    left, _, right, _ = words.ink_box()
    assert words.get_left()[0] == pytest.approx(left)
    assert words.get_right()[0] == pytest.approx(right)


def test_texts_side_by_side_stand_on_one_baseline():
    row = VGroup(*[Words(text) for text in MIXED]).arrange(RIGHT)
    feet = [words.get_bottom()[1] for words in row]
    assert np.ptp(feet) < 1e-9
    ink = {words.string: words.ink_box() for words in row}
    baseline = feet[0]
    for text in ("H", "x"):  # the ink of letters without a tail ends at the baseline
        assert ink[text][1] == pytest.approx(baseline, abs=0.003)
    assert ink["gypsy"][1] < baseline - 0.02
    assert ink["H"][3] == pytest.approx(baseline + row[0].cap_height, abs=0.003)


def test_a_text_moved_to_a_point_has_its_capitals_there_not_its_tails():
    plain, tailed = Words("nnn").move_to([1, 2, 0]), Words("gyp").move_to([1, 2, 0])
    assert plain.get_bottom()[1] == pytest.approx(tailed.get_bottom()[1])
    assert tailed.ink_box()[1] < plain.ink_box()[1]


@pytest.mark.parametrize("weight", ["NORMAL", BOLD])
def test_the_smallest_size_is_the_smallest_text_of_the_film(weight):
    words = Words("H", theme.SMALL_SIZE, weight=weight)
    pixels = words.cap_height * theme.PIXELS_PER_UNIT_1080
    assert theme.MIN_TEXT_PIXELS <= pixels < theme.MIN_TEXT_PIXELS + 1
    assert (words.ink_box()[3] - words.ink_box()[1]) * theme.PIXELS_PER_UNIT_1080 == pytest.approx(pixels, abs=0.3)


def test_the_type_sizes_of_the_theme_are_readable():
    sizes = [value for name, value in vars(theme).items() if name.endswith("_SIZE")]
    assert len(sizes) >= 6
    assert min(sizes) == theme.SMALL_SIZE


@settings(max_examples=20)
@given(st.sampled_from(MIXED), st.floats(0.3, 4), st.floats(-3, 3))
def test_scaling_and_moving_leave_the_text_the_same_text(text, factor, x):
    words = Words(text).scale(factor).move_to([x, 1, 0])
    assert words.cap_height == pytest.approx(factor * Words(text).cap_height)
    assert words.get_center() == pytest.approx([x, 1, 0])
    assert tells_the_truth(words)


def test_another_outline_is_told_from_its_own():
    words = Words("0.12")
    for other in ("0.21", "0.13", "−0.12", "0.1", "0.120"):
        assert not tells_the_truth(Words("0.12").become(Words(other)))
    assert tells_the_truth(words.become(Words("0.12", 40).shift(UP)))
    words.rotate(0.5)
    assert not tells_the_truth(words)


def test_text_needs_a_visible_character():
    with pytest.raises(ValueError, match="visible"):
        Words("　 ")


def test_every_printable_ascii_character_has_a_glyph():
    assert missing_glyphs(string.printable.strip()) == ""
    assert missing_glyphs("⟨词⟩ ⟨") == "⟨⟩"


# -- numbers ---------------------------------------------------------------------------------------------------------
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6), st.integers(0, 6))
def test_a_printed_value_reads_back_as_the_rounded_value(value, decimals):
    text = format_value(value, decimals)
    assert "-" not in text
    back = float(text.replace("−", "-"))
    # Half a unit of the last place, and the error of writing it down.
    assert abs(back - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-9
    assert len(text.partition(".")[2]) == decimals
    assert text.startswith("−") == (back < 0), "a rounded zero has no sign"


@given(st.integers(1, 6))
def test_no_zero_has_a_sign(decimals):
    smallest = 0.4 * 10.0**-decimals
    assert format_value(-smallest, decimals) == format_value(smallest, decimals) == f"{0:.{decimals}f}"


def test_a_number_knows_where_it_comes_from(trace):
    number = Number(trace, "embed.weight", (0, 1), 1)
    assert number.string == "−0.3"
    assert number.provenance == Provenance("embed.weight", (0, 1), 1)
    assert number.provenance.value(trace) == trace["embed.weight"][0, 1]
    assert number.copy().provenance == number.provenance
    assert "embed.weight[0, 1]" in str(number.provenance)


@pytest.mark.parametrize("index", [(), (0,), (slice(None), 1)])
def test_a_number_is_one_value(trace, index):
    with pytest.raises(IndexError, match="not one value"):
        Number(trace, "embed.weight", index)


def test_a_number_of_an_unknown_key_is_refused(trace):
    with pytest.raises(KeyError):
        Number(trace, "embed.weights", (0, 0))


def test_plain_words_have_no_provenance():
    assert Words("a").provenance is None
    assert bold("a").provenance is None


@given(st.integers(-12, 12), st.booleans())
def test_powers_of_ten(exponent, negative):
    text = power_of_ten((-1 if negative else 1) * 10.0**exponent)
    assert float(text.replace("−", "-")) == (-1 if negative else 1) * 10.0**exponent
    assert "-" not in text
    assert missing_glyphs(text) == ""


@given(st.floats(-1e6, 1e6))
def test_what_is_no_power_of_ten_is_refused(value):
    assume(value == 0 or not float(np.log10(abs(value))).is_integer())
    with pytest.raises(ValueError, match="power of ten"):
        power_of_ten(value)


# -- formulas --------------------------------------------------------------------------------------------------------
def test_a_glyph_of_a_formula_knows_its_size_when_it_is_scaled_alone():
    formula = Formula("X")
    (glyph,) = formula.math.family_members_with_points()
    assert isinstance(glyph.typeset, Typeset)
    assert glyph.height == pytest.approx(theme.FORMULA_SIZE * CAP_HEIGHT_PER_SIZE, rel=0.03)
    alone = glyph.copy().scale(0.5)
    assert alone.typeset is glyph.typeset
    assert alone.typeset.size_of(alone) == pytest.approx(theme.FORMULA_SIZE / 2)
    assert alone.typeset.cap_height(alone) == pytest.approx(theme.FORMULA_SIZE / 2 * CAP_HEIGHT_PER_SIZE)
