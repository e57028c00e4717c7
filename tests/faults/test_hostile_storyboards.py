"""Storyboards from strangers: a message with file and line, or a right result; never a traceback, a file elsewhere.

Some hundreds in the default run, more than ten thousand in `make test-faults`.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hostile import (
    CHARACTERS,
    INJECTIONS,
    REFUSED,
    RIGHT,
    base,
    check_messages,
    hostile_bytes,
    hostile_shapes,
    hostile_words,
    large,
    texts,
    try_one,
    written,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from outputs import check_outputs, metadata_of
from report import record
from watched_writes import nothing_outside

from pipeline import plain_text
from pipeline.captions import srt, vtt
from pipeline.captions.track import write_track
from pipeline.cli import main
from pipeline.fields import text_of
from pipeline.film import chapter_list, find_ffmpeg
from pipeline.film_extras import NO_EXTRAS
from pipeline.film_text import film_captions
from pipeline.gate import caption_file_faults, subtitle_faults
from pipeline.jobs import ClipCue, Sidecar
from pipeline.limits import FILE_BYTES
from pipeline.manifest import Part
from pipeline.qualities import QUALITIES
from pipeline.storyboard import StoryboardError, load_storyboard

FEW, MANY = 120, 3_500
FEW_LINES, MANY_LINES = 16, 300
KINDS = {
    "words: injections, controls, bidi, surrogates, emoji, long": hostile_words,
    "names, numbers, classes, paths, missing and strange fields": hostile_shapes,
    "bytes: tags, anchors, nesting, encodings, broken syntax": hostile_bytes,
}
HOW_MANY = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.faults)]


def tried(count: int, strategy: st.SearchStrategy, look: Callable[[object], str]) -> Counter[str]:
    """What came of `count` examples; those of the default run are always the same."""
    found: Counter[str] = Counter()
    few = count in (FEW, FEW_LINES)

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=few,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(example: object) -> None:
        found[look(example)] += 1

    run()
    return found


@pytest.mark.parametrize("count", HOW_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_a_strangers_storyboard_is_refused_or_right(kind: str, count: int, tmp_path: Path) -> None:
    path = tmp_path / "storyboard.yaml"
    path.write_bytes(written(base(), escapes=False))
    assert try_one(path, check_outputs) == RIGHT  # what is read once for all is read outside the watch

    def look(raw: object) -> str:
        assert isinstance(raw, bytes)
        path.write_bytes(raw)
        return try_one(path, check_outputs)

    with nothing_outside(tmp_path):
        found = tried(count, KINDS[kind](), look)
    assert sum(found.values()) >= count
    assert found[REFUSED] > count // 4
    if count == MANY:  # of a few, all may be wrong
        assert found[RIGHT] > 0
        record("storyboards", kind, sum(found.values()), f"{found[REFUSED]:,} {REFUSED}; {found[RIGHT]:,} {RIGHT}")
    assert sorted(tmp_path.iterdir()) == [path]


SLOW = ("a list of 200,000", "60,000 keys of one name", "a bomb of anchors", "40,000 scenes without anything")
LARGE = [pytest.param(what, make, id=what, marks=pytest.mark.faults if what in SLOW else ()) for what, make in large()]


@pytest.mark.parametrize(("what", "make"), LARGE)
def test_what_is_too_much_is_refused_soon(what: str, make: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "storyboard.yaml"
    make(path)
    began = time.process_time()
    with pytest.raises(StoryboardError) as caught:
        load_storyboard(path, scenes=Path("/nowhere"))
    seconds = time.process_time() - began
    assert seconds < 30, f"{seconds:.0f} s"
    assert len(str(caught.value)) < 100_000
    if path.is_file() and path.stat().st_size <= FILE_BYTES:
        check_messages(path, caught.value)
    record("storyboards", f"too much: {what}", 1, REFUSED)


def test_the_command_line_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "storyboard.yaml"
    scenes = str(Path(__file__).resolve().parents[1] / "data" / "studio" / "scenes")

    def look(raw: object) -> str:
        assert isinstance(raw, bytes)
        path.write_bytes(raw)
        status = main(["check", "--storyboard", str(path), "--scenes-folder", scenes])
        said = capsys.readouterr()
        assert status in (0, 1)
        assert "Traceback" not in said.err
        assert (str(path) in said.err) == bool(status)
        return RIGHT if status == 0 else REFUSED

    found = tried(FEW_LINES, st.one_of(hostile_words(), hostile_shapes(), hostile_bytes()), look)
    assert found[REFUSED] > 0


@pytest.mark.parametrize("scene", ["os.System", "../../evil.Evil", "subprocess.Popen", "/tmp/x.Evil", "json.Decoder"])
def test_a_class_outside_the_scenes_folder_is_never_imported(scene: str, tmp_path: Path) -> None:
    board = base()
    board["scenes"][0]["scene"] = scene
    path = tmp_path / "storyboard.yaml"
    path.write_bytes(written(board, escapes=False))
    with pytest.raises(StoryboardError, match=r"there is no scene file|is not a scene class"):
        load_storyboard(path)


@pytest.mark.parametrize(
    "count", [pytest.param(FEW_LINES, id="few"), pytest.param(MANY_LINES, id="many", marks=pytest.mark.faults)]
)
def test_every_text_that_is_let_in_can_be_set(count: int, tmp_path: Path) -> None:
    """Text goes through Pango as it is: markup, Typst and TeX are letters, and what has no glyph does no harm."""
    from manim import tempconfig  # noqa: PLC0415 (it takes seconds, and only here is it needed)

    from scenes.stage.card import fitting  # noqa: PLC0415
    from scenes.stage.words import bold, shortened  # noqa: PLC0415

    def look(text: object) -> str:
        assert isinstance(text, str)
        try:
            line = text_of(text)
        except ValueError:  # pydantic turns it into a problem with its line
            return REFUSED
        with tempconfig({"media_dir": str(tmp_path)}):
            for drawn in (fitting(line, 30.0, 6.0), bold(shortened(line, 4.0, 24.0), 24.0)):
                assert np.isfinite(drawn.points).all()
                assert drawn.height > 0
        return RIGHT

    found = tried(count, texts(), look)
    assert found[RIGHT] > count // 4
    told = f"{found[REFUSED]:,} refused; {found[RIGHT]:,} set"
    if count == MANY_LINES:
        record("storyboards", "texts set as lines", sum(found.values()), told)


def test_what_is_shown_of_a_harmful_text_is_harmless() -> None:
    assert plain_text.shown("a\x1b[31m\u202eb\ud800\n") == "a\\x1b[31m\\u202eb\\ud800\\n"
    assert plain_text.shown("x" * 500) == "x" * 400 + "…"
    assert plain_text.shown("词 é 🙂 שלום") == "词 é 🙂 שלום"
    assert plain_text.one_line(" a\n  b\tc ") == "a b c"
    assert plain_text.forbidden("a\u2066") == "\u2066"
    assert not plain_text.visible("\u200b\u200d \u115f")


def let_in() -> list[str]:
    """The texts that mean something elsewhere, as far as they may stand in a storyboard."""
    found = []
    for text in INJECTIONS + CHARACTERS:
        try:
            found.append(text_of(text))
        except ValueError:
            continue
    assert len(found) > len(INJECTIONS)
    return found


def part_of(number: int, words: str) -> Part:
    frames = 15 * 8
    cues = (ClipCue("first", 0, frames, words),)
    sidecar = Sidecar(f"scene_{number}", "en", "draft", "f", 15, frames, cues, "s", 1)
    return Part(Path(f"/media/{number}.mp4"), sidecar, words)


def test_ffmpeg_reads_titles_and_captions_as_they_were_meant(tmp_path: Path) -> None:
    texts_ = let_in()
    parts = [part_of(number, text) for number, text in enumerate(texts_)]
    metadata = tmp_path / "chapters.txt"
    metadata.write_text(chapter_list(parts, QUALITIES["draft"], {"title": texts_[0]}), encoding="utf-8")
    command = [find_ffmpeg(), "-v", "error", "-f", "ffmetadata", "-i", str(metadata), "-f", "ffmetadata", "-"]
    read = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8")
    tags, sections = metadata_of(read)
    assert tags["title"] == texts_[0]
    assert [section["title"].rstrip() for section in sections] == texts_
    captions = film_captions(parts, "words", NO_EXTRAS)
    for name, text in (("a.vtt", vtt(captions, 15)), ("a.srt", srt(captions, 15))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert caption_file_faults(tmp_path / name, captions, 15) == []
    write_track(tmp_path / "a.mp4", captions, 15)
    assert subtitle_faults(tmp_path / "a.mp4", [("und", captions)], 15) == []
    record("storyboards", "titles and captions read by ffmpeg", len(texts_), "as they were meant")
