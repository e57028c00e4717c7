"""Whether an entry's beats, labels and placeholders fit its scene class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .placeholders import FILM_PLACEHOLDERS, PlaceholderError, placeholders
from .problems import Problem, did_you_mean, listed, shown_path
from .scene_facts import Call, SceneFacts, SceneModule, facts_of, read_module
from .scene_loading import module_file
from .storyboard import Entry, Film
from .yaml_lines import Document, PathKey


def name_of(entry: Entry) -> str:
    """Where `entry` stands in the storyboard, in words."""
    return f"film.cards.{entry.card}" if entry.card else f"scenes.{entry.id}"


class SceneSource:
    """The scene files below one folder, each parsed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: dict[str, SceneModule | None] = {}
        self._facts: dict[tuple[str, str], SceneFacts] = {}

    def module(self, name: str) -> SceneModule | None:
        """The parsed file of the module `name` ("embedding"), or None where there is none."""
        if name not in self._modules:
            self._modules[name] = read_module(self.path(name))
        return self._modules[name]

    def facts(self, module: SceneModule, class_name: str) -> SceneFacts:
        """The facts of a class of `module`, looked for once."""
        key = (module.file, class_name)
        if key not in self._facts:
            self._facts[key] = facts_of(module, class_name)
        return self._facts[key]

    def path(self, name: str) -> Path:
        return module_file(self.folder, name)

    def names(self) -> list[str]:
        """The scene files there are, by module name."""
        if not self.folder.is_dir():
            return []
        return sorted(path.stem for path in self.folder.glob("*.py") if path.stem != "__init__")


def _way_out(entry: Entry) -> str:
    return "leave the card out" if entry.card else "mark the entry with draft: true"


def check_scene(document: Document, path: PathKey, entry: Entry, sources: SceneSource) -> Iterator[Problem]:
    """The faults of `entry` (at `path`) against its class. A draft whose class is not there yet is not compared."""
    line = document.line_of((*path, "scene"))
    item = f"{name_of(entry)}.scene"
    module = sources.module(entry.module)
    if module is None:
        if not entry.draft:
            hint = did_you_mean(entry.module, sources.names(), f"write the scene, or {_way_out(entry)}")
            message = f'there is no scene file "{shown_path(sources.path(entry.module))}"'
            yield Problem(document.file, line, item, message, listed(sources.names()), hint)
        return
    if module.problem is not None:
        yield module.problem
        return
    if entry.class_name not in module.classes:
        if not entry.draft:
            hint = did_you_mean(entry.class_name, module.classes, f"write the class, or {_way_out(entry)}")
            message = f'{shown_path(module.file)} has no class "{entry.class_name}"'
            yield Problem(document.file, line, item, message, listed(module.classes), hint)
        return
    facts = sources.facts(module, entry.class_name)
    if facts.problems:
        yield from facts.problems
        return
    where = f"{shown_path(facts.file)}:{facts.line}"
    if entry.card and facts.beat_names() != list(entry.beats):
        message = f"the scene class ({where}) is no card: it plays {listed(facts.beat_names()) or 'no beat'}"
        hint = "choose another class"
        yield Problem(document.file, line, item, message, f'one beat, "{next(iter(entry.beats))}"', hint)
        return
    yield from _beats(document, path, entry, facts, where)
    yield from _labels(document, path, entry, facts, where)
    yield from _placeholders(document, path, entry, facts)


def check_film_words(document: Document, entry: Entry, film: Film, sources: SceneSource) -> Iterator[Problem]:
    """The words of the film that a scene draws and the storyboard does not have."""
    module = sources.module(entry.module)
    if module is None or entry.class_name not in module.classes:
        return
    for call in _first_calls(sources.facts(module, entry.class_name).film_words):
        if call.name not in film.words:
            hint = did_you_mean(call.name, film.words, f"add {call.name}: to film.words")
            message = f'the words "{call.name}" are missing; {shown_path(module.file)}:{call.line} draws them'
            line = document.line_of(("film", "words"), key=True)
            yield Problem(document.file, line, "film.words", message, listed(film.words), hint)


