"""Checks the table's file, its keys, its log and its checkpoints. Writes nothing."""

import os
from pathlib import Path
from typing import NamedTuple

from host.doctor.findings import LOOK, WRONG, Finding, Subject, look, ok, unnamed, wrong
from host.keys import KeyFileError, is_missing, key_problem, read_signer
from host.log.checkpoints import BadCheckpoint, Checkpoint, read_checkpoints
from host.log.opening import OldLog, lock_of
from host.log.reading import LogReader
from host.log.schema import NotALog
from shared.journal.seal import unsealed
from shared.journal.wire import BadLine

DAY_S = 86_400
RATE_DAYS = 7  # over which the log's growth is measured
LEAST_SPAN_S = 3600  # growth over less tells nothing
LATE_S = 2 * 3600  # a checkpoint is due each hour in which records come
LOCKS = Path("/proc/locks")


def check_configuration(subject: Subject) -> list[Finding]:
    """Every problem that `felt check` finds."""
    path, examined, config = subject.path, subject.examined, subject.examined.config
    code = "configuration.problem" if examined.is_toml or examined.text else "configuration.unreadable"
    findings = [
        Finding(LOOK if problem.is_warning else WRONG, code, {"path": path, "problem": problem})
        for problem in examined.problems
    ]
    if config:
        findings.insert(0, ok("configuration.fine", path=path, table=config.name, book=config.game.rulebook))
    return findings


def check_keys(subject: Subject) -> list[Finding]:
    findings = []
    keys = (("table", subject.key, "table", "key"), ("signer", subject.signer, "log", "signer"))
    for kind, path, section, field in keys:
        if path is None:
            findings.append(unnamed("keys", section, field))
        elif problem := key_problem(kind, path, subject.name):
            findings.append(wrong(problem.code, **problem.fields))
        else:
            findings.append(ok(f"keys.{kind}_fine", path=path, table=subject.name))
    return findings


# The log


class LogFacts(NamedTuple):
    """What there is to know of a log."""

    exists: bool = False
    problem: Finding | None = None  # why it could not be read
    table: str | None = None
    first: int = 0
    last: int = 0
    last_seconds: int | None = None  # the host's clock when its last record came
    bytes_a_day: float | None = None  # lately; None if too little is known
    writer: int | None = None  # the process that writes it
    alarms: int = 0  # of the last seven days that were noted


def log_facts(path: Path | None, locks: Path = LOCKS) -> LogFacts:
    if path is None or is_missing(path):
        return LogFacts()
    facts = LogFacts(exists=True, writer=writer_of(path, locks))
    try:
        with LogReader(path, leave_no_trace=True) as reader:
            return read_facts(reader, facts)
    except OldLog:
        return facts._replace(problem=look("log.old", path=path))
    except NotALog as problem:
        return facts._replace(problem=wrong("log.unreadable", failure=problem.args))
    except OSError as error:
        return facts._replace(problem=wrong("log.denied", path=path, reason=error.strerror))
    except (TypeError, ValueError):
        return facts._replace(problem=wrong("log.garbled", path=path))


def read_facts(reader: LogReader, facts: LogFacts) -> LogFacts:
    origin = reader.origin()
    first, last = reader.ends()
    facts = facts._replace(table=origin.table if origin else None, first=first, last=last)
    row = reader.one("SELECT seconds, coalesce(table_seconds, seconds) FROM records WHERE number = ?", last)
    if row is None:
        return facts
    seconds, latest = row
    alarms = reader.one(
        "SELECT count(*) FROM notices WHERE kind = 'alarm' AND seconds > ?", seconds - RATE_DAYS * DAY_S
    )
    # By the index on the same expression, for a log of any length.
    early = reader.one(
        "SELECT number, coalesce(table_seconds, seconds) FROM records "
        "WHERE coalesce(table_seconds, seconds) >= ? ORDER BY coalesce(table_seconds, seconds) LIMIT 1",
        latest - RATE_DAYS * DAY_S,
    )
    rate = None
    if early and latest - early[1] >= LEAST_SPAN_S and last > early[0]:
        each = sum(size_of(reader.path, ending) for ending in ("", "-wal")) / (last - first + 1)
        rate = each * (last - early[0]) / (latest - early[1]) * DAY_S
    return facts._replace(last_seconds=seconds, bytes_a_day=rate, alarms=alarms[0] if alarms else 0)


