"""What statistics take from a round's records: bets that had a result, the cards as they came, and doubles.

A round is known when the next one opens, since it may be corrected until then. Only an ordinary round is held
against the truth: where something happened that let people choose after they had seen cards, or that took bets
out of play, the cards of that moment are no longer those of any deal.
"""

from functools import cache
from typing import Any, NamedTuple

from host.review.statistics.expectation import part_of
from host.review.statistics.hold import Bet
from host.rules.catalogue import all_wagers, book_ids, is_progressive
from shared.rules.cards import UNKNOWN, parse
from shared.rules.rulebook import LOSE, WIN, load

# Records and events of rounds that are not ordinary.
UNUSUAL = {"ask", "offer", "removed", "outcome", "void", "reversed", "stands", "kept", "debt", "noted"} | {
    *("reconstructed", "power_failure", "withdraw", "ruling", "choose", "irregularity", "chips_gone", "turned"),
}
DEALT = ("playing", "deciding")  # the states in which the deal is complete
STAKE = 100  # where the table does not know amounts, every bet counts as a dollar


class Observed(NamedTuple):
    """A round. `deal` has its cards in the order in which they came, or none if they are not all known."""

    game: str
    number: int
    ordinary: bool
    amounts: bool
    bets: list[Bet]
    meter: int
    deal: list[int]
    cards: int
    doubles: list[int]
    misread: int
    unread: int


class Observer:
    """Follows the records of a log."""

    def __init__(self) -> None:
        self.config: dict[str, Any] = {}
        self.meter: int = 0
        self.round: Seen | None = None

    def follow(self, record: list[Any]) -> Observed | None:
        """Take the next record; the round before, if a new one opens."""
        kind, *fields = record
        if kind == "begin":
            self.config = {}
        elif kind == "config" and len(fields) == 2:
            self.config[fields[0]] = fields[1]
            if fields[0] == "progressive" and fields[1]:
                self.meter = dict(fields[1])["meter"]
        elif kind == "carried" and fields[:1] == ["meter"]:
            self.meter = fields[1]
        elif opens(record):
            over = self.finish()
            self.round = Seen(str(self.config.get("game")), fields[0], self.config.get("amounts", True))
            return over
        elif self.round:
            try:
                self.round.follow(kind, fields, self)
            except (IndexError, KeyError, TypeError, ValueError):
                self.round.ordinary = False  # nothing that this felt's tables write, such as an older record
        if kind == "meter":
            self.meter = record[1]
        return None

    def finish(self) -> Observed | None:
        """The round that nothing more is told of."""
        over, self.round = self.round, None
        return over.observed() if over else None


def opens(record: list[Any]) -> bool:
    return record[0] == "event" and record[2:] == [["open"]]


class Seen:
    """What was seen of a round so far."""

    def __init__(self, game: str, number: int, amounts: bool) -> None:
        self.game = game
        self.number = number
        self.amounts = amounts
        self.ordinary = True
        self.meter: int = 0
        self.event: list[Any] = []
        self.deal: list[tuple[int, int]] = []  # (place, card)
        self.complete = False
        self.folded: set[int] = set()
        self.lines: list[list[Any]] = []
        self.bonuses: dict[tuple[int, str], list[Any]] = {}
        self.doubles: list[int] = []
        self.misread = 0
        self.unread = 0

    def follow(self, kind: str, fields: list[Any], table: Observer) -> None:
        if kind in UNUSUAL:
            self.ordinary = False
        if kind == "event":
            self.event = fields[1]
            self.take_event(*self.event)
        elif kind == "dealt":
            self.deal.append((fields[0], card_of(fields[1])))
        elif kind == "lies":
            self.take_lies(*fields)
        elif kind == "state":
            self.complete = self.complete or fields[0] in DEALT
        elif kind == "ask" and fields[:2] == ["check", "deck_count"] and self.event[:1] == ["card"]:
            self.doubles.append(parse(self.event[1]))
        elif kind == "line":
            if not self.lines:
                self.meter = table.meter  # which the lines are paid by; an award changes it after its line
            self.lines.append(fields)
        elif kind == "bonus":
            self.bonuses[fields[0], fields[1]] = fields

    def take_event(self, name: str, *fields: Any) -> None:
        if name in UNUSUAL or (name == "counted" and self.deal):
            self.ordinary = False
        elif name == "decide" and fields[1] == "fold":
            self.folded.add(fields[0])
        elif name == "misread":
            self.misread += 1
        elif name == "card" and fields[0] == "??":
            self.unread += 1

    def take_lies(self, card: str, before: int | None, place: int | None) -> None:
        """A card without a name gets one; any other lies elsewhere than it was taken to lie."""
        if place is not None and place == before and (place, UNKNOWN) in self.deal:
            self.deal[self.deal.index((place, UNKNOWN))] = (place, card_of(card))
        else:
            self.ordinary = False

    def observed(self) -> Observed:
        cards = [card for _, card in self.deal]
        known = self.complete and UNKNOWN not in cards and len(set(cards)) == len(cards)
        ordinary = self.ordinary and is_known(self.game)
        bets = self.bets() if ordinary else []
        doubles = self.doubles
        return Observed(
            self.game,
            self.number,
            ordinary,
            self.amounts,
            bets,
            self.meter,
            cards if known else [],
            len(cards) + len(doubles),
            doubles,
            self.misread,
            self.unread,
        )

    def bets(self) -> list[Bet]:
        """Each bet that had a result, with the Play wager and the bonus that belong to it."""
        book = load(self.game)
        sums = {wager.name for wager in all_wagers(book) if is_progressive(wager)}
        found: dict[tuple[int, str, str], tuple[int, int]] = {}
        for line in self.lines:
            box, player, wager = line[:3]
            if line[3] == "returned" or (wager in sums and not self.amounts):
                continue
            key = (box, player, part_of(book, wager))
            stake, gained = self.money(line)
            before = found.get(key, (0, 0))
            # What is staked on a part does not count: the truth is that of a unit on the main wager.
            found[key] = (before[0] + (stake if wager == key[2] else 0), before[1] + gained)
        for (box, player), line in self.bonuses.items():
            key = (box, player, book.WAGERS[0].name)
            stake, gained = found[key]
            found[key] = (stake, gained + (line[4] if self.amounts else STAKE * line[2] // line[3]))
        return [
            Bet(wager, stake, gained, self.hand(box), box in self.folded)
            for (box, _, wager), (stake, gained) in found.items()
            if stake
        ]

    def money(self, line: list[Any]) -> tuple[int, int]:
        """The stake of a line, and what the player gained beyond it."""
        _, _, _, result, num, den, stake, _, returned, *_ = line
        if self.amounts:
            return stake, returned - stake
        return STAKE, STAKE * num // den if result == WIN else -STAKE if result == LOSE else 0

    def hand(self, box: int) -> tuple[int, ...] | None:
        held = tuple(card for place, card in self.deal if place == box)
        return held if len(held) == 3 and UNKNOWN not in held else None


@cache
def is_known(game: str) -> bool:
    return game in book_ids()


def card_of(word: str) -> int:
    return UNKNOWN if word == "??" else parse(word)
