"""Storyboards from a stranger: strategies that make them, and the one question that each must answer.

`try_one` gives a storyboard to the program: either it is refused with messages that name file and line, or all that is
made of its words is correct. Whatever else happens raises AssertionError, or the error that a user would have seen.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pipeline.storyboard import Storyboard, StoryboardError, fill, load_storyboard

SCENES = Path(__file__).resolve().parents[1] / "data" / "studio" / "scenes"
REFUSED, RIGHT = "refused with file and line", "read, and its files are right"

# -- texts that mean something elsewhere ------------------------------------------------------------------------------
INJECTIONS = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- --><b>bold</b>",
    "javascript:alert(1)",
    "]]><x/>",
    "&lt;&amp;&#0;&unknown;",
    "00:00:00.000 --> 99:00:00.000",
    "NOTE --> WEBVTT",
    "a\n\nb --> c",
    ";FFMETADATA1\n[CHAPTER]\nSTART=0",
    "title=x;y#z\\",
    "\\",
    "file '/etc/passwd'",
    "it's 'quoted' \\' and '\\''",
    '#import "/etc/passwd"',
    '$x^2$ #eval(read("/etc/passwd"))',
    "\\input{/etc/passwd} \\write18{id}",
    "<span size='999999'>big</span> <markup",
    "%s %n %(x)s ${HOME} $(id) `id` | ; &",
    "{{ 7*7 }} {% raw %}",
    "{source.__class__}",
    "{source!r}",
    "{source:>99}",
    "{n_source:c}",
    "{",
    "}{",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\con",
    "=cmd|' /C calc'!A0",
    "# heading\n## another",
    "[link](javascript:alert(1)) ![](x)",
)
CHARACTERS = (
    "\u202e\u202d gnihtemos",
    "\u2066x\u2069",
    "\u200b",
    "\u200b\u200d\ufeff",
    "a\u0000b",
    "\u0007\u001b[31mred\u001b]0;title\u0007",
    "\u0085\u2028\u2029 x",
    "\ud800",
    "x\udfff",
    "\ufffe\uffff",
    "\U0010ffff",
    "\ue000",
    "\u3164\u2800",
    "e" + "\u0301" * 40,
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇨🇳",
    "🙂",
    "שלום עולם, مرحبا بالعالم",
    "ｆｕｌｌ　ｗｉｄｔｈ　空格",
    "नमस्ते ไทย 한국어 日本語 Ελληνικά",
    "W" * 300,
    "W" * 301,
    "长" * 1000,
    "长" * 1001,
    "word " * 199,
    "a" * 100_000,
    " ",
    "\t\n",
)
IDS = (
    *(
        "../up",
        "/etc/cron.d/x",
        "a/b",
        "a\\b",
        ".",
        "..",
        "",
        "CON",
        "Opening",
        "OPENING",
        "opening ",
        "öpening",
        "-rf",
    ),
    *("title_card", "end_card", "a" * 64, "a" * 65, "a" * 10_000, "null", "x\u0000", "x\n", "__proto__", "ｏpening"),
)
CLASSES = (
    *("os.System", "subprocess.Popen", "..secret.Thing", "/tmp/evil.Evil", "__init__.Opening", "opening.__class__"),
    *("opening.opening", "Opening", "a.b.c.D", "small_stage.SmallScene", "pipeline.cli.Main", "importlib.Loader"),
    *("opening.Opening.Opening", "opening.Opening\n", "ｏpening.Opening", "opening" * 2000 + ".X", "json.JSONDecoder"),
)
SCALARS = (
    *(None, True, False, 0, -1, 1.5, 10**39, 1e308, "", "~", "0-95", "95-0", "1-", "٣-٤", "0x10", "1:30", [], {}, [[]]),
    *([None], {"": ""}, {"zh": None}, {"zh": 1, "en": []}, "𝟘-𝟙", -0.0, "1e999", ".nan", ["zh"] * 30, {"é": "é"}),
)


def texts() -> st.SearchStrategy[str]:
    """Texts that somebody may have thought of, put together, and texts that nobody has."""
    known = st.sampled_from(INJECTIONS + CHARACTERS)
    drawn = st.text(st.characters(), max_size=40)  # surrogates, too
    printed = st.text(st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn", "Zl", "Zp")), min_size=1, max_size=40)
    meant = st.sampled_from(INJECTIONS)
    mixed = st.tuples(printed, meant, printed).map("".join)
    return st.one_of(meant, printed, mixed, known, drawn, st.tuples(known, drawn, known).map("".join))


# -- the storyboard that is changed -----------------------------------------------------------------------------------
def base() -> dict[str, Any]:
    """A storyboard of two scenes without a fault."""
    words = {name: {"zh": f"词{name}", "en": f"word {name}"} for name in ("step", "track_both", "track_shared")}
    words |= {name: {"zh": f"图{name}", "en": f"map {name}"} for name in ("map_overview", "map_encoder")}
    return {
        "film": {
            "title": {"zh": "小电影", "en": "A small film"},
            "languages": ["zh", "en"],
            "default_language": "zh",
            "quality": "draft",
            "model": {"preset": "tutorial"},
            "gap": 0.4,
            "licence": "CC BY",
            "words": words,
        },
        "scenes": [
            {
                "id": "opening",
                "scene": "opening.Opening",
                "steps": "0-1",
                "track": "both",
                "map": "overview",
                "title": {"zh": "开头", "en": "The opening"},
                "takeaway": {"zh": "共 {n_source} 个词。", "en": "There are {n_source} words."},
                "labels": {"caption": {"zh": "方块", "en": "Square"}},
                "beats": {
                    "first": {"steps": 0, "zh": "先看一个方块。", "en": "Look at a square first."},
                    "second": {"steps": 1, "zh": "它的边长是 {side:.1f}。", "en": "Its side is {side:.1f}."},
                },
            },
            {
                "id": "ending",
                "scene": "ending.Ending",
                "steps": "1-95",
                "track": "shared",
                "map": "encoder",
                "title": {"zh": "结尾", "en": "The ending"},
                "takeaway": {"zh": "完。", "en": "The end."},
                "beats": {"last": {"steps": "1-95", "zh": "圆不见了。", "en": "The circle is gone."}},
            },
        ],
    }


Path_ = tuple[str | int, ...]


def places(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every place in a document with what stands there, the document itself aside."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key), inner
        yield from places(inner, (*path, key))


ALL = [path for path, _ in places(base())]
WORDS = [path for path, value in places(base()) if isinstance(value, str) and path[-1] in {"zh", "en", "licence"}]


def put(document: dict[str, Any], path: Path_, value: Any) -> None:
    """Put `value` at `path`, if changes before have left the way to it."""
    inner: Any = document
    for part in path[:-1]:
        if not isinstance(inner, dict | list) or (isinstance(inner, list) and not isinstance(part, int)):
            return
        inner = inner.get(part) if isinstance(inner, dict) else inner[part] if part < len(inner) else None
    if isinstance(inner, dict) or (isinstance(inner, list) and isinstance(path[-1], int) and path[-1] < len(inner)):
        inner[path[-1]] = deepcopy(value)  # what is put in may be changed itself


# JSON is YAML; with escapes a surrogate or a control character comes through the reader, without them it does not.
def written(document: Any, *, escapes: bool) -> bytes:
    return json.dumps(document, ensure_ascii=escapes).encode("utf-8", errors="surrogatepass")


@st.composite
def hostile_words(draw: st.DrawFn) -> bytes:
    """The storyboard with texts of a stranger in one to all of its places for words, and in the model's sentence."""
    document = base()
    for path in draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)):
        put(document, path, draw(texts()))
    if draw(st.integers(0, 3)) == 0:
        document["film"]["model"] |= {"source": draw(st.lists(texts(), max_size=9))}
    return written(document, escapes=draw(st.booleans()))


