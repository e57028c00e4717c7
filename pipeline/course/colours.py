"""The film's colours for its pages. They are read from the theme's text: importing it would take manim."""

from __future__ import annotations

import ast

from ..storyboard import REPO_ROOT

THEME = REPO_ROOT / "scenes" / "stage" / "theme.py"
# What the pages use of them.
_NAMES = (
    "BACKGROUND", "PANEL", "PANEL_RAISED", "LINE", "INK", "DIM", "DARK_INK", "FOCUS", "SHARED", "TRAINING", "INFERENCE",
    "QUERY", "VALUE", "RIGHT_ANSWER", "WRONG_ANSWER",
)  # fmt: skip


def theme_colours() -> dict[str, str]:
    """Name in the style sheet (`panel-raised`) -> `#rrggbb`. Raises KeyError for one that the theme has lost."""
    constants: dict[str, str] = {}
    for node in ast.parse(THEME.read_text(encoding="utf-8")).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(colour))):
                constants[name] = colour
    return {name.lower().replace("_", "-"): constants[name] for name in _NAMES}
