"""Fits what a reviewer typed to what a log has: `flush` is the hand Flush, `10s` the card TS, `lucky` a game."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from host.log.rollups.marks import values_of
from host.review.filters import ANY, RoundFilter
from host.review.rounds import RoundIndex
from host.rules.catalogue import NoSuchBook, find_book
from host.words.failures import Failure
from shared.rules import cards

ANY_WORD = "any"
MOST_KNOWN = 30
# What is asked for by one of the values that rounds have.
CHOSEN = ("wager", "result", "hand", "irregular", "fault", "refused", "staff", "post", "player")


class NoSuchValue(Failure, ValueError):
    """No round of the log has what is asked for."""


def fitted(index: RoundIndex, wanted: RoundFilter) -> RoundFilter:
    """The same as the log spells it. NoSuchValue if no round can fit because none has such a value."""
    asked = {name: value for name, value in wanted.given().items() if isinstance(value, str)}
    changed: dict[str, Any] = {}
    for name, value in asked.items():
        if name == "game":
            changed[name] = game_of(index, value)
        elif name == "card":
            changed[name] = card_of(value)
        elif name in CHOSEN:
            changed[name] = chosen(index, name, value)
    return replace(wanted, **changed)


def game_of(index: RoundIndex, text: str) -> str:
    try:
        return find_book(text).ID
    except NoSuchBook:
        return chosen(index, "game", text)  # it may be one that this Felt does not know any more


def card_of(text: str) -> str:
    word = text.upper().replace("10", "T")
    if word == cards.UNREAD:
        return word
    try:
        return cards.text(cards.parse(word))
    except ValueError:
        return text  # a foreign card


def chosen(index: RoundIndex, facet: str, text: str) -> str:
    if text.lower() == ANY_WORD and facet in ("irregular", "fault", "refused"):
        return ANY
    if text == ANY:
        return ANY
    there = set(index.values(facet))
    found = among(there, text)
    if found is None:
        there |= {value for one in index.tail for value in values_of(one, facet)}  # in the last rounds alone
        found = among(there, text)
    if found is None:
        raise NoSuchValue("log.no_such_value", facet=facet, value=text, known=shortened(sorted(there)))
    return found


def among(there: set[str], text: str) -> str | None:
    """The value that is meant; None if it is not there, or if several are like it."""
    if text in there:
        return text
    alike = [value for value in there if plain(value) == plain(text)]
    return alike[0] if len(alike) == 1 else None


def plain(text: str) -> str:
    return text.lower().replace("_", " ").replace("-", " ")


def shortened(known: Iterable[str]) -> list[str]:
    names = list(known)
    return names if len(names) <= MOST_KNOWN else [*names[:MOST_KNOWN], "..."]
