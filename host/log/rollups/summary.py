"""What is kept of a round: one row that follows from its records, and from what was told of it later.

The same records always give the same row, however they came, so an audit can make it again. If what follows from
them changes with a new version, DERIVATION goes up by one, and every log is summed up anew.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from host.words.hand_names import hand_name
from shared.journal.chain import record_of
from shared.round.states import CLOSED, DECIDING, PLAYING, REVEALED, SETTLED, VOID
from shared.rules import cards
from shared.rules.rulebook import load

DERIVATION = 1
OVER = (SETTLED, VOID)
MOST = (1 << 40) - 1  # cents or seconds; a round with more is none that a table played
DEALER = 0


class Summary(NamedTuple):
    """A row of `rollup_rounds`. Money is None where the round was not settled or the table has no amounts."""

    round: int
    first: int  # its first record, and its last
    last: int
    game: str | None
    begun: int
    ended: int | None
    outcome: str | None
    paragraph: str | None  # why it is void, and the reading
    ruling: str | None
    staked: int | None
    returned: int | None
    house_net: int | None
    betting: int | None  # seconds of each phase, None if it was not gone through
    dealing: int | None
    deciding: int | None
    settling: int | None
    pause: int | None  # seconds since the round before
    hands: int  # of players
    bets: int  # that were decided
    largest: int  # the largest single bet or payment
    irregularities: int  # that were told
    refusals: int
    faults: int
    details: str  # JSON, as Details


class Details(NamedTuple):
    """What else a round can be found by and what statistics need of it, in lists in a fixed order."""

    bets: list[
        list[Any]
    ]  # [box, player, wager, result]: what stands together in a record, None where nothing does
    cards: list[list[Any]]  # [place, cards]: every card that was in a hand; of no hand under None
    hands: list[list[Any]]  # [place, rank] as they lay in the end
    lines: list[list[Any]]  # [box, wager, result, number, staked, paid, returned]
    largest: list[list[Any]]  # [wager, cents]
    irregular: list[list[Any]]  # [kind, how often]
    refused: list[list[Any]]  # [code, how often]
    faults: list[list[Any]]
    staff: list[str]
    posts: list[list[Any]]  # [post, how often it acted]


Bet = tuple[Any, ...]  # (box, player, wager, result)


class Decided(NamedTuple):
    """What was decided of a bet, or paid beside the bets."""

    box: Any
    player: str | None
    wager: str
    result: str | None
    stake: int
    paid: int
    returned: int
    kind: str


class Entry(NamedTuple):
    """A row of the table `records`, in the order of its columns."""

    number: int
    boot: int
    kind: str
    what: str | None
    round: int | None
    about: int | None
    box: Any
    player: str | None
    wager: str | None
    result: str | None
    cents: Any
    stake: Any
    paid: Any
    returned: Any
    irregularity: str | None
    paragraph: str | None
    staff: str | None
    post: str | None
    seconds: int
    table_seconds: int | None
    line: bytes

    @property
    def at(self) -> int:
        """When it was, by the table's clock if the table knew the time."""
        return self.seconds if self.table_seconds is None else self.table_seconds


COLUMNS = ", ".join(Entry._fields)
OF_ROUND = f"SELECT {COLUMNS} FROM records WHERE round = ? ORDER BY number"
TOLD = f"SELECT {COLUMNS} FROM records WHERE about = ? AND round <> about AND kind = 'event' ORDER BY number"
OF_GAME = "FROM records WHERE kind = 'config' AND what = 'game'"
GAME_BEFORE = f"SELECT line {OF_GAME} AND number < ? ORDER BY number DESC LIMIT 1"
ENDED_BEFORE = "SELECT ended FROM rollup_rounds WHERE round < ? ORDER BY round DESC LIMIT 1"
SUMMARY_COLUMNS = ", ".join(Summary._fields)

FAULTS = ("fault", "cleared", "held")  # whose code is no irregularity of a round
PHASES = ((CLOSED,), (PLAYING, DECIDING), (REVEALED,), (SETTLED,))  # each begins with the first of these states
STAKES = ("refund", "placed", "hand_pay")  # whose cents are a bet's, or a payment that is listed already
DECIDES = ("line", "bonus", "envy", "reversed")
CARDS = {"shown": 2, "dealt": 2, "lies": 1, "seen": 1}  # records that name cards, and where in them
NUMBER, TEXT = (int, type(None)), (str, type(None))
BOX = Entry._fields.index("box")
TEXTS = re.compile(rb'"([^"]*)"')
UNREADABLE = (ValueError, IndexError, TypeError)  # a line that somebody changed; the audit says so


