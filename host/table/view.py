"""The one view of a table: every record of the log is played once, here, and all observers look at the result."""

from collections import deque
from contextlib import suppress
from dataclasses import replace
from types import ModuleType
from typing import Any

from host.display.table_view import EVEN, LOST, NO_RESULT, WON, Box, Hand, Limit, Outcome, Past, TableView
from host.log.strict_replay import UNPLAYABLE, Difference, StrictReplay
from host.table.activity import Activity
from host.words.hand_names import hand_name
from host.words.money import dollars, odds_text
from shared.round.bets import bets_on
from shared.round.deal import DEALER, is_known
from shared.round.round import Round
from shared.round.states import BETTING, FOLD, FROZEN, IDLE, SETTLED, VOID
from shared.rules import cards
from shared.rules.rulebook import LOSE, WIN
from shared.rules.settlement import MAIN

ENDED = (SETTLED, VOID)
KEPT_ROUNDS = 20
ENVY = "Envy Bonus"


class ViewKeeper:
    """Takes the records of a log in their order, from any standing (`begin`) on.

    Begin some rounds before the end of the log: the last result and the history strip come from there. The
    service sets `stale`, as it knows the link. While the records of an event are still coming, the view is the
    one from before it. `rules` is the digest of the core that plays, as StrictReplay has it.
    """

    def __init__(self, rules: str | None = None, stale: bool = False) -> None:
        self.stale = stale
        self.replay = StrictReplay(rules)
        self.activity = Activity()
        self.past: deque[Past] = deque(maxlen=KEPT_ROUNDS)
        self.jackpots: dict[str, int] = {}  # cents by player, of what waits to be paid by hand
        self.shown: Round | None = None  # the round on view
        self.before = TableView()  # the event whose records are coming
        self.clear()

    @property
    def round(self) -> Round | None:
        """The round as the log has it; a new one while the last is still on view."""
        return self.replay.round

    @property
    def is_whole(self) -> bool:
        """Whether the records of the last event have all come."""
        return not self.replay.expected

    def start_again(self) -> None:
        """Play on from the next standing and forget what came before it; results and history stay."""
        self.replay = StrictReplay(self.replay.rules)

    def clear(self) -> None:
        """Betting opens: the last result goes."""
        self.face_up: set[int] = set()  # places whose hand the log has shown
        self.was_reversed = False

    def take(self, record: list[Any], number: int | None = None) -> Difference | None:
        """None if the record is what must come here, else what differs. What has a number can be undone."""
        with suppress(*UNPLAYABLE):
            self.prepare(record)
        difference = self.replay.take(record)
        with suppress(*UNPLAYABLE):
            self.follow(record, number)
        return difference

    def prepare(self, record: list[Any]) -> None:
        """What must be known of the table as it stands before the record."""
        if record[0] != "event":
            return
        self.before = self.view()
        self.activity.prepare(self.round, record[2])
        if record[2][0] == "open":
            played = self.played()
            if played:
                self.past.append(played)

    def follow(self, record: list[Any], number: int | None) -> None:
        opens = record[0] == "event" and record[2][0] == "open"
        if opens:
            self.clear()
        self.follow_round(opens)
        if record[0] == "shown":
            self.face_up.add(record[1])
        elif record[0] == "hand_pay":
            self.jackpots[record[1]] = record[2]
        elif record[0] == "reversed":
            self.was_reversed = True
        self.activity.follow(self.round, record, number)

    def follow_round(self, opens: bool) -> None:
        """A standing makes a new round; the one on view stays until betting opens, if it has ended."""
        latest, shown = self.round, self.shown
        if latest is None or latest is shown:
            return
        if shown is not None and shown.book is not latest.book:
            self.past.clear()
        if opens or shown is None or shown.state not in ENDED or latest.state != IDLE:
            self.shown = latest

    # -- the view

    def view(self) -> TableView:
        if self.replay.expected:
            return replace(self.before, stale=self.stale)
        latest, shown = self.round, self.shown
        if latest is None or shown is None:
            return TableView(faults=tuple(self.replay.faults), stale=self.stale)
        dealer = self.hand(shown, DEALER)
        played = self.played()
        return TableView(
            title=latest.book.TITLE,
            shorter=latest.book.SHORTER,
            limits=limits_of(latest),
            state=shown.state,
            number=shown.number,
            question=shown.question,
            dealer=dealer,
            qualifies=dealer_qualifies(shown) if dealer.name else None,
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
        outcomes = self.outcomes_of(shown)
        return tuple(
            Box(
                number,
                self.hand(shown, number),
                self.main_stands(shown, number),
                shown.decisions.get(number),
                number in shown.removed,
                tuple(outcomes.get(number, ())),
            )
            for number in shown.order
        )

    def hand(self, shown: Round, place: int) -> Hand:
        """The hand as the table sees it: face down only a number of cards. Three known cards have a name."""
        if shown.state in (IDLE, BETTING, VOID) or place in shown.removed:
            return Hand()
        held = shown.hands.get(place, [])
        lies_open = place in shown.shown and place in self.face_up
        if not lies_open or shown.decisions.get(place) == FOLD:
            return Hand(len(held))
        words = tuple(cards.text(card) for card in held)
        if not is_known(shown, place):
            return Hand(len(held), words)
        return Hand(len(held), words, *hand_name(shown.book, shown.book.value(*held))[1:])

    def main_stands(self, shown: Round, box: int) -> str | None:
        """What the book's judge says of the main wager, once both hands can be seen and while it is in play."""
        both_seen = self.hand(shown, box).name and self.hand(shown, DEALER).name
        if not both_seen or not bets_on(shown, box, MAIN):
            return None
        book, held = shown.book, shown.hands[box]
        dealer = book.value(*shown.hands[DEALER])
        return book.WAGERS[MAIN].judge(book.value(*held), book.mark(*held), dealer).result

    def outcomes_of(self, shown: Round) -> dict[int | None, list[Outcome]]:
        """What was settled, by box. Players on one box share its hand, so most of their wagers end alike; once is
        enough."""
        found: dict[int | None, list[Outcome]] = {}
        for box, record in self.activity.lines:
            outcome, known = outcome_of(shown.book, record), found.setdefault(box, [])
            if outcome not in known or record[0] == "envy":
                known.append(outcome)
        return found

    def played(self) -> Past | None:
        """The round on view for the history strip, if it has ended and had a result or was void."""
        shown = self.shown
        if shown is None or not has_ended(shown):
            return None
        if shown.state == VOID:
            return Past("", NO_RESULT)
        # An envy bonus is for another player's hand, and no result of a box.
        settled = [
            [one for one in outcomes if one.wager != ENVY]
            for box, outcomes in self.outcomes_of(shown).items()
            if box is not None
        ]
        if not settled:
            return None
        results = [
            {one.result for one in outcomes if one.is_main} or {one.result for one in outcomes}
            for outcomes in settled
        ]
        won = len([result for result in results if WIN in result])
        lost = len([result for result in results if LOSE in result and WIN not in result])
        went = WON if won > lost else LOST if lost > won else EVEN
        return Past(self.hand(shown, DEALER).code, went)


def has_ended(round_: Round) -> bool:
    return round_.state in ENDED or (round_.state == FROZEN and round_.resume in ENDED)


def dealer_qualifies(round_: Round) -> bool | None:
    book = round_.book
    return book.qualifies(book.value(*round_.hands[DEALER])) if book.qualifies else None


def limits_of(round_: Round) -> tuple[Limit, ...]:
    found: list[Limit] = []
    table: Any = round_.table
    for index, wager in enumerate(round_.book.WAGERS):
        limits = (table.stake, table.stake) if index == table.progressive else table.limits[index]
        if limits:
            found.append(Limit(wager.title, index == MAIN, *limits))
    return tuple(found)


def outcome_of(book: ModuleType, record: list[Any]) -> Outcome:
    if record[0] == "envy":
        _, _, cents, *_ = record
        return Outcome(ENVY, False, WIN, None if cents is None else dollars(cents))
    if record[0] == "bonus":
        _, _, _, num, den, *_ = record
        return Outcome(book.BONUS.title, False, WIN, odds_text(num, den, ""))
    _, _, _, name, result, num, den, *_ = record
    index = [wager.name for wager in book.WAGERS].index(name)
    wager, pays = book.WAGERS[index], odds_text(num, den, "") if result == WIN else None
    return Outcome(wager.title, index == MAIN, result, pays, wager.on_decision)
