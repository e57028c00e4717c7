"""The one font family of the film, shipped by a package, so that every machine draws the same glyphs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import manimgx_fonts_cjk
import manimpango

FAMILY = "Noto Sans CJK SC"


def font_file() -> Path:
    """The font collection in the font package.

    Raises FileNotFoundError when the package holds no font: then `make setup` has not finished.
    """
    folder = Path(manimgx_fonts_cjk.__file__).parent
    for candidate in sorted(folder.glob("*.ttc")):
        return candidate
    raise FileNotFoundError(f"no font file in {folder}: run `make setup` again")


@cache
def register() -> None:
    """Make the family known to Pango; cheap when called again."""
    if FAMILY in manimpango.list_fonts():
        return
    if not manimpango.register_font(str(font_file())) or FAMILY not in manimpango.list_fonts():
        raise RuntimeError(f"the font {FAMILY} could not be registered: run `make setup` again")
