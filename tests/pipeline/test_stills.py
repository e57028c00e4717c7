"""Stills: the very frames of a whole render, one at a time; and what the command says and writes."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frame_record import KeptRecord, play
from manim import RIGHT, UP, FadeIn, Scene, Square, config
from manim.renderer.cairo_renderer import CairoRenderer
from PIL import Image
from small_studio import Studio

from pipeline import cli
from pipeline.problems import UserError
from pipeline.qualities import Quality
from pipeline.still_drawing import SceneRun, draw_stills, drawing
from pipeline.still_renderer import Still, StillRenderer, Wish
from pipeline.stills import one_still
from pipeline.storyboard import REPO_ROOT, load_storyboard

SMALL = Quality("small", 284, 160, 3)
STORYBOARD = load_storyboard(REPO_ROOT / "storyboard.yaml")


def whole_film(scene_class: type[Scene], folder: Path, size: tuple[int, int] = (284, 160), rate: int = 3) -> Any:
    """The scene after manim's own renderer has drawn all of it, and every one of its frames."""
    scene = play(scene_class, CairoRenderer, KeptRecord, folder, size=size, rate=rate)
    record = scene.renderer.file_writer
    pictures = zip(record.pictures, record.frames, strict=True)
    return scene, [picture for picture, (_, repeat) in pictures for _ in range(repeat)]


def differing(still: Still, frames: list[np.ndarray]) -> int:
    return int(np.any(still.pixels != frames[still.frame], axis=2).sum())


