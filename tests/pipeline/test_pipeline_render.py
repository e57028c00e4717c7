"""Rendering: what is kept and what is made again, what a failure costs, what the summary says."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_studio import REPO, Studio
from test_pipeline_captions import parse_vtt

from pipeline.clips import Clip, Media, film_name, slug_of, usable
from pipeline.fingerprint import closure, source_digest
from pipeline.jobs import ClipCue, SceneFaultError, Sidecar
from pipeline.pieces import check_cues
from pipeline.qualities import QUALITIES
from pipeline.render import choose_scenes, plan
from pipeline.storyboard import load_storyboard


def made(studio: Studio, language: str = "zh") -> dict[str, tuple[str, int]]:
    """Which clip each scene has, and when it was written."""
    newest: dict[str, tuple[str, int]] = {}
    folder = studio.media / "clips" / "draft" / language
    for path in sorted(folder.glob("*.mp4"), key=lambda path: path.stat().st_mtime_ns):
        newest[path.stem.rpartition("-")[0]] = (path.name, path.stat().st_mtime_ns)
    return newest


def planned(studio: Studio, language: str = "zh") -> dict[str, Clip]:
    """The clips that the film needs now."""
    storyboard = load_storyboard(studio.storyboard, scenes=studio.scenes)
    entries = choose_scenes(storyboard, None)
    clips = plan(storyboard, entries, [language], QUALITIES["draft"], studio.scenes, Media(studio.media))
    return {clip.entry.id: clip for clip in clips}


def render(studio: Studio, *arguments: str) -> str:
    done = studio.explain("render", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_nothing_is_rendered_twice(rendered: Studio) -> None:
    before = made(rendered)
    film = rendered.film().read_bytes()
    said = render(rendered)
    assert made(rendered) == before
    assert "Unchanged: 3 clips" in said
    assert "0 clips rendered" in said
    assert rendered.film().read_bytes() == film


def test_force_renders_all_of_it_to_the_same_bytes(rendered: Studio) -> None:
    before, clips = made(rendered), {scene: path.read_bytes() for scene, path in rendered.clips().items()}
    assert "3 clips rendered" in render(rendered, "--force", "--jobs", "1")
    after = made(rendered)
    assert all(after[scene][1] > before[scene][1] for scene in before)
    assert {scene: path.read_bytes() for scene, path in rendered.clips().items()} == clips


def test_changed_words_of_one_scene_render_that_scene(rendered: Studio) -> None:
    before = made(rendered)
    rendered.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。")
    said = render(rendered)
    after = made(rendered)
    assert [scene for scene in after if after[scene] != before[scene]] == ["middle"]
    assert "1 clip rendered" in said
    cues = parse_vtt(rendered.film().with_suffix(".vtt").read_text(encoding="utf-8"))
    assert ["红色来到了。"] in [lines for _, _, _, lines in cues]


ALL = ["ending", "middle", "opening"]


@pytest.mark.parametrize(
    ("file", "old", "new", "again"),
    [
        ("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。", ["middle"]),
        ("storyboard.yaml", "en: Here is red.", "en: Here comes red.", []),
        ("storyboard.yaml", "caption: {zh: 方块", "caption: {zh: 正方形", ["opening"]),
        ("storyboard.yaml", "takeaway: {zh: 完。", "takeaway: {zh: 完了。", ["ending"]),
        ("storyboard.yaml", "# A small film", "# The small film", []),
        ("storyboard.yaml", "quality: draft", "quality: high", []),
        ("storyboard.yaml", "step: {zh: 步骤", "step: {zh: 步", ALL),
        ("storyboard.yaml", "gap: 0.4", "gap: 0.6", ALL),
        ("storyboard.yaml", "reading_speed: {zh: 20", "reading_speed: {zh: 19", ALL),
        ("storyboard.yaml", "zh: 还没有画。", "zh: 还没画。", []),
        ("storyboard.yaml", "{preset: tutorial}", "{preset: tutorial, seed: 7}", ALL),
        ("scenes/ending.py", "Circle(2,", "Circle(1.5,", ["ending"]),
        ("scenes/small_stage.py", "8040", "8041", ALL),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_clip_depends_on(studio: Studio, file: str, old: str, new: str, again: list[str]) -> None:
    before = planned(studio)
    studio.edit(file, old, new)
    after = planned(studio)
    assert sorted(scene for scene in after if after[scene].path != before[scene].path) == again


def test_versions_of_what_draws_count(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    before = planned(studio)
    monkeypatch.setattr("pipeline.fingerprint.versions", lambda: {"manim": "0.0"})
    assert not {clip.path for clip in before.values()} & {clip.path for clip in planned(studio).values()}


def test_going_back_finds_the_old_clip(rendered: Studio) -> None:
    before = {path.name for path in rendered.clips().values()}
    rendered.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。")
    render(rendered)
    rendered.edit("storyboard.yaml", "zh: 红色来到了。", "zh: 红色来了。")
    assert "0 clips rendered" in render(rendered)
    assert before <= {path.name for path in (rendered.media / "clips" / "draft" / "zh").glob("*.mp4")}


# --- a clip is used only when it is whole -------------------------------------------------------------------------


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 100)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lose_sidecar(path: Path) -> None:
    path.with_suffix(".json").unlink()


def break_sidecar(path: Path) -> None:
    path.with_suffix(".json").write_text('{"frames": 3', encoding="utf-8")


def age_sidecar(path: Path) -> None:
    """A sidecar as another version might have written it."""
    data = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    data["colour"] = "red"
    path.with_suffix(".json").write_text(json.dumps(data), encoding="utf-8")


def other_scene(path: Path) -> None:
    """Another scene's clip and sidecar under this one's name: whole, but the wrong ones."""
    other = next(clip for clip in path.parent.glob("*.mp4") if not clip.name.startswith("middle"))
    shutil.copyfile(other, path)
    shutil.copyfile(other.with_suffix(".json"), path.with_suffix(".json"))


HARMS = [flip, truncate, empty, Path.unlink, lose_sidecar, break_sidecar, age_sidecar, other_scene]


@pytest.mark.parametrize("harm", HARMS)
def test_a_harmed_clip_is_not_used(rendered: Studio, harm: Callable[[Path], None]) -> None:
    clips = planned(rendered)
    assert all(usable(clip) is not None for clip in clips.values())
    harm(clips["middle"].path)
    assert [scene for scene, clip in clips.items() if usable(clip) is None] == ["middle"]


def test_a_harmed_clip_is_rendered_again(rendered: Studio) -> None:
    film = rendered.film().read_bytes()
    clip = rendered.clips()["middle"]
    whole = clip.read_bytes()
    flip(clip)
    assert "1 clip rendered" in render(rendered)
    assert clip.read_bytes() == whole
    assert rendered.film().read_bytes() == film


# --- some scenes, other languages ---------------------------------------------------------------------------------


def test_some_scenes_make_a_film_of_their_own(rendered: Studio) -> None:
    whole = rendered.film().read_bytes()
    said = render(rendered, "--scenes", "ending,opening")
    assert rendered.film().read_bytes() == whole
    part = rendered.film().with_name("a-small-film-zh-draft-opening-ending.mp4")
    assert part.is_file()
    assert part.with_suffix(".vtt").is_file()
    assert part.name in said


def test_drafts_are_left_out_with_a_line(rendered: Studio) -> None:
    assert "Left out, not drawn yet: later" in render(rendered)
    done = rendered.explain("render", "--scenes", "later")
    assert done.returncode == 1
    assert re.search(r'The scene "later" is a draft \(.*storyboard\.yaml:\d+\)', done.stderr)


def test_the_summary_says_what_there_is(rendered: Studio) -> None:
    said = render(rendered, "--language", "all")
    for language in ("zh", "en"):
        assert str(rendered.film(language)) in said
        assert str(rendered.film(language).with_suffix(".vtt")) in said
    assert "0:06 (86 frames)" in said
    assert "854×480 at 15" in said
    assert re.search(r"\d+ kB", said)


@pytest.mark.parametrize(
    ("arguments", "phrases"),
    [
        (["--scenes", "openin"], ['There is no scene "openin"', 'did you mean "opening"?', "opening, middle, ending"]),
        (["--language", "eng"], ['no language "eng"', "allowed: zh, en, all", 'did you mean "en"?']),
        (["--ffmpeg", "/nowhere/ffmpeg"], ['"/nowhere/ffmpeg" cannot be run', "--ffmpeg"]),
    ],
    ids=["scene", "language", "ffmpeg"],
)
def test_wrong_wishes_name_what_is_allowed(studio: Studio, arguments: list[str], phrases: list[str]) -> None:
    done = studio.explain("render", *arguments)
    assert done.returncode == 1
    for phrase in phrases:
        assert phrase in done.stderr
    assert "Traceback" not in done.stderr
    assert not studio.media.exists()


# --- a scene that fails -------------------------------------------------------------------------------------------


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_a_failing_scene_costs_no_other_one_its_clip(studio: Studio) -> None:
    studio.edit("scenes/middle.py", "self.remove(red, blue)", 'raise ValueError("no colours left")')
    done = studio.explain("render")
    assert done.returncode == 1
    assert sorted(studio.clips()) == ["ending", "opening"]
    assert not studio.film().exists()
    assert not list((studio.media / "film").rglob("*.mp4"))
    said = done.stdout
    assert 'The scene middle (zh) failed in the beat "both"' in said
    assert "ValueError: no colours left" in said
    assert f"storyboard.yaml:{line_of(studio.storyboard, '两种颜色')}" in said
    assert f"middle.py:{line_of(studio.scenes / 'middle.py', 'raise ValueError')}" in said
    assert "explain render --scenes middle --language zh --quality draft" in said
    assert 'The film in "zh" was not written: middle failed.' in said
    assert "no colours left" in (studio.media / "logs" / "middle-zh.txt").read_text(encoding="utf-8")
    # Mended, only the scene that failed is rendered, and the film is whole.
    studio.edit("scenes/middle.py", 'raise ValueError("no colours left")', "self.remove(red, blue)")
    assert "1 clip rendered" in render(studio)
    assert studio.film().is_file()
    assert not (studio.media / "logs").exists()


@pytest.mark.parametrize(
    ("old", "new", "phrase"),
    [
        ("circle = Circle", "import os\n        os._exit(0)\n        circle = Circle", "without a result"),
        ("circle = Circle", "import os\n        os.kill(os.getpid(), 9)\n        circle = Circle", "SIGKILL"),
        ("self.play(circle", "self.camera.pixel_array = None\n            self.play(circle", "AttributeError"),
        ("from manim import Circle", "from manim import Circel as Circle", "ImportError"),
        (
            "            self.play(circle.animate.scale(0.1), run_time=self.seconds(20))",
            "            pass",
            "plays nothing",
        ),
        ("circle = Circle", "while True: pass\n        circle = Circle", "it drew nothing for 12 seconds"),
        ("self.play(circle", "while True: self.hold(999)\n            self.play(circle", "longer than 30 minutes"),
        ("circle = Circle", "import numpy\n        numpy.ones(8 << 30)\n        circle = Circle", "Unable to allocate"),
    ],
    ids=["exit", "killed", "broken camera", "import", "nothing played", "hangs", "never ends", "eats memory"],
)
def test_whatever_happens_to_a_worker_is_told(studio: Studio, old: str, new: str, phrase: str) -> None:
    studio.edit("scenes/ending.py", old, new)
    done = studio.explain("render", "--scenes", "ending", EXPLAINER_STALL_SECONDS="12")
    assert done.returncode == 1
    assert phrase in done.stdout
    assert "The scene ending (zh) failed" in done.stdout
    assert "was not written" in done.stdout
    assert studio.clips() == {}
    assert [path for path in studio.media.rglob("*.mp4*")] == []


def test_what_a_scene_prints_does_not_disturb(studio: Studio) -> None:
    noise = 'print(\'{"event": "done"}\', flush=True)'
    studio.edit("scenes/ending.py", "circle = Circle", f"{noise}\n        circle = Circle")
    render(studio, "--scenes", "ending")


def test_a_scene_that_changes_while_it_is_rendered_is_not_kept(studio: Studio) -> None:
    """The file changes itself: what was drawn is not what the fingerprint speaks of."""
    change = "open(__file__, 'a').write('CHANGED = True\\n')"
    studio.edit("scenes/ending.py", "circle = Circle", f"{change}\n        circle = Circle")
    done = studio.explain("render", "--scenes", "ending")
    assert done.returncode == 1
    assert "The scene ending (zh) failed:\n    its source, or something that it imports, was changed" in done.stdout
    assert studio.clips() == {}


def test_a_scene_that_changed_before_its_turn_is_not_even_drawn(studio: Studio) -> None:
    studio.edit("scenes/ending.py", "circle = Circle", "open(__file__ + '.drawn', 'w')\n        circle = Circle")
    change = "open(__file__.replace('middle', 'ending'), 'a').write('CHANGED = True\\n')"
    studio.edit("scenes/middle.py", "red, blue =", f"{change}\n        red, blue =")
    done = studio.explain("render", "--jobs", "1")
    assert done.returncode == 1
    assert "was changed since the render began" in done.stdout
    assert sorted(studio.clips()) == ["middle", "opening"]
    assert not (studio.scenes / "ending.py.drawn").exists()


def test_what_is_edited_during_the_render_does_not_disturb_it(studio: Studio) -> None:
    """While the second scene is drawn, the storyboard and the first scene's file become unreadable."""
    sound = {name: (studio.root / name).read_text(encoding="utf-8") for name in ("storyboard.yaml", "scenes/middle.py")}
    folder = "__import__('pathlib').Path(__file__).parents[1]"
    change = f"[({folder} / name).write_text('broken: [') for name in {list(sound)}]"
    studio.edit("scenes/opening.py", "side = 2.0", f"side = 2.0\n        {change}")
    said = render(studio, "--jobs", "1")
    assert [line.split()[0] for line in said.splitlines() if "frames in" in line] == ["middle", "opening", "ending"]
    assert studio.storyboard.read_text(encoding="utf-8") == "broken: ["
    for name, text in sound.items():
        (studio.root / name).write_text(text, encoding="utf-8")
    assert "0 clips rendered" in render(studio)


