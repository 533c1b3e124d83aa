"""Checks a round from outside, by its records alone: money, cards, meter and refusals."""

import copy
from collections.abc import Callable
from typing import Any

from host.rules.inventory import paragraphs, readings
from shared.round.records import RECORDS
from shared.round.round import Round

PARAGRAPHS = {(row.rulebook, row.paragraph) for row in paragraphs()}
READINGS = set(readings())


class Ledger:
    """Follows the records of a Round and complains when what is staked is not accounted for exactly once."""

    def __init__(self, round_: Round) -> None:
        self.round = round_
        self.staked = 0
        self.settled = 0
        self.refunded = 0
        self.meter_at_opening = round_.meter
        self.heard = round_.state

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
            elif kind == "recounted":
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
        assert not r.power_failed or r.state in ("frozen", "settled", "void")
        assert not r.pending or (r.question and r.question[0] == "choose")
        dealt = [card for hand in r.hands.values() for card in hand]
        assert len(dealt) == len(set(dealt)), "a card lies in two places"
        assert all(len(hand) <= 3 for hand in r.hands.values())
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


def finish(round_: Round, ledger: Ledger | None = None, apply: Callable[[Any], Any] | None = None) -> None:
    """End a round from wherever it stands, by staff doing their duty; fails if that cannot be done."""
    from tests.support.rounds import DECK

    for _ in range(200):
        r = round_
        if r.state in ("idle", "settled", "void"):
            return
        if r.state == "betting":
            event: list[Any] = ["close"]
        elif r.state in ("closed", "dealing"):
            dealt = {card for hand in r.hands.values() for card in hand}
            event = ["card", next(word for number, word in enumerate(DECK) if number not in dealt)]
        elif r.state == "deciding":
            waiting = [box for box in r.order if box not in r.removed and box not in r.decisions]
            event = ["decide", waiting[0], "fold", None, True] if waiting else ["reveal"]
        elif r.state == "playing":
            waiting = [box for box in r.order if box not in r.removed and box not in r.shown]
            event = ["show", waiting[0], "dealer"] if waiting else ["reveal"]
        elif r.state == "revealed":
            event = ["settle"]
        elif r.question[0] == "choose":
            event = ["choices_done"]
        elif r.question[0] == "order":
            event = ["ruling", "order", "pit_supervisor", None, "left first"]
        else:
            event = ["ruling", "continue", "shift_manager"]
        records = (apply or r.apply)(event)
        assert records[0][0] == "event", (event, records)
        if ledger:
            ledger.follow(records)
    raise AssertionError(f"stuck in {round_.state}")