@pytest.mark.parametrize(("scene_id", "language"), [("tokenization", "zh"), ("inference_step_1", "en")])
def test_stills_are_the_frames_of_the_film(
    scene_id: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLAINER_STORYBOARD", str(STORYBOARD.path))
    monkeypatch.setenv("EXPLAINER_LANGUAGE", language)
    entry = STORYBOARD.entry(scene_id)
    scene_class = getattr(importlib.import_module(f"scenes.{entry.module}"), entry.class_name)
    scene, frames = whole_film(scene_class, tmp_path)
    cues = {cue.beat: cue for cue in scene.cues}
    run = SceneRun(entry.scene, REPO_ROOT / "scenes", STORYBOARD.path, language, SMALL)
    found: dict[str, list[Still]] = {"start": [], "middle": [], "end": [], "every": []}
    for at in ("start", "middle", "end"):
        draw_stills(run, Wish(at=at), lambda _, still, at=at: found[at].append(still))
    draw_stills(run, Wish(every=7), lambda _, still: found["every"].append(still))
    assert [still.frame for still in found["start"]] == [cue.start_frame for cue in scene.cues]
    assert [still.frame for still in found["end"]] == [cue.end_frame - 1 for cue in scene.cues]
    assert [still.frame for still in found["every"]] == list(range(0, len(frames), 7))
    for still in found["middle"]:
        assert cues[still.beat].start_frame <= still.frame < cues[still.beat].end_frame
    stills = [still for group in found.values() for still in group]
    assert {(still.beat, still.frame): differing(still, frames) for still in stills if differing(still, frames)} == {}
    # The frames do differ from each other: equal ones would prove nothing.
    assert len({frame.tobytes() for frame in frames}) > len(frames) // 4


def test_one_still_draws_only_what_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = STORYBOARD.entry("inference_step_1")
    run = SceneRun(entry.scene, REPO_ROOT / "scenes", STORYBOARD.path, "en", SMALL)
    drawn = []
    capture = StillRenderer.update_frame
    monkeypatch.setattr(StillRenderer, "update_frame", lambda *a, **k: (drawn.append(1), capture(*a, **k))[1])
    beat = list(entry.beats)[2]
    assert one_still(run, beat).shape == (160, 284, 3)
    assert len(drawn) <= 4  # what stands still and what moves, of at most two plays


class Stateful(Scene):
    """What moves by itself moves on through what is not drawn: every frame adds to where it is."""

    def construct(self) -> None:
        runner = Square(0.5, fill_opacity=1).shift(5 * RIGHT)
        runner.add_updater(lambda mobject, dt: mobject.shift((1 + mobject.get_y()) * dt * UP))
        with self.beat("first"):
            self.add(runner)
            self.play(FadeIn(Square()), run_time=1)
        with self.beat("second"):
            self.wait(1)

    @contextmanager
    def beat(self, name: str) -> Iterator[None]:  # noqa: ARG002
        yield


def test_what_moves_by_itself_has_moved_as_far_as_in_the_film(tmp_path: Path) -> None:
    _, frames = whole_film(Stateful, tmp_path, rate=10)
    run = SceneRun("x.Stateful", tmp_path, tmp_path / "none.yaml", "en", Quality("s", 284, 160, 10))
    found: list[Still] = []
    with drawing(run):
        renderer = StillRenderer(Wish(), found.append)
        scene = Stateful(renderer=renderer)
        renderer.attach(scene)
        scene.render()
    assert [still.frame for still in found] == [9, 19]
    assert [differing(still, frames) for still in found] == [0, 0]
    assert np.any(found[0].pixels != found[1].pixels)


def test_settings_and_environment_are_put_back(tmp_path: Path) -> None:
    before = (dict(os.environ), config.pixel_width, config.media_dir)
    run = SceneRun("x.X", tmp_path, tmp_path / "s.yaml", "en", SMALL)
    with drawing(run):
        assert (os.environ["EXPLAINER_LANGUAGE"], config.pixel_width) == ("en", 284)
    assert (dict(os.environ), config.pixel_width, config.media_dir) == before


# -- the command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_a_picture(studio: Studio) -> None:
    done = studio.explain("still", "opening", "second")
    assert done.returncode == 0, done.stderr
    picture = studio.media / "stills" / "zh" / "opening-second-end.png"
    assert done.stdout.strip().endswith("opening-second-end.png")
    assert Image.open(picture).size == (854, 480)
    out = studio.root / "x" / "start.jpg"
    done = studio.explain("still", "opening", "second", "--at", "start", "--language", "en", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert Image.open(out).format == "JPEG"
    ended, began = (np.asarray(Image.open(path).convert("L"), dtype=float) for path in (picture, out))
    assert ended[:, 427:].mean() > began[:, 427:].mean() + 1  # the square has moved to the right


@pytest.mark.parametrize(
    ("arguments", "phrases"),
    [
        (["openin", "first"], ['"openin" is no scene', "allowed: opening, middle, ending", 'did you mean "opening"?']),
        (["later", "wait"], ["is a draft", "opening, middle, ending"]),
        (["opening", "secnd"], ['no beat "secnd"', "allowed: first, second", 'did you mean "second"?']),
        (["opening", "first", "--language", "fr"], ['no language "fr"', "allowed: zh, en"]),
        (["opening", "first", "--at", "midle"], ['did you mean "middle"?', "start, middle, end"]),
        (["opening", "first", "--out", "x.gif"], ['"x.gif"', ".png, .jpg, .webp"]),
        (["opening", "first", "--quality", "hig"], ['did you mean "high"?']),
    ],
)
def test_wrong_names_are_told_in_one_message(
    studio: Studio, arguments: list[str], phrases: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = cli.main(studio.command("still", *arguments)[3:])
    except SystemExit as refused:
        status = int(refused.code or 0)
    assert status != 0
    said = capsys.readouterr().err
    for phrase in [*phrases, "next:"]:
        assert phrase in said
    assert not studio.media.exists()


def test_a_scene_that_fails_names_its_line(studio: Studio, tmp_path: Path) -> None:
    """Though a scene file of the same name in another folder has been drawn before, in the same process."""
    other = shutil.copytree(studio.root, tmp_path / "other")
    one_still(SceneRun("opening.Opening", other / "scenes", other / "storyboard.yaml", "zh", SMALL), "first")
    studio.edit("scenes/opening.py", "        square = Square", "        nothing.at_all()\n        square = Square")
    run = SceneRun("opening.Opening", studio.scenes, studio.storyboard, "zh", SMALL)
    with pytest.raises(UserError, match=r"opening\.py:10: NameError: name 'nothing' is not defined\n    next: "):
        one_still(run, "second")
