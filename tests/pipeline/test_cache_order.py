"""Scenes may stand in any order: what the film then warns of, and that no scene is drawn again for it."""

from __future__ import annotations

import pytest
import yaml
from small_studio import Studio

from pipeline.storyboard import StoryboardError, load_storyboard


def reorder(studio: Studio, *ids: str) -> None:
    """Put the scenes of the studio's storyboard into another order."""
    data = yaml.safe_load(studio.storyboard.read_text(encoding="utf-8"))
    by_id = {entry["id"]: entry for entry in data["scenes"]}
    data["scenes"] = [by_id[name] for name in ids]
    studio.storyboard.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")


def test_in_order_there_is_nothing_to_warn_of(studio: Studio) -> None:
    assert load_storyboard(studio.storyboard, scenes=studio.scenes).warnings == ()
    assert "warning" not in studio.explain("check").stdout


def test_another_order_is_a_warning_with_its_place(studio: Studio) -> None:
    reorder(studio, "opening", "ending", "middle", "later")
    done = studio.explain("check")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "warning" in line]
    storyboard = load_storyboard(studio.storyboard, scenes=studio.scenes)
    assert len(lines) == len(storyboard.warnings) == 2
    for line, scene, jump in zip(lines, ("ending", "middle"), ("1 to 61", "95 to 1"), strict=True):
        assert f": scenes.{scene}.steps: warning: the badge will jump from {jump}" in line
        place = int(line.partition("storyboard.yaml:")[2].partition(":")[0])
        text = studio.storyboard.read_text(encoding="utf-8").splitlines()[place - 1]
        assert text.strip() == f"steps: {'61-95' if scene == 'ending' else '1-50'}"


def test_the_dots_stand_in_the_order_of_the_numbers(studio: Studio) -> None:
    before = load_storyboard(studio.storyboard, scenes=studio.scenes)
    ranks = {entry.id: before.rank_of(entry) for entry in before.scenes}
    assert ranks == {"opening": 0, "middle": 1, "later": 2, "ending": 3}
    reorder(studio, "later", "ending", "opening", "middle")
    after = load_storyboard(studio.storyboard, scenes=studio.scenes)
    assert {entry.id: after.rank_of(entry) for entry in after.scenes} == ranks


@pytest.mark.parametrize(
    ("old", "new", "phrase"),
    [("steps: 51-60", "steps: 50-60", "belongs to"), ("steps: 51-60", "steps: 52-60", "step 51 belongs to no scene")],
    ids=["overlap", "gap"],
)
def test_gaps_and_overlaps_are_errors_in_any_order(studio: Studio, old: str, new: str, phrase: str) -> None:
    reorder(studio, "ending", "later", "middle", "opening")
    text = studio.storyboard.read_text(encoding="utf-8")
    assert text.count(old) == 2
    studio.storyboard.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(StoryboardError, match=phrase):
        load_storyboard(studio.storyboard, scenes=studio.scenes)
