"""Simulated staff at the host, an observer of the table: declare bets, answer what rounds ask, clear faults."""

from types import ModuleType
from typing import Any

from host.simulator.floor import Floor
from host.simulator.target import Outside, Said
from host.table.bridge import Bridge
from host.table.service import Change, TableService


class Elsewhere:
    """The table is in another process."""

    def step(self, now: int, outside: Outside) -> Said:
        return Said(b"", b"", b"")

    def restart(self, now: int) -> None:
        """Whoever is at the table does that."""


class Desk:
    def __init__(
        self, board: ModuleType, bridge: Bridge, config: dict[str, Any], seed: str, mischief: float, pace: int
    ) -> None:
        self.people = Floor(board, config, Elsewhere(), bridge, seed, mischief, at_table=False)
        self.people.configured = True  # the service sees to that
        self.people.pace_ms = pace

    def passed(self, service: TableService, change: Change, now: int) -> None:
        people = self.people
        people.now = now
        replay = people.bridge.replay
        if now >= people.act_at and replay.round is not None and not replay.expected:
            people.act()
