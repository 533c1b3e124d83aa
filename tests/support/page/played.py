"""Rounds played for the page without a table: the core's records go straight into what the page keeps."""

import random
from pathlib import Path
from typing import Any

from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.page.console import moment_now
from host.page.state import describe, describe_console
from host.simulator.floor import make_link
from host.table.bridge import Bridge
from host.table.port import TablePort
from host.table.service import TableService
from host.table.view import ViewKeeper
from shared.journal.snapshot import standing_records
from shared.round.round import Round
from tests.support.floors import IDENTITY, MemoryLog, config_of
from tests.support.linked import DONE
from tests.support.page.live_table import Notebook
from tests.support.tables import POKER

POSTS = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")
DEAL = "KS QH 9D 2S 3S 4S 7C 8C 9C"
MAINS = {"initial", "main", "ante"}


def quiet_service(folder: Path) -> TableService:
    """A service whose table is not there."""
    make_signer(folder / "host.key")
    log = MemoryLog()
    link = make_link(IDENTITY, log, random.Random(1), lambda: 1_790_000_000)
    checkpoints = CheckpointBook(folder / "checkpoints", "T1", read_signer(folder / "host.key"))
    return TableService(Bridge(link, log, checkpoints), TablePort("nowhere"), Notebook())


class Watched:
    """What the page makes of a `keeper` that is fed without a table."""

    keeper: ViewKeeper
    round: Round

    def picture(self, service: TableService) -> dict[str, Any]:
        service.bridge.keeper = self.keeper
        return describe(service)

    def console(self, post: str) -> dict[str, Any]:
        return describe_console(self.keeper, post)

    def moment(self, action: str) -> str:
        return moment_now(self.round, action, self.keeper.activity.asked, self.keeper.activity.placed)


class Played(Watched):
    """A round on two boxes; `keeper` is what the page knows of it."""

    def __init__(self, game: str, **more: Any) -> None:
        self.config = config_of(game, 2, **more)
        self.round = Round(self.config)
        self.keeper = ViewKeeper(stale=True)
        self.number = 0
        self.wagers = [wager.name for wager in self.round.book.WAGERS if not wager.on_decision]
        self.keep(standing_records("config", self.config, self.round, 0, (*DONE, ""), []))

    def keep(self, records: list[list[Any]]) -> None:
        for record in records:
            self.number += 1
            self.keeper.take(record, self.number)

    def play(self, *events: Any, staff: str = "") -> "Played":
        for event in events:
            if event[0] == "open":
                self.keep(standing_records("open", self.config, self.round, 0, (*DONE, ""), []))
            records = self.round.apply(event)
            assert records[0][0] == "event", records[0]
            if staff:
                records = [["command", 1, staff, "event", ""], *records, ["answer", 1, *DONE]]
            self.keep(records)
        return self

    def bets(self) -> "Played":
        return self.play(["open"], ["bet", 1, "P1", self.wagers[0], 1000], ["bet", 2, "P2", self.wagers[0], 1000])

    def closed(self) -> "Played":
        return self.bets().play(["close"])

    def dealt(self, cards: str = DEAL) -> "Played":
        return self.closed().play(*[["card", card] for card in cards.split()])

    def until(self, stage: str) -> "Played":
        """Play up to this stage: idle, betting, closed, dealing, dealt, handled, revealed or settled."""
        if stage == "idle":
            return self
        if stage == "betting":
            return self.bets()
        if stage == "closed":
            return self.closed()
        if stage == "dealing":
            return self.closed().play(*[["card", card] for card in DEAL.split()[:4]])
        self.dealt()
        if stage == "dealt":
            return self
        if stage == "handled":
            return self.play(["handled", 1])
        boxes = (1, 2)
        if self.round.book.ID == POKER:
            self.play(*[["decide", box, "play"] for box in boxes])
        else:
            self.play(*[["show", box] for box in boxes])
        self.play(["reveal"])
        return self.play(["settle"]) if stage == "settled" else self


STAGES = ("idle", "betting", "closed", "dealing", "dealt", "handled", "revealed", "settled")
