"""The log that a bridge writes: append-only, one writer, whole batches, and clear words when it cannot."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from host.doctor.files import writer_of
from host.log.entries import LogEnd, LogFailed
from host.log.reading import LogReader, Origin
from host.log.schema import NotALog
from host.log.store import LogStore
from shared.journal.chain import record_of
from shared.journal.journal import OPENING
from shared.journal.wire import decode
from tests.support.log.logs import NOON, RecordingTable, random_play, read_rows, rows_of, write_log
from tests.support.tables import GAMES, MBS

SMALL = {"game": MBS, "boxes": 1}


@pytest.fixture(scope="module")
def records():
    return random_play(MBS, "store", 300).records()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t1.log"


def seal_of(record):
    return bytes.fromhex(decode(record.line)[4])


def failure_of(act, *arguments):
    with pytest.raises(LogFailed) as caught:
        act(*arguments)
    return str(caught.value)


# -- keeping


def test_it_ends_where_the_last_commit_ended_also_when_opened_again(path, records):
    with LogStore(path, "T1") as store:
        assert store.end() is None
        store.commit(records[:10], NOON)
        assert store.end() == LogEnd(10, seal_of(records[9]))
        store.commit([], NOON)
        store.commit(records[10:11], NOON)
    with LogStore(path, "T1") as store:
        assert store.end() == LogEnd(11, seal_of(records[10]))
        store.commit(records[11:], NOON + 60)
    assert read_rows(path) == [
        row._replace(seconds=NOON if row.number <= 11 else NOON + 60) for row in rows_of(records)
    ]


def test_every_commit_is_synced_to_the_disk_in_wal_mode(path):
    with LogStore(path, "T1") as store:
        assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store.connection.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.parametrize("wrong", [slice(1, 3), slice(3, 4), slice(0, 0)])
def test_a_batch_that_does_not_follow_is_refused_whole(path, records, wrong):
    with LogStore(path, "T1") as store:
        store.commit(records[:2], NOON)
        batch = [*records[2:3], *records[4:5]] if wrong == slice(0, 0) else records[wrong]
        assert "does not follow its last record" in failure_of(store.commit, batch, NOON)
        assert store.end() == LogEnd(2, seal_of(records[1]))
        store.commit(records[2:6], NOON)
    assert [row.number for row in read_rows(path)] == [1, 2, 3, 4, 5, 6]


# -- append-only


@pytest.mark.parametrize("table", ["records", "notices", "origins", "migrations"])
@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("UPDATE {table} SET seconds = 1", "changed"),
        ("DELETE FROM {table}", "removed"),
        ("INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1", "replaced"),
        ("INSERT OR IGNORE INTO {table} SELECT * FROM {table} LIMIT 1", "replaced"),
    ],
)
def test_no_row_is_ever_changed_or_removed(path, records, table, statement, word):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        store.notice("link", "up", seconds=NOON)
        before = list(store.connection.execute(f"SELECT * FROM {table}"))
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} are only ever added.*, never {word}"):
            store.connection.execute(statement.format(table=table))
        assert list(store.connection.execute(f"SELECT * FROM {table}")) == before


# -- one writer, any readers


def test_a_second_writer_is_refused_and_told_who_has_the_log(path, records):
    with LogStore(path, "T1") as store:
        said = failure_of(LogStore, path, "T1")
        assert f"is being written by process {os.getpid()}" in said
        assert "stop that one, or name another log" in said
        store.commit(records[:3], NOON)
    with LogStore(path, "T1") as store:
        assert store.end().number == 3


def test_a_second_writer_is_refused_also_through_a_link(path):
    link = path.with_name("link.log")
    link.symlink_to(path)
    with LogStore(path, "T1"):
        assert "only one may write a log" in failure_of(LogStore, link, "T1")
        assert writer_of(link) == os.getpid()
    with LogStore(link, "T1"):
        assert "only one may write a log" in failure_of(LogStore, path, "T1")


def test_the_lock_of_a_process_that_is_gone_does_not_hold(path):
    code = (
        "import os, sys; from pathlib import Path; from host.log.store import LogStore; "
        "store = LogStore(Path(sys.argv[1]), 'T1'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, cwd=Path(__file__).parents[3])
    LogStore(path, "T1").close()


def test_readers_are_never_locked_out_and_see_whole_batches(path, records):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        with LogReader(path) as reader:
            lines = reader.lines(1, 1000)
            assert next(lines)[0] == 1
            store.commit(records[5:9], NOON)  # though the reader is in the middle
            assert [number for number, _ in lines] == [2, 3, 4, 5]
            assert reader.ends() == (1, 9)
            store.connection.execute("BEGIN IMMEDIATE")
            assert reader.ends() == (1, 9)
            store.connection.execute("ROLLBACK")


def test_a_reader_cannot_write(path, records):
    write_log(path, records[:5])
    with LogReader(path) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.connection.execute("INSERT INTO notices VALUES (1, 1, 'x', NULL, 'x')")


# -- what is no log


def test_another_table_s_log_is_refused(path, records):
    write_log(path, records[:5])
    assert "is the log of table T1, not of T2" in failure_of(LogStore, path, "T2")


def test_files_that_are_no_log_are_refused_and_left_alone(tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(b"anything at all, longer than a header of SQLite would be" * 40)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE things (name TEXT)")
    connection.close()
    for file, words in ((plain, "damaged"), (other, "not a Felt log")):
        content = file.read_bytes()
        assert words in failure_of(LogStore, file, "T1")
        assert file.read_bytes() == content
        with pytest.raises(NotALog, match="not a Felt log"):
            LogReader(file)
    assert "cannot write" in failure_of(LogStore, tmp_path / "absent" / "log", "T1")
    assert failure_of(LogStore, tmp_path, "T1").startswith(f"cannot open {tmp_path}")


def test_what_cannot_be_read_says_why(tmp_path):
    with pytest.raises(NotALog, match="there is no"):
        LogReader(tmp_path / "absent")
    with pytest.raises(NotALog, match="is not a Felt log: the host's log is one SQLite file"):
        LogReader(tmp_path)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(NotALog, match="is empty"):
        LogReader(tmp_path / "empty")


# -- when it cannot write


def test_a_full_disk_keeps_nothing_says_so_and_goes_on_when_there_is_room(path, records):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
        store.connection.execute(f"PRAGMA max_page_count = {pages}")
        said = failure_of(fill, store, records)
        assert "the disk is full; make room on it" in said
        kept = store.end().number
        assert not store.notice("link", "down " * 2000, seconds=NOON + 1)
        failure_of(store.commit, records[kept:], NOON)
        assert [row.number for row in read_rows(path)] == list(range(1, kept + 1))
        store.connection.execute("PRAGMA max_page_count = 1000000")
        store.commit(records[kept:], NOON)
    assert read_rows(path) == rows_of(records)
    with LogReader(path) as reader:
        assert [(one.kind, one.text) for one in reader.notices()] == [
            ("link", "down " * 2000),
            ("log_failed", said),
        ], "the outage is noticed once"


def fill(store, records):
    while store.end().number < len(records):
        store.commit(records[store.end().number :][:40], NOON)


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    if (
        os.geteuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder], capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a small disk needs root, on a machine that allows it")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_really_full_disk(small_disk, records):
    path, ballast = small_disk / "log", small_disk / "ballast"
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 20_000))
        assert "disk is full" in failure_of(fill, store, records)
        kept = store.end().number
        assert [row.number for row in read_rows(path)] == list(range(1, kept + 1))
        ballast.unlink()
        store.commit(records[kept : kept + 50], NOON)
    assert read_rows(path) == rows_of(records[: kept + 50])


def test_a_disk_too_full_to_begin_a_log(small_disk, records):
    path, ballast = small_disk / "log", small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 9_000))
    assert "disk is full" in failure_of(LogStore, path, "T1")
    ballast.unlink()
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
    assert read_rows(path) == rows_of(records[:5])


def test_a_log_on_a_medium_that_cannot_be_written_is_read_all_the_same(small_disk, records):
    path = small_disk / "log"
    write_log(path, records[:50])
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert read_rows(path) == rows_of(records[:50])
    assert "Read-only file system" in failure_of(LogStore, path, "T1")


def test_a_disk_that_fails_is_tried_anew(path, records):
    """The system refuses to let any file grow: to SQLite that is a disk that fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        size = path.with_name(path.name + "-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            said = failure_of(store.commit, records[5:], NOON)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert "the disk does not do as it is told" in said
        assert "SQLITE_IOERR" in said
        assert store.connection is None
        assert store.end().number == 5
        store.commit(records[5:], NOON)
    assert read_rows(path) == rows_of(records)


def test_a_log_that_is_moved_away_and_back_is_found_again(path, records):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        store.disconnect()
        path.rename(path.with_name("away"))
        path.mkdir()
        assert "somebody moved, removed or replaced it" in failure_of(store.commit, records[5:], NOON)
        path.rmdir()
        path.with_name("away").rename(path)
        store.commit(records[5:], NOON)
    assert read_rows(path) == rows_of(records)


def test_a_damaged_file_says_what_to_do(path, records):
    write_log(path, records)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = bytes(range(200))
    path.write_bytes(content)
    said = failure_of(LogStore, path, "T1")
    assert "it is damaged; keep it as it is for a review, and put the last good copy in its place" in said
    with pytest.raises(NotALog, match="it is damaged"), LogReader(path) as reader:
        list(reader.lines(1, 1000))


def test_rows_that_somebody_else_added_are_not_written_over(path, records):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        intruder = sqlite3.connect(path, isolation_level=None)
        intruder.execute("INSERT INTO records (number, boot, kind, seconds, line) VALUES (6, 1, 'x', 0, x'00')")
        intruder.close()
        assert "somebody else has written to it" in failure_of(store.commit, records[5:8], NOON)
    assert "its last records are not as a table writes them" in failure_of(LogStore, path, "T1")


def test_a_writer_that_holds_the_file_is_named_as_such(path, records, monkeypatch):
    monkeypatch.setattr("host.log.opening.BUSY_MS", 10)
    with LogStore(path, "T1") as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert "another program holds it" in failure_of(store.commit, records[:5], NOON)
        other.execute("ROLLBACK")
        other.close()
        store.commit(records[:5], NOON)


# -- notices


def test_what_the_host_notices_is_kept_beside_the_records(path, records):
    with LogStore(path, "T1") as store:
        store.commit(records[:5], NOON)
        assert store.notice("alarm", "expected this, found that", 4, NOON + 1)
        assert store.notice("link", "down: silent", seconds=NOON + 2)
    with LogReader(path) as reader:
        assert reader.notices() == [
            (NOON + 2, "link", None, "down: silent"),
            (NOON + 1, "alarm", 4, "expected this, found that"),
        ]
        assert [one.number for one in reader.notices("alarm")] == [4]
        assert len(reader.notices(count=1)) == 1


# -- a log that begins later


def test_a_log_can_begin_behind_a_known_record(path, records):
    origin = Origin("T1", 40, seal_of(records[39]), NOON, "manager 1", "the old host is gone")
    with LogStore(path, "T1", origin) as store:
        assert store.end() == LogEnd(40, seal_of(records[39]))
        assert "does not follow" in failure_of(store.commit, records[:5], NOON)
        store.commit(records[40:], NOON)
    assert "has begun already" in failure_of(LogStore, path, "T1", origin)
    with LogStore(path, "T1") as store:
        assert store.end().number == len(records)
    with LogReader(path) as reader:
        assert reader.origin() == origin
        assert reader.ends() == (41, len(records))


# -- from where it can be played again


def replayed(path, records):
    path.unlink(missing_ok=True)
    write_log(path, records)
    with LogStore(path, "T1") as store:
        return [record for _, record in store.replayable()]


def test_a_replay_begins_at_the_last_standing_that_is_whole(path):
    """The log may end anywhere in a standing, before the round that it belongs to has opened, or after it."""
    table = RecordingTable(SMALL)
    table.do("open")
    table.say("dealer 1", "bet", 1, "P1", "main", 1000)
    table.do("close")
    table.say("shift 1", "irregularity", "other", None, None, None, "shift_manager")
    table.say("shift 1", "ruling", "void", "shift_manager")
    table.say("dealer 1", "open")
    records = table.records()
    contents = [one.record for one in records]
    begins = [place for place, record in enumerate(contents) if record[0] == "begin"]
    assert [contents[place][2] for place in begins] == ["config", OPENING, OPENING]
    opens = [place for place, record in enumerate(contents) if record[0] == "event" and record[2] == ["open"]]
    assert contents[opens[1] - 1][0] == "command", "one may stand between the two"
    configured = begins[0] + contents[begins[0]][1]
    for end in range(1, len(records) + 1):
        start = 0
        if end > configured:
            start = begins[0]
        if end > opens[0]:
            start = begins[1]
        if end > opens[1]:
            start = begins[2]
        assert replayed(path, records[:end]) == contents[start:end], end


def test_a_standing_that_a_power_cut_tore_does_not_count(path):
    """The power goes between a standing and its round; the last settlement can still be taken back then."""
    table = RecordingTable(SMALL)
    table.do("open")
    whole = [one.number for one in table.records() if one.record[0] == "begin"][-1]
    table.say("shift 1", "irregularity", "other", None, None, None, "shift_manager")
    table.say("shift 1", "ruling", "void", "shift_manager")
    standing = table.recorder.standing(OPENING, table.recorder.last_command, table.recorder.last_answer)
    table.journal.append_all(standing)
    table.start("power")
    table.do("nonsense")
    assert replayed(path, table.records()) == [one.record for one in table.records(whole)]
    table.do("open")
    again = [one.number for one in table.records() if one.record[0] == "begin"][-1]
    assert replayed(path, table.records()) == [one.record for one in table.records(again)]


@pytest.mark.parametrize("game", GAMES)
def test_the_log_and_the_table_s_journal_agree_from_where_to_replay(path, game):
    table = random_play(game, "whole", 250)
    assert replayed(path, table.records()) == [
        record_of(line) for line in table.journal.lines_from(table.journal.whole)
    ]


def test_a_log_without_a_standing_is_replayed_from_its_beginning(path, records):
    table = RecordingTable()
    table.do("nonsense")
    assert replayed(path, table.records()) == [one.record for one in table.records()]
    assert replayed(path, []) == []


def test_records_are_kept_as_they_came(path):
    table = RecordingTable(SMALL)
    table.recorder.fault("crashed", 'it said "no" \\ and stopped')
    records = table.records()
    write_log(path, records)
    with LogReader(path) as reader:
        assert [line for _, line in reader.lines(1, 1000)] == [one.line for one in records]
