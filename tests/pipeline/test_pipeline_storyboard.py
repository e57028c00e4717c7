"""The storyboard as data: what scenes get from it, reading times, what is read from scene classes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_studio import DATA, REPO, Studio

from pipeline.placeholders import PlaceholderError, fill, placeholders
from pipeline.problems import Problem
from pipeline.reading import reading_units
from pipeline.scene_facts import SceneFacts, facts_of, read_module
from pipeline.storyboard import Storyboard, StoryboardError, load_storyboard


@pytest.fixture(scope="module")
def storyboard() -> Storyboard:
    return load_storyboard(DATA / "studio" / "storyboard.yaml", scenes=DATA / "studio" / "scenes")


def test_scenes_get_words_and_numbers(storyboard: Storyboard) -> None:
    entry = storyboard.scene_for("opening.Opening")
    assert entry is storyboard.entry("opening")
    assert (entry.steps.first, entry.steps.last) == tuple(entry.steps) == (0, 1)
    assert (entry.track, entry.map, entry.draft) == ("both", "overview", False)
    assert entry.labels["caption"]["zh"] == "方块"
    assert list(entry.beats) == ["first", "second"]
    assert entry.beats["second"].steps == (1,)
    assert storyboard.scene_for("middle.Middle").beats["both"].steps == ()
    assert storyboard.film.words["step"]["en"] == "Step"
    assert [entry.id for entry in storyboard.scenes] == ["opening", "middle", "later", "ending"]


def test_unknown_scenes_name_near_misses(storyboard: Storyboard) -> None:
    with pytest.raises(KeyError, match="did you mean"):
        storyboard.scene_for("opening.Openning")
    with pytest.raises(KeyError, match="did you mean"):
        storyboard.entry("midle")


def test_lines_are_those_of_the_file(storyboard: Storyboard) -> None:
    lines = storyboard.path.read_text(encoding="utf-8").splitlines()
    assert lines[storyboard.line_of("middle") - 1].strip() == "- id: middle"
    assert lines[storyboard.line_of("middle", "blue") - 1].strip().startswith("blue:")


def test_reading_a_storyboard_needs_neither_manim_nor_av() -> None:
    code = (
        "import sys; from pipeline.storyboard import load_storyboard; "
        f"load_storyboard({str(DATA / 'studio' / 'storyboard.yaml')!r}, check_scenes=False); "
        "print([name for name in ('manim', 'av', 'cairo', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True)
    assert done.stdout.strip() == "[]"


def test_a_draft_is_compared_once_its_class_is_there(studio: Studio) -> None:
    load_storyboard(studio.storyboard, scenes=studio.scenes)
    text = "class Later:\n    def construct(self):\n        with self.beat('other'):\n            pass\n"
    (studio.scenes / "later.py").write_text(text)
    with pytest.raises(StoryboardError, match='the beat "other" is missing'):
        load_storyboard(studio.storyboard, scenes=studio.scenes)


# --- reading time -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "unit", "expected"),
    [
        ("先看一个方块。", "characters", 6),
        ("先 看 一 个 方 块", "characters", 6),  # spaces make no difference
        ("softmax", "characters", 2),
        ("QKV", "characters", 3),
        ("和是 0.257。", "characters", 2 + 5),
        ("Look at a square first.", "words", 5),
        ("the model's rows", "words", 3),
        ("0.257 is a weight", "words", 2 + 3),
        ("我爱水课 is a sentence", "words", 4 + 3),
        ("a × b", "words", 3),
        ("……。！？", "characters", 0),
        ("", "words", 0),
    ],
)
def test_reading_units(words: str, unit: str, expected: float) -> None:
    assert reading_units(words, unit) == expected


def test_reading_time_follows_the_films_speed(storyboard: Storyboard) -> None:
    assert storyboard.film.reading_time("先看一个方块。", "zh") == pytest.approx(6 / 20)
    assert storyboard.film.reading_time("Look at a square first.", "en") == pytest.approx(5 / 10)


@given(st.text(alphabet="先看一个方块 abc0.5，。", max_size=60), st.sampled_from(["characters", "words"]))
def test_more_words_never_take_less_time(words: str, unit: str) -> None:
    assert reading_units(words + "。再看", unit) >= reading_units(words, unit) >= 0


# --- placeholders -------------------------------------------------------------------------------------------------


def test_placeholders() -> None:
    assert placeholders("{a} and {b:.3f}, {{not}} {a}") == ["a", "b", "a"]
    assert fill("{a} and {b:.3f} {{x}}", {"a": "A", "b": 0.25}) == "A and 0.250 {x}"
    with pytest.raises(KeyError):
        fill("{a}", {})


@pytest.mark.parametrize(
    "words", ["{", "}", "{a.b}", "{a[0]}", "{a!r}", "{}", "{0}", "{a:{b}}", "{a:.3q}", "{a:999999}"]
)
def test_bad_placeholders(words: str) -> None:
    with pytest.raises(PlaceholderError):
        placeholders(words)


# --- what scene classes say ---------------------------------------------------------------------------------------


def facts(tmp_path: Path, source: str, name: str = "S") -> SceneFacts:
    path = tmp_path / "scene.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    module = read_module(path)
    assert module is not None
    return facts_of(module, name)


def test_beats_come_in_playing_order(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        class Base:
            def construct(self):
                self.start()
                with self.beat("middle", p=1) as beat:
                    self.play(self.label("a", q=2), run_time=beat.share(1))
                self.end()
            def end(self):
                with self.beat("replaced"):
                    pass
        class S(Base):
            def end(self):
                with self.beat("last"):
                    self.film_word("step")
            def start(self):
                with self.beat("first"):
                    pass
        """,
    )
    assert found.beat_names() == ["first", "middle", "last"]
    assert found.filled_by("beat", "middle") == {"p"}
    assert found.filled_by("label", "a") == {"q"}
    assert [call.name for call in found.film_words] == ["step"]


