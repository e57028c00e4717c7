"""A film that speaks: beats as long as their sound, one sound track exact to the sample, captions of both languages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fractions import Fraction
from html import unescape
from pathlib import Path

import av
import numpy as np
import pytest
from small_studio import DATA, Studio, copied
from test_pipeline_captions import parse_vtt
from test_pipeline_film import clip
from tone_voice import ToneVoice

from pipeline.captions import Caption
from pipeline.film import find_ffmpeg, join
from pipeline.gate import caption_file_faults, sound_faults, subtitle_faults
from pipeline.manifest import Part
from pipeline.problems import UserError
from pipeline.qualities import Quality
from pipeline.voice import sound
from pipeline.voice.narration import Sentence, SpokenBeat
from pipeline.voice.soundtrack import Placed, samples_at, write_soundtrack

SAID = {
    "opening.first": "先看一个方块",
    "opening.second": "它的边长是二点零",
    "middle.red": "红色来了",
    "middle.blue": "蓝色来了",
    "middle.both": "两种颜色一起",
    "ending.last": "圆越来越小最后不见了",
}
FPS = 15


def record(studio: Studio, name: str, text: str) -> None:
    """A recording of so many syllables as `text` has."""
    spoken = np.concatenate([sound.silence(0.4), ToneVoice().say(text, "zh"), sound.silence(0.2)])
    sound.write(studio.root / "recordings" / "zh" / f"{name}.wav", spoken)


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with a film that speaks Chinese; its English clips are silent. To be looked at only."""
    root = tmp_path_factory.mktemp("speaking") / "studio"
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    studio = Studio(root)
    for name, text in SAID.items():
        record(studio, name, text)
    for arguments in (("--language", "en", "--voice", "none"), ("--voice", "recordings")):
        done = studio.explain("render", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    return studio


def sidecar(studio: Studio, scene: str) -> dict:
    return json.loads(studio.clips()[scene].with_suffix(".json").read_text(encoding="utf-8"))


def beats(studio: Studio) -> dict[str, tuple[int, int]]:
    """The first and the last frame (exclusive) of every beat in the film."""
    found, start = {}, 0
    for scene in ("opening", "middle", "ending"):
        data = sidecar(studio, scene)
        for cue in data["cues"]:
            found[f"{scene}.{cue['beat']}"] = (start + cue["start_frame"], start + cue["end_frame"])
        start += data["frames"]
    return found


def test_every_beat_is_as_long_as_its_sound(speaking: Studio) -> None:
    for name, (start, end) in beats(speaking).items():
        seconds = ToneVoice().syllable * len(SAID[name]) + 2 * sound.EDGE
        assert (end - start) / FPS >= seconds - 0.1, name


def test_the_sound_is_where_the_beats_are(speaking: Studio) -> None:
    """Each beat begins with silence, then is heard, and what is heard is what was recorded."""
    track = sound.read(speaking.film())
    for name, (start, end) in beats(speaking).items():
        first, last = samples_at(start, FPS), samples_at(end, FPS)
        edge = round(sound.EDGE * sound.RATE) - 1024  # the encoder smears a little
        assert float(np.abs(track[first : first + edge]).max()) < 0.01, name
        assert sound.loudness(track[first:last]) == pytest.approx(sound.LOUDNESS, abs=1.0), name
        recorded = sound.levelled(sound.trimmed(sound.read(speaking.root / "recordings" / "zh" / f"{name}.wav")))
        begin = first + round(sound.EDGE * sound.RATE)
        heard = track[begin : begin + len(recorded)]
        alike = float(np.dot(heard, recorded) / np.linalg.norm(heard) / np.linalg.norm(recorded))
        assert alike > 0.95, name  # a shift of a few samples would already be less


def test_a_scene_that_fails_costs_the_others_nothing(speaking: Studio, tmp_path: Path) -> None:
    """Its words cannot be told, so it is not drawn; the others speak as ever."""
    studio = copied(speaking, tmp_path / "studio")
    fault, sound_line = 'raise ValueError("no colours left")', "self.remove(red, blue)"
    studio.edit("scenes/middle.py", sound_line, fault)
    done = studio.explain("render", "--voice", "recordings", "--force", "--keep-going")
    said = done.stdout + done.stderr
    assert done.returncode == 3, said
    assert "Traceback" not in said
    assert "The scene middle (zh) failed" in said
    assert "ValueError: no colours left" in said
    assert re.search(r"scene: \S*middle\.py:\d+\n", said)
    assert "explain render --scenes middle --language zh --quality draft" in said
    assert "2 clips rendered" in said
    film = studio.film().with_name("a-small-film-zh-draft-incomplete.mp4")
    with av.open(str(film)) as container:
        assert len(container.streams.audio) == 1
    done = studio.explain("render", "--voice", "recordings")
    assert done.returncode == 1
    assert "0 clips rendered" in done.stdout
    studio.edit("scenes/middle.py", fault, sound_line)
    done = studio.explain("render", "--voice", "recordings")
    assert done.returncode == 0, done.stdout + done.stderr
    assert studio.explain("verify", str(studio.film())).returncode == 0


def test_the_streams_of_the_film(speaking: Studio) -> None:
    with av.open(str(speaking.film())) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert [stream.type for stream in container.streams] == ["video", "audio", "subtitle", "subtitle", "data"]
        assert [stream.language for stream in container.streams.subtitles] == ["zho", "eng"]
        assert audio.codec_context.name == "aac"
        assert audio.start_time == video.start_time == 0
        length = Fraction(video.duration) * video.time_base
        assert abs(Fraction(audio.duration) * audio.time_base - length) < Fraction(1, FPS)
        assert "fingerprint" in container.metadata["comment"]
    with av.open(str(speaking.film().with_name(f"{speaking.film().stem}.plain.mp4"))) as container:
        assert [stream.type for stream in container.streams] == ["video", "audio"]
        assert container.chapters() == []
        assert Fraction(container.streams.video[0].duration) * container.streams.video[0].time_base == length


def test_captions_chapters_and_transcript_lie_beside_the_film(speaking: Studio) -> None:
    film = speaking.film()
    cues = parse_vtt(film.with_suffix(".vtt").read_text(encoding="utf-8"))
    starts = beats(speaking)
    for name, start, _, _ in cues:
        if not name[-1].isdigit():
            assert start == pytest.approx(starts[name][0] / FPS + sound.EDGE, abs=1 / FPS)
    chapters = parse_vtt(film.with_suffix(".chapters.vtt").read_text(encoding="utf-8"))
    assert [chapter[3] for chapter in chapters] == [["开头"], ["中间：红与蓝"], ["结尾"]]
    page = film.with_suffix(".transcript.md").read_text(encoding="utf-8")
    assert page.startswith("# 小电影\n\n## 开头 (0:00)\n\n[0:00] 先看一个方块。")
    assert "它的边长是 2.0。" in page
    assert len(film.with_suffix(".srt").read_text(encoding="utf-8").split("\n\n")) == len(cues)
    assert all(path.with_suffix(".srt").is_file() for path in speaking.clips().values())


def test_another_recording_draws_one_scene(speaking: Studio, tmp_path: Path) -> None:
    shutil.copytree(speaking.root, tmp_path / "studio", ignore=shutil.ignore_patterns("__pycache__"))
    studio = Studio(tmp_path / "studio")
    record(studio, "middle.blue", "蓝色真的来了真的真的来了吗")
    why = studio.explain("render", "--voice", "recordings", "--why").stdout
    assert "middle (zh): will be rendered: how long beat blue is spoken changed" in why
    assert "1 of 3 clips would be rendered" in why
    done = studio.explain("render", "--voice", "recordings")
    assert done.returncode == 0, done.stderr
    assert "1 clip rendered" in done.stdout
    silent = studio.explain("render", "--voice", "none", "--why").stdout
    assert "it is silent now" in silent


def test_a_missing_recording_stops_the_render(studio: Studio) -> None:
    record(studio, "opening.first", "先看")
    done = studio.explain("render", "--voice", "recordings")
    assert done.returncode == 1
    assert done.stderr.count("There is no recording of") == 5
    assert "next: explain record-check" in done.stderr


def packets(video: Path, kind: str) -> list[tuple[float, bytes]]:
    """Seconds and bytes of every packet of the first stream of `kind`."""
    with av.open(str(video)) as container:
        (stream,) = getattr(container.streams, kind)
        return [(float(one.pts * one.time_base), bytes(one)) for one in container.demux(stream) if one.pts is not None]


def test_each_clip_of_a_course_has_its_part_of_the_films_sound(speaking: Studio, tmp_path: Path) -> None:
    done = speaking.explain("course", "--language", "zh", "--out", str(tmp_path / "kit"))
    assert done.returncode == 0, done.stderr
    film = packets(speaking.film(), "audio")
    sounds, length, start = [data for _, data in film], film[1][0] - film[0][0], 0.0
    for number, scene in enumerate(("opening", "middle", "ending"), 1):
        clip_file = tmp_path / "kit" / "site" / f"zh-{number:02}-{scene}.mp4"
        data = sidecar(speaking, scene)
        seconds = data["frames"] / data["fps"]
        assert len(packets(clip_file, "video")) == data["frames"]
        heard = [bytes_ for _, bytes_ in packets(clip_file, "audio")]
        assert len(heard) == pytest.approx(seconds / length, abs=3)
        # The very packets of the film, from the scene's first to its last; none of them is coded again.
        first = next(at for at in range(len(sounds)) if sounds[at : at + len(heard)] == heard)
        assert film[first][0] == pytest.approx(start, abs=2 * length)
        assert film[first + len(heard) - 1][0] + length == pytest.approx(start + seconds, abs=2 * length)
        start += seconds


def test_finished_films_are_verified_and_harm_is_found(speaking: Studio, tmp_path: Path) -> None:
    done = speaking.explain("verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "-zh-draft.mp4: OK" in done.stdout
    assert "3 chapters, spoken, captions zho eng" in done.stdout
    assert "3 chapters, silent, captions eng" in done.stdout
    shutil.copytree(speaking.media / "film", tmp_path / "media" / "film")
    harmed = Studio(tmp_path)
    film = harmed.film()
    louder = remux(film, tmp_path / "louder.mp4", "-map", "0", "-c", "copy", "-c:a", "aac", "-af", "volume=0.3")
    louder.replace(film)
    done = harmed.explain("verify", str(film))
    assert done.returncode == 1
    assert "its bytes are not those that were joined" in done.stdout
    assert "loudness" in done.stdout or "not sound" in done.stdout
    film.with_suffix(".json").unlink()
    done = harmed.explain("verify", str(film))
    assert done.returncode == 1
    assert "nothing is known of this film" in done.stderr


def test_without_a_voice_the_film_is_silent_and_says_how_to_give_it_one(studio: Studio) -> None:
    studio.edit("storyboard.yaml", "  voice: none\n", "")
    nowhere = {"EXPLAINER_VOICES": str(studio.root / "nowhere")}
    done = studio.explain("render", "--scenes", "ending", **nowhere)
    assert done.returncode == 0, done.stderr
    assert "The film is silent, with captions. To give it a voice: make voice" in done.stdout
    refused = studio.explain("render", "--scenes", "ending", "--voice", "kokoro", **nowhere)
    assert refused.returncode == 1
    assert "The voice is not installed" in refused.stderr
    assert "next: make voice" in refused.stderr
    wrong = studio.explain("render", "--voice", "koko")
    assert (wrong.returncode, 'did you mean "kokoro"?' in wrong.stderr) == (2, True)


# --- the sound track ----------------------------------------------------------------------------------------------


def test_the_track_has_every_sound_at_its_sample(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    parts = [rng.uniform(-0.5, 0.5, length).astype(np.float32) for length in (5_000, 48_000, 17)]
    for number, part in enumerate(parts):
        sound.write(tmp_path / f"{number}.wav", part)
    places = [(3, 20), (20, 60), (61, 70)]
    placed = [Placed(tmp_path / f"{n}.wav", a, b, f"beat {n}") for n, (a, b) in enumerate(places)]
    write_soundtrack(tmp_path / "track.wav", placed, 90, 30)
    track = sound.read_own(tmp_path / "track.wav")
    assert len(track) == 90 * 1600
    expected = np.zeros_like(track)
    for part, (start, _) in zip(parts, places, strict=True):
        expected[start * 1600 : start * 1600 + len(part)] = part
    assert float(np.abs(track - expected).max()) < 1e-4


def test_a_sound_longer_than_its_beat_is_refused(tmp_path: Path) -> None:
    sound.write(tmp_path / "a.wav", np.zeros(1601, np.float32))
    with pytest.raises(UserError, match="The sound of one lasts"):
        write_soundtrack(tmp_path / "track.wav", [Placed(tmp_path / "a.wav", 0, 1, "one")], 9, 30)
    assert not (tmp_path / "track.wav").exists()


# --- the gate -----------------------------------------------------------------------------------------------------


def remux(source: Path, target: Path, *options: str) -> Path:
    subprocess.run([find_ffmpeg(), "-v", "error", "-i", str(source), *options, str(target)], check=True)
    return target


def facts(studio: Studio) -> tuple[int, list[int], list[Caption]]:
    """Frames, chapter starts and captions of the film."""
    starts = [0]
    for scene in ("opening", "middle", "ending"):
        starts.append(starts[-1] + sidecar(studio, scene)["frames"])
    cues = parse_vtt(studio.film().with_suffix(".vtt").read_text(encoding="utf-8"))
    captions = [
        Caption(name, round(a * FPS), round(b * FPS), tuple(map(unescape, lines))) for name, a, b, lines in cues
    ]
    return starts[-1], starts, captions


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["-c", "copy", "-an"], "0 streams of sound"),
        (["-c:v", "copy", "-af", "volume=0.4"], "loudness"),
        (
            ["-c:v", "copy", "-af", "volume=0:enable='between(t,0,3)'"],
            "nothing is heard under the caption opening.first",
        ),
        (["-c:v", "copy", "-af", "atrim=0:9"], "the sound lasts 9.0"),
        (["-c:v", "copy", "-ar", "44100"], "44100 Hz"),
        (["-c", "copy", "-bsf:a", "setts=pts=PTS+9600:dts=DTS+9600"], "the sound begins at"),
    ],
)
def test_faults_of_the_sound_are_found(speaking: Studio, tmp_path: Path, options: list[str], fault: str) -> None:
    frames, starts, captions = facts(speaking)
    assert sound_faults(speaking.film(), frames, FPS, starts, captions) == []
    bad = remux(speaking.film(), tmp_path / "bad.mp4", "-map", "0:v", "-map", "0:a", *options)
    found = sound_faults(bad, frames, FPS, starts, captions)
    assert any(fault in one for one in found), found