@st.composite
def hostile_shapes(draw: st.DrawFn) -> bytes:
    """The storyboard with other things where names, numbers, mappings and classes should be, and with more of them."""
    document = base()
    anything = st.one_of(st.sampled_from(SCALARS), st.sampled_from(IDS), st.sampled_from(CLASSES), texts())
    for path in draw(st.lists(st.sampled_from(ALL), min_size=1, max_size=3)):
        put(document, path, draw(anything))
    if draw(st.booleans()):
        put(document, ("scenes", draw(st.integers(0, 1)), "id"), draw(st.sampled_from(IDS)))
    if draw(st.booleans()):
        put(document, ("scenes", draw(st.integers(0, 1)), "scene"), draw(st.sampled_from(CLASSES)))
    if draw(st.integers(0, 3)) == 0:
        path = (*draw(st.sampled_from([path for path in ALL if isinstance(path[-1], str)]))[:-1], draw(texts()))
        put(document, path, draw(anything))
    return written(document, escapes=draw(st.booleans()))


def bomb(levels: int) -> bytes:
    """A billion laughs: each line names the one before nine times."""
    lines = ["a0: &a0 [lol]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels))]
    return "\n".join(lines).encode()


TAGS = (
    *(b"!!python/object/apply:os.system ['touch pwned']", b"!!python/name:os.system", b"!!python/module:os", b"!x 1"),
    *(
        b"!!binary aGk=",
        b"!!set {a, b}",
        b"!!timestamp 2001-01-01",
        b"!<tag:yaml.org,2002:int> 1",
        b"!!map [1]",
        b"!!int x",
    ),
    *(b"&a *a", b"*nowhere", b"<<: *x", b"&\xff x", b"? [a, b]\n: c", b"!!omap [a: 1]", b"!!null ''", b"!!float .nan"),
)
RAW = (
    *(
        b"",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"---\n---\n",
        b"--- |\n x",
        b"...",
        b"\t",
        b"%YAML 9.9\n---\n",
        b"%TAG",
    ),
    *(b"[" * 3000, b"{" * 3000, b"- " * 3000, b"? " * 3000, b"a: " * 100, b"[" * 30 + b"]" * 30, b"- - - - x", b"'"),
    *(
        b'"\\ud800"',
        b'"\\x00\\e[31m"',
        b'"\\U00110000"',
        b'"\\UFFFFFFFF"',
        b"1" * 50,
        b"9" * 5000,
        b"0o7",
        b"1_000",
        b"\x85",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"\xf4\x90\x80\x80",
        b"\xe2\x80\xae",
        b"a: b: c",
        b"@",
        b"`",
        b"|\n",
        b">-\n",
        b"a\rb",
    ),
    bomb(12),
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "gb18030", "big5", "shift_jis", "utf-7", "cp1252", "utf-8-sig")


@st.composite
def hostile_bytes(draw: st.DrawFn) -> bytes:
    """The storyboard's file with tags, anchors, broken syntax, other encodings, bytes changed, cut off or doubled."""
    raw = written(base(), escapes=False)
    if draw(st.booleans()):  # as people write it, in lines
        raw = json.dumps(base(), ensure_ascii=False, indent=draw(st.integers(0, 3))).encode()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(raw)))
        piece = draw(st.one_of(st.sampled_from(TAGS), st.sampled_from(RAW), st.binary(max_size=8)))
        kind = draw(st.sampled_from(["insert", "replace", "cut", "double", "value", "encode"]))
        if kind == "insert":
            raw = raw[:at] + piece + raw[at:]
        elif kind == "replace":
            raw = raw[:at] + piece + raw[at + len(piece) :]
        elif kind == "cut":
            raw = raw[:at]
        elif kind == "double":
            raw += raw[at:]
        elif kind == "value":
            head, colon, tail = raw[at:].partition(b": ")
            raw = raw[:at] + head + colon + piece + b" " + tail
        else:
            text = raw.decode("utf-8", errors="replace")
            raw = text.encode(draw(st.sampled_from(ENCODINGS)), errors="replace")
    return raw


