"""One file for whoever must help with a table: what runs, is configured and happened; no key, no PIN."""

import importlib.metadata
import io
import json
import os
import platform
import sqlite3
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType
from typing import NamedTuple

from host.config.checks import is_missing
from host.doctor.findings import Finding, Subject, read_subject
from host.doctor.port import PATIENCE, Patience
from host.doctor.redaction import clear_pins, clear_pins_in, hidden, secrets_of, slipped_in, without_pins
from host.doctor.report import as_json, examine_subject, finding_lines, summary
from host.log.reading import LogReader, readable
from host.log.schema import NEWEST, NotALog, version_of
from host.pico.digests import rules_digest
from host.words.faults import ADVICE
from host.words.money import dollars
from host.words.names import plain
from host.words.records import house, record_words, rule_words
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
NONE_WANTED = "No records were asked for.\n"


class SupportRefused(ValueError):
    """No file was written; the text says why and what to do."""


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
    """The finished file about the table that `path` configures; SupportRefused if a secret slipped in."""
    now = time.time() if now is None else now
    subject = read_subject(path)
    pins = clear_pins(subject.examined)
    findings = [
        one._replace(found=hidden(one.found, pins), todo=hidden(one.todo, pins))
        for one in examine_subject(subject, now, patience)
    ]
    members = gather(subject, findings, records, now)
    known = [member.name for member in members]
    unknown = [name for name in without if name not in known]
    if unknown:
        raise SupportRefused(f"there is no member {unknown[0]}; there are {', '.join(known)}")
    kept = [member for member in members if member.name not in without]
    finished = packed([readme(subject, kept, without, now), *kept])
    inside = unpacked(finished)
    found = slipped_in([*inside, ("the file itself", finished)], secrets_of(subject))
    found += clear_pins_in(inside, pins)
    if found:
        raise SupportRefused(refusal(found))
    return finished


def refusal(found: list[tuple[str, str]]) -> str:
    places = "; ".join(f"{member} holds {what}" for member, what in found)
    return (
        f"nothing was written, for a secret would have been in it: {places}. Mend what put it there, "
        f"or leave it out: --without {found[0][0]}"
    )


# Members


def gather(subject: Subject, findings: list[Finding], records: int, now: float) -> list[Member]:
    members = [
        text_member("versions.txt", "felt, Python, this computer and all packages", versions_text),
        text_member("configuration.toml", "the table's file, without PINs", lambda: configuration_text(subject)),
        text_member("doctor.txt", "what `felt doctor` says", lambda: doctor_text(findings)),
        text_member("doctor.json", "the same for programs", lambda: json_text(findings)),
    ]
    about_log: tuple[tuple[str, str, Callable[[LogReader], str]], ...] = (
        ("log.txt", "the log: its schema and how much is in it", log_text),
        ("records.txt", "its last records, the raw lines", lambda log: raw_text(log, records)),
        ("records-in-words.txt", "the same in words", lambda log: words_text(log, records)),
        ("faults.txt", "its last faults, with what to do about each", faults_text),
        ("notices.txt", "what the host noticed, alarms among it", notices_text),
        ("rounds.txt", "its last rounds", rounds_text),
    )
    for name, about, text in about_log:
        members.append(text_member(name, about, lambda text=text: from_log(subject, text)))
    members.append(
        text_member("checkpoints.txt", "the last signed checkpoints", lambda: checkpoints_text(subject))
    )
    return members


def text_member(name: str, about: str, text: Callable[[], str]) -> Member:
    """What cannot be told says why in its place; whoever helps needs the rest all the same."""
    try:
        content = text()
    except Exception as problem:
        content = f"This could not be told: {type(problem).__name__}: {problem}\n"
    return Member(name, about, content.encode("utf-8", "backslashreplace"))


