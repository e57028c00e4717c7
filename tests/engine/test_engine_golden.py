"""The tutorial's values, to the decimals in which they are printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine import Trace

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_tutorial.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("golden", GOLDEN, ids=[f"{entry['key']}{entry['index']}" for entry in GOLDEN])
def test_value_rounds_to_what_is_printed(golden: dict, tutorial: Trace) -> None:
    computed = tutorial[golden["key"]][tuple(golden["index"])]
    printed = np.array(golden["value"], dtype=np.float64)
    masked = np.isnan(printed)
    assert computed.shape == printed.shape
    # Half a unit of the last printed decimal, and room for the binary form of that decimal.
    assert np.abs(computed - printed)[~masked].max() <= 0.5 * 10.0 ** -golden["decimals"] + 1e-12
    assert (computed[masked] < -1e8).all()


def test_golden_values_cover_encoder_decoder_and_output() -> None:
    assert {entry["key"].split(".")[0] for entry in GOLDEN} >= {"pos_embed", "src", "encoder", "decoder", "probs"}


def test_ids_of_the_running_example(tutorial: Trace) -> None:
    assert tutorial.ids("src.tokens") == (0, 1, 2, 3)
    assert tutorial.ids("tgt.tokens") == tutorial.ids("labels.aligned") == (4, 5, 6, 7)
    assert tutorial.words("labels.shifted") == ("love", "easy", "courses")
    assert tutorial.config.vocabulary == ("我", "爱", "水", "课", "I", "love", "easy", "courses")


def test_values_that_the_facts_state_in_words(tutorial: Trace) -> None:
    probs = tutorial["probs"]
    assert f"{probs[0, 7]:.3f} {probs[0, 4]:.3f} {probs[3, 7]:.3f}" == "0.284 0.239 0.563"
    assert f"{tutorial['decoder.1.cross_attn.pattern'][0, 1, 3]:.3f}" == "0.257"
    assert f"{tutorial['loss.aligned'][3]:.3f}" == "0.575"
