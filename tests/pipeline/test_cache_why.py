"""What a clip is rendered again for, what not, and that the reason told is the true one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from small_studio import REPO, Studio

from pipeline import fingerprint
from pipeline.clips import Clip, Media, find
from pipeline.plan import choose_scenes, plan
from pipeline.qualities import QUALITIES
from pipeline.sources import closure, facts_in, film_words_of
from pipeline.storyboard import load_storyboard
from pipeline.why import changed_parts, reason


def planned(studio: Studio, language: str = "zh", quality: str = "draft") -> dict[str, Clip]:
    """The clips that the film needs now."""
    storyboard = load_storyboard(studio.storyboard, scenes=studio.scenes)
    entries = choose_scenes(storyboard, None)
    clips = plan(storyboard, entries, [language], QUALITIES[quality], studio.scenes, Media(studio.media))
    return {clip.entry.id: clip for clip in clips}


def reasons(studio: Studio, language: str = "zh", quality: str = "draft") -> dict[str, str]:
    """Why scenes will be rendered; those that will not are left out."""
    found = {scene: reason(clip) for scene, clip in planned(studio, language, quality).items()}
    return {scene: why for scene, why in found.items() if why is not None}


def test_a_finished_film_needs_nothing(finished: Studio) -> None:
    assert reasons(finished, "zh") == reasons(finished, "en") == {}


ALL = ("opening", "middle", "ending")
EDITS: dict[str, tuple[str, str, str, tuple[str, ...], str]] = {
    "words": ("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。", ("middle",), "words of beat red changed"),
    "title": ("storyboard.yaml", "title: {zh: 结尾", "title: {zh: 终", ("ending",), "title changed"),
    "takeaway": ("storyboard.yaml", "takeaway: {zh: 完。", "takeaway: {zh: 完了。", ("ending",), "take-away changed"),
    "label": ("storyboard.yaml", "caption: {zh: 方块", "caption: {zh: 正方", ("opening",), "label caption changed"),
    "steps of beats": ("storyboard.yaml", "1-20, zh: 红色来了。, en: Here is red.}\n      blue: {steps: 21-50",
                       "1-21, zh: 红色来了。, en: Here is red.}\n      blue: {steps: 22-50", ("middle",),
                       "step numbers changed"),
    "track": ("storyboard.yaml", "track: shared", "track: both", ("middle",), "scene class, track or place on the map"),
    "film word": ("storyboard.yaml", "map_output: {zh: 输出", "map_output: {zh: 出", ("ending",), "words map_output"),
    "step word": ("storyboard.yaml", "step: {zh: 步骤", "step: {zh: 步", ALL, "the film's words step changed"),
    "speed": ("storyboard.yaml", "reading_speed: {zh: 20", "reading_speed: {zh: 19", ALL, "reading speed changed"),
    "gap": ("storyboard.yaml", "gap: 0.4", "gap: 0.6", ALL, "the gap between scenes changed"),
    "size": ("storyboard.yaml", "{preset: tutorial}", "{preset: tutorial, d_ff: 9}", ALL, "the model's d_ff changed"),
    "scene": ("scenes/ending.py", "Circle(2,", "Circle(1.5,", ("ending",), "source file ending.py changed"),
    "stage": ("scenes/small_stage.py", "8040", "8041", ALL, "source file small_stage.py changed"),
    "import": ("scenes/ending.py", "from manim import Circle", "import opening\nfrom manim import Circle", ("ending",),
               "source file ending.py changed; source file opening.py is imported now"),
    # What no frame shows.
    "other language": ("storyboard.yaml", "en: Here is red.", "en: Here comes red.", (), ""),
    "comment": ("scenes/ending.py", "circle = Circle", "# round\n\n        circle = Circle", (), ""),
    "layout": ("scenes/ending.py", "Circle(2, fill_opacity=1)", "Circle(\n            2,\n fill_opacity=1,)", (), ""),
    "storyboard comment": ("storyboard.yaml", "# A small film", "# The small film", (), ""),
    "draft's words": ("storyboard.yaml", "zh: 还没有画。", "zh: 还没画。", (), ""),
    "unused film word": ("storyboard.yaml", "map_decoder: {zh: 解码器", "map_decoder: {zh: 解码", (), ""),
    "film's title": ("storyboard.yaml", "title: {zh: 小电影", "title: {zh: 电影", (), ""),
    "default quality": ("storyboard.yaml", "quality: draft", "quality: high", (), ""),
}  # fmt: skip


# Edits that concern every language alike.
COMMON = {"steps of beats", "track", "gap", "size", "scene", "stage", "import"}


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_rendered_again_and_why(rendered: Studio, edit: str) -> None:
    file, old, new, again, phrase = EDITS[edit]
    rendered.edit(file, old, new)
    found = reasons(rendered)
    assert tuple(found) == again
    assert all(phrase in why for why in found.values()), found
    english = {"other language": ("middle",)}.get(edit, again if edit in COMMON else ())
    assert tuple(reasons(rendered, "en")) == english


def test_another_order_renders_nothing(rendered: Studio) -> None:
    data = yaml.safe_load(rendered.storyboard.read_text(encoding="utf-8"))
    data["scenes"].reverse()
    rendered.storyboard.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    assert list(planned(rendered)) == ["ending", "middle", "opening"]
    assert reasons(rendered) == {}
    done = rendered.explain("render")
    assert done.returncode == 0, done.stderr
    assert "0 clips rendered" in done.stdout
    assert ", unchanged" not in done.stdout  # the film itself is joined in the new order
    assert done.stdout.count("warning: the badge will jump") == 3


def test_a_scene_more_moves_the_dots_of_all(rendered: Studio) -> None:
    text = rendered.storyboard.read_text(encoding="utf-8").replace("51-60", "51-59")
    at = text.index("  - id: later")
    more = text[at : text.index("  - id: ending")].replace("later", "last").replace("Later", "Last")
    rendered.storyboard.write_text(text[:at] + more.replace("51-59", "60") + text[at:], encoding="utf-8")
    assert set(reasons(rendered).values()) == {"its place among the progress dots changed"}


@pytest.mark.parametrize(
    ("patch", "value", "phrase"),
    [
        ("versions", dict, "version of"),
        ("font_files", lambda: [REPO / "pyproject.toml"], "fonts changed"),
        ("RENDERING_MODULES", ("encoder.py",), "source file pipeline/clip_writer.py is imported no longer"),
    ],
)
def test_what_lies_below_counts(
    rendered: Studio, monkeypatch: pytest.MonkeyPatch, patch: str, value: object, phrase: str
) -> None:
    monkeypatch.setattr(fingerprint, patch, value)
    found = reasons(rendered)
    assert tuple(found) == ALL
    assert all(phrase in why for why in found.values()), found


def test_the_theme_is_told_by_its_name() -> None:
    parts = fingerprint.surroundings(fingerprint.sources_of(REPO / "scenes" / "embedding.py"))
    assert "theme" in parts
    assert f"source/{fingerprint.THEME}" not in parts
    assert changed_parts({**parts, "theme": "other"}, parts) == ["theme changed"]
    for name in ("Cairo", "Pango", "manim", "NumPy", "Typst"):
        assert changed_parts({**parts, f"version/{name}": "0"}, parts) == [f"version of {name} changed"]
    assert {"source/pipeline/encoder.py", "source/pipeline/renderer/renderer.py"} <= set(parts)


def test_the_fonts_are_those_that_scenes_register() -> None:
    from scenes.stage.fonts import font_file  # noqa: PLC0415 (it needs manim's Pango)

    assert fingerprint.font_files() == [font_file()]


def test_film_words_that_a_scene_draws_are_found() -> None:
    assert set(film_words_of(REPO / "scenes" / "decoder_feed_forward.py", "DecoderFeedForward")) == {
        "track_training",
        "track_inference",
        "map_output",
    }
    # Every call stands in a scene class, where it is seen; what the stage's frame draws is always counted.
    for path in (REPO / "scenes").rglob("*.py"):
        calls = path.read_text(encoding="utf-8").count(".film_word(")
        told = sum(len(words) for words in (facts_in(path).film_words or {}).values())
        assert (calls > 0) == (told > 0), path


# --- files --------------------------------------------------------------------------------------------------------


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def lose_sidecar(path: Path) -> None:
    path.with_suffix(".json").unlink()


def forget_parts(path: Path) -> None:
    """A clip of an older program: another fingerprint, and nothing about its parts."""
    sidecar = path.with_suffix(".json")
    data = json.loads(sidecar.read_text(encoding="utf-8")) | {"parts": {}, "fingerprint": "0" * 16}
    sidecar.with_name("middle-0000000000000000.json").write_text(json.dumps(data), encoding="utf-8")
    path.unlink()
    sidecar.unlink()


def never_there(path: Path) -> None:
    path.unlink()
    lose_sidecar(path)


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "flipped": (flip, "clip file damaged"),
    "gone": (Path.unlink, "clip file missing"),
    "short": (lambda path: os.truncate(path, path.stat().st_size - 1), "clip file damaged"),
    "sidecar gone": (lose_sidecar, "clip file damaged: what is known of it (.json) cannot be used"),
    "of an older program": (forget_parts, "does not say what it was made from"),
    "never there": (never_there, "new"),
}


@pytest.mark.parametrize(("harm", "phrase"), FAULTS.values(), ids=FAULTS.keys())
def test_a_missing_or_harmed_clip_is_told(rendered: Studio, harm: Callable[[Path], None], phrase: str) -> None:
    harm(rendered.clips()["middle"])
    found = reasons(rendered)
    assert list(found) == ["middle"]
    assert phrase in found["middle"]
    assert (found["middle"] == "new") == (harm is never_there)


def test_another_quality_is_told(finished: Studio) -> None:
    assert set(reasons(finished, quality="high").values()) == {"new in quality high (there is draft)"}


def test_forced(finished: Studio) -> None:
    assert {reason(clip, force=True) for clip in planned(finished).values()} == {"forced"}


def test_the_newest_clip_is_compared(rendered: Studio) -> None:
    """Of two older clips, the words of the younger one differ in one beat only."""
    middle = rendered.clips()["middle"]
    parts = json.loads(middle.with_suffix(".json").read_text(encoding="utf-8"))
    old = middle.with_name("middle-1111111111111111.00000000.json")
    changed = {"parts": {**parts["parts"], "title": "x", "words/red": "x"}, "fingerprint": "1" * 16}
    old.write_text(json.dumps(parts | changed), encoding="utf-8")
    os.utime(old, ns=(0, 0))
    rendered.edit("storyboard.yaml", "zh: 蓝色来了。", "zh: 蓝色来到了。")
    assert reasons(rendered) == {"middle": "words of beat blue changed"}
    os.utime(old)
    os.utime(middle.with_suffix(".json"), ns=(0, 0))
    assert reasons(rendered)["middle"] == "words of beat red changed; words of beat blue changed; title changed"


def test_many_reasons_stay_in_a_line() -> None:
    before = {f"words/{name}": "1" for name in "abcde"}
    texts = changed_parts(before, {**before, **{f"words/{name}": "2" for name in "abcd"}, "words/z": "1"})
    assert texts == ["words of beat a changed", "words of beat b changed", "words of beat c changed",
                     "words of beat d changed", "beat z is new"]  # fmt: skip
    assert changed_parts({"words/a": "1"}, {}) == ["beat a is gone"]


# --- on the command line ------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


def test_why_tells_every_scene_in_a_line_and_does_nothing(rendered: Studio) -> None:
    rendered.edit("storyboard.yaml", "zh: 红色来了。", "zh: 红色来到了。")
    flip(rendered.clips("en")["ending"])
    before = contents(rendered.media)
    done = rendered.explain("render", "--why", "--language", "all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-7:] == [
        "opening (zh): unchanged",
        "middle (zh): will be rendered: words of beat red changed",
        "ending (zh): unchanged",
        "opening (en): unchanged",
        "middle (en): unchanged",
        "ending (en): will be rendered: clip file damaged",
        "2 of 6 clips would be rendered; nothing was.",
    ]
    assert contents(rendered.media) == before


def test_why_in_a_fresh_studio_leaves_no_trace(studio: Studio) -> None:
    done = studio.explain("render", "--why", "--scenes", "middle")
    assert done.stdout.splitlines()[-2:] == [
        "middle (zh): will be rendered: new",
        "1 of 1 clip would be rendered; nothing was.",
    ]
    assert not studio.media.exists()


# --- the memory of sources ----------------------------------------------------------------------------------------


def test_sources_are_remembered_by_content(rendered: Studio, tmp_path: Path) -> None:
    memory = Media(rendered.media).sources
    data = json.loads(memory.read_text(encoding="utf-8"))
    assert len(data["files"]) > 10
    # A memory that is broken, or of another Python, is worth nothing and harms nothing.
    for text in ("{", "[]", json.dumps(data | {"python": "2.7"}), json.dumps(data | {"files": {"x": {}}})):
        memory.write_text(text, encoding="utf-8")
        assert reasons(rendered) == {}
    scene = shutil.copy(rendered.scenes / "ending.py", tmp_path / "ending.py")
    assert facts_in(Path(scene)) == facts_in(rendered.scenes / "ending.py")


def test_a_file_that_is_no_python_counts_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "scene.py"
    digests = set()
    for text in ("def f(:\n", "def f(:\n# comment\n"):
        path.write_text(text)
        os.utime(path, ns=(len(digests), len(digests)))
        digests.add(facts_in(path).tree)
    assert len(digests) == 2
    assert closure(path, (tmp_path,)) == [path]


def test_every_clip_found_is_of_the_planned_parts(finished: Studio) -> None:
    for scene, clip in planned(finished).items():
        found = find(clip)
        assert found is not None, scene
        assert found[1].parts == clip.parts
        assert found[0].path == clip.path
