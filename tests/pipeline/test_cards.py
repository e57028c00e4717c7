"""A film between its title card and its end card: drawn, cached and joined like scenes, and no scene of the film."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from small_studio import DATA, Studio, copied
from test_pipeline_captions import parse_vtt
from test_pipeline_film import FRAMES, GAP, LENGTHS

from pipeline.cards import headings
from pipeline.manifest import chapters_of, manifest_of
from pipeline.probe import probe
from pipeline.storyboard import load_storyboard

CARDS = """  gap: 0.4
  cards:
    title:
      scene: cards.TitleCard
      labels: {line: {zh: 三个图形, en: Three shapes}}
    end:
      scene: cards.EndCard
      seconds: 3
      words: {zh: 再见。, en: Goodbye.}
"""
SCENE = '''"""Two cards."""

from manim import Square
from small_stage import SmallScene


class TitleCard(SmallScene):
    def construct(self) -> None:
        square = Square(2, fill_color=self.colour(self.label("line")), fill_opacity=1)
        self.add(square)
        with self.beat("card"):
            self.play(square.animate.shift([2, 0, 0]), run_time=self.seconds(40))


class EndCard(SmallScene):
    def construct(self) -> None:
        square = Square(1, fill_color="#aa3355", fill_opacity=1)
        self.add(square)
        with self.beat("card"):
            self.play(square.animate.shift([0, 1, 0]), run_time=self.seconds(45))
'''
TITLE, END = 40 + GAP, 45 + GAP
FPS = 15


def with_cards(root: Path) -> Studio:
    shutil.copytree(DATA / "studio", root, ignore=shutil.ignore_patterns("__pycache__", "media"))
    made = Studio(root)
    made.edit("storyboard.yaml", "  gap: 0.4\n", CARDS)
    (made.scenes / "cards.py").write_text(SCENE, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def carded(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The small studio with cards, its film in both languages. To be looked at, not to be changed."""
    made = with_cards(tmp_path_factory.mktemp("carded") / "studio")
    done = made.explain("render", "--language", "all")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("3 scenes in")
    return made


def test_cards_are_in_the_film_and_scenes_stay_scenes(carded: Studio) -> None:
    board = load_storyboard(carded.storyboard, scenes=carded.scenes)
    assert [entry.id for entry in board.scenes] == ["opening", "middle", "later", "ending"]
    assert [entry.id for entry in board.drawn] == ["title_card", "opening", "middle", "ending", "end_card"]
    made = json.loads(manifest_of(carded.film()).read_text(encoding="utf-8"))
    parts = made["made_from"]["parts"]
    assert [part["scene"] for part in parts] == [entry.id for entry in board.drawn]
    assert [part["frames"] for part in parts] == [TITLE, *LENGTHS.values(), END]
    assert [part["scene"] for part in parts if part.get("card")] == ["title_card", "end_card"]
    assert probe(carded.film()).frames == TITLE + FRAMES + END


@pytest.mark.parametrize("language", ["zh", "en"])
def test_chapters_are_the_scenes_and_cover_the_film(carded: Studio, language: str) -> None:
    titles = {"zh": ["开头", "中间：红与蓝", "结尾"], "en": ["The opening", "The middle: red & blue", "The ending"]}
    starts = [0, TITLE + LENGTHS["opening"], TITLE + LENGTHS["opening"] + LENGTHS["middle"]]
    film = carded.film(language)
    chapters = probe(film).chapters
    assert [chapter[2] for chapter in chapters] == titles[language]
    assert [round(chapter[0] * FPS) for chapter in chapters] == starts
    assert round(chapters[-1][1] * FPS) == TITLE + FRAMES + END
    told = json.loads(manifest_of(film).read_text(encoding="utf-8"))["chapters"]
    assert [(one["title"], one["start_frame"]) for one in told] == list(zip(titles[language], starts, strict=True))
    vtt = parse_vtt(film.with_suffix(".chapters.vtt").read_text(encoding="utf-8"))
    assert [round(cue[1] * FPS) for cue in vtt] == starts
    for suffix in (".transcript.md", ".described.md"):
        text = film.with_suffix(suffix).read_text(encoding="utf-8")
        assert re.findall(r"(?m)^## (.*) \(\d+:\d\d\)$", text) == titles[language], suffix
    assert {"zh": "三个图形", "en": "Three shapes"}[language] in text
    assert "\n\n\n" not in text


def test_a_silent_card_has_no_captions_and_a_speaking_one_has(carded: Studio) -> None:
    cues = parse_vtt(carded.film("en").with_suffix(".vtt").read_text(encoding="utf-8"))
    assert {cue[0].split(".")[0] for cue in cues} == {*LENGTHS, "end_card"}
    assert cues[0][1] == pytest.approx(TITLE / FPS, abs=0.01)
    assert cues[-1][3] == ["Goodbye."]
    assert "[" not in carded.film("en").with_suffix(".transcript.md").read_text(encoding="utf-8").split("## ")[0]
    # The other language's captions are inside, too: a card without words keeps none of them out.
    assert probe(carded.film("en")).streams.count("subtitle") == 2


