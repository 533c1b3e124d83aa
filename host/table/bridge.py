"""Between a table's link and its log: commits what comes, acknowledges it, checks it, and signs checkpoints.

Every record is played again with the same core that the table runs; any difference is an alarm. Like the link it
is a state machine: bytes in, bytes out, both clocks passed in.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from host.log.checkpoints import BadCheckpoint, CheckpointBook
from host.table.link import HostLink, LogEnd, Record
from host.log.strict_replay import UNPLAYABLE, StrictReplay


class LogFailed(Exception):
    """The log could not keep records; the text says why and what to do."""


class Log(Protocol):
    def end(self) -> LogEnd | None:
        """Where the log ends; None if it is empty."""
        ...

    def commit(self, records: list[Record], seconds: int) -> None:
        """Keep records for good, all or none of them; LogFailed if that cannot be."""
        ...

    def replayable(self) -> Iterable[tuple[int, list[Any]]]:
        """Number and record, from the last whole standing on, or all of them if there is none."""
        ...

    def alarmed(self) -> set[int]:
        """The numbers of the records about which there was an alarm."""
        ...


class Alarm(NamedTuple):
    """The table's record `number` is not what the core makes of the events before it."""

    number: int
    difference: str


class Bridge:
    def __init__(self, link: HostLink, log: Log, checkpoints: CheckpointBook) -> None:
        self.link = link
        self.log = log
        self.checkpoints = checkpoints
        self.alarms: deque[Alarm] = deque()
        self.failure: LogFailed | None = None  # why nothing is acknowledged at present
        self.unsigned: BadCheckpoint | None = None  # why the last checkpoint could not be signed
        self.replay = StrictReplay()
        alarmed = log.alarmed()
        for number, record in log.replayable():
            difference = self.difference(record)
            if difference and number not in alarmed:
                self.alarms.append(Alarm(number, difference))  # the host was stopped before it could say so

    def receive(self, data: bytes, now: int, seconds: int) -> list[Record]:
        """Take what the table says; returns the records that are in the log now and were not before."""
        self.link.receive(data, now)
        records = list(self.link.records)
        self.link.records.clear()
        if records:
            try:
                self.log.commit(records, seconds)
            except LogFailed as failure:
                # Nothing is acknowledged, so the table keeps them and a new session begins where the log ends.
                self.failure = failure
                self.link.end_session("log failed")
                return []
            self.failure = None
            self.link.committed(records[-1].number)
            for record in records:
                self.check(record)
        self.sign_if_due(seconds)
        return records

    def check(self, record: Record) -> None:
        difference = self.difference(record.record)
        if difference:
            self.alarms.append(Alarm(record.number, difference))

    def difference(self, record: list[Any]) -> str | None:
        try:
            return self.replay.take(record)
        except UNPLAYABLE as problem:
            # Sealed by the table's key, but nothing that its core writes.
            return f"cannot be played again ({type(problem).__name__}: {problem})"

    def sign_if_due(self, seconds: int) -> None:
        end = self.log.end()
        if end and self.checkpoints.is_due(end.number, seconds):
            self.sign(end, seconds)

    def sign(self, end: LogEnd, seconds: int) -> None:
        """A checkpoint that cannot be kept does not hold up records; it is tried again with the next ones."""
        try:
            self.checkpoints.sign(end.number, end.seal, seconds)
        except BadCheckpoint as problem:
            self.unsigned = problem
        else:
            self.unsigned = None

    def stop(self, seconds: int) -> bytes:
        """A clean stop: the end is signed, and the table is told."""
        end = self.log.end()
        last = self.checkpoints.all[-1].number if self.checkpoints.all else 0
        if end and end.number > last:
            self.sign(end, seconds)
        return self.link.say_bye()
