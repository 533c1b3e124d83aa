"""A table of two boxes whose cards do not lie as they were read, the same in every book, and what it pays.

Read: box 1 KS 5D 2S, box 2 7H 7D 4C, dealer QC TD 8S. Two cards, `swapped`, really lie in each other's place.

Three Pictures, as read: seven and plain eight against single picture eight, so both lose. As they lie box 1 has
KS 5D 4C, nine, and wins; box 2 has 7H 7D 2S, six, and loses.
Three Card Poker, as read: king-high and a pair against queen-high, so both win. As they lie box 1 has 4C 5D 2S,
five-high, and loses; box 2 has 7H 7D KS, a pair, and wins.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

MAIN = {LUCKY: "initial", NON_COMMISSION: "initial", MBS: "main", ROYAL: "main", POKER: "ante"}
HANDS = {"b1": "KS 5D 2S", "b2": "7H 7D 4C", "dealer": "QC TD 8S"}
STAKE = 2500
RWS = (LUCKY, NON_COMMISSION)
BY_BOX = [[1, "P1", "5.6.1"], [2, "P2", "5.6.1"]]  # who is offered a choice, where and by what
Facts = Sequence[Callable[[TableTop], Any]]
SUPERVISOR = "pit_supervisor"
MANAGER = "shift_manager"


def offers(records: list[list[Any]]) -> list[list[Any]]:
    return [offer[1:] for offer in of_kind(records, "offer")]


def swapped(game: str) -> tuple[str, str]:
    return ("KS", "4C") if game == POKER else ("2S", "4C")


def as_read(game: str) -> dict[str, int]:
    """What each player has won or lost if the hands are settled as the reader read them."""
    # A poker player stakes as much again on his play wager.
    return {"P1": 2 * STAKE, "P2": 2 * STAKE} if game == POKER else {"P1": -STAKE, "P2": -STAKE}


def as_they_lie(game: str) -> dict[str, int]:
    return {"P1": -2 * STAKE, "P2": 2 * STAKE} if game == POKER else {"P1": STAKE, "P2": -STAKE}


def only(player: str, result: dict[str, int]) -> dict[str, int]:
    return {player: result[player]}


def laid(game: str, *side_bets: tuple[Any, ...], **config: Any) -> TableTop:
    """Betting is closed: P1 on box 1 and P2 on box 2."""
    top = TableTop(game, **config)
    bets = [(1, "P1", MAIN[game], STAKE), (2, "P2", MAIN[game], STAKE), *side_bets]
    top.bets(*[bet if top.round.table.amounts else bet[:3] for bet in bets])
    top.do("close")
    return top


def dealt(game: str, *side_bets: tuple[Any, ...], touched: bool = False, **config: Any) -> TableTop:
    """The same with the cards read, nobody having said yet where they lie."""
    top = laid(game, *side_bets, **config)
    top.deal(**HANDS)
    if touched:
        top.do("look", 1, "P1")
    return top


def swap(top: TableTop) -> list[list[Any]]:
    return top.exchange(*swapped(top.round.book.ID))


def end(top: TableTop) -> dict[str, int]:
    """Play to the end; what each player has won or lost by the settlement."""
    for box in top.round.order:
        if top.state == "deciding" and box not in top.round.removed and box not in top.round.decisions:
            top.do("decide", box, "play")
    return results(top.finish())


def results(records: list[list[Any]]) -> dict[str, int]:
    """What each player has won or lost by these records: refunds are neither."""
    won: dict[str, int] = {}
    for _, _, player, _, _, _, _, stake, _, back, _, _ in of_kind(records, "line"):
        won[player] = won.get(player, 0) + back - stake
    for _, _, player, _, _, cents, _ in of_kind(records, "bonus"):
        won[player] += cents
    return won


def back(records: list[list[Any]]) -> dict[tuple[int, str, str], int]:
    """What went back of each bet."""
    return {tuple(record[1:4]): record[4] for record in of_kind(records, "refund")}


def asked(records: list[list[Any]]) -> tuple[Any, ...]:
    """The one question: its kind, situation, post, paragraph and reading."""
    [ask] = of_kind(records, "ask")
    return tuple(ask[1:])


def told(records: list[list[Any]]) -> list[tuple[Any, ...]]:
    """What was noted: situation, paragraph and reading."""
    return [tuple(record[1:]) for record in of_kind(records, "noted")]


def code(top: TableTop, *event: Any, **fields: Any) -> str:
    """The code by which an event is refused; nothing may change."""
    refusal = top.round.verify(top.written(event, fields))
    assert refusal is not None, event
    top.refused(*event, **fields)
    return refusal[1]


def make_wait(top: TableTop, kind: str) -> None:
    """An RWS table whose cards are dealt waits for an answer of this kind."""
    event = {
        "check": ("card", "3C"),
        "ruling": ("irregularity", "other"),
        "choose": ("turned", "TD"),
        "order": ("irregularity", "drawn_together"),
        "tell": ("power_failure",),
    }[kind]
    assert asked(top.do(*event))[0] == kind


def p2_leaves(top: TableTop, before: Facts = (), while_asked: Facts = (), after: Facts = ()) -> None:
    """A misdeal after cards were handled: P2 leaves, in the way of the book; facts are told at each step."""
    game = top.round.book.ID
    for fact in before:
        fact(top)
    records = top.do("irregularity", "misdeal")
    for fact in while_asked:
        fact(top)
    if game in RWS:
        assert [offer[1:] for offer in of_kind(records, "offer")] == [[1, "P1", "5.6.1"], [2, "P2", "5.6.1"]]
        gone = top.do("choose", "P2", 2, "withdraw")
        for fact in after:
            fact(top)
        top.do("choose", "P1", 1, "continue")
    elif game == ROYAL:
        assert told(records) == [("misdeal_handled", "5.6", "R-15")]
        gone = top.do("withdraw", 2, "P2", SUPERVISOR)
    else:
        assert asked(records)[:3] == ("ruling", "misdeal_handled", MANAGER)
        gone = top.do("ruling", "hand_out", MANAGER, box=2)
    assert back(gone) == {(2, "P2", MAIN[game]): STAKE}
    if game not in RWS:
        for fact in after:
            fact(top)
