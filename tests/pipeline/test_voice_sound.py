"""Sound: lengths to the sample, silence at the edges, loudness, peaks; sentences kept by what they say."""

from __future__ import annotations

import subprocess
import wave
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tone_voice import ToneVoice

from pipeline.problems import UserError
from pipeline.voice import sound
from pipeline.voice.synthesis import PAUSE, Synthesis

WORDS = "第一句话在这里。第二句话长一点，它有一个逗号！第三句？"
settings.register_profile("sound", deadline=None)
settings.load_profile("sound")


def tone(seconds: float, level: float = 0.1, pitch: float = 440.0) -> sound.Samples:
    time = np.arange(round(seconds * sound.RATE)) / sound.RATE
    return (level * np.sin(2 * np.pi * pitch * time)).astype(np.float32)


# --- measuring and levelling --------------------------------------------------------------------------------------


def test_loudness_is_that_of_the_standard() -> None:
    """A sine of 997 Hz at full scale in one channel is −3.01 LUFS (ITU-R BS.1770)."""
    assert sound.loudness(tone(3, 1.0, 997)) == pytest.approx(-3.01, abs=0.15)
    assert sound.loudness(tone(3, 0.1, 997)) == pytest.approx(-23.01, abs=0.15)
    assert sound.loudness(sound.silence(3)) == -70
    assert sound.loudness(np.zeros(0, np.float32)) == -70


@given(st.floats(0.003, 1.0), st.floats(0.5, 3.0), st.integers(0, 50))
@settings(max_examples=15)
def test_speech_of_any_level_comes_to_the_target_without_clipping(level: float, seconds: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bursts = [tone(0.15, level * rng.uniform(0.3, 1), rng.uniform(150, 800)) for _ in range(int(seconds / 0.15) + 1)]
    # Cracks far above the rest are what a limiter is for.
    samples = np.concatenate(bursts)
    samples[rng.integers(0, len(samples), 3)] = level * 2
    made = sound.levelled(samples)
    assert len(made) == len(samples)
    assert sound.loudness(made) == pytest.approx(sound.LOUDNESS, abs=0.5)
    assert float(np.abs(made).max()) <= sound.CEILING + 1e-6


def test_the_limiter_leaves_alone_what_is_quiet_and_holds_every_peak() -> None:
    quiet = tone(0.2, 0.5)
    assert sound.limited(quiet) is quiet
    loud = np.concatenate([tone(0.2, 0.5), tone(0.2, 3.0), tone(0.2, 0.5)])
    held = sound.limited(loud)
    assert float(np.abs(held).max()) <= sound.CEILING + 1e-6
    far = round(0.05 * sound.RATE)
    assert np.array_equal(held[:far], loud[:far])
    assert np.array_equal(held[-far:], loud[-far:])


def test_trimming_keeps_the_speech_and_a_margin() -> None:
    samples = np.concatenate([sound.silence(0.7), tone(0.5), sound.silence(0.9)])
    kept = len(sound.trimmed(samples)) / sound.RATE
    assert 0.5 < kept < 0.6
    assert len(sound.trimmed(sound.silence(1))) == 0


def test_pauses_are_where_it_is_silent() -> None:
    samples = np.concatenate([tone(0.5), sound.silence(0.3), tone(0.4), sound.silence(0.05), tone(0.2)])
    ((start, end),) = sound.pauses(samples)
    assert (start, end) == (pytest.approx(0.5, abs=0.02), pytest.approx(0.8, abs=0.02))


# --- files --------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_to_the_sample(tmp_path: Path) -> None:
    samples = tone(0.731)
    sound.write(tmp_path / "a.wav", samples)
    for read in (sound.read_own(tmp_path / "a.wav"), sound.read(tmp_path / "a.wav")):
        assert len(read) == len(samples)
        assert float(np.abs(read - samples).max()) < 1e-4


@pytest.mark.parametrize("suffix", ["mp3", "flac", "ogg", "m4a"])
def test_other_formats_rates_and_channels_are_read(tmp_path: Path, suffix: str) -> None:
    sound.write(tmp_path / "a.wav", tone(1.0))
    target = tmp_path / f"b.{suffix}"
    command = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        "-v",
        "error",
        "-i",
        str(tmp_path / "a.wav"),
        "-ac",
        "2",
        "-ar",
        "44100",
    ]
    subprocess.run([*command, str(target)], check=True)
    read = sound.read(target)
    assert len(read) / sound.RATE == pytest.approx(1.0, abs=0.08)
    assert sound.loudness(read) == pytest.approx(sound.loudness(tone(1.0)), abs=0.5)


