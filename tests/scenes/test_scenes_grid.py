"""Matrices: every cell its own value, fitted to the room there is, clear of its box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manim import RoundedRectangle

from scenes.stage import theme
from scenes.stage.bars import ProbabilityBars
from scenes.stage.boxes import CLEARANCE, Cell, Chip, focus_frame, panel
from scenes.stage.grid import Heatmap, MatrixGrid, Name, VectorColumn
from scenes.stage.words import Provenance, Words, bold, cap_height_per_size

HALF_LINE = theme.STRONG * 0.01 / 2


def numbers(rows: int, columns: int) -> dict[str, np.ndarray]:
    return {"m": np.linspace(-12.3, 9.87, rows * columns).reshape(rows, columns)}


def clearances(cell: Cell) -> list[float]:
    """Air on the four sides, from the ink to a strong line's inner edge."""
    left, bottom, right, top = cell.words.ink_box()
    box = cell.box
    x0, x1, y0, y1 = box.get_left()[0], box.get_right()[0], box.get_bottom()[1], box.get_top()[1]
    return [gap - HALF_LINE for gap in (left - x0, x1 - right, bottom - y0, y1 - top)]


@settings(max_examples=12)
@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.5, 5), st.floats(0.5, 12), st.integers(0, 3))
def test_a_grid_keeps_to_its_room_as_long_as_it_can_be_read(rows, columns, height, width, decimals):
    grid = MatrixGrid(numbers(rows, columns), "m", decimals=decimals, max_height=height, max_width=width)
    cap = theme.SMALL_SIZE * cap_height_per_size()
    widest = max(Words(n.string, theme.SMALL_SIZE).width for n in grid.numbers())
    least = rows * (1.85 * cap + grid.gap), columns * (widest + 0.85 * cap + grid.gap)
    assert grid.body.height <= max(height, least[0]) + 1e-6
    assert grid.body.width <= max(width, least[1]) + 1e-6
    assert grid.size >= theme.SMALL_SIZE
    for row in grid.cells:
        for cell in row:
            assert min(clearances(cell)) >= CLEARANCE * cell.words.cap_height - 0.5 / theme.PIXELS_PER_UNIT_1080


@pytest.mark.parametrize(("height", "width"), [(4.0, None), (None, 5.0), (3.5, 6.0)])
def test_a_large_grid_is_shrunk_to_its_room(height, width):
    free = MatrixGrid(numbers(8, 6), "m", decimals=1)
    grid = MatrixGrid(numbers(8, 6), "m", decimals=1, max_height=height, max_width=width)
    if height:
        assert grid.body.height <= height < free.body.height
    if width:
        assert grid.body.width <= width < free.body.width


def test_every_cell_shows_its_own_entry():
    trace = {"a": np.arange(24.0).reshape(2, 3, 4) - 11.5}
    grid = MatrixGrid(trace, "a", (1,), decimals=1)
    assert (grid.rows, grid.columns) == (3, 4)
    for i in range(3):
        for j in range(4):
            assert grid.number(i, j).provenance == Provenance("a", (1, i, j), 1)
            assert grid.full_index(i, j) == (1, i, j)
            assert float(grid.number(i, j).string.replace("−", "-")) == trace["a"][1, i, j]
    one = MatrixGrid(trace, "a", (1, 2), decimals=1)
    assert (one.rows, one.columns) == (1, 4)
    assert one.number(0, 3).provenance == Provenance("a", (1, 2, 3), 1)


@pytest.mark.parametrize("index", [(), (0, 0, 0)])
def test_a_grid_has_one_or_two_axes(index):
    with pytest.raises(IndexError, match="one or two"):
        MatrixGrid({"a": np.zeros((2, 3, 4))}, "a", index)


