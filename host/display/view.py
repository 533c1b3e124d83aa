"""What may be shown of a table, and the keeper that makes it from the records of the log.

A hand is in the view only when it lies face up: the dealer's after the reveal, a player's after it is shown, a
folded one never. Names of players and amounts of bets are not in it at all.
"""

from collections import deque
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from host.rules.hand_names import hand_name
from host.words.money import dollars, odds_text
from shared.journal.replay import Replay
from shared.round.bets import bets_on
from shared.round.deal import DEALER
from shared.round.round import Round
from shared.round.states import BETTING, FOLD, FROZEN, IDLE, SETTLED, VOID
from shared.rules import cards
from shared.rules.rulebook import LOSE, WIN
from shared.rules.settlement import MAIN

UNKNOWN = "unknown"  # nothing is known of the table yet
ENDED = (SETTLED, VOID)
KEPT_ROUNDS = 20

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


class Asked(NamedTuple):
    """What a frozen round waits for (check, choose, order or ruling), about what, and who must answer."""

    kind: str
    situation: str
    role: str


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
    question: Asked | None = None
    dealer: Hand = NO_HAND
    qualifies: bool | None = None  # None where the dealer need not, or is not shown
    boxes: tuple[Box, ...] = ()
    was_reversed: bool = False  # a settlement was taken back
    meter: int | None = None
    hand_pays: tuple[int | None, ...] = ()  # jackpots that wait to be paid by hand; None if not known how much
    faults: tuple[str, ...] = ()
    history: tuple[Past, ...] = ()  # oldest first
    stale: bool = False  # the table is not connected; this is how it last was