def test_the_film_is_sound_and_the_course_has_the_scenes_alone(carded: Studio, tmp_path: Path) -> None:
    done = carded.explain("verify")
    assert done.returncode == 0, done.stdout
    assert "3 chapters, silent" in done.stdout
    out = tmp_path / "course"
    done = carded.explain("course", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zh: 3 scenes" in done.stdout
    assert not [path for path in out.rglob("*card*")]
    page = next((out / "site").glob("index*.html")).read_text(encoding="utf-8")
    film = json.loads(re.search(r'id="course-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])["editions"]["zh"]["film"]
    assert film["starts"][0] == pytest.approx(TITLE / FPS, abs=0.001)
    assert film["chapters"][0][0] == 0
    assert film["chapters"][-1][1] == pytest.approx((TITLE + FRAMES + END) / FPS, abs=0.001)


def test_a_film_of_a_silent_card_alone_is_sound(carded: Studio, tmp_path: Path) -> None:
    """It has captions in no file: an empty one is as it should be, and one that says something is not."""
    studio = copied(carded, tmp_path / "studio")
    assert studio.explain("render", "--scenes", "title_card").returncode == 0
    film = studio.film().with_name("a-small-film-zh-draft-title_card.mp4")
    done = studio.explain("verify", str(film))
    assert done.returncode == 0, done.stdout
    film.with_suffix(".srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nwords\n", encoding="utf-8")
    assert studio.explain("verify", str(film)).returncode == 1


def test_a_card_is_drawn_again_for_its_own_words_alone(tmp_path: Path) -> None:
    studio = with_cards(tmp_path / "studio")
    one = studio.explain("render", "--scenes", "title_card")
    assert one.returncode == 0, one.stderr
    assert list(studio.clips()) == ["title_card"]
    studio.edit("storyboard.yaml", "zh: 三个图形", "zh: 图形")
    why = studio.explain("render", "--why", "--scenes", "title_card,end_card,opening").stdout
    assert "title_card (zh): will be rendered: label line changed" in why
    studio.edit("storyboard.yaml", "  gap: 0.4\n", "  gap: 0.4\n  licence: CC BY 4.0\n")
    assert "the film's licence changed" in studio.explain("render", "--why", "--scenes", "title_card").stdout
    studio.edit("storyboard.yaml", "      seconds: 3\n", "      seconds: 2\n")
    refused = studio.explain("check")
    assert refused.returncode == 1
    assert re.search(r"storyboard.yaml:\d+: film.cards.end.seconds: 2 is too small", refused.stderr), refused.stderr
    assert "Traceback" not in refused.stderr


def test_prune_keeps_the_cards(carded: Studio, tmp_path: Path) -> None:
    shutil.copytree(carded.root, tmp_path / "studio", ignore=shutil.ignore_patterns("__pycache__"))
    studio = Studio(tmp_path / "studio")
    shutil.rmtree(studio.media / "film")
    assert "nothing to remove" in studio.explain("prune").stdout
    assert {"title_card", "end_card"} <= studio.clips().keys()


def test_stills_scripts_and_recordings_know_cards(carded: Studio, tmp_path: Path) -> None:
    still = carded.explain("still", "title_card", "card", "--out", str(tmp_path / "card.png"))
    assert still.returncode == 0, still.stderr
    script = carded.explain("script", "--out", str(tmp_path / "script.md"))
    assert script.returncode == 0, script.stderr
    text = (tmp_path / "script.md").read_text(encoding="utf-8")
    assert "end_card.card" in text
    assert "title_card" not in text
    wrong = carded.explain("render", "--scenes", "titel_card")
    assert 'did you mean "title_card"?' in wrong.stderr


A, B = ("A", False), ("B", False)
CARD = ("Film", True)


@pytest.mark.parametrize(
    ("parts", "begun"),
    [
        ([A, B], ["A", "B"]),
        ([CARD, A, B, CARD], ["A", "", "B", ""]),
        ([A, CARD], ["A", ""]),
        ([CARD, CARD], ["Film", "Film"]),
        ([], []),
    ],
)
def test_where_chapters_begin(parts: list[tuple[str, bool]], begun: list[str]) -> None:
    assert headings(parts) == begun


def test_chapters_leave_no_gap() -> None:
    assert chapters_of([(*CARD, 60), (*A, 10), (*B, 5), (*CARD, 7)]) == [("A", 0, 70), ("B", 70, 82)]
