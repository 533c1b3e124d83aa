"""Begins a log at a table that has long been running: where its journal begins, which it says itself, sealed."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from host.log.reading import Origin
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.table.link import HostLink, LinkEvent
from host.table.port import TablePort
from host.words.failures import Failure
from shared.journal.seal import Sealer

PATIENCE_MS = 15_000


class CannotAdopt(Failure):
    """No log can begin here."""


def adopt(
    path: Path,
    table: str,
    key: bytes,
    port: TablePort,
    staff: str,
    reason: str,
    milliseconds: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    seconds: Callable[[], int] = lambda: int(time.time()),
    wait: Callable[[float], None] | None = None,
) -> Origin:
    """A new log at `path` that begins behind the record before the table's oldest; else CannotAdopt."""
    if path.exists():
        raise CannotAdopt("log.is_there", path=path)
    link = HostLink(lambda: None, Sealer(key), table, rules_digest(), os.urandom, seconds)
    started = milliseconds()
    while milliseconds() - started < PATIENCE_MS:
        now = milliseconds()
        port.open_if_due(now)
        link.receive(port.read(), now)
        port.write(link.output(now))
        while link.events:
            found = where_it_begins(link.events.popleft())
            if found:
                origin = Origin(table, *found, seconds(), staff, reason)
                LogStore(path, table, origin).close()
                return origin
        (wait or port.wait)(0.02)
    if port.problem:
        raise CannotAdopt("log.no_port", failure=port.problem.args)
    raise CannotAdopt("log.no_table")


def where_it_begins(event: LinkEvent) -> tuple[int, bytes] | None:
    """(the record before the table's oldest, its seal), if the event says it to a host with an empty log."""
    if event.what == "up":
        raise CannotAdopt("log.from_the_first")
    if event.what == "mismatch" and event.details[0] == "log_begins":
        first, seal = event.details[1]
        return first - 1, bytes.fromhex(seal)
    if event.what in ("mismatch", "faulty"):
        raise CannotAdopt("log.table_refuses", announcement=event)
    return None
