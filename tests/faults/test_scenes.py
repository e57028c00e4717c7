"""Scenes that fail in every way: the others are rendered, the report says where, --keep-going leaves them out."""

from __future__ import annotations

import re

import pytest
from aftermath import after, finish, frame_digests, nobody_is_left, told
from report import record
from small_studio import Studio

PLACE = "circle = Circle"
FAULTS = {
    "raises": ('raise ValueError("no circle")', "ValueError: no circle"),
    "loops for ever": ("while True: pass", "it drew nothing for 8 seconds and was stopped; does it loop?"),
    "sleeps for ever": ("import time; time.sleep(9999)", "it drew nothing for 8 seconds"),
    "takes all memory at once": ("import numpy; numpy.ones(8 << 30)", "Unable to allocate"),
    "takes memory bit by bit": ("kept = []\n        while True: kept.append(bytearray(1 << 28))", "MemoryError"),
    "recurses without end": ("f = lambda: f()\n        f()", "RecursionError"),
    "ends its process": ("import os; os._exit(0)", "without a result"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "ended by SIGKILL"),
    "leaves Python": ("import sys; sys.exit(5)", "SystemExit"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "ended by SIGSEGV"),
    "floods its output": ("while True: print('x' * 99, flush=False); import sys; sys.stdout.flush(); break\n"
                          '        raise ValueError("wet")', "ValueError: wet"),
}  # fmt: skip


def breaks(studio: Studio, undisturbed: Studio, fault: str) -> None:
    code, phrase = FAULTS[fault]
    file = studio.scenes / "ending.py"
    sound = file.read_text(encoding="utf-8")
    studio.edit("scenes/ending.py", PLACE, f"{code}\n        {PLACE}")
    done = studio.explain("render", EXPLAINER_STALL_SECONDS="60" if "memory" in fault else "8")
    said = told(
        done,
        phrase,
        "The scene ending (zh) failed",
        'The film in "zh" was not written: ending failed.',
        "explain render --scenes ending --language zh --quality draft",
    )
    assert re.search(r"storyboard: \S*storyboard\.yaml:\d+\n", said)
    assert re.search(r"scene: \S*ending\.py(:\d+)?\n", said), said
    assert sorted(studio.clips()) == ["middle", "opening"]
    assert not studio.film().exists()
    after(studio)
    file.write_text(sound, encoding="utf-8")
    assert "1 clip rendered" in finish(studio, undisturbed)


@pytest.mark.faults
@pytest.mark.parametrize("fault", [name for name in FAULTS if "memory bit" not in name])
def test_words_that_cannot_be_told(studio: Studio, fault: str) -> None:
    """A scene is run for its words before anything is spoken or drawn; it may fail there in the same ways."""
    code, phrase = FAULTS[fault]
    sound = (studio.scenes / "ending.py").read_text(encoding="utf-8")
    studio.edit("scenes/ending.py", PLACE, f"{code}\n        {PLACE}")
    done = studio.explain("script", EXPLAINER_STALL_SECONDS="8")
    said = told(done, phrase, "The words of ending (zh) cannot be told: ", "next: mend the scene")
    assert re.search(r"storyboard: \S*storyboard\.yaml:\d+\n", said)
    assert "The script lacks these scenes." in said
    page = (studio.media / "script-zh.md").read_text(encoding="utf-8")
    assert "middle.red.wav" in page
    assert "ending.last.wav" not in page
    nobody_is_left(studio)
    (studio.scenes / "ending.py").write_text(sound, encoding="utf-8")
    assert studio.explain("script").returncode == 0
    record("scenes", f"a scene that {fault}, run for its words", 1, "reported with its places, status 1")


def test_a_scene_that_raises(studio: Studio, undisturbed: Studio) -> None:
    breaks(studio, undisturbed, "raises")


@pytest.mark.faults
@pytest.mark.parametrize("fault", FAULTS)
def test_a_scene_that_fails(studio: Studio, undisturbed: Studio, fault: str) -> None:
    breaks(studio, undisturbed, fault)
    record("scenes", f"a scene that {fault}", 1, "reported with beat and places, status 1; the others rendered")


def test_keep_going_leaves_the_scene_out_and_says_so(studio: Studio, undisturbed: Studio) -> None:
    studio.edit("scenes/middle.py", "self.remove(red, blue)", 'raise ValueError("no colours left")')
    done = studio.explain("render", "--keep-going")
    said = told(done, 'The film in "zh" is not whole: middle failed and is left out.', "without middle", status=3)
    film = studio.film().with_name("a-small-film-zh-draft-incomplete.mp4")
    assert f"Film, not whole: {film}" in said
    assert not studio.film().exists()
    whole = frame_digests(undisturbed.film())
    assert frame_digests(film) == whole[:24] + whole[60:]  # opening and ending
    assert '"left_out": "middle"' in film.with_suffix(".json").read_text(encoding="utf-8")
    checked = studio.explain("verify", str(film))
    assert checked.returncode == 0
    assert "not whole: without middle" in checked.stdout
    assert "is not whole" in told(studio.explain("render", "--keep-going"), status=3)
    after(studio)
    studio.edit("scenes/middle.py", 'raise ValueError("no colours left")', "self.remove(red, blue)")
    finish(studio, undisturbed)
    record(
        "scenes", "a scene that raises, with --keep-going", 2, "left out and said so: output, name, manifest, status 3"
    )


@pytest.mark.faults
def test_keep_going_with_nothing_left(studio: Studio) -> None:
    for name, place in (("opening", "side = 2.0"), ("middle", "red, blue ="), ("ending", PLACE)):
        studio.edit(f"scenes/{name}.py", place, f'raise ValueError("nothing")\n        {place}')
    told(studio.explain("render", "--keep-going"), "was not written", status=1)
    after(studio)
    assert not list(studio.media.rglob("*.mp4"))
    record("scenes", "every scene raises, with --keep-going", 1, "no film, status 1")
