"""`explain course` on the small studio: what is in the kit, and what keeps it from being made."""

from __future__ import annotations

import hashlib
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from course_kit import SCENES, SLUG, Page, make_kit, manifest_of_kit, package
from small_studio import Studio

from pipeline.captions import captions_of, vtt
from pipeline.clips import sidecar_of
from pipeline.course.material import cues_of
from pipeline.course.record import CHECKSUMS, MANIFEST
from pipeline.probe import probe

pytestmark = pytest.mark.xdist_group("course")  # one render for all


@pytest.fixture(scope="module")
def made(finished: Studio, tmp_path_factory: pytest.TempPathFactory) -> tuple[Studio, Path]:
    return make_kit(finished, tmp_path_factory.mktemp("course") / "studio")


@pytest.fixture(scope="module")
def kit(made: tuple[Studio, Path]) -> Path:
    return made[1]


@pytest.fixture(scope="module")
def page(kit: Path) -> Page:
    return Page(kit / "site" / "index.html")


# --- the files --------------------------------------------------------------------------------------------------------


def test_the_manifest_names_every_file(kit: Path) -> None:
    there = {path.relative_to(kit).as_posix() for path in kit.rglob("*") if path.is_file()}
    files = {file["path"]: file for file in manifest_of_kit(kit)["files"]}
    assert there == files.keys() | {MANIFEST, CHECKSUMS}
    for path, file in files.items():
        data = (kit / path).read_bytes()
        assert file["bytes"] == len(data)
        assert file["sha256"] == hashlib.sha256(data).hexdigest()


def test_the_manifest_tells_length_language_scene_and_fingerprint_of_every_video(
    made: tuple[Studio, Path],
) -> None:
    studio, kit = made
    videos = [file for file in manifest_of_kit(kit)["files"] if file["path"].endswith(".mp4")]
    assert len(videos) == 2 * (3 + 1 + 3 + 2)
    for file in videos:
        assert file["seconds"] == pytest.approx(float(probe(kit / file["path"]).duration), abs=0.001)
        assert f"/{file['language']}" in file["path"]
        if file["scene"]:
            sidecar = sidecar_of(studio.clips(file["language"])[file["scene"]])
            assert sidecar is not None
            assert file["fingerprint"] == sidecar.fingerprint
    assert {file["scene"] for file in videos} == {None, *SCENES}


