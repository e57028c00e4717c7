"""The spoken film and its clips in a browser: they play, with sound; chapters are sought to the frame; cues show."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from small_studio import DATA, Studio
from tone_voice import ToneVoice
from web_server import Server

from pipeline.voice import sound

if TYPE_CHECKING:
    from conftest import Watched
    from playwright.sync_api import Page

BEATS = ("opening.first", "opening.second", "middle.red", "middle.blue", "middle.both", "ending.last")
PAGE = """<!doctype html><meta charset="utf-8"><video muted preload="auto" src="{film}">
<track default kind="captions" srclang="zh" src="{captions}"></video>"""
# Plays a little, seeks to each of the given times, and tells what was shown.
LOOK = """async (times) => {
  const video = document.querySelector("video"), track = video.textTracks[0];
  track.mode = "showing";
  const event = (target, name) => new Promise((done) => target.addEventListener(name, done, { once: true }));
  if (video.readyState < 3) await event(video, "canplay");
  while (!track.cues || !track.cues.length) await new Promise((done) => setTimeout(done, 50));
  await video.play();
  while (video.currentTime < 0.7) await event(video, "timeupdate");
  video.pause();
  const played = video.currentTime, heard = video.webkitAudioDecodedByteCount;
  const shown = [];
  for (const time of times) {
    const frame = new Promise((done) => video.requestVideoFrameCallback((_, data) => done(data.mediaTime)));
    video.currentTime = time + 0.001;
    shown.push(await frame);
  }
  return { played, heard, shown, duration: video.duration, cues: track.cues.length,
           first: track.cues[0].text, error: video.error && video.error.message };
}"""


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with a film that speaks."""
    root = tmp_path_factory.mktemp("speaking") / "studio"
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    studio = Studio(root)
    for name in BEATS:
        samples = np.concatenate([sound.silence(0.2), ToneVoice().say(name, "zh")])
        sound.write(root / "recordings" / "zh" / f"{name}.wav", samples)
    done = studio.explain("render", "--voice", "recordings")
    assert done.returncode == 0, done.stdout + done.stderr
    return studio


@pytest.fixture
def page(watched: Watched) -> Page:
    return watched.page


def looked_at(page: Page, film: Path, folder: Path, times: list[float]) -> dict[str, Any]:
    """What the browser showed of `film`."""
    for path in (film, film.with_suffix(".vtt")):
        shutil.copyfile(path, folder / f"film{path.suffix}")
    (folder / "index.html").write_text(PAGE.format(film="film.mp4", captions="film.vtt"), encoding="utf-8")
    with Server(folder) as server:
        page.goto(f"{server.mount('film', folder)}/index.html")
        found: dict[str, Any] = page.evaluate(LOOK, times)
        page.goto("about:blank")
    return found


def test_the_film_plays_and_every_chapter_is_found_to_the_frame(speaking: Studio, page: Page, tmp_path: Path) -> None:
    manifest = json.loads(speaking.film().with_suffix(".json").read_text(encoding="utf-8"))
    fps = manifest["made_from"]["quality"]["fps"]
    starts = [chapter["start_frame"] for chapter in manifest["chapters"]]
    found = looked_at(page, speaking.film(), tmp_path, [start / fps for start in starts])
    assert found["error"] is None
    assert found["played"] >= 0.7
    assert found["heard"] > 0
    assert found["duration"] == pytest.approx(manifest["film"]["frames"] / fps, abs=1 / fps)
    assert [round(time * fps, 2) for time in found["shown"]] == starts
    assert found["cues"] >= len(BEATS)
    assert found["first"] == "先看一个方块。"


def test_a_clip_plays_and_shows_its_cues(speaking: Studio, page: Page, tmp_path: Path) -> None:
    found = looked_at(page, speaking.clips()["middle"], tmp_path, [0.0, 2.0])
    assert found["error"] is None
    assert found["played"] >= 0.7
    assert [round(time * 15, 2) for time in found["shown"]] == [0, 30]
    assert found["cues"] == 3


def test_the_plain_copy_plays(speaking: Studio, page: Page, tmp_path: Path) -> None:
    plain = speaking.film().with_name(f"{speaking.film().stem}.plain.mp4")
    shutil.copyfile(speaking.film().with_suffix(".vtt"), plain.with_suffix(".vtt"))
    found = looked_at(page, plain, tmp_path, [1.0])
    assert found["error"] is None
    assert found["heard"] > 0
    plain.with_suffix(".vtt").unlink()
