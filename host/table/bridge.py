"""Between a table's link and its log: commits what comes, acknowledges it, checks it, and signs checkpoints.

Every record is played again once, in the view, with the same core that the table runs; any difference is an
alarm. Like the link it is a state machine: bytes in, bytes out, both clocks passed in.
"""

from collections import deque
from typing import NamedTuple

from host.log.checkpoints import BadCheckpoint, CheckpointBook
from host.log.entries import Log, LogEnd, LogFailed, Record
from host.log.strict_replay import NAMES_RULES, Difference, StrictReplay, rules_in
from host.table.link import HostLink
from host.table.view import ViewKeeper


class Alarm(NamedTuple):
    """The table's record `number` is not what the core makes of the events before it."""

    number: int
    difference: Difference


class Bridge:
    def __init__(self, link: HostLink, log: Log, checkpoints: CheckpointBook) -> None:
        self.link = link
        self.log = log
        self.checkpoints = checkpoints
        self.alarms: deque[Alarm] = deque()
        self.failure: LogFailed | None = None  # why nothing is acknowledged at present
        self.unsigned: BadCheckpoint | None = None  # why the last checkpoint could not be signed
        self.keeper = ViewKeeper(link.rules, stale=True)
        for _, record in log.history():
            self.keeper.take(record)
        self.keeper.start_again()  # older rounds are for looking at; from here on the table is checked
        alarmed = log.alarmed()
        for number, record in log.replayable():
            difference = self.keeper.take(record)
            if difference and number not in alarmed:
                self.alarms.append(Alarm(number, difference))  # the host was stopped before it could say so

    @property
    def replay(self) -> StrictReplay:
        return self.keeper.replay

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
                self.link.end_session("log_failed")
                return []
            self.failure = None
            self.link.committed(records[-1].number)
            for record in records:
                self.check(record)
        end = self.log.end()
        if end and self.checkpoints.is_due(end.number, seconds):
            self.sign(end, seconds)
        return records

    def check(self, record: Record) -> None:
        difference = self.keeper.take(record.record, record.number)
        # It may bring records of other rules from before; what it writes now must be by those it was joined with.
        is_new = record.number > self.link.last_there
        if is_new and record.record[0] in NAMES_RULES and rules_in(record.record) != self.link.rules:
            difference = [*record.record[:3], self.link.rules], record.record
        if difference:
            self.alarms.append(Alarm(record.number, difference))

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
