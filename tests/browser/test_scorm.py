"""The SCORM packages on a learning platform: watch, leave, come back, finish; every call is looked at.

The platform (scorm-again) forgives much, so what the standards ask of the calls is asserted here.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from course_kit import SLUG
from waiting import ready, until
from web_server import Server

if TYPE_CHECKING:
    from conftest import Watched
    from playwright.sync_api import Frame, Page

FILES = {"scorm12": "1.2", "scorm2004": "2004-4th"}
KINDS = pytest.mark.parametrize("kind", list(FILES))
RANGES = pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no-ranges"])

# What an activity may write, and what it may say (SCORM 1.2 RTE 3.4, SCORM 2004 4th Edition RTE 4.2).
TIMES = {
    "scorm12": r"\d{2,4}:[0-5]\d:[0-5]\d(\.\d{1,2})?",
    "scorm2004": r"PT(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,2})?S)?",
}
LEGAL: dict[str, dict[str, str]] = {
    "scorm12": {
        "cmi.suspend_data": r".{0,4096}",
        "cmi.core.lesson_location": r".{1,255}",
        "cmi.core.lesson_status": r"passed|completed|failed|incomplete|browsed",
        "cmi.core.exit": r"|time-out|suspend|logout",
        "cmi.core.session_time": TIMES["scorm12"],
        "cmi.core.score.raw": r"\d{1,2}|100",
        "cmi.core.score.min": r"0",
        "cmi.core.score.max": r"100",
    },
    "scorm2004": {
        "cmi.suspend_data": r".{0,4096}",
        "cmi.location": r".{1,1000}",
        "cmi.completion_status": r"completed|incomplete",
        "cmi.success_status": r"passed|failed",
        "cmi.progress_measure": r"0(\.\d+)?|1",
        "cmi.exit": r"|time-out|suspend|logout|normal",
        "cmi.session_time": TIMES["scorm2004"],
        "cmi.score.raw": r"\d{1,2}|100",
        "cmi.score.min": r"0",
        "cmi.score.max": r"100",
        "cmi.score.scaled": r"0(\.\d+)?|1",
    },
}
STATUS = {"scorm12": "cmi.core.lesson_status", "scorm2004": "cmi.completion_status"}
EXIT = {"scorm12": "cmi.core.exit", "scorm2004": "cmi.exit"}
LAST = {"scorm12": "Finish", "scorm2004": "Terminate"}
COMFORTABLE = 1000  # characters of suspend_data: "far under 4096"


@dataclass
class Platform:
    """A learning platform with one activity."""

    page: Page
    kind: str
    host: str
    address: str

    def start(self, left: dict[str, Any] | None = None) -> Frame:
        """Start the activity; `left`: what it left the last time."""
        self.page.goto(f"{self.host}/platform.html")
        self.page.evaluate("([kind, at, left]) => startActivity(kind, at, left)", [self.kind, self.address, left])
        element = self.page.wait_for_selector("#activity")
        assert element is not None
        frame = element.content_frame()
        assert frame is not None
        until(self.page, "!!document.getElementById('activity').contentWindow.course?.Watched")
        ready(frame)
        return frame

    def leave(self) -> dict[str, Any]:
        """The learner closes the activity; what the platform keeps of it."""
        self.page.evaluate("leaveActivity()")
        until(self.page, f"window.platform.calls.some(call => call.method === '{LAST[self.kind]}')")
        check_calls(self.kind, self.calls())
        return dict(self.page.evaluate("platformState()"))

    def calls(self) -> list[dict[str, Any]]:
        return list(self.page.evaluate("window.platform.calls"))

    def said(self, name: str) -> list[str]:
        """What was written to `name`, in order."""
        return [c["values"][1] for c in self.calls() if c["method"] == "SetValue" and c["values"][0] == name]


def check_calls(kind: str, calls: list[dict[str, Any]]) -> None:
    """The laws of a session, whatever the platform lets pass."""
    methods = [call["method"] for call in calls if call["method"] != "GetLastError"]
    assert methods[0] == "Initialize"
    assert methods[-1] == LAST[kind], "nothing is said after goodbye"
    assert methods.count("Initialize") == methods.count(LAST[kind]) == 1
    assert methods[-2] == "Commit"
    for call in calls:
        if call["method"] == "SetValue":
            name, value = call["values"]
            assert name in LEGAL[kind], f"{name} is not for an activity to write"
            assert re.fullmatch(LEGAL[kind][name], value, re.DOTALL), f"{name} = {value!r}"
            assert (call["result"], call["error"]) == ("true", "0"), call
        elif call["method"] in {"Initialize", "Commit", LAST[kind]}:
            assert call["values"] == [""]
            assert (call["result"], call["error"]) == ("true", "0"), call
    written = {c["values"][0]: c["values"][1] for c in calls if c["method"] == "SetValue"}
    assert len(written["cmi.suspend_data"]) < COMFORTABLE
    assert written[EXIT[kind]] == "suspend", "the platform is asked to keep the place"
    names = [name for name in LEGAL[kind] if name.endswith("session_time")]
    assert names[0] in written


def status(kind: str, state: dict[str, Any]) -> str:
    return str(state["core"]["lesson_status"] if kind == "scorm12" else state["completion_status"])


@pytest.fixture
def platform(
    request: pytest.FixtureRequest, watched: Watched, server: Server, tmp_path: Path
) -> Callable[..., Platform]:
    """Makes a platform for a package of a kit."""

    def make(kit: Path, kind: str, *, ranges: bool = True) -> Platform:
        folder = tmp_path / kind
        with zipfile.ZipFile(kit / f"{SLUG}-SCORM-{FILES[kind]}.zip") as archive:
            archive.extractall(folder)
        address = server.mount(f"{request.node.name.replace('/', '-')}", folder, ranges=ranges)
        return Platform(watched.page, kind, f"{server.address}/tests", f"{address}/index.html")

    return make


def watch(frame: Frame, seconds: float = 40.0) -> None:
    """Play on until everything has been watched."""
    frame.click("#play")
    until(frame, "document.querySelectorAll('ol:not([hidden]) .done').length === 3", seconds=seconds)


@KINDS
@RANGES
def test_watch_leave_come_back_and_complete(
    platform: Callable[..., Platform], kit: Path, kind: str, ranges: bool, watched: Watched
) -> None:
    there = platform(kit, kind, ranges=ranges)
    frame = there.start()
    frame.click("[data-language=zh]")
    ready(frame, "zh-01-")
    frame.click("#play")
    until(frame, "document.querySelector('ol:not([hidden]) [aria-current]').dataset.go === '1'")
    ready(frame, "-02-")
    frame.evaluate("video.pause()")
    frame.evaluate("video.currentTime = 1.1")
    until(frame, "!video.seeking && Math.abs(video.currentTime - 1.1) < 0.02")
    state = there.leave()
    assert status(kind, state) == "incomplete"
    location = state["core"]["lesson_location"] if kind == "scorm12" else state["location"]
    assert location == "middle@1.1"

    frame = there.start(state)
    ready(frame, "zh-02-")
    until(frame, "Math.abs(video.currentTime - 1.1) < 0.06")
    assert frame.evaluate("video.paused")
    assert frame.evaluate("document.querySelectorAll('ol:not([hidden]) .done').length") == 1
    frame.evaluate("video.currentTime = 0")
    until(frame, "!video.seeking")
    watch(frame)
    until(frame, "video.ended")
    state = there.leave()
    assert status(kind, state) == "completed"
    if kind == "scorm2004":
        assert float(state["progress_measure"]) == 1
    assert there.said(STATUS[kind]) == ["completed"]

    frame = there.start(state)
    state = there.leave()
    assert status(kind, state) == "completed", "what was reached is never taken back"
    assert there.said(STATUS[kind]) == []
    assert [url for url in watched.asked if not url.startswith((there.host.rpartition("/")[0], "blob:"))] == []


@KINDS
def test_an_activity_that_is_only_looked_at_was_attempted(
    platform: Callable[..., Platform], kit: Path, kind: str
) -> None:
    there = platform(kit, kind)
    there.start()
    state = there.leave()
    assert status(kind, state) == "incomplete"
    assert there.said(STATUS[kind]) == ["incomplete"]


@KINDS
def test_without_questions_no_score_is_written(platform: Callable[..., Platform], kit: Path, kind: str) -> None:
    there = platform(kit, kind)
    watch(there.start())
    there.leave()
    assert not [c for c in there.calls() if c["method"] == "SetValue" and "score" in c["values"][0]]


def answer(frame: Frame, right: bool) -> None:
    """Answer the question that is shown."""
    scenes = frame.evaluate("JSON.parse(document.getElementById('course-data').textContent).editions.en.scenes")
    asked = frame.text_content("#quiz-ask")
    question = next(one["question"] for one in scenes if one["question"] and one["question"]["ask"] == asked)
    wrong = next(n for n in range(len(question["options"])) if n != question["answer"])
    frame.check(f"#quiz-options input[value='{question['answer'] if right else wrong}']")
    frame.click("#quiz-form button")
    assert question["why"] in str(frame.text_content("#quiz-feedback"))


@KINDS
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
def test_questions_make_the_score(platform: Callable[..., Platform], asking_kit: Path, kind: str, right: bool) -> None:
    there = platform(asking_kit, kind)
    frame = there.start()
    scenes = frame.evaluate("JSON.parse(document.getElementById('course-data').textContent).editions.en.scenes")
    asked = [number for number, scene in enumerate(scenes) if scene["question"]]
    assert len(asked) >= 2
    for number in range(3):
        frame.click(f"ol:not([hidden]) [data-go='{number}']")
        ready(frame, f"-{number + 1:02}-")
        until(frame, "video.ended")
        if number in asked:
            until(frame, "!document.getElementById('quiz').hidden")
            answer(frame, right)
            answer(frame, True)  # trying again changes nothing: the first answer counts
    state = there.leave()
    prefix = "cmi.core.score" if kind == "scorm12" else "cmi.score"
    assert there.said(f"{prefix}.raw")[-1] == ("100" if right else "0")
    if kind == "scorm12":
        assert status(kind, state) == ("passed" if right else "failed")
    else:
        assert status(kind, state) == "completed"
        assert state["success_status"] == ("passed" if right else "failed")
        assert there.said("cmi.score.scaled")[-1] == ("1" if right else "0")


@KINDS
def test_without_a_platform_the_film_plays_and_says_so(
    platform: Callable[..., Platform], kit: Path, kind: str, watched: Watched
) -> None:
    there = platform(kit, kind)
    page = watched.page
    page.goto(there.address)
    ready(page)
    assert "No learning platform was found" in str(page.text_content("#notice"))
    watch(page.main_frame)


def test_times_are_written_as_the_standards_ask(platform: Callable[..., Platform], kit: Path, watched: Watched) -> None:
    for kind, name in (("scorm12", "timespan12"), ("scorm2004", "timespan2004")):
        page = watched.page
        page.goto(platform(kit, kind).address)
        seconds = [0, 0.004, 0.5, 9.994, 9.996, 59.999, 60, 61.5, 3599.996, 3600, 35_999.99, 360_000]
        written = page.evaluate(f"all => all.map(course.{name})", seconds)
        for text, value in zip(written, seconds, strict=True):
            assert re.fullmatch(TIMES[kind], text), text
            if kind == "scorm12":
                hours, minutes, rest = text.split(":")
                told = int(hours) * 3600 + int(minutes) * 60 + float(rest)
            else:
                parts = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?([\d.]+)S", text)
                assert parts is not None
                told = int(parts[1] or 0) * 3600 + int(parts[2] or 0) * 60 + float(parts[3])
            assert told == pytest.approx(value, abs=0.0051)
