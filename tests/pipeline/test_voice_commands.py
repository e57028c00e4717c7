"""`explain script` and `explain record-check`: from the words to recordings that can be used."""

from __future__ import annotations

import re

import numpy as np
from small_studio import Studio
from test_voice_sound import tone

from pipeline.voice import sound


def test_the_script_leads_to_recordings_that_pass(studio: Studio) -> None:
    done = studio.explain("script")
    assert done.returncode == 0, done.stderr
    page = (studio.media / "script-zh.md").read_text(encoding="utf-8")
    assert "它的边长是 2.0。" in page  # a value that only the scene knows
    names = [line.split("`")[1] for line in page.splitlines() if line.startswith("`")]
    assert names == [
        *("opening.first.wav", "opening.second.wav", "middle.red.wav", "middle.blue.wav", "middle.both.wav"),
        "ending.last.wav",
    ]
    for name in names:
        spoken = np.concatenate([sound.silence(0.3), tone(1.2), sound.silence(0.3)])
        sound.write(studio.root / "recordings" / "zh" / name, spoken)
    done = studio.explain("record-check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "OK, 6 recordings" in done.stdout
    (studio.root / "recordings" / "zh" / names[0]).unlink()
    sound.write(studio.root / "recordings" / "zh" / names[1], tone(1.2, 0.001))
    done = studio.explain("record-check")
    assert done.returncode == 1
    assert "opening.first.wav: missing\n    next: record “先看一个方块。”" in done.stdout
    assert "opening.second.wav: too quiet" in done.stdout
    assert done.stderr == "2 of 6 beats need a recording that can be used.\n"


def test_the_words_are_found_once(studio: Studio) -> None:
    first = studio.explain("script", "--out", str(studio.root / "a.md"))
    assert first.returncode == 0, first.stderr
    kept = sorted((studio.media / "voice" / "words" / "zh").iterdir())
    changed = {path: path.stat().st_mtime_ns for path in kept}
    studio.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色真的来了。")
    second = studio.explain("script", "--out", str(studio.root / "b.md"))
    assert second.returncode == 0, second.stderr
    assert "红色真的来了。" in (studio.root / "b.md").read_text(encoding="utf-8")
    after = sorted((studio.media / "voice" / "words" / "zh").iterdir())
    assert len(after) == len(kept) + 1  # one scene was run again
    assert all(path.stat().st_mtime_ns == changed[path] for path in kept)


def test_a_scene_that_fails_is_named(studio: Studio) -> None:
    studio.edit("scenes/middle.py", "def construct(self) -> None:\n", "def construct(self) -> None:\n        1 / 0\n")
    done = studio.explain("script")
    assert done.returncode == 1
    assert "The words of middle (zh) cannot be told: ZeroDivisionError" in done.stderr
    assert re.search(r"storyboard: \S*storyboard\.yaml:\d+\n +scene: \S*middle\.py:\d+\n", done.stderr)
    assert "Traceback" not in done.stderr
    page = (studio.media / "script-zh.md").read_text(encoding="utf-8")
    assert "opening.first.wav" in page
    assert "middle." not in page
    done = studio.explain("record-check")
    assert done.stdout.count("missing\n") == 3  # of the beats whose words are known
    assert "3 of 3 beats need a recording that can be used.\nThe words of middle (zh) cannot be told" in done.stderr


def test_a_language_that_there_is_not(studio: Studio) -> None:
    for command in ("script", "record-check"):
        done = studio.explain(command, "--language", "de")
        assert done.returncode == 1
        assert done.stderr.startswith('The film has no language "de".\n    allowed: zh, en')
