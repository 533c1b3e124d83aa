"""Keeps the LED display in step with the table: an observer that feeds the view and shows what changed."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from host.display.display import Display
from host.display.view import ViewKeeper
from host.log.reading import recent_records
from host.table.service import Change, TableService
from host.log.strict_replay import UNPLAYABLE

SHOW_MS = 100  # pages turn and the view is looked at so often


class Showing:
    """`keeper` is the view of the table, `display` what shows it; more displays may follow the same view."""

    def __init__(self, log: Path, displays: list[Display]) -> None:
        self.keeper = ViewKeeper(stale=True)
        self.displays = displays
        self.shown_at: int | None = None
        self.failure = ""
        for record in recent_records(log):
            self.take(record)

    def take(self, record: list[Any]) -> None:
        with suppress(*UNPLAYABLE):  # the bridge raises the alarm about it
            self.keeper.take(record)

    def changed(self, service: TableService, change: Change) -> None:
        for record in change.records:
            self.take(record.record)
        self.shown_at = None  # at once

    def passed(self, service: TableService, now: int) -> None:
        if self.shown_at is not None and now - self.shown_at < SHOW_MS:
            return
        self.shown_at = now
        self.keeper.stale = bool(service.news.stale_why())
        view = self.keeper.view()
        for display in self.displays:
            display.step(view, now)
        failures = [str(display.failure) for display in self.displays if display.failure]
        if failures and failures[0] != self.failure:
            service.news.say(
                "display", f"The display fails: {failures[0]}. The table goes on; it is tried again."
            )
        self.failure = failures[0] if failures else ""
