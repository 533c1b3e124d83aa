"""Every state of the display in every game, from rounds that are really played; for reference and for looking."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from host.display.table_view import TableView
from host.rules.catalogue import play_wager_place
from host.rules.hand_names import is_poker
from host.table.view import ViewKeeper
from shared.journal.journal import OPENING
from shared.journal.snapshot import CONFIGURED, standing_records
from shared.round.round import Round
from shared.round.states import CHOOSE

BOXES = 8
METER = 1_234_500
SIDE_LIMITS = [500, 50_000]
MAIN_LIMITS = [2_500, 500_000]

# Cards by box, the dealer's last. The dealer has six with one picture; the boxes beat it, lose by pictures, tie,
# have Three Pictures, and beat it again.
PICTURES_DEAL = ("KS QD 9H", "2C 3H AD", "JD 4C 2S", "KC QC JS", "7S 8D 2H", "JC 4S 2D")
# Dealer queen-high: a pair, a lower hand, the same hand, a straight flush, and a hand that folds.
POKER_DEAL = ("7S 7D 2C", "TC 8D 3S", "QD 9H 4S", "5H 6H 7H", "2H 3D 8S", "QH 9C 4D")
FOLDS = 5
# Dealer jack-high, who does not qualify; the first box has the jackpot.
JACKPOT_DEAL = ("AS KS QS", "9C 7D 2H", "JC TD 8H")


class Scene(NamedTuple):
    name: str
    view: TableView


class Stage:
    """A table on which rounds are played, with a keeper that sees their records as the log would hold them."""

    def __init__(self, book: ModuleType) -> None:
        self.book = book
        self.wagers = [wager.name for wager in book.WAGERS if not wager.on_decision]
        self.config: dict[str, Any] = {"game": book.ID, "boxes": BOXES, "limits": {}}
        self.has_progressive = "progressive" in self.wagers
        for wager in self.wagers:
            if wager != "progressive":
                self.config["limits"][wager] = SIDE_LIMITS if wager != self.wagers[0] else MAIN_LIMITS
        if self.has_progressive:
            self.config["progressive"] = {"stake": 500, "contribution": 100, "meter": METER, "reset": 250_000}
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
        if is_poker(self.book):
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


def main_deal(book: ModuleType) -> tuple[str, ...]:
    return POKER_DEAL if is_poker(book) else PICTURES_DEAL


def scenes(book: ModuleType) -> Iterator[Scene]:
    """Every state of the display in this game."""
    yield Scene("unknown", ViewKeeper().view())
    deal = main_deal(book)
    boxes = len(deal) - 1
    cards = Stage(book).cards(deal)
    stage = Stage(book)
    yield stage.scene("idle")
    stage.play(["open"])
    yield stage.scene("betting")
    stage.play(*stage.bets(boxes), ["close"])
    yield stage.scene("closed")
    stage.play(*cards[:7])
    yield stage.scene("dealing")
    stage.play(*cards[7:])
    yield stage.scene("deciding" if play_wager_place(book) is not None else "playing")
    middle = stage.middle(boxes, FOLDS)
    stage.play(*middle[:2])
    yield stage.scene("partly decided" if play_wager_place(book) is not None else "partly shown")
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
    yield from endings(Stage(book), deal)
    yield from full_table(Stage(book))
    if is_poker(book):
        yield from jackpot(Stage(book))


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
    stage.play(["ruling", "void", "shift_manager"])
    yield stage.scene("void")
    stage.play(["open"], *stage.bets(boxes, sides=False), ["close"], *stage.cards(deal), ["handled", 2])
    stage.play(["irregularity", "wrong_count", 2])
    if stage.round.question and stage.round.question.kind == CHOOSE:
        yield stage.scene("players choose")
        stage.play(["choices_done"])
    if 2 in stage.round.removed:
        stage.play(["reveal"] if not stage.book.PROCEDURE.shown_first else ["show", 1])
        yield stage.scene("a hand is out")


def endings(stage: Stage, deal: tuple[str, ...]) -> Iterator[Scene]:
    """How a round can end, each with the deal's dealer against one of its boxes."""
    dealer = deal[-1]
    stage.play(*stage.whole_round((deal[2], dealer)))
    yield stage.scene("tie")
    stage.play(*stage.whole_round((deal[1], dealer), sides=False))
    yield stage.scene("all lose")
    stage.play(*stage.whole_round((deal[3], dealer), sides=False))
    yield stage.scene("one winner")
    stage.play(["irregularity", "wrong_count", 0, None, None, None, "pit_supervisor"])
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


def jackpot(stage: Stage) -> Iterator[Scene]:
    stage.play(*stage.whole_round(JACKPOT_DEAL, folds=2))
    yield stage.scene("hand pay")
    stage.play(["hand_paid", "P1", "pit_supervisor"])
    yield stage.scene("jackpot paid")
