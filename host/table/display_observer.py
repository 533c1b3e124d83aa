"""Keeps the LED display in step with the table: an observer that shows the table's view."""

from typing import Any

from host.display.display import Display
from host.table.service import Change, TableService

SHOW_MS = 100  # pages turn and the view is looked at so often


class DisplayObserver:
    """`displays` show the same view; the table goes on if one fails."""

    def __init__(self, displays: list[Display]) -> None:
        self.displays = displays
        self.shown_at: int | None = None
        self.failure: tuple[Any, ...] | None = None

    def passed(self, service: TableService, change: Change, now: int) -> None:
        has_changed = change.records or change.told
        if not has_changed and self.shown_at is not None and now - self.shown_at < SHOW_MS:
            return
        self.shown_at = now
        view = service.view
        for display in self.displays:
            display.step(view, now)
        failure = next((display.failure.args for display in self.displays if display.failure), None)
        if failure and failure != self.failure:
            service.announce("display", failure)
        self.failure = failure
