"""One file for the people who help with a table: versions, configuration and log, without keys and PINs."""

import importlib.metadata
import io
import json
import os
import platform
import sqlite3
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from host.doctor.findings import Finding, Subject, read_subject
from host.doctor.port import PATIENCE, Patience
from host.doctor.redaction import allowed_configuration, allowed_finding, secret_words
from host.doctor.report import as_json, examine_subject, finding_lines, summary
from host.files import write_new, write_whole
from host.keys import is_missing
from host.log.checkpoints import BadCheckpoint, read_line
from host.log.reading import LogReader, readable
from host.log.schema import NEWEST, NotALog, version_of
from host.pico.digests import rules_digest
from host.words.faults import ADVICE
from host.words.names import plain
from host.words.records import record_words, rule_words, totals
from shared.link.declarations import digest
from shared.link.messages import VERSION
from shared.rules.rulebook import load

RECORDS = 2000
NOTICES = 500
FAULTS = 200
ROUNDS = 50
CHECKPOINTS = 50
TAIL_BYTES = 200_000
SAME_TIME = (1980, 1, 1, 0, 0, 0)  # of every member, so that the same content makes the same file
PRIVATE = 0o600
Lines = Iterable[str]


class SupportRefused(ValueError):
    """No file was written; the text tells why and what to do."""


class Member(NamedTuple):
    name: str
    about: str  # what it is, for the README in the file
    content: bytes


def support_file(
    path: Path,
    records: int = RECORDS,
    now: float | None = None,
    without: tuple[str, ...] = (),
    patience: Patience = PATIENCE,
) -> bytes:
    """The finished file about the table that `path` configures; SupportRefused if a secret would be in it."""
    now = time.time() if now is None else now
    subject = read_subject(path)
    findings = [allowed_finding(finding) for finding in examine_subject(subject, now, patience)]
    members = gather(subject, findings, records)
    known = [member.name for member in members]
    unknown = [name for name in without if name not in known]
    if unknown:
        raise SupportRefused(f"there is no member {unknown[0]}; there are {', '.join(known)}")
    kept = [member for member in members if member.name not in without]
    secrets = secret_words(subject)
    for member in kept:
        if any(secret.encode() in member.content for secret in secrets):
            raise SupportRefused(
                f"nothing was written, as {member.name} would hold a key or a hashed PIN. Find out how it got "
                f"there, or leave that part out: --without {member.name}"
            )
    return packed([readme(subject, kept, without, now), *kept])


# Members


def gather(subject: Subject, findings: list[Finding], records: int) -> list[Member]:
    def from_log(lines: Callable[..., Lines], *more: int) -> Callable[[], Lines]:
        return lambda: log_lines(subject, lines, *more)

    def doctor() -> Lines:
        return [*(line for finding in findings for line in finding_lines(finding)), summary(findings)]

    def for_programs() -> Lines:
        return [json.dumps(as_json(findings), indent=1, default=str)]

    members: tuple[tuple[str, str, Callable[[], Lines]], ...] = (
        ("versions.txt", "felt, Python, this computer and all packages", versions),
        ("configuration.toml", "the table's file without PINs", lambda: allowed_configuration(subject.examined)),
        ("doctor.txt", "the report of `felt doctor`", doctor),
        ("doctor.json", "the same for programs", for_programs),
        ("log.txt", "the log: its schema and how much is in it", from_log(log_summary)),
        ("records.txt", "its last records, the raw lines", from_log(raw_records, records)),
        ("records-in-words.txt", "the same in words", from_log(records_in_words, records)),
        ("faults.txt", "its last faults, with what to do about each", from_log(faults)),
        ("notices.txt", "what the host noticed, with alarms", from_log(notices)),
        ("rounds.txt", "its last rounds", from_log(rounds)),
        ("checkpoints.txt", "the last signed checkpoints", lambda: checkpoints(subject)),
    )
    return [text_member(*member) for member in members]


