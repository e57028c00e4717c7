"""What is made of a storyboard's words, read again by readers that know nothing of how it was written."""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import srt as independent_srt
from hostile import SCENES, base, fill_in, written
from vtt_reader import parse_vtt

from engine import Trace, preset, run_trained
from pipeline.captions import chapters_vtt, srt, vtt
from pipeline.captions.transcript import transcript
from pipeline.course.material import Cue, Edition, Lesson
from pipeline.course.pages import edition_page
from pipeline.course.scorm import manifest
from pipeline.course.site import Site, text_files
from pipeline.film import chapter_list, concat_list
from pipeline.film_extras import extras_of
from pipeline.film_text import film_captions, starts_of
from pipeline.jobs import ClipCue, Sidecar
from pipeline.manifest import Part, film_chapters
from pipeline.qualities import QUALITIES
from pipeline.storyboard import Storyboard, load_storyboard

DRAFT = QUALITIES["draft"]
VALUES = {"side": 2.0, "source": "我爱水课", "target": "I love easy courses", "n_source": 4, "n_target": 4} | {
    name: 3 for name in ("vocabulary_size", "d_model", "heads", "d_head", "d_ff", "encoder_layers", "decoder_layers")
}


def check_outputs(board: Storyboard) -> None:
    """All text files of all languages are well formed and say what the storyboard says."""
    for language in board.film.languages:
        parts = parts_of(board, language)
        if parts:
            check_captions(board, parts, language)
            check_chapters(board, parts, language)
    if all(parts_of(board, language) for language in board.film.languages):
        check_pages(board)


def parts_of(board: Storyboard, language: str) -> list[Part]:
    """The film's clips as they would be; none where a beat's words cannot be filled, since its scene would fail."""
    parts = []
    for entry in board.scenes:
        words = [fill_in(beat.words[language], VALUES) for beat in entry.beats.values()]
        if entry.draft or not all(words) or not fill_in(entry.takeaway[language], VALUES):
            return []
        cues = tuple(
            ClipCue(name, 60 * number, 60 * (number + 1), text, beat.steps)
            for number, ((name, beat), text) in enumerate(zip(entry.beats.items(), words, strict=True))
        )
        frames = 60 * len(cues) + 6
        sidecar = Sidecar(entry.id, language, "draft", "f" * 16, DRAFT.fps, frames, cues, "0" * 64, 1, reads={})
        parts.append(Part(Path(f"/media/{entry.id}-f.mp4"), sidecar, entry.title[language]))
    return parts


def squeezed(text: str) -> str:
    """`text` without spaces, its accents put together as captions have them."""
    return "".join(unicodedata.normalize("NFC", text).split())


def check_captions(board: Storyboard, parts: list[Part], language: str) -> None:
    captions = film_captions(parts, board.film.unit(language), extras_of(board))
    said = [squeezed(cue.words) for part in parts for cue in part.sidecar.cues]
    found = cues_of(vtt(captions, DRAFT.fps))
    assert len(found) == len(captions)
    assert squeezed("".join(text for *_, text in found)) == "".join(said)
    assert all(a < b for a, b, _ in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))
    subtitles = list(independent_srt.parse(srt(captions, DRAFT.fps)))
    assert len(subtitles) == len(captions)
    # Without what has no ink, and brackets of either width the same: SubRip has no escapes.
    bare = str.maketrans("＜＞｛｝", "<>{}", "\u2060")
    assert squeezed("".join(one.content for one in subtitles)).translate(bare) == "".join(said).translate(bare)


