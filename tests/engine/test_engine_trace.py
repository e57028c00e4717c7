"""The trace takes only what the registry foresees, cannot be changed, and is exported to the last bit."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

from engine import Trace, TraceError, TraceKeyError, key_specs, preset, run
from engine.trace import Recorder


def filled(config_name: str = "tutorial") -> Recorder:
    recorder = Recorder(preset(config_name))
    for spec in key_specs(recorder.config):
        recorder.put(spec.key, np.zeros(spec.shape))
    return recorder


def test_arrays_cannot_be_written_to_nor_made_writable(trace: Trace) -> None:
    for array in trace.values():
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0
        if array.size:
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)


def test_what_was_recorded_does_not_follow_the_callers_array() -> None:
    recorder = Recorder(preset("tutorial"))
    mine = np.zeros(4)
    kept = recorder.put("src.tokens", mine)
    mine[:] = 9
    assert kept.tolist() == [0, 0, 0, 0]


def test_an_unknown_key_is_refused_with_near_misses() -> None:
    with pytest.raises(TraceKeyError, match=r"no key 'encoder\.0\.attn\.query'.*did you mean"):
        Recorder(preset("tutorial")).put("encoder.0.attn.query", np.zeros(1))


def test_a_second_value_is_refused() -> None:
    recorder = Recorder(preset("tutorial"))
    recorder.put("src.tokens", np.zeros(4))
    with pytest.raises(TraceError, match=r"src\.tokens: recorded twice"):
        recorder.put("src.tokens", np.zeros(4))


@pytest.mark.parametrize("shape", [(), (3,), (5,), (4, 1), (1, 4)])
def test_a_misshapen_value_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(TraceError, match=r"src\.tokens: shape .* axes \(pos\) .* \(4,\)"):
        Recorder(preset("tutorial")).put("src.tokens", np.zeros(shape))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(TraceError, match="not finite"):
        Recorder(preset("tutorial")).put("loss.aligned.mean", number)


def test_a_trace_with_something_missing_is_refused() -> None:
    recorder = Recorder(preset("tutorial"))
    recorder.put("src.tokens", np.zeros(4))
    with pytest.raises(TraceError, match=r"not recorded: tgt\.tokens, .* and \d+ more"):
        Trace(recorder)


def test_the_order_is_the_registrys_not_that_of_recording() -> None:
    recorder = Recorder(preset("tutorial"))
    for spec in reversed(key_specs(recorder.config)):
        recorder.put(spec.key, np.zeros(spec.shape))
    assert list(Trace(recorder)) == [spec.key for spec in key_specs(recorder.config)]


def test_looking_up_what_is_not_there(tutorial: Trace) -> None:
    for look_up in (tutorial.__getitem__, tutorial.spec, tutorial.ids):
        with pytest.raises(TraceKeyError) as caught:
            look_up("encoder.0.attn.patern")
        assert "did you mean encoder.0.attn.pattern" in str(caught.value)
    with pytest.raises(KeyError):
        tutorial["nothing like it"]
    assert tutorial.get("encoder.9.out") is None
    assert "encoder.9.out" not in tutorial
    assert "encoder.1.out" in tutorial


def test_a_trace_is_itself_only(tutorial: Trace) -> None:
    assert tutorial == tutorial  # noqa: PLR0124
    assert tutorial != run(tutorial.config)
    assert len({tutorial, tutorial}) == 1
    assert repr(tutorial) == "<Trace of '我 爱 水 课' -> 'I love easy courses', 725 keys>"


def test_json_gives_back_every_bit(trace: Trace) -> None:
    exported = json.loads(trace.to_json(), parse_constant=pytest.fail)
    assert list(exported) == list(trace)
    for key, entry in exported.items():
        assert list(entry) == ["axes", "shape", "step", "values"]
        assert tuple(entry["axes"]) == trace.spec(key).axes
        assert entry["step"] == trace.spec(key).step
        values = np.array(entry["values"], dtype=np.float64)
        assert entry["shape"] == list(values.shape) == list(trace[key].shape)
        assert values.tobytes() == trace[key].tobytes()


def test_csv_gives_back_every_bit(trace: Trace) -> None:
    arrays = {key: np.full(array.shape, np.nan) for key, array in trace.items()}
    for row in csv.DictReader(io.StringIO(trace.to_csv())):
        assert list(row) == ["key", "step", "axes", "index", "value"]
        spec = trace.spec(row["key"])
        assert (row["step"], row["axes"]) == (str(spec.step), " ".join(spec.axes))
        arrays[row["key"]][tuple(int(number) for number in row["index"].split())] = float(row["value"])
    for key, array in arrays.items():
        assert array.tobytes() == trace[key].tobytes(), key


def test_patterns(tutorial: Trace) -> None:
    keys = tutorial.select("encoder.?.attn.[qk]")
    assert keys == ("encoder.0.attn.q", "encoder.0.attn.k", "encoder.1.attn.q", "encoder.1.attn.k")
    assert tuple(json.loads(tutorial.to_json("encoder.?.attn.[qk]"))) == keys
    lines = tutorial.to_csv("loss.*.mean").splitlines()
    assert [line.split(",")[0] for line in lines] == ["key", "loss.aligned.mean", "loss.shifted.mean"]
    assert tutorial.select() == tuple(tutorial)
    for export in (tutorial.select, tutorial.to_json, tutorial.to_csv):
        with pytest.raises(TraceKeyError, match=r"no key of the trace matches 'ENCODER\.\*'"):
            export("ENCODER.*")


def test_masked_scores_survive_the_export(tutorial: Trace) -> None:
    values = json.loads(tutorial.to_json("decoder.0.self_attn.scores"))["decoder.0.self_attn.scores"]["values"]
    assert values[0][0][3] == tutorial["decoder.0.self_attn.scores"][0, 0, 3] < -9e8


def test_digest_is_the_same_in_another_process_and_follows_every_value(tutorial: Trace) -> None:
    program = "import engine; print(engine.run(engine.preset('tutorial')).digest())"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert tutorial.digest() == other
    assert len(other) == 64
    assert run(preset("tutorial", seed=43)).digest() != other
    plain = Trace(filled()).digest()
    assert plain == Trace(filled()).digest()
    recorder = Recorder(preset("tutorial"))
    for spec in key_specs(recorder.config):
        recorder.put(spec.key, np.full(spec.shape, 1.0 if spec.key == "greedy.3.next" else 0.0))
    assert Trace(recorder).digest() != plain


def test_config_is_kept(tutorial: Trace) -> None:
    assert tutorial.config == preset("tutorial")
