"""Simulated staff at the host, as an observer of the table: they declare bets, answer questions, clear faults."""

from types import ModuleType
from typing import Any

from host.simulator.floor import Floor
from host.table.bridge import Bridge
from host.table.service import Change, TableService


class Desk:
    def __init__(
        self, board: ModuleType, bridge: Bridge, config: dict[str, Any], seed: str, mischief: float, pace: int
    ) -> None:
        # The table is in another process, so nobody here steps it.
        self.people = Floor(board, config, None, bridge, seed, mischief, at_table=False)
        self.people.configured = True  # the service does that
        self.people.pace_ms = pace

    def passed(self, service: TableService, change: Change, now: int) -> None:
        people = self.people
        people.now = now
        replay = people.bridge.replay
        if now >= people.act_at and replay.round is not None and not replay.expected:
            people.act()
