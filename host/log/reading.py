"""Reads a log: the records again as lists, rounds, and what the host noticed."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from host.log.columns import FIELDS, Row
from host.log.entries import Notice
from host.log.opening import open_to_read, unusable
from host.log.schema import NotALog
from shared.journal.chain import record_of
from shared.journal.journal import OPENING
from shared.journal.wire import BadLine, decode

STANDING_PARTS = ("config", "carried")
MOST_PARTS = 10_000
HISTORY_ROUNDS = 20


class Origin(NamedTuple):
    """The record before a log's first, 0 with no seal for a chain's beginning; who began it there, and why."""

    table: str
    number: int
    seal: bytes | None
    seconds: int
    staff: str | None
    reason: str | None


class RoundRow(NamedTuple):
    """A row of the view `rounds`. Money is None where the round was not settled or the table has no amounts."""

    round: int
    first: int  # its first record, and its last
    last: int
    game: str | None
    begun: int
    ended: int | None
    outcome: str | None
    staked: int | None
    returned: int | None
    house_net: int | None
    irregularities: int


class Step(NamedTuple):
    """A record of a round, with what its columns say of who and when."""

    number: int
    record: list[Any]
    round: int | None
    staff: str | None
    seconds: int
    table_seconds: int | None


ROUND_COLUMNS = ", ".join(RoundRow._fields)
STEP_COLUMNS = "number, line, round, staff, seconds, table_seconds"
ORIGIN_COLUMNS = "table_name, number, seal, seconds, staff, reason"


# -- what writers need as well


def origin_of(connection: sqlite3.Connection) -> Origin | None:
    row = connection.execute(f"SELECT {ORIGIN_COLUMNS} FROM origins").fetchone()
    return Origin(*row) if row else None


def records_from(
    connection: sqlite3.Connection, first: int, end: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """(number, line) of each record from `first` on, up to the one before `end`."""
    sql = "SELECT number, line FROM records WHERE number >= ? AND number < ? ORDER BY number"
    return connection.execute(sql, (first, end or 1 << 62))


def history_start(connection: sqlite3.Connection) -> int:
    """The standing of so many rounds ago that a display's history is full, or the first."""
    sql = "SELECT number FROM records WHERE kind = 'begin' ORDER BY number DESC LIMIT 1 OFFSET ?"
    row = connection.execute(sql, (HISTORY_ROUNDS,)).fetchone()
    return (row or connection.execute("SELECT min(number) FROM records WHERE kind = 'begin'").fetchone())[0] or 0


def replay_start(connection: sqlite3.Connection) -> int:
    """The record from which the table can be played again: the last whole standing, or the first record.

    As on the table (shared/journal/journal.py), a standing before a round counts once that round has opened: if
    the power failed between the two, the round before it can still be taken back.
    """
    begins = connection.execute("SELECT number, line FROM records WHERE kind = 'begin' ORDER BY number DESC")
    for number, line in begins:
        begin = record_of(line)
        if len(begin) >= 3 and isinstance(begin[1], int) and is_whole(connection, number, *begin[1:3]):
            return number
    row = connection.execute("SELECT min(number) FROM records").fetchone()
    return row[0] or 0


def is_whole(connection: sqlite3.Connection, begin: int, count: int, why: Any) -> bool:
    if not 0 <= count < MOST_PARTS:
        return False  # nothing that a table writes
    following = connection.execute(
        "SELECT kind, what FROM records WHERE number > ? ORDER BY number LIMIT ?", (begin, count + 2)
    ).fetchall()
    parts, after = following[:count], following[count:]
    if len(parts) < count or any(kind not in STANDING_PARTS for kind, _ in parts):
        return False
    if why != OPENING:
        return True
    if after and after[0][0] == "command":
        after = after[1:]
    return after[:1] == [("event", "open")]


# -- what readers ask


