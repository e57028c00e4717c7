"""Which beats an edit touches, read from source and storyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_studio import Studio

from pipeline.beat_versions import Version, version_of
from pipeline.problems import UserError
from pipeline.storyboard import load_storyboard

SOURCE = '''
"""A scene."""
import math
from stage import Base
SIZE = 2
def square(): return SIZE
def circle(): return math.pi
class Other:
    pass
class Root(Base):
    kind = "root"
    def helper(self): return square()
class Opening(Root):
    def construct(self):
        self.begin()
        self.go_on()
        self.finish()
    def begin(self):
        with self.beat("first") as beat:
            self.play(square())
    def go_on(self):
        with self.beat("second"):
            self.play(self.helper())
    def finish(self):
        with self.beat("third"):
            self.play(circle())
'''
NAMES = ["first", "second", "third"]


@pytest.fixture
def version(studio: Studio, tmp_path: Path):
    studio.edit(
        "storyboard.yaml", '{side:.1f}。", en: "Its side is {side:.1f}."}', '3", en: "3"}\n      third: {zh: 三, en: c}'
    )
    file = tmp_path / "opening.py"

    def make(source: str = SOURCE, *, language: str = "zh", others: tuple[str, ...] = ()) -> Version:
        file.write_text(source, encoding="utf-8")
        board = load_storyboard(studio.storyboard, check_scenes=False)
        return version_of(board, board.entry("opening"), language, file, others)

    return make


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("self.play(circle())", "self.play(circle(), 1)", ["third"]),
        ("return math.pi", "return math.e", ["third"]),
        ("return SIZE", "return SIZE + 1", ["first", "second"]),  # through the helper, too
        ("SIZE = 2", "SIZE = 3", ["first", "second"]),
        ("def helper(self): return square()", "def helper(self): return 1", ["second"]),
        ("def helper(self)", "# a comment\n\n    def helper(self)", []),
        ('self.beat("first") as beat', 'self.beat("first")', ["first"]),
    ],
)
def test_a_change_of_code_touches_the_beats_that_reach_it(version, old: str, new: str, changed: list[str]) -> None:
    before, after = version(), version(SOURCE.replace(old, new))
    assert after.changed_from(before) == changed
    assert before.names == NAMES
    # Every place up to the first changed beat is still true, none after it.
    first = NAMES.index(changed[0]) if changed else len(NAMES)
    assert [after.same_before(before, index) for index in range(4)] == [index <= first for index in range(4)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.begin()\n", "self.begin()\n        self.wait()\n"),
        ('kind = "root"', 'kind = "tree"'),
        ("import math", "import cmath as math"),
        ("class Opening(Root)", "class Opening(Root, Other)"),
        ("class Other:\n    pass", "class Other:\n    x = 1"),
    ],
)
def test_what_no_beat_reaches_is_the_ground_of_all(version, old: str, new: str) -> None:
    before, after = version(), version(SOURCE.replace(old, new))
    assert after.changed_from(before) == []
    assert not any(after.same_before(before, index) for index in range(4))


def test_words_of_a_beat_are_its_own_and_others_of_the_ground(version, studio: Studio) -> None:
    before = version()
    english = version(language="en")
    studio.edit("storyboard.yaml", "zh: 先看一个方块。", "zh: 先看看方块。")
    after = version()
    assert after.changed_from(before) == ["first"]
    assert after.same_before(before, 0)
    assert not after.same_before(before, 1)
    assert version(language="en") == english  # another language's words are not seen
    for old, new in (("caption: {zh: 方块", "caption: {zh: 圆"), ("zh: 开头", "zh: 头"), ("gap: 0.4", "gap: 0.5")):
        studio.edit("storyboard.yaml", old, new)
        assert version().changed_from(after) == []
        assert version().ground != after.ground
        after = version()
    assert version(others=("a",)).ground != after.ground


def test_beats_inside_construct_are_told_apart_but_stand_on_all_of_it(version) -> None:
    inline = SOURCE[: SOURCE.index("    def construct")] + (
        '    def construct(self):\n        with self.beat("first"):\n            square()\n'
        '        with self.beat("second"):\n            circle()\n        with self.beat("third"):\n            pass\n'
    )
    before, after = version(inline), version(inline.replace("circle()\n        with", "circle(1)\n        with"))
    assert after.changed_from(before) == ["second"]
    assert not after.same_before(before, 1)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SOURCE.replace("SIZE = 2", "SIZE = = 2"), r"opening\.py:5: the scene file is not valid Python"),
        (SOURCE.replace("class Opening", "class Opning"), "there is no class Opening"),
    ],
)
def test_what_cannot_be_read_is_told(version, source: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        version(source)
