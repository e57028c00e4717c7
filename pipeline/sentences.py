"""Where a sentence ends. Together the sentences are the words, white space at their edges aside."""

from __future__ import annotations

import re

SENTENCE_END = "。！？!?…"
_CLOSING = "”’」』》）)】]\"'"
# Behind a Latin stop there is a space or the end, so that 0.5 and e.g.x stay whole.
_SENTENCE = re.compile(
    rf".*?(?:[{SENTENCE_END}]+[{re.escape(_CLOSING)}]*|\.+[{re.escape(_CLOSING)}]*(?=\s|$))|.+$", re.DOTALL
)


def sentences(words: str) -> list[str]:
    """The sentences of `words`, in order, none of them empty."""
    found: list[str] = []
    for match in _SENTENCE.finditer(words.strip()):
        text = match.group().strip()
        if text and found and not any(char.isalnum() for char in text):
            found[-1] += text  # a mark on its own belongs to what it ends
        elif text:
            found.append(text)
    return found
