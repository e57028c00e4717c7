"""The film's own course kit: `make test-course`, after `make render LANGUAGE=all` and `make course`.

Everything that the small kit's tests look at once is gone through here scene by scene, in every language.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_film_plays import looked_at
from test_scorm import COMFORTABLE, FILES, KINDS, STATUS, Platform, status
from test_site import data, opened, place
from test_standards import SIZES, captions_read, check_captions, violations
from waiting import ready, until
from web_server import Server

if TYPE_CHECKING:
    from conftest import Watched

KIT = Path(os.environ["EXPLAINER_COURSE"])
# 16 times as fast as the film, in every scene anew: the most that Chromium plays.
HURRY = "setInterval(() => { if (video.playbackRate !== 16) video.playbackRate = 16; }, 50)"

CURRENT_IN_VIEW = """() => {
  const box = document.getElementById("scroll").getBoundingClientRect();
  const beat = document.querySelector(".beat[aria-current]").getBoundingClientRect();
  return beat.top >= box.top && beat.top < box.bottom - 10;
}"""


@cache
def manifest() -> dict[str, Any]:
    path = KIT / "manifest.json"
    assert path.is_file(), f"there is no course kit in {KIT}; make render LANGUAGE=all, then make course, writes it"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def files(kind: str, language: str) -> Iterator[dict[str, Any]]:
    """The kit's files of one kind in one language."""
    return (file for file in manifest()["files"] if (file["kind"], file["language"]) == (kind, language))


@pytest.fixture(params=["zh", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["file", "server"])
def where(request: pytest.FixtureRequest, server: Server) -> str:
    """The site's address: on the disk, on a server."""
    site = KIT / "site"
    return site.as_uri() if request.param == "file" else server.mount("film", site)


def test_every_file_is_what_the_list_says() -> None:
    for file in manifest()["files"]:
        path = KIT / file["path"]
        assert path.stat().st_size == file["bytes"], path
        with path.open("rb") as opened_file:
            assert hashlib.file_digest(opened_file, "sha256").hexdigest() == file["sha256"], path
    names = [Path(file["path"]).name for file in manifest()["files"] if file["path"].startswith("upload/")]
    assert len(names) == len(set(names))


def test_every_scene_plays_with_its_captions(watched: Watched, where: str, language: str) -> None:
    page = opened(watched, where)
    page.click(f"[data-language={language}]")
    edition = data(page)["editions"][language]
    for number, scene in enumerate(edition["scenes"]):
        page.click(f"ol:not([hidden]) [data-go='{number}']")
        ready(page, f"{language}-{number + 1:02}-")
        assert abs(page.evaluate("video.duration") - scene["seconds"]) < 0.05, scene["id"]
        tracks = page.evaluate(
            "[...video.textTracks].filter(track => track.mode === 'showing')"
            ".map(track => [track.kind, track.language, track.cues.length])"
        )
        assert tracks == [["captions", language, len(scene["captions"])]], scene["id"]
        page.evaluate("video.currentTime = video.duration / 2")
        until(page, "!video.seeking && video.readyState >= 3")
        page.evaluate("video.play()")
        half = scene["seconds"] / 2
        until(page, "half => video.currentTime > half + 0.3", half)
        page.evaluate("video.pause()")
        assert place(page)[0] == number
    assert len(edition["scenes"]) == 19
    page.check("#described")
    until(page, CURRENT_IN_VIEW)
    page.uncheck("#described")
    until(page, CURRENT_IN_VIEW)
    assert [url for url in watched.asked if not url.startswith((where, "blob:"))] == []


def test_the_film_finds_every_chapter_to_the_frame(watched: Watched, language: str, tmp_path: Path) -> None:
    """Both copies of the film, with and without chapters inside, as they are put on a platform."""
    [chapters] = files("chapters", language)
    [captions] = (f for f in files("captions", language) if f["scene"] is None and f["path"].endswith(".vtt"))
    [read_chapters, read_captions] = captions_read([KIT / chapters["path"], KIT / captions["path"]])
    starts = [start for start, _, _ in read_chapters["cues"]]
    assert len(starts) == 19
    films = [film for film in files("film", language) if film["path"].startswith("upload/")]
    assert len(films) == 2
    for film in films:
        copy = tmp_path / "copy.mp4"
        for link, target in ((copy, film["path"]), (copy.with_suffix(".vtt"), captions["path"])):
            link.unlink(missing_ok=True)
            link.symlink_to(KIT / target)
        found = looked_at(watched.page, copy, tmp_path, starts)
        assert found["error"] is None
        assert found["heard"] > 0, "the film speaks"
        assert abs(found["duration"] - film["seconds"]) < 0.05
        # A chapter's time is told to the millisecond.
        assert all(abs(shown - start) < 0.002 for shown, start in zip(found["shown"], starts, strict=True)), found
        assert found["cues"] == len(read_captions["cues"])


def test_an_independent_parser_reads_every_caption_file() -> None:
    paths = sorted((KIT / "upload").rglob("*.vtt"))
    assert len(paths) == 2 * (19 + 2)
    check_captions(paths)


@pytest.mark.parametrize("watched", list(SIZES.values()), ids=list(SIZES), indirect=True)
def test_the_pages_are_accessible(watched: Watched, server: Server, language: str) -> None:
    page = watched.page
    page.goto(server.mount("film", KIT / "site") + "/index.html")
    ready(page)
    page.click(f"[data-language={language}]")
    ready(page, f"{language}-01-")
    page.check("#described")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the page"
    page.goto(server.mount("film", KIT / "site") + f"/values-{language}.html")
    assert violations(page) == []


@KINDS
def test_watched_on_a_platform(watched: Watched, server: Server, tmp_path: Path, kind: str) -> None:
    """Left in the seventh scene and taken up there; then all is watched, SCORM 1.2 in Chinese from a server that sends
    whole files only, SCORM 2004 in English from one that sends parts."""
    language, ranges = ("zh", False) if kind == "scorm12" else ("en", True)
    [archive] = KIT.glob(f"*-SCORM-{FILES[kind]}.zip")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / kind)
    address = server.mount(f"film-{kind}", tmp_path / kind, ranges=ranges)
    there = Platform(watched.page, kind, f"{server.address}/tests", f"{address}/index.html")
    frame = there.start()
    frame.click(f"[data-language={language}]")
    ready(frame, f"{language}-01-")
    frame.click("ol:not([hidden]) [data-go='6']")
    ready(frame, f"{language}-07-")
    frame.evaluate("video.pause()")
    frame.evaluate("video.currentTime = 12.5")
    until(frame, "!video.seeking && Math.abs(video.currentTime - 12.5) < 0.02")
    state = there.leave()
    assert status(kind, state) == "incomplete"

    frame = there.start(state)
    ready(frame, f"{language}-07-")
    until(frame, "Math.abs(video.currentTime - 12.5) < 0.06")
    frame.click("ol:not([hidden]) [data-go='0']")
    ready(frame, f"{language}-01-")
    frame.evaluate(HURRY)
    frame.evaluate("video.play()")
    until(frame, "document.querySelectorAll('ol:not([hidden]) .done').length === 19", seconds=400)
    until(frame, "video.ended", seconds=60)
    state = there.leave()
    assert status(kind, state) == "completed"
    assert there.said(STATUS[kind]) == ["completed"]
    assert max(len(text) for text in there.said("cmi.suspend_data")) < COMFORTABLE
    assert [url for url in watched.asked if not url.startswith((server.address, "blob:"))] == []
