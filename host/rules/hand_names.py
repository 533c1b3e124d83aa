"""Hands in words: the name a book's ranking list gives a value, and its cards as people write them."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from shared.rules import cards, pictures, poker

NUMBER_WORDS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def is_poker(book: ModuleType) -> bool:
    return book.value is poker.value


def rank_name(book: ModuleType, value: int) -> str:
    """The name of a hand value in this book, `Double Pictures Nine` or `Straight, A-K-Q`."""
    if not is_poker(book):
        return (book.RANK_WORDS[pictures.pictures(value)] % NUMBER_WORDS[pictures.points(value)]
                if value != pictures.THREE_PICTURES else book.RANK_WORDS[3])  # fmt: skip
    return f"{book.RANK_WORDS[poker.kind(value)]}, {'-'.join(poker_ranks(value))}"


def poker_ranks(value: int) -> list[str]:
    """The ranks of a poker value, most telling first: `5 5 K`, `3 2 A`."""
    kind = poker.kind(value)
    high, middle, low = value >> 8 & 15, value >> 4 & 15, value & 15
    if kind == poker.TRIPS:
        order = [high, high, high]
    elif kind == poker.PAIR:
        order = [high, high, middle]
    elif kind in (poker.STRAIGHT, poker.STRAIGHT_FLUSH):
        order = [high, high - 1, high - 2 if high > 1 else cards.ACE]
    else:
        order = [high, middle, low]
    return [cards.RANKS[rank] for rank in order]


def describe_hand(book: ModuleType, hand: Sequence[int]) -> dict[str, Any]:
    """A hand as `felt settle` reports it."""
    value = book.value(*hand)
    described = {"cards": [cards.text(card) for card in hand], "name": rank_name(book, value), "value": value}
    if not is_poker(book):
        described["points"] = pictures.points(value)
        described["pictures"] = pictures.pictures(value)
    return described
