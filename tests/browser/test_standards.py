"""What others say: axe-core of the pages, webvtt-parser of the captions, the standard's schemas of the manifests."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import NPM
from course_kit import SLUG
from waiting import ready, until
from web_server import Server

if TYPE_CHECKING:
    from conftest import Watched

SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
# Every rule of WCAG 2.2 A and AA that can be checked by machine, and axe's own good practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Any) -> list[tuple[str, list[str]]]:
    page.evaluate((NPM / "axe-core" / "axe.min.js").read_text(encoding="utf-8") + ";0")
    found = page.evaluate("rules => axe.run(document, {preload: false, runOnly: {type: 'tag', values: rules}})", RULES)
    assert len(found["passes"]) > 8
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("watched", list(SIZES.values()), ids=list(SIZES), indirect=True)
def test_the_page_is_accessible(watched: Watched, asking_kit: Path, server: Server, language: str) -> None:
    page = watched.page
    page.goto(server.mount("asking", asking_kit / "site") + "/index.html")
    ready(page)
    page.click(f"[data-language={language}]")
    ready(page, f"{language}-01-")
    assert violations(page) == []
    page.check("#described")
    page.click("ol:not([hidden]) [data-go='1']")
    ready(page, "-02-")
    until(page, "video.ended && !document.getElementById('quiz').hidden")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the page"


def test_what_can_be_pressed_is_large_enough_and_its_focus_is_seen(watched: Watched, asking_kit: Path) -> None:
    page = watched.page
    page.goto(f"{(asking_kit / 'site').as_uri()}/index.html")
    ready(page)
    small = page.evaluate(
        "[...document.querySelectorAll('button, select, label, .files a')].filter(e => e.checkVisibility())"
        ".map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])"
        ".filter(([, box]) => box.height < 24 || box.width < 24).map(([html]) => html)"
    )
    assert small == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        focus = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e.id === 'video' ? e.parentNode : e);"
            " return [e.id || e.className || e.tagName, s.outlineStyle, parseFloat(s.outlineWidth)] })()"
        )
        if focus[0] == "BODY":
            break
        seen.add(focus[0])
        assert focus[1] == "solid", focus
        assert focus[2] >= 2, focus
    assert {"video", "play", "next", "captions", "speed", "continue", "keys", "scroll"} <= seen


@pytest.mark.parametrize("watched", [{"reduced_motion": "reduce"}], ids=["reduced"], indirect=True)
def test_nothing_moves_for_those_who_ask_for_less_motion(watched: Watched, kit: Path) -> None:
    page = watched.page
    page.goto(f"{(kit / 'site').as_uri()}/index.html")
    ready(page)
    page.evaluate(
        "(() => { window.moves = []; const box = document.getElementById('scroll');"
        " box.scrollTo = options => void window.moves.push(options.behavior) })()"
    )
    page.click(".text:not([hidden]) .beat:last-child .jump")
    until(page, "window.moves.length > 0")
    assert set(page.evaluate("window.moves")) == {"auto"}
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(e => getComputedStyle(e).transitionDuration === '0s')"
    )


@pytest.mark.parametrize("name", ["values-zh.html", "values-en.html"])
def test_the_page_of_values_is_accessible(watched: Watched, kit: Path, server: Server, name: str) -> None:
    watched.page.goto(server.mount("values", kit / "site") + f"/{name}")
    assert violations(watched.page) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_snippets_page_is_accessible_and_plays(watched: Watched, kit: Path, server: Server, language: str) -> None:
    page = watched.page
    page.goto(server.mount("upload", kit / "upload" / language) + f"/{SLUG}-{language}-embed.html")
    assert violations(page) == []
    page.evaluate("document.querySelector('video').play()")
    until(page, "document.querySelector('video').currentTime > 0.3")
    assert page.evaluate("document.querySelector('video').textTracks[0].cues.length") >= 6


def captions_read(files: Sequence[Path]) -> list[dict[str, Any]]:
    """What an independent parser reads in WebVTT files: `file`, `errors`, `cues` as (begin, end, text)."""
    script = Path(__file__).with_name("check_vtt.js")
    done = subprocess.run(["node", str(script), *map(str, files)], capture_output=True, text=True, check=True)
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["file"] for one in read] == list(map(str, files))
    return read


def check_captions(files: Sequence[Path]) -> None:
    """The independent parser finds no fault, and no cue before the end of the one in front of it."""
    for one in captions_read(files):
        assert one["errors"] == [], one["file"]
        assert one["cues"], one["file"]
        assert all(start < end for start, end, _ in one["cues"])
        assert all(before[1] <= after[0] for before, after in pairwise(one["cues"]))


def test_an_independent_parser_finds_no_fault_in_any_caption_file(kit: Path) -> None:
    files = sorted((kit / "upload").rglob("*.vtt"))
    assert len(files) == 10
    check_captions(files)


@pytest.mark.parametrize(
    ("version", "folder", "roots"),
    [
        ("1.2", "scorm12edition", ["imscp_rootv1p1p2.xsd", "adlcp_rootv1p2.xsd"]),
        ("2004-4th", "scorm20044thedition", ["imscp_v1p1.xsd", "adlcp_v1p3.xsd", "imsss_v1p0.xsd"]),
    ],
)
@pytest.mark.parametrize("quizzes", [False, True], ids=["plain", "asking"])
def test_the_manifest_is_valid_by_the_standards_schemas(
    kit: Path, asking_kit: Path, version: str, folder: str, roots: list[str], quizzes: bool
) -> None:
    import xmlschema  # noqa: PLC0415 (of the extra browser-test)

    with zipfile.ZipFile((asking_kit if quizzes else kit) / f"{SLUG}-SCORM-{version}.zip") as archive:
        text = archive.read("imsmanifest.xml").decode()
    schemas = NPM / "schemas" / folder
    # The 1.2 set's own schema of the xml: attributes is no XML; the later edition's does the same.
    attributes = (NPM / "schemas" / "scorm20044thedition" / "xml.xsd").as_uri()
    schema = xmlschema.XMLSchema10(
        [str(schemas / name) for name in roots],
        uri_mapper=lambda uri: attributes if uri.endswith("ims_xml.xsd") else uri,
        allow="local",
    )
    faults = [f"{fault.path}: {fault.reason}" for fault in schema.iter_errors(text)]
    assert faults == []
    broken = text.replace("identifierref=", "identifierreference=")
    assert list(schema.iter_errors(broken)), "the schemas are really asked"
