"""The teacher's own voice: found by name, checked, levelled, its sentences found by the pauses."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from test_voice_sound import tone

from pipeline.problems import UserError
from pipeline.voice import sound
from pipeline.voice.choice import FAULTS_TOLD, narrate
from pipeline.voice.recordings import Recordings, fault_of, heard

SCRIPT = {"scene": {"first": "第一句话。第二句话也在这里。", "second": "只有一句。"}}
UNIT = {"zh": "characters", "en": "words"}


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "recordings", tmp_path / "store", UNIT)


def record(recordings: Recordings, name: str, samples: sound.Samples) -> Path:
    path = recordings.folder / "zh" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    sound.write(path, samples)
    return path


def spoken(*seconds: float, level: float = 0.1) -> sound.Samples:
    """Speech of so many seconds each, with half a second between."""
    parts = [part for length in seconds for part in (sound.silence(0.5), tone(length, level))]
    return np.concatenate([*parts, sound.silence(0.5)])


def test_a_recording_becomes_a_beat(recordings: Recordings) -> None:
    record(recordings, "scene.first.wav", spoken(1.0, 1.6))
    beat = recordings.speak("scene", "first", "zh", SCRIPT["scene"]["first"])
    samples = sound.read_own(Path(beat.sound))
    assert len(samples) == round(beat.seconds * sound.RATE)
    assert beat.seconds == pytest.approx(1.0 + 0.5 + 1.6 + 2 * sound.EDGE, abs=0.15)
    edge = round(sound.EDGE * sound.RATE)
    assert not samples[:edge].any()
    assert not samples[-edge:].any()
    assert sound.loudness(samples) == pytest.approx(sound.LOUDNESS, abs=0.5)
    first, second = beat.sentences
    assert (first.text, second.text) == ("第一句话。", "第二句话也在这里。")
    assert first.end == pytest.approx(sound.EDGE + 1.0, abs=0.1)
    assert second.start == pytest.approx(sound.EDGE + 1.5, abs=0.1)


def test_sentences_without_a_pause_get_their_share() -> None:
    samples = np.concatenate([sound.silence(sound.EDGE), tone(3.0), sound.silence(sound.EDGE)])
    first, second = heard(["四个字吧。", "这里有八个字的啊。"], samples, "characters")
    assert first.end == second.start == pytest.approx(sound.EDGE + 1.0, abs=0.01)
    assert second.end == pytest.approx(sound.EDGE + 3.0, abs=0.01)
    assert heard([], samples, "characters") == []


def test_a_missing_recording_is_told(recordings: Recordings) -> None:
    record(recordings, "scene.first.wav", spoken(1.0))
    with pytest.raises(UserError, match=r"scene\.second\.wav\n    next: explain record-check"):
        recordings.speak("scene", "second", "zh", "只有一句。")


def test_the_check_finds_every_fault(recordings: Recordings) -> None:
    assert len(recordings.faults(SCRIPT, "zh", 5)) == 2
    record(recordings, "scene.first.wav", spoken(1.0, 1.6))
    record(recordings, "scene.secnd.wav", spoken(1.0))
    (missing,) = recordings.faults(SCRIPT, "zh", 5)
    (stranger,) = recordings.strangers(SCRIPT, "zh")
    assert "scene.second.wav: missing" in missing
    assert "record “只有一句。”" in missing
    assert 'did you mean "scene.second"?' in stranger
    (recordings.folder / "zh" / "scene.secnd.wav").rename(recordings.folder / "zh" / "scene.second.wav")
    assert recordings.faults(SCRIPT, "zh", 5) == []
    (recordings.folder / "zh" / "scene.second.wav").write_text("no sound", encoding="utf-8")
    (fault,) = recordings.faults(SCRIPT, "zh", 5)
    assert "cannot be read as sound" in fault
    assert "Errno" not in fault
    (recordings.folder / "zh" / "scene.second.wav").write_bytes(b"")
    (fault,) = recordings.faults(SCRIPT, "zh", 5)
    assert "scene.second.wav: it is empty\n    next: " in fault


def test_two_recordings_of_a_beat_are_told(recordings: Recordings) -> None:
    """Else the older one may be heard for ever."""
    wav = record(recordings, "scene.second.wav", spoken(1.0))
    shutil.copyfile(wav, wav.with_suffix(".mp3"))
    with pytest.raises(UserError, match=r"another recording of this beat, scene\.second\.mp3\n    next: keep one"):
        recordings.speak("scene", "second", "zh", "只有一句。")
    assert sum("another recording" in fault for fault in recordings.faults(SCRIPT, "zh", 5)) == 1


def test_what_lies_among_the_recordings_and_is_none_is_told(recordings: Recordings) -> None:
    folder = record(recordings, "scene.first.wav", spoken(1.0)).parent
    (folder / "scene.second.mp3").mkdir()
    (folder / "notes.txt").write_text("later", encoding="utf-8")
    (folder / ".DS_Store").write_text("", encoding="utf-8")
    notes, directory = recordings.strangers(SCRIPT, "zh")
    assert "notes.txt: no sound file\n    allowed: .wav" in notes
    assert "scene.second.mp3: a folder, no recording" in directory


def test_a_recording_that_nobody_would_hear_is_refused_before_anything_is_drawn(recordings: Recordings) -> None:
    record(recordings, "scene.second.wav", spoken(2.0, level=0.002))
    with pytest.raises(UserError, match=r"scene\.second\.wav: too quiet, -\d+ LUFS\n    allowed: -40 or louder"):
        recordings.speak("scene", "second", "zh", "只有一句。")


def test_without_a_folder_the_folder_is_missing_not_every_file(recordings: Recordings) -> None:
    with pytest.raises(UserError) as caught:
        narrate(recordings, SCRIPT, "zh")
    assert str(caught.value).count("\n") == 1
    assert "There is no folder with recordings in zh" in str(caught.value)


def test_of_many_missing_recordings_the_first_ones_are_told(recordings: Recordings) -> None:
    (recordings.folder / "zh").mkdir(parents=True)
    with pytest.raises(UserError) as caught:
        narrate(recordings, {"scene": {f"b{number}": "一句。" for number in range(30)}}, "zh")
    assert str(caught.value).count("There is no recording of") == FAULTS_TOLD
    assert str(caught.value).endswith(f"… and {30 - FAULTS_TOLD} more")


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (spoken(2.0, level=0.002), "too quiet"),
        (np.clip(spoken(2.0, level=2.0), -1, 1), "clipped in"),
        (sound.silence(2), "nothing but silence"),
        (spoken(0.2), "0.3 s for words that take about 2.0 s"),
        (spoken(12.0), "12.1 s for words that take about 2.0 s"),
        (spoken(2.0), ""),
    ],
    ids=["quiet", "clipped", "silent", "short", "long", "good"],
)
def test_faults_of_a_recording(samples: sound.Samples, words: str) -> None:
    fault = fault_of(samples, 2.0)
    assert words in fault
    assert bool(fault) == bool(words)
    assert "next: " in fault or not fault


def test_a_recording_that_is_made_again_is_heard(recordings: Recordings) -> None:
    record(recordings, "scene.second.wav", spoken(1.0))
    before = recordings.speak("scene", "second", "zh", "只有一句。")
    record(recordings, "scene.second.wav", spoken(2.0))
    after = recordings.speak("scene", "second", "zh", "只有一句。")
    assert after.seconds - before.seconds == pytest.approx(1.0, abs=0.05)
