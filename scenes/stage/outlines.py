"""The outline of a line of text, set by Pango.

manim's `Text` has Pango write an SVG file, too, but reads it with a parser for all of SVG and makes a mobject a glyph.
Of such a file only two things matter: the shapes of glyphs, of which each is read once a process, and where they stand.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import manimpango
import numpy as np
import svgelements
from manim import NORMAL
from manim.constants import START_X, START_Y
from manim.mobject.text.text_mobject import TEXT2SVG_ADJUSTMENT_FACTOR, TEXT_MOB_SCALE_FACTOR

from . import fonts

_PAGE = 20_000  # width and height: Pango breaks a line where its page ends
_SVG, _HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def glyphs(string: str, size: float, weight: str) -> list[np.ndarray]:
    """The glyphs of `string` that can be seen, each (4 * curves, 3), as manim's `Text` of that font size draws them
    (less its curves without length).

    They share one origin: y grows upwards from the baseline, x from where Pango began the line.
    """
    root = ElementTree.fromstring(_set(string, size, weight))
    shapes = {
        element.get("id", ""): path.get("d", "")
        for element in root.iter()
        if "id" in element.attrib and (path := element.find(f"{_SVG}path")) is not None
    }
    places = [(use.get(_HREF, "#")[1:], float(use.get("x", 0)), float(use.get("y", 0))) for use in _uses(root)]
    baseline = places[0][2] if places else 0.0
    found = []
    for name, x, y in places:
        shape = _shape(shapes.get(name, ""))
        if len(shape):
            place = np.array([x - START_X, y - baseline, 0.0])
            found.append((shape + place) * (TEXT_MOB_SCALE_FACTOR, -TEXT_MOB_SCALE_FACTOR, 1.0))
    return found


def _set(string: str, size: float, weight: str) -> bytes:
    """What Pango makes of `string` in one line: an SVG file."""
    fonts.register()
    whole = manimpango.TextSetting(0, len(string), fonts.FAMILY, NORMAL, weight, 0)
    points = size / TEXT2SVG_ADJUSTMENT_FACTOR
    page = (START_X, START_Y, _PAGE, _PAGE)
    with tempfile.TemporaryDirectory(prefix="outline-") as folder:
        file = f"{folder}/line.svg"
        manimpango.text2svg([whole], points, 0.0, False, file, *page, string)
        return Path(file).read_bytes()


def _uses(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for part in root:
        if part.tag != f"{_SVG}defs":
            yield from part.iter(f"{_SVG}use")


@lru_cache(maxsize=4096)
def _shape(path: str) -> np.ndarray:
    """The points (4 * curves, 3) of an SVG path, y downwards."""
    points = [point for segment in svgelements.Path(path) for point in _curve(segment)]
    shape = np.zeros((len(points), 3))
    if points:
        shape[:, :2] = points
    shape.setflags(write=False)
    return shape


def _curve(segment: svgelements.PathSegment) -> list[tuple[float, float]]:
    """A segment as a cubic curve of four points; none where it draws nothing."""
    match segment:
        case svgelements.CubicBezier():
            return [(p.x, p.y) for p in (segment.start, segment.control1, segment.control2, segment.end)]
        case svgelements.Line() | svgelements.Close() if segment.start != segment.end:
            return _line((segment.start.x, segment.start.y), (segment.end.x, segment.end.y))
    return []


def _line(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """A straight line as a cubic curve."""
    (x0, y0), (x1, y1) = start, end
    return [start, ((x0 + x0 + x1) / 3, (y0 + y0 + y1) / 3), ((x0 + x1 + x1) / 3, (y0 + y1 + y1) / 3), end]
