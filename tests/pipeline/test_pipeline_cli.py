"""The command line: what it understands, what it says to what it does not, the trace, the preview."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from small_studio import REPO, Studio

from engine import preset, run, run_trained
from pipeline import cli, workers
from pipeline.again import command
from pipeline.jobs import Failure, Job
from pipeline.progress import FilmProgress, duration, size
from pipeline.workers import local_workers


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "phrases"),
    [
        ([], ["COMMAND", "explain --help"]),
        (["rendr"], ['"rendr" is not a command', "render, prune, check, trace, preview", 'did you mean "render"?']),
        (["render", "--qualty", "draft"], ['"--qualty" is not an argument', 'did you mean "--quality"?']),
        (["render", "--quality", "hihg"], ["allowed: draft, standard, high, ultra", 'did you mean "high"?']),
        (["render", "--jobs", "0"], ['"0" is not a number of jobs', "1 to 64"]),
        (["render", "--jobs", "two"], ['"two" is not a number of jobs', "1 to 64"]),
        (["trace", "--format", "jsn"], ["allowed: json, csv", 'did you mean "json"?']),
        (["trace", "--key", "x"], ['"--key" is not an argument', 'did you mean "--keys"?']),
        (["preview"], ["SCENE", "explain preview --help"]),
        (["check", "extra"], ['"extra" is not an argument']),
    ],
)
def test_wrong_arguments_name_what_is_allowed(
    arguments: list[str], phrases: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(arguments, capsys)
    for phrase in phrases:
        assert phrase in said
    assert "next: explain" in said


def test_help_tells_commands_qualities_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, phrases in (
        (["--help"], ["render", "check", "trace", "preview"]),
        (["render", "--help"], ["854×480, 15", "3840×2160, 60", "default_language", "all", "--force", "--jobs"]),
    ):
        with pytest.raises(SystemExit) as caught:
            cli.main(arguments)
        assert caught.value.code == 0
        said = " ".join(capsys.readouterr().out.split())
        for phrase in phrases:
            assert phrase in said


def test_check_says_what_was_checked(studio: Studio) -> None:
    done = studio.explain("check")
    assert done.returncode == 0
    assert done.stdout.strip().endswith(
        "storyboard.yaml: OK, 4 scenes (1 drafts), 7 beats, steps 0-95, languages zh, en"
    )


def test_a_missing_storyboard_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--storyboard", str(tmp_path / "none.yaml")]) == 1
    said = capsys.readouterr().err
    assert "none.yaml: there is no such file" in said
    assert "--storyboard FILE" in said


def test_a_place_that_cannot_be_written_is_told(studio: Studio) -> None:
    studio.media.write_text("a file where a folder should be")
    done = studio.explain("render")
    assert done.returncode == 1
    assert f"{studio.media}: a file is where a folder is needed" in done.stderr
    assert "next: move it away" in done.stderr
    assert "Traceback" not in done.stderr


# --- trace --------------------------------------------------------------------------------------------------------


def test_the_trace_is_the_engines_to_the_last_bit(studio: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    trace = run_trained(preset("tutorial"))
    assert cli.main(["trace", "--storyboard", str(studio.storyboard)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == list(trace.keys())
    for key, entry in data.items():
        assert sorted(entry) == ["axes", "shape", "step", "values"]
        values = np.array(entry["values"], dtype=np.float64).reshape(entry["shape"])
        assert np.array_equal(values, trace[key])


def test_the_trace_follows_the_storyboards_model(studio: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    studio.edit("storyboard.yaml", "{preset: tutorial}", "{preset: tutorial, seed: 7}")
    assert cli.main(["trace", "--keys", "logits", "--storyboard", str(studio.storyboard)]) == 0
    values = json.loads(capsys.readouterr().out)["logits"]["values"]
    assert np.array_equal(values, run(preset("tutorial", seed=7))["logits"])


def test_csv_has_a_line_a_number(studio: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["trace", "--format", "csv", "--keys", "encoder.*.attn.pattern", "--storyboard", str(studio.storyboard)]
    assert cli.main(arguments) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 2 * 2 * 4 * 4
    trace = run(preset("tutorial"))
    for row in rows:
        assert float(row["value"]) == trace[row["key"]][tuple(map(int, row["index"].split()))]


def test_a_pattern_without_keys_is_an_error_with_a_near_miss(
    studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["trace", "--keys", "encodr.0.attn.q", "--storyboard", str(studio.storyboard)]) == 1
    said = capsys.readouterr().err
    assert 'No key of the trace matches "encodr.0.attn.q"' in said
    assert 'did you mean "encoder.0.attn.q"?' in said


def test_the_trace_file_is_whole_or_not_there(studio: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    target = studio.root / "out" / "trace.json"
    own = ["--storyboard", str(studio.storyboard)]
    assert cli.main(["trace", "--keys", "loss.*", "--out", str(target), *own]) == 0
    assert list(json.loads(target.read_text())) == [
        "loss.aligned",
        "loss.shifted",
        "loss.aligned.mean",
        "loss.shifted.mean",
    ]
    assert [path.name for path in target.parent.iterdir()] == ["trace.json"]
    (studio.root / "file").write_text("")
    assert cli.main(["trace", "--out", str(studio.root / "file" / "trace.json"), *own]) == 1
    assert "cannot be written" in capsys.readouterr().err


# --- preview ------------------------------------------------------------------------------------------------------


def test_preview_is_manims_own_command(studio: Studio) -> None:
    done = studio.explain("preview", "opening", "--language", "en", "--no-open")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in studio.media.rglob("Opening.mp4")] == ["Opening.mp4"]


def test_preview_opens_the_video_and_sets_the_language(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[list[str], dict[str, str]]] = []

    def record(command: list[str], *, env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append((command, env))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("pipeline.preview.subprocess.run", record)
    monkeypatch.setattr("pipeline.preview._can_open", lambda: True)
    own = ["--storyboard", str(studio.storyboard), "--scenes-folder", str(studio.scenes), "--media", str(studio.media)]
    assert cli.main(["preview", "middle", *own]) == 0
    [(command, environment)] = calls
    middle = str(studio.scenes / "middle.py")
    assert command[:6] == [sys.executable, "-m", "pipeline.plain_preview", str(studio.scenes), middle, "-pql"]
    assert command[-2:] == [middle, "Middle"]
    assert environment["EXPLAINER_LANGUAGE"] == "zh"
    assert environment["EXPLAINER_STORYBOARD"] == str(studio.storyboard)


@pytest.mark.parametrize(
    ("arguments", "phrases"),
    [
        (["openin"], ["is no scene of the storyboard", "opening, middle, ending", 'did you mean "opening"?']),
        (["later"], ["is a draft"]),
        (["opening", "--language", "fr"], ['no language "fr"', "zh, en"]),
    ],
)
def test_preview_refuses_what_it_does_not_know(studio: Studio, arguments: list[str], phrases: list[str]) -> None:
    done = studio.explain("preview", *arguments)
    assert done.returncode == 1
    for phrase in phrases:
        assert phrase in done.stderr


# --- progress and workers -----------------------------------------------------------------------------------------


def test_the_display_counts_scenes_frames_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("pipeline.progress.time.monotonic", lambda: now[0])
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with FilmProgress(console, {"a": 100, "b": 300}) as progress:
        now[0] += 10
        progress.frames("a", 50)
        assert progress.status() == "0/2 clips · 50/400 frames · about 1:10 left"
        progress.finished("a", 60)
        assert progress.status() == "1/2 clips · 60/360 frames · about 0:50 left"
        progress.finished("b", None)
        assert progress.status() == "1/2 clips · 1 failed · 60/60 frames"


def test_without_a_terminal_lines_come_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("pipeline.progress.time.monotonic", lambda: now[0])
    out = io.StringIO()
    with FilmProgress(Console(file=out, width=120), {"a": 1000}) as progress:
        for frame in range(1, 201):
            now[0] += 0.2
            progress.frames("a", frame)
        progress.finished("a", 900, 61)
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert "\x1b" not in out.getvalue()
    assert lines[-1] == "a: 900 frames in 1:01 (1/1 clips · 900/900 frames)"


def test_lengths_and_sizes_as_a_person_writes_them() -> None:
    assert [duration(seconds) for seconds in (0.4, 59.6, 754, 3723)] == ["0:00", "1:00", "12:34", "1:02:03"]
    assert [size(count) for count in (10, 18_000, 2_340_000)] == ["1 kB", "18 kB", "2.3 MB"]


@pytest.mark.parametrize("program", ["/bin/false", "/bin/true"])
def test_a_worker_that_never_begins_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(workers.sys, "executable", program)
    jobs = [Job(f"s{n}", "s.S", "", "", "zh", "draft", 0, "", str(tmp_path / str(n))) for n in range(6)]
    with local_workers(2, lambda *_: None) as pool:
        results = [future.result() for future in [pool.submit(job) for job in jobs]]
    assert len(results) == len(jobs)
    assert all(isinstance(result, Failure) and "without a result" in result.error for result in results)


@pytest.mark.parametrize(
    ("under_make", "given", "told"),
    [
        (False, (), "explain render --scenes middle --language zh --quality draft"),
        (False, ("--voice", "none"), "explain render --scenes middle --language zh --quality draft --voice none"),
        (True, ("--voice", "none"), "make render SCENES=middle LANGUAGE=zh QUALITY=draft VOICE=none"),
        (True, ("--storyboard", "my own.yaml"),
         "explain render --scenes middle --language zh --quality draft --storyboard 'my own.yaml'"),
    ],
)  # fmt: skip
def test_a_scene_is_rendered_again_as_it_was(
    monkeypatch: pytest.MonkeyPatch, under_make: bool, given: tuple[str, ...], told: str
) -> None:
    monkeypatch.delenv("MAKELEVEL", raising=False)
    if under_make:
        monkeypatch.setenv("MAKELEVEL", "1")
    assert command("middle", "zh", "draft", given) == told


def test_the_module_runs_as_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.cli", "check", "--storyboard", "nowhere.yaml"],
        capture_output=True, text=True, cwd=REPO, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("nowhere.yaml: there is no such file")