def readme(subject: Subject, members: list[Member], without: tuple[str, ...], now: float) -> Member:
    lines = [
        f"Made by `felt support` on {when(now)} about the table {subject.name or '(its name cannot be read)'},",
        f"configured by {subject.path}.",
        "",
        *(f"{member.name:<22} {member.about}" for member in members),
        "",
        "Left out: the table's key, the signer's key, and every PIN and its hash. The file was searched for them",
        "before it was written. Paths of key files are in it, and names of staff and players as in the log.",
        *(f"Left out as asked: {name}." for name in without),
    ]
    return Member("README.txt", "", ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"))


def versions_text() -> str:
    packages = {
        str(one.metadata["Name"]): one.version
        for one in importlib.metadata.distributions()
        if one.metadata["Name"]
    }
    lines = [
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
    return "\n".join(lines) + "\n"


def configuration_text(subject: Subject) -> str:
    if not subject.examined.text:
        return "".join(f"# {problem.sentence}\n" for problem in subject.examined.problems)
    return without_pins(subject.examined)


def doctor_text(findings: list[Finding]) -> str:
    lines = [line for finding in findings for line in finding_lines(finding)]
    return "\n".join([*lines, summary(findings)]) + "\n"


def json_text(findings: list[Finding]) -> str:
    return json.dumps(as_json(findings), indent=1) + "\n"


# The log


def from_log(subject: Subject, text: Callable[[LogReader], str]) -> str:
    if subject.log is None:
        return "The table's file names no log.\n"
    if is_missing(subject.log):
        return f"There is no log yet: {subject.log}\n"
    try:
        with LogReader(subject.log, leave_no_trace=True) as reader:
            return text(reader)
    except NotALog as problem:
        return f"The log cannot be read: {problem}\n"
    except OSError as error:
        return f"The log cannot be read: {subject.log}: {error.strerror}\n"


def log_text(log: LogReader) -> str:
    first, last = log.ends()
    origin = log.origin()
    rounds = log.round_numbers()
    notices = log.query("SELECT kind, count(*) FROM notices GROUP BY kind ORDER BY kind")
    migrations = log.query("SELECT number, name, seconds, felt FROM migrations ORDER BY number")
    lines = [
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
    return "\n".join(lines) + "\n"


def last_lines(log: LogReader, count: int) -> Iterator[tuple[int, bytes]]:
    _, last = log.ends()
    return log.lines(last - count + 1, last)


def raw_text(log: LogReader, count: int) -> str:
    if not count:
        return NONE_WANTED
    lines = [line.decode("ascii", "backslashreplace") for _, line in last_lines(log, count)]
    return "".join(f"{line}\n" for line in lines) or "There are no records yet.\n"


def words_text(log: LogReader, count: int) -> str:
    if not count:
        return NONE_WANTED
    _, last = log.ends()
    book = first_book(log, last - count + 1)
    lines = []
    for row in log.rows(last - count + 1, last):
        record = readable(row.line)
        if record is None:
            lines.append(f"{row.number:>8}  {when(row.seconds)}  (this line is damaged)")
            continue
        book = game_of(record) or book
        rule = rule_words(record)
        words = (
            record_words(record, book)
            + (f"  [{rule}]" if rule else "")
            + (f"  by {row.staff}" if row.staff else "")
        )
        lines.append(f"{row.number:>8}  {when(row.table_seconds or row.seconds)}  {words}")
    return "".join(f"{line}\n" for line in lines) or "There are no records yet.\n"


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


def faults_text(log: LogReader) -> str:
    """By the index of what is out of the ordinary, however long the log is."""
    marks = ", ".join("?" * len(ADVICE))
    sql = (
        "SELECT number, kind, irregularity, coalesce(table_seconds, seconds), line FROM records "
        f"WHERE irregularity IN ({marks}) AND kind IN ('fault', 'held', 'cleared') "
        f"ORDER BY number DESC LIMIT {FAULTS}"
    )
    lines = []
    for number, _, code, seconds, line in log.query(sql, *ADVICE):
        record = readable(line) if isinstance(line, bytes) else None
        lines.append(f"{number:>8}  {when(seconds)}  {record_words(record) if record else plain(code)}")
    return "".join(f"{line}\n" for line in lines) or "There were no faults.\n"


def notices_text(log: LogReader) -> str:
    lines = [
        f"{when(one.seconds)}  {one.kind:<12} {f'record {one.number}: ' if one.number else ''}{one.text}"
        for one in log.notices(count=NOTICES)
    ]
    return "".join(f"{line}\n" for line in lines) or "The host noticed nothing.\n"


def rounds_text(log: LogReader) -> str:
    lines = []
    for one in log.last_rounds(ROUNDS):
        money = ""
        if one.staked is not None and one.returned is not None and one.house_net is not None:
            money = f", staked {dollars(one.staked)}, returned {dollars(one.returned)}, {house(one.house_net)}"
        irregular = f", irregularities: {one.irregularities}" if one.irregularities else ""
        lines.append(
            f"round {one.round}  {when(one.begun)}  records {one.first} to {one.last}  {one.game or 'no game'}: "
            f"{one.outcome or 'open'}{money}{irregular}"
        )
    return "".join(f"{line}\n" for line in lines) or "No round has opened yet.\n"


def checkpoints_text(subject: Subject) -> str:
    path = subject.checkpoints
    if path is None:
        return "The table's file names no checkpoints.\n"
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            content = file.read(TAIL_BYTES)
    except FileNotFoundError:
        return f"There are no checkpoints yet: {path}\n"
    except OSError as error:
        return f"The checkpoints cannot be read: {path}: {error.strerror}\n"
    lines = content.decode("ascii", "backslashreplace").splitlines()[-CHECKPOINTS:]
    return "".join(f"{line}\n" for line in lines) or f"There are no checkpoints yet: {path}\n"


def when(seconds: float) -> str:
    """UTC, for whoever helps may be elsewhere."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError, TypeError):  # whatever somebody has put there
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


def unpacked(content: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def write_support(path: Path, content: bytes, force: bool = False) -> None:
    """Write it for its owner alone; over another file only if that is wanted, and then whole or not at all."""
    try:
        if force:
            replace_file(path, content)
            return
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except FileExistsError:
        raise SupportRefused(there_already(path)) from None
    except OSError as error:
        raise SupportRefused(f"cannot write {path}: {error.strerror}; name another with -o") from None


def there_already(path: Path) -> str:
    return f"{path} is there already; name another with -o, or write over it with --force"


def replace_file(path: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(content)
            file.close()
            os.replace(file.name, path)
        except OSError:
            with suppress(OSError):
                os.unlink(file.name)
            raise


def default_name(table: str | None, now: float) -> str:
    name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in table or "table")
    return f"felt-support-{name}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}.zip"
