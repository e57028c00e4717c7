"""A safe YAML reader that remembers where every key and value stands, and refuses what a plain reader would swallow.

Only text, numbers, true/false, null, lists and mappings are read. `yes`, `no`, `on`, `off`, dates and `1:30` stay text,
so that words of a sentence never turn into something else. Anchors' aliases and tags are refused: a storyboard has no
use for them, and they are how a small file becomes a huge one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .problems import Problem, StoryboardError

PathKey = tuple[str | int, ...]

MAX_BYTES = 4_000_000
MAX_DEPTH = 40
_TAG = "tag:yaml.org,2002:"

_SYNTAX_HINTS = (
    ("mapping values are not allowed", 'put a text that has ": " in it in quotes, or correct the indentation'),
    ("found character '\\t'", "indent with spaces, not with tabs"),
    ("found unexpected end of stream", "close the quotation mark that was opened on the line named"),
    ("while scanning a quoted scalar", "close the quotation mark that was opened on the line named"),
    ("expected <block end>", "align this line with its neighbours; check the quotation marks of the line before"),
    ("could not find expected ':'", 'write "key: value" with a space after the colon; check the line before, too'),
    ("expected a single document", 'keep one document in the file: remove the second "---"'),
    ("expected ',' or", "close the bracket or brace, or put the text in quotes"),
)


@dataclass
class Document:
    """Plain data, and the line (from 1) of every key and value by its path of keys and list indices."""

    file: str
    data: Any = None
    key_lines: dict[PathKey, int] = field(default_factory=dict)
    value_lines: dict[PathKey, int] = field(default_factory=dict)

    def line_of(self, path: PathKey, *, key: bool = False) -> int:
        """The line of the value (or key) at `path`; of the nearest thing around it where `path` does not exist."""
        path = self.nearest(path)
        first, second = (self.key_lines, self.value_lines) if key else (self.value_lines, self.key_lines)
        return first.get(path) or second.get(path) or 1

    def nearest(self, path: PathKey) -> PathKey:
        """The longest path that exists, made of parts of `path` in order; parts that the file lacks are left out."""
        found: PathKey = ()
        for part in path:
            if (*found, part) in self.value_lines:
                found = (*found, part)
        return found


class _Loader(yaml.SafeLoader):
    """SafeLoader with few implicit types and without aliases."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own class attribute)

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.aliases: list[tuple[str, int]] = []
        self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()
            self.aliases.append((event.anchor, event.start_mark.line + 1))
            return yaml.ScalarNode(_TAG + "null", "", event.start_mark, event.end_mark)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=self.peek_event().start_mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_Loader.add_implicit_resolver(_TAG + "bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver(_TAG + "int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    _TAG + "float",
    re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver(_TAG + "null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])


def read_text(path: Path) -> str:
    """The text of the UTF-8 file `path`. Raises StoryboardError: not there, a folder, too large, not UTF-8."""
    file = str(path)
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise StoryboardError(
                [Problem(file, 0, "", "the file is too large", f"at most {MAX_BYTES:,} bytes", "shorten it")]
            )
        raw = path.read_bytes()
    except FileNotFoundError:
        hint = "give the path of a storyboard with --storyboard FILE, or run the command in the folder that has it"
        raise StoryboardError([Problem(file, 0, "", "there is no such file", "", hint)]) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoryboardError(
            [Problem(file, 0, "", f"cannot be read: {reason}", "a readable text file", "check path and permissions")]
        ) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise StoryboardError(
            [Problem(file, line, "", message, "text saved as UTF-8", "save the file again with the encoding UTF-8")]
        ) from None


def load(path: Path) -> tuple[Document, list[Problem]]:
    """The document in `path` and the problems that still leave something to read (duplicate keys, aliases, tags).

    Raises StoryboardError where nothing can be read: no file, not UTF-8, broken syntax, an empty file, not a mapping.
    """
    file = str(path)
    text = read_text(path)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        code = ord(error.character) if isinstance(error.character, str) else error.character
        message = f"the character U+{code:04X} cannot stand in a YAML file"
        raise StoryboardError(
            [Problem(file, line, "", message, "printable characters, spaces and line ends", "delete it")]
        ) from None
    except yaml.MarkedYAMLError as error:
        raise StoryboardError([_syntax_problem(file, error)]) from None
    except RecursionError:
        raise StoryboardError([Problem(file, 1, "", "nested too deeply", f"at most {MAX_DEPTH} levels")]) from None
    document = Document(file)
    problems = [
        Problem(file, line, "", f'the alias "*{anchor}" is not read', "the words themselves", "write them out here")
        for anchor, line in loader.aliases
    ]
    if node is None or (isinstance(node, yaml.ScalarNode) and node.tag == _TAG + "null"):
        hint = "begin with the fields film: and scenes:"
        raise StoryboardError([Problem(file, 1, "", "the file is empty", "a storyboard", hint), *problems])
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else "plain text"
        message = f"the file holds {kind}, not fields with values"
        line = node.start_mark.line + 1
        raise StoryboardError([Problem(file, line, "", message, "the fields film: and scenes:", "see storyboard.yaml")])
    document.data = _plain(node, (), document, problems)
    return document, problems


def _syntax_problem(file: str, error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    text = " ".join(filter(None, [error.problem, error.context]))
    otherwise = "correct the YAML on this line or the one before"
    hint = next((advice for sign, advice in _SYNTAX_HINTS if sign in text), otherwise)
    line = mark.line + 1 if mark is not None else 1
    # An unclosed quotation mark shows itself only at the end of the file; where it was opened is what helps.
    if error.context_mark is not None and "quoted scalar" in (error.context or ""):
        line = error.context_mark.line + 1
    column = f" (column {mark.column + 1})" if mark is not None and line == mark.line + 1 else ""
    return Problem(file, line, "YAML", f"{error.problem or error}{column}", "valid YAML", hint)


def _plain(node: yaml.Node, path: PathKey, document: Document, problems: list[Problem]) -> Any:
    """`node` as plain Python data; lines go into `document`, faults into `problems`."""
    document.value_lines[path] = node.start_mark.line + 1
    if not node.tag.startswith(_TAG) or node.tag.removeprefix(_TAG) not in {
        "str", "int", "float", "bool", "null", "seq", "map",
    }:  # fmt: skip
        message = f'the tag "{node.tag.replace(_TAG, "!!")}" is not read'
        problems.append(
            Problem(document.file, node.start_mark.line + 1, _dotted(path), message, "plain values", "remove the tag")
        )
        return None
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document, problems)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*path, index), document, problems) for index, item in enumerate(node.value)]
    return _scalar(node, path, document, problems)


