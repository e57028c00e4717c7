"""Words that are codes elsewhere: every caption format shows them, to players that know codes and to those that do not.

The players are described here once more, by what they take for a code; none of it knows how the files were written.
"""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import av
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_studio import Studio
from vtt_reader import parse_vtt

from pipeline.captions import Caption, film_text, srt, subrip_text, vtt
from pipeline.captions.track import samples_of, write_track
from pipeline.film import find_ffmpeg
from pipeline.gate import caption_file_faults, subtitle_faults

FPS = 30
CODES = (
    *("{", "}", "{a, b}", "{\\an8}", "{y:i}", "{b1}", "\\", "\\N", "\\n", "\\h", "\\{", "\\N x", "N", "n", "h"),
    *("&", "&amp;", "&lt;", "&gt;", "&nbsp;", "&#65;", "&#x41;", "amp;", ";", "<", ">", "<b>", "</b>", "<i", "<一起>"),
    *("<00:01.000>", "<!-- -->", "-->", "->", "WEBVTT", "NOTE", "7", "00:00:01,000 --> 00:00:02,000", "\u2060", "词"),
)
EACH = 7  # frames of a caption: no whole number of milliseconds


def captions_with(texts: list[tuple[str, ...]]) -> list[Caption]:
    return [Caption(f"b{i}", i * EACH, (i + 1) * EACH, lines) for i, lines in enumerate(texts)]


def placed(one: str, other: str) -> list[tuple[str, ...]]:
    """Two codes in all places of a caption: alone, beside each other, apart, at begins and ends of lines."""
    return [(one + other,), (f"甲{one}乙{other}丙",), (f"{one} {other}",), (one, other), (f"甲{one}", f"{other}乙")]


ALL = captions_with([lines for one, other in product(CODES, CODES) for lines in placed(one, other)])


def narrow(text: str) -> str:
    """`text` as its reader takes it: without what is invisible, brackets of either width the same."""
    return text.translate(str.maketrans("＜＞｛｝", "<>{}", "\u2060"))


def styled(path: Path) -> list[str]:
    """What players show that let ffmpeg make styled text (ASS) of a file, as mpv and ffplay do."""
    shown = []
    with av.open(str(path)) as container:
        (stream,) = container.streams.subtitles
        for packet in container.demux(stream):
            if bytes(packet) in {b"", b"\0\0"}:  # the end, and a pause
                continue
            for subtitle in stream.codec_context.decode2(packet) or ():
                text = subtitle.ass.decode("utf-8").split(",", 8)[8]
                text = re.sub(r"\{[^}]*\}", "", text)
                shown.append(re.sub(r"\\([Nnh])", lambda code: " " if code[1] == "h" else "\n", text))
    return shown


