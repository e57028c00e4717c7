"""The rooms of the house: what each may import, and what a scene file may not type."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import source_rules as rules

ROOT = Path(__file__).resolve().parents[2]
SCENE_FILES = sorted(path for path in (ROOT / "scenes").glob("*.py") if path.stem != "__init__")
STAGE_FILES = sorted((ROOT / "scenes" / "stage").rglob("*.py"))
ENGINE_FILES = sorted((ROOT / "engine").rglob("*.py"))
PIPELINE_FILES = sorted((ROOT / "pipeline").rglob("*.py"))
# The module of the stage that wraps formulas, and the audit that looks for text of manim's.
WRAP_TEXT = {"formula.py", "picture.py"}


def named(files: list[Path]) -> list:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in files]


def package(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


def test_there_are_files_in_every_room():
    assert len(SCENE_FILES) >= 4
    assert min(len(STAGE_FILES), len(ENGINE_FILES), len(PIPELINE_FILES)) > 5


@pytest.mark.parametrize("path", named(ENGINE_FILES))
def test_the_engine_imports_numpy_and_the_standard_library(path):
    assert rules.engine_imports(path.read_text(encoding="utf-8"), package(path)) == []


@pytest.mark.parametrize("path", named(PIPELINE_FILES))
def test_the_pipeline_computes_no_model_value(path):
    assert rules.pipeline_imports(path.read_text(encoding="utf-8"), package(path)) == []


@pytest.mark.parametrize("path", named(SCENE_FILES + [path for path in STAGE_FILES if path.name not in WRAP_TEXT]))
def test_scenes_import_the_storyboard_alone_of_the_pipeline_and_no_text_of_manim(path):
    assert rules.scene_imports(path.read_text(encoding="utf-8"), package(path)) == []


@pytest.mark.parametrize("path", named(SCENE_FILES + STAGE_FILES))
def test_scenes_write_no_files(path):
    assert rules.writes(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", named(SCENE_FILES + [path for path in STAGE_FILES if path.name != "theme.py"]))
def test_colours_are_typed_in_the_theme_alone(path):
    assert rules.colours(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", named(SCENE_FILES))
def test_a_scene_types_no_sentence_and_no_number(path):
    source = path.read_text(encoding="utf-8")
    assert rules.sentences(source) + rules.decimals(source) == []


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("engine", ("manim", "pydantic", "yaml", "pipeline", "scenes")),
        ("pipeline.storyboard", ("manim", "av", "numpy.ma")),
    ],
)
def test_what_is_imported_by_everyone_is_light(module, absent):
    code = f"import sys, {module}; print(*[name for name in {absent!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


# -- the rules themselves --------------------------------------------------------------------------------------------
CAUGHT: list[tuple[Callable[[str], list[str]], str]] = [
    (rules.engine_imports, "import manim"),
    (rules.engine_imports, "from pipeline.storyboard import Film"),
    (rules.engine_imports, "def f():\n    import scipy.special"),
    (rules.pipeline_imports, "from engine.ops import softmax"),
    (rules.pipeline_imports, "import engine.model"),
    (rules.pipeline_imports, "from engine import ops"),
    (rules.scene_imports, "from pipeline.render import clips"),
    (rules.scene_imports, "import pipeline"),
    (rules.scene_imports, "from manim import Circle, Text"),
    (rules.scene_imports, "from manim import *"),
    (rules.writes, 'open("x", "w")'),
    (rules.writes, 'Path("x").write_text("y")'),
    (rules.writes, "np.save(name, values)"),
    (rules.colours, 'panel(1, 1, "#ff00aa")'),
    (rules.colours, "from manim import BLUE, Circle"),
    (rules.colours, "from manim.utils.color.manim_colors import RED_A"),
    (rules.colours, 'Circle(color="white")'),
    (rules.colours, "ManimColor((1, 0, 0))"),
    (rules.sentences, 'Words("训练")'),
    (rules.sentences, 'Words("every row sums")'),
    (rules.sentences, 'name = f"{count} rows of E"'),
    (rules.sentences, 'Formula(f"x") or Words("two words")'),
    (rules.decimals, 'Words("0.25")'),
    (rules.decimals, 'Words("０．２５")'),
    (rules.decimals, 'Formula("p = 0.5")'),
    (rules.decimals, 'Words("−.5")'),
]
ALLOWED: list[tuple[Callable[[str], list[str]], str]] = [
    (rules.engine_imports, "from __future__ import annotations\nimport numpy as np\nfrom engine.ops import softmax"),
    (rules.engine_imports, "from .ops import softmax"),
    (rules.pipeline_imports, "from engine import TraceKeyError, preset, run"),
    (rules.scene_imports, "from pipeline.storyboard import load_storyboard\nfrom manim import Circle"),
    (rules.writes, 'entry.labels["open"]; self.opened()'),
    (rules.colours, 'panel(1, 1, theme.PANEL, stroke=theme.LINE); name = "#"'),
    (rules.colours, "from manim import DOWN, LEFT, PI"),
    (rules.sentences, '"""A docstring in words. 中文."""\nraise ValueError("no such row")'),
    (
        rules.sentences,
        'Formula("q dot k / sqrt(d_k)"); self.arrow("dot W_2^top"); self.label("all_scores"); Words("softmax")',
    ),
    (rules.sentences, 'key = f"decoder.{layer}.self_attn.{name}"'),
    (rules.decimals, 'self.grid("encoder.0.attn.q", decimals=2); f"{value:.2f}"; "decoder.0"'),
    (rules.decimals, "shift = 0.25 * UP"),
]


@pytest.mark.parametrize(("rule", "source"), CAUGHT)
def test_the_rule_catches(rule, source):
    assert rule(source)


@pytest.mark.parametrize(("rule", "source"), ALLOWED)
def test_the_rule_allows(rule, source):
    assert rule(source) == []
