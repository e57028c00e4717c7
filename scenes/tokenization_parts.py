"""Parts of the tokenization scene: text before it is cut, sentences as rows of chips, the vocabulary as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import BOLD, DOWN, RIGHT, Line, VGroup

from scenes.stage import theme
from scenes.stage.boxes import Cell, Chip
from scenes.stage.tokens import token_width
from scenes.stage.words import bold, cap_height_per_size, shortened

if TYPE_CHECKING:
    from scenes.stage.scene import ExplainerScene

Token = tuple[str, str]  # a word and its colour

ROOM_FOR_TAILS, ROOM_FOR_DIGITS = 2.55, 2.0  # cap heights of a cell with words, with digits
CLOSEST = 0.08  # units between chips that have little room


class RunningText(VGroup):
    """A sentence as one line of text, one `Words` a token, spaced as a whole line is set.

    Parameters: the tokens; the type size; the room in units, into which long sentences are shrunk; what stands
    between the tokens ("" or a space; by default "" for signs and a space for words).
    """

    def __init__(self, tokens: Sequence[Token], size: float, max_width: float, joiner: str | None = None) -> None:
        words = [word for word, _ in tokens]
        if joiner is None:
            joiner = "" if all(len(word) == 1 for word in words) else " "
        size = min(size, size * max_width / bold(joiner.join(words), size).width)
        super().__init__()
        for i, word in enumerate(words):
            # The ink of a line ends where its last word ends, so kerning and spaces are those of real text.
            right = bold(joiner.join(words[: i + 1]), size).width
            self.add(bold(word, size).move_to([right, 0, 0], aligned_edge=RIGHT))

    def cuts(self, beyond: float) -> VGroup:
        """Upright lines between neighbours, as long as a capital and `beyond` caps more at either end."""
        cap = self.submobjects[0].cap_height
        lines = VGroup()
        for left, right in zip(self.submobjects, self.submobjects[1:], strict=False):
            x, y = (left.get_right()[0] + right.get_left()[0]) / 2, left.get_y()
            reach = cap * (0.5 + beyond)
            lines.add(Line([x, y + reach, 0], [x, y - reach, 0], color=theme.FOCUS, stroke_width=theme.FOCUS_WIDTH))
        return lines


def chips_in_a_row(
    tokens: Sequence[Token], size: float, max_width: float, buff: float, like: Sequence[Token] = ()
) -> VGroup:
    """Chips side by side, equally wide where there is room; smaller, closer, and at last shortened where not.

    `like` is another sentence whose row is to have the same pitch, so that the two can stand in columns.
    """
    most = max(len(tokens), len(like))
    while True:
        width = token_width([*tokens, *like], size)
        if most * (width + buff) - buff <= max_width:
            return _row(tokens, size, buff, width)
        if size <= theme.SMALL_SIZE:
            break
        size, buff = max(size * 0.92, theme.SMALL_SIZE), max(buff * 0.9, CLOSEST)
    row = _row(tokens, size, CLOSEST, None)
    if not like and row.width <= max_width:
        return row
    width = (max_width + CLOSEST) / most - CLOSEST
    short = [(shortened(word, width - 0.2, size, BOLD), color) for word, color in tokens]
    return _row(short, size, CLOSEST, width)


def _row(tokens: Sequence[Token], size: float, buff: float, width: float | None) -> VGroup:
    height = 2.6 * bold(tokens[0][0], size).cap_height  # leaves room below the tails of letters
    chips = [Chip(word, color, size, width=width, height=height) for word, color in tokens]
    return VGroup(*chips).arrange(RIGHT, buff=buff)


class VocabularyEntry(VGroup):
    """A word above its id: `word` and `number` are cells; `slot` is the two of them without their text."""

    def __init__(self, token_id: int, token: Token, size: float, width: float, height: float) -> None:
        string, color = token
        self.token_id, self.color_of_token = token_id, color
        text = shortened(string, width - 0.2, size, BOLD)
        self.word = Cell(bold(text, size), width, height * 0.54, ink=color)
        digits = min(26.0, 0.46 * height / ROOM_FOR_DIGITS / cap_height_per_size())
        number = bold(str(token_id), max(digits, theme.SMALL_SIZE))
        self.number = Cell(number, width, height * 0.46, ink=color)
        self.number.next_to(self.word, DOWN, 0)
        self.slot = VGroup(self.word.box, self.number.box)
        super().__init__(self.word, self.number)


class VocabularyTable(VGroup):
    """All words of the model with their ids, side by side, in as many lines as they need.

    `width` and `height` are the room in units.
    """

    GAP = 0.12
    HIGHEST = 1.16
    WIDEST = 1.6
    MOST = 9  # entries in a line

    def __init__(self, scene: ExplainerScene, width: float, height: float) -> None:
        tokens = scene.tokens(range(len(scene.model.vocabulary)))
        lines = -(-len(tokens) // self.MOST)
        columns = -(-len(tokens) // lines)
        size = 26.0
        cell = min((width + self.GAP) / columns - self.GAP, self.WIDEST)
        while max(bold(word, size).width for word, _ in tokens) > cell - 0.24 and size > theme.SMALL_SIZE:
            size = max(size * 0.95, theme.SMALL_SIZE)
        high = min((height + self.GAP) / lines - self.GAP, self.HIGHEST)
        size = max(min(size, 0.54 * high / ROOM_FOR_TAILS / cap_height_per_size()), theme.SMALL_SIZE)
        self.entries = [VocabularyEntry(i, token, size, cell, high) for i, token in enumerate(tokens)]
        super().__init__(*self.entries)
        self.arrange_in_grid(rows=lines, cols=columns, buff=self.GAP)

    def entry(self, token_id: int) -> VocabularyEntry:
        """The entry of an id."""
        return self.entries[token_id]


# Each of these paints a cell, or plays the painting when it is given `cell.animate`.
def lit(cell: Any, color: str) -> Any:
    """A cell of the table that is being read."""
    return cell.paint(theme.tint(color, 0.3), color, theme.INK, theme.STRONG)


def quiet(cell: Any, color: str) -> Any:
    """A cell of the table that rests."""
    return cell.paint(theme.PANEL, theme.LINE, color, theme.THIN)
