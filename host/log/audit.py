"""Audits a log: its file, chain and columns, every event played again, and every settlement added up again."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from host.keys import TableKey
from host.log.checkpoints import Checkpoint
from host.log.columns import FIELDS, Columns, Row
from host.log.reading import LogReader, readable
from host.log.schema import NotALog, declared_schema, schema_of, version_of
from host.log.strict_replay import StrictReplay
from host.log.verify import Line, Verdict, open_log, verify
from host.words.records import difference_words

MOST_FINDINGS = 20  # of each kind
STEP = 1000  # records between two words of progress

# Kinds of findings.
FILE = "file"
CHAIN = "chain"
COLUMNS = "columns"
SEQUENCE = "sequence"
REPLAY = "replay"
TOTALS = "totals"


class Finding(NamedTuple):
    kind: str
    number: int | None  # the record
    text: str

    def __str__(self) -> str:
        where = f"record {self.number}: " if self.number is not None else ""
        return f"{self.kind}: {where}{self.text}"


class Report:
    """What an audit found, and what it looked at."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.left_out = 0  # findings beyond those listed
        self.counts: dict[str, int] = {}
        self.first = self.last = 0
        self.checkpoints = 0
        self.rounds = 0  # opened
        self.settled = 0
        self.replayed = 0  # records that could be played again
        self.staked = self.returned = 0

    def add(self, kind: str, number: int | None, text: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] > MOST_FINDINGS:
            self.left_out += 1
        else:
            self.findings.append(Finding(kind, number, text))


def audit(
    path: Path, key: TableKey, checkpoints: Sequence[Checkpoint], progress: Callable[[int], None]
) -> Report:
    """Look at everything; `progress` is told how many records have been read, each of them twice.

    NotALog if the file cannot be read to its end.
    """
    report = Report()
    with LogReader(path) as log:
        report.first, report.last = log.ends()
        check_file(log, report)
        check_chain(path, key, checkpoints, report, progress)
        check_records(log, report, progress)
    return report


def check_file(log: LogReader, report: Report) -> None:
    """SQLite's own check of the file, and whether its tables and triggers are still those it was made with."""
    for (problem,) in log.query(f"PRAGMA integrity_check({MOST_FINDINGS})"):
        if problem != "ok":
            report.add(FILE, None, problem)
    try:
        found, declared = schema_of(log.connection), declared_schema(version_of(log.connection))
    except sqlite3.Error as error:
        raise NotALog(f"{log.path}: {error}") from None
    for name in sorted(found.keys() | declared.keys()):
        if name.startswith("sqlite_"):
            continue  # SQLite's own
        if name not in found:
            report.add(FILE, None, f"{name} is gone, which every log has")
        elif name not in declared:
            report.add(FILE, None, f"{name} is there, which no log has")
        elif found[name] != declared[name]:
            report.add(FILE, None, f"{name} is not as it was made")


def check_chain(
    path: Path,
    key: TableKey,
    checkpoints: Sequence[Checkpoint],
    report: Report,
    progress: Callable[[int], None],
) -> Verdict:
    opened = open_log(path, key.sealer, key.table, report.last)
    lines = Counted(opened.lines, progress)
    verdict = verify(lines, key.sealer, key.table, checkpoints, opened.start)
    for one in verdict.breaks:
        report.add(CHAIN, one.number, f"{one.how} ({one.detail})")
    report.checkpoints = verdict.checkpoints
    return verdict


class Counted:
    """Lines that say how many of them have been read."""

    def __init__(self, lines: Iterable[Line], progress: Callable[[int], None]) -> None:
        self.lines = lines
        self.progress = progress

    def __iter__(self) -> Iterator[Line]:
        for place, line in enumerate(self.lines):
            if place % STEP == 0:
                self.progress(place)
            yield line


def check_records(log: LogReader, report: Report, progress: Callable[[int], None]) -> None:
    columns = Columns()
    replay = StrictReplay()
    totals = Totals()
    boot = 0
    done = report.last - report.first + 1
    for row in log.rows(report.first, report.last):
        done += 1
        if done % STEP == 0:
            progress(done)
        record = readable(row.line)
        if record is None:
            report.add(REPLAY, row.number, "nothing that a table writes")
            continue
        if isinstance(row.boot, int) and row.boot < boot:
            report.add(SEQUENCE, row.number, f"start {row.boot} of the table comes after start {boot}")
        boot = row.boot
        try:
            compare_columns(columns, row, record, report)
            play_again(replay, row.number, record, report)
            totals.take(row.number, record, report)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as problem:
            # Only bytes that no table wrote can lead here.
            report.add(REPLAY, row.number, f"cannot be played again ({type(problem).__name__}: {problem})")


def compare_columns(columns: Columns, row: Row, record: list[Any], report: Report) -> None:
    """Reviews search by columns, so they must say what the sealed line says."""
    made = columns.row(row.number, row.boot, record, row.line, row.seconds)
    if made != row:
        for name, is_there, should_be in zip(FIELDS, row, made):
            if is_there != should_be:
                report.add(COLUMNS, row.number, f"{name} is {is_there!r}, by its line {should_be!r}")
    claimed = row.line.split(b",", 3)[1:3]
    if claimed != [str(row.boot).encode(), str(row.number).encode()]:
        report.add(COLUMNS, row.number, "number or boot is not what its line says")


def play_again(replay: StrictReplay, number: int, record: list[Any], report: Report) -> None:
    difference = replay.take(record)
    if difference:
        report.add(REPLAY, number, difference_words(*difference))
    if replay.round is not None:
        report.replayed += 1
    if record[0] == "event" and record[2][0] == "open":
        report.rounds += 1


class Totals:
    """Adds up each settlement from its lines, and compares it with what the table said."""

    def __init__(self) -> None:
        self.staked = self.returned = 0

    def take(self, number: int, record: list[Any], report: Report) -> None:
        kind = record[0]
        if kind == "event":
            self.staked = self.returned = 0
        elif kind == "line":
            self.staked += record[7] or 0
            self.returned += record[9] or 0
        elif kind == "bonus":
            self.returned += record[5] or 0
        elif kind == "envy":
            self.returned += record[2] or 0
        elif kind == "total":
            added = [self.staked, self.returned, self.staked - self.returned]
            if record[1:] != added:
                report.add(TOTALS, number, f"the lines add up to {added}, the table said {record[1:]}")
            report.settled += 1
            report.staked += self.staked
            report.returned += self.returned
        elif kind == "reversed":
            report.staked -= record[4] or 0
            report.returned -= record[5] or 0