def _mapping(node: yaml.MappingNode, path: PathKey, document: Document, problems: list[Problem]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _TAG + "str":
            shown = key_node.value if isinstance(key_node, yaml.ScalarNode) else "a list or mapping"
            hint = "put it in quotes if it is meant as a name"
            problems.append(
                Problem(document.file, line, _dotted(path), f"the key {shown!s} is not text", "a name", hint)
            )
            continue
        key = key_node.value
        if key in data:
            first = document.key_lines[(*path, key)]
            message = f"the key stands here for the second time; the first is on line {first}"
            hint = "remove or rename one of the two"
            problems.append(Problem(document.file, line, _dotted((*path, key)), message, "every key once", hint))
            continue
        document.key_lines[(*path, key)] = line
        data[key] = _plain(value_node, (*path, key), document, problems)
    return data


def _scalar(node: yaml.Node, path: PathKey, document: Document, problems: list[Problem]) -> Any:
    kind = node.tag.removeprefix(_TAG)
    text = str(node.value)
    try:
        if kind == "int" and len(text) <= 18:
            return int(text)
        if kind == "float" and len(text) <= 40:
            return float(text)
    except ValueError:
        kind = "bad"
    if kind in {"int", "float", "bad"}:
        message = f'"{text[:40]}" is no number that can be used'
        problems.append(Problem(document.file, node.start_mark.line + 1, _dotted(path), message))
        return None
    if kind == "bool":
        return text == "true"
    return None if kind == "null" else text


def _dotted(path: PathKey) -> str:
    return ".".join(str(part) for part in path)
