"""`explain prune` removes what nothing needs, and never what a film, or the storyboard as it is now, needs."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from small_studio import Studio

from pipeline.lock import media_lock
from pipeline.manifest import manifest_of
from pipeline.problems import UserError
from pipeline.prune import prune
from pipeline.storyboard import load_storyboard


def pruned(studio: Studio, keep: int = 3, *, dry_run: bool = False) -> str:
    storyboard = load_storyboard(studio.storyboard, scenes=studio.scenes)
    return prune(storyboard, (studio.scenes, studio.media), keep=keep, dry_run=dry_run)


def files(studio: Studio) -> set[str]:
    """The files there are, without the lock and the memory of sources."""
    found = {path.relative_to(studio.media).as_posix() for path in studio.media.rglob("*") if path.is_file()}
    return {name for name in found if name not in (".lock", ".sources.json")}


def older_version(studio: Studio, number: int, language: str = "zh") -> str:
    """Add a clip of `middle` that an earlier version of the film was made of; its stem."""
    clip = studio.media / "clips" / "draft" / language / f"middle-{number:016}.00000000.mp4"
    shutil.copy(next(clip.parent.glob("opening-*.mp4")), clip)
    clip.with_suffix(".json").write_text("{}", encoding="utf-8")
    clip.with_suffix(".vtt").write_text("WEBVTT\n", encoding="utf-8")
    path = manifest_of(studio.film(language))
    data = json.loads(path.read_text(encoding="utf-8"))
    name = Path(os.path.relpath(clip, path.parent)).as_posix()
    data["earlier"].append({"joined": "2026-01-01T00:00:00+00:00", "clips": [name]})
    path.write_text(json.dumps(data), encoding="utf-8")
    return clip.stem


def test_a_finished_film_has_nothing_to_remove(rendered: Studio) -> None:
    before = files(rendered)
    assert pruned(rendered, keep=1) == "There is nothing to remove."
    assert files(rendered) == before


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_last_versions_stay(rendered: Studio, keep: int) -> None:
    clips = {language: set(rendered.clips(language).values()) for language in ("zh", "en")}
    kept = {path.relative_to(rendered.media).as_posix() for found in clips.values() for path in found}
    stems = [older_version(rendered, number) for number in range(1, 5)]
    before = files(rendered)
    assert pruned(rendered, keep, dry_run=True).startswith("Would remove ")
    assert files(rendered) == before
    said = pruned(rendered, keep)
    gone = stems[keep - 1 :]
    assert before - files(rendered) == {f"clips/draft/zh/{s}{end}" for s in gone for end in (".mp4", ".json", ".vtt")}
    assert kept <= files(rendered)
    for stem in gone:
        assert f"Removed clips/draft/zh/{stem}, " in said
    assert f"Removed {len(gone)} clips, 0 other leftovers: " in said.splitlines()[-1]


def test_the_megabytes_told_are_those_removed(rendered: Studio) -> None:
    stem = older_version(rendered, 1)
    clip = rendered.media / "clips" / "draft" / "zh" / f"{stem}.mp4"
    clip.write_bytes(bytes(2_500_000))
    assert pruned(rendered, 1).splitlines()[-1] == "Removed 1 clip, 0 other leftovers: 2.5 MB."
    assert not clip.exists()


def test_clips_that_no_film_has_yet_stay_while_the_storyboard_wants_them(rendered: Studio) -> None:
    """A render that was stopped before the join: its clips are work that is not lost."""
    for language in ("zh", "en"):
        for path in (rendered.film(language), manifest_of(rendered.film(language))):
            path.unlink()
    before = set(rendered.clips().values()) | set(rendered.clips("en").values())
    pruned(rendered, 1)
    assert set(rendered.clips().values()) | set(rendered.clips("en").values()) == before
    # Once the storyboard wants another one, the clip is of no use, in the language whose words changed.
    rendered.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。")
    pruned(rendered, 1)
    assert sorted(rendered.clips()) == ["ending", "opening"]
    assert sorted(rendered.clips("en")) == ["ending", "middle", "opening"]


def test_a_clip_with_a_voice_stays_as_one_without(rendered: Studio) -> None:
    """Pruning asks nobody how long the words are spoken; a clip that differs in nothing else is a current one."""
    clip = rendered.clips()["middle"]
    data = json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))
    data["parts"] = {name: digest for name, digest in data["parts"].items() if name != "reading"} | {"spoken/red": "1"}
    spoken = clip.with_name(f"middle-{1:016}.00000000.mp4")
    shutil.copy(clip, spoken)
    spoken.with_suffix(".json").write_text(json.dumps(data | {"fingerprint": f"{1:016}"}), encoding="utf-8")
    assert pruned(rendered, 1) == "There is nothing to remove."
    data["parts"]["title"] = "another"
    spoken.with_suffix(".json").write_text(json.dumps(data | {"fingerprint": f"{1:016}"}), encoding="utf-8")
    assert f"Removed clips/draft/zh/{spoken.stem}" in pruned(rendered, 1)


def test_a_film_that_is_there_keeps_its_clips_whatever_the_storyboard_says(rendered: Studio) -> None:
    before = files(rendered)
    rendered.edit("scenes/small_stage.py", "8040", "8041")
    assert pruned(rendered, 1) == "There is nothing to remove."
    assert files(rendered) == before


def test_leftovers_of_films_and_of_killed_renders_go(rendered: Studio) -> None:
    rendered.film("en").unlink()
    partial = rendered.film().with_name(".film.mp4.1.partial")
    partial.write_bytes(b"x")
    joining = rendered.film().parent / ".join-x"
    joining.mkdir()
    (joining / "clips.txt").write_text("x")
    notes = rendered.film("en").with_name("notes.json")
    notes.write_text('{"mine": true}')
    said = pruned(rendered)
    assert "Removed 0 clips, 3 other leftovers: 0.0 MB." in said
    assert list(rendered.film("en").parent.iterdir()) == [notes]
    assert not partial.exists()
    assert not joining.exists()
    assert rendered.film().is_file()


def test_a_manifest_that_cannot_be_read_stops_it(rendered: Studio) -> None:
    manifest_of(rendered.film()).write_text("{", encoding="utf-8")
    stem = older_version(rendered, 1, "en")
    with pytest.raises(UserError, match="cannot be read, so nobody knows"):
        pruned(rendered, 1)
    assert any(stem in name for name in files(rendered))


def test_it_waits_for_a_render(rendered: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLAINER_LOCK_PATIENCE", "0.2")
    with media_lock(rendered.media), pytest.raises(UserError, match="Another render is at work"):
        pruned(rendered)


def test_on_the_command_line(rendered: Studio) -> None:
    stem = older_version(rendered, 1)
    done = rendered.explain("prune", "--keep", "1")
    assert done.returncode == 0, done.stderr
    assert f"Removed clips/draft/zh/{stem}" in done.stdout
    assert rendered.explain("render").stdout.count("unchanged") == 1
    for wrong in ("0", "21", "two"):
        done = rendered.explain("prune", "--keep", wrong)
        assert done.returncode == 2
        assert f'"{wrong}" is not a number of versions; allowed: 1 to 20' in done.stderr


def test_without_media_there_is_nothing_to_do(studio: Studio) -> None:
    assert "nothing to remove" in pruned(studio)
    assert not studio.media.exists()