def test_the_checksums_are_those_of_sha256sum(kit: Path) -> None:
    lines = (kit / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    for line in lines:
        digest, path = line.split("  ", 1)
        assert hashlib.sha256((kit / path).read_bytes()).hexdigest() == digest
    assert len(lines) == sum(1 for path in kit.rglob("*") if path.is_file()) - 1


def test_names_in_the_upload_set_are_unique_and_portable(kit: Path) -> None:
    names = [path.name.lower() for path in (kit / "upload").rglob("*") if path.is_file()]
    assert len(names) == len(set(names)) > 30
    assert all(re.fullmatch(r"[a-z0-9._-]+", name) for name in names)
    assert not [path for path in (kit / "site").iterdir() if path.is_dir()]


def test_the_same_film_gives_the_same_kit(made: tuple[Studio, Path], kit: Path) -> None:
    studio, _ = made
    before = (kit / CHECKSUMS).read_text(encoding="utf-8")
    done = studio.explain("course", "--out", str(studio.root / "again"))
    assert done.returncode == 0, done.stderr
    assert (studio.root / "again" / CHECKSUMS).read_text(encoding="utf-8") == before


# --- the upload set ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_film_has_chapters_and_its_copy_has_none(kit: Path, language: str) -> None:
    folder = kit / "upload" / language
    film, plain = (probe(folder / f"{SLUG}-{language}{ending}.mp4") for ending in ("", "-no-chapters"))
    assert len(film.chapters) == 3
    assert plain.chapters == ()
    assert plain.streams == ("video",)
    assert (film.pts, film.key_frames) == (plain.pts, plain.key_frames)
    assert plain.boxes.index("moov") < plain.boxes.index("mdat")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_captions_are_those_of_the_film_and_its_clips(made: tuple[Studio, Path], language: str) -> None:
    studio, kit = made
    folder = kit / "upload" / language
    film = studio.film(language)
    assert (folder / f"{SLUG}-{language}.vtt").read_bytes() == film.with_suffix(".vtt").read_bytes()
    srt = (folder / f"{SLUG}-{language}.srt").read_text(encoding="utf-8")
    cues = cues_of(film.with_suffix(".vtt").read_text(encoding="utf-8"))
    assert srt.count(" --> ") == len(cues)
    for number, scene in enumerate(SCENES, 1):
        clip = studio.clips(language)[scene]
        copy = folder / f"{SLUG}-{language}-{number:02}-{scene}.mp4"
        assert copy.read_bytes() == clip.read_bytes()
        assert copy.with_suffix(".vtt").read_bytes() == clip.with_suffix(".vtt").read_bytes()


def test_every_caption_file_keeps_the_laws_of_webvtt(kit: Path) -> None:
    files = sorted((kit / "upload").rglob("*.vtt"))
    assert len(files) == 2 * (1 + 1 + 3)
    for file in files:
        cues = cues_of(file.read_text(encoding="utf-8"))
        assert cues, file
        assert all(cue.start < cue.end for cue in cues)
        assert all(a.end <= b.start for a, b in pairwise(cues))
        video = file.with_name(file.name.replace("-chapters", "")).with_suffix(".mp4")
        assert cues[-1].end <= float(probe(video).duration) + 0.001


def test_chapters_are_the_scenes(kit: Path) -> None:
    cues = cues_of((kit / "upload" / "en" / f"{SLUG}-en-chapters.vtt").read_text(encoding="utf-8"))
    assert [cue.text for cue in cues] == ["The opening", "The middle: red & blue", "The ending"]


def test_the_transcript_is_everything_that_is_said(made: tuple[Studio, Path], kit: Path) -> None:
    text = (kit / "upload" / "en" / f"{SLUG}-en-transcript.md").read_text(encoding="utf-8")
    assert text == made[0].film("en").with_suffix(".transcript.md").read_text(encoding="utf-8")
    described = (kit / "upload" / "en" / f"{SLUG}-en-transcript-described.md").read_text(encoding="utf-8")
    assert described == made[0].film("en").with_suffix(".described.md").read_text(encoding="utf-8")
    assert r"Both \<together\>, a \& b." in described
    assert "[0:00] Its side is 2.0." in described
    assert "*The picture: Encoder, steps 1–50.* Colours stay." in described


def test_the_poster_is_the_frame_that_the_storyboard_chooses(kit: Path) -> None:
    from PIL import Image  # noqa: PLC0415

    with Image.open(kit / "upload" / "zh" / f"{SLUG}-zh-02-middle.jpg") as picture:
        assert picture.size == (854, 480)
        left, right = picture.getpixel((200, 240)), picture.getpixel((654, 240))
    reds, blues = sorted([left[0], right[0]]), sorted([left[2], right[2]])
    for dark, bright in (reds, blues):  # the last beat shows a red and a blue half
        assert dark < 40
        assert bright > 200


def test_embed_snippets_name_files_that_are_there(kit: Path) -> None:
    folder = kit / "upload" / "zh"
    text = (folder / f"{SLUG}-zh-embed.html").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w-]+\.(?:mp4|vtt|jpg)", text))
    assert len(named) >= 7
    assert all((folder / name).is_file() for name in named)
    assert "&lt;iframe src=" in text


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_asks_for_nothing_outside(page: Page, kit: Path) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "href", "poster"):
            target = attributes.get(name, "").split("#")[0]
            if target:
                assert (kit / "site" / target).is_file(), (tag, target)
    assert not [attributes for attributes in page.all("script") if "src" not in attributes and "type" not in attributes]
    assert not [element for element in page.elements if "style" in element[1] or "onclick" in element[1]]
    for script in (kit / "site").glob("*.js"):
        assert "http://" not in script.read_text(encoding="utf-8")
        assert "https://" not in script.read_text(encoding="utf-8")
    policy = next(one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_all_words_of_the_storyboard_are_escaped(page: Page, kit: Path) -> None:
    source = (kit / "site" / "index.html").read_text(encoding="utf-8")
    assert "<together>" not in source
    assert "Both <together>, a & b." in page.text
    captions = [text for scene in page.data["editions"]["en"]["scenes"] for _, _, text in scene["captions"]]
    assert "Both <together>, a & b." in captions


def test_the_page_knows_scenes_captions_and_chapters(page: Page) -> None:
    assert [scene["id"] for scene in page.data["scenes"]] == list(SCENES)
    for language in ("zh", "en"):
        edition = page.data["editions"][language]
        assert edition["film"]["starts"][0] == 0
        assert [title for _, _, title in edition["film"]["chapters"]] == [
            scene["chapters"][0][2] for scene in edition["scenes"]
        ]
        assert all(scene["captions"] and scene["beats"][0] == 0 for scene in edition["scenes"])
    assert not page.data["editions"]["en"]["scenes"][0]["question"]


def test_the_page_is_labelled(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "zh"
    buttons = page.all("button")
    assert len(buttons) > 15
    assert all(button.get("type") in {"button", "submit"} for button in buttons)
    video = page.all("video")[0]
    assert "controls" in video
    assert "autoplay" not in video
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {attributes["data-label"] for _, attributes in page.elements if "data-label" in attributes}
    worded = {attributes["data-word"] for _, attributes in page.elements if "data-word" in attributes}
    for language in ("zh", "en"):
        assert labelled | worded <= page.data["words"][language].keys()


def test_the_number_that_is_said_leads_to_where_the_scene_says(made: tuple[Studio, Path], page: Page) -> None:
    linked = [one for one in page.all("a") if one.get("href") == "values-en.html#setting-d_model"]
    assert len(linked) == 1
    assert "2.0 (comes from d_model / 2; opens in a new tab)" in page.text
    spots = Page(made[1] / "site" / "values-en.html").all("tr")
    assert "setting-d_model" in {one.get("id") for one in spots}
    for counts in manifest_of_kit(made[1])["numbers"].values():
        assert counts == {"numbers": 1, "exact": 1, "alike": 0}


def test_both_pages_of_exercises_are_linked(page: Page) -> None:
    linked = {one.get("href", "").split("#")[0] for one in page.all("a")}
    assert {
        "worksheet-zh.html",
        "worksheet-zh-answers.html",
        "worksheet-en.html",
        "worksheet-en-answers.html",
    } <= linked


# --- what keeps a kit from being made ---------------------------------------------------------------------------------


def test_a_missing_film_says_which_render_to_run(studio: Studio) -> None:
    done = studio.explain("course")
    assert done.returncode == 1
    assert "next: make render, then this again" in done.stderr
    done = studio.explain("course", "--language", "zh", "--language", "en", "--quality", "standard")
    assert done.returncode == 1
    assert done.stderr.count("there is no ") == 2
    assert "next: make render LANGUAGE=all QUALITY=standard, then this again" in done.stderr
    assert not (studio.media / "course").exists()


def test_other_words_than_the_films_are_refused(rendered: Studio) -> None:
    rendered.edit("storyboard.yaml", "Here is red.", "Red is here.")
    done = rendered.explain("course")
    assert done.returncode == 1
    assert 'The film in "en" cannot be used in quality draft: changed since it was rendered: middle' in done.stderr
    assert '"zh"' not in done.stderr
    assert "next: make render LANGUAGE=en, then this again" in done.stderr
    assert not list(rendered.media.glob(".course*"))


def test_a_harmed_film_is_refused(rendered: Studio) -> None:
    film = rendered.film()
    film.write_bytes(film.read_bytes() + b"x")
    done = rendered.explain("course", "--language", "zh")
    assert done.returncode == 1
    assert "does not fit the files beside it" in done.stderr
    rendered.clips("en")["middle"].unlink()
    done = rendered.explain("course", "--language", "en")
    assert "is gone or not whole" in done.stderr


def test_a_film_without_its_described_transcript_is_refused(rendered: Studio) -> None:
    rendered.film().with_suffix(".described.md").unlink()
    done = rendered.explain("course", "--language", "zh")
    assert done.returncode == 1
    assert f"there is no {rendered.film().with_suffix('.described.md')}" in done.stderr
    assert "next: make render, then this again" in done.stderr


def test_only_languages_that_are_rendered(rendered: Studio) -> None:
    shutil.rmtree(rendered.media / "film" / "en")
    done = rendered.explain("course")
    assert done.returncode == 0, done.stderr
    assert "Left out, not rendered: en" in done.stdout
    page = Page(rendered.media / "course" / "site" / "index.html")
    assert page.data["languages"] == ["zh"]
    assert "data-language" not in (rendered.media / "course" / "site" / "index.html").read_text(encoding="utf-8")


def test_a_folder_of_something_else_is_left_alone(rendered: Studio, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    done = rendered.explain("course", "--out", str(folder))
    assert done.returncode == 1
    assert "is no course kit, so it is left alone" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_an_older_kit_is_replaced_as_a_whole(rendered: Studio) -> None:
    assert rendered.explain("course").returncode == 0
    kit = rendered.media / "course"
    (kit / "site" / "left.txt").write_text("from before", encoding="utf-8")
    assert rendered.explain("course", "--language", "en").returncode == 0
    assert not (kit / "site" / "left.txt").exists()
    assert not (kit / "upload" / "zh").exists()
    assert not [path for path in rendered.media.iterdir() if path.name.startswith(".course")]


def test_captions_are_read_as_they_were_written() -> None:
    from pipeline.jobs import ClipCue  # noqa: PLC0415

    captions = captions_of([ClipCue("a", 0, 90, 'One & two <three> "four".')], "words", "scene", fps=30)
    assert [cue.text for cue in cues_of(vtt(captions, 30))] == ["\n".join(one.lines) for one in captions]
    with pytest.raises(ValueError, match="WEBVTT"):
        cues_of("1\n00:00:01,000 --> 00:00:02,000\nx\n")


def test_a_package_holds_the_page_and_the_clips_but_not_the_film(kit: Path) -> None:
    for version in ("1.2", "2004-4th"):
        with package(kit, version) as archive:
            names = archive.namelist()
        assert "zh-02-middle.mp4" in names
        assert "zh-film.mp4" not in names
