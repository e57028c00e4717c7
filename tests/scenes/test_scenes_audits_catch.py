"""Every audit catches the scene made to break it, says what it should, and says nothing else."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
import small_film

from scenes.stage.audit import audit_scene
from scenes.stage.audit.run import PICTURE_AUDITS

BROKEN, GOOD = small_film.classes(broken=True), small_film.classes(broken=False)
AUDITS = {
    *("numbers", "provenance", "glyphs", "height", "contrast"),
    *("frame", "captions", "overlap", "clearance", "crossed", "covered"),
    *("beats", "cues", "reading time", "length", "steps", "stillness"),
    *("colour alone", "flashing", "continuity"),
}


@pytest.mark.parametrize("scene", BROKEN, ids=lambda scene: scene.__name__)
def test_the_broken_scene_is_caught(scene, look_at_small):
    findings = look_at_small(scene).findings
    assert {finding.audit for finding in findings} == {scene.BREAKS}, look_at_small(scene).report()
    assert any(scene.WHAT in str(finding) for finding in findings), look_at_small(scene).report()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("scene", GOOD, ids=lambda scene: scene.__name__)
def test_the_good_scene_is_left_alone(scene, language, look_at_small):
    assert look_at_small(scene, language).report() == ""


def test_every_audit_has_a_scene_that_breaks_it():
    assert {scene.BREAKS for scene in BROKEN} == AUDITS
    assert len(PICTURE_AUDITS) == 7


def test_a_finding_says_where_and_when_and_cannot_be_changed(look_at_small):
    (scene,) = [scene for scene in BROKEN if scene.__name__ == "BrieflyInTheCaptions"]
    (finding,) = look_at_small(scene, "en").findings
    assert (finding.scene, finding.language, finding.beat, finding.play) == (
        "bad_scenes.BrieflyInTheCaptions",
        "en",
        "only",
        2,
    )
    assert str(finding) == (
        "[captions] bad_scenes.BrieflyInTheCaptions (en), only, play 2: Panel at (0.00, -2.88): "
        "69 px into the room for captions; allowed: y ≥ -2.88"
    )
    with pytest.raises(FrozenInstanceError):
        finding.play = 3


def test_audit_scene_gives_the_findings_alone(look_at_small, small_storyboard):
    scene = BROKEN[0]
    assert audit_scene(scene, small_storyboard, "zh") == look_at_small(scene).findings


def test_the_environment_is_left_as_it_was(look_at_small, monkeypatch):
    monkeypatch.setenv("EXPLAINER_LANGUAGE", "en")
    monkeypatch.delenv("EXPLAINER_STORYBOARD", raising=False)
    assert look_at_small(GOOD[0], "zh").language == "zh"
    import os  # noqa: PLC0415

    assert os.environ["EXPLAINER_LANGUAGE"] == "en"
    assert "EXPLAINER_STORYBOARD" not in os.environ
