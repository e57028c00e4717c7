"""Every colour and size of the film, by role.

Lengths are manim units (the frame is 8 high, 14.22 wide; one unit is 135 pixels at 1080p) unless a name says
otherwise. Type sizes are manim font sizes: at size 18 a capital letter is 24.7 pixels high at 1080p.
"""

from __future__ import annotations

from typing import Final

from manim import ManimColor

# -- ground --------------------------------------------------------------------------------------------------
BACKGROUND: Final = "#0d1117"
PANEL: Final = "#161b22"
PANEL_RAISED: Final = "#1f2630"
LINE: Final = "#3a424d"
INK: Final = "#e6edf3"
DIM: Final = "#8b949e"
FAINT: Final = "#57606a"
DARK_INK: Final = "#0b0f14"
LIGHTEST_INK: Final = "#ffffff"
DARKEST_INK: Final = "#000000"

# -- tracks: which of the two runs the picture belongs to ----------------------------------------------------
SHARED: Final = "#3fb68b"
TRAINING: Final = "#f0883e"
INFERENCE: Final = "#f778ba"
TRACKS: Final = {
    "shared": (SHARED,),
    "training": (TRAINING,),
    "inference": (INFERENCE,),
    "both": (TRAINING, INFERENCE),
}

# -- roles ---------------------------------------------------------------------------------------------------
QUERY: Final = "#79c0ff"
KEY: Final = "#d2a8ff"
VALUE: Final = "#ffd866"
MASKED: Final = "#ff6b6b"
MASKED_INK: Final = "#ffb3b3"
FOCUS: Final = "#ffffff"
POSITIVE: Final = "#4ecb9c"
NEGATIVE: Final = "#f2778c"
RIGHT_ANSWER: Final = "#56d364"
WRONG_ANSWER: Final = "#ff8f8f"

# A token keeps its colour through the whole film. A source word and the target word at the same place are kin
# in hue but never equal, so that rows of one vocabulary table can be told apart.
SOURCE_TOKENS: Final = ("#7cc4ff", "#ffb074", "#6fe0cf", "#c9a8ff", "#f5a3a3", "#8fd694", "#e0c97f", "#9fc9d9")
TARGET_TOKENS: Final = ("#a9b9ff", "#ffd479", "#a4e78d", "#ff9fd0", "#f7c6a3", "#8be0b4", "#d7e07f", "#b5d3f7")
START_TOKEN: Final = "#c5ccd4"

# One colour per dimension of the positional encoding, so that a curve and its matrix column look alike.
DIMENSIONS: Final = ("#79c0ff", "#ffd866", "#7ee0d2", "#f5a3d0", "#c3a6ff", "#ff9e64", "#9be58a", "#e6c07b")

# -- type ----------------------------------------------------------------------------------------------------
TITLE_SIZE: Final = 36.0
TOKEN_SIZE: Final = 28.0
BODY_SIZE: Final = 24.0
NUMBER_SIZE: Final = 24.0
LABEL_SIZE: Final = 21.0
SMALL_SIZE: Final = 18.0
FORMULA_SIZE: Final = 36.0

# -- the frame -----------------------------------------------------------------------------------------------
FRAME_WIDTH: Final = 8 * 16 / 9
FRAME_HEIGHT: Final = 8.0
PIXELS_PER_UNIT_1080: Final = 1080 / FRAME_HEIGHT
SAFE_X: Final = FRAME_WIDTH / 2 * 0.9
SAFE_Y: Final = FRAME_HEIGHT / 2 * 0.9
CAPTION_TOP: Final = -FRAME_HEIGHT / 2 + 0.14 * FRAME_HEIGHT
MIN_TEXT_PIXELS: Final = 24.0
MIN_CONTRAST: Final = 4.5

# Where a scene may draw: below the title block, above the captions.
CONTENT_TOP: Final = 2.55
CONTENT_BOTTOM: Final = CAPTION_TOP + 0.08

# -- strokes and corners ---------------------------------------------------------------------------------------
THIN: Final = 1.5
STRONG: Final = 2.5
FOCUS_WIDTH: Final = 3.0
CORNER: Final = 0.08

# -- drawing order ---------------------------------------------------------------------------------------------
Z_ARROW: Final = 1
Z_WORDS: Final = 3
Z_FOCUS: Final = 5


def mix(over: str, under: str, share: float) -> str:
    """The solid colour that `over` at opacity `share` makes on `under`, as '#rrggbb'.

    Solid mixes instead of transparency keep contrast computable and pictures the same in any drawing order.
    """
    a, b = ManimColor(over).to_rgb(), ManimColor(under).to_rgb()
    return str(ManimColor.from_rgb(tuple(a * share + b * (1 - share))).to_hex()).lower()


def luminance(color: str) -> float:
    """Relative luminance in 0..1 by the definition of WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in ManimColor(color).to_rgb()]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1..21, by the definition of WCAG 2.2."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink_on(fill: str) -> str:
    """Light or dark ink, whichever is the more readable on `fill`.

    On fills of middle brightness neither of the two reaches `MIN_CONTRAST`; there pure white or black does.
    """
    soft = max((INK, DARK_INK), key=lambda ink: contrast(ink, fill))
    if contrast(soft, fill) >= MIN_CONTRAST:
        return soft
    return max((LIGHTEST_INK, DARKEST_INK), key=lambda ink: contrast(ink, fill))


def quiet_ink_on(fill: str) -> str:
    """Grey ink where it is readable on `fill`, else the ink of `ink_on`."""
    return DIM if contrast(DIM, fill) >= MIN_CONTRAST else ink_on(fill)


def tint(color: str, share: float = 0.22) -> str:
    """A quiet panel in the hue of `color`."""
    return mix(color, PANEL, share)


def heat(share: float, color: str = SHARED) -> str:
    """The fill of a heat-map cell: panel at 0, `color` at 1; `share` is clipped to 0..1."""
    return mix(color, PANEL, 0.06 + 0.94 * min(max(share, 0.0), 1.0))