def text_member(name: str, about: str, make: Callable[[], Lines]) -> Member:
    """A part that cannot be made says why in its place, as the rest is needed all the same."""
    try:
        lines = list(make()) or ["There are none yet."]
    except Exception as problem:
        lines = [f"This part could not be made: {type(problem).__name__}: {problem}"]
    return Member(name, about, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


def readme(subject: Subject, members: list[Member], without: tuple[str, ...], now: float) -> Member:
    lines = [
        f"Made by `felt support` on {when(now)} about the table {subject.name or '(its name cannot be read)'},",
        f"configured by {subject.path}.",
        "",
        *(f"{member.name:<22} {member.about}" for member in members),
        "",
        "Left out: the keys of table and signer, and every PIN and its hash. Of the table's file only fields",
        "without mistakes are shown. Paths of key files are in it, and names of staff and players as in the log.",
        *(f"Left out as asked: {name}." for name in without),
    ]
    return text_member("README.txt", "", lambda: lines)


def versions() -> Lines:
    packages = {
        str(one.metadata["Name"]): one.version
        for one in importlib.metadata.distributions()
        if one.metadata["Name"]
    }
    return [
        f"felt            {packages.get('felt', 'not installed')}",
        f"messages        version {VERSION}, {digest()}",
        f"rules           {rules_digest()}",
        f"log             migration {NEWEST}",
        f"Python          {sys.version.split()[0]} ({platform.python_implementation()})",
        f"SQLite          {sqlite3.sqlite_version}",
        f"platform        {platform.platform()}",
        f"machine         {platform.machine()}",
        "",
        *(f"{name} {packages[name]}" for name in sorted(packages, key=str.lower)),
    ]


# The log


def log_lines(subject: Subject, lines: Callable[..., Lines], *more: int) -> Lines:
    if subject.log is None:
        return ["The table's file names no log."]
    if is_missing(subject.log):
        return [f"There is no log yet: {subject.log}"]
    try:
        with LogReader(subject.log, leave_no_trace=True) as reader:
            return list(lines(reader, *more))
    except (NotALog, OSError) as problem:
        return [f"The log cannot be read: {problem}"]


def log_summary(log: LogReader) -> Lines:
    first, last = log.ends()
    origin = log.origin()
    rounds = log.round_numbers()
    notices = log.query("SELECT kind, count(*) FROM notices GROUP BY kind ORDER BY kind")
    migrations = log.query("SELECT number, name, seconds, felt FROM migrations ORDER BY number")
    return [
        f"table       {origin.table if origin else 'none'}",
        f"begins      after record {origin.number if origin else 0}"
        + (f", by {origin.staff}: {origin.reason}" if origin and origin.staff else ""),
        f"records     {f'{first} to {last}' if last else 'none'}",
        f"rounds      {f'{rounds[0]} to {rounds[1]}' if rounds else 'none'}",
        f"bytes       {log.path.stat().st_size}",
        f"schema      migration {version_of(log.connection)} of {NEWEST}",
        *(f"            {number}: {name} ({when(at)}, felt {felt})" for number, name, at, felt in migrations),
        *(f"notices     {kind}: {count}" for kind, count in notices),
    ]


def raw_records(log: LogReader, count: int) -> Lines:
    last = log.ends()[1]
    for number, line in log.lines(last - count + 1, last):
        yield line.decode("ascii", "backslashreplace") if readable(line) else f"(record {number} is damaged)"


def records_in_words(log: LogReader, count: int) -> Lines:
    _, last = log.ends()
    book = first_book(log, last - count + 1)
    for row in log.rows(last - count + 1, last):
        record = readable(row.line)
        if record is None:
            yield f"{row.number:>8}  {when(row.seconds)}  (this record is damaged)"
            continue
        book = game_of(record) or book
        rule = rule_words(record)
        words = record_words(record, book) + (f"  [{rule}]" if rule else "")
        staff = f"  by {row.staff}" if row.staff else ""
        yield f"{row.number:>8}  {when(row.table_seconds or row.seconds)}  {words}{staff}"


def game_of(record: list[object]) -> ModuleType | None:
    if record[:2] != ["config", "game"] or len(record) < 3:
        return None
    try:
        return load(record[2])
    except (ValueError, ImportError, TypeError):
        return None


def first_book(log: LogReader, number: int) -> ModuleType | None:
    """The game that was on when the lines begin, by which hands are named."""
    row = log.one(
        "SELECT line FROM records WHERE kind = 'config' AND what = 'game' AND number <= ? "
        "ORDER BY number DESC LIMIT 1",
        number,
    )
    record = readable(row[0]) if row and isinstance(row[0], bytes) else None
    return game_of(record) if record else None


def faults(log: LogReader) -> Lines:
    """By the index of what is out of the ordinary, however long the log is."""
    marks = ", ".join("?" * len(ADVICE))
    sql = (
        "SELECT number, irregularity, coalesce(table_seconds, seconds), line FROM records "
        f"WHERE irregularity IN ({marks}) AND kind IN ('fault', 'held', 'cleared') "
        f"ORDER BY number DESC LIMIT {FAULTS}"
    )
    for number, code, seconds, line in log.query(sql, *ADVICE):
        record = readable(line) if isinstance(line, bytes) else None
        yield f"{number:>8}  {when(seconds)}  {record_words(record) if record else plain(code)}"


def notices(log: LogReader) -> Lines:
    for one in log.notices(count=NOTICES):
        yield f"{when(one.seconds)}  {one.kind:<12} {f'record {one.number}: ' if one.number else ''}{one.text}"


def rounds(log: LogReader) -> Lines:
    for one in log.last_rounds(ROUNDS):
        words = f"round {one.round}  {when(one.begun)}  records {one.first} to {one.last}  "
        words += f"{one.game or 'no game'}: {one.outcome or 'open'}"
        if one.staked is not None and one.returned is not None and one.house_net is not None:
            words += f", {totals(one.staked, one.returned, one.house_net)}"
        yield words + (f", irregularities: {one.irregularities}" if one.irregularities else "")


def checkpoints(subject: Subject) -> Lines:
    path = subject.checkpoints
    if path is None:
        return ["The table's file names no checkpoints."]
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            content = file.read(TAIL_BYTES)
    except FileNotFoundError:
        return [f"There are no checkpoints yet: {path}"]
    return [checkpoint_text(line) for line in content.splitlines()[-CHECKPOINTS:]]


def checkpoint_text(line: bytes) -> str:
    try:
        read_line(line)
    except BadCheckpoint:
        return "(this line is not a checkpoint)"
    return line.decode()


def when(seconds: float) -> str:
    """UTC, as the reader may be elsewhere."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError, TypeError):  # anything may stand in a damaged log
        return f"{seconds} s"


# The file


def packed(members: list[Member]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            entry = zipfile.ZipInfo(member.name, SAME_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = PRIVATE << 16
            archive.writestr(entry, member.content)
    return file.getvalue()


def write_support(path: Path, content: bytes, force: bool = False) -> None:
    """Write it for its owner alone; over another file only with `force`, and then whole or not at all."""
    try:
        if force:
            write_whole(path, content, PRIVATE)
        else:
            write_new(path, content)
    except FileExistsError:
        raise SupportRefused(there_already(path)) from None
    except OSError as error:
        raise SupportRefused(f"cannot write {path}: {error.strerror}; name another with -o") from None


def there_already(path: Path) -> str:
    return f"{path} exists already; name another with -o, or overwrite it with --force"


def default_name(table: str | None, now: float) -> str:
    name = "".join(one if one.isalnum() or one in "-_" else "-" for one in table or "table")
    return f"felt-support-{name}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}.zip"