class Page(HTMLParser):
    """What a player shows that puts the text into a page, tags and entities resolved."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = ""
        self.feed(text)
        self.close()

    def handle_data(self, data: str) -> None:
        self.shown += data


def as_vtt(text: str) -> str:
    """What a browser shows of WebVTT: all from "<" to ">" is a tag, entities are resolved."""
    return unescape(re.sub(r"<[^>]*>?", "", text))


def as_vlc(text: str) -> str:
    """What VLC shows of SubRip: without tags, codes in braces and behind backslashes resolved, entities, too."""
    text = re.sub(r"\{(?:\\|[Yy]:)[^}]*\}", "", re.sub(r"</? *[A-Za-z][^<>]*>", "", text))
    return unescape(re.sub(r"\\([Nnh])", "\n", text))


def as_it_is(text: str) -> str:
    return text


def bare(text: str) -> str:
    return "".join(text.split())


def same(shown: str, caption: Caption) -> bool:
    return narrow(shown) == narrow("\n".join(caption.lines))


def test_webvtt_holds_every_word_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(vtt(ALL, FPS), encoding="utf-8")
    assert caption_file_faults(path, ALL, FPS) == []
    for (*_, lines), caption in zip(parse_vtt(vtt(ALL, FPS)), ALL, strict=True):
        assert as_vtt("\n".join(lines)) == "\n".join(caption.lines)


@pytest.mark.parametrize("player", [as_it_is, as_vtt, as_vlc, lambda text: Page(text).shown])
def test_subrip_shows_every_word_in_every_player(player) -> None:  # type: ignore[no-untyped-def]
    assert [c.lines for c in ALL if not same(player(subrip_text(c.lines)), c)] == []


def test_subrip_is_read_as_it_was_written_and_shown_by_ffmpeg(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(srt(ALL, FPS), encoding="utf-8")
    assert caption_file_faults(path, ALL, FPS) == []
    shown = styled(path)
    assert len(shown) == len(ALL)
    assert [(c.lines, text) for text, c in zip(shown, ALL, strict=True) if not same(text, c)] == []


def test_the_film_holds_every_word_and_ffmpeg_shows_it(tmp_path: Path) -> None:
    write_track(tmp_path / "a.mp4", ALL, FPS)
    film = tmp_path / "film.mp4"
    settings_ = ["-c:s", "copy", "-metadata:s:s:0", "language=zho", "-movie_timescale", "90000"]
    command = [find_ffmpeg(), "-v", "error", "-i", str(tmp_path / "a.mp4"), *settings_, str(film)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    assert subtitle_faults(film, [("zho", ALL)], FPS) == []
    assert [(c.lines, text) for text, c in zip(styled(film), ALL, strict=True) if not same(text, c)] == []
    ((_, samples),) = samples_of(film)
    assert [time for time, _ in samples] == [Fraction(caption.start_frame, FPS) for caption in ALL]
    with av.open(str(film)) as container:  # to the end of the last frame, and not beyond
        (stream,) = container.streams.subtitles
        assert stream.duration * stream.time_base == Fraction(ALL[-1].end_frame, FPS)
    # And the look finds what is wrong.
    other = [*ALL[:-1], Caption("b", ALL[-1].start_frame, ALL[-1].end_frame, ("x",))]
    assert subtitle_faults(film, [("zho", other)], FPS) == [
        "the captions in zho inside the film are not those of its file"
    ]


def test_captions_in_the_film_have_the_default_style_alone(tmp_path: Path) -> None:
    """No serifs, no size of their own: what ffmpeg takes out has no tag."""
    write_track(tmp_path / "a.mp4", [Caption("a", 15, 30, ("Hello",)), Caption("b", 60, 90, ("二",))], 15)
    command = [find_ffmpeg(), "-v", "error", "-i", str(tmp_path / "a.mp4"), "-f", "srt", "-"]
    text = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True).stdout.decode()
    assert text.split("\n\n")[:2] == [
        "1\n00:00:01,000 --> 00:00:02,000\nHello",
        "2\n00:00:04,000 --> 00:00:06,000\n二",
    ]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from(CODES), min_size=1, max_size=8).map("".join), min_size=1, max_size=2).map(tuple)
)
def test_any_words_made_of_codes(lines: tuple[str, ...]) -> None:
    caption = Caption("b", 0, 30, lines)
    for player in (as_it_is, as_vtt, as_vlc, lambda text: Page(text).shown):
        assert same(player(subrip_text(lines)), caption)
    assert same(film_text(lines), caption)


@pytest.mark.parametrize("text", ["甲乙，a & b -> c。", "x = 1; y > 2", "C:\\con", "50% #1 [x](y) *z*", "R&D；AT&T"])
def test_words_without_codes_are_left_alone(text: str) -> None:
    assert subrip_text((text,)) == film_text((text,)) == text


def test_a_film_of_such_words_is_made_and_found_sound(studio: Studio) -> None:
    studio.edit("storyboard.yaml", "zh: 红色来了。", r"zh: '集合 {{a, b}}，\N 红 &amp; {{\an8}}蓝&lt;b&gt;。'")
    studio.edit("storyboard.yaml", "en: Here is red.", r"en: 'A set {{a, b}} \h <b>is</b> --> &nbsp;red.'")
    studio.edit("storyboard.yaml", "zh: 中间：红与蓝", r"zh: '中间 \N &amp; <b>'")
    done = studio.explain("render", "--scenes", "middle", "--language", "all")
    assert done.returncode == 0, done.stdout + done.stderr
    film = studio.film().with_stem(f"{studio.film().stem}-middle")
    said = [r"集合{a,b}，\N红&amp;{\an8}蓝&lt;b&gt;。", r"Aset{a,b}\h<b>is</b>-->&nbsp;red."]
    for (_, samples), words in zip(samples_of(film), said, strict=True):
        assert bare(narrow(samples[0][1])) == words
    for read in (
        as_vtt("".join(parse_vtt(film.with_suffix(".vtt").read_text(encoding="utf-8"))[0][3])),
        as_vlc(film.with_suffix(".srt").read_text(encoding="utf-8").split("\n\n")[0].split("\n", 2)[2]),
    ):
        assert bare(narrow(read)) == said[0]
    found = studio.explain("verify")
    assert found.returncode == 0, found.stdout + found.stderr
