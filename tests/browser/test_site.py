"""The site in a real browser: from the disk and from a server, by mouse and by keyboard, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from waiting import ready, until
from web_server import Server

if TYPE_CHECKING:
    from conftest import Watched
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]


@pytest.fixture(params=["file", "ranges", "no ranges"])
def where(request: pytest.FixtureRequest, kit: Path, server: Server) -> str:
    """The site's address: on the disk, on a server, on a server that sends whole files only."""
    if request.param == "file":
        return (kit / "site").as_uri()
    name = request.param.replace(" ", "-")
    return server.mount(name, kit / "site", ranges=request.param == "ranges")


def opened(watched: Watched, where: str) -> Page:
    page = watched.page
    page.goto(f"{where}/index.html")
    ready(page)
    return page


def place(page: Page) -> tuple[int, float]:
    """The scene that is marked in the contents, and the video's second."""
    scene = page.evaluate("Number(document.querySelector('ol:not([hidden]) [aria-current]').dataset.go)")
    return scene, float(page.evaluate("video.currentTime"))


def data(page: Page) -> dict[str, Any]:
    return dict(page.evaluate("JSON.parse(document.getElementById('course-data').textContent)"))


def test_every_scene_plays_to_its_end_and_the_next_begins(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    assert page.evaluate("video.paused"), "nothing plays by itself"
    page.click("#play")
    until(page, "document.querySelectorAll('ol:not([hidden]) .done').length === 3", seconds=30)
    until(page, "video.ended")
    assert page.text_content("#progress") == "All scenes watched"
    assert place(page)[0] == 2
    outside = [url for url in watched.asked if not url.startswith((where, "blob:"))]
    assert outside == []


def test_captions_and_chapters_have_cues(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    for scene in range(3):
        page.click(f"ol:not([hidden]) [data-go='{scene}']")
        ready(page, f"-{scene + 1:02}-")
        page.evaluate("video.pause()")
        tracks = page.evaluate(
            "[...video.textTracks].map(track => [track.kind, track.language, track.mode,"
            " [...(track.cues || [])].map(cue => [cue.startTime, cue.text])])"
        )
        kinds = {(kind, language): (mode, cues) for kind, language, mode, cues in tracks}
        mode, cues = kinds["captions", "en"]
        assert mode == "showing"
        wanted = data(page)["editions"]["en"]["scenes"][scene]["captions"]
        assert [text for _, text in cues] == [
            text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for _, _, text in wanted
        ]
        assert len(kinds["chapters", "en"][1]) == 1
    page.click("#captions")
    assert page.evaluate("video.textTracks[0].mode") == "hidden"
    assert page.get_attribute("#captions", "aria-pressed") == "false"


def test_a_caption_shows_its_signs_as_they_are_written(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.click("ol:not([hidden]) [data-go='1']")
    ready(page, "-02-")
    page.evaluate("video.pause()")
    shown = page.evaluate("[...video.textTracks[0].cues].map(cue => cue.getCueAsHTML().textContent)")
    assert "Both <together>, a & b." in shown


def test_the_keys(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.keyboard.press("ArrowRight")
    ready(page, "-02-")
    assert place(page)[0] == 1
    page.keyboard.press("ArrowRight")
    ready(page, "-03-")
    assert place(page)[0] == 2
    page.keyboard.press("ArrowRight")
    assert place(page)[0] == 2
    page.keyboard.press("ArrowLeft")
    ready(page, "-02-")
    assert place(page)[0] == 1
    page.evaluate("video.currentTime = 1.5")
    page.keyboard.press("j")
    until(page, "video.currentTime === 0")
    page.evaluate("video.playbackRate = 0.25")
    page.keyboard.press(" ")
    until(page, "!video.paused")
    page.keyboard.press("k")
    until(page, "video.paused")
    page.keyboard.press("K")
    until(page, "!video.paused")
    page.keyboard.press("Space")
    until(page, "video.paused")
    page.keyboard.press("L")
    until(page, "video.currentTime >= video.duration - 0.01")


def test_keys_keep_their_meaning_where_they_have_one(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.focus("#next")
    page.keyboard.press("Space")  # presses the button, and does not start the video as well
    ready(page, "-02-")
    assert page.evaluate("video.paused")
    page.focus("#speed")
    page.keyboard.press("ArrowRight")
    assert place(page)[0] == 1
    page.uncheck("#keys")
    page.focus("#video")
    page.keyboard.press("k")
    page.wait_for_timeout(200)
    assert page.evaluate("video.paused"), "the shortcuts can be turned off"


def test_the_speed_is_kept_from_scene_to_scene(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.select_option("#speed", "1.5")
    assert page.evaluate("video.playbackRate") == 1.5
    page.click("#next")
    ready(page, "-02-")
    until(page, "video.playbackRate === 1.5")


def test_another_language_keeps_the_place(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    assert page.title() == "A small film"
    page.click("#next")
    ready(page, "en-02-")
    beats = {name: data(page)["editions"][name]["scenes"][1]["beats"] for name in ("zh", "en")}
    page.evaluate("second => (video.currentTime = second)", beats["en"][1] + 0.4)
    until(page, "video.currentTime > 0 && !video.seeking")
    page.click("[data-language=zh]")
    ready(page, "zh-02-")
    until(page, "video.currentTime > 0 && !video.seeking")
    scene, second = place(page)
    assert scene == 1
    assert second == pytest.approx(beats["zh"][1] + 0.4, abs=0.15)
    assert page.get_attribute("html", "lang") == "zh"
    assert page.title() == "小电影"
    assert page.text_content("#transcript h2") == "讲稿"
    assert page.get_attribute("#next", "aria-label") == "下一节"
    modes = page.evaluate("[...video.textTracks].map(t => [t.kind, t.language, t.mode])")
    assert ["captions", "zh", "showing"] in modes
    assert ["captions", "en", "disabled"] in modes
    visible = page.evaluate("[...document.querySelectorAll('[data-edition]')].filter(e => !e.hidden).map(e => e.lang)")
    assert set(visible) == {"zh"}


def test_the_place_is_there_when_one_comes_back(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.click("[data-language=zh]")
    page.click("ol:not([hidden]) [data-go='1']")
    ready(page, "zh-02-")
    page.evaluate("video.pause()")
    page.evaluate("video.currentTime = 1.2")
    until(page, "!video.seeking && document.querySelector('.beat[aria-current]')")
    page.select_option("#speed", "0.75")
    page.wait_for_timeout(300)
    page.goto("about:blank")
    page.goto(f"{where}/index.html")
    ready(page, "zh-02-")
    until(page, "Math.abs(video.currentTime - 1.2) < 0.11")
    assert page.evaluate("video.paused")
    assert page.evaluate("video.playbackRate") == 0.75
    assert page.get_attribute("html", "lang") == "zh"


def test_the_transcript_follows_and_jumps(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    starts = data(page)["editions"]["en"]["scenes"][1]["beats"]
    beat = f".text:not([hidden]) .beat[data-scene-at='1'][data-start='{starts[2]:g}']"
    page.click(f"{beat} .jump")
    ready(page, "-02-")
    page.evaluate("video.pause()")
    page.wait_for_selector(f"{beat}[aria-current]")
    scene, second = place(page)
    assert scene == 1
    assert second >= starts[2] - 0.01
    page.evaluate("video.currentTime = 0.1")
    page.wait_for_selector(".text:not([hidden]) .beat[data-scene-at='1'][data-start='0.0'][aria-current]")
    inside = page.evaluate(
        "(() => { const a = document.querySelector('.beat[aria-current]').getBoundingClientRect(),"
        " b = document.getElementById('scroll').getBoundingClientRect();"
        " return a.top >= b.top && a.bottom <= b.bottom })()"
    )
    assert inside, "the beat that is spoken is in view"


def test_what_is_seen_is_shown_when_it_is_asked_for(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    shown = "document.querySelector('.text:not([hidden]) p.seen').checkVisibility()"
    assert not page.evaluate(shown)
    page.check("#described")
    assert page.evaluate(shown)


def test_the_whole_film_runs_through_its_scenes(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.click("#next")
    ready(page, "-02-")
    page.check("#whole")
    ready(page, "film")
    starts = data(page)["editions"]["en"]["film"]["starts"]
    until(page, "second => Math.abs(video.currentTime - second) < 0.2", starts[1])
    page.click("#play")
    until(page, "document.querySelector('ol:not([hidden]) [aria-current]').dataset.go === '2'", seconds=20)
    until(page, "video.ended", seconds=20)
    done = page.evaluate("[...document.querySelectorAll('ol:not([hidden]) .done')].map(e => e.dataset.go)")
    assert done == ["1", "2"], "the first scene was not watched"
    page.uncheck("#whole")
    ready(page, "-03-")


def test_skipping_through_a_scene_is_not_watching_it(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    page.evaluate("video.currentTime = video.duration - 0.3")
    until(page, "!video.seeking")
    page.uncheck("#continue")
    page.click("#play")
    until(page, "video.ended")
    page.wait_for_timeout(200)
    assert page.text_content("#progress") == "0 of 3 watched"
    assert place(page)[0] == 0, "nobody asked for the next scene"


def test_links_lead_to_pages_that_are_there(watched: Watched, where: str) -> None:
    page = opened(watched, where)
    links = page.eval_on_selector_all(".files:not([hidden]) a", "all => all.map(a => a.href)")
    assert len(links) == 3
    for link in links:
        page.goto(link)
        assert page.title()


def test_a_server_without_byte_ranges_sends_each_video_once(watched: Watched, kit: Path, server: Server) -> None:
    where = server.mount("whole", kit / "site", ranges=False)
    server.log.clear()
    page = opened(watched, where)
    assert page.evaluate("video.src").startswith("blob:")
    page.evaluate("video.currentTime = 0.9")
    until(page, "!video.seeking && Math.abs(video.currentTime - 0.9) < 0.01")
    sent = [path for path, status in server.log if path.endswith(".mp4") and status == 200]
    assert len(sent) == len(set(sent)) == 1
    where = server.mount("parts", kit / "site")
    page.goto(f"{where}/index.html")
    ready(page)
    assert re.search(r"/parts/en-\d\d-\w+\.mp4$", page.evaluate("video.src"))


def test_without_scripts_every_scene_can_be_opened(browser: Any, kit: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{(kit / 'site').as_uri()}/index.html")
    links = page.locator("noscript a")
    assert links.count() == 6
    context.close()
