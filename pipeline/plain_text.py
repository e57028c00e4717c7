"""What a text of the storyboard may hold, and how a text from a stranger is shown without doing harm."""

from __future__ import annotations

import re
import unicodedata

# They change the order in which all that follows is shown, so that what is read is not what is written.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAK = re.compile(r"[ \t]*[\t\n\r\u2028\u2029][\s]*")
# Letters and a sign that leave no ink.
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
ALLOWED = "letters, digits, signs and spaces"


def one_line(text: str) -> str:
    """`text` without spaces at its ends, each line break or tab in it a space."""
    return _BREAK.sub(" ", text.strip())


def forbidden(text: str) -> str:
    """The first character of `text` that cannot be printed, drawn or stored everywhere; "" where there is none."""
    return next((char for char in text if _harmful(char)), "")


def visible(text: str) -> bool:
    """Whether anything in `text` leaves ink."""
    return any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK for char in text)


def shown(text: str, limit: int = 400) -> str:
    """`text` for a terminal: harmful characters as escapes, and no more than `limit` characters."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    if cut.isascii() and cut.isprintable():
        return cut
    return "".join(char.encode("unicode_escape").decode("ascii") if _harmful(char) else char for char in cut)


def code_of(char: str) -> str:
    """The name of a character that is not to be shown: "U+202E"."""
    return f"U+{ord(char):04X}"


def _harmful(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) in {"Cc", "Cs", "Co", "Zl", "Zp"}
        or char in _REORDERING
        or code & 0xFFFE == 0xFFFE
        or 0xFDD0 <= code <= 0xFDEF
    )
