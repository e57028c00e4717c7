"""A film that is in place is known by its manifest and its digest; anything else is joined again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from small_studio import Studio

from pipeline.film import finished_film
from pipeline.film_extras import Extras
from pipeline.jobs import NumberOrigin, Sidecar
from pipeline.manifest import Part, manifest_of, recipe, versions_of
from pipeline.probe import probe
from pipeline.qualities import QUALITIES
from pipeline.render import RenderRequest, render_film


def manifest(studio: Studio, language: str = "zh") -> dict:
    return json.loads(manifest_of(studio.film(language)).read_text(encoding="utf-8"))


def test_the_manifest_tells_what_is_in_the_film(finished: Studio) -> None:
    data = manifest(finished)
    clips = finished.clips()
    assert [part["scene"] for part in data["made_from"]["parts"]] == ["opening", "middle", "ending"]
    for part in data["made_from"]["parts"]:
        clip = (finished.film().parent / part["clip"]).resolve()
        assert clip == clips[part["scene"]].resolve()
        told = json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))
        assert (part["sha256"], part["frames"]) == (told["sha256"], told["frames"])
    video = probe(finished.film())
    assert data["film"]["frames"] == video.frames == data["chapters"][-1]["end_frame"]
    assert data["film"]["size"] == finished.film().stat().st_size
    assert [chapter["title"] for chapter in data["chapters"]] == [chapter[2] for chapter in video.chapters]
    assert [round(chapter[0] * 15) for chapter in video.chapters] == [c["start_frame"] for c in data["chapters"]]
    assert data["earlier"] == []


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


HARMS: dict[str, Callable[[Path], None]] = {
    "film gone": lambda film: film.unlink(),
    "film damaged": damage,
    "film cut short": lambda film: os.truncate(film, film.stat().st_size - 1),
    "captions gone": lambda film: film.with_suffix(".vtt").unlink(),
    "captions changed": lambda film: damage(film.with_suffix(".vtt")),
    "a clip's captions gone": lambda film: captions_of_a_clip(film).unlink(),
    "a clip's captions changed": lambda film: damage(captions_of_a_clip(film)),
    "manifest gone": lambda film: manifest_of(film).unlink(),
    "manifest cut short": lambda film: os.truncate(manifest_of(film), 40),
    "another film's digest": lambda film: damage_manifest(film, "sha256", "0" * 64),
}


def captions_of_a_clip(film: Path) -> Path:
    return next((film.parents[2] / "clips" / "draft" / "zh").glob("middle-*.vtt"))


def damage_manifest(film: Path, field: str, value: object) -> None:
    path = manifest_of(film)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["film"][field] = value
    path.write_text(json.dumps(data), encoding="utf-8")


def parts_of(studio: Studio) -> list[Part]:
    """The studio's film as its manifest has it."""
    parts = []
    for part in manifest(studio)["made_from"]["parts"]:
        clip = (studio.film().parent / part["clip"]).resolve()
        sidecar = sidecar_of(clip)
        other = sidecar_of(studio.clips("en")[sidecar.scene_id])
        parts.append(Part(clip, sidecar, part["title"], others={"en": {cue.beat: cue.words for cue in other.cues}}))
    return parts


def sidecar_of(clip: Path) -> Sidecar:
    return Sidecar.from_data(json.loads(clip.with_suffix(".json").read_text(encoding="utf-8")))


def never() -> str:
    raise AssertionError("ffmpeg was asked for")


SETTINGS = {"language": "zh", "title": "小电影", "unit": "characters"}
EXTRAS = Extras({"zh": "characters", "en": "words"}, {"zh": 20.0, "en": 10.0})


