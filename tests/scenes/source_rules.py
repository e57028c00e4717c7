"""The laws of the rooms, read from the source: who imports whom, and what no scene may type or do.

Each rule takes the text of a file and gives what is wrong, one line each, beginning with the line number.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

import manim

DECIMAL = re.compile(r"(?<![^\W\d])[0-9０-９]*[.．][0-9０-９]+(?![\w.])")  # not the layer in decoder.0.attn
CHINESE = re.compile(r"[\u3400-\u9fff\uff01-\uff5e\u3000-\u303f]")
SENTENCE = re.compile(r"[^\W\d_]\s+[^\W\d_]")
TYPST = re.compile(r"\b(dot|sqrt|times|top|quad|sum|exp|log|ln|sin|cos|frac|infinity|in|approx)\b")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}")
PAINTING = {"color", "fill", "stroke", "ink", "fill_color", "stroke_color", "background_color"}
WRITING = {
    *("open", "write_text", "write_bytes", "mkdir", "makedirs", "touch", "unlink", "rmdir", "rename", "hardlink_to"),
    *("save", "savez", "savetxt", "tofile", "save_image", "mkstemp", "NamedTemporaryFile", "symlink_to", "copyfile"),
}
TEXT_OF_MANIM = {
    *("Text", "MarkupText", "Paragraph", "Tex", "MathTex", "SingleStringMathTex", "Title", "BulletedList", "Code"),
    *("DecimalNumber", "Integer", "Variable", "Typst", "MathTypst", "Table", "DecimalTable", "IntegerTable"),
    *("DecimalMatrix", "IntegerMatrix", "Matrix", "BarChart", "BraceText", "BraceLabel"),
}
COMPUTING = {"ops", "model", "params", "training", "backward", "batch", "optimisers"}


def imports(source: str, package: str = "") -> Iterator[tuple[int, str]]:
    """Every import, relative ones resolved in `package`: (line, `module.name`), or (line, `module`)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*parts, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def engine_imports(source: str, package: str = "engine") -> list[str]:
    """The engine imports NumPy, the standard library and itself."""
    allowed = {"numpy", "engine", *sys.stdlib_module_names}
    return [f"{line}: imports {name}" for line, name in imports(source, package) if name.split(".")[0] not in allowed]


def scene_imports(source: str, package: str = "scenes") -> list[str]:
    """Scenes take from the pipeline the storyboard alone, and from manim no text of its own."""
    wrong = []
    for line, name in imports(source, package):
        parts = name.split(".")
        outside = parts[0] == "pipeline" and parts[1:2] != ["storyboard"]
        text = parts[0] == "manim" and parts[-1] in TEXT_OF_MANIM
        if outside or text or (parts[0] == "manim" and parts[-1] == "*"):
            wrong.append(f"{line}: imports {name}")
    return wrong


def pipeline_imports(source: str, package: str = "pipeline") -> list[str]:
    """The pipeline computes no value of the model: of the engine it uses what the package itself offers."""
    return [
        f"{line}: imports {name}"
        for line, name in imports(source, package)
        if name.split(".")[0] == "engine" and name.split(".")[1:2] and name.split(".")[1] in COMPUTING
    ]


def writes(source: str) -> list[str]:
    """Calls that open or write files."""
    return [
        f"{node.lineno}: calls {_called(node)}()"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and _called(node) in WRITING
    ]


def colours(source: str) -> list[str]:
    """Colours that are typed: '#rrggbb', a name of manim's, a name given as a paint."""
    tree = ast.parse(source)
    wrong = [f"{line}: the colour {text}" for line, text in _strings(tree) if COLOUR.fullmatch(text)]
    for line, name in imports(source):
        root, _, last = name.rpartition(".")
        if root.startswith("manim") and isinstance(getattr(manim, last, None), manim.ManimColor):
            wrong.append(f"{line}: the colour {last} of manim")
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in PAINTING and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                wrong.append(f"{node.value.lineno}: {node.arg}={node.value.value!r}")
        elif isinstance(node, ast.Call) and _called(node) in {"ManimColor", "from_rgb", "from_hex", "rgb_to_color"}:
            wrong.append(f"{node.lineno}: makes a colour with {_called(node)}")
    return wrong


def sentences(source: str) -> list[str]:
    """Words that belong into the storyboard: Chinese, or words with spaces between; formulas are no sentences."""
    tree = ast.parse(source)
    return [
        f"{line}: the words {text!r}"
        for line, text in _strings(tree, but_not=("Formula",))
        if CHINESE.search(text) or SENTENCE.search(TYPST.sub("", text))
    ]


def decimals(source: str) -> list[str]:
    """Numbers typed as text."""
    return [f"{line}: the number {text!r}" for line, text in _strings(ast.parse(source)) if DECIMAL.search(text)]


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _strings(tree: ast.AST, but_not: tuple[str, ...] = ()) -> Iterator[tuple[int, str]]:
    """Strings of the code: not docstrings, not the messages of errors, not arguments of the calls `but_not`."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Assert):
            silent.update(
                id(part) for part in ast.walk(node.msg if isinstance(node, ast.Assert) and node.msg else node)
            )
        elif isinstance(node, ast.Call) and _called(node) in but_not:
            silent.update(id(part) for part in ast.walk(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            silent.update(id(part) for part in ast.walk(node.format_spec))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value
