"""A watched trace knows which values were looked up, and its digests change with the values and with nothing else."""

from __future__ import annotations

from copy import copy, deepcopy

import pytest

from engine import preset, run, run_trained
from engine.trace import TraceKeyError


def test_what_is_looked_up_is_remembered_and_nothing_else():
    trace = run_trained(preset("tutorial"))
    watched = trace.watched()
    assert watched.reads() == {}
    # Which keys there are follows from the sizes alone.
    assert "logits" in watched
    assert len(list(watched)) == len(watched) == len(watched.select("*"))
    assert watched.reads() == {}
    assert (watched["logits"] == trace["logits"]).all()
    watched.ids("src.tokens")
    watched.spec("loss.aligned")
    watched.to_csv("tgt.tok*")
    assert list(watched.reads()) == ["logits", "loss.aligned", "src.tokens", "tgt.tokens"]
    assert trace.watched().reads() == {}


def test_a_miss_is_no_look_up():
    watched = run(preset("tutorial")).watched()
    with pytest.raises(TraceKeyError):
        watched["logit"]
    assert watched.reads() == {}


def test_computing_trained_values_is_no_look_up_of_the_untrained_ones():
    watched = run_trained(preset("tutorial")).watched()
    watched["trained.one_sentence.probs"]
    assert list(watched.reads()) == ["trained.one_sentence.probs"]


def test_copies_of_a_picture_go_on_with_the_same_trace():
    watched = run(preset("tutorial")).watched()
    for copied in (copy(watched), deepcopy({"trace": watched})["trace"]):
        assert copied is watched


def test_a_digest_stands_for_shape_and_values():
    base = run(preset("tutorial"))
    same, seeded = run(preset("tutorial")), run(preset("tutorial", seed=7))
    digests = {key: base.value_digest(key) for key in base}
    assert digests == {key: same.value_digest(key) for key in same}
    assert list(seeded) == list(base)
    # The tutorial's E is given, so what only depends on it is the same for every seed; what the weights touch is not.
    changed = {key for key in base if seeded.value_digest(key) != digests[key]}
    assert changed == {key for key in base if not (seeded[key] == base[key]).all()}
    assert "logits" in changed
    assert not {"embed.weight", "src.tokens", "src.embed", "src.input"} & changed
    with pytest.raises(TraceKeyError):
        base.value_digest("no.such.key")
