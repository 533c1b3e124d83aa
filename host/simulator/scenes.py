"""Every state of the display in every game, from rounds that are really played; for reference and for looking."""

import random
from collections.abc import Iterator
from itertools import combinations
from types import ModuleType
from typing import Any, NamedTuple

from host.display.table_view import TableView
from host.rules.catalogue import is_progressive, progressive_place
from host.table.view import ViewKeeper
from shared.journal.journal import OPENING
from shared.journal.snapshot import CONFIGURED, standing_records
from shared.round.round import Round
from shared.round.states import CHOOSE, TELL
from shared.rules import cards
from shared.rules.rulebook import _PUSH, LOSE, METER_SHARE, WIN
from shared.rules.settlement import MAIN

BOXES = 8
METER = 1_234_500
SIDE_LIMITS = [500, 50_000]
MAIN_LIMITS = [2_500, 500_000]

# Cards by box, the dealer's last, that show much in some games.
TELLING_DEALS = (
    ("KS QD 9H", "2C 3H AD", "JD 4C 2S", "KC QC JS", "7S 8D 2H", "JC 4S 2D"),
    ("7S 7D 2C", "TC 8D 3S", "QD 9H 4S", "5H 6H 7H", "2H 3D 8S", "QH 9C 4D"),
)
SHUFFLES = 10_000
FOLDS = 5


class Scene(NamedTuple):
    name: str
    view: TableView


class Stage:
    """A table on which rounds are played, with a keeper that sees their records as the log would hold them."""

    def __init__(self, book: ModuleType) -> None:
        self.book = book
        self.wagers = [wager.name for wager in book.WAGERS if not wager.on_decision]
        self.config: dict[str, Any] = {"game": book.ID, "boxes": BOXES, "limits": {}}
        for wager in book.WAGERS:
            if is_progressive(wager):
                self.config["progressive"] = {"stake": 500, "contribution": 100, "meter": METER, "reset": 250_000}
            elif not wager.on_decision:
                self.config["limits"][wager.name] = SIDE_LIMITS if wager.name != self.wagers[0] else MAIN_LIMITS
        self.round = Round(self.config)
        self.keeper = ViewKeeper()
        self.stand(CONFIGURED)

    def stand(self, why: str) -> None:
        for record in standing_records(why, self.config, self.round, 0, (), []):
            self.keeper.take(record)

    def play(self, *events: list[Any]) -> None:
        for event in events:
            if event[0] == "open":
                self.stand(OPENING)
            for record in self.round.apply(event):
                if record[0] == "refused":
                    raise ValueError(f"{record[1]}: {record[3]}")
                self.keeper.take(record)

    def bets(self, boxes: int, sides: bool = True) -> list[list[Any]]:
        events = []
        for box in range(1, boxes + 1):
            for wager in self.wagers if sides else self.wagers[:1]:
                least = MAIN_LIMITS[0] if wager == self.wagers[0] else SIDE_LIMITS[0]
                events.append(["bet", box, f"P{box}", wager, least])
        return events

    def cards(self, deal: tuple[str, ...]) -> list[list[Any]]:
        return [["card", word] for hand in deal for word in hand.split()]

    def middle(self, boxes: int, folds: int = 0) -> list[list[Any]]:
        """Players decide, or show their hands."""
        if self.book.PROCEDURE.deciding:
            numbers = range(1, boxes + 1)
            return [["decide", box, "fold" if box == folds else "play", None, True] for box in numbers]
        return [["show", box] for box in range(1, boxes + 1)]

    def whole_round(self, deal: tuple[str, ...], sides: bool = True, folds: int = 0) -> list[list[Any]]:
        boxes = len(deal) - 1
        return [
            ["open"],
            *self.bets(boxes, sides),
            ["close"],
            *self.cards(deal),
            *self.middle(boxes, folds),
            ["reveal"],
            ["settle"],
        ]

    def scene(self, name: str) -> Scene:
        return Scene(name, self.keeper.view())


def value_of(book: ModuleType, hand: str) -> int:
    return book.value(*map(cards.parse, hand.split()))


def shuffled_hands(book: ModuleType, seed: int, without: tuple[int, ...] = ()) -> list[str]:
    """A deck in hands of three, the lowest hand first."""
    deck = [cards.text(card) for card in range(cards.DECK_SIZE) if card not in without]
    random.Random(seed).shuffle(deck)
    hands = [" ".join(deck[start : start + 3]) for start in range(0, len(deck) - 2, 3)]
    return sorted(hands, key=lambda hand: value_of(book, hand))


def possible_deals(book: ModuleType) -> Iterator[tuple[str, ...]]:
    yield from TELLING_DEALS
    for seed in range(SHUFFLES):
        hands = shuffled_hands(book, seed)
        for at in range(3, len(hands) - 2):
            yield hands[at + 1], hands[at - 2], hands[at - 1], hands[-1], hands[0], hands[at]


def main_deal(book: ModuleType) -> tuple[str, ...]:
    """Boxes that win, lose, tie, win with a hand of the highest family, and one more that may fold."""
    judge = book.WAGERS[MAIN].judge
    for deal in possible_deals(book):
        *boxes, dealer = [value_of(book, hand) for hand in deal]
        results = [judge(value, 0, dealer).result for value in boxes[:4]]
        if results == [WIN, LOSE, _PUSH, WIN] and book.rank(boxes[3])[0] == len(book.HANDS) - 1:
            return deal
    raise ValueError(f"{book.ID}: no deal shows a win, a loss and a tie")


