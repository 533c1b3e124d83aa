"""A keeper that sees a round as the log would hold it, and the states and cards it may know of."""

from typing import Any

from host.display.table_view import TableView
from host.table.view import ViewKeeper
from shared.journal.journal import OPENING
from shared.journal.snapshot import standing_records
from shared.round.round import Round


class Watched:
    """A round whose records go to a keeper, with a standing before each opening as the table writes it."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.round = Round(config)
        self.keeper = ViewKeeper()
        self.records: list[list[Any]] = []
        self.stand("config")

    def log(self, records: list[list[Any]]) -> None:
        for record in records:
            self.records.append(record)
            self.keeper.take(record)

    def stand(self, why: str) -> None:
        self.log(standing_records(why, self.config, self.round, 0, (), []))

    def apply(self, event: Any) -> list[list[Any]]:
        if event == ["open"] and self.round.verify(event) is None:
            self.stand(OPENING)
        records = self.round.apply(event)
        self.log(records)
        return records

    def play(self, *events: list[Any]) -> TableView:
        for event in events:
            records = self.apply(event)
            assert records[0][0] == "event", records
        return self.view

    @property
    def view(self) -> TableView:
        return self.keeper.view()


def deal(words: str) -> list[list[Any]]:
    return [["card", word] for word in words.split()]


def face_up(view: TableView) -> list[str]:
    """Every card that the view shows."""
    return [card for hand in (view.dealer, *(box.hand for box in view.boxes)) for card in hand.cards]
