"""Narration for a render, with its progress: the words of every beat, then their sound."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from .jobs import Failure
from .problems import shown_path
from .progress import SECONDS_BETWEEN_LINES, say
from .sentences import sentences
from .storyboard import Entry, Storyboard
from .voice.choice import Voicing, narrate, narrator_of
from .voice.narration import Narrator, Table
from .voice.script import ScriptFolder, UntoldError, script_of

VOICE_STORE = "voice"  # below the media folder: words, sentences and beats that were made before


def narrations(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    languages: Sequence[str],
    how: Voicing,
    where: ScriptFolder,
    console: Console,
) -> tuple[dict[str, Table], dict[tuple[str, str], Failure]]:
    """The narration of `entries` by language, empty for a silent film; and why scenes have none: (language, scene).

    Raises UserError where it cannot be made.
    """
    if how.hint:
        say(console, how.hint)
    narrator = narrator_of(storyboard, how)
    if narrator is None:
        return {}, {}
    entries = [entry for entry in entries if entry.speaks]
    failures: dict[tuple[str, str], Failure] = {}
    tables = {
        language: _one(storyboard, entries, language, narrator, where, console, failures) for language in languages
    }
    return tables, failures


def _one(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    language: str,
    narrator: Narrator,
    where: ScriptFolder,
    console: Console,
    failures: dict[tuple[str, str], Failure],
) -> Table:
    """The narration in one language; scenes whose words cannot be told are added to `failures`."""
    with _Progress(console) as status:
        read: list[str] = []

        def on_scene(scene: str) -> None:
            read.append(scene)
            status.update(f"Reading the words ({language}): {len(read)} of {len(entries)} scenes")

        try:
            script = script_of(storyboard, entries, language, where, on_scene)
        except UntoldError as error:
            script = error.script
            failures.update({(language, scene_id): failure for scene_id, failure in error.failures.items()})
        total = sum(len(sentences(words)) for beats in script.values() for words in beats.values())
        spoken: list[str] = []

        def on_sentence(text: str) -> None:
            spoken.append(text)
            status.update(f"Speaking ({language}): {len(spoken)} of {total} sentences")

        if hasattr(narrator, "on_sentence"):
            narrator.on_sentence = on_sentence
        table = narrate(narrator, script, language)
    say(console, f"Narration in {language}: {_told(narrator, table)}")
    for words in getattr(getattr(narrator, "voice", None), "unknown", {}).get(language, set()):
        say(
            console,
            f'The voice spells "{words}" ({language}): it does not know the word.\n'
            f"    next: say how it is pronounced in {shown_path(storyboard.path)}, film: pronunciation:",
        )
    return table


def _told(narrator: Narrator, table: Table) -> str:
    seconds = sum(beat.seconds for beats in table.values() for beat in beats.values())
    beats = sum(len(beats) for beats in table.values())
    made = getattr(narrator, "made", None)
    new = "" if made is None else f", {made} {'sentence' if made == 1 else 'sentences'} newly spoken"
    if made is not None:
        narrator.made = 0  # type: ignore[attr-defined]
    return f"{beats} beats, {seconds / 60:.1f} min{new}"


def script_folder(media: Path, scenes_folder: Path, jobs: int | None = None) -> ScriptFolder:
    """Where the words of every beat are kept."""
    return ScriptFolder(media / VOICE_STORE, scenes_folder, jobs)


class _Progress:
    """One line that changes on a terminal; elsewhere a line now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("") if console.is_terminal else None
        self._last = time.monotonic()

    def __enter__(self) -> _Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, text: str) -> None:
        """Show `text`, or say it when it is time."""
        if self._status is not None:
            self._status.update(text)
        elif time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            say(self._console, text)
