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

from .limits import FILE_BYTES, NESTING
from .problems import Problem, StoryboardError

PathKey = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_ALIAS = "*"
_KINDS = {"str", "int", "float", "bool", "null", "seq", "map"}

# An escape such as "\ud83d" is half a character: no file can hold it.
_SURROGATES = re.compile("[\ud800-\udfff]")
_HALF_A_CHARACTER = (
    "half a character (a surrogate) cannot be stored",
    "whole characters",
    r"write the character itself, or \U and its eight digits",
)

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
    refused: set[PathKey] = field(default_factory=set)  # values that were told to be unreadable

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

    def name_of(self, path: PathKey) -> str:
        """`path` with points between; an entry of a list by its id where it has one, else by its place from 1 on."""
        parts: list[str] = []
        data: Any = self.data
        for part in self.nearest(path):
            data = data[part]
            if isinstance(part, int):
                entry_id = data.get("id") if isinstance(data, dict) else None
                parts.append(entry_id if isinstance(entry_id, str) and entry_id else f"[{part + 1}]")
            else:
                parts.append(part)
        return ".".join(parts)


class _Loader(yaml.SafeLoader):
    """SafeLoader with few implicit types and without aliases."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own class attribute)

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()
            return yaml.ScalarNode(_ALIAS + event.anchor, "", event.start_mark, event.end_mark)
        self.depth += 1
        if self.depth > NESTING:
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
        with path.open("rb") as stream:  # what its size is said to be does not count: devices and pipes have none
            raw = stream.read(FILE_BYTES + 1)
    except FileNotFoundError:
        hint = "give the path of a storyboard with --storyboard FILE; without it, explain takes the project's own"
        raise StoryboardError([Problem(file, 0, "", "there is no such file", "", hint)]) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoryboardError(
            [Problem(file, 0, "", f"cannot be read: {reason}", "a readable text file", "check path and permissions")]
        ) from None
    if len(raw) > FILE_BYTES:
        allowed = f"at most {FILE_BYTES:,} bytes"
        raise StoryboardError([Problem(file, 0, "", "the file is too large", allowed, "shorten it")])
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
        except (ValueError, OverflowError):  # PyYAML looks up the character of "\\UFFFFFFFF" without asking
            line = loader.get_mark().line + 1
            message = "a \\U in quotes names no character"
            raise StoryboardError(
                [Problem(file, line, "", message, "\\U00000000 to \\U0010FFFF", "write the character itself")]
            ) from None
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
        raise StoryboardError([Problem(file, 1, "", "nested too deeply", f"at most {NESTING} levels")]) from None
    document = Document(file)
    reader = _Reader(document)
    if node is None or (isinstance(node, yaml.ScalarNode) and node.tag == _TAG + "null"):
        hint = "begin with the fields film: and scenes:"
        raise StoryboardError([Problem(file, 1, "", "the file is empty", "a storyboard", hint)])
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else "plain text"
        message = f"the file holds {kind}, not fields with values"
        line = node.start_mark.line + 1
        raise StoryboardError([Problem(file, line, "", message, "the fields film: and scenes:", "see storyboard.yaml")])
    document.data = reader.plain(node, ())
    return document, reader.problems()


def _syntax_problem(file: str, error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    problem = error.problem or str(error)
    if problem.startswith("but ") and error.context:
        problem = f"{error.context}, {problem}"
    text = f"{problem} {error.context or ''}"
    otherwise = "correct the YAML on this line or the one before"
    hint = next((advice for sign, advice in _SYNTAX_HINTS if sign in text), otherwise)
    line = mark.line + 1 if mark is not None else 1
    # An unclosed quotation mark shows itself only at the end of the file; where it was opened is what helps.
    if error.context_mark is not None and "quoted scalar" in (error.context or ""):
        line = error.context_mark.line + 1
    column = f" (column {mark.column + 1})" if mark is not None and line == mark.line + 1 else ""
    return Problem(file, line, "YAML", f"{problem}{column}", "valid YAML", hint)


class _Reader:
    """Turns nodes into plain data; lines go into the document, faults are kept until every name is known."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._faults: list[tuple[PathKey, int, tuple[str, str, str]]] = []

    def problems(self) -> list[Problem]:
        """What was found, each item by its name in the finished document."""
        document = self.document
        return [Problem(document.file, line, document.name_of(path), *fault) for path, line, fault in self._faults]

    def plain(self, node: yaml.Node, path: PathKey) -> Any:
        """`node` as plain data; None for what is refused."""
        line = node.start_mark.line + 1
        self.document.value_lines[path] = line
        kind = node.tag.removeprefix(_TAG)
        if kind not in _KINDS:
            shown = node.tag.replace(_TAG, "!!")
            if node.tag.startswith(_ALIAS):
                fault = (f'the alias "{shown}" is not read', "the words themselves", "write them out here")
            else:
                fault = (f'the tag "{shown}" is not read', "plain values", "remove the tag")
            return self._refuse(path, line, fault)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(str(node.value), kind, path, line)

    def _mapping(self, node: yaml.MappingNode, path: PathKey) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _TAG + "str":
                shown = key_node.value if isinstance(key_node, yaml.ScalarNode) else "a list or mapping"
                hint = "put it in quotes if it is meant as a name"
                self._faults.append((path, line, (f"the key {shown} is not text", "a name", hint)))
                continue
            key = key_node.value
            if _SURROGATES.search(key):
                self._faults.append((path, line, _HALF_A_CHARACTER))
                continue
            if key in data:
                first = self.document.key_lines[(*path, key)]
                message = f"the key stands here for the second time; the first is on line {first}"
                self._faults.append(
                    ((*path, key), line, (message, "every key once", "remove or rename one of the two"))
                )
                continue
            self.document.key_lines[(*path, key)] = line
            data[key] = self.plain(value_node, (*path, key))
        return data

    def _scalar(self, text: str, kind: str, path: PathKey, line: int) -> Any:
        if kind == "str":
            return self._refuse(path, line, _HALF_A_CHARACTER) if _SURROGATES.search(text) else text
        if kind in {"bool", "null"}:
            return text == "true" if kind == "bool" else None
        try:
            # Longer ones are no settings; converting them can take very long.
            if len(text) <= 40:
                return int(text) if kind == "int" else float(text)
        except ValueError:
            pass
        return self._refuse(path, line, (f'"{text[:40]}" is no number that can be used', "a plain number", ""))

    def _refuse(self, path: PathKey, line: int, fault: tuple[str, str, str]) -> None:
        self._faults.append((path, line, fault))
        self.document.refused.add(path)
