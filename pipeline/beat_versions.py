"""Which beats of a scene an edit touches, read from source and storyboard; nothing of the scene is run.

The source of a scene falls into units: methods, class attributes, and the functions, classes and constants of its
module. A beat depends on the method that plays it and on every unit that this reaches by name. What no beat reaches,
`construct` among it, is the ground that all stand on. Comments and spacing are no part of a unit.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .problems import Problem, UserError
from .sources import closure
from .storyboard import Entry, Storyboard

Units = dict[str, list[ast.AST]]


@dataclass(frozen=True)
class Version:
    """What a scene's pictures depend on, as digests: the ground, and each beat in playing order."""

    ground: str
    beats: tuple[tuple[str, str], ...]

    @property
    def names(self) -> list[str]:
        """The beats in playing order."""
        return [name for name, _ in self.beats]

    def same_before(self, other: Version, index: int) -> bool:
        """Whether both come to the beat `index` in the same state."""
        return self.ground == other.ground and self.names == other.names and self.beats[:index] == other.beats[:index]

    def changed_from(self, other: Version) -> list[str]:
        """The beats that are new or other than in `other`."""
        before = dict(other.beats)
        return [name for name, digest in self.beats if before.get(name) != digest]


def sources_of(file: Path, roots: Iterable[Path], watched: set[str]) -> list[str]:
    """The files of the project that `file` is made from, itself among them; `file` alone where it is not there.

    Raises UserError for one that is not Python; it is put into `watched`, since what mends it is a save of that file.
    """
    try:
        return [str(path) for path in closure(file, roots)]
    except SyntaxError as error:
        watched.add(str(error.filename))
        message = f"not valid Python: {error.msg}"
        raise UserError(str(Problem(str(error.filename), error.lineno or 1, "", message, hint="correct it"))) from None
    except OSError:
        return [str(file)]


def version_of(storyboard: Storyboard, entry: Entry, language: str, file: Path, others: Iterable[str]) -> Version:
    """The version of the scene of `entry`, drawn by its class in `file`. `others`: digests of what else counts.

    Raises UserError with file and line when the source is not Python or has no such class.
    """
    try:
        source = file.read_bytes()
        tree = ast.parse(source, str(file))
    except SyntaxError as error:
        message = f"the scene file is not valid Python: {error.msg}"
        raise UserError(str(Problem(str(file), error.lineno or 1, "", message, hint="correct it"))) from None
    except (OSError, ValueError) as error:
        raise UserError(
            str(Problem(str(file), 0, "", f"cannot be read: {error}", hint="put the scene's file in its place"))
        ) from None
    ground, codes = _code(tree, entry.class_name, str(file))
    words = entry.model_dump()
    beats = words.pop("beats")
    every = storyboard.with_cards(storyboard.scenes)
    place = [every.index(entry), len(storyboard.scenes)]
    ground = _digest([ground, words, storyboard.film.model_dump(), place, language, sorted(others)])
    return Version(
        ground,
        tuple((name, _digest([codes.get(name, ""), _spoken(beat, language)])) for name, beat in beats.items()),
    )


def _spoken(beat: dict[str, Any], language: str) -> dict[str, Any]:
    """A beat as the storyboard has it, without the words of other languages."""
    return {**beat, "words": beat["words"].get(language)}


def _code(tree: ast.Module, class_name: str, file: str) -> tuple[str, dict[str, str]]:
    """The digest of the ground, and that of each beat's code."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        hint = "name the class as the storyboard has it"
        raise UserError(str(Problem(file, 0, "", f"there is no class {class_name}", ", ".join(classes), hint)))
    family = set(_family(classes, class_name))
    units: Units = {}
    loose: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in family:
            loose += [*node.bases, *node.keywords, *node.decorator_list]
            _sort(node.body, units, loose)
        else:
            _sort([node], units, loose)
    reached = {name: _closure(nodes, owner, units) for name, owner, nodes in _players(units)}
    used = set().union(*(names for names, _ in reached.values())) if reached else set()
    rest = [_dump(node) for name in sorted(units) if name not in used for node in units[name]]
    beats = {
        name: _digest([*map(_dump, nodes), *(_dump(node) for unit in sorted(names) for node in units[unit])])
        for name, (names, nodes) in reached.items()
    }
    return _digest([rest, *map(_dump, loose)]), beats


def _family(classes: dict[str, ast.ClassDef], name: str) -> Iterator[str]:
    """The class and those of its module that it inherits from."""
    if name in classes:
        yield name
        for base in classes[name].bases:
            if isinstance(base, ast.Name) and base.id != name:
                yield from _family(classes, base.id)


def _sort(nodes: Iterable[ast.stmt], units: Units, loose: list[ast.AST]) -> None:
    """Put each statement under the names that it binds, or among the loose ones."""
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        for name in names:
            units.setdefault(name, []).append(node)
        if not names:
            loose.append(node)


def _players(units: Units) -> Iterator[tuple[str, str, list[ast.AST]]]:
    """Each beat with the unit that plays it and the nodes that are its own: the method, or where it plays several
    beats (or is `construct`) the statement of the beat alone."""
    for owner, nodes in units.items():
        found = [(name, node) for unit in nodes for name, node in _beats_in(unit)]
        for name, node in found:
            alone = len({other for other, _ in found}) == 1 and owner != "construct"
            yield name, owner, list(nodes) if alone else [node]


def _beats_in(unit: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(unit):
        if isinstance(node, ast.With):
            for item in node.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "beat":
                    first = call.args[0] if call.args else None
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value, node


def _closure(nodes: list[ast.AST], owner: str, units: Units) -> tuple[set[str], list[ast.AST]]:
    """The names of all units that `nodes` reach, and `nodes`; with the owner where all of it belongs to the beat."""
    own = nodes == units[owner]
    reached: set[str] = {owner} if own else set()
    waiting = list(nodes)
    while waiting:
        for part in ast.walk(waiting.pop()):
            name = part.attr if isinstance(part, ast.Attribute) else part.id if isinstance(part, ast.Name) else None
            if name in units and name not in reached and name != "construct":
                reached.add(name)
                waiting += units[name]
    return reached, nodes


def _dump(node: ast.AST) -> str:
    return ast.dump(node)


def _digest(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
