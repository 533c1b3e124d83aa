"""Audits a log: its file, chain and columns, every event played again, and every settlement added up again.

A stretch of a log is what was written under the same rules. Only those rules can play it again: these do it here,
others where somebody brings them (host/log/other_rules.py). All else is checked for every stretch.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from host.keys import TableKey
from host.log.checkpoints import Checkpoint
from host.log.columns import FIELDS, Columns, Row, columns_before
from host.log.opening import unusable
from host.log.other_rules import BadRules, OtherRules
from host.log.parts import Part, find_parts, side_by_side
from host.log.reading import LogReader, as_bytes, as_record, readable
from host.log.rollups.check import check_rollups
from host.log.schema import ROLLUPS as WITH_ROLLUPS
from host.log.schema import NotALog, declared_schema, schema_of, version_of
from host.log.strict_replay import NAMES_RULES, UNPLAYABLE, StrictReplay, rules_in
from host.log.verify import Line, Verifier, open_log, seal_claimed
from host.words.faults import damage_words
from host.words.records import difference_words
from shared.journal.journal import BEGIN

MOST_FINDINGS = 20  # of each kind
STEP = 1000  # records between two words of progress

# Kinds of findings.
FILE = "file"
CHAIN = "chain"
COLUMNS = "columns"
SEQUENCE = "sequence"
REPLAY = "replay"
TOTALS = "totals"
ROLLUPS = "rollups"


class Finding(NamedTuple):
    kind: str
    number: int | None  # the record
    text: str

    def __str__(self) -> str:
        where = f"record {self.number}: " if self.number is not None else ""
        return f"{self.kind}: {where}{self.text}"


@dataclass
class Stretch:
    """Records that were written under the same rules."""

    first: int
    last: int
    rules: str | None  # their digest; None if the records name none, as those of older tables
    standing: int  # where the table last said how it stands before anything was played in it
    played_by: str | None = None  # the file whose rules played it again, if not those of this host


class Report:
    """What an audit found, and what it looked at."""

    def __init__(self, rules: str) -> None:
        self.rules = rules  # those of this host
        self.stretches: list[Stretch] = []
        self.findings: list[Finding] = []
        self.left_out = 0  # findings beyond those listed
        self.counts: dict[str, int] = {}
        self.first = self.last = 0
        self.checkpoints = 0
        self.rounds = 0  # opened
        self.settled = 0
        self.replayed = 0  # records that could be played again
        self.passed: list[int] = []  # own records that could not: the table had not yet said how it stands
        self.staked = self.returned = 0

    def add(self, kind: str, number: int | None, text: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] > MOST_FINDINGS:
            self.left_out += 1
        else:
            self.findings.append(Finding(kind, number, text))

    def join(self, later: "Report") -> None:
        """Add what was found in the part of the log behind this one's."""
        for one in later.findings:
            self.add(*one)
        self.left_out += later.left_out
        self.last = later.last
        for stretch in later.stretches:
            if self.stretches and self.stretches[-1].rules == stretch.rules:
                self.stretches[-1].last = stretch.last
            else:
                self.stretches.append(stretch)
        self.checkpoints += later.checkpoints
        self.rounds += later.rounds
        self.settled += later.settled
        self.replayed += later.replayed
        self.passed += later.passed
        self.staked += later.staked
        self.returned += later.returned


def audit(
    path: Path,
    key: TableKey,
    checkpoints: Sequence[Checkpoint],
    progress: Callable[[int], None],
    rules: str,
    others: Sequence[OtherRules] = (),
    jobs: int = 1,
) -> Report:
    """Look at everything, in so many processes; `progress` is told how many records have been read.

    `rules` is the digest of this host's rules, `others` can play what was written under theirs. NotALog if the
    file cannot be read to its end, BadRules if one of the others has nothing to play or cannot.
    """
    report = Report(rules)
    with LogReader(path) as log:
        report.first, report.last = log.ends()
        check_file(log, report)
        parts = find_parts(log, report.first, report.last, jobs)
    for found in side_by_side(check_part, (path, key, checkpoints, rules), parts, progress):
        report.join(found)
    with LogReader(path) as log:
        play_elsewhere(log, report, others)
        check_sums(log, report)
    report.findings.sort(key=lambda one: (one.kind == ROLLUPS, one.number or 0))
    return report


def check_file(log: LogReader, report: Report) -> None:
    """SQLite's own check of the file, and whether its tables and triggers are still those it was made with."""
    for (problem,) in log.query(f"PRAGMA integrity_check({MOST_FINDINGS})"):
        if problem != "ok":
            report.add(FILE, None, problem)
    try:
        found, declared = schema_of(log.connection), declared_schema(version_of(log.connection))
    except sqlite3.Error as error:
        raise NotALog("log.schema", path=log.path, error=str(error)) from None
    for name in sorted(found.keys() | declared.keys()):
        if name.startswith("sqlite_"):
            continue  # SQLite's own
        if name not in found:
            report.add(FILE, None, f"{name} is gone, which every log has")
        elif name not in declared:
            report.add(FILE, None, f"{name} is there, which no log has")
        elif found[name] != declared[name]:
            report.add(FILE, None, f"{name} is not as it was made")


