"""Small movements used again and again: values travel, rows light up, what is not spoken of is dimmed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manim import (
    Animation,
    AnimationGroup,
    FadeIn,
    FadeOut,
    LaggedStart,
    Mobject,
    ReplacementTransform,
    ShowPassingFlash,
    Succession,
    Transform,
    TransformFromCopy,
    VGroup,
    VMobject,
    smooth,
)

from . import theme
from .boxes import Cell
from .flow import FlowArrow
from .grid import MatrixGrid
from .words import Words

RAISED = 20
MINUS_INFINITY = "−∞"


def raise_above(mobject: VMobject, by: int = RAISED) -> VMobject:
    """Draw `mobject` above everything that lies still, its text above its boxes; returns it."""
    for member in mobject.get_family():
        member.set_z_index(member.z_index + by, family=False)
    return mobject


def settle(mobject: VMobject, by: int = RAISED) -> VMobject:
    """Undo `raise_above`."""
    return raise_above(mobject, -by)


def appear(*mobjects: Mobject) -> list[FadeIn]:
    """Each fades in; empty groups are left out."""
    return [FadeIn(one) for one in mobjects if len(one.get_family()) > 1 or one.has_points()]


def vanish(*mobjects: Mobject) -> list[FadeOut]:
    """Each fades out; empty groups are left out."""
    return [FadeOut(one) for one in mobjects if len(one.get_family()) > 1 or one.has_points()]


def step_back(*groups: VGroup) -> list[AnimationGroup]:
    """Cells of each group step back (see `dim`); empty groups are left out."""
    return [dim(cells) for cells in groups if len(cells)]


def carry(source: Words, target: Words, leave: bool = True) -> list[Animation]:
    """A line of text travels to where `target` belongs; `leave` keeps the source in its place.

    The same text is moved; a text that was shortened on either side gives way to the other on the way.
    """
    if source.string == target.string:
        return [fly(source, target) if leave else ReplacementTransform(source, target)]
    arrive = FadeIn(target, target_position=source)
    return [arrive] if leave else [arrive, FadeOut(source, target_position=target)]


def carry_all(sources: Iterable[Words], targets: Iterable[Words], leave: bool = True) -> list[Animation]:
    """Each line of text travels to its target; see `carry`."""
    return [one for pair in zip(sources, targets, strict=True) for one in carry(*pair, leave=leave)]


def fly(source: Mobject, target: Mobject, arc: float = 0.0, **settings: Any) -> Animation:
    """A copy of `source` travels to where `target` belongs and becomes it."""
    settings.setdefault("rate_func", smooth)
    return TransformFromCopy(source, target, path_arc=arc, **settings)


def light(cells: VGroup, color: str, share: float = 0.3) -> AnimationGroup:
    """Cells take on the hue of `color`: their edge in full, their fill quietly."""
    fill = theme.tint(color, share)
    return AnimationGroup(*[cell.animate.paint(fill=fill, stroke=color, stroke_width=theme.STRONG) for cell in cells])


def reword(cell: Cell, words: Words, **paint: Any) -> AnimationGroup:
    """The text of a cell gives way to other text; the box takes on `paint` (see `Cell.paint`) meanwhile."""
    old = cell.words
    cell.set_words(words)
    box = cell.box.copy()
    target = Cell(words.copy(), cell.box.width, cell.box.height).paint(**paint)
    words.paint(target.words.get_fill_color().to_hex())
    box.set_fill(target.box.get_fill_color(), opacity=1.0)
    box.set_stroke(target.box.get_stroke_color(), width=target.box.get_stroke_width())
    return AnimationGroup(FadeOut(old), FadeIn(words), Transform(cell.box, box))


def mask_cell(grid: MatrixGrid, i: int, j: int) -> AnimationGroup:
    """A score of the future gives way to minus infinity, and its cell turns red."""
    return reword(
        grid.cell(i, j),
        Words(MINUS_INFINITY, grid.size),
        fill=theme.tint(theme.MASKED, 0.32),
        stroke=theme.MASKED,
        ink=theme.MASKED_INK,
    )


def pulse(arrow: FlowArrow, color: str) -> Animation:
    """Something flows along an arrow."""
    return ShowPassingFlash(arrow.shaft.copy().set_stroke(color, width=9), time_width=0.7)


def read_along(grid: MatrixGrid, color: str, lag: float = 0.5, **settings: Any) -> LaggedStart:
    """One row after the other takes on the hue of `color` and goes back to the plain panel."""
    rows = [grid.row(i) for i in range(grid.rows)]
    return LaggedStart(*[Succession(light(row, color), unlight(row)) for row in rows], lag_ratio=lag, **settings)


def unlight(cells: VGroup) -> AnimationGroup:
    """Cells go back to the plain panel."""
    return AnimationGroup(
        *[
            cell.animate.paint(fill=theme.PANEL, stroke=theme.LINE, ink=theme.INK, stroke_width=theme.THIN)
            for cell in cells
        ]
    )


def dim(cells: VGroup) -> AnimationGroup:
    """Cells step back: grey ink on the panel, still readable."""
    return AnimationGroup(
        *[
            cell.animate.paint(fill=theme.PANEL, stroke=theme.LINE, ink=theme.DIM, stroke_width=theme.THIN)
            for cell in cells
        ]
    )


def rows_appear(grid: MatrixGrid, lag: float = 0.25, **settings: Any) -> LaggedStart:
    """The rows of a grid fade in from the top, each with its heading."""
    rows = [grid.row_with_label(i) for i in range(grid.rows)]
    if len(grid.column_labels):
        rows.insert(0, grid.column_labels)
    return LaggedStart(*[FadeIn(row) for row in rows], lag_ratio=lag, **settings)


def paint_now(cells: VGroup, color: str, share: float = 0.3) -> None:
    """Like `light`, at once, for things that are not on screen yet."""
    for cell in cells:
        assert isinstance(cell, Cell)
        cell.paint(fill=theme.tint(color, share), stroke=color, stroke_width=theme.STRONG)


def all_but(on_screen: Iterable[Mobject], *kept: Mobject) -> list[Mobject]:
    """What is on screen beside `kept`; groups that hold both are taken apart."""
    keep = {id(part) for one in kept for part in one.get_family()}

    def outside(mobject: Mobject) -> list[Mobject]:
        if id(mobject) in keep:
            return []
        if any(id(part) in keep for part in mobject.get_family()):
            return [one for part in mobject.submobjects for one in outside(part)]
        return [mobject]

    return [one for mobject in on_screen for one in outside(mobject)]


def grid_flights(old: MatrixGrid, new: MatrixGrid) -> list[Animation]:
    """Copies of a grid's cells travel to where another grid has them; what only the other draws fades in."""
    pairs = [
        pair for mine, theirs in zip(old.cells, new.cells, strict=False) for pair in zip(mine, theirs, strict=False)
    ]
    same = [(a, b) for a, b in pairs if a.words.string == b.words.string]
    met = {id(b) for _, b in same}
    moves: list[Animation] = []
    if same:
        moves.append(fly(VGroup(*[a for a, _ in same]), VGroup(*[b for _, b in same])))
    moves += [FadeIn(cell) for cell in new.body if id(cell) not in met]
    return moves + list(appear(new.more))


def grid_moves(old: MatrixGrid, new: MatrixGrid, turned: bool = False) -> list[Animation]:
    """The cells of a grid go to where another grid has them; with `turned`, its rows become the other's columns.

    Numbers that are printed otherwise give way on the way; cells that only one of the two draws fade.
    """
    target = [list(column) for column in zip(*new.cells, strict=True)] if turned else new.cells
    moves: list[Animation] = []
    for mine, theirs in zip(old.cells, target, strict=True):
        for a, b in zip(mine, theirs, strict=False):
            if a.words.string == b.words.string:
                moves.append(ReplacementTransform(a, b))
            else:
                moves += [FadeOut(a, target_position=b), FadeIn(b, target_position=a)]
        moves += [FadeOut(cell) for cell in mine[len(theirs) :]]
        moves += [FadeIn(cell) for cell in theirs[len(mine) :]]
    return moves
