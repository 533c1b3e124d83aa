"""Opens a log's file: one process at a time to write, any number to read."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from host.log.folder_storage import sync_folder
from host.log.schema import NEWEST, READABLE, NotALog, check_file, is_new, migrate, version_of
from host.words.sentences import read_templates

BUSY_MS = 2000
FIRST_BYTES = b"SQLite format 3\0"
FULL_SYNC = 2


class OldLog(NotALog):
    """An older program wrote this log; `felt run` brings it up to date by itself."""


def is_sqlite(path: Path) -> bool:
    """Not for a log that this process may be writing: closing a file drops every lock that it has on it."""
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_BYTES)) == FIRST_BYTES
    except OSError:
        return False


def lock_of(path: Path) -> Path:
    """The lock of a log, the same for every link to it."""
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + ".lock")


class WriterLock:
    """Held while a log is open for writing; the system frees it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = lock_of(path)
        try:
            self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise NotALog("log.not_lockable", path=self.path, reason=error.strerror) from None
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self.descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            os.close(self.descriptor)
            raise NotALog("log.locked", path=path, pid=holder) from None
        try:
            os.ftruncate(self.descriptor, 0)
            os.write(self.descriptor, b"%d\n" % os.getpid())
        except OSError:
            pass  # a full disk: the lock holds all the same, only its holder is not named

    def release(self) -> None:
        os.close(self.descriptor)


def open_to_write(path: Path, seconds: int) -> sqlite3.Connection:
    """The log in that file, made if there is none and brought up to date. The caller holds its lock."""
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)
    except sqlite3.Error as error:
        raise NotALog("log.not_opened", path=path, error=str(error)) from None
    try:
        fresh = is_new(connection)
        if not fresh:
            check_file(connection, path)
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        connection.execute(f"PRAGMA synchronous = {FULL_SYNC}")
        sync = connection.execute("PRAGMA synchronous").fetchone()[0]
        if mode != "wal" or sync != FULL_SYNC:
            raise NotALog("log.unsafe_drive", path=path)
        migrate(connection, seconds)
        if fresh:
            sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def upgrade(
    path: Path, progress: Callable[[int, int], None] = lambda done, last: None, anew: bool = False
) -> bool:
    """Bring a log up to date that an older program wrote; whether anything had to be done.

    That includes its rollups, which are made `anew` on demand; `progress` is told the record that is done and the
    last one.
    """
    from host.log.rollups.keeper import RollupKeeper, forget_rollups  # readers do without

    if not is_sqlite(path):
        raise NotALog("log.not_one" if path.exists() else "log.no_such_log", path=path)
    lock = WriterLock(path)
    try:
        before = sqlite3.connect(path, isolation_level=None)
        found = version_of(before)
        before.close()
        with closing(open_to_write(path, int(time.time()))) as connection:
            if anew:
                connection.execute("BEGIN IMMEDIATE")
                forget_rollups(connection)
                connection.execute("COMMIT")
            rollups = RollupKeeper(connection)
            was_behind = rollups.is_behind
            while rollups.is_behind:
                connection.execute("BEGIN IMMEDIATE")
                rollups.catch_up()
                connection.execute("COMMIT")
                progress(rollups.last, rollups.end)
    except sqlite3.Error as error:
        raise unusable(path, error) from None
    finally:
        lock.release()
    return found < NEWEST or was_behind


def open_to_read(path: Path, leave_no_trace: bool = False) -> sqlite3.Connection:
    """The log for reading, also while it is written; NotALog says why it cannot be.

    Readers share files with a writer beside the log, which are made if they are not there and stay. A reader that
    may change nothing leaves no trace: the log is then read as it lies, unless there is such a file already.
    """
    if not path.exists():
        raise NotALog("log.no_file", path=path)
    if path.is_dir():
        raise NotALog("log.is_folder", path=path)
    try:
        connection = connect_as_it_lies(path) if leave_no_trace and not has_wal(path) else connect_read_only(path)
    except sqlite3.Error as error:
        raise unusable(path, error) from None
    try:
        if is_new(connection):
            raise NotALog("log.without_tables", path=path)
        check_file(connection, path)
        found = version_of(connection)
        if found < READABLE:
            raise OldLog("log.by_older", path=path, found=found, newest=NEWEST)
    except sqlite3.Error as error:
        connection.close()
        raise unusable(path, error) from None
    except BaseException:
        connection.close()
        raise
    return connection


def has_wal(path: Path) -> bool:
    """Whether a writer is at work, or has left something that is not in the file itself yet."""
    return path.with_name(path.name + "-wal").exists()


def connect_as_it_lies(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)


def connect_read_only(path: Path) -> sqlite3.Connection:
    name = path.absolute().as_uri()
    connection = sqlite3.connect(f"{name}?mode=ro", uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        # In a folder that may not be written there is no place for the file that readers share with a writer;
        # with no writer and nothing left by one, none is needed.
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if has_wal(path):
            raise
        connection = connect_as_it_lies(path)
    return connection


def unusable(path: Path, error: sqlite3.Error) -> NotALog:
    """Why SQLite cannot use the log."""
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    cause = "log." + "_".join(name.split("_")[:2])  # SQLITE_IOERR of SQLITE_IOERR_WRITE
    cause = cause if cause in read_templates("log") else "log.SQLITE_OTHER"
    return NotALog("log.sqlite", path=path, cause=cause, error=str(error), name=name)
