"""What the storyboard's fields must be (pydantic's errors in our words) and how its parts must fit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .cards import CARD_IDS, card_entries, card_path
from .limits import SCENES
from .numbering import check_numbering
from .placeholders import ALLOWED as PLACEHOLDERS_ALLOWED
from .placeholders import FILM_PLACEHOLDERS, PlaceholderError, placeholders
from .problems import Problem, did_you_mean, listed
from .scene_checks import SceneSource, check_film_words, check_scene
from .storyboard import Beat, Card, Cards, CourseSettings, Entry, Film, Poster
from .voice_checks import check_pronunciation, check_voices
from .yaml_lines import Document, PathKey

Model = TypeVar("Model", bound=BaseModel)
ParsedEntries = list[Entry | None]
Filled = tuple[str, ...] | None

# pydantic's error types in words; {value} is what stands in the file.
_MESSAGES = {
    "bool_type": "{value} is neither true nor false",
    "float_type": "{value} is not a number",
    "int_type": "{value} is not a whole number",
    "list_type": "{value} is not a list",
    "dict_type": "{value} is not a mapping",
    "model_type": "{value} is not a mapping of fields",
    "model_attributes_type": "{value} is not a mapping of fields",
    "too_short": "there is nothing in it",
    "too_long": "there is too much in it",
    "greater_than": "{value} is too small",
    "greater_than_equal": "{value} is too small",
    "less_than_equal": "{value} is too large",
    "finite_number": "{value} is not a finite number",
}


def validate(document: Document) -> tuple[Film | None, ParsedEntries, list[Problem]]:
    """The film and the entries as models, None for those with faults, and the faults."""
    problems: list[Problem] = []
    data: dict[str, Any] = document.data
    for key in data.keys() - {"film", "scenes"}:
        hint = did_you_mean(key, ("film", "scenes"), "remove it")
        problems.append(_problem(document, (key,), f'"{key}" is not a field', "film, scenes", hint, key=True))
    for key in ("film", "scenes"):
        if key not in data:
            problems.append(_problem(document, (), f'the field "{key}" is missing', "film, scenes", f"add {key}:"))
    film = _model(Film, document, ("film",), problems) if "film" in data else None
    scenes = data.get("scenes", [])
    if not isinstance(scenes, list) or (not scenes and "scenes" in data):
        problems.append(
            _problem(document, ("scenes",), "this is not a list of scenes", "a list", "begin every scene with - id:")
        )
        scenes = []
    if len(scenes) > SCENES:
        message = f"there are {len(scenes)} scenes"
        problems.append(_problem(document, ("scenes",), message, f"at most {SCENES}", "leave some out"))
    entries = [_model(Entry, document, ("scenes", index), problems) for index in range(min(len(scenes), SCENES))]
    return film, entries, problems


def check(document: Document, film: Film | None, entries: ParsedEntries, scenes: Path | None) -> list[Problem]:
    """Faults between parts. Entries that are None are passed over: their own faults have been told."""
    problems: list[Problem] = []
    problems += _repeated(document, "id")
    problems += _repeated(document, "scene")
    problems += check_numbering(document, entries)
    problems += _placeholders(document, film, entries)
    if film is not None:
        problems += _languages(document, film, entries)
        problems += _frame_words(document, film, entries)
        problems += _model_settings(document, film)
        problems += _cards(document, film, entries)
        problems += check_voices(document, film)
        problems += check_pronunciation(document, film)
    problems += _posters(document, film, entries)
    if scenes is not None:
        sources = SceneSource(scenes)
        for index, entry in enumerate(entries):
            if entry is not None:
                problems += check_scene(document, ("scenes", index), entry, sources)
                if film is not None:
                    problems += check_film_words(document, entry, film, sources)
        if film is not None:
            for card in card_entries(film):
                problems += check_scene(document, card_path(card), card, sources)
                problems += check_film_words(document, card, film, sources)
    return problems


# --- one field ----------------------------------------------------------------------------------------------------


def _model(model: type[Model], document: Document, path: PathKey, problems: list[Problem]) -> Model | None:
    value = _at(document.data, path)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            if document.nearest((*path, *detail["loc"])) not in document.refused:
                problems.append(_field_problem(model, document, path, detail))
        return None


def _field_problem(model: type[BaseModel], document: Document, base: PathKey, detail: ErrorDetails) -> Problem:
    loc = tuple(part for part in detail["loc"] if part != "[key]")
    path: PathKey = (*base, *loc)
    kind = detail["type"]
    context: Mapping[str, Any] = detail.get("ctx", {})
    field = str(loc[-1]) if loc else ""
    allowed = _description(model, loc)
    hint = ""
    on_key = "[key]" in detail["loc"]
    if kind == "storyboard":
        message, allowed, hint = context["message"], context["allowed"] or allowed, context["hint"]
    elif kind == "missing":
        path = path[:-1]
        message = f'the field "{field}" is missing'
        hint = f"add {field}:"
    elif kind == "extra_forbidden":
        fields = [*_model_at(model, loc[:-1]).model_fields]
        message, allowed = f'"{field}" is not a field', listed(fields)
        hint, on_key = did_you_mean(field, fields, "remove it"), True
    elif kind == "literal_error":
        names = _choices(model, loc)
        value = _show(detail["input"])
        message, allowed = f"{value} is not known here", listed(names) if names else allowed
        hint = did_you_mean(str(detail["input"]), names)
    else:
        if kind in {"model_type", "model_attributes_type"}:
            allowed, hint = "fields with values", "write the fields below it, indented"
        message = _MESSAGES.get(kind, "{value} cannot stand here").format(value=_show(detail["input"]))
    return _problem(document, path, message, allowed, hint, key=on_key)


def _show(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return "nothing" if value is None else f'"{value}"' if isinstance(value, str) else str(value)


def _model_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel]:
    if model is Film and loc[:1] in {("poster",), ("course",)}:
        return Poster if loc[0] == "poster" else CourseSettings
    if model is Film and loc[:1] == ("cards",):
        return Card if len(loc) >= 2 else Cards
    return Beat if model is Entry and loc[:1] == ("beats",) and len(loc) >= 2 else model


def _description(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    owner = _model_at(model, loc)
    for part in loc[:1] if owner is model else reversed(loc):
        if part in owner.model_fields:
            return owner.model_fields[str(part)].description or ""
    field = model.model_fields.get(str(loc[0])) if loc else None
    return (field.description or "") if field is not None else ""


def _choices(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    annotation = model.model_fields[str(loc[0])].annotation if loc else None
    while annotation is not None and get_args(annotation):
        arguments = get_args(annotation)
        if all(isinstance(argument, str) for argument in arguments):
            return list(arguments)
        annotation = arguments[-1]
    return []


# --- between fields -----------------------------------------------------------------------------------------------


def _repeated(document: Document, field: str) -> Iterator[Problem]:
    """An id or a scene class that two entries claim."""
    first_lines: dict[str, int] = {}
    scenes = document.data.get("scenes")
    for index, raw in enumerate(scenes if isinstance(scenes, list) else []):
        value = raw.get(field) if isinstance(raw, dict) else None
        if not isinstance(value, str):
            continue
        line = document.line_of(("scenes", index, field))
        if value in first_lines:
            message = f'"{value}" is used for the second time; the first is on line {first_lines[value]}'
            yield _problem(document, ("scenes", index, field), message, f"every {field} once", "rename or remove one")
        first_lines.setdefault(value, line)


def _texts(film: Film | None, entries: ParsedEntries) -> Iterator[tuple[PathKey, Mapping[str, str], Filled]]:
    """Every text by language, with its path and the placeholders filled in it (None: the scene's checks know)."""
    if film is not None:
        yield ("film", "title"), film.title, ()
        for name, words in film.words.items():
            yield ("film", "words", name), words, ()
        for card in card_entries(film):
            for name, words in card.labels.items():
                yield (*card_path(card), "labels", name), words, None
            if card.speaks:
                yield (*card_path(card), "words"), card.beats["card"].words, None
    for index, entry in enumerate(entries):
        if entry is None:
            continue
        base: PathKey = ("scenes", index)
        yield (*base, "title"), entry.title, ()
        yield (*base, "takeaway"), entry.takeaway, FILM_PLACEHOLDERS
        for name, words in entry.labels.items():
            yield (*base, "labels", name), words, None
        for name, beat in entry.beats.items():
            yield (*base, "beats", name), beat.words, None


def _placeholders(document: Document, film: Film | None, entries: ParsedEntries) -> Iterator[Problem]:
    for path, words, filled in _texts(film, entries):
        for language, text in words.items():
            if filled == () and ("{" in text or "}" in text):
                hint = "write the text out; values belong in a beat, a label or the take-away"
                yield _problem(
                    document, (*path, language), "no placeholder is filled here", "text without braces", hint
                )
                continue
            try:
                names = placeholders(text)
            except PlaceholderError as error:
                yield _problem(document, (*path, language), str(error), PLACEHOLDERS_ALLOWED, "correct the braces")
                continue
            for name in names:
                if filled is not None and name not in filled:
                    hint = did_you_mean(name, filled, "a value that only a scene knows belongs in a beat or label")
                    message = f'nobody fills the placeholder "{{{name}}}" here'
                    yield _problem(document, (*path, language), message, listed(filled), hint)


def _frame_words(document: Document, film: Film, entries: ParsedEntries) -> Iterator[Problem]:
    """The words that the stage writes around every scene."""
    needed: dict[str, str] = {"step": "the step badge"}
    for entry in entries:
        if entry is not None:
            needed.setdefault(f"track_{entry.track}", f"the track of {entry.id}")
            needed.setdefault(f"map_{entry.map}", f"the place of {entry.id} on the map")
    for name, use in needed.items():
        if name not in film.words:
            hint = did_you_mean(name, [word for word in film.words if word not in needed], f"add {name}: to film.words")
            message = f'the words "{name}" ({use}) are missing'
            yield _problem(document, ("film", "words"), message, listed(needed), hint, key=True)


def _languages(document: Document, film: Film, entries: ParsedEntries) -> Iterator[Problem]:
    # Folders are named after them, and not every disk tells capitals from small letters.
    folded = [language.lower() for language in film.languages]
    repeated = {language for language in film.languages if folded.count(language.lower()) > 1}
    for language in sorted(repeated):
        message = f'"{language}" stands twice'
        yield _problem(document, ("film", "languages"), message, "every language once", "remove one")
    if film.default_language not in film.languages:
        hint = did_you_mean(film.default_language, film.languages, "add it to languages: or choose another")
        message = f'"{film.default_language}" is not a language of the film'
        yield _problem(document, ("film", "default_language"), message, listed(film.languages), hint)
    for name in ("reading_speed", "reading_unit", "voices", "voice_speed", "pronunciation"):
        yield from _unknown_languages(document, ("film", name), getattr(film, name), film.languages)
    for path, words, _ in _texts(film, entries):
        yield from _unknown_languages(document, path, words, film.languages)
        for language in film.languages:
            if language not in words:
                message = f'the words for "{language}" are missing'
                hint = f'add {language}: "…"'
                yield _problem(document, path, message, listed(film.languages), hint, key=True)


def _unknown_languages(
    document: Document, path: PathKey, words: Iterable[str], languages: list[str]
) -> Iterator[Problem]:
    beat = len(path) >= 3 and path[2] == "beats"
    allowed = [*(["steps"] if beat else []), *languages]
    for language in words:
        if language not in languages:
            message = f'"{language}" is not a language of the film' + (" and not a field of a beat" if beat else "")
            hint = did_you_mean(language, allowed, "remove it, or add the language to film.languages")
            yield _problem(document, (*path, language), message, listed(allowed), hint, key=True)


def _model_settings(document: Document, film: Film) -> Iterator[Problem]:
    """Whether the engine accepts the model; it names the setting and what it may be."""
    from engine.config import PRESETS, preset_problems  # noqa: PLC0415 (only where there is a model to check)

    name, settings = film.preset
    if not isinstance(name, str) or name not in PRESETS:
        hint = did_you_mean(str(name), PRESETS)
        yield _problem(document, ("film", "model", "preset"), f"{_show(name)} is not a preset", listed(PRESETS), hint)
        return
    hint = "correct the setting, or remove it to use the preset's own"
    try:
        for error in preset_problems(name, **settings):
            yield _problem(document, ("film", "model", error.field), error.message, "", hint)
    except (TypeError, ValueError, OverflowError) as error:
        yield _problem(document, ("film", "model"), f"the model refuses its settings: {error}", "", hint)


def _posters(document: Document, film: Film | None, entries: ParsedEntries) -> Iterator[Problem]:
    """Posters name a beat that there is, of a scene that is drawn."""
    for index, entry in enumerate(entries):
        if entry is not None and entry.poster is not None and entry.poster not in entry.beats:
            yield _no_beat(document, ("scenes", index, "poster"), entry, entry.poster)
    chosen = film.poster if film is not None else None
    if chosen is None or None in entries:
        return
    drawn = {entry.id: entry for entry in entries if entry is not None and not entry.draft}
    if chosen.scene not in drawn:
        draft = any(entry is not None and entry.id == chosen.scene for entry in entries)
        message = f'"{chosen.scene}" is ' + ("a draft: it is not drawn yet" if draft else "no scene of the storyboard")
        hint = did_you_mean(chosen.scene, drawn, "choose a scene that is drawn")
        yield _problem(document, ("film", "poster", "scene"), message, listed(drawn), hint)
    elif chosen.beat is not None and chosen.beat not in drawn[chosen.scene].beats:
        yield _no_beat(document, ("film", "poster", "beat"), drawn[chosen.scene], chosen.beat)


def _cards(document: Document, film: Film, entries: ParsedEntries) -> Iterator[Problem]:
    """The ids of cards are theirs alone, and so are their classes."""
    taken = {entry.scene: f"the scene {entry.id}" for entry in entries if entry is not None}
    for index, entry in enumerate(entries):
        if entry is not None and entry.id in CARD_IDS.values():
            message = f'"{entry.id}" is the name of a card of the film'
            yield _problem(document, ("scenes", index, "id"), message, "any other name", "rename the scene")
    for card in card_entries(film):
        path = (*card_path(card), "scene")
        if card.scene in taken:
            message = f'"{card.scene}" draws {taken[card.scene]} already'
            yield _problem(document, path, message, "every class once", "write a class of its own for the card")
        taken.setdefault(card.scene, "the title card")


def _no_beat(document: Document, path: PathKey, entry: Entry, beat: str) -> Problem:
    hint = did_you_mean(beat, entry.beats, "choose one of its beats, or remove the line")
    return _problem(document, path, f'the scene "{entry.id}" has no beat "{beat}"', listed(entry.beats), hint)


# --- small things -------------------------------------------------------------------------------------------------


def _at(data: Any, path: PathKey) -> Any:
    for part in path:
        data = data[part]
    return data


def _problem(
    document: Document, path: PathKey, message: str, allowed: str = "", hint: str = "", *, key: bool = False
) -> Problem:
    return Problem(document.file, document.line_of(path, key=key), document.name_of(path), message, allowed, hint)
