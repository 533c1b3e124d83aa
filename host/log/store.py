"""The log that a bridge writes: a batch is one transaction, on the disk for good when `commit` returns.

It is the `Log` of entries.py. What keeps it from writing becomes a LogFailed; the
records stay on the table meanwhile, and once the cause is gone the same store goes on.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

from host.log.columns import FIELDS, Columns, columns_before
from host.log.entries import LogEnd, LogFailed, Notice, Record
from host.log.opening import WriterLock, open_to_write, unusable
from host.log.reading import Origin, history_start, origin_of, records_from, replay_start
from host.log.rollups.keeper import RollupKeeper
from host.log.schema import NotALog
from host.log.strict_replay import UNPLAYABLE
from shared.journal.chain import record_of
from shared.journal.seal import unsealed

INSERT = f"INSERT INTO records ({', '.join(FIELDS)}) VALUES ({', '.join('?' * len(FIELDS))})"
MOST_WAITING = 1000
NEVER_LOST = ("log_failed", "alarm")
Find = Callable[[sqlite3.Connection], int]  # finds a record's number
KEEPS_ITS_CONNECTION = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CONSTRAINT)


class LogStore:
    """The log of `table` in the file `path`, made if it is not there; LogFailed if it cannot be.

    A new log begins with the table's first record, or behind `origin` where staff adopt a table whose first
    records are gone.
    """

    def __init__(self, path: Path, table: str, origin: Origin | None = None) -> None:
        self.path = path
        self.table = table
        self.connection: sqlite3.Connection | None = None
        self.last: LogEnd | None = None
        self.columns = Columns()
        self.rollups: RollupKeeper | None = None  # as of the last commit; None after one that failed
        self.waiting: deque[Notice] = deque()  # notices that are not on the disk yet
        self.lost = 0  # notices that there was no room for while the log failed
        self.is_failing = False
        self.file: tuple[int, int] | None = None  # device and inode of the file that was opened first
        try:
            self.lock = WriterLock(path)
        except NotALog as problem:
            raise self.failed(problem) from None
        try:
            self.open(origin)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "LogStore":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def close(self) -> None:
        self.disconnect()
        self.lock.release()

    def disconnect(self) -> None:
        if self.connection:
            self.connection.close()
            self.connection = None

    def open(self, origin: Origin | None = None) -> sqlite3.Connection:
        """Open the file and find where it ends; used anew after the disk failed."""
        try:
            self.check_file()
            connection = self.connection = open_to_write(self.path, int(time.time()))
            self.file = file_id(self.path)
            begun = origin_of(connection)
            if begun is None:
                begun = origin or Origin(self.table, 0, None, int(time.time()), None, None)
                connection.execute("INSERT INTO origins VALUES (1, ?, ?, ?, ?, ?, ?)", begun)
            elif origin:
                raise NotALog("log.begun", path=self.path)
            if begun.table != self.table:
                raise NotALog("log.of_table", path=self.path, owner=begun.table, table=self.table)
            self.find_end(connection, begun)
        except (NotALog, sqlite3.Error, *UNPLAYABLE) as problem:
            self.disconnect()
            raise self.failed(problem) from None
        return connection

    def failed(self, problem: Exception) -> LogFailed:
        """Why the log cannot be used."""
        if isinstance(problem, sqlite3.Error):
            problem = unusable(self.path, problem)
        if isinstance(problem, NotALog):
            return LogFailed(problem.code, **problem.fields)
        return LogFailed("log.unplayable", path=self.path)

    def check_file(self) -> None:
        """A log that is moved away while it is written must not get a new one in its place unseen."""
        if self.file and file_id(self.path) != self.file:
            raise LogFailed("log.replaced", path=self.path)

    def find_end(self, connection: sqlite3.Connection, origin: Origin) -> None:
        row = connection.execute("SELECT number, line FROM records ORDER BY number DESC LIMIT 1").fetchone()
        if row:
            self.last = LogEnd(row[0], seal_in(row[1]))
        elif origin.seal is not None:
            self.last = LogEnd(origin.number, origin.seal)
        else:
            self.last = None
        self.columns = resumed(connection)

    # -- what the bridge asks

    def end(self) -> LogEnd | None:
        """Where the log ends; None if it is empty."""
        return self.last

    def commit(self, records: list[Record], seconds: int) -> None:
        """Keep records for good, all or none of them; LogFailed if that cannot be."""
        if not records:
            return
        columns = copy(self.columns)
        rows = [columns.row(one.number, one.boot, one.record, one.line, seconds) for one in records]
        self.write(rows, seconds)
        self.columns = columns
        self.last = LogEnd(records[-1].number, seal_in(records[-1].line))

    def alarmed(self) -> set[int]:
        """The numbers of the records about which there was an alarm."""
        connection = self.connection or self.open()
        try:
            rows = connection.execute("SELECT number FROM notices WHERE kind = 'alarm'")
            return {number for (number,) in rows}
        except sqlite3.Error as error:
            raise self.failed(error) from None

    def replayable(self) -> Iterator[tuple[int, list[Any]]]:
        """Number and record, from the last whole standing on, or all of them if there is none."""
        return self.read(replay_start)

    def history(self) -> Iterator[tuple[int, list[Any]]]:
        """Number and record of some rounds before those that `replayable` gives."""
        return self.read(history_start, replay_start)

    def read(self, first: Find, end: Find | None = None) -> Iterator[tuple[int, list[Any]]]:
        connection = self.connection or self.open()
        try:
            for number, line in records_from(connection, first(connection), end(connection) if end else None):
                yield number, record_of(line)
        except (sqlite3.Error, *UNPLAYABLE) as problem:
            raise self.failed(problem) from None

    def notice(self, kind: str, text: str, number: int | None = None, seconds: int | None = None) -> bool:
        """Keep what the host noticed; False if it must wait, until the log can be written again."""
        seconds = int(time.time()) if seconds is None else seconds
        if len(self.waiting) >= MOST_WAITING and kind not in NEVER_LOST:
            self.lost += 1
        else:
            self.waiting.append(Notice(seconds, kind, number, text))
        try:
            self.write([], seconds)
        except LogFailed:
            return False
        return True

    # -- writing

    def write(self, rows: list[tuple[Any, ...]], seconds: int) -> None:
        """Add rows, and the notices that wait, in one transaction."""
        connection = self.connection
        try:
            self.check_file()
            connection = connection or self.open()
            connection.execute("BEGIN IMMEDIATE")
            rollups = self.rollups_by(connection)
            connection.executemany(INSERT, rows)
            rollups.take(rows)
            notices = list(self.waiting)
            if self.lost:
                words = f"{self.lost} notices were lost because the log could not be written."
                notices.append(Notice(seconds, "lost", None, words))
            if notices:
                add = "INSERT INTO notices (seconds, kind, number, text) VALUES (?, ?, ?, ?)"
                connection.executemany(add, notices)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollups = None
            self.give_up(error)
            failure = self.failed(error)
            self.tell_failure(failure, seconds)
            raise failure from None
        except LogFailed as failure:
            self.tell_failure(failure, seconds)
            raise
        self.waiting.clear()
        self.lost = 0
        self.is_failing = False

    def rollups_by(self, connection: sqlite3.Connection) -> RollupKeeper:
        if self.rollups is None or self.rollups.connection is not connection:
            self.rollups = RollupKeeper(connection)
        return self.rollups

    def tidy(self, count: int) -> bool:
        """In a quiet moment: bring rollups that are behind on by so many records; whether more is to be done."""
        try:
            self.check_file()
            connection = self.connection or self.open()
            rollups = self.rollups_by(connection)
            if rollups.has_to_do:
                connection.execute("BEGIN IMMEDIATE")
                rollups.do_some(count)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollups = None
            self.give_up(error)
            raise self.failed(error) from None
        return rollups.has_to_do

    def give_up(self, error: sqlite3.Error) -> None:
        """Take back what was begun. After all but the plainest failures the file is opened anew next time."""
        connection = self.connection
        code = getattr(error, "sqlite_errorcode", None)
        try:
            if connection and connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            code = None
        if code is None or code & 0xFF not in KEEPS_ITS_CONNECTION:
            self.disconnect()

    def tell_failure(self, failure: LogFailed, seconds: int) -> None:
        """An outage is noticed once, as soon as notices can be kept again."""
        if not self.is_failing:
            self.is_failing = True
            self.waiting.append(Notice(seconds, "log_failed", None, str(failure)))


def file_id(path: Path) -> tuple[int, int] | None:
    """Device and inode: by which a file is known though another may get its name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def seal_in(line: bytes) -> bytes:
    _, mark = unsealed(line)
    if mark is None:
        raise ValueError("a record without a seal")  # the link hands over none
    return bytes.fromhex(mark.decode())


def resumed(connection: sqlite3.Connection) -> Columns:
    """What the next row needs to know of those before it."""
    start = replay_start(connection)
    columns = columns_before(connection, start)
    for number, line in records_from(connection, start):
        columns.row(number, 0, record_of(line), line, 0)
    return columns
