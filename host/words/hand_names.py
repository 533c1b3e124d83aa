"""What a book calls a hand: in its ranking list, in full, and short enough for a display."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from types import ModuleType
from typing import Any, NamedTuple

from shared.rules import cards


class HandName(NamedTuple):
    """`entry` stands in the ranking list, `full` says the ranks too; `short`, `code` and `step` as in Family."""

    entry: str
    full: str
    short: str
    code: str
    step: int


@cache
def hand_name(book: ModuleType, value: int) -> HandName:
    """The names of a hand value: its entry is `Straight`, in full it is `Straight, A-K-Q`."""
    place, rank, short_rank = book.rank(value)
    name, short, code, step = book.HANDS[place]
    entry = name.replace("%s", rank)
    full = f"{name}, {rank}" if entry == name and rank else entry
    return HandName(entry, full, short.replace("%s", short_rank), code.replace("%s", short_rank), step)


def hand_counts(book: ModuleType) -> dict[int, int]:
    """How many of the 22,100 hands have each value, best first."""
    counts = Counter(book.value(*hand) for hand in combinations(range(cards.DECK_SIZE), 3))
    return dict(sorted(counts.items(), reverse=True))


def describe_hand(book: ModuleType, hand: Sequence[int]) -> dict[str, Any]:
    """A hand as `felt settle` reports it."""
    value = book.value(*hand)
    named = {"cards": [cards.text(card) for card in hand], "name": hand_name(book, value).full, "value": value}
    return named | {name: figure(value) for name, figure in book.FIGURES}
