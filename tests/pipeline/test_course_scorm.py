"""The SCORM packages as files: names, order, manifests, the same bytes every time. The browser tests run them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from course_kit import SLUG, Page, make_kit, package
from small_studio import Studio

from pipeline.course.scorm import manifest, write_package
from pipeline.storyboard import CourseSettings

pytestmark = pytest.mark.xdist_group("course")  # one render for all

CP = {
    "1.2": "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}",
    "2004-4th": "{http://www.imsglobal.org/xsd/imscp_v1p1}",
}
ADL = {"1.2": "{http://www.adlnet.org/xsd/adlcp_rootv1p2}", "2004-4th": "{http://www.adlnet.org/xsd/adlcp_v1p3}"}
SS = "{http://www.imsglobal.org/xsd/imsss}"
TYPE = {"1.2": "scormtype", "2004-4th": "scormType"}
SCHEMA = {"1.2": "1.2", "2004-4th": "2004 4th Edition"}
VERSIONS = pytest.mark.parametrize("version", ["1.2", "2004-4th"])


@pytest.fixture(scope="module")
def kit(finished: Studio, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = "{watched: 0.8, quizzes: true, passing: 0.75}"
    return make_kit(finished, tmp_path_factory.mktemp("scorm") / "studio", settings)[1]


def root_of(kit: Path, version: str) -> ElementTree.Element:
    with package(kit, version) as archive:
        return ElementTree.fromstring(archive.read("imsmanifest.xml"))


@VERSIONS
def test_the_manifest_says_what_the_standard_asks(kit: Path, version: str) -> None:
    root, cp, adl = root_of(kit, version), CP[version], ADL[version]
    assert root.findtext(f"{cp}metadata/{cp}schema") == "ADL SCORM"
    assert root.findtext(f"{cp}metadata/{cp}schemaversion") == SCHEMA[version]
    organizations = root.find(f"{cp}organizations")
    assert organizations is not None
    (organization,) = organizations.findall(f"{cp}organization")
    assert organizations.get("default") == organization.get("identifier")
    (item,) = organization.findall(f"{cp}item")
    assert item.findtext(f"{cp}title") == "小电影"
    (resource,) = root.findall(f"{cp}resources/{cp}resource")
    assert item.get("identifierref") == resource.get("identifier")
    assert resource.get(adl + TYPE[version]) == "sco"
    assert resource.get("type") == "webcontent"
    assert resource.get("href") == "index.html"
    identifiers = [one.get("identifier") for one in root.iter() if one.get("identifier")]
    assert len(identifiers) == len(set(identifiers))


@VERSIONS
def test_the_manifest_names_the_files_that_are_in_the_package(kit: Path, version: str) -> None:
    cp = CP[version]
    with package(kit, version) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    listed = [file.get("href") for file in root_of(kit, version).iter(f"{cp}file")]
    assert listed[0] == names[0] == "index.html"
    assert sorted([*listed, "imsmanifest.xml"]) == sorted(names)
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.isascii() and "/" not in name and "\\" not in name and " " not in name for name in names)


@VERSIONS
def test_the_page_of_a_package_speaks_to_its_own_platform(kit: Path, version: str, tmp_path: Path) -> None:
    with package(kit, version) as archive:
        archive.extractall(tmp_path)
    page = Page(tmp_path / "index.html")
    scripts = [one["src"] for one in page.all("script") if "src" in one]
    assert all((tmp_path / script).is_file() for script in scripts)
    assert ("scorm12.js" in scripts, "scorm2004.js" in scripts) == (version == "1.2", version != "1.2")
    assert page.data["editions"]["zh"]["film"] is None
    assert page.data["watched"] == 0.8
    for one in page.all("link") + page.all("a") + page.all("video"):
        target = (one.get("href") or one.get("poster") or "").split("#")[0]
        assert not target or (tmp_path / target).is_file()


@VERSIONS
def test_students_get_the_worksheet_and_not_its_answers(kit: Path, version: str, tmp_path: Path) -> None:
    with package(kit, version) as archive:
        archive.extractall(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    sheets = {f"worksheet-{language}.html" for language in ("zh", "en")}
    assert {name for name in names if name.startswith("worksheet")} == sheets
    links = {one.get("href") for one in Page(tmp_path / "index.html").all("a")}
    assert sheets <= links
    assert not [link for link in links if link and "answers" in link]
    # The teacher's site has both.
    site = {one.get("href") for one in Page(kit / "site" / "index.html").all("a")}
    answers = {f"worksheet-{language}-answers.html" for language in ("zh", "en")}
    assert sheets | answers <= site
    assert all((kit / "site" / name).is_file() for name in answers)


def test_the_score_that_passes_is_told_to_the_platform(kit: Path) -> None:
    assert root_of(kit, "1.2").findtext(f".//{ADL['1.2']}masteryscore") == "75"
    assert root_of(kit, "2004-4th").findtext(f".//{SS}minNormalizedMeasure") == "0.75"


def test_without_questions_no_score_is_asked_for() -> None:
    for kind in ("scorm12", "scorm2004"):
        text = manifest(kind, "film", "A & B <c>", ["index.html"], CourseSettings())
        assert "A &amp; B &lt;c&gt;" in text
        assert "masteryscore" not in text
        assert "minNormalizedMeasure" not in text


def test_a_title_with_signs_that_xml_lacks_is_still_xml() -> None:
    text = manifest("scorm12", "film", "a\x07b\u2028 \"c\" 'd'", ["index.html"], CourseSettings())
    assert "ab\u2028 \"c\" 'd'" in [one.text for one in ElementTree.fromstring(text).iter()]


def test_questions_come_from_the_trace_and_are_in_both_languages(kit: Path) -> None:
    page = Page(kit / "site" / "index.html")
    for language in ("zh", "en"):
        asked = [scene["question"] for scene in page.data["editions"][language]["scenes"]]
        assert sum(question is not None for question in asked) >= 2
        for question in filter(None, asked):
            assert len(question["options"]) == len(set(question["options"])) >= 3
            assert 0 <= question["answer"] < len(question["options"])
            assert question["options"][question["answer"]] in question["why"]


def test_a_package_is_the_same_whenever_it_is_written(tmp_path: Path) -> None:
    clip = tmp_path / "a.mp4"
    clip.write_bytes(b"\x00" * 3_000_000)
    for name in ("one.zip", "two.zip"):
        write_package(tmp_path / name, {"b.js": "1", "index.html": "<p>", "imsmanifest.xml": "<m/>"}, {"a.mp4": clip})
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == ["index.html", "b.js", "imsmanifest.xml", "a.mp4"]
        assert archive.read("a.mp4") == clip.read_bytes()


@pytest.mark.parametrize("name", ["字.mp4", "a b.mp4", "a/b.mp4", "../b.mp4", ""])
def test_a_name_that_a_platform_might_not_take_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no name for a file"):
        write_package(tmp_path / "x.zip", {"index.html": ""}, {name: tmp_path / "x"})
    with pytest.raises(ValueError, match="capitals alone"):
        write_package(tmp_path / "x.zip", {"index.html": "", "A.js": "", "a.js": ""}, {})


def test_the_packages_carry_the_films_name(kit: Path) -> None:
    assert sorted(path.name for path in kit.glob("*.zip")) == [f"{SLUG}-SCORM-1.2.zip", f"{SLUG}-SCORM-2004-4th.zip"]
