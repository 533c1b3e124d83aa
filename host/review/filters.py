"""What rounds a reviewer asks for, as terms: each says of a block's rounds at once, and of one round, which fit.

Box, player, wager and result are about one record: a bet on that box, by that player, of that wager, with that
result. With a hand or a card, the box says whose.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

from host.log.rollups.blocks import ALL
from host.log.rollups.marks import BET, DIGITS, MOST, Mark, digit, mark, name_of, within_digits
from host.log.rollups.summary import Details, Summary
from shared.round.states import VOID

ANY = ""  # of what a round may have or not: any of it
COUNTED = {"irregular": "irregular", "fault": "faults", "refused": "refused", "post": "posts"}


@dataclass(frozen=True)
class RoundFilter:
    """None asks for nothing. `irregular`, `fault` and `refused` may be ANY."""

    since: int | None = None  # seconds since 1970
    until: int | None = None  # the first second that does not fit any more
    game: str | None = None
    box: int | None = None
    player: str | None = None
    wager: str | None = None
    result: str | None = None
    hand: str | None = None
    card: str | None = None
    over: int | None = None  # cents: a single bet or payment of more than that
    void: bool | None = None
    irregular: str | None = None
    fault: str | None = None
    refused: str | None = None
    staff: str | None = None
    post: str | None = None

    def given(self) -> dict[str, object]:
        """What is asked for, by its name."""
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in named if value is not None}


class BlockBits(Protocol):
    """The rounds of a block that have a mark, as bits."""

    def of(self, mark: Mark, block: int) -> int:
        """Of a mark that is asked for in every block."""
        ...

    def one(self, mark: Mark, block: int) -> int:
        """Of a mark that is asked for in few blocks."""
        ...

    def times(self, block: int) -> tuple[int, int]:
        """When the earliest round of a block began, and the latest."""
        ...


Fits = Callable[[Summary, Details], bool]


class Marked(NamedTuple):
    """Rounds that have a mark; `fits` says of one round whether it has."""

    mark: Mark
    fits: Fits

    def bits(self, index: BlockBits, block: int) -> int:
        return index.of(self.mark, block)


class Between(NamedTuple):
    """Rounds that began from `since` on and before `until`."""

    since: int
    until: int

    def bits(self, index: BlockBits, block: int) -> int:
        found = index.of(ALL, block)
        earliest, latest = index.times(block)
        if latest < self.since or earliest >= self.until:
            return 0
        if earliest < self.since:
            found &= larger(index.one, "begun", self.since - 1, block, found)
        if latest >= self.until:
            found &= ~larger(index.one, "begun", self.until - 1, block, found)
        return found

    def fits(self, summary: Summary, details: Details) -> bool:
        return self.since <= summary.begun < self.until


class Over(NamedTuple):
    """Rounds with a single bet or payment of more than so many cents, of one wager or of any."""

    cents: int
    wager: str | None

    def bits(self, index: BlockBits, block: int) -> int:
        facet = "largest" if self.wager is None else f"largest {self.wager}"
        return larger(index.of, facet, self.cents, block, index.of(ALL, block))

    def fits(self, summary: Summary, details: Details) -> bool:
        if self.wager is None:
            return summary.largest > self.cents
        return any(wager == self.wager and cents > self.cents for wager, cents in details.largest)


Term = Marked | Between | Over
BitsOf = Callable[[Mark, int], int]


def larger(bits_of: BitsOf, facet: str, bound: int, block: int, among: int) -> int:
    """The rounds whose number is larger, found digit by digit from the first; `bound` is 0 or more."""
    found, alike = 0, among
    for place in reversed(range(DIGITS)):
        ones = bits_of((facet, digit(place)), block)
        if bound >> place & 1:
            alike &= ones
        else:
            found |= alike & ones
            alike &= ~ones
    return found


def terms(wanted: RoundFilter) -> list[Term]:
    """A round that fits fits each of them."""
    found: list[Term] = []
    if wanted.since is not None or wanted.until is not None:
        found.append(Between(max(wanted.since or 1, 1), MOST if wanted.until is None else max(wanted.until, 1)))
    if wanted.over is not None:
        found.append(Over(within_digits(wanted.over), wanted.wager))
    bet = {name: getattr(wanted, name) for name in BET if getattr(wanted, name) is not None}
    box = {} if wanted.box is None else {"box": wanted.box}
    if bet.keys() - box.keys() or (box and wanted.hand is None and wanted.card is None):
        found.append(of_bet(bet))
    if wanted.hand is not None:
        found.append(of_hand(wanted.hand, wanted.box))
    if wanted.card is not None:
        found.append(of_card(wanted.card, wanted.box))
    if wanted.game is not None:
        found.append(Marked(mark(game=wanted.game), lambda one, details: one.game == wanted.game))
    if wanted.void:
        found.append(Marked(mark(outcome=VOID), lambda one, details: one.outcome == VOID))
    if wanted.staff is not None:
        found.append(of_staff(wanted.staff))
    for facet, field in COUNTED.items():
        value = getattr(wanted, facet)
        if value is not None:
            found.append(of_counted(facet, value, Details._fields.index(field)))
    return found


def of_bet(parts: dict[str, Any]) -> Marked:
    wanted = [(BET.index(name), value) for name, value in parts.items()]

    def fits(one: Summary, details: Details) -> bool:
        return any(all(bet[place] == value for place, value in wanted) for bet in details.bets)

    return Marked(mark(**parts), fits)


def of_hand(rank: str, box: int | None) -> Marked:
    if box is None:
        return Marked(mark(hand=rank), lambda one, details: any(hand[1] == rank for hand in details.hands))
    return Marked(mark(box=box, hand=rank), lambda one, details: [box, rank] in details.hands)


def of_card(card: str, box: int | None) -> Marked:
    if box is None:
        return Marked(mark(card=card), lambda one, details: any(card in held for _, held in details.cards))
    return Marked(
        mark(box=box, card=card),
        lambda one, details: any(place == box and card in held for place, held in details.cards),
    )


def of_staff(who: str) -> Marked:
    """By name and post, or by the name alone."""
    return Marked(
        mark(staff=who), lambda one, details: any(who in (name, name_of(name)) for name in details.staff)
    )


def of_counted(facet: str, value: str, place: int) -> Marked:
    """What is counted in a round by its kind or code."""
    if value == ANY:
        return Marked(mark(has=facet), lambda one, details: bool(details[place]))
    return Marked(mark(**{facet: value}), lambda one, details: any(row[0] == value for row in details[place]))
