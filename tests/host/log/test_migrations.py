"""Logs of older and newer programs: brought up to date with all they hold, or refused with a sentence."""

import sqlite3

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.log import schema
from host.log.entries import LogFailed
from host.log.reading import LogReader
from host.log.schema import MIGRATIONS, NEWEST, NotALog, declared_schema, felt_version, migrate, schema_of
from host.log.store import INSERT, LogStore
from tests.support.log.logs import NOON, random_play, read_rows, rows_of
from tests.support.tables import LUCKY


@pytest.fixture(scope="module")
def records():
    return random_play(LUCKY, "migrate", 200).records()


@pytest.fixture
def old_log(tmp_path, records):
    """A log as migration 1 alone made it."""
    path = tmp_path / "old.log"
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, NOON, 1)
    connection.execute("INSERT INTO origins VALUES (1, 'T1', 0, NULL, ?, NULL, NULL)", (NOON,))
    connection.execute("BEGIN")
    connection.executemany(INSERT, rows_of(records[:300]))
    connection.execute("COMMIT")
    connection.close()
    return path


def run(*arguments):
    done = CliRunner().invoke(felt, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_an_old_log_is_brought_up_to_date_with_its_records_and_goes_on(old_log, records):
    with LogStore(old_log, "T1") as store:
        assert store.end().number == 300
        store.commit(records[300:], NOON)
    assert read_rows(old_log) == rows_of(records)
    with LogReader(old_log) as log:
        applied = list(log.query("SELECT number, name, felt FROM migrations ORDER BY number"))
        assert applied == [(number, name, felt_version()) for number, (name, _) in enumerate(MIGRATIONS, 1)]
        assert schema_of(log.connection) == declared_schema(NEWEST)
        assert log.last_rounds(1)[0].round == max(row.round or 0 for row in rows_of(records))


def test_a_reader_leaves_an_old_log_alone_and_says_how_to_upgrade(old_log):
    before = old_log.read_bytes()
    with pytest.raises(NotALog, match=rf"older felt \(migration 1 of {NEWEST}\); `felt log upgrade"):
        LogReader(old_log)
    assert old_log.read_bytes() == before
    assert run("log", "upgrade", old_log) == (0, f"{old_log}: brought up to date\n")
    assert run("log", "upgrade", old_log) == (0, f"{old_log}: is up to date\n")
    LogReader(old_log).close()


def test_upgrading_needs_a_log_that_nobody_writes(tmp_path, old_log):
    status, said = run("log", "upgrade", tmp_path / "absent")
    assert (status, "there is no log" in said) == (1, True)
    assert not (tmp_path / "absent").exists()
    with LogStore(old_log, "T1"):
        status, said = run("log", "upgrade", old_log)
    assert (status, "is being written by process" in said) == (1, True)


def test_a_log_of_a_newer_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "new.log"
    LogStore(path, "T1").close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"INSERT INTO migrations VALUES ({NEWEST + 1}, 'something new', 0, '9.1.0')")
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.close()
    before = path.read_bytes()
    words = rf"written by a newer felt \(9.1.0; this is {felt_version()}\).*Update felt"
    with pytest.raises(LogFailed, match=words):
        LogStore(path, "T1")
    with pytest.raises(NotALog, match=words):
        LogReader(path)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_log_as_it_was(old_log, monkeypatch, records):
    broken = (*MIGRATIONS[:2], ("broken", ("CREATE TABLE half (done TEXT)", "CREATE NONSENSE")))
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    with pytest.raises(LogFailed, match='near "NONSENSE"'):
        LogStore(old_log, "T1")
    monkeypatch.undo()
    connection = sqlite3.connect(old_log)
    assert schema_of(connection) == declared_schema(2), "the second was done, of the third nothing"
    connection.close()
    LogStore(old_log, "T1").close()
    assert read_rows(old_log) == rows_of(records[:300])
