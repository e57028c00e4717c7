"""Audits of the text itself: true numbers, provenance, glyphs, height, contrast."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from .. import fonts, theme
from ..words import Words, format_value
from . import geometry
from .findings import Fault
from .picture import Ink, Picture, hex_of

PIXEL = 1 / theme.PIXELS_PER_UNIT_1080
SMALLEST_FORMULA = theme.FORMULA_SIZE * 0.75

# A point, ASCII or full width, with a digit behind it: 0.5, .5, ０．５. A full stop has none.
DECIMAL = re.compile(r"[.．]\d")

# Scripts that the font built into Typst draws on every machine; others would come from whatever the machine has.
_FORMULA_RANGES = ((0x20, 0x7E), (0xA0, 0xFF), (0x370, 0x3FF), (0x2010, 0x2060), (0x2070, 0x22FF), (0x1D400, 0x1D7FF))


def place(ink_or_box: Ink | geometry.Box) -> str:
    """Where something is, for a finding: its middle in manim units."""
    x, y = geometry.centre(ink_or_box.box if isinstance(ink_or_box, Ink) else ink_or_box)
    return f"({x:.2f}, {y:.2f})"


# -- numbers ---------------------------------------------------------------------------------------------------------
def numbers(picture: Picture, trace: Mapping[str, np.ndarray], licence: str = "") -> Iterator[Fault]:
    """Every number equals its trace value as printed; no text with a decimal point lacks provenance.

    The film's `licence`, or the beginning of it, is no value of the model: its version may be printed.
    """
    told: set[str] = set()
    for text in picture.texts:
        if text.typeset is not None:
            if DECIMAL.search(text.string) and text.string not in told:
                told.add(text.string)
                yield Fault("provenance", text.name, place(text), "a number typed into a formula", "trace values only")
            continue
        assert isinstance(text.mobject, Words)
        if not (licence and licence.startswith(text.string.removesuffix("…"))):
            yield from _number(text, text.mobject, trace)
        yield from _drawn_as_told(text, text.mobject)
    for mobject in picture.foreign:
        what = f"{type(mobject).__name__} {getattr(mobject, 'text', '')!r}"
        where = f"({mobject.get_x():.2f}, {mobject.get_y():.2f})"
        yield Fault("provenance", what, where, "text that the stage did not make", "Words, Number, Formula")


def _number(text: Ink, words: Words, trace: Mapping[str, np.ndarray]) -> Iterator[Fault]:
    origin = words.provenance
    if origin is None:
        if DECIMAL.search(text.string):
            yield Fault("provenance", text.name, place(text), "a decimal number without provenance", "Number")
        return
    try:
        expected = format_value(origin.value(trace), origin.decimals)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        yield Fault(
            "numbers", text.name, place(text), f"its provenance {origin} has no value: {error}", "a trace value"
        )
        return
    if text.string != expected:
        measured = f"printed {text.string!r}"
        yield Fault("numbers", text.name, place(text), measured, f"{expected!r} = {origin}")


def _drawn_as_told(text: Ink, words: Words) -> Iterator[Fault]:
    """The outline on screen is that of the string: a text that was transformed into another one tells a lie."""
    if not tells_the_truth(words):
        yield Fault(
            "numbers", text.name, place(text), "its outline is that of another text", "the outline of its string"
        )


def tells_the_truth(words: Words) -> bool:
    """Whether the outline is that of the string; amid a transformation it is not."""
    return _same_outline(words.points, words.pattern())


def _same_outline(drawn: np.ndarray, pattern: np.ndarray) -> bool:
    """Whether `drawn` is `pattern` scaled evenly and moved; manim may have cut its curves into shorter ones."""
    scale = (drawn[4, 1] - drawn[0, 1]) / (pattern[4, 1] - pattern[0, 1])
    fitted = pattern[:, :2] * scale + drawn[0, :2]
    near = max(0.02 * (pattern[4, 1] - pattern[0, 1]) * abs(scale), 1e-6)
    if len(drawn) == len(pattern) and np.abs(drawn[:, :2] - fitted).max() <= near:
        return True
    size = max(abs(_area(fitted)), 1e-12)
    # A curve that was cut is measured by more pieces, and its area by up to 1.2 % more truly.
    if abs(_area(drawn) - _area(fitted)) > 0.02 * size:
        return False
    anchors = np.unique(np.round(drawn[::4, :2] / near).astype(int), axis=0)
    wanted = np.round(fitted[::4, :2] / near).astype(int)
    known = {(int(x) + i, int(y) + j) for x, y in anchors for i in (-1, 0, 1) for j in (-1, 0, 1)}
    return all((int(x), int(y)) in known for x, y in wanted)


def _area(points: np.ndarray) -> float:
    """The signed area inside closed outlines."""
    ends = geometry.segments_of(points)
    return float((ends[:, 0, 0] * ends[:, 1, 1] - ends[:, 1, 0] * ends[:, 0, 1]).sum() / 2)


# -- glyphs ----------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def font_characters() -> frozenset[int]:
    """Code points that the film's own face has.

    Raises RuntimeError when the font package does not hold the face.
    """
    from fontTools.ttLib import TTCollection  # noqa: PLC0415 (needed for audits only, not for drawing)

    with TTCollection(str(fonts.font_file()), lazy=True) as collection:
        for font in collection.fonts:
            if font["name"].getBestFamilyName() == fonts.FAMILY:
                return frozenset(font.getBestCmap())
    raise RuntimeError(f"{fonts.font_file().name} has no face {fonts.FAMILY}")


def missing_glyphs(string: str) -> str:
    """The characters of `string` that the film's face does not have."""
    return "".join(dict.fromkeys(c for c in string if not c.isspace() and ord(c) not in font_characters()))


