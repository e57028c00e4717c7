"""Captions: complete, at most two lines that fit, timed to the frame, valid WebVTT and SubRip."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import av
import pytest
import srt as independent_srt
from hypothesis import given
from hypothesis import strategies as st
from vtt_reader import parse_vtt

from pipeline.captions import LINE_WIDTH, Caption, captions_of, chapters_vtt, split, srt, vtt, width
from pipeline.jobs import ClipCue
from pipeline.reading import reading_units
from pipeline.segment import chinese_words
from pipeline.sentences import sentences
from pipeline.voice.narration import Sentence

chinese_words("先把词典读进来")  # it takes a second, which would count for the first example that needs it

CHINESE = (
    "注意力先算分数：每个查询和每个键做点积，再除以根号 d_k，然后逐行做 softmax，让每一行的和等于 1。最大的是 0.257。"
)
ENGLISH = "A model reads integers, one per character in Chinese, one per word in English. It looks each of them up."
words = st.text(alphabet="注意力分数和键值，。：“”（）softmax d_k 0.25,.-", min_size=1, max_size=160).filter(str.strip)


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize(("text", "unit"), [(CHINESE, "characters"), (ENGLISH, "words")])
def test_captions_end_where_sentences_or_clauses_do(text: str, unit: str) -> None:
    captions = split(text, unit)
    assert len(captions) > 1
    assert all(lines[-1][-1] in "。，：,." for lines in captions)


def test_chinese_is_split_between_its_words_and_latin_words_stay_whole() -> None:
    lines = [line for caption in split(CHINESE, "characters") for line in caption]
    assert len(lines) >= 3
    for whole in ("d_k", "softmax", "0.257", "注意力", "查询", "点积", "根号", "等于"):
        assert any(whole in line for line in lines), whole
    # No punctuation to cut at: only the segmenter knows where a word ends.
    text = "解码器只看得到编码器留下来的那一份关于源句的完整记忆而看不到源句本身的任何一个词元"
    lines = [line for caption in split(text, "characters") for line in caption]
    assert "".join(lines) == text
    assert all(any(word in line for line in lines) for word in ("解码器", "编码器", "记忆", "看不到", "本身"))


@given(words, st.sampled_from(["characters", "words"]))
def test_nothing_is_lost_and_every_line_fits(text: str, unit: str) -> None:
    captions = split(text, unit)
    assert bare("".join(line for lines in captions for line in lines)) == bare(text)
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


@given(words)
def test_sentences_are_the_words(text: str) -> None:
    assert bare("".join(sentences(text))) == bare(text)


def test_sentences_end_at_stops_and_only_there() -> None:
    assert sentences("它是 0.5。真的吗？“是的。”好…") == ["它是 0.5。", "真的吗？", "“是的。”", "好…"]
    assert sentences("It is 0.5, e.g.x. Is it? “Yes.” Good!") == ["It is 0.5, e.g.x.", "Is it?", "“Yes.”", "Good!"]
    assert sentences("  ") == []
    assert sentences("没有句号") == ["没有句号"]


# --- times --------------------------------------------------------------------------------------------------------

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


CLAUSES = {
    "characters": [
        "注意力先算分数",
        "每个查询和每个键做点积",
        "再除以 1.41",
        "得到权重",
        "逐行做 softmax",
        "加起来是 1",
    ],
    "words": ["the query meets every key", "divide by 1.41", "softmax on each row", "they sum to one", "each adds up"],
}
PACE = {"characters": (3.5, 6.5), "words": (1.8, 3.2)}  # units a second, of a slow and of a fast speaker
FASTEST = {"characters": 8.0, "words": 4.2}  # units a second that a caption may ask of its reader


@st.composite
def spoken_beats(draw: st.DrawFn) -> tuple[str, str, list[Sentence], float]:
    """Unit, words, their sentences with times, seconds of the beat, as a narrator gives them."""
    unit = draw(st.sampled_from(["characters", "words"]))
    chinese = unit == "characters"
    comma, stop, space = ("，", "。", "") if chinese else (", ", ".", " ")
    made: list[Sentence] = []
    time = 0.12
    for clauses in draw(
        st.lists(st.lists(st.sampled_from(CLAUSES[unit]), min_size=1, max_size=6), min_size=1, max_size=4)
    ):
        text = comma.join(clauses) + stop
        seconds = reading_units(text, unit) / draw(st.floats(*PACE[unit]))
        made.append(Sentence(text, time, time + seconds))
        time += seconds + 0.35
    length = max(3.0, time - 0.35 + 0.12 + draw(st.floats(0.0, 8.0)))
    return unit, space.join(sentence.text for sentence in made), made, length


@given(spoken_beats(), st.sampled_from([15, 30, 60]))
def test_laws_of_spoken_captions(beat: tuple[str, str, list[Sentence], float], fps: int) -> None:
    unit, text, spoken, seconds = beat
    cue = ClipCue("b", 0, round(seconds * fps), text)
    captions = captions_of([cue], unit, "s", fps=fps, heard={"b": spoken})
    assert bare("".join(caption.text for caption in captions)) == bare(text)
    frame = 1 / fps
    for caption in captions:
        shown = (caption.end_frame - caption.start_frame) / fps
        assert 1.0 - 1.5 * frame <= shown <= 7.0 + frame
        assert reading_units(caption.text, unit) / shown <= FASTEST[unit]
        assert all(width(line) <= LINE_WIDTH[unit] for line in caption.lines)
    for before, after in pairwise(captions):
        assert before.end_frame <= after.start_frame
    # A caption that begins a sentence comes with it, or a little before where it would be too short.
    for sentence in spoken:
        first = next((c for c in captions if bare(c.text)[:4] == bare(sentence.text)[:4]), None)
        if first is not None and text.count(sentence.text[:4]) == 1:
            assert first.start_frame <= round(sentence.start * fps)
            assert first.end_frame >= round(sentence.start * fps)


def test_a_caption_begins_with_its_sentence_to_the_frame() -> None:
    first, second = "先看左边的这张图，每一行是一个词。", "再看右边的那张图，每一列是一个词。"
    spoken = [Sentence(first, 0.12, 2.0), Sentence(second, 2.4, 4.3)]
    cue = ClipCue("b", 30, 180, first + second)
    captions = captions_of([cue], "characters", "s", 1000, fps=30, heard={"b": spoken})
    assert [(c.start_frame - 1030, c.lines[0]) for c in captions] == [
        (round(0.12 * 30), first),
        (72, second),
    ]
    assert captions[0].end_frame - 1030 == 72  # it stays until the next one comes
    assert captions[1].end_frame == 1000 + 180  # and the last one until its beat ends


def test_a_silent_caption_does_not_outstay_its_words() -> None:
    cue = ClipCue("b", 0, 900, "只有一句话。")
    (caption,) = captions_of(
        [cue], "characters", "s", fps=30, reading_time=lambda text: reading_units(text, "characters") / 5
    )
    assert 1.0 <= (caption.end_frame - caption.start_frame) / 30 < 3.0


def test_longer_words_stay_longer() -> None:
    cue = ClipCue("b", 0, 300, "短句子一个在这里。" + "这是一个长得多的句子，它需要的时间也长得多，因为字多。" * 2)
    captions = captions_of([cue], "characters", "s", fps=30)
    lengths = [caption.end_frame - caption.start_frame for caption in captions]
    sizes = [sum(map(width, caption.lines)) for caption in captions]
    assert len(captions) == 3
    assert sorted(range(3), key=sizes.__getitem__) == sorted(range(3), key=lengths.__getitem__)


# --- files --------------------------------------------------------------------------------------------------------


def test_the_file_is_valid_and_what_would_break_it_is_escaped() -> None:
    cue = ClipCue("first", 0, 30, "a --> b & <i>c</i>\n\nnext\nWEBVTT")
    cues = parse_vtt(vtt(captions_of([cue], "words", "scene"), 30))
    assert [cue[1:3] for cue in cues] == [(0.0, 1.0)]
    assert " ".join(cues[0][3]) == "a --&gt; b &amp; &lt;i&gt;c&lt;/i&gt; next WEBVTT"


@pytest.mark.parametrize("fps", [15, 30, 60])
def test_times_are_those_of_the_frames(fps: int) -> None:
    frames = [0, 1, 7, fps * 7, fps * 3600 + 1]
    captions = [Caption(f"b{i}", a, b, ("字",)) for i, (a, b) in enumerate(pairwise(frames))]
    parsed = parse_vtt(vtt(captions, fps))
    for (_, start, end, _), caption in zip(parsed, captions, strict=True):
        assert start == pytest.approx(caption.start_frame / fps, abs=0.0005)
        assert end == pytest.approx(caption.end_frame / fps, abs=0.0005)


@given(cue_lists)
def test_subrip_is_read_by_another_program_as_it_was_written(beats: list[tuple[str, int, int]]) -> None:
    cues, frame = [], 0
    for number, (text, length, pause) in enumerate(beats):
        cues.append(ClipCue(f"b{number}", frame, frame + length, text))
        frame += length + pause
    captions = captions_of(cues, "characters", "s")
    read = list(independent_srt.parse(srt(captions, 30)))
    assert [entry.index for entry in read] == list(range(1, len(captions) + 1))
    assert [entry.content for entry in read] == ["\n".join(caption.lines) for caption in captions]
    for entry, caption in zip(read, captions, strict=True):
        assert entry.start.total_seconds() == pytest.approx(caption.start_frame / 30, abs=0.0006)
        assert entry.end.total_seconds() == pytest.approx(caption.end_frame / 30, abs=0.0006)


@pytest.mark.parametrize("suffix", ["vtt", "srt"])
def test_ffmpeg_reads_the_captions(tmp_path: Path, suffix: str) -> None:
    captions = captions_of([ClipCue("b", 15, 300, CHINESE)], "characters", "s", fps=30)
    path = tmp_path / f"captions.{suffix}"
    path.write_text((vtt if suffix == "vtt" else srt)(captions, 30), encoding="utf-8")
    with av.open(str(path)) as container:
        (stream,) = container.streams
        packets = [packet for packet in container.demux(stream) if packet.size]
    assert [float(p.pts * p.time_base) for p in packets] == pytest.approx(
        [c.start_frame / 30 for c in captions], abs=1e-3
    )
    assert [bytes(p).decode() for p in packets] == ["\n".join(c.lines) for c in captions]


def test_chapters_as_a_file() -> None:
    cues = parse_vtt(chapters_vtt([("开头", 0, 45), ("a & b", 45, 100)], 30))
    assert cues == [("1", 0.0, 1.5, ["开头"]), ("2", 1.5, 3.333, ["a &amp; b"])]