# --- parts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cues", "phrase"),
    [
        ([("a", 0, 5)], "the storyboard has a, b"),
        ([("b", 0, 5), ("a", 5, 9)], "played the beats b, a"),
        ([("a", 0, 5), ("b", 4, 9)], "must begin at 5"),
        ([("a", 0, 5), ("b", 5, 5)], "takes the frames 5-5"),
        ([("a", 0, 5), ("b", 5, 11)], "end at 10"),
    ],
)
def test_cues_must_fit_the_clip(cues: list[tuple[str, int, int]], phrase: str) -> None:
    with pytest.raises(SceneFaultError, match=phrase):
        check_cues(tuple(ClipCue(*cue, words="w") for cue in cues), ["a", "b"], 10)
    check_cues((ClipCue("a", 0, 5, "w"), ClipCue("b", 6, 10, "w")), ["a", "b"], 10)


def test_sidecars_survive_the_file() -> None:
    sidecar = Sidecar("s", "zh", "draft", "f", 15, 3, (ClipCue("b", 0, 3, "字", (1, 2)),), "x", 9, 0.5)
    assert Sidecar.from_data(json.loads(json.dumps(sidecar.to_data()))) == sidecar


def test_a_scene_depends_on_what_it_imports_and_on_nothing_else(studio: Studio) -> None:
    names = {path.name for path in closure(studio.scenes / "ending.py", (REPO, studio.scenes))}
    assert {"ending.py", "small_stage.py", "storyboard.py", "reading.py"} <= names
    assert not names & {"opening.py", "middle.py", "storyboard_checks.py", "render.py"}
    (studio.scenes / "extra.py").write_text("from small_stage import SmallScene\nimport opening\n")
    studio.edit("scenes/ending.py", "from manim import Circle", "from manim import Circle\nimport extra")
    names = {path.name for path in closure(studio.scenes / "ending.py", (REPO, studio.scenes))}
    assert {"extra.py", "opening.py"} <= names