def _beats(document: Document, path: PathKey, entry: Entry, facts: SceneFacts, where: str) -> Iterator[Problem]:
    wanted, written = facts.beat_names(), list(entry.beats)
    for call in _first_calls(facts.beats):
        if call.name not in entry.beats:
            spare = [name for name in written if name not in wanted]
            hint = did_you_mean(call.name, spare, f"add {call.name}: to beats")
            message = f'the beat "{call.name}" is missing; {shown_path(facts.file)}:{call.line} plays it'
            line = document.line_of((*path, "beats"), key=True)
            yield Problem(document.file, line, f"{name_of(entry)}.beats", message, listed(wanted), hint)
    for name in written:
        if name not in wanted:
            hint = did_you_mean(name, [other for other in wanted if other not in written], "remove it, or play it")
            message = f'the scene class ({where}) has no beat "{name}"'
            line = document.line_of((*path, "beats", name), key=True)
            yield Problem(document.file, line, f"{name_of(entry)}.beats.{name}", message, listed(wanted), hint)
    if sorted(wanted) == sorted(written) and wanted != written:
        name = next(name for name, other in zip(written, wanted, strict=True) if name != other)
        message = f"the beats stand in another order than the scene class ({where}) plays them"
        line = document.line_of((*path, "beats", name), key=True)
        hint = "put them in the order of the class"
        yield Problem(document.file, line, f"{name_of(entry)}.beats.{name}", message, listed(wanted), hint)
    repeated = [call for call in facts.beats if call is not _first(facts, call.name)]
    for call in repeated:
        message = f'the beat "{call.name}" is played twice'
        yield Problem(facts.file, call.line, "", message, "every beat once", "give the second one a name of its own")


def _labels(document: Document, path: PathKey, entry: Entry, facts: SceneFacts, where: str) -> Iterator[Problem]:
    used = {call.name: call for call in reversed(facts.labels)}
    for call in _first_calls(facts.labels):
        if call.name not in entry.labels:
            spare = [name for name in entry.labels if name not in used]
            message = f'the label "{call.name}" is missing; {shown_path(facts.file)}:{call.line} draws it'
            line = document.line_of((*path, "labels"), key=True)
            hint = did_you_mean(call.name, spare, f"add {call.name}: to labels")
            yield Problem(document.file, line, f"{name_of(entry)}.labels", message, listed(used), hint)
    for name in entry.labels:
        if name not in used:
            message = f'no label "{name}" is drawn by the scene class ({where})'
            line = document.line_of((*path, "labels", name), key=True)
            missing = [other for other in used if other not in entry.labels]
            hint = did_you_mean(name, missing, "remove it, or draw it")
            yield Problem(document.file, line, f"{name_of(entry)}.labels.{name}", message, listed(used), hint)


def _placeholders(document: Document, path: PathKey, entry: Entry, facts: SceneFacts) -> Iterator[Problem]:
    """Placeholders of beats and labels that neither the film nor the call in the scene class fills."""
    drawn = {call.name for call in [*facts.beats, *facts.labels]}
    texts = [("beat", name, beat.words) for name, beat in entry.beats.items()]
    texts += [("label", name, words) for name, words in entry.labels.items()]
    for kind, name, words in texts:
        filled = [*FILM_PLACEHOLDERS, *sorted(facts.filled_by(kind, name))]
        for language, text in words.items():
            try:
                unfilled = [found for found in placeholders(text) if found not in filled]
            except PlaceholderError:
                continue  # told with the words themselves
            for placeholder in dict.fromkeys(unfilled):
                if name not in drawn:
                    continue
                place = (*path, f"{kind}s", name, language)
                hint = did_you_mean(placeholder, filled, f'pass {placeholder}=… to self.{kind}("{name}", …)')
                item = f"{name_of(entry)}.{kind}s.{name}.{language}"
                message = f'nobody fills the placeholder "{{{placeholder}}}"'
                yield Problem(document.file, document.line_of(place), item, message, listed(filled), hint)


def _first(facts: SceneFacts, name: str) -> Call:
    return next(call for call in facts.beats if call.name == name)


def _first_calls(calls: list[Call]) -> list[Call]:
    return list({call.name: call for call in reversed(calls)}.values())[::-1]