def check_part(
    path: Path,
    key: TableKey,
    checkpoints: Sequence[Checkpoint],
    rules: str,
    part: Part,
    progress: Callable[[int], None],
) -> Report:
    """All but the file. The part before this one has checked what it builds on: the last seal and columns."""
    report = Report(rules)
    report.first, report.last = part.first, part.last
    with LogReader(path) as log:
        first, last = log.ends()
        opened = open_log(path, key.sealer, key.table, part.last)
        start = opened.start if part.first == first else (part.first - 1, claimed_seal(log, part.first - 1))
        lower, upper = (0 if part.first == first else part.first), (None if part.last == last else part.last)
        signed = [one for one in checkpoints if lower <= one.number and (upper is None or one.number <= upper)]
        verifier = Verifier(opened.lines, key.sealer, key.table, signed, start)
        check_records(log, verifier, report, part, progress)
        verdict = verifier.verdict()
    for one in verdict.breaks:
        report.add(CHAIN, one.number, f"{one.how} ({damage_words(*one.detail)})")
    report.checkpoints = verdict.checkpoints
    return report


def claimed_seal(log: LogReader, number: int) -> bytes:
    """Of the record before a part; what is no seal fits no chain."""
    row = log.one("SELECT line FROM records WHERE number = ?", number)
    return seal_claimed(as_bytes(row[0])) if row else b""


def check_records(
    log: LogReader, verifier: Verifier, report: Report, part: Part, progress: Callable[[int], None]
) -> None:
    columns = columns_before(log.connection, part.first)
    replay = StrictReplay(report.rules)
    totals = Totals()
    before = log.one("SELECT boot FROM records WHERE number < ? ORDER BY number DESC LIMIT 1", part.first)
    boot, standing = (before[0] if before and isinstance(before[0], int) else 0), 0
    for done, row in enumerate(log.rows(report.first, report.last)):
        if done % STEP == 0:
            progress(done)
        # What the chain vouches for is in its one spelling; anything else is read with suspicion.
        record = as_record(verifier.take(Line(("in_row", log.path, row.number), row.line))) or readable(row.line)
        if record is None:
            report.add(REPLAY, row.number, "nothing that a table writes")
            continue
        if isinstance(row.boot, int) and row.boot < boot:
            report.add(SEQUENCE, row.number, f"start {row.boot} of the table comes after start {boot}")
        boot = row.boot
        if record[0] in NAMES_RULES:
            standing = row.number if record[0] == BEGIN else standing
            find_stretch(report, row.number, rules_in(record), standing)
        compare_columns(columns, row, record, report)
        difference = replay.take(record)
        if difference:
            report.add(REPLAY, row.number, difference_words(*difference))
        report.replayed += replay.is_playing
        if replay.passes(record):
            report.passed.append(row.number)
        try:
            totals.take(row.number, record, report)
        except UNPLAYABLE as problem:
            # Only bytes that no table wrote can lead here.
            report.add(TOTALS, row.number, f"cannot be added up ({type(problem).__name__}: {problem})")
    for number, line in log.lines(part.last + 1, part.played_to):
        difference = replay.take(readable(line) or [""])
        if difference:
            report.add(REPLAY, number, difference_words(*difference))
        # The next part counts what can be played from the end of this on.
        report.replayed += replay.is_playing and number < part.played_to


def check_sums(log: LogReader, report: Report) -> None:
    """What is kept for lists and statistics, made again from the columns of the records."""
    version = version_of(log.connection)
    if version < WITH_ROLLUPS:
        return
    try:
        for table, key in check_rollups(log.connection, declared_schema(version)):
            row = ", ".join(map(str, key))
            report.add(ROLLUPS, None, f"rollup_{table}, row {row}: not what follows from the records")
    except sqlite3.Error as error:
        raise unusable(log.path, error) from None


def find_stretch(report: Report, number: int, rules: str | None, standing: int) -> None:
    """A record names the rules that write from here on; what comes before the first such record goes with it."""
    if not report.stretches:
        report.stretches.append(Stretch(report.first, report.last, rules, standing))
    elif report.stretches[-1].rules != rules:
        report.stretches[-1].last = number - 1
        report.stretches.append(Stretch(number, report.last, rules, standing))


def play_elsewhere(log: LogReader, report: Report, others: Sequence[OtherRules]) -> None:
    """Have each stretch played by the rules that it names, and one that names none by any that no other names."""
    named = {stretch.rules for stretch in report.stretches}
    for other in others:
        wanted = other.digest if other.digest in named else None
        stretches = [one for one in report.stretches if one.rules == wanted and one.played_by is None]
        if not stretches:
            there = ", ".join(sorted(rules or "none" for rules in named))
            raise BadRules(
                f"{other.path} fits no stretch of this log: its rules are {other.digest}, the log names {there}"
            )
        for stretch in stretches:
            if stretch.rules == report.rules:
                continue  # played here
            stretch.played_by = other.path.name
            played, differences = other.play(wanted, log.lines(stretch.standing, stretch.last))
            report.replayed += played
            for number, difference in differences:
                # Older rules say it in words.
                words = difference if isinstance(difference, str) else difference_words(*difference)
                report.add(REPLAY, number, words)


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


class Totals:
    """Adds up each settlement from its lines, and compares it with what the table said."""

    def __init__(self) -> None:
        self.staked = self.returned = 0

    def take(self, number: int, record: list[Any], report: Report) -> None:
        kind = record[0]
        if kind == "event":
            self.staked = self.returned = 0
            report.rounds += record[2][0] == "open"
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