def test_a_placeholder_must_be_filled_by_every_call(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        class S:
            def construct(self):
                self.label("a", q=1, r=2)
                self.label("a", q=1)
        """,
    )
    assert found.filled_by("label", "a") == {"q"}


@pytest.mark.parametrize("call", ["self.beat(name)", 'self.beat(f"x{n}")', "self.label(name)", "self.beat()"])
def test_computed_names_are_refused_with_their_line(studio: Studio, call: str) -> None:
    studio.edit("scenes/opening.py", 'self.beat("first")', call)
    with pytest.raises(StoryboardError) as caught:
        load_storyboard(studio.storyboard, scenes=studio.scenes)
    problem = caught.value.problems[0]
    assert (Path(problem.file).name, problem.line) == ("opening.py", 11)
    assert "computed" in problem.message


def test_hidden_placeholders_and_twice_played_beats_are_refused(studio: Studio) -> None:
    studio.edit("scenes/opening.py", 'self.beat("second", side=side)', 'self.beat("second", **{"side": side})')
    with pytest.raises(StoryboardError, match="hides which placeholders"):
        load_storyboard(studio.storyboard, scenes=studio.scenes)
    studio.edit("scenes/opening.py", '**{"side": side}', "side=side")
    studio.edit("scenes/ending.py", 'self.beat("last")', 'self.beat("last"), self.beat("last")')
    with pytest.raises(StoryboardError, match="played twice"):
        load_storyboard(studio.storyboard, scenes=studio.scenes)


def test_a_scene_file_that_is_no_python_is_named(studio: Studio) -> None:
    (studio.scenes / "ending.py").write_text("class Ending(:\n")
    with pytest.raises(StoryboardError, match=r"ending\.py:1: the scene file is not valid Python"):
        load_storyboard(studio.storyboard, scenes=studio.scenes)


def test_film_words_that_scenes_draw_must_be_there(studio: Studio) -> None:
    studio.edit(
        "scenes/ending.py", 'with self.beat("last"):', 'with self.beat("last"):\n            self.film_word("stpe")'
    )
    with pytest.raises(StoryboardError, match='did you mean "step"'):
        load_storyboard(studio.storyboard, scenes=studio.scenes)


# --- anything at all ----------------------------------------------------------------------------------------------

_TEXT = (DATA / "studio" / "storyboard.yaml").read_bytes()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, len(_TEXT) - 1), st.binary(max_size=3)), min_size=1, max_size=6))
def test_a_mangled_storyboard_is_a_storyboard_or_a_report(tmp_path: Path, edits: list[tuple[int, bytes]]) -> None:
    mangled = bytearray(_TEXT)
    for place, piece in edits:
        mangled[place : place + 1] = piece
    path = tmp_path / "mangled.yaml"
    path.write_bytes(bytes(mangled))
    lines = bytes(mangled).count(b"\n") + 1
    problems = problems_of(path)
    assert problems is None or problems
    assert all(0 <= problem.line <= lines for problem in problems or [] if problem.file == str(path))


def problems_of(path: Path) -> list[Problem] | None:
    """None for a sound storyboard; anything but a StoryboardError is a fault of the reader."""
    try:
        load_storyboard(path, scenes=DATA / "studio" / "scenes")
    except StoryboardError as error:
        return error.problems
    return None