def test_a_film_that_fits_is_not_joined_again(finished: Studio) -> None:
    film = finished_film(
        parts_of(finished), finished.film(), QUALITIES["draft"], **SETTINGS, binary=never, extras=EXTRAS
    )
    assert film.unchanged
    assert film.frames == probe(finished.film()).frames


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_a_film_that_does_not_fit_is_joined_again(
    rendered: Studio, finished: Studio, harm: Callable[[Path], None]
) -> None:
    parts = parts_of(rendered)
    harm(rendered.film())
    with pytest.raises(AssertionError, match="ffmpeg was asked for"):
        finished_film(parts, rendered.film(), QUALITIES["draft"], **SETTINGS, binary=never, extras=EXTRAS)
    done = rendered.explain("render")
    assert done.returncode == 0, done.stderr
    assert "0 clips rendered" in done.stdout
    assert ", unchanged" not in done.stdout
    assert rendered.film().read_bytes() == finished.film().read_bytes()
    assert rendered.film().with_suffix(".vtt").read_bytes() == finished.film().with_suffix(".vtt").read_bytes()
    assert captions_of_a_clip(rendered.film()).read_bytes() == captions_of_a_clip(finished.film()).read_bytes()
    assert ", unchanged" in rendered.explain("render").stdout


@pytest.mark.parametrize("setting", SETTINGS)
def test_other_settings_make_another_film(finished: Studio, setting: str) -> None:
    changed = {**SETTINGS, setting: "en"}
    with pytest.raises(AssertionError, match="ffmpeg was asked for"):
        finished_film(parts_of(finished), finished.film(), QUALITIES["draft"], **changed, binary=never, extras=EXTRAS)


def test_order_titles_words_and_program_are_part_of_the_recipe(
    finished: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = parts_of(finished)

    def made_from(parts: list[Part]) -> dict:
        return recipe(parts, finished.film(), QUALITIES["draft"], **SETTINGS, **EXTRAS.settings())

    assert made_from(parts) == manifest(finished)["made_from"]
    first = parts[0]
    cue = first.sidecar.cues[0]
    spoken = [type(cue)(**{**vars(cue), "words": "不同的话"}), *first.sidecar.cues[1:]]
    sidecar = type(first.sidecar)(**{**vars(first.sidecar), "cues": tuple(spoken)})
    others = [
        [*parts[1:], first],
        parts[1:],
        [Part(first.clip, first.sidecar, "Another title"), *parts[1:]],
        [Part(first.clip, sidecar, first.title), *parts[1:]],
    ]
    assert all(made_from(other) != made_from(parts) for other in others)
    # Where a number in the words comes from is in none of the film's files.
    told = type(cue)(**{**vars(cue), "origins": (NumberOrigin("p", (("probs", (0, 1)),)),)})
    sidecar = type(first.sidecar)(**{**vars(first.sidecar), "cues": (told, *first.sidecar.cues[1:])})
    assert made_from([replace(first, sidecar=sidecar), *parts[1:]]) == made_from(parts)
    before = made_from(parts)
    monkeypatch.setattr("pipeline.manifest._program", lambda: "another")
    assert made_from(parts) != before


def test_earlier_versions_are_remembered(rendered: Studio) -> None:
    first = versions_of(manifest_of(rendered.film()), 9)
    assert first is not None
    rendered.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。")
    assert rendered.explain("render").returncode == 0
    versions = versions_of(manifest_of(rendered.film()), 9)
    assert versions is not None
    assert versions[1:] == first
    assert versions[0] != first[0]
    assert versions_of(manifest_of(rendered.film()), 1) == versions[:1]
    # The same film joined again is no further version.
    rendered.film().unlink()
    assert rendered.explain("render").returncode == 0
    assert versions_of(manifest_of(rendered.film()), 9) == versions


def test_a_whole_render_asks_for_nothing_in_a_finished_studio(
    finished: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.render.find_ffmpeg", lambda _chosen: never())
    monkeypatch.setattr("pipeline.rendering.render_clips", lambda *_: never())
    request = RenderRequest(finished.storyboard, finished.scenes, finished.media, languages=["all"])
    assert render_film(request, Console(quiet=True)) == 0
