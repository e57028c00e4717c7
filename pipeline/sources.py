"""What a scene's source says: its syntax tree without comments and positions, and which project files it imports.

A file's digest is that of its tree, so a comment, a blank line or another layout changes nothing. Parsing the project
takes most of a second; what was found is kept by the digest of a file's bytes, here and, between runs, in a small file.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .files import write_json
from .scene_facts import SceneModule, facts_of
from .storyboard import REPO_ROOT

LENGTH = 16
# An import statement: how many dots, the module behind them, the names taken from it.
Import = tuple[int, str, tuple[str, ...]]


@dataclass(frozen=True)
class SourceFacts:
    """What one file says. `outer`: the imports that run with it; `inner`: those inside functions."""

    tree: str
    outer: tuple[Import, ...] = ()
    inner: tuple[Import, ...] = ()
    film_words: Mapping[str, tuple[str, ...]] | None = None  # by scene class, None where no class can be read


_known: dict[str, SourceFacts] = {}  # by the SHA-256 of a file's bytes
_used: set[str] = set()


def facts_in(path: Path) -> SourceFacts:
    """The facts of the Python file `path`. A file that is no Python counts by its bytes and imports nothing."""
    return _facts_in(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1024)
def _facts_in(path: Path, _changed: int) -> SourceFacts:
    data = path.read_bytes()
    name = hashlib.sha256(data).hexdigest()
    if name not in _known:
        _known[name] = _parsed(data, path, name)
    _used.add(name)
    return _known[name]


def recall(memory: Path) -> None:
    """Take over what an earlier run with this Python has found. A file that cannot be used is passed over."""
    try:
        data = json.loads(memory.read_text(encoding="utf-8"))
        if data["python"] == _dialect():
            _known.update({name: _from_data(facts) for name, facts in data["files"].items()})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return


def remember(memory: Path) -> None:
    """Keep for the next run what this one has used, where that is something new."""
    data = {"python": _dialect(), "files": {name: asdict(_known[name]) for name in sorted(_used)}}
    try:
        kept = json.loads(memory.read_text(encoding="utf-8"))
        if kept["python"] == data["python"] and kept["files"].keys() >= _used:
            return
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass
    write_json(memory, data)


def source_parts(file: Path, also: Iterable[Path] = ()) -> dict[str, str]:
    """The digest of each file that draws the scene file `file`, by place: it, what it imports, and the files `also`.

    Places are relative to the project or to the scene's folder; where the project lies is no part of them.
    """
    folder = file.resolve().parent
    return {_place(path, folder): facts_in(path).tree for path in (*closure(file, (REPO_ROOT, folder)), *also)}


def film_words_of(file: Path, class_name: str) -> tuple[str, ...]:
    """The words of the film that the scene class draws, each once."""
    return (facts_in(file).film_words or {}).get(class_name, ())


def closure(file: Path, roots: Iterable[Path]) -> list[Path]:
    """`file` and every module of the project that it imports, directly or through others, sorted by path."""
    roots = tuple(root.resolve() for root in roots)
    found: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path, path.stat().st_mtime_ns, roots)
    return sorted(found)


@lru_cache(maxsize=1024)
def _imported(path: Path, _changed: int, roots: tuple[Path, ...]) -> list[Path]:
    facts = facts_in(path)
    # This room imports lazily what concerns checking only; what a scene imports anywhere can be drawn.
    own = path.parent == Path(__file__).resolve().parent
    imports = facts.outer if own else (*facts.outer, *facts.inner)
    names = dict.fromkeys(name for statement in imports for name in _names(statement, path, roots))
    return list(dict.fromkeys(file for name in names for file in _files(name, roots)))


def _names(statement: Import, path: Path, roots: tuple[Path, ...]) -> Iterator[str]:
    """The dotted names that an import statement of the file `path` may load."""
    level, base, names = statement
    if level:
        root = next((root for root in roots if path.is_relative_to(root)), path.parent)
        package = path.relative_to(root).parts[:-1]
        package = package[: len(package) - (level - 1)]
        base = ".".join([*package, *([base] if base else [])])
    yield base
    yield from (f"{base}.{name}" for name in names)


def _files(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The project's files that are run when the module `name` is imported."""
    parts = name.split(".")
    for root in roots:
        base = root
        for part in parts:
            base = base / part
            module, package = base.with_suffix(".py"), base / "__init__.py"
            if module.is_file():
                yield module
            if package.is_file():
                yield package
            elif not base.is_dir():
                break


@lru_cache(maxsize=4096)
def _place(path: Path, folder: Path) -> str:
    roots = (REPO_ROOT, folder)
    return next((path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)), path.name)


def _parsed(data: bytes, path: Path, digest: str) -> SourceFacts:
    try:
        tree = ast.parse(data, filename=str(path))
    except (SyntaxError, ValueError):
        return SourceFacts(digest[:LENGTH])
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    module = SceneModule(str(path), classes)
    words = {name: tuple(dict.fromkeys(call.name for call in facts_of(module, name).film_words)) for name in classes}
    outer = [found for node in tree.body for found in _statements(node)]
    everywhere = [found for node in ast.walk(tree) for found in _statements(node)]
    return SourceFacts(
        hashlib.sha256(ast.dump(tree).encode("utf-8", errors="surrogatepass")).hexdigest()[:LENGTH],
        tuple(dict.fromkeys(outer)),
        tuple(dict.fromkeys(found for found in everywhere if found not in outer)),
        {name: found for name, found in words.items() if found},
    )


def _statements(node: ast.AST) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from ((0, alias.name, ()) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.level, node.module or "", tuple(alias.name for alias in node.names)


def _from_data(data: dict[str, Any]) -> SourceFacts:
    def imports(field: str) -> tuple[Import, ...]:
        return tuple((int(level), str(base), tuple(names)) for level, base, names in data[field])

    words = {name: tuple(found) for name, found in (data["film_words"] or {}).items()}
    return SourceFacts(str(data["tree"]), imports("outer"), imports("inner"), words)


def _dialect() -> str:
    """Trees of one Python are not those of another."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"