def test_files_of_one_name_are_not_mistaken_for_each_other(studio: Studio) -> None:
    """Two packages, each with an `__init__.py`: a change of either counts."""
    for package in ("one", "two"):
        (studio.scenes / package).mkdir()
        (studio.scenes / package / "__init__.py").write_text("VALUE = 1\n")
    studio.edit("scenes/ending.py", "from manim import Circle", "from manim import Circle\nimport one, two")
    digests = set()
    for package in ("", "one", "two"):
        if package:
            studio.edit(f"scenes/{package}/__init__.py", "VALUE = 1", "VALUE = 2")
        digests.add(source_digest(studio.scenes / "ending.py"))
    assert len(digests) == 3


def test_file_names_of_films(studio: Studio) -> None:
    storyboard = load_storyboard(studio.storyboard, scenes=studio.scenes)
    assert film_name(storyboard, "zh", QUALITIES["standard"], None) == "a-small-film-zh"
    assert film_name(storyboard, "en", QUALITIES["high"], None) == "a-small-film-en-high"
    assert film_name(storyboard, "en", QUALITIES["standard"], ["middle"]) == "a-small-film-en-middle"
    assert film_name(storyboard, "en", QUALITIES["draft"], list("abcd")) == "a-small-film-en-draft-a-to-d-4"
    assert slug_of("../Über: Transformer #1!") == "ber-transformer-1"
    assert slug_of("小电影") == ""