def test_what_is_no_sound_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("not a sound", encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.wav: it cannot be read as sound"):
        sound.read(tmp_path / "a.wav")
    with pytest.raises(UserError, match="not a WAV file"):
        sound.read_own(tmp_path / "a.wav")
    with wave.open(str(tmp_path / "b.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0" * 400)
    with pytest.raises(UserError, match="not 16 bits, mono"):
        sound.read_own(tmp_path / "b.wav")


def test_another_rate_is_brought_to_ours() -> None:
    half = tone(1.0)[::2]
    made = sound.resampled(half, sound.RATE // 2)
    assert len(made) == pytest.approx(sound.RATE, abs=64)
    assert sound.loudness(made) == pytest.approx(sound.loudness(tone(1.0)), abs=0.3)


# --- beats from sentences -----------------------------------------------------------------------------------------


def test_a_beat_is_its_sentences_with_silence_around_them(tmp_path: Path) -> None:
    voice = ToneVoice()
    spoken = Synthesis(tmp_path, voice).speak("scene", "beat", "zh", WORDS)
    assert (
        [sentence.text for sentence in spoken.sentences]
        == voice.said
        == [
            "第一句话在这里。",
            "第二句话长一点，它有一个逗号！",
            "第三句？",
        ]
    )
    samples = sound.read_own(Path(spoken.sound))
    assert len(samples) == round(spoken.seconds * sound.RATE)
    edge = round(sound.EDGE * sound.RATE)
    assert not samples[:edge].any()
    assert not samples[-edge:].any()
    assert sound.loudness(samples) == pytest.approx(sound.LOUDNESS, abs=0.5)
    for before, after in zip(spoken.sentences, spoken.sentences[1:], strict=False):
        assert after.start - before.end == pytest.approx(PAUSE, abs=1e-4)
        silent = samples[round(before.end * sound.RATE) : round(after.start * sound.RATE)]
        assert not silent.any()
    for sentence in spoken.sentences:
        heard = samples[round(sentence.start * sound.RATE) : round(sentence.end * sound.RATE)]
        assert float(np.abs(heard).max()) > 0.05
    assert spoken.sentences[0].start == pytest.approx(sound.EDGE, abs=1e-4)
    assert spoken.seconds - spoken.sentences[-1].end == pytest.approx(sound.EDGE, abs=1e-4)


def test_a_changed_sentence_is_the_only_one_that_is_made_again(tmp_path: Path) -> None:
    first = Synthesis(tmp_path, ToneVoice())
    before = first.speak("scene", "beat", "zh", WORDS)
    assert first.made == 3
    again = Synthesis(tmp_path, ToneVoice())
    assert again.speak("scene", "beat", "zh", WORDS) == before
    assert again.made == 0
    changed = Synthesis(tmp_path, ToneVoice())
    after = changed.speak("scene", "beat", "zh", WORDS.replace("第三句", "第三句也变了"))
    assert changed.made == 1
    assert changed.voice.said == ["第三句也变了？"]  # type: ignore[attr-defined]
    assert after.sound != before.sound
    assert after.sentences[:2] == before.sentences[:2]


def test_a_sentence_that_cannot_be_said_names_its_beat(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scene, beat \\(zh\\): 不能说"):
        Synthesis(tmp_path, ToneVoice()).speak("scene", "beat", "zh", "不能说")
    assert not list(tmp_path.rglob("*.wav"))
