"""Plays a round in a test: `TableTop(LUCKY, boxes=2)`, `do("open")`, `do("bet", 1, "P1", "initial", 500)`."""

from typing import Any

from shared.round import deal
from shared.round.round import Round
from shared.rules import cards
from tests.support.ledger import Ledger, state_of
from tests.support.tables import POKER

PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}


class TableTop:
    """A Round with its ledger: every accepted event is checked for money and cards as it happens."""

    def __init__(self, game: str, **config: Any) -> None:
        config = {"game": game, "boxes": 3} | config
        if game == POKER:
            config.setdefault("progressive", PROGRESSIVE)
        self.round = Round(config)
        self.ledger = Ledger(self.round)

    @property
    def state(self) -> str:
        return self.round.state

    @property
    def asked(self) -> str | None:
        """The kind of question that the round waits with."""
        return self.round.question[0] if self.round.question else None

    def do(self, *event: Any, **fields: Any) -> list[list[Any]]:
        """An event that must be accepted; returns what follows from it, without the event itself.

        Fields may be given by position or by name: do("bet", 1, "P1", "main", 500, seated=False).
        """
        records = self.round.apply(self.written(event, fields))
        assert records[0][0] == "event", records
        self.ledger.follow(records)
        return records[1:]

    def refused(self, *event: Any, **fields: Any) -> str | None:
        """An event that must be refused and change nothing; returns the paragraph or reading it names."""
        before = state_of(self.round)
        records = self.round.apply(self.written(event, fields))
        assert [record[0] for record in records] == ["refused"], records
        assert state_of(self.round) == before
        return records[0][2]

    @staticmethod
    def written(event: tuple[Any, ...], fields: dict[str, Any]) -> Any:
        from shared.round.events import EVENTS

        if not fields:
            return list(event)
        names = [field.rstrip("?") for field in EVENTS[event[0]]]
        return {"event": event[0]} | dict(zip(names, event[1:])) | fields

    def bets(self, *bets: tuple[Any, ...]) -> None:
        """Open betting and place these: (box, player, wager, cents)."""
        self.do("open")
        for bet in bets:
            self.do("bet", *bet)

    def deal(self, **hands: str) -> None:
        """Close if need be and deal whole hands: deal(b1="KS QH 9D", dealer="2S 3S 4S")."""
        if self.state == "betting":
            self.do("close")
        waiting = {0 if name == "dealer" else int(name[1:]): words.split() for name, words in hands.items()}
        while (place := self.round.next_place()) is not None:
            self.do("card", waiting[place].pop(0))

    def exchange(self, card: str, other: str) -> list[list[Any]]:
        """Two cards lie in each other's place."""
        place, other_place = (
            next(place for place, hand in self.round.hands.items() if cards.parse(word) in hand)
            for word in (card, other)
        )
        return [
            *self.do("lies", card, "pit_supervisor", other_place),
            *self.do("lies", other, "pit_supervisor", place),
        ]

    def has_only_open_cards(self) -> bool:
        """Whether the table has seen every card that was dealt to a hand in play."""
        seen = deal.exposed(self.round)
        return all(card in seen for place in deal.places(self.round) for card in self.round.hands.get(place, ()))

    def finish(self) -> list[list[Any]]:
        """Show what must be shown, reveal and settle; returns the settlement's records."""
        for box in self.round.order:
            if self.state == "playing" and box not in self.round.removed and box not in self.round.shown:
                self.do("show", box, "dealer")
        self.do("reveal")
        return self.do("settle")


def of_kind(records: list[list[Any]], kind: str) -> list[list[Any]]:
    return [record for record in records if record[0] == kind]
