"""What a film is made with beside its clips: how fast it is read, which other languages, what its file says of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

from .storyboard import REPO_ROOT, Storyboard

# ISO 639-2 codes, which MP4 files use.
_THREE_LETTERS = {
    "zh": "zho", "en": "eng", "ja": "jpn", "ko": "kor", "de": "deu", "fr": "fra", "es": "spa", "it": "ita",
    "pt": "por", "ru": "rus", "ar": "ara", "hi": "hin", "nl": "nld", "pl": "pol", "tr": "tur", "vi": "vie",
}  # fmt: skip

# Exit status: every film was written, and one lacks scenes that failed.
INCOMPLETE = 3


@dataclass(frozen=True)
class Extras:
    """By language: `units`, what is read, and `paces`, how much of it a second. `metadata`: tags of the film's file.

    `left_out`: ids of scenes that the film lacks because they failed.
    """

    units: Mapping[str, str] = field(default_factory=dict)
    paces: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def settings(self) -> dict[str, str]:
        """All of it as text, for the film's manifest."""
        data = {"units": dict(self.units), "paces": dict(self.paces), "metadata": dict(self.metadata)}
        settings = {"extras": json.dumps(data, ensure_ascii=False, sort_keys=True)}
        return settings | ({"left_out": " ".join(self.left_out)} if self.left_out else {})


NO_EXTRAS = Extras()


def extras_of(storyboard: Storyboard) -> Extras:
    """The extras of the storyboard's film."""
    film = storyboard.film
    metadata = {"copyright": film.licence} if film.licence else {}
    return Extras(
        {name: film.unit(name) for name in film.languages}, {name: film.pace(name) for name in film.languages}, metadata
    )


def three_letters(language: str) -> str:
    """The code that MP4 files use for a language."""
    return _THREE_LETTERS.get(language.split("-", maxsplit=1)[0], "und")


def program_version() -> str:
    """The commit that this program is at, or "unknown" where it is not in a repository."""
    try:
        command = ["git", "-C", str(REPO_ROOT), "rev-parse", "--short=12", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else "unknown"
