"""Catches up the rollups of an old log while the table has nothing to say: an observer that takes small steps."""

import time

from host.log.entries import LogFailed
from host.log.store import LogStore
from host.table.service import Change, TableService

STEP = 200  # records; a few milliseconds
REST = 10  # times as long as a step took
AGAIN_MS = 60_000  # after the log could not be written


class RollupObserver:
    def __init__(self, store: LogStore) -> None:
        self.store = store
        self.is_done = False
        self.next_at: int | None = None

    def passed(self, service: TableService, change: Change, now: int) -> None:
        if self.is_done or change.records or (self.next_at is not None and now < self.next_at):
            return
        begun = time.monotonic()
        try:
            self.is_done = not self.store.catch_up(STEP)
        except LogFailed:
            self.next_at = now + AGAIN_MS  # people are told of it where records are kept
            return
        self.next_at = now + int(1000 * REST * (time.monotonic() - begun))
