"""A clip is valid as long as the values that its scene looked up are the same; nothing else of the model counts."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from small_studio import REPO, Studio
from test_cache_why import planned, reasons

import engine
from engine import preset
from pipeline.clips import outdated
from pipeline.fingerprint import VALUE_SETTINGS, Model
from pipeline.jobs import Drawn, Sidecar
from pipeline.pieces import all_reads


def model(**settings: object) -> Model:
    return Model("tutorial", preset("tutorial", **settings))


def sidecar(of: Model, *keys: str) -> Sidecar:
    """What is known of a clip that was drawn with the model `of` and looked up `keys`."""
    reads = {key: of.value_digest(key) or "" for key in keys}
    return Sidecar("s", "zh", "draft", "f", 15, 1, (), "x", 1, model=of.digest, reads=reads)


def refuse(*_: object) -> None:
    raise AssertionError("the model was run")


def test_the_same_model_is_known_without_running_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = sidecar(model(), "logits", "trained.one_sentence.probs")
    monkeypatch.setattr(engine, "run", refuse)
    monkeypatch.setattr(engine, "run_trained", refuse)
    assert outdated(known, model()) == []


def test_another_seed_counts_only_for_what_it_touches() -> None:
    assert outdated(sidecar(model(), "embed.weight", "src.input"), model(seed=7)) == []
    assert outdated(sidecar(model(), "embed.weight", "logits", "src.tokens"), model(seed=7)) == ["logits"]


def test_another_embedding_counts_for_what_it_touches() -> None:
    table = [list(row) for row in preset("tutorial").E or ()]
    table[0][0] += 1e-6
    changed = outdated(sidecar(model(), "embed.weight", "pos_embed", "src.tokens"), model(E=table))
    assert changed == ["embed.weight"]


def test_trained_weights_are_loaded_only_for_a_clip_that_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shows, does_not = (
        sidecar(model(), "logits", "training.word_by_word.loss"),
        sidecar(model(), "logits", "embed.weight"),
    )
    monkeypatch.setattr(engine, "run_trained", refuse)
    assert outdated(does_not, model(seed=7)) == ["logits"]
    with pytest.raises(AssertionError, match="the model was run"):
        outdated(shows, model(seed=7))


def test_new_weights_of_the_same_model_count_for_what_they_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after `explain train`: the untrained values stay, the trained ones do not."""
    known = sidecar(
        model(), "logits", "embed.weight", "trained.one_sentence.embed.weight", "training.one_sentence.loss"
    )
    monkeypatch.setattr("engine.trained.training_digest", lambda _config: "other weights")
    seven = engine.run_trained(preset("tutorial", seed=7))
    monkeypatch.setattr(engine, "run_trained", lambda _config: seven)
    changed = model()
    assert changed.digest != known.model
    assert set(outdated(known, changed)) == {"trained.one_sentence.embed.weight", "training.one_sentence.loss"}


def test_a_key_that_is_gone_and_a_scene_that_did_not_say() -> None:
    gone = Sidecar("s", "zh", "draft", "f", 15, 1, (), "x", 1, model="other", reads={"no.such.key": "1"})
    assert outdated(gone, model()) == ["no.such.key"]
    silent = Sidecar("s", "zh", "draft", "f", 15, 1, (), "x", 1, model="other")
    assert outdated(silent, model()) == ["*"]


def test_sizes_and_words_are_fingerprinted_and_values_are_not() -> None:
    base = model()
    for same in (model(seed=7), model(weight_recipe="paper"), model(E=None)):
        assert same.shape == base.shape
        assert same.digest != base.digest
    for other in ({"d_ff": 9}, {"encoder_layers": 3}, {"source": ["我", "爱", "你"]}, {"max_length": 3}):
        assert model(**other).shape != base.shape
    assert Model("paper", preset("paper")).shape["preset"] == "paper"


def test_what_pieces_looked_up_is_put_together() -> None:
    def drawn(reads: dict[str, str] | None) -> Drawn:
        return Drawn(0, 1, (), 0.0, 0, reads)

    assert all_reads([drawn({"b": "1"}), drawn({}), drawn({"a": "2", "b": "1"})]) == {"a": "2", "b": "1"}
    assert all_reads([drawn({"b": "1"}), drawn(None)]) is None


def test_no_scene_asks_the_model_for_what_decides_values_only() -> None:
    """Seed, recipe and table are in no fingerprint: a scene that shows one must get it from the trace."""
    for path in sorted((REPO / "scenes").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Attribute) and node.attr in VALUE_SETTINGS:
                assert "model" not in ast.unparse(node.value), f"{path}:{node.lineno}"
                assert "config" not in ast.unparse(node.value), f"{path}:{node.lineno}"


# --- from the scene to the sidecar and back -----------------------------------------------------------------------

WATCH = '''
import engine


class Watching(SmallScene):
    """A small scene that has the model's trace."""

    def setup(self) -> None:
        super().setup()
        name, settings = load_storyboard(os.environ["EXPLAINER_STORYBOARD"]).film.preset
        self.trace = engine.run_trained(engine.preset(name, **settings)).watched()
'''


def reads_of(clip: Path) -> dict[str, str]:
    return json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))["reads"]


def clips_of(studio: Studio, scene: str) -> list[Path]:
    return sorted((studio.media / "clips" / "draft" / "zh").glob(f"{scene}-*.mp4"))


def test_a_change_of_the_seed_renders_the_scenes_that_show_its_values(studio: Studio) -> None:
    stage = studio.scenes / "small_stage.py"
    stage.write_text(stage.read_text(encoding="utf-8") + WATCH, encoding="utf-8")
    for scene in ("opening", "ending"):
        path = studio.scenes / f"{scene}.py"
        path.write_text(path.read_text(encoding="utf-8").replace("SmallScene", "Watching"), encoding="utf-8")
    studio.edit("scenes/opening.py", "side = 2.0", 'side = 2.0 + abs(self.trace["embed.weight"][0, 0])')
    studio.edit("scenes/ending.py", "Circle(2,", 'Circle(1 + abs(self.trace["logits"][0, 0]),')
    scenes = ("--scenes", "opening,ending")
    assert "2 clips rendered" in studio.explain("render", *scenes).stdout
    assert list(reads_of(clips_of(studio, "opening")[0])) == ["embed.weight"]
    assert list(reads_of(clips_of(studio, "ending")[0])) == ["logits"]

    studio.edit("storyboard.yaml", "{preset: tutorial}", "{preset: tutorial, seed: 7}")
    assert {scene: why for scene, why in reasons(studio).items() if scene != "middle"} == {
        "ending": "trace key logits changed"
    }
    said = studio.explain("render", *scenes)
    assert "1 clip rendered" in said.stdout, said.stdout + said.stderr
    # The clips for both models lie side by side, under one fingerprint.
    one, other = clips_of(studio, "ending")
    assert (
        one.stem.partition(".")[0] == other.stem.partition(".")[0] == f"ending-{planned(studio)['ending'].fingerprint}"
    )
    assert one.read_bytes() != other.read_bytes()
    assert len(clips_of(studio, "opening")) == 1

    studio.edit("storyboard.yaml", ", seed: 7", "")
    assert "0 clips rendered" in studio.explain("render", *scenes).stdout