class LogReader:
    """A log opened for reading, also while it is written; NotALog if it cannot be read."""

    def __init__(self, path: Path, leave_no_trace: bool = False) -> None:
        self.path = path
        self.connection = open_to_read(path, leave_no_trace)

    def __enter__(self) -> "LogReader":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        try:
            for row in self.connection.execute(sql, values):  # noqa: UP028
                yield row  # not `yield from`, which would close the cursor after the log
        except sqlite3.Error as error:
            raise unusable(self.path, error) from None

    def one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        return next(self.query(sql, *values), None)

    def origin(self) -> Origin | None:
        row = self.one(f"SELECT {ORIGIN_COLUMNS} FROM origins")
        return Origin(*row) if row else None

    def ends(self) -> tuple[int, int]:
        """The numbers of the first and the last record; (0, 0) if there is none."""
        row = self.one("SELECT (SELECT min(number) FROM records), (SELECT max(number) FROM records)")
        return (row[0], row[1]) if row and row[0] is not None else (0, 0)

    def lines(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """(number, line) of the records from `first` to `last`."""
        sql = "SELECT number, line FROM records WHERE number BETWEEN ? AND ? ORDER BY number"
        for number, line in self.query(sql, first, last):
            yield number, as_bytes(line)

    def rows(self, first: int, last: int) -> Iterator[Row]:
        """The same with all columns."""
        sql = f"SELECT {', '.join(FIELDS)} FROM records WHERE number BETWEEN ? AND ? ORDER BY number"
        for row in self.query(sql, first, last):
            yield Row._make((*row[:-1], as_bytes(row[-1])))

    def last_rounds(self, count: int) -> list[RoundRow]:
        """The last rounds that opened, the newest first."""
        sql = f"SELECT {ROUND_COLUMNS} FROM rounds ORDER BY round DESC, first DESC LIMIT ?"
        return [RoundRow(*row) for row in self.query(sql, count)]

    def round(self, number: int) -> RoundRow | None:
        row = self.one(f"SELECT {ROUND_COLUMNS} FROM rounds WHERE round = ? ORDER BY first DESC LIMIT 1", number)
        return RoundRow(*row) if row else None

    def round_numbers(self) -> tuple[int, int] | None:
        """The first and the last round that opened in this log."""
        # Asked for one at a time, as for both together SQLite walks the whole index.
        opened = "FROM records WHERE kind = 'event' AND what = 'open'"
        row = self.one(f"SELECT (SELECT min(round) {opened}), (SELECT max(round) {opened})")
        return (row[0], row[1]) if row and row[0] is not None else None

    def steps(self, number: int) -> list[Step]:
        """One round's records in order."""
        return self.read_steps("round = ?", number)

    def later_reports(self, number: int) -> list[Step]:
        """What was told about a round after the next had opened."""
        return self.read_steps("about = ? AND kind = 'event' AND round <> about", number)

    def read_steps(self, condition: str, *values: Any) -> list[Step]:
        rows = self.query(f"SELECT {STEP_COLUMNS} FROM records WHERE {condition} ORDER BY number", *values)
        return [
            Step(number, self.read_record(number, as_bytes(line)), round_, staff, seconds, table_seconds)
            for number, line, round_, staff, seconds, table_seconds in rows
        ]

    def read_record(self, number: int, line: bytes) -> list[Any]:
        record = readable(line)
        if record is None:
            raise NotALog("log.damaged_record", path=self.path, number=number)
        return record

    def notices(self, kind: str | None = None, count: int = -1) -> list[Notice]:
        """What the host noticed, the newest first; of one kind, such as `alarm`, or all."""
        condition, values = ("WHERE kind = ? ", [kind]) if kind else ("", [])
        sql = f"SELECT seconds, kind, number, text FROM notices {condition}ORDER BY id DESC LIMIT ?"
        return [Notice(*row) for row in self.query(sql, *values, count)]


def as_bytes(value: Any) -> bytes:
    """A line as it stands in the log, even if somebody has put something else in its place."""
    return value if isinstance(value, bytes) else str(value).encode()


def readable(line: bytes) -> list[Any] | None:
    """The record in a line that may have been tampered with, if it is one."""
    try:
        message = decode(line)
    except BadLine:
        return None
    return as_record(message[3]) if len(message) == 5 else None


def as_record(value: Any) -> list[Any] | None:
    """The same if it has the shape of a record."""
    return value if isinstance(value, list) and value and isinstance(value[0], str) else None
