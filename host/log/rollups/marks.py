"""What a round can be found by: marks, each a facet and a value, such as ("hand", "Flush").

Box, player, wager and result are marked in every combination in which they stand together in a record, so that
several of them can be asked for at once. Numbers are kept by their binary digits, one mark for each that is 1.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

from host.log.rollups.summary import MOST, Details, Summary, details_in
from shared.journal.wire import spell

Mark = tuple[str, str]
BET = ("box", "player", "wager", "result")
PARTS = [places for count in (1, 2, 3, 4) for places in combinations(range(len(BET)), count)]
DIGITS = MOST.bit_length()
# Facets of which a list of values is worth showing; the others are combinations and digits of numbers.
LISTED = ("game", "outcome", "has", "irregular", "fault", "refused", "staff", "post", "card", "hand", *BET)


def mark(**parts: Any) -> Mark:
    """The mark of attributes of a round that belong together, in their order: `mark(box=3, wager="tie")`."""
    values = list(parts.values())
    return "+".join(parts), str(values[0]) if len(values) == 1 else spell(values)


@lru_cache(maxsize=20_000)
def marks_of_bet(bet: tuple[Any, ...]) -> tuple[Mark, ...]:
    """A mark for each combination of what is known of a bet."""
    found = []
    for places in PARTS:
        if all(bet[place] is not None for place in places):
            found.append(mark(**{BET[place]: bet[place] for place in places}))
    return tuple(found)


@lru_cache(maxsize=20_000)
def mark_of_box(box: int, facet: str, value: str) -> Mark:
    """Of something that lay on a box."""
    return mark(**{"box": box, facet: value})


def bets_of(details: Details) -> Iterator[tuple[Any, ...]]:
    return map(tuple, details.bets)


def plain_marks(summary: Summary, details: Details) -> Iterator[Mark]:
    """All marks of a round but those of its bets. The same one may come twice."""
    yield "game", summary.game or ""
    yield "outcome", summary.outcome or ""
    for place, rank in details.hands:
        yield "hand", rank
        yield mark_of_box(place, "hand", rank)
    for place, held in details.cards:
        for card in held:
            yield "card", card
            if place is not None:
                yield mark_of_box(place, "card", card)
    named = (("irregular", details.irregular), ("fault", details.faults), ("refused", details.refused))
    for facet, counted in named:
        if counted:
            yield "has", facet
        for name, _ in counted:
            yield facet, name
    for who in details.staff:
        yield "staff", who
        yield "staff", name_of(who)
    for post, _ in details.posts:
        yield "post", post
    yield from digits("begun", summary.begun)
    yield from digits("largest", summary.largest)
    for wager, cents in details.largest:
        yield from digits(f"largest {wager}", cents)


def name_of(who: str) -> str:
    """Of staff as a command has it, which is a name and a post, or a name alone."""
    return who.rpartition(", ")[0] or who


def digits(facet: str, number: int) -> Iterator[Mark]:
    """The binary digits of a number that are 1, as marks."""
    marks = marks_of_digits(facet)
    number = within_digits(number)
    while number:
        yield marks[number.bit_length() - 1]
        number ^= 1 << number.bit_length() - 1


@lru_cache(maxsize=200)
def marks_of_digits(facet: str) -> list[Mark]:
    return [(facet, digit(place)) for place in range(DIGITS)]


def within_digits(number: int) -> int:
    """The nearest number that has as many digits as are kept."""
    return max(0, min(number, MOST))


def digit(place: int) -> str:
    return f"{place:02}"


def marks_of(summary: Summary) -> set[Mark]:
    details = details_in(summary)
    found = set(plain_marks(summary, details))
    for bet in bets_of(details):
        found.update(marks_of_bet(bet))
    return found


def values_of(summary: Summary, facet: str) -> set[str]:
    """The values of one facet that a round has."""
    if facet == "game":
        return {summary.game or ""}
    details = details_in(summary)
    if facet in BET:
        place = BET.index(facet)
        return {str(bet[place]) for bet in details.bets if bet[place] is not None}
    return {value for name, value in plain_marks(summary, details) if name == facet}


def expanded(bits_of_bets: dict[tuple[Any, ...], int]) -> Iterable[tuple[Mark, int]]:
    """The marks of bets with the rounds that have them, from the bets as they are."""
    for bet, bits in bits_of_bets.items():
        for one in marks_of_bet(bet):
            yield one, bits
