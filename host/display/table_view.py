"""What may be shown of a table: a plain value that displays draw and the page describes.

A hand is in it only when it lies face up: the dealer's after the reveal, a player's after it is shown, a folded
one never. Names of players and amounts of bets are not in it at all.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

UNKNOWN = "unknown"  # nothing is known of the table yet

# How a past round went for the boxes.
WON = "won"  # more of them won than lost
LOST = "lost"
EVEN = "even"
NO_RESULT = "void"


class Limit(NamedTuple):
    """What may be bet, in cents; a wager with one fixed stake has least and most alike."""

    wager: str
    is_main: bool
    least: int
    most: int


class Hand(NamedTuple):
    """`lying` counts the cards; all else is there only when they lie face up.

    One that was not read is `??` among them; with it, or without exactly three cards, the hand has no name.
    `name` is the hand in words, `short` in at most five signs, `code` in at most two; `step` ranks hands of the
    same code.
    """

    lying: int = 0
    cards: tuple[str, ...] = ()
    name: str = ""
    short: str = ""
    code: str = ""
    step: int = 0


NO_HAND = Hand()


class Outcome(NamedTuple):
    """A wager of a box settled; `pays` is odds, a sum or a share of the jackpot, None where nothing is paid."""

    wager: str
    is_main: bool
    result: str
    pays: str | None
    follows_main: bool = False  # made by deciding to play, and equal to the main wager


class Box(NamedTuple):
    """`decision` is to play or to fold; `out` says that the hand is out of play and its bets went back.

    `stands` is how the main wager stands when both hands lie face up: win, lose or push. `outcomes` are settled.
    """

    number: int
    hand: Hand
    stands: str | None
    decision: str | None
    out: bool
    outcomes: tuple[Outcome, ...]


class Past(NamedTuple):
    """A round in the history strip: the dealer's hand in at most two signs, and how it went for the boxes."""

    dealer: str
    went: str


@dataclass(frozen=True)
class TableView:
    title: str = ""
    shorter: str = ""  # the book's abbreviations, for words that have no room
    limits: tuple[Limit, ...] = ()
    state: str = UNKNOWN
    number: int = 0
    question: Any = None  # what a frozen round waits for, a Question of shared/round/irregularities.py
    dealer: Hand = NO_HAND
    qualifies: bool | None = None  # None where the dealer need not, or is not shown
    boxes: tuple[Box, ...] = ()
    was_reversed: bool = False  # a settlement was taken back
    meter: int | None = None
    hand_pays: tuple[int | None, ...] = ()  # jackpots that wait to be paid by hand; None if not known how much
    faults: tuple[str, ...] = ()
    history: tuple[Past, ...] = ()  # oldest first
    stale: bool = False  # the table is not connected; this is how it last was