def _missing_in_formula(source: str) -> str:
    known = (any(low <= ord(c) <= high for low, high in _FORMULA_RANGES) or c.isspace() for c in source)
    return "".join(dict.fromkeys(c for c, has in zip(source, known, strict=True) if not has))


def glyphs(picture: Picture) -> Iterator[Fault]:
    """Every character has a glyph in the font that the film ships with."""
    told: set[str] = set()
    for text in picture.texts:
        if text.string in told:
            continue
        told.add(text.string)
        missing = missing_glyphs(text.string) if text.typeset is None else _missing_in_formula(text.string)
        if missing:
            allowed = f"characters of {fonts.FAMILY}" if text.typeset is None else "letters and signs of mathematics"
            yield Fault("glyphs", text.name, place(text), f"no glyph for {missing!r}", allowed)


# -- size and contrast -----------------------------------------------------------------------------------------------
def height(picture: Picture) -> Iterator[Fault]:
    """Capital letters are at least as high as the smallest text of the film; formulas by the rule of the stage."""
    for text in picture.texts:
        if text.typeset is not None:
            size = text.typeset.size_of(text.mobject)
            if size < SMALLEST_FORMULA - 0.05:
                yield Fault("height", text.name, "", f"set at size {size:.1f}", f"{SMALLEST_FORMULA:g} and more")
        elif text.cap < (theme.MIN_TEXT_PIXELS - 0.05) * PIXEL:
            measured = f"capital letters {text.cap / PIXEL:.1f} px high at 1080p"
            yield Fault("height", text.name, place(text), measured, f"{theme.MIN_TEXT_PIXELS:g} px and more")


_contrast = lru_cache(maxsize=4096)(theme.contrast)


def contrast(picture: Picture) -> Iterator[Fault]:
    """The ink against what is really under it, at both ends and in the middle; the worst of the three counts."""
    for index, text in enumerate(picture.texts):
        grounds = {tuple(ground): ground for ground in picture.below(index)}.values()
        pairs = [(hex_of(text.rgb * text.alpha + ground * (1 - text.alpha)), hex_of(ground)) for ground in grounds]
        worst, ink, ground = min((_contrast(*pair), *pair) for pair in pairs)
        if worst < theme.MIN_CONTRAST - 0.005:
            measured = f"contrast {worst:.2f}:1 ({ink} on {ground})"
            yield Fault("contrast", text.name, place(text), measured, f"{theme.MIN_CONTRAST:g}:1 and more")
