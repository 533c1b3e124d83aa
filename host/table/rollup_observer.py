"""Looks after the rollups of the log while the table has nothing to say: an observer that takes small steps.

An old log is caught up, and rounds are folded into blocks.
"""

import time

from host.log.entries import LogFailed
from host.log.store import LogStore
from host.table.service import Change, TableService

STEP = 200  # records; a few milliseconds
REST = 10  # times as long as a step took
LOOK_SECONDS = 5  # whether there is something to do
AGAIN_MS = 60_000  # after the log could not be written


class RollupObserver:
    def __init__(self, store: LogStore) -> None:
        self.store = store
        self.next_at: int | None = None

    def passed(self, service: TableService, change: Change, now: int) -> None:
        if change.records or (self.next_at is not None and now < self.next_at):
            return
        begun = time.monotonic()
        try:
            has_more = self.store.tidy(STEP)
        except LogFailed:
            self.next_at = now + AGAIN_MS  # people are told of it where records are kept
            return
        rest = REST * (time.monotonic() - begun) if has_more else LOOK_SECONDS
        self.next_at = now + int(1000 * rest)
