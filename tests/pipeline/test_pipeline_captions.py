"""Captions: complete, at most two lines that fit, timed inside their beats, valid WebVTT."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.captions import LINE_WIDTH, captions_of, split, vtt, width
from pipeline.jobs import ClipCue

CHINESE = (
    "注意力先算分数：每个查询和每个键做点积，再除以根号 d_k，然后逐行做 softmax，让每一行的和等于 1。最大的是 0.257。"
)
ENGLISH = "A model reads integers, one per character in Chinese, one per word in English. It looks each of them up."
words = st.text(alphabet="注意力分数和键值，。：“”（）softmax d_k 0.25,.-", min_size=1, max_size=160).filter(str.strip)


@pytest.mark.parametrize(("text", "unit"), [(CHINESE, "characters"), (ENGLISH, "words")])
def test_captions_end_where_sentences_do(text: str, unit: str) -> None:
    captions = split(text, unit)
    assert len(captions) > 1
    assert all(lines[-1][-1] in "。，：,." for lines in captions)


def test_chinese_is_split_without_spaces_and_latin_words_stay_whole() -> None:
    lines = [line for caption in split(CHINESE, "characters") for line in caption]
    assert len(lines) >= 3
    for whole in ("d_k", "softmax", "0.257"):
        assert any(whole in line for line in lines)


@given(words, st.sampled_from(["characters", "words"]))
def test_nothing_is_lost_and_every_line_fits(text: str, unit: str) -> None:
    captions = split(text, unit)
    together = "".join(line for lines in captions for line in lines)
    assert re.sub(r"\s", "", together) == re.sub(r"\s", "", text)
    for lines in captions:
        assert 1 <= len(lines) <= 2
        for line in lines:
            assert line == line.strip() != ""


@given(st.text(alphabet="注意力分数和键值，。：softmax", min_size=1, max_size=120))
def test_lines_keep_the_width_and_never_begin_with_a_closing_mark(text: str) -> None:
    for lines in split(text, "characters"):
        for line in lines:
            # A run of closing marks may hang over the end of the line.
            assert width(line.rstrip("，。：")) <= LINE_WIDTH["characters"]
    lines = [line for caption in split("字" + text, "characters") for line in caption]
    assert not any(line[0] in "，。：" for line in lines)


def test_a_line_of_twenty_chinese_characters_fits_and_of_twenty_one_does_not() -> None:
    assert split("字" * 20, "characters") == [("字" * 20,)]
    assert len(split("字" * 21, "characters")[0]) == 2
    assert len(split("字" * 41, "characters")) == 2


cue_lists = st.lists(st.tuples(words, st.integers(1, 90), st.integers(0, 20)), min_size=1, max_size=5)


@given(cue_lists, st.integers(0, 1000))
def test_times_follow_each_other_inside_the_beats(beats: list[tuple[str, int, int]], offset: int) -> None:
    cues, frame = [], 0
    for number, (text, length, pause) in enumerate(beats):
        cues.append(ClipCue(f"b{number}", frame, frame + length, text))
        frame += length + pause
    captions = captions_of(cues, "characters", "scene", offset)
    for before, after in pairwise(captions):
        assert before.end_frame <= after.start_frame
    for caption in captions:
        cue = cues[int(caption.name.split(".")[1][1:])]
        assert offset + cue.start_frame <= caption.start_frame < caption.end_frame <= offset + cue.end_frame


def test_longer_words_stay_longer() -> None:
    cue = ClipCue("b", 0, 300, "短句子一个。" + "这是一个长得多的句子，它需要的时间也长得多，因为字多。" * 2)
    captions = captions_of([cue], "characters", "s")
    lengths = [caption.end_frame - caption.start_frame for caption in captions]
    sizes = [sum(map(width, caption.lines)) for caption in captions]
    assert sorted(range(len(sizes)), key=sizes.__getitem__) == sorted(range(len(lengths)), key=lengths.__getitem__)


def parse_vtt(text: str) -> list[tuple[str, float, float, list[str]]]:
    """A reader of its own for WebVTT: identifiers, times in seconds, payload lines. Raises AssertionError."""
    head, *blocks = text.rstrip("\n").split("\n\n")
    assert head == "WEBVTT"
    cues = []
    for block in blocks:
        name, times, *payload = block.split("\n")
        assert "-->" not in name
        match = re.fullmatch(r"(\d\d+):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d\d+):([0-5]\d):([0-5]\d)\.(\d{3})", times)
        assert match is not None, times
        h, m, s, ms, h2, m2, s2, ms2 = map(int, match.groups())
        assert payload
        for line in payload:
            assert line
            assert "-->" not in line
            assert "<" not in line
            assert re.search(r"&(?!amp;|lt;|gt;)", line) is None
        cues.append((name, h * 3600 + m * 60 + s + ms / 1000, h2 * 3600 + m2 * 60 + s2 + ms2 / 1000, payload))
    return cues


def test_the_file_is_valid_and_what_would_break_it_is_escaped() -> None:
    cue = ClipCue("first", 0, 30, "a --> b & <i>c</i>\n\nnext\nWEBVTT")
    cues = parse_vtt(vtt(captions_of([cue], "words", "scene"), 30))
    assert [cue[1:3] for cue in cues] == [(0.0, 1.0)]
    assert " ".join(cues[0][3]) == "a --&gt; b &amp; &lt;i&gt;c&lt;/i&gt; next WEBVTT"


@pytest.mark.parametrize("fps", [15, 30, 60])
def test_times_are_those_of_the_frames(fps: int) -> None:
    frames = [0, 1, 7, fps * 61, fps * 3600 + 1]
    cues = [ClipCue(f"b{i}", a, b, "字") for i, (a, b) in enumerate(pairwise(frames))]
    parsed = parse_vtt(vtt(captions_of(cues, "characters", "s"), fps))
    for (_, start, end, _), cue in zip(parsed, cues, strict=True):
        assert start == pytest.approx(cue.start_frame / fps, abs=0.0005)
        assert end == pytest.approx(cue.end_frame / fps, abs=0.0005)
