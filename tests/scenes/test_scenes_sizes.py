"""Every scene of the film passes every audit with models of other sizes too; the two most telling ones are looked at in
`test_scenes_drawn` as well, in the default run."""

from __future__ import annotations

from itertools import product

import pytest
from other_models import LARGE, MODELS, SMALL, STORYBOARD

from pipeline.storyboard import load_storyboard
from scenes.stage.audit import drawn_scenes

BOARD = load_storyboard(STORYBOARD)
DRAWN = [pytest.param(scene, id=entry.id) for entry, scene in drawn_scenes(BOARD)]
FIRST, *OTHERS = BOARD.film.languages
CASES = [*product(MODELS, [FIRST]), *product([SMALL, LARGE], OTHERS)]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "language"), CASES)
@pytest.mark.parametrize("scene", DRAWN)
def test_the_scene_passes_all_audits(scene, model, language, look_at, other_storyboards):
    seen = look_at(scene, other_storyboards[model], language)
    assert not seen.findings, f"{len(seen.findings)} findings\n{seen.report()}"


def test_the_models_cover_what_they_should():
    sizes = [
        (len(m["source"]), len(m["target"]), m["d_model"], m["heads"], m["encoder_layers"], m["decoder_layers"])
        for m in MODELS.values()
    ]
    words, widths, heads, encoders, decoders = ({(3, 5), (6, 4), (8, 8)}, {4, 6, 8}, {1, 2, 3, 4}, {1, 2, 3}, {1, 2, 3})
    assert {(s[:2], s[2]) for s in sizes} == set(product(words, widths))
    assert {s[3] for s in sizes} == heads
    assert {(s[:2], s[4]) for s in sizes} == set(product(words, encoders))
    assert {(s[:2], s[5]) for s in sizes} == set(product(words, decoders))
