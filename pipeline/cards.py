"""The film's cards as entries, so that they are drawn, cached and joined like scenes.

A card is no scene: it has no step numbers, no place on the map, no chapter and no dot. In the film it belongs to the
chapter beside it, so that the first chapter begins at 0, as players and platforms want it, and the last one ends with
the film.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .storyboard import Beat, Card, Entry, Film, Steps
from .yaml_lines import Document, PathKey

CARD_IDS = {"title": "title_card", "end": "end_card"}
BEAT = "card"  # the one beat of a card


class CardEntry(Entry):
    """A card in the shape of an entry. Its one beat has empty words where it is silent."""

    place: Literal["title", "end"]
    least: float

    @property
    def card(self) -> str:
        return self.place

    @property
    def seconds(self) -> float:
        return self.least


def card_entries(film: Film) -> tuple[Entry, ...]:
    """The title card and the end card of `film`, as far as it has them."""
    cards: tuple[tuple[Literal["title", "end"], Card | None], ...] = (
        ("title", film.cards.title),
        ("end", film.cards.end),
    )
    return tuple(_entry(film, place, card) for place, card in cards if card is not None)


def _entry(film: Film, place: Literal["title", "end"], card: Card) -> CardEntry:
    silent = dict.fromkeys(film.languages, "")
    return CardEntry.model_construct(
        id=CARD_IDS[place],
        scene=card.scene,
        steps=Steps(0, -1),  # none
        track="both",
        map="overview",
        title=film.title,
        takeaway=silent,
        labels=card.labels,
        beats={BEAT: Beat.model_construct(steps=(), words=card.words or silent)},
        draft=False,
        poster=None,
        place=place,
        least=card.seconds,
    )


def card_path(card: Entry) -> PathKey:
    """Where a card stands in the storyboard's document."""
    return ("film", "cards", card.card)


def card_lines(document: Document) -> dict[str, int]:
    """The line of every card, by its id."""
    return {card_id: document.line_of(("film", "cards", place), key=True) for place, card_id in CARD_IDS.items()}


def headings(parts: Sequence[tuple[str, bool]]) -> list[str]:
    """For each part of a film, the title of the chapter that begins with it; "" where a chapter goes on.

    `parts`: title, and whether it is a card, in playing order. A card before a scene begins that scene's chapter, any
    other goes on with the one before it; a film of cards alone has a chapter for each.
    """
    if all(card for _, card in parts):
        return [title for title, _ in parts]
    found = []
    for index, (title, card) in enumerate(parts):
        before = parts[:index]
        follows = next((other for other, is_card in parts[index:] if not is_card), "")
        begun = bool(before) and (card or all(is_card for _, is_card in before))
        found.append("" if begun else follows or title)
    return found