def test_faults_of_captions_are_found(speaking: Studio, tmp_path: Path) -> None:
    _, _, captions = facts(speaking)
    film, vtt = speaking.film(), speaking.film().with_suffix(".vtt")
    assert caption_file_faults(vtt, captions, FPS) == []
    moved = [Caption(c.name, c.start_frame + 1, c.end_frame, c.lines) for c in captions]
    assert caption_file_faults(vtt, moved, FPS) == [f"{vtt.name} does not read as it was written"]
    (tmp_path / "no.vtt").write_text("no captions", encoding="utf-8")
    assert caption_file_faults(tmp_path / "no.vtt", captions, FPS) == ["no.vtt does not read as it was written"]
    assert "cannot be read" in caption_file_faults(tmp_path / "missing.vtt", captions, FPS)[0]
    assert "captions in" in subtitle_faults(film, [("zho", captions)], FPS)[0]


@pytest.mark.parametrize("fps", [15, 30, 60])
def test_sound_does_not_drift_over_many_clips(tmp_path: Path, fps: int) -> None:
    """Durations whose microseconds are all rounded the same way; each clip has a noise of its own in its middle."""
    quality = Quality("draft", 64, 48, fps)
    rng = np.random.default_rng(5)
    parts, noises = [], []
    for number, frames in enumerate([7, 4, 10] * 8):
        part = clip(tmp_path / f"{number}.mp4", frames * 3, quality)
        edge = sound.silence(0.02)
        length = samples_at(frames * 3, fps) - 2 * len(edge)
        noise = sound.levelled(rng.uniform(-0.3, 0.3, length).astype(np.float32))
        sound.write(tmp_path / f"{number}.wav", np.concatenate([edge, noise, edge]))
        said = (Sentence("Words.", 0.02, frames * 3 / fps - 0.02),)
        spoken = SpokenBeat(frames * 3 / fps, said, str(tmp_path / f"{number}.wav"), "Words.")
        parts.append(Part(part.clip, part.sidecar, part.title, {"b": spoken}))
        noises.append(noise)
    film = join(parts, tmp_path / "film.mp4", quality, language="en", title="T", unit="words", binary=find_ffmpeg())
    track = sound.read(film.path)
    start = 0
    for part, noise in zip(parts, noises, strict=True):
        begin = samples_at(start, fps) + round(0.02 * sound.RATE)
        reach = 300
        around = track[begin - reach : begin + len(noise) + reach]
        alike = np.correlate(around, noise, mode="valid")
        assert abs(int(np.argmax(alike)) - reach) <= 1, start  # to a sample, in the last chapter as in the first
        start += part.sidecar.frames
