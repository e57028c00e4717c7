"""Which voice speaks, and the narration of a whole film by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..problems import UserError
from ..storyboard import Storyboard
from .narration import Narrator, Table
from .script import Script

# What `make render` says where there is no voice.
NO_VOICE = (
    "The film is silent, with captions. To give it a voice: make voice, then render again; or record your own: "
    "explain script, see README.md."
)


FAULTS_TOLD = 10  # of beats that cannot be spoken; a whole film has many


@dataclass(frozen=True)
class Voicing:
    """Where narration comes from: "none", "recordings" or "kokoro", and where what is made of it is kept."""

    source: str
    store: Path
    hint: str = ""  # what to tell the user, empty where there is nothing to tell


def voicing(storyboard: Storyboard, store: Path, asked: str | None = None) -> Voicing:
    """The source that was `asked` for, else the storyboard's, else Kokoro where it is installed, else none.

    Raises UserError where Kokoro is wanted by name and is not installed.
    """
    from .kokoro import missing  # noqa: PLC0415 (cheap, but only here is it asked)

    wanted = asked or storyboard.film.voice
    absent = missing()
    if wanted == "kokoro" and absent:
        raise UserError(
            f"The voice is not installed: {', '.join(absent)}.\n"
            "    next: make voice; or render with --voice none, or voice: none in the storyboard under film:"
        )
    if wanted is None:
        return Voicing("none", store, NO_VOICE) if absent else Voicing("kokoro", store)
    return Voicing(wanted, store)


def narrator_of(
    storyboard: Storyboard, how: Voicing, on_sentence: Callable[[str], None] = lambda _text: None
) -> Narrator | None:
    """The narrator of `how`; None for a silent film."""
    film = storyboard.film
    if how.source == "recordings":
        from .recordings import Recordings  # noqa: PLC0415 (each source imports what it needs)

        units = {language: film.unit(language) for language in film.languages}
        return Recordings(storyboard.path.parent / film.recordings, how.store, units)
    if how.source == "kokoro":
        from .kokoro import KokoroVoice, Voice, default_voice  # noqa: PLC0415
        from .phoneme_memory import PhonemeMemory  # noqa: PLC0415
        from .synthesis import Synthesis  # noqa: PLC0415

        voices = {
            language: Voice(film.voices.get(language, default_voice(language)), film.voice_speed.get(language, 1.0))
            for language in film.languages
        }
        voice = KokoroVoice(voices, film.pronunciation, memory=PhonemeMemory(how.store / "phonemes.json"))
        return Synthesis(how.store, voice, on_sentence)
    return None


def narrate(narrator: Narrator, script: Script, language: str) -> Table:
    """Everything in `script`, spoken. Raises UserError with all beats that cannot be."""
    table: Table = {}
    faults: dict[str, None] = {}  # in order, each once
    for scene_id, beats in script.items():
        for beat, words in beats.items():
            try:
                table.setdefault(scene_id, {})[beat] = narrator.speak(scene_id, beat, language, words)
            except UserError as error:
                faults[str(error)] = None
                if len(faults) == 1 and "next: make voice" in str(error):
                    raise
    if hasattr(narrator, "remember"):
        narrator.remember()
    if faults:
        more = [f"… and {len(faults) - FAULTS_TOLD} more"] if len(faults) > FAULTS_TOLD else []
        raise UserError("\n".join([*list(faults)[:FAULTS_TOLD], *more]))
    return table