def cues_of(text: str) -> list[tuple[float, float, str]]:
    """Begin, end and text of the cues of a WebVTT file."""
    cues = [(begin, end, "\n".join(lines)) for _, begin, end, lines in parse_vtt(text)]
    return [(a, b, body.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")) for a, b, body in cues]


def check_chapters(board: Storyboard, parts: list[Part], language: str) -> None:
    title, titles = board.film.title[language], [part.title for part in parts]
    chapters = cues_of(chapters_vtt(film_chapters(parts), DRAFT.fps))
    assert [text for *_, text in chapters] == [" ".join(one.split()) for one in titles]
    tags, sections = metadata_of(chapter_list(parts, DRAFT, {"title": title, "copyright": board.film.licence or ""}))
    assert {name: text.rstrip() for name, text in tags.items()} == {
        "title": title,
        "copyright": board.film.licence or "",
    }
    assert [section["title"].rstrip() for section in sections] == titles
    assert all(set(section) == {"TIMEBASE", "START", "END", "title"} for section in sections)
    assert concat_list(parts, DRAFT).count("\nfile '") == len(parts)
    lines = transcript(title, [(part.title, part.sidecar.cues) for part in parts], starts_of(parts), DRAFT.fps)
    headings = [line for line in lines.splitlines() if line.startswith("#")]
    assert len(headings) == 1 + len(parts), headings
    assert len([line for line in lines.split("\n") if line.startswith("[")]) == sum(len(p.sidecar.cues) for p in parts)


def metadata_of(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """ffmpeg's metadata format by its description: `\\` takes the meaning from `=`, `;`, `#`, `\\` and a line's end."""
    head, _, rest = text.partition("\n")
    assert head == ";FFMETADATA1"
    tags: dict[str, str] = {}
    sections: list[dict[str, str]] = []
    into = tags
    for line in re.findall(r"((?:[^\\\n]|\\[\s\S])*)\n", rest):
        if line == "[CHAPTER]":
            into = {}
            sections.append(into)
            continue
        assert line
        assert line[0] not in ";#", line
        match = re.fullmatch(r"((?:[^\\=]|\\[\s\S])*)=((?:[^\\=;#]|\\[\s\S])*)", line)
        assert match, line
        name, value = (re.sub(r"\\([\s\S])", r"\1", part) for part in match.groups())
        assert name not in into
        into[name] = value
    return tags, sections


# -- pages ------------------------------------------------------------------------------------------------------------
@cache
def trace_of(settings: str) -> Trace:
    model = json.loads(settings)
    return run_trained(preset(model.pop("preset", "tutorial"), **model))


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self._script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._script = tag == "script"

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 (the parser's own signature)
        self._script = False

    def handle_data(self, data: str) -> None:
        self.data += data if self._script else ""


def check_pages(board: Storyboard) -> None:
    """The course's page has the elements that it has for any words, and its script knows the words as they are."""
    if board.film.model != {"preset": "tutorial"}:
        return  # a model is computed once only; words are what is looked at here
    trace = trace_of(json.dumps(board.film.model))
    editions = tuple(edition_of(board, language) for language in board.film.languages)
    pages = tuple(edition_page(edition, board, trace, {}, ()) for edition in editions)
    site = Site("fuzz", editions, pages, board.film.course, trace)
    page = Elements(text_files(site, "site")["index.html"])
    tags = [tag for tag, _ in page.found]
    assert set(tags) <= known_tags(), set(tags) - known_tags()
    assert tags.count("script") == known_scripts()
    for tag, attributes in page.found:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert not [name for name in ("src", "href") if str(attributes.get(name, "")).lower().startswith("javascript")]
    told = json.loads(page.data)["editions"]
    for edition in editions:
        assert told[edition.language]["title"] == board.film.title[edition.language]
        chapters = told[edition.language]["film"]["chapters"]
        assert [chapter[2] for chapter in chapters] == [entry.title[edition.language] for entry in board.scenes]
        title = board.film.title[edition.language]
        package = ET.fromstring(manifest("scorm12", "fuzz", title, ["index.html"], board.film.course))
        names = [one.text for one in package.iter() if one.tag.endswith("}title")]
        assert title in names, names


@cache
def _plain() -> Elements:
    """The page of the storyboard that nobody has changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "storyboard.yaml")
        path.write_bytes(written(base(), escapes=False))
        board = load_storyboard(path, scenes=SCENES)
    trace = trace_of(json.dumps(board.film.model))
    editions = tuple(edition_of(board, language) for language in board.film.languages)
    pages = tuple(edition_page(edition, board, trace, {}, ()) for edition in editions)
    return Elements(text_files(Site("fuzz", editions, pages, board.film.course, trace), "site")["index.html"])


def known_tags() -> set[str]:
    return {tag for tag, _ in _plain().found}


def known_scripts() -> int:
    return [tag for tag, _ in _plain().found].count("script")


def edition_of(board: Storyboard, language: str) -> Edition:
    lessons = []
    for number, (entry, part) in enumerate(zip(board.scenes, parts_of(board, language), strict=True), 1):
        cues = tuple(Cue(c.start_frame / 15, c.end_frame / 15, c.words) for c in part.sidecar.cues)
        lessons.append(Lesson(entry, number, part.title, part.clip, part.sidecar, cues))
    cues = tuple(cue for lesson in lessons for cue in lesson.cues)
    return Edition(language, board.film.title[language], Path("film.mp4"), "0" * 64, tuple(lessons), cues)
