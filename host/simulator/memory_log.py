"""The host's log in memory, for tables in virtual time; its disk can be full."""

from functools import lru_cache
from typing import Any

from host.log.entries import LogEnd, LogFailed, Record
from shared.journal.wire import decode


@lru_cache(4)
def end_with(line: bytes) -> LogEnd:
    """The link asks for it all the time."""
    message = decode(line)
    return LogEnd(message[2], bytes.fromhex(message[4]))


class MemoryLog:
    """The `Log` of host/log/entries.py."""

    full = False

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def end(self) -> LogEnd | None:
        return end_with(self.lines[-1]) if self.lines else None

    def records(self) -> list[list[Any]]:
        return [decode(line)[3] for line in self.lines]

    def commit(self, records: list[Record], seconds: int) -> None:
        if self.full:
            raise LogFailed("log.SQLITE_FULL")
        self.lines += [record.line for record in records]

    def replayable(self) -> list[tuple[int, list[Any]]]:
        records: list[tuple[int, list[Any]]] = []
        for number in range(len(self.lines), 0, -1):
            records.append((number, decode(self.lines[number - 1])[3]))
            if records[-1][1][0] == "begin":
                break
        return records[::-1]

    def history(self) -> list[tuple[int, list[Any]]]:
        return []

    def alarmed(self) -> set[int]:
        return set()
