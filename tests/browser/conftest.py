"""A real browser for the tests of the course kit: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # `make test` collects these tests where Playwright is not installed
    from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pipeline"))
from course_kit import make_kit
from small_studio import DATA, Studio
from web_server import Server

NPM = Path(__file__).parent / "node_modules"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>{folder}</dir>
<cachedir>{cache}</cachedir>
</fontconfig>
"""


# The film's own kit is there only where somebody has rendered it; `make test-course` says which one to look at.
collect_ignore = [] if os.environ.get("EXPLAINER_COURSE") else ["test_real_course.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


def chromium() -> str:
    """The browser to drive."""
    named = os.environ.get("EXPLAINER_BROWSER")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "there is no Chromium; run make test-browser, which installs it"
    return found


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio, rendered in both languages."""
    root = tmp_path_factory.mktemp("studio") / "studio"
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    made = Studio(root)
    done = made.explain("render", "--language", "all")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture(scope="session")
def kit(studio: Studio, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small studio's course kit."""
    return make_kit(studio, tmp_path_factory.mktemp("kit") / "studio")[1]


@pytest.fixture(scope="session")
def asking_kit(studio: Studio, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a question after each scene."""
    settings = "{watched: 0.8, quizzes: true, passing: 0.5}"
    return make_kit(studio, tmp_path_factory.mktemp("asking") / "studio", settings)[1]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A local web server; see `Server.mount`."""
    with Server(tmp_path_factory.mktemp("host")) as running:
        running.mount("npm", NPM)
        running.mount("tests", Path(__file__).parent)
        yield running


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    import manimgx_fonts_cjk  # noqa: PLC0415 (so that Chinese is drawn on a machine without Chinese fonts)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (see above)

    fonts = tmp_path_factory.mktemp("fonts")
    text = _FONTS.format(folder=Path(manimgx_fonts_cjk.__file__).parent, cache=fonts / "cache")
    (fonts / "fonts.conf").write_text(text, encoding="utf-8")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
            env=os.environ | {"FONTCONFIG_FILE": str(fonts / "fonts.conf")},
        )
        yield running
        running.close()


class Watched:
    """A page of its own, with everything that it complained of and asked for."""

    def __init__(self, browser: Browser, **settings: Any) -> None:
        self.context = browser.new_context(**({"locale": "en"} | settings))
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.context.on("page", self._follow)
        self.page: Page = self.context.new_page()

    def _follow(self, page: Page) -> None:
        page.on("console", lambda said: said.type in {"error", "warning"} and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture
def watched(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A fresh page; the test may ask for settings with `@pytest.mark.parametrize("watched", [...], indirect=True)`."""
    made = Watched(browser, **getattr(request, "param", {}))
    yield made
    made.context.close()
    assert made.complaints == []