def summarize(connection: sqlite3.Connection, number: int, entries: list[Entry] | None = None) -> Summary | None:
    """The summary of a round; None if it did not open in this log. `entries` are its records, if known."""
    if entries is None:
        entries = [Entry._make(row) for row in connection.execute(OF_ROUND, (number,))]
    opened = next((one for one in entries if one.kind == "event" and one.what == "open"), None)
    if opened is None:
        return None
    later = [Entry._make(row) for row in connection.execute(TOLD, (number,))]
    before = connection.execute(ENDED_BEFORE, (number,)).fetchone()
    game = game_before(connection, opened.number)
    try:
        summary = sum_up(number, entries, later, opened, game, before[0] if before else None)
    except UNREADABLE:
        return None  # the table's key sealed what its core does not write; the audit says so
    amounts = (summary.staked or 0, summary.returned or 0, summary.largest, summary.begun)
    return summary if all(0 <= amount <= MOST for amount in amounts) else None


def is_plain(row: tuple[Any, ...]) -> bool:
    """Whether an inserted row is read again as it is: SQLite keeps the text "3" as a number where it can."""
    box, *texts = row[BOX : BOX + 4]
    return (
        type(box) in NUMBER
        and all(type(one) in TEXT for one in texts)
        and all(type(one) in NUMBER for one in row[BOX + 4 : BOX + 8])
    )


def game_before(connection: sqlite3.Connection, number: int) -> str | None:
    """The rulebook's id that the last configuration before a record names."""
    row = connection.execute(GAME_BEFORE, (number,)).fetchone()
    value = field(row[0], 2) if row else None
    return value if isinstance(value, str) else None


def sum_up(
    number: int, entries: list[Entry], later: list[Entry], opened: Entry, game: str | None, before: int | None
) -> Summary:
    of_kind: dict[str, list[Entry]] = {}
    for one in entries:
        of_kind.setdefault(one.kind, []).append(one)
    states = of_kind.get("state", [])
    ended = max((one.at for one in states if one.what in OVER), default=None)
    void = of_kind["void"][-1] if "void" in of_kind else None
    outcome = states[-1].what if states else None
    totals = [(1, one) for one in of_kind.get("total", [])] + [(-1, one) for one in of_kind.get("reversed", [])]
    amounts = [(sign * (one.stake or 0), sign * (one.returned or 0)) for sign, one in totals if has_money(one)]
    staked = sum(stake for stake, _ in amounts) if amounts else None
    returned = sum(back for _, back in amounts) if amounts else None
    details = details_of(entries, later, game)
    largest = max((cents for _, cents in details.largest), default=0)
    betting, dealing, deciding, settling = phases(opened, states)
    return Summary(
        round=number,
        first=opened.number,
        last=entries[-1].number,
        game=game,
        begun=opened.at,
        ended=ended,
        outcome=outcome,
        paragraph=void.paragraph if void else None,
        ruling=field(void.line, 2) if void else None,
        staked=staked,
        returned=returned,
        house_net=staked - returned if staked is not None and returned is not None else None,
        betting=betting,
        dealing=dealing,
        deciding=deciding,
        settling=settling,
        pause=seconds_between(before, opened.at),
        hands=sum(place not in (DEALER, None) for place, _ in details.cards),
        bets=sum(line[3] for line in details.lines),
        largest=largest,
        irregularities=sum(one.irregularity is not None for one in (*of_kind.get("event", []), *later)),
        refusals=sum(count for _, count in details.refused),
        faults=sum(count for _, count in details.faults),
        details=json.dumps(details, separators=(",", ":")),
    )


def has_money(one: Entry) -> bool:
    return isinstance(one.stake, int) or isinstance(one.returned, int)


def phases(opened: Entry, states: list[Entry]) -> list[int | None]:
    """The seconds of betting, deal, decisions and settlement."""
    begun: list[int | None] = [opened.at]
    for names in PHASES:
        begun.append(next((one.at for one in states if one.what in names), None))
    return [seconds_between(before, after) for before, after in pairwise(begun)]


def seconds_between(before: int | None, after: int | None) -> int | None:
    """None if either is not known, or if the clock was set back between them."""
    return after - before if before is not None and after is not None and after >= before else None


def field(line: bytes, place: int) -> Any:
    """A field of the record in a line; None if it is not there."""
    try:
        return record_of(line)[place]
    except UNREADABLE:
        return None


def details_of(entries: list[Entry], later: list[Entry], game: str | None) -> Details:
    bets: set[Bet] = set()
    dealt: dict[int | None, set[str]] = {}
    shown: dict[int | None, list[str]] = {}
    decided: list[Decided] = []
    largest: dict[str, int] = {}
    refused: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    posts: Counter[str] = Counter()
    for one in entries:
        kind = one.kind
        bets.add((one.box, one.player, one.wager, one.result))
        if kind == "event":
            if one.post is not None:
                posts[one.post] += 1
            if one.wager is not None:
                take_largest(largest, one.wager, one.cents)
        elif kind in CARDS:
            take_cards(dealt, shown, one)
        elif kind in DECIDES:
            decide(decided, one)
            if kind != "reversed":
                take_largest(largest, one.wager or kind, one.stake)
                take_largest(largest, one.wager or kind, one.cents if kind == "envy" else one.paid)
        elif kind in STAKES:
            take_largest(largest, one.wager, one.cents)
        elif kind == "refused":
            refused[str(field(one.line, 3))] += 1
        elif kind == "fault":
            faults[str(one.irregularity)] += 1
    return Details(
        in_order(whole_ones(bets)),
        in_order([place, sorted(held)] for place, held in dealt.items()),
        in_order(ranked(shown, game)),
        in_order(added_up(decided)),
        in_order(largest.items()),
        in_order(irregular_in((*entries, *later)).items()),
        in_order(refused.items()),
        in_order(faults.items()),
        sorted({one.staff for one in (*entries, *later) if one.staff is not None}),
        in_order(posts.items()),
    )