def jackpot_deal(book: ModuleType, place: int) -> tuple[str, ...]:
    """The hand that wins the meter, one that folds where that can be, and the lowest of a deck for the dealer."""
    judge = book.WAGERS[place].judge
    for hand in combinations(range(cards.DECK_SIZE), 3):
        if judge(book.value(*hand), book.mark(*hand), 0).den == METER_SHARE:
            dealer, low, *_ = shuffled_hands(book, 0, hand)
            return " ".join(map(cards.text, hand)), low, dealer
    raise ValueError(f"{book.ID}: no hand wins the meter")


def scenes(book: ModuleType) -> Iterator[Scene]:
    """Every state of the display in this game."""
    yield Scene("unknown", ViewKeeper().view())
    deal = main_deal(book)
    boxes = len(deal) - 1
    dealt = Stage(book).cards(deal)
    stage = Stage(book)
    yield stage.scene("idle")
    stage.play(["open"])
    yield stage.scene("betting")
    stage.play(*stage.bets(boxes), ["close"])
    yield stage.scene("closed")
    stage.play(*dealt[:7])
    yield stage.scene("dealing")
    stage.play(*dealt[7:])
    yield stage.scene("deciding" if book.PROCEDURE.deciding else "playing")
    middle = stage.middle(boxes, FOLDS)
    stage.play(*middle[:2])
    yield stage.scene("partly decided" if book.PROCEDURE.deciding else "partly shown")
    stage.play(*middle[2:], ["reveal"])
    yield stage.scene("revealed")
    stage.play(["settle"])
    yield stage.scene("settled")
    stage.keeper.stale = True
    yield stage.scene("settled without link")
    stage.keeper.stale = False
    stage.stand(CONFIGURED)
    yield stage.scene("kept after a restart")
    stage.keeper.take(["fault", "shuffler_jam", ""])
    yield stage.scene("fault")
    yield from trouble(Stage(book), deal)
    yield from facts(Stage(book), deal)
    yield from endings(Stage(book), deal)
    yield from full_table(Stage(book))
    place = progressive_place(book)
    if place is not None:
        yield from jackpot(Stage(book), place)


def trouble(stage: Stage, deal: tuple[str, ...]) -> Iterator[Scene]:
    """What interrupts a round."""
    boxes = len(deal) - 1
    stage.play(["open"], *stage.bets(boxes, sides=False))
    stage.keeper.stale = True
    yield stage.scene("betting without link")
    stage.keeper.stale = False
    stage.play(["close"], *stage.cards(deal)[:4], ["card", "no card"])
    yield stage.scene("checking a card")
    stage.play(["misread"], ["irregularity", "other"])
    yield stage.scene("waiting for a ruling")
    stage.play(["ruling", "void", stage.book.PROCEDURE.gap_role])
    yield stage.scene("void")
    stage.play(["open"], *stage.bets(boxes, sides=False), ["close"], *stage.cards(deal), ["handled", 2])
    stage.play(["irregularity", "wrong_count", 2])
    if stage.round.question and stage.round.question.kind == CHOOSE:
        yield stage.scene("players choose")
        stage.play(["choices_done"])
    if 2 in stage.round.removed:
        procedure = stage.book.PROCEDURE
        stage.play(stage.middle(1)[0] if procedure.deciding or procedure.shown_first else ["reveal"])
        yield stage.scene("a hand is out")


def facts(stage: Stage, deal: tuple[str, ...]) -> Iterator[Scene]:
    """What really lies there: no bet, a card that was not read, four cards in a hand, and cards that lie open."""
    stage.play(["open"], ["close"])
    yield stage.scene("closed without a bet")
    boxes = len(deal) - 1
    first, _, *rest = stage.cards(deal)
    stage.play(["open"], *stage.bets(boxes, sides=False), ["close"], first, ["card", cards.UNREAD], *rest)
    stage.play(*[["decide", 1, "play"]] if stage.book.PROCEDURE.deciding else [], ["show", 1])
    yield stage.scene("an unread card")
    stage.play(["lies", rest[1][1], "pit_supervisor", 1])
    yield stage.scene("four cards")
    stage.play(["power_failure"])
    if stage.round.question and stage.round.question.kind == TELL:
        yield stage.scene("which cards lie open")


def endings(stage: Stage, deal: tuple[str, ...]) -> Iterator[Scene]:
    """How a round can end, each with the deal's dealer against one of its boxes."""
    dealer = deal[-1]
    stage.play(*stage.whole_round((deal[2], dealer)))
    yield stage.scene("tie")
    stage.play(*stage.whole_round((deal[1], dealer), sides=False))
    yield stage.scene("all lose")
    stage.play(*stage.whole_round((deal[3], dealer), sides=False))
    yield stage.scene("one winner")
    stage.play(["irregularity", "wrong_count", 0, None, None, "pit_supervisor"])
    yield stage.scene("reversed")


def full_table(stage: Stage) -> Iterator[Scene]:
    """Eight boxes, after enough rounds to fill the history strip."""
    deck = [rank + suit for suit in "SHCD" for rank in "A94KT73QJ8652"]
    hands = tuple(" ".join(deck[start : start + 3]) for start in range(0, 3 * (BOXES + 1), 3))
    for turn in range(12):
        # The hands go round the table, so that the dealer has another one each time.
        stage.play(*stage.whole_round((hands * 2)[turn : turn + 4], sides=False))
    stage.play(["open"])
    yield stage.scene("history")
    stage.play(*stage.whole_round(hands)[1:])
    yield stage.scene("eight boxes")


def jackpot(stage: Stage, place: int) -> Iterator[Scene]:
    stage.play(*stage.whole_round(jackpot_deal(stage.book, place), folds=2))
    yield stage.scene("hand pay")
    stage.play(["hand_paid", "P1", "pit_supervisor"])
    yield stage.scene("jackpot paid")