class ViewKeeper:
    """Takes the records of a log in their order, from any standing (`begin`) on.

    Begin some rounds before the end of the log: the last result and the history strip come from there. `stale` is
    for whoever knows about the link. It plays the records itself, so it never runs ahead of them. While those of
    an event are still coming, the view is the one from before it.
    """

    def __init__(self, stale: bool = False) -> None:
        self.stale = stale
        self.replay = Replay()
        self.past: deque[Past] = deque(maxlen=KEPT_ROUNDS)
        self.jackpots: dict[str, int] = {}  # cents by player, of what waits to be paid by hand
        self.round: Round | None = None  # the one on view
        self.before = TableView()  # the event whose records are coming
        self.clear()

    def clear(self) -> None:
        """Betting opens: the last result goes."""
        self.outcomes: dict[int, list[Outcome]] = {}
        self.envy: list[tuple[int, Outcome]] = []
        self.box_of: dict[str, int] = {}
        self.face_up: set[int] = set()  # places whose hand the log has shown
        self.was_reversed = False

    def take(self, record: list[Any]) -> None:
        opens = record[0] == "event" and record[2][0] == "open"
        if record[0] == "event":
            self.before = self.view()
        if opens:
            self.remember()
        self.replay.take(record)
        if opens:
            self.clear()
        self.follow(opens)
        handler = HANDLERS.get(record[0])
        if handler and self.round is not None:
            handler(self, *record[1:])

    def follow(self, opens: bool) -> None:
        """A standing makes a new round; the one on view stays until betting opens, if it has ended."""
        latest = self.replay.round
        if latest is None or latest is self.round:
            return
        if self.round is not None and self.round.book is not latest.book:
            self.past.clear()
        if opens or self.round is None or self.round.state not in ENDED or latest.state != IDLE:
            self.round = latest

    def remember(self) -> None:
        played = self.played()
        if played:
            self.past.append(played)

    # -- what the records say

    def take_shown(self, place: int, *_: Any) -> None:
        self.face_up.add(place)

    def take_line(self, box: int, player: str, wager: str, result: str, num: int, den: int, *_: Any) -> None:
        self.box_of.setdefault(player, box)
        pays = odds_text(num, den, "") if result == WIN else None
        for place, known in enumerate(self.round.book.WAGERS if self.round else ()):
            if known.name == wager:
                self.add(box, Outcome(known.title, place == MAIN, result, pays, known.on_decision))

    def take_bonus(self, box: int, player: str, num: int, den: int, *_: Any) -> None:
        if self.round:
            self.add(box, Outcome(self.round.book.BONUS.title, False, WIN, odds_text(num, den, "")))

    def take_envy(self, player: str, cents: int | None, *_: Any) -> None:
        pays = None if cents is None else dollars(cents)
        self.envy.append((self.box_of.get(player, 0), Outcome("Envy Bonus", False, WIN, pays)))

    def take_hand_pay(self, player: str, cents: int, *_: Any) -> None:
        self.jackpots[player] = cents

    def take_reversed(self, box: int | None, *_: Any) -> None:
        self.was_reversed = True
        if box is None:
            self.envy.clear()
        else:
            self.outcomes.pop(box, None)

    def add(self, box: int, outcome: Outcome) -> None:
        """Players on one box share its hand, so most of their wagers end alike; once is enough."""
        found = self.outcomes.setdefault(box, [])
        if outcome not in found:
            found.append(outcome)

    # -- the view

    def view(self) -> TableView:
        if self.replay.expected:
            return replace(self.before, stale=self.stale)
        latest = self.replay.round
        if latest is None or self.round is None:
            return TableView(faults=tuple(self.replay.faults), stale=self.stale)
        shown = self.round
        asked: Any = shown.question
        dealer = self.hand(shown, DEALER)
        played = self.played()
        return TableView(
            title=latest.book.TITLE,
            shorter=latest.book.SHORTER,
            limits=limits_of(latest),
            state=shown.state,
            number=shown.number,
            question=Asked(asked.kind, asked.situation, asked.role) if asked else None,
            dealer=dealer,
            qualifies=dealer_qualifies(shown) if dealer.cards else None,
            boxes=self.boxes(shown),
            was_reversed=self.was_reversed,
            meter=latest.meter if latest.table.progressive is not None else None,
            hand_pays=tuple(self.jackpots.get(player) for player in latest.hand_pays),
            faults=tuple(self.replay.faults),
            history=(*self.past, *([played] if played else [])),
            stale=self.stale,
        )

    def boxes(self, shown: Round) -> tuple[Box, ...]:
        if shown.state in (IDLE, BETTING, VOID):
            return ()  # a void round has no result, and its cards mean nothing any more
        return tuple(
            Box(
                number,
                self.hand(shown, number),
                self.main_stands(shown, number),
                shown.decisions.get(number),
                number in shown.removed,
                self.outcomes_of(number),
            )
            for number in shown.order
        )

    def hand(self, shown: Round, place: int) -> Hand:
        """The hand as the table sees it: face down it is only a number of cards."""
        if shown.state in (IDLE, BETTING, VOID) or place in shown.removed:
            return NO_HAND
        held = shown.hands.get(place, [])
        lies_open = place in shown.shown and place in self.face_up
        if not lies_open or shown.decisions.get(place) == FOLD or len(held) != 3:
            return Hand(len(held))
        value = shown.book.value(*held)
        words = tuple(cards.text(card) for card in held)
        return Hand(3, words, *hand_name(shown.book, value)[1:])

    def main_stands(self, shown: Round, box: int) -> str | None:
        """What the book's judge says of the main wager, once both hands can be seen and while it is in play."""
        both_seen = self.hand(shown, box).name and self.hand(shown, DEALER).name
        if not both_seen or not bets_on(shown, box, MAIN):
            return None
        book, held = shown.book, shown.hands[box]
        dealer = book.value(*shown.hands[DEALER])
        return book.WAGERS[MAIN].judge(book.value(*held), book.mark(*held), dealer).result

    def outcomes_of(self, box: int) -> tuple[Outcome, ...]:
        return (*self.outcomes.get(box, ()), *(outcome for place, outcome in self.envy if place == box))

    def played(self) -> Past | None:
        """The round on view for the history strip, if it has ended and had a result or was void."""
        shown = self.round
        if shown is None or not has_ended(shown):
            return None
        if shown.state == VOID:
            return Past("", NO_RESULT)
        if not self.outcomes:
            return None
        results = [
            {one.result for one in outcomes if one.is_main} or {one.result for one in outcomes}
            for outcomes in self.outcomes.values()
        ]
        won = len([result for result in results if WIN in result])
        lost = len([result for result in results if LOSE in result and WIN not in result])
        went = WON if won > lost else LOST if lost > won else EVEN
        return Past(self.hand(shown, DEALER).code, went)


HANDLERS = {
    "shown": ViewKeeper.take_shown,
    "line": ViewKeeper.take_line,
    "bonus": ViewKeeper.take_bonus,
    "envy": ViewKeeper.take_envy,
    "hand_pay": ViewKeeper.take_hand_pay,
    "reversed": ViewKeeper.take_reversed,
}


def has_ended(round_: Round) -> bool:
    return round_.state in ENDED or (round_.state == FROZEN and round_.resume in ENDED)


def dealer_qualifies(round_: Round) -> bool | None:
    book = round_.book
    return book.qualifies(book.value(*round_.hands[DEALER])) if book.qualifies else None


def limits_of(round_: Round) -> tuple[Limit, ...]:
    found: list[Limit] = []
    table: Any = round_.table
    for place, wager in enumerate(round_.book.WAGERS):
        limits = (table.stake, table.stake) if place == table.progressive else table.limits[place]
        if limits:
            least, most = limits
            found.append(Limit(wager.title, place == MAIN, least, most))
    return tuple(found)