def irregular_in(entries: Iterable[Entry]) -> Counter[str]:
    """How often each was told; what only the table says, as a question or a warning, how often it says so."""
    told: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for one in entries:
        if one.irregularity is not None and one.kind not in FAULTS:
            (told if one.kind == "event" else said)[one.irregularity] += 1
    return Counter(dict(said) | dict(told))


def in_order(rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """The same order for the same rows, whatever a column may hold."""
    return sorted((list(row) for row in rows), key=repr)


def whole_ones(bets: set[Bet]) -> set[Bet]:
    """Without those that say less than another: a bet with its result stands there once."""
    decided = {bet[:3] for bet in bets if bet[3] is not None}
    kept = {bet for bet in bets if bet[3] is not None or (bet[2] is not None and bet[:3] not in decided)}
    players = {bet[:2] for bet in kept}
    boxes = {bet[0] for bet in kept}
    for bet in bets - kept:
        if bet[2] is None and bet[:2] not in players and (bet[1] is not None or bet[0] not in boxes):
            kept.add(bet)
    kept.discard((None, None, None, None))
    return kept


def take_largest(largest: dict[str, int], wager: str | None, cents: Any) -> None:
    name = wager or ""
    if isinstance(cents, int) and cents > largest.get(name, 0):
        largest[name] = cents


def decide(decided: list[Decided], one: Entry) -> None:
    """Take what was decided of a bet or paid beside it; what is taken back goes out again."""
    if one.kind == "reversed":
        found = next((bet for bet in reversed(decided) if is_taken_back(bet, one)), None)
        if found:
            decided.remove(found)
        return
    paid = one.cents if one.kind == "envy" else one.paid
    back = one.returned if one.kind == "line" else paid
    decided.append(
        Decided(
            one.box, one.player, one.wager or one.kind, one.result, one.stake or 0, paid or 0, back or 0, one.kind
        )
    )


def is_taken_back(bet: Decided, one: Entry) -> bool:
    """Whether a reversal is about this; a payment beside the bets is known by its player and sum."""
    if one.wager is not None:
        return bet.kind == "line" and (bet.box, bet.player, bet.wager) == (one.box, one.player, one.wager)
    return bet.kind != "line" and bet.player == one.player and bet.returned == (one.returned or 0)


def added_up(decided: list[Decided]) -> Iterable[list[Any]]:
    """[box, wager, result, how many, staked, paid, returned]."""
    sums: dict[tuple[Any, ...], list[int]] = {}
    for bet in decided:
        row = sums.setdefault((bet.box, bet.wager, bet.result), [0, 0, 0, 0])
        for place, amount in enumerate((bet.kind == "line", bet.stake, bet.paid, bet.returned)):
            row[place] += amount
    return ([*key, *row] for key, row in sums.items())


def take_cards(dealt: dict[int | None, set[str]], shown: dict[int | None, list[str]], one: Entry) -> None:
    held = cards_in(one)
    if one.kind == "shown":
        shown[one.box] = held
    dealt.setdefault(one.box, set()).update(held)


def cards_in(one: Entry) -> list[str]:
    """The cards that a record names. All its texts are cards, but for its name."""
    if b"\\" not in one.line:
        texts = TEXTS.findall(one.line)  # many times as quick as reading the line
        return [text.decode() for text in texts[2:-1]]  # without "rec", the record's name and the seal
    named = field(one.line, CARDS[one.kind])
    return [card for card in (named if isinstance(named, list) else [named]) if isinstance(card, str)]


def ranked(shown: dict[int | None, list[str]], game: str | None) -> Iterable[list[Any]]:
    """The rank of each hand that was shown, by the name that the book gives it."""
    try:
        book = load(game) if game and shown else None
    except ValueError:
        book = None  # a game that this Felt does not know
    if book is None:
        return
    for place, held in shown.items():
        try:
            hand = [cards.parse(card) for card in held]
        except UNREADABLE:
            continue
        if len(hand) == 3 and len(set(hand)) == 3:
            yield [place, hand_name(book, book.value(*hand)).entry]


def details_in(summary: Summary) -> Details:
    return Details._make(json.loads(summary.details))
