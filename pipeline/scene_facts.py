"""What a scene class says about itself, read from its source; nothing is imported or run, so checking is safe."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from .problems import Problem


@dataclass
class Call:
    """One `self.beat(…)`, `self.label(…)` or `self.film_word(…)`: its name, the placeholders it fills, its line."""

    name: str
    fills: frozenset[str]
    line: int


@dataclass
class SceneFacts:
    """The beats (in playing order), labels and film words of one scene class, with its file and line."""

    file: str
    line: int
    beats: list[Call] = field(default_factory=list)
    labels: list[Call] = field(default_factory=list)
    film_words: list[Call] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def filled_by(self, kind: str, name: str) -> frozenset[str]:
        """The placeholders that every call for the beat or label `name` fills."""
        calls = [call.fills for call in (self.beats if kind == "beat" else self.labels) if call.name == name]
        return frozenset.intersection(*calls) if calls else frozenset()

    def beat_names(self) -> list[str]:
        """The names of the beats in playing order, each once."""
        return list(dict.fromkeys(call.name for call in self.beats))


@dataclass
class SceneModule:
    """A parsed scene file: its classes by name, or the problem that kept it from being parsed."""

    file: str
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    problem: Problem | None = None


def read_module(path: Path) -> SceneModule | None:
    """The classes of the scene file `path`, or None where there is no such file."""
    if not path.is_file():
        return None
    file = str(path)
    try:
        tree = ast.parse(path.read_bytes(), filename=file)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        message = f"the scene file is not valid Python: {getattr(error, 'msg', None) or error}"
        return SceneModule(file, problem=Problem(file, line, "", message, hint="correct the scene file"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return SceneModule(file, classes)


def facts_of(module: SceneModule, class_name: str) -> SceneFacts:
    """The facts of the class `class_name` of `module`, what it inherits from classes of the same file included."""
    node = module.classes[class_name]
    facts = SceneFacts(module.file, node.lineno)
    methods = _methods(module, node, set())
    _Reader(methods, facts).read()
    return facts


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _methods(module: SceneModule, node: ast.ClassDef, seen: set[str]) -> dict[str, Function]:
    """The methods of a class by name, inherited ones first, overridden ones replaced."""
    seen.add(node.name)
    methods: dict[str, Function] = {}
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id in module.classes and base.id not in seen:
            methods.update(_methods(module, module.classes[base.id], seen))
    methods.update({item.name: item for item in node.body if isinstance(item, Function)})
    return methods


class _Reader(ast.NodeVisitor):
    """Follows `construct` through the class's own methods, so that beats are met in the order in which they play."""

    def __init__(self, methods: dict[str, Function], facts: SceneFacts) -> None:
        self.methods = methods
        self.facts = facts
        self.read_methods: set[str] = set()

    def read(self) -> None:
        for name in ["construct", *self.methods]:
            self._follow(name)

    def _follow(self, name: str) -> None:
        if name in self.methods and name not in self.read_methods:
            self.read_methods.add(name)
            for statement in self.methods[name].body:
                self.visit(statement)

    def visit_Call(self, node: ast.Call) -> None:
        target = node.func
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            if target.attr in {"beat", "label", "film_word"} and target.attr not in self.methods:
                self._note(target.attr, node)
            else:
                self.generic_visit(node)  # arguments are evaluated before the method runs
                self._follow(target.attr)
                return
        self.generic_visit(node)

    def _note(self, kind: str, node: ast.Call) -> None:
        first = node.args[0] if node.args else None
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            message = f"self.{kind}(…) is called with a name that is computed"
            self._problem(node, message, "a name in quotes", f'write self.{kind}("name"), once for each {kind}')
            return
        if any(keyword.arg is None for keyword in node.keywords):
            message = f'self.{kind}("{first.value}", **…) hides which placeholders it fills'
            self._problem(node, message, "named arguments", "write every placeholder as name=value")
        fills = frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        call = Call(first.value, fills, node.lineno)
        {"beat": self.facts.beats, "label": self.facts.labels, "film_word": self.facts.film_words}[kind].append(call)

    def _problem(self, node: ast.Call, message: str, allowed: str, hint: str) -> None:
        self.facts.problems.append(Problem(self.facts.file, node.lineno, "", message, allowed, hint))
