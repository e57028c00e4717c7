"""What a clip depends on, in one digest: when it changes the clip is rendered again, and only then."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .encoder import SECONDS_BETWEEN_KEY_FRAMES, TIME_SCALE, X264_OPTIONS, X264_PARAMS
from .qualities import Quality
from .storyboard import REPO_ROOT, Entry, Storyboard

# The packages whose versions show in a frame.
DRAWING_PACKAGES = ("manim", "manimpango", "manimgx-fonts-cjk", "numpy", "pycairo", "typst", "av", "skia-pathops")
# The modules of this room that a frame passes through.
RENDERING_MODULES = ("worker.py", "drawing.py", "pieces.py", "clip_writer.py", "encoder.py")
LENGTH = 16


@dataclass(frozen=True)
class Model:
    """The computed model as far as clips are concerned."""

    digest: str


def model_of(storyboard: Storyboard) -> Model:
    """Run the storyboard's model once; its digest and that of its trained weights stand for the film's numbers."""
    from engine import preset, run  # noqa: PLC0415 (only a render needs it)
    from engine.trained import training_digest  # noqa: PLC0415

    name, settings = storyboard.film.preset
    trace = run(preset(name, **settings))
    trained = training_digest(trace.config)
    return Model(_digest({"trace": trace.digest(), "trained": trained, "config": repr(trace.config)}))


def fingerprint(storyboard: Storyboard, entry: Entry, language: str, quality: Quality, parts: tuple[Model, str]) -> str:
    """The digest of all that the clip of `entry` in `language` shows. `parts`: the model, the sources' digest."""
    model, sources = parts
    film = storyboard.film
    return _digest(
        {
            "words": _in_language(entry.model_dump(), language, film.languages),
            "place": [storyboard.rank_of(entry), len(storyboard.scenes)],
            "film": {
                "words": _in_language(film.model_dump(include={"words"}), language, film.languages),
                "reading": [
                    film.unit(language),
                    film.reading_time("字", language),
                    film.reading_time("word", language),
                ],
                "gap": quality.frames(film.gap),
            },
            "language": language,
            "model": model.digest,
            "quality": [quality.width, quality.height, quality.fps],
            "sources": sources,
            "versions": versions(),
        }
    )[:LENGTH]


def source_digest(file: Path) -> str:
    """The digest of the source text that draws and encodes the scene file `file`: it, what it imports, the encoder."""
    here = Path(__file__).resolve().parent
    scene = closure(file, (REPO_ROOT, file.parent))
    own = [*(here / name for name in RENDERING_MODULES), *sorted((here / "renderer").glob("*.py"))]
    return _digest(
        {
            "files": [[_place(path, file), hashlib.sha256(path.read_bytes()).hexdigest()] for path in (*scene, *own)],
            "encoder": [X264_OPTIONS, X264_PARAMS, TIME_SCALE, SECONDS_BETWEEN_KEY_FRAMES],
        }
    )


def _place(path: Path, scene: Path) -> str:
    """Where `path` lies in the project or beside the scene; never where the project lies on this machine."""
    roots = (REPO_ROOT, scene.resolve().parent)
    return next((path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)), path.name)


def closure(file: Path, roots: Iterable[Path]) -> list[Path]:
    """`file` and every module of the project that it imports, directly or through others, sorted by path."""
    roots = tuple(root.resolve() for root in roots)
    found: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _imported(path, path.stat().st_mtime_ns, roots)
    return sorted(found)


@lru_cache(maxsize=512)
def _imported(path: Path, _changed: int, roots: tuple[Path, ...]) -> tuple[Path, ...]:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    # This room imports lazily what concerns checking only; what a scene imports anywhere can be drawn.
    own = path.parent == Path(__file__).resolve().parent
    nodes: Iterable[ast.AST] = tree.body if own else ast.walk(tree)
    names = [name for node in nodes for name in _names(node, path, roots)]
    return tuple(dict.fromkeys(file for name in names for file in _files(name, roots)))


def _names(node: ast.AST, path: Path, roots: tuple[Path, ...]) -> Iterator[str]:
    """The dotted names that an import statement may load."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            root = next((root for root in roots if path.is_relative_to(root)), path.parent)
            package = path.relative_to(root).parts[:-1]
            package = package[: len(package) - (node.level - 1)]
            base = ".".join([*package, *([base] if base else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _files(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The project's files that are run when the module `name` is imported."""
    parts = name.split(".")
    for root in roots:
        for count in range(1, len(parts) + 1):
            base = root.joinpath(*parts[:count])
            for candidate in (base.with_suffix(".py"), base / "__init__.py"):
                if candidate.is_file():
                    yield candidate


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of what draws a frame."""
    found = {"python": platform.python_version()}
    for package in DRAWING_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def _in_language(data: Any, language: str, languages: list[str]) -> Any:
    """`data` with every text by language replaced by the one in `language`."""
    if isinstance(data, dict):
        if data and set(data) <= set(languages):
            return data.get(language)
        return {key: _in_language(value, language, languages) for key, value in data.items()}
    if isinstance(data, list):
        return [_in_language(value, language, languages) for value in data]
    return data


def _digest(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
