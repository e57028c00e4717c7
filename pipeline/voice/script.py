"""The script of the film: the words of every beat with their values in place, kept so that it is found at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..files import write_json
from ..fingerprint import digest_of, model_of, source_digest
from ..problems import UserError, shown_path
from ..scene_loading import module_file
from ..storyboard import REPO_ROOT, Entry, Storyboard

Script = dict[str, dict[str, str]]  # scene id -> beat -> words


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

    `on_scene` is called with each scene that is known. Raises UserError for a scene that fails.
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
    if missing:
        found |= _run(storyboard, missing, language, where, paths, on_scene)
    return {entry.id: found[entry.id] for entry in entries}


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
) -> Script:
    """Run `entries`, divided among processes; keep and return their words."""
    count = min(len(entries), where.jobs or os.cpu_count() or 1)
    found: Script = {}
    templates = {entry.id: {name: beat.words[language] for name, beat in entry.beats.items()} for entry in entries}
    running: list[subprocess.Popen[str]] = []

    def follow(share: Sequence[Entry]) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.voice.words_run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=REPO_ROOT,
        )
        running.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        request = {
            "storyboard": str(storyboard.path.resolve()),
            "scenes_folder": str(where.scenes_folder.resolve()),
            "language": language,
            "scenes": [[entry.id, entry.scene] for entry in share],
        }
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.close()
        for line in process.stdout:
            answer = json.loads(line)
            if "error" in answer:
                place = f"{shown_path(storyboard.path)}:{storyboard.line_of(answer['scene'])}"
                raise UserError(
                    f"The words of {answer['scene']} ({language}) cannot be told: {answer['error']}\n"
                    f"    storyboard: {place}\n    next: mend the scene; explain preview {answer['scene']} shows it"
                )
            if answer["templates"] != templates[answer["scene"]]:
                raise UserError(f"{shown_path(storyboard.path)} was changed meanwhile\n    next: run the command again")
            found[answer["scene"]] = answer["words"]
            write_json(paths[answer["scene"]], answer["words"])
            on_scene(answer["scene"])
        log = process.stderr.read()
        if process.wait() or any(entry.id not in found for entry in share):
            last = "\n".join(f"    {line}" for line in log.rstrip().splitlines()[-6:])
            raise UserError(f"The words of the scenes cannot be told:\n{last}")

    try:
        with ThreadPoolExecutor(count) as pool:
            try:
                list(pool.map(follow, [entries[number::count] for number in range(count)]))
            except BaseException:
                for process in running:
                    process.kill()
                raise
    finally:
        for process in running:
            process.kill()
            process.wait()
    return found