def large() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Files that only their size or their number of things makes hostile: what, and how to write one."""
    many = {**base(), "scenes": [base()["scenes"][0]] * 97}
    beats = base()
    beats["scenes"][0]["beats"] = {f"b{i}": {"zh": "一", "en": "one"} for i in range(65)}
    labels = base()
    labels["scenes"][0]["labels"] = {f"l{i}": {"zh": "一", "en": "one"} for i in range(201)}
    yield "a file of 100 MB", lambda path: _of_size(path, 100_000_000)
    yield "a file that has no end", lambda path: path.symlink_to("/dev/zero")
    yield "nothing but one text", lambda path: path.write_bytes(b"a" * 499_000)
    yield "a list of 200,000", lambda path: path.write_bytes(b"scenes: [" + b"1," * 200_000 + b"]")
    yield "60,000 keys of one name", lambda path: path.write_bytes(b"film: 1\n" * 60_000)
    yield "40,000 scenes without anything", lambda path: path.write_bytes(b"scenes:\n" + b"- {}\n" * 40_000)
    yield "30,000 lists in each other", lambda path: path.write_bytes(b"[" * 30_000)
    yield "30,000 levels by indentation", lambda path: path.write_bytes(b"- " * 30_000)
    yield "a bomb of anchors", lambda path: path.write_bytes(bomb(3_000))
    yield "97 scenes", lambda path: path.write_bytes(written(many, escapes=False))
    yield "65 beats in a scene", lambda path: path.write_bytes(written(beats, escapes=False))
    yield "201 labels in a scene", lambda path: path.write_bytes(written(labels, escapes=False))
    yield "a folder", lambda path: path.mkdir()


def _of_size(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


# -- the question -----------------------------------------------------------------------------------------------------
def try_one(path: Path, use: Callable[[Storyboard], None]) -> str:
    """Give the file at `path` to the program: REFUSED, or RIGHT after `use` has looked at what is made of it."""
    try:
        board = load_storyboard(path, scenes=SCENES)
    except StoryboardError as error:
        check_messages(path, error)
        return REFUSED
    use(board)
    return RIGHT


def check_messages(path: Path, error: StoryboardError) -> None:
    """Every problem names a place, says what to do, and can be printed on any terminal."""
    text = str(error)
    assert len(text) < 200_000
    assert not [c for c in text if c != "\n" and (unicodedata.category(c) in {"Cc", "Cs"} or c in "\u202d\u202e\u2066")]
    lines = len(path.read_bytes().decode("utf-8", errors="replace").splitlines()) + 1 if path.is_file() else 1
    assert error.problems
    for problem in error.problems:
        assert problem.allowed or problem.hint, problem
        assert Path(problem.file) == path or Path(problem.file).parent == SCENES, problem
        if Path(problem.file) == path:
            assert 0 <= problem.line <= lines, problem


def fill_in(words: str, values: Mapping[str, object]) -> str:
    """`words` as a scene fills them; "" where a format does not fit its value, which fails that scene alone."""
    try:
        return fill(words, values)
    except (ValueError, TypeError):
        return ""
