"""How much a storyboard may hold. README.md states these numbers; nothing that is larger is read any further."""

from __future__ import annotations

from typing import Final

FILE_BYTES: Final = 500_000
NESTING: Final = 40  # levels of lists and mappings
SCENES: Final = 96  # as many as there are step numbers
BEATS: Final = 64  # of a scene
LABELS: Final = 200  # of a scene
FILM_WORDS: Final = 500
PRONUNCIATIONS: Final = 2_000  # of a language
LANGUAGES: Final = 16
SPOKEN_CHARACTERS: Final = 1_000  # of a beat's words
LINE_CHARACTERS: Final = 300  # of a title, a label or any other line