def size_of(path: Path, ending: str) -> int:
    try:
        return path.with_name(path.name + ending).stat().st_size
    except OSError:
        return 0


def writer_of(path: Path, locks: Path = LOCKS) -> int | None:
    """The process that writes a log. The lock itself is not touched: trying it could keep a bridge out."""
    lock = lock_of(path)
    try:
        pid, inode = int(lock.read_text().strip()), lock.stat().st_ino
    except (OSError, ValueError):
        return None
    try:
        held = [line.split() for line in locks.read_text().splitlines()]
    except OSError:
        return pid if is_running(pid) else None  # no such list here; a process of that number will do
    owns = [words for words in held if len(words) > 5 and words[1] == "FLOCK" and words[4] == str(pid)]
    return pid if any(words[5].endswith(f":{inode}") for words in owns) else None


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def check_log(subject: Subject, facts: LogFacts, now: float) -> list[Finding]:
    path = subject.log
    if path is None:
        return [unnamed("log", "log", "file")]
    if not facts.exists:
        is_lost = subject.checkpoints is not None and subject.checkpoints.exists()
        return [wrong("log.lost", path=path) if is_lost else ok("log.none_yet", path=path)]
    findings = [] if facts.writer is None else [ok("log.writer", pid=facts.writer)]
    if facts.problem:
        return [*findings, facts.problem]
    if subject.name and facts.table and facts.table != subject.name:
        return [*findings, wrong("log.other_table", path=path, owner=facts.table, table=subject.name)]
    if not facts.last:
        return [*findings, ok("log.empty", path=path)]
    age = now - (facts.last_seconds or now)
    findings.append(ok("log.fine", path=path, first=facts.first, last=facts.last, age=age))
    if facts.alarms:
        key = subject.key or "KEY"
        findings.append(wrong("log.alarms", days=RATE_DAYS, count=facts.alarms, path=path, key=key))
    checkpoint = check_checkpoints(subject, path, facts, now)
    return [*findings, checkpoint] if checkpoint else findings


def check_checkpoints(subject: Subject, log: Path, facts: LogFacts, now: float) -> Finding | None:
    path, signer, key = subject.checkpoints, subject.signer, subject.key or "KEY"
    if path is None or signer is None:
        return None  # reported for the configuration
    files = {"log": log, "key": key, "signer": signer, "path": path}
    try:
        public = read_signer(signer).public_key()
        signed = read_checkpoints(path, subject.name or facts.table or "", public) if path.exists() else []
    except KeyFileError:
        return None  # reported for the keys
    except BadCheckpoint as problem:
        return wrong("log.untrusted", failure=problem.args)
    if not signed:
        return look("log.unsigned", **files)
    last = signed[-1]
    its = {"serial": last.serial, "number": last.number}
    if last.number > facts.last:
        return wrong("log.cut", last=facts.last, **its)
    if last.number >= facts.first and not agrees(log, last):
        return wrong("log.other_record", path=log, key=key, **its)
    its |= {"age": max(now - last.seconds, 0), "behind": facts.last - last.number}
    if its["behind"] and facts.writer is None:
        return look("log.signing_behind", **files, **its)
    if its["behind"] and its["age"] > LATE_S:
        return look("log.signing_late", **its)
    return ok("log.signed", **its)


def agrees(log: Path, checkpoint: Checkpoint) -> bool:
    """Whether the log has the record that was signed."""
    with LogReader(log, leave_no_trace=True) as reader:
        lines = [line for _, line in reader.lines(checkpoint.number, checkpoint.number)]
    try:
        return [unsealed(line)[1] for line in lines] == [checkpoint.seal.hex().encode()]
    except BadLine:
        return False