def test_a_column_stands_upright_in_the_order_of_its_entries():
    column = VectorColumn({"v": np.array([3.0, 1.0, 2.0])}, "v")
    heights = [cell.get_y() for cell in column.cells[0]]
    assert heights == sorted(heights, reverse=True)
    assert np.ptp([cell.get_x() for cell in column.cells[0]]) < 1e-9
    assert [cell.words.value for cell in column.cells[0]] == [3.0, 1.0, 2.0]


def test_headings_stand_beside_their_rows_and_columns():
    names = [Name("one"), Name("二")]
    grid = MatrixGrid(numbers(2, 2), "m", row_names=names, column_names=names)
    for i in range(2):
        assert grid.row_labels[i].get_y() == pytest.approx(grid.cell(i, 0).get_y(), abs=0.02)
        assert grid.row_labels[i].get_right()[0] < grid.body.get_left()[0]
        assert grid.column_labels[i].get_x() == pytest.approx(grid.cell(0, i).get_x(), abs=0.02)
        assert grid.column_labels[i].get_bottom()[1] > grid.body.get_top()[1]


def test_heat_follows_the_values():
    heat = Heatmap({"p": np.array([[0.0, 0.25], [0.5, 1.0]])}, "p")
    fills = [heat.fill_of(i, j) for i in range(2) for j in range(2)]
    light = [theme.luminance(fill) for fill in fills]
    assert light == sorted(light)
    assert len(set(fills)) == 4
    assert fills[3] == theme.heat(1.0)


def test_bars_are_as_long_as_their_probabilities():
    names = [Name("a"), Name("bb"), Name("词")]
    bars = ProbabilityBars({"p": np.array([[0.2, 0.7, 0.1]])}, "p", (0,), names, length=2.0)
    assert [bar.bar.width for bar in bars.entries] == pytest.approx([0.4, 1.4, 0.2])
    assert bars.best == 1
    assert [bar.number.string for bar in bars.entries] == ["0.20", "0.70", "0.10"]
    with pytest.raises(IndexError, match="3"):
        ProbabilityBars({"p": np.array([[0.2, 0.7, 0.1]])}, "p", (0,), names[:2])


# -- boxes -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [theme.SMALL_SIZE, theme.TOKEN_SIZE, 40.0])
@pytest.mark.parametrize("token", ["gypsy", "我", "Hg", "courses", "jÅ"])
def test_a_token_is_clear_of_its_chip(token, size):
    chip = Chip(token, theme.QUERY, size)
    # The ring of an Å is above every capital; nothing but accents comes nearer than the law.
    sides = clearances(chip)[:3] if "Å" in token else clearances(chip)
    assert min(sides) >= CLEARANCE * chip.words.cap_height - 0.5 / theme.PIXELS_PER_UNIT_1080


def test_ink_follows_the_fill():
    cell = Cell(bold("a"), 1, 1)
    assert cell.words.get_fill_color().to_hex().lower() == theme.INK
    cell.paint(fill=theme.RIGHT_ANSWER)
    assert cell.words.get_fill_color().to_hex().lower() == theme.DARK_INK
    cell.paint(fill=theme.PANEL, ink=theme.DIM)
    assert cell.words.get_fill_color().to_hex().lower() == theme.DIM


def test_a_focus_frame_is_clear_of_a_text():
    words = Words("gyp", theme.LABEL_SIZE)
    frame = focus_frame(words)
    inner = (frame.width - words.width) / 2 - theme.FOCUS_WIDTH * 0.005
    assert inner >= CLEARANCE * words.cap_height - 0.5 / theme.PIXELS_PER_UNIT_1080


@given(st.floats(0.05, 8), st.floats(0.05, 4), st.floats(0.01, 0.5))
def test_a_panel_has_the_points_of_a_rounded_rectangle(width, height, corner):
    """The first of a shape, which is made, and the second, which is remembered."""
    radius = min(corner, width / 2.01, height / 2.01)
    expected = RoundedRectangle(width=width, height=height, corner_radius=radius).points
    for _ in range(2):
        assert np.array_equal(panel(width, height, corner=corner).points, expected)
