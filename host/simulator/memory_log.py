"""The host's log in memory, for tables in virtual time; its disk can be full."""

from typing import Any

from host.log.entries import LogEnd, LogFailed, Record
from shared.journal.wire import decode


class MemoryLog:
    """The `Log` of host/log/entries.py."""

    full = False

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def end(self) -> LogEnd | None:
        if not self.lines:
            return None
        message = decode(self.lines[-1])
        return LogEnd(message[2], bytes.fromhex(message[4]))

    def records(self) -> list[list[Any]]:
        return [decode(line)[3] for line in self.lines]

    def commit(self, records: list[Record], seconds: int) -> None:
        if self.full:
            raise LogFailed("log.SQLITE_FULL")
        self.lines += [record.line for record in records]

    def replayable(self) -> list[tuple[int, list[Any]]]:
        records = list(enumerate(self.records(), 1))
        starts = [place for place, (_, record) in enumerate(records) if record[0] == "begin"]
        return records[starts[-1] :] if starts else records

    def history(self) -> list[tuple[int, list[Any]]]:
        return []

    def alarmed(self) -> set[int]:
        return set()
