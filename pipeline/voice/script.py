"""The script of the film: the words of every beat with their values in place, kept so that it is found at once."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

from ..files import write_json
from ..fingerprint import digest_of, model_of, source_digest
from ..jobs import Failure, Job
from ..problems import UserError, shown_path
from ..scene_loading import module_file
from ..storyboard import Entry, Storyboard
from ..workers import local_workers

Script = dict[str, dict[str, str]]  # scene id -> beat -> words


class UntoldError(UserError):
    """The words of some scenes cannot be told. `failures`: scene id -> why; `script`: the words of the others."""

    def __init__(self, storyboard: Storyboard, language: str, failures: Mapping[str, Failure], script: Script) -> None:
        self.failures, self.script = failures, script
        super().__init__("\n".join(_told(storyboard, language, failure) for failure in failures.values()))


@dataclass(frozen=True)
class ScriptFolder:
    """Where the words found so far are kept, and what they are found from."""

    store: Path
    scenes_folder: Path
    jobs: int | None = None


def script_of(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    language: str,
    where: ScriptFolder,
    on_scene: Callable[[str], None] = lambda _scene: None,
) -> Script:
    """The words of `entries` in `language`. Scenes that are not known yet are run, without drawing.

    `on_scene` is called with each scene that is known. Raises UntoldError for scenes that fail.
    """
    model = model_of(storyboard).digest
    paths = {entry.id: _path(entry, language, model, where) for entry in entries}
    found: Script = {}
    missing: list[Entry] = []
    for entry in entries:
        words = _kept(paths[entry.id], entry)
        if words is None:
            missing.append(entry)
        else:
            found[entry.id] = words
            on_scene(entry.id)
    failures: dict[str, Failure] = {}
    if missing:
        told, failures = _run(storyboard, missing, language, where, paths, on_scene)
        found |= told
    script = {entry.id: found[entry.id] for entry in entries if entry.id in found}
    if failures:
        raise UntoldError(storyboard, language, failures, script)
    return script


def kept_words(storyboard: Storyboard, entries: Sequence[Entry], language: str, where: ScriptFolder) -> Script:
    """The words of those `entries` that are known without running anything."""
    model = model_of(storyboard).digest
    known = {entry.id: _kept(_path(entry, language, model, where), entry) for entry in entries}
    return {scene_id: words for scene_id, words in known.items() if words is not None}


def keep_words(storyboard: Storyboard, found: Mapping[tuple[str, str], dict[str, str]], where: ScriptFolder) -> None:
    """Keep words that a render has found: (scene id, language) -> beat -> words."""
    model = model_of(storyboard).digest
    for (scene_id, language), words in found.items():
        entry = storyboard.entry(scene_id)
        path = _path(entry, language, model, where)
        if _kept(path, entry) != words:
            write_json(path, words)


def _told(storyboard: Storyboard, language: str, failure: Failure) -> str:
    scene_id = failure.scene_id
    lines = [
        f"The words of {scene_id} ({language}) cannot be told: {failure.error}",
        f"    storyboard: {shown_path(storyboard.path)}:{storyboard.line_of(scene_id, failure.beat)}",
        *([f"    scene: {shown_path(failure.scene_file)}:{failure.line}"] if failure.line else []),
        f"    next: mend the scene; explain preview {scene_id} shows it",
    ]
    return "\n".join(lines)


def _path(entry: Entry, language: str, model: str, where: ScriptFolder) -> Path:
    words = {name: beat.words[language] for name, beat in entry.beats.items()}
    file = module_file(where.scenes_folder, entry.module)
    digest = digest_of([words, model, entry.scene, source_digest(file)])
    return where.store / "words" / language / f"{entry.id}-{digest}.json"


def _kept(path: Path, entry: Entry) -> dict[str, str] | None:
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fits = isinstance(words, dict) and set(words) == set(entry.beats)
    return {name: str(words[name]) for name in entry.beats} if fits else None


def _run(
    storyboard: Storyboard,
    entries: Sequence[Entry],
    language: str,
    where: ScriptFolder,
    paths: Mapping[str, Path],
    on_scene: Callable[[str], None],
) -> tuple[Script, dict[str, Failure]]:
    """Run `entries` in worker processes; keep and return the words of those that can be run, and why others cannot."""
    found: Script = {}
    failures: dict[str, Failure] = {}
    count = min(len(entries), where.jobs or os.cpu_count() or 1)
    with (
        tempfile.TemporaryDirectory(prefix="words-") as folder,
        local_workers(count, lambda _job, _frames: None) as workers,
    ):
        running = {workers.submit(_job(storyboard, entry, language, where, folder)): entry.id for entry in entries}
        for future in as_completed(running):
            scene_id, result = running[future], future.result()
            if isinstance(result, Failure):
                failures[scene_id] = result
                continue
            found[scene_id] = {cue.beat: cue.words for cue in result.cues}
            write_json(paths[scene_id], found[scene_id])
            on_scene(scene_id)
    return found, failures


def _job(storyboard: Storyboard, entry: Entry, language: str, where: ScriptFolder, folder: str) -> Job:
    return Job(
        scene_id=entry.id,
        scene=entry.scene,
        scenes_folder=str(where.scenes_folder.resolve()),
        storyboard=str(storyboard.path.resolve()),
        language=language,
        quality="draft",
        gap=0,
        sources=source_digest(module_file(where.scenes_folder, entry.module)),
        work_folder=str(Path(folder, f"{entry.id}-{language}").resolve()),
        said=json.dumps({name: beat.words[language] for name, beat in entry.beats.items()}, ensure_ascii=False),
    )
