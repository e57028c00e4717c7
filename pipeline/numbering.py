"""The step numbers 0-95: every number in one scene; step 1 alone closes the first scene and opens the second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from .fields import LAST_STEP
from .problems import Problem
from .storyboard import SHARED_STEP, Entry, in_step_order
from .yaml_lines import Document

Fault = tuple[str, str, str]  # what is wrong, what is allowed, what to do next


def check_numbering(document: Document, entries: Sequence[Entry | None]) -> Iterator[Problem]:
    """Gaps and overlaps between scenes (once every scene's steps can be read) and within each scene.

    The order in which the scenes stand in the file is free; see `order_warnings`.
    """
    known = [(index, entry) for index, entry in enumerate(entries) if entry is not None]
    if known and len(known) == len(entries):
        yield from _between(document, sorted(known, key=lambda pair: pair[1].steps.first))
    for index, entry in known:
        yield from _within(document, index, entry)


def order_warnings(document: Document, entries: Sequence[tuple[int, Entry]]) -> Iterator[Problem]:
    """The places where the film, as it stands, leaves the order of the step numbers. `entries`: index, entry."""
    ranks = {entry.id: rank for rank, entry in enumerate(in_step_order(entry for _, entry in entries))}
    for (_, before), (index, entry) in pairwise(entries):
        if ranks[entry.id] != ranks[before.id] + 1:
            message = f"warning: the badge will jump from {before.steps.last} to {entry.steps.first}"
            hint = "nothing, if that is meant; else put the scenes in the order of their numbers"
            yield _problem(document, index, entry, (message, "", hint))


def _between(document: Document, known: list[tuple[int, Entry]]) -> Iterator[Problem]:
    """Numbers that several scenes have, or none. `known`: index and entry of every scene, by first step."""
    owners = {
        number: tuple(index for index, entry in known if number in entry.steps.numbers())
        for number in range(LAST_STEP + 1)
    }
    first_two = tuple(index for index, _ in known[:2])
    if owners[SHARED_STEP] == first_two:
        owners[SHARED_STEP] = first_two[:1]
    entry_at = dict(known)
    for found, numbers in _runs(owners):
        if len(found) > 1:
            first, second = entry_at[found[0]], entry_at[found[1]]
            message = f"{_steps(numbers)} belongs to {first.id} and to {second.id}"
            allowed = f"every number in one scene (step {SHARED_STEP} alone in the first two)"
            hint = "change where one of the two scenes begins or ends"
            yield _problem(document, found[1], second, (message, allowed, hint))
        elif not found:
            index, entry = next(((i, e) for i, e in known if e.steps.first > numbers[-1]), known[-1])
            message = f"{_steps(numbers)} belongs to no scene"
            hint = f"let {entry.id} or a scene beside it reach over {_range((numbers[0], numbers[-1]))}; "
            hint += "a scene that was taken out goes back in, with draft: true, which leaves it out of the film"
            yield _problem(document, index, entry, (message, f"0 to {LAST_STEP} without a gap", hint))


def _within(document: Document, index: int, entry: Entry) -> Iterator[Problem]:
    """The beats' numbers, one after the other, must be the scene's. Only the first fault is told."""
    expected = list(entry.steps.numbers())
    seen: list[int] = []
    for name, beat in entry.beats.items():
        fault = _beat_fault(expected, seen, beat.steps)
        if fault is not None:
            line = document.line_of(("scenes", index, "beats", name, "steps"), key=True)
            yield Problem(document.file, line, f"scenes.{entry.id}.beats.{name}", *fault)
            return
        seen += beat.steps
    if missing := [number for number in expected if number not in seen]:
        fault = (f"{_steps(missing)} belongs to no beat", _range(entry.steps), "add it to the steps of a beat")
        yield _problem(document, index, entry, fault)


def _beat_fault(expected: list[int], seen: list[int], steps: tuple[int, ...]) -> Fault | None:
    if not seen and not steps:
        message = f"the first beat has no steps, and the scene begins with step {expected[0]}"
        return message, _range((expected[0], expected[-1])), f"add steps: {expected[0]}"
    if outside := [number for number in steps if number not in expected]:
        message = f"{_steps(outside)} is not one of the scene's numbers"
        return message, _range((expected[0], expected[-1])), "change the steps of the beat or of the scene"
    if again := [number for number in steps if number in seen]:
        message = f"{_steps(again)} already belongs to a beat above"
        hint = "leave steps out to stay on the number of the beat before"
        return message, "every number in one beat, in order", hint
    if missing := [number for number in expected if number not in seen and steps and number < steps[0]]:
        message = f"{_steps(missing)} should come before {_steps(list(steps))}"
        return message, "every number in one beat, in order", "give the numbers in between to a beat above"
    return None


def _runs(owners: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Neighbouring numbers with the same owners, together."""
    for found, group in groupby(sorted(owners), key=lambda number: owners[number]):
        yield found, list(group)


def _range(steps: tuple[int, int]) -> str:
    return str(steps[0]) if steps[0] == steps[1] else f"{steps[0]}-{steps[1]}"


def _steps(numbers: list[int]) -> str:
    return ("step " if len(numbers) == 1 else "steps ") + _range((numbers[0], numbers[-1]))


def _problem(document: Document, index: int, entry: Entry, fault: Fault) -> Problem:
    line = document.line_of(("scenes", index, "steps"))
    return Problem(document.file, line, f"scenes.{entry.id}.steps", *fault)
