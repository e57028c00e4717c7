"""The described transcript: what is said, what stands in the picture, and the numbers of the trace."""

from __future__ import annotations

from pathlib import Path

from engine import preset, run_trained
from pipeline.described import described
from pipeline.jobs import ClipCue, Sidecar
from pipeline.manifest import Part
from pipeline.storyboard import REPO_ROOT, load_storyboard

BOARD = load_storyboard(REPO_ROOT / "storyboard.yaml", check_scenes=False)
TRACE = run_trained(preset("tutorial"))


def page(language: str, *keys: str) -> str:
    cues = (ClipCue("ids_only", 0, 60, "第一句。"), ClipCue("the_table", 60, 150, "第二句。"))
    sidecar = Sidecar("embedding", language, "draft", "f", 15, 900, cues, "s", 1, reads=dict.fromkeys(keys, "d"))
    return described(BOARD, [Part(Path("a.mp4"), sidecar, "标题")] * 2, TRACE, language, 15)


def test_it_says_what_is_said_and_what_stands_in_the_picture() -> None:
    text = page("zh")
    entry = BOARD.entry("embedding")
    assert text.startswith(f"# {BOARD.film.title['zh']}：文字稿与画面说明\n\n## 标题 (0:00)\n")
    assert "[0:04] 第二句。" in text
    assert "## 标题 (1:00)" in text
    assert "[1:04] 第二句。" in text
    assert entry.takeaway["zh"] in text
    assert "源句的向量" in text
    assert "{" not in text  # a label that only the scene can fill is not shown half


def test_the_numbers_are_those_of_the_trace() -> None:
    text = page("en", "src.tokens", "src.input", "encoder.0.attn.pattern", "training.one_sentence.loss", "no.such.key")
    for key in ("src.input", "encoder.0.attn.pattern"):
        for number in TRACE[key].flat:
            assert f" {number:.2f}".replace("-", "−") + " |" in text
    assert "| " + " | ".join(str(int(i)) for i in TRACE["src.tokens"]) + " |" in text
    assert TRACE.spec("src.input").meaning in text
    assert "head 2:" in text
    assert "no.such.key" not in text
