"""Checks a round from outside, by its records alone: money, cards, meter and refusals."""

import copy
from collections.abc import Callable
from typing import Any

from host.rules.inventory import paragraphs, readings
from shared.round import deal
from shared.round.records import RECORDS
from shared.round.round import Round
from shared.rules import cards
from tests.support.books.second_settlement import SecondSettlement
from tests.support.tables import GAMES

PARAGRAPHS = {(row.rulebook, row.paragraph) for row in paragraphs()}
READINGS = set(readings())


class Ledger:
    """Follows the records of a Round and complains when what is staked is not accounted for exactly once.

    Every settlement is made a second time, by code that shares nothing with the core.
    """

    def __init__(self, round_: Round) -> None:
        self.round = round_
        self.staked = 0
        self.settled = 0
        self.refunded = 0
        self.meter_at_opening = round_.meter
        self.heard = round_.state
        self.second = SecondSettlement(round_.book.ID, round_.meter) if round_.book.ID in GAMES else None

    def follow(self, records: list[list[Any]]) -> None:
        r = self.round
        amounts = r.table.amounts
        for record in records:
            kind = record[0]
            self.check_citations(record)
            if kind == "state":
                self.heard = record[1]
            elif kind == "ask":
                self.heard = "frozen"
            if kind == "event" and record[2] == ["open"]:
                assert self.staked == self.settled + self.refunded, "a round opened over unsettled money"
                self.staked = self.settled = self.refunded = 0
                self.meter_at_opening = r.meter
            elif kind == "event" and record[2][0] == "bet" and amounts:
                self.staked += record[2][4]
            elif kind == "placed" and amounts:
                self.staked += record[4]
            elif kind == "recounted" and amounts:
                self.staked += record[5] - record[4]
            elif kind == "refund" and amounts:
                assert record[4] > 0
                self.refunded += record[4]
            elif kind == "line" and amounts:
                self.settled += record[7]
                check_line(record)
            elif kind == "reversed" and amounts:
                self.settled -= record[4]
            elif kind in ("line", "refund"):
                assert record[7 if kind == "line" else 4] is None
        if self.second:
            self.second.follow(records)
        if amounts:
            assert self.staked == self.settled + self.refunded + sum(bet.cents for bet in r.bets)
        self.check_state()

    def check_citations(self, record: list[Any]) -> None:
        """Whatever a record names is a paragraph of its own book, or a reading that exists."""
        fields = dict(zip(RECORDS[record[0]], record[1:]))
        for cited in (fields.get("paragraph"), fields.get("ruling")):
            assert cited is None or cited in READINGS or (self.round.book.ID, cited) in PARAGRAPHS, record

    def check_state(self) -> None:
        r = self.round
        assert self.heard == r.state, "whoever reads the records knows the state"
        assert (r.question is not None) == (r.state == "frozen")
        assert not r.postponed or r.state in ("frozen", "void")
        assert not r.pending or (r.question and r.question[0] == "choose")
        dealt = [card for hand in (*r.hands.values(), r.loose) for card in hand if card != cards.UNKNOWN]
        assert len(dealt) == len(set(dealt)), "a card lies in two places"
        assert all(bet.cents >= 0 for bet in r.bets)
        assert r.meter >= 0
        if r.state in ("settled", "void"):
            assert not any(bet.cents for bet in r.bets)
        if r.state == "void":
            assert r.meter == self.meter_at_opening, "a void round moved the meter"


def check_line(record: list[Any]) -> None:
    _, _, _, _, result, num, den, stake, paid, back, paragraph, _ = record
    assert stake > 0
    assert paragraph
    if result == "win":
        assert den <= 0 or paid == stake * num // den
        assert back == (paid + stake if den > 0 else paid)
    else:
        assert (num, den, paid) == (None, None, 0)
        assert back == (0 if result == "lose" else stake)


def state_of(round_: Round) -> dict[str, Any]:
    """Everything a Round knows, in a form that compares."""
    objects = ("table", "book", "bets", "by_box")
    state = {name: value for name, value in vars(round_).items() if name not in objects}
    state["bets"] = [tuple(vars(bet).items()) for bet in round_.bets]
    return copy.deepcopy(state)


def undealt(round_: Round) -> str:
    """A card that lies nowhere so far."""
    known = {card for hand in (*round_.hands.values(), round_.loose) for card in hand}
    return next(cards.text(card) for card in range(52) if card not in known)


def are_whole(round_: Round) -> bool:
    """Whether every hand that is compared has its three cards."""
    compared = [place for place in deal.places(round_) if round_.decisions.get(place) != "fold"]
    return all(deal.held(round_, place) == 3 for place in compared)


def finish(round_: Round, ledger: Ledger | None = None, apply: Callable[[Any], Any] | None = None) -> None:
    """End a round from wherever it stands, by staff doing their duty; fails if that cannot be done."""
    for _ in range(200):
        r = round_
        if r.is_over():
            return
        if r.state == "betting":
            event: list[Any] = ["close"]
        elif any(cards.UNKNOWN in r.hands.get(place, ()) for place in r.shown):
            unnamed = next(place for place in r.shown if cards.UNKNOWN in r.hands[place])
            event = ["entered", undealt(r), "pit_supervisor", unnamed]
        elif r.next_place() is not None:
            event = ["card", undealt(r)]
        elif wrong := [place for place in deal.places(r) if deal.held(r, place) > 3]:
            # A card too many in a hand: put aside, it lies in no hand.
            event = ["lies", cards.text(r.hands[wrong[0]][-1]), "pit_supervisor", None, wrong[0]]
        elif r.state == "deciding":
            waiting = [box for box in r.order if box not in r.removed and box not in r.decisions]
            event = ["decide", waiting[0], "fold", None, True] if waiting else ["reveal"]
        elif r.state == "playing":
            waiting = [box for box in r.order if box not in r.removed and box not in r.shown]
            event = ["show", waiting[0], "dealer"] if waiting else ["reveal"]
        elif r.state == "revealed" and not are_whole(r):
            event = ["irregularity", "other"]  # a hand without all its cards, and the dealer's is shown
        elif r.state == "revealed":
            event = ["settle"]
        elif r.question[0] == "choose":
            event = ["choices_done"]
        elif r.question[0] == "tell":
            event = ["all_told", "pit_supervisor"]
        elif r.question[0] == "order":
            event = ["ruling", "order", "pit_supervisor", None, "left first"]
        else:
            event = ["ruling", "continue" if are_whole(r) or r.resume != "revealed" else "void", "shift_manager"]
        records = (apply or r.apply)(event)
        assert records[0][0] == "event", (event, records)
        if ledger:
            ledger.follow(records)
    raise AssertionError(f"stuck in {round_.state}")
