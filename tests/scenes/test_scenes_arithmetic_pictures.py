"""Worksheets, links and fits: what they draw follows from the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from scenes.attention_parts import word_that_differs
from scenes.qkv_parts import decimals_of
from scenes.stage import theme
from scenes.stage.dot_product import DotProduct
from scenes.stage.fit import GAP, narrowest_pitch, size_that_fits, that_fit
from scenes.stage.grid import MatrixGrid
from scenes.stage.links import THICKEST, THINNEST, AttentionLinks
from scenes.stage.reckoning import Entry, Length, Result, Root, row_of

A = np.array([0.5, -0.25, 2.0, 1.0, -1.5, 0.75, 0.1, -0.9])
B = np.array([1.0, 2.0, -0.5, 0.3, 0.2, -0.7, 0.4, 0.6])
TRACE = {
    "a": A,
    "b": B,
    "c": np.array(A @ B),
    "wrong": np.array(A @ B + 1e-6),
    "pattern": np.array([[[1.0, 0.0], [0.25, 0.75]]]),
    "m": np.array([[0.5, -10.25], [1.0, 2.0]]),
}


def worksheet(total="c", **settings):
    return DotProduct(TRACE, row_of(TRACE, "a", ()), row_of(TRACE, "b", ()), Entry(total), **settings)


def test_a_worksheet_prints_every_product_and_the_sum():
    sheet = worksheet()
    assert [one.value for one in sheet.products] == pytest.approx(list(A * B))
    assert [cell.words.value for cell in sheet.left] == list(A)
    assert [cell.words.value for cell in sheet.right] == list(B)
    assert sheet.total.words.value == A @ B
    assert (len(sheet.pluses), len(sheet.more)) == (len(A) - 1, 0)


def test_a_worksheet_refuses_a_sum_that_is_not_one():
    with pytest.raises(ValueError, match="add up to"):
        worksheet(total="wrong")


def test_a_sum_is_equal_only_where_its_printed_terms_add_up():
    """0.50 − 0.50 − 1.00 is −1.00 to the last digit; 0.125 + 0.125 is printed as 0.12 + 0.12, and the sum as 0.25."""
    trace = {"a": A[:3], "b": B[:3], "c": np.array(A[:3] @ B[:3])}
    assert DotProduct(trace, row_of(trace, "a", ()), row_of(trace, "b", ()), Entry("c")).equals.string == "="
    trace = {"a": np.array([0.5, 0.5]), "b": np.array([0.25, 0.25]), "c": np.array(0.25)}
    assert DotProduct(trace, row_of(trace, "a", ()), row_of(trace, "b", ()), Entry("c")).equals.string == "≈"


def test_a_result_that_is_rounded_is_nearly_equal():
    assert Result(TRACE, Root(Length("a", 0))).sign == "≈"  # √8
    assert Result({"x": np.zeros(9)}, Root(Length("x", 0))).sign == "="


@pytest.mark.parametrize("width", [4.0, 6.5, 9.0, 30.0])
def test_a_worksheet_keeps_within_its_width_and_marks_what_it_leaves_out(width):
    sheet = worksheet(max_width=width)
    assert sheet.width <= width
    assert sheet.size >= theme.SMALL_SIZE
    assert (len(sheet.more) == 0) == (sheet.shown == len(A))
    assert sheet.total.words.value == A @ B


def test_lines_are_as_thick_as_the_attention():
    tokens = [("a", theme.SOURCE_TOKENS[0]), ("b", theme.SOURCE_TOKENS[1])]
    links = AttentionLinks(TRACE, "pattern", (0,), tokens, tokens, 1.0, 3.0)
    widths = [[float(line.get_stroke_width()) for line in row] for row in links.lines]
    assert widths[0] == [THICKEST, THINNEST]
    assert widths[1] == pytest.approx([THINNEST + (THICKEST - THINNEST) * share for share in (0.25, 0.75)])
    with pytest.raises(IndexError, match="shape"):
        AttentionLinks(TRACE, "pattern", (0,), tokens, tokens[:1], 1.0, 3.0)


def test_the_narrowest_pitch_is_the_grids_own():
    pitch = narrowest_pitch(TRACE, "m")
    grid = MatrixGrid(TRACE, "m", max_width=0.1, max_height=0.1)
    assert grid.size == theme.SMALL_SIZE
    assert grid.cell_size[0] + grid.gap == pytest.approx(pitch)
    assert grid.gap == GAP


def test_what_fits():
    assert [that_fit(4, 1.0, room) for room in (4.0, 3.99, 2.3, 0.2)] == [4, 3, 1, 1]
    assert size_that_fits(1.0, 1.0) == theme.SMALL_SIZE
    assert size_that_fits(0.5, 1.0) == theme.SMALL_SIZE
    assert theme.SMALL_SIZE < size_that_fits(1.2, 1.0) < theme.NUMBER_SIZE
    assert size_that_fits(9.0, 1.0) == theme.NUMBER_SIZE


def test_decimals_and_words_are_chosen_by_the_values():
    assert (decimals_of(np.array([0.3, -0.7])), decimals_of(np.array([0.3, -0.75]))) == (1, 2)
    same = np.array([[0.6, 0.4], [0.9, 0.1]])
    assert word_that_differs(same, np.array([[0.7, 0.3], [0.2, 0.8]])) == 1
    assert word_that_differs(same, np.array([[0.7, 0.3], [0.6, 0.4]])) == 1
    assert word_that_differs(same, same) == 0
