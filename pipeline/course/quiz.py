"""A question after each scene, made from the trace: the right answer and the wrong ones are values of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from engine import Trace

from ..storyboard import Entry
from .described import number_text, pattern_words
from .provenance import Place
from .words import Words

_OPTIONS = 4
_DECIMALS = 2
_SHARE_DECIMALS = 3
# The real runs of the film; passes on prefixes and trained weights repeat their keys.
_OWN = ("src.", "tgt.", "embed.", "pos_embed", "encoder.", "decoder.", "logits", "probs", "loss.")


@dataclass(frozen=True)
class Question:
    """One question of one scene. `name` finds its words, `fields` fill them; `answer` counts options from 0."""

    name: str
    fields: Mapping[str, object]
    options: tuple[str, ...]
    answer: int
    place: Place
    meaning_of: str = field(default="")  # the key whose meaning is told

    def data(self, trace: Trace, words: Words) -> dict[str, object]:
        """The question in one language, as the page's script takes it."""
        fields = {**self.fields, "place": self.place.name, "answer": self.options[self.answer]}
        if self.meaning_of:
            fields["meaning"] = words.meaning(trace.spec(self.meaning_of))
        return {
            "ask": words.question(self.name, "ask", **fields),
            "why": words.question(self.name, "why", **fields),
            "options": list(self.options),
            "answer": self.answer,
        }


Maker = Callable[[Trace, list[str], random.Random], Question | None]


def question_for(entry: Entry, trace: Trace) -> Question | None:
    """The question of a scene, the same in every run; None for a scene whose steps show no value of the trace."""
    steps = entry.steps
    keys = [
        key
        for key in trace
        if steps.first <= trace.spec(key).step <= steps.last
        and (key.startswith(_OWN) or (key.startswith("greedy.") and key.endswith(".probs")))
    ]
    pick = random.Random(entry.id)
    found = (make(trace, keys, pick) for make in _MAKERS)
    return next((question for question in found if question is not None), None)


def _mask(trace: Trace, keys: list[str], pick: random.Random) -> Question | None:
    mask = trace["decoder.mask"]
    if "decoder.mask" not in keys or len(mask) < 3:
        return None
    row = pick.randrange(1, len(mask))
    seen = int((mask[row] == 0).sum())
    fields = {"row": row + 1, "word": trace.words("tgt.tokens")[row]}
    options = tuple(str(count) for count in range(1, len(mask) + 1))
    return Question("mask", fields, options, options.index(str(seen)), Place("decoder.mask"))


def _loss(trace: Trace, keys: list[str], _: random.Random) -> Question | None:
    words, losses = trace.words("labels.shifted"), trace["loss.shifted"]
    if "loss.shifted" not in keys or len(words) < 2 or len(set(words)) < len(words):
        return None
    shown = [number_text(float(loss), _SHARE_DECIMALS) for loss in losses]
    best = int(np.argmax(losses))
    if shown.count(shown[best]) > 1:
        return None
    return Question("loss", {"share": shown[best]}, words, best, Place("loss.shifted", (best,)))


def _likeliest(trace: Trace, keys: list[str], pick: random.Random) -> Question | None:
    key = next((key for key in keys if key.startswith("greedy.") and key.endswith(".probs")), None)
    if key is None:
        return None
    probs, read = trace[key], trace.words(key.replace(".probs", ".tokens"))
    at, best = len(probs) - 1, int(probs[-1].argmax())
    fields = {"word": read[at], "share": number_text(float(probs[at, best]), _SHARE_DECIMALS)}
    vocabulary = trace.config.vocabulary
    others = pick.sample([word for word in range(len(vocabulary)) if word != best], min(_OPTIONS, len(vocabulary)) - 1)
    chosen = sorted([best, *others])
    options = tuple(vocabulary[word] for word in chosen)
    return Question("likeliest", fields, options, chosen.index(best), Place(key, (at, best)))


def _attention(trace: Trace, keys: list[str], pick: random.Random) -> Question | None:
    for key in keys:
        asking, asked = pattern_words(key, trace)
        if len(set(asked)) < max(2, len(asked)):
            continue
        cells = [
            (head, row)
            for head, row in np.ndindex(trace[key].shape[:2])
            if sorted(np.round(trace[key][head, row], _SHARE_DECIMALS))[-2] < np.max(trace[key][head, row]).round(3)
        ]
        if not cells:
            continue
        head, row = pick.choice(cells)
        best = int(np.argmax(trace[key][head, row]))
        share = number_text(float(trace[key][head, row, best]), _SHARE_DECIMALS)
        fields = {"head": head + 1, "asking": asking[row], "share": share}
        return Question("attention", fields, asked, best, Place(key, (head, row, best)))
    return None


def _entry(trace: Trace, keys: list[str], pick: random.Random) -> Question | None:
    for key in pick.sample(keys, len(keys)):
        array = trace[key]
        by_text: dict[str, list[tuple[int, ...]]] = {}
        for index in np.ndindex(array.shape):
            by_text.setdefault(number_text(float(array[index]), _DECIMALS), []).append(index)
        if array.ndim == 0 or len(by_text) < _OPTIONS:
            continue
        texts = pick.sample(sorted(by_text), _OPTIONS)
        answer = pick.randrange(_OPTIONS)
        place = Place(key, by_text[texts[answer]][0])
        return Question("entry", {}, tuple(texts), answer, place, meaning_of=key)
    return None


_MAKERS: tuple[Maker, ...] = (_mask, _loss, _likeliest, _attention, _entry)
