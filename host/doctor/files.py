"""Are the table's file, its keys, its log and its checkpoints there and as they should be? Nothing is written."""

import os
from pathlib import Path
from typing import NamedTuple

from host.config.checks import is_missing
from host.config.table_file import problem_text
from host.doctor.findings import LOOK, OK, WRONG, Finding, Subject, in_two, span_words
from host.keys import KeyFileError, read_signer, read_table_key
from host.log.checkpoints import BadCheckpoint, Checkpoint, read_checkpoints
from host.log.opening import OldLog, lock_of
from host.log.reading import LogReader
from host.log.schema import NotALog
from shared.journal.seal import unsealed
from shared.journal.wire import BadLine

CONFIGURATION, KEYS, LOG = "configuration", "keys", "log"
DAY_S = 86_400
RATE_DAYS = 7  # over which the log's growth is measured
LEAST_SPAN_S = 3600  # growth over less tells nothing
LATE_S = 2 * 3600  # a checkpoint is due each hour in which records come
LOCKS = Path("/proc/locks")
SEE_RIGHTS = "see that it is the right file, and to its owner and permissions and its folder's"


def check_configuration(subject: Subject) -> list[Finding]:
    """Every problem that `felt check` says."""
    findings = []
    for problem in subject.examined.problems:
        mark = LOOK if problem.is_warning else WRONG
        where = f"line {problem.line} of the file" if problem.line else "the file"
        todo = f"mend {where}; `felt check {subject.path}` shows it and says when all is right"
        if not subject.examined.is_toml and not subject.examined.text:
            todo = "see that the path is right, and that you may read it"
        findings.append(Finding(CONFIGURATION, mark, problem_text(subject.path, problem), todo))
    if subject.examined.config:
        config = subject.examined.config
        found = f"{subject.path} configures table {config.name}, {config.game.rulebook}"
        findings.insert(0, Finding(CONFIGURATION, OK, found))
    return findings


# Keys


def check_keys(subject: Subject) -> list[Finding]:
    return [check_table_key(subject), check_signer(subject)]


def check_table_key(subject: Subject) -> Finding:
    path, name = subject.key, subject.name
    if path is None:
        return Finding(KEYS, WRONG, "the file names no key of the table", "mend `key` in [table] first")
    if not os.path.lexists(path):
        todo = (
            f"bring it back from where you keep a copy; for a table that never had one, `felt keys table "
            f"{name or 'NAME'} {path}` makes it and `felt flash` brings it onto the table"
        )
        return Finding(KEYS, WRONG, f"there is no {path}", todo)
    try:
        key = read_table_key(path)
    except KeyFileError as problem:
        return in_two(KEYS, WRONG, str(problem), SEE_RIGHTS)
    if name and key.table != name:
        found = f"{path} is the key of table {key.table}, not of {name}"
        return Finding(KEYS, WRONG, found, "name the key that was made for this table")
    return Finding(KEYS, OK, f"{path} is the key of table {key.table}, and only its owner can read it")


def check_signer(subject: Subject) -> Finding:
    path = subject.signer
    if path is None:
        return Finding(
            KEYS, WRONG, "the file names no key that signs checkpoints", "mend `signer` in [log] first"
        )
    if not os.path.lexists(path):
        todo = f"bring it back from where you keep a copy; for a new host `felt keys signer {path}` makes it"
        return Finding(KEYS, WRONG, f"there is no {path}", todo)
    try:
        read_signer(path)
    except KeyFileError as problem:
        return in_two(KEYS, WRONG, str(problem), SEE_RIGHTS)
    return Finding(KEYS, OK, f"{path} signs checkpoints, and only its owner can read it")


# The log


class LogFacts(NamedTuple):
    """What there is to know of a log; `problem` is why it could not be read."""

    exists: bool = False
    problem: str | None = None
    is_old: bool = False  # an older felt wrote it, which is the problem
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
    except OldLog as problem:
        return facts._replace(problem=str(problem), is_old=True)
    except NotALog as problem:
        return facts._replace(problem=str(problem))
    except OSError as error:
        return facts._replace(problem=f"{path} cannot be read: {error.strerror}; see to its permissions")
    except (TypeError, ValueError):
        return facts._replace(problem=f"{path} holds what no table writes; `felt audit {path}` says what")


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
    # By the index on the same expression, whatever the log's length.
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
        return [Finding(LOG, WRONG, "the file names no log", "mend `file` in [log] first")]
    if not facts.exists:
        if subject.checkpoints and subject.checkpoints.exists():
            todo = "bring the log back to where the file names it; nobody may begin another in its place unasked"
            return [Finding(LOG, WRONG, f"there is no {path}, but checkpoints of it have been signed", todo)]
        return [Finding(LOG, OK, f"there is no {path} yet; it is made when the table is first run")]
    findings = []
    if facts.writer is not None:
        findings.append(Finding(LOG, OK, f"process {facts.writer} writes it, as it should while the table runs"))
    if facts.problem:
        return [*findings, in_two(LOG, LOOK if facts.is_old else WRONG, facts.problem, SEE_RIGHTS)]
    if subject.name and facts.table and facts.table != subject.name:
        found = f"{path} is the log of table {facts.table}, not of {subject.name}"
        return [*findings, Finding(LOG, WRONG, found, "name this table's own log in [log]")]
    if not facts.last:
        return [*findings, Finding(LOG, OK, f"{path} can be read and has no records yet")]
    age = span_words(now - (facts.last_seconds or now))
    found = f"{path} can be read: records {facts.first} to {facts.last}, the last {age} ago"
    findings.append(Finding(LOG, OK, found))
    if facts.alarms:
        found = (
            f"alarms in its last {RATE_DAYS} days: {facts.alarms}; records were not what the rules make of them"
        )
        todo = (
            f"`felt audit {path} --key {subject.key or 'KEY'}` says which; open no round before it is understood"
        )
        findings.append(Finding(LOG, WRONG, found, todo))
    return findings + check_checkpoints(subject, facts, now)


def check_checkpoints(subject: Subject, facts: LogFacts, now: float) -> list[Finding]:
    path = subject.checkpoints
    if path is None or subject.signer is None or subject.log is None:
        return []  # said of the configuration
    sign = (
        f"felt checkpoint {subject.log} --key {subject.key or 'KEY'} --signer {subject.signer} "
        f"--checkpoints {path}"
    )
    if not path.exists():
        return [Finding(LOG, LOOK, "no checkpoint has been signed yet", f"run the table, or sign one: {sign}")]
    try:
        signed = read_checkpoints(
            path, subject.name or facts.table or "", read_signer(subject.signer).public_key()
        )
    except KeyFileError:
        return []  # said of the keys
    except BadCheckpoint as problem:
        todo = "keep the file as it is for a review, and bring back the last good copy"
        return [Finding(LOG, WRONG, f"the checkpoints cannot be trusted: {problem}", todo)]
    if not signed:
        return [Finding(LOG, LOOK, "no checkpoint has been signed yet", f"run the table, or sign one: {sign}")]
    last = signed[-1]
    if last.number > facts.last:
        found = f"the log ends at record {facts.last}, but checkpoint {last.serial} signed record {last.number}"
        return [
            Finding(LOG, WRONG, found, "records are gone; keep all as it is, and bring back the last good copy")
        ]
    if last.number >= facts.first and not agrees(subject.log, last):
        found = f"record {last.number} is not the one that checkpoint {last.serial} signed"
        todo = f"`felt audit {subject.log} --key {subject.key or 'KEY'}` says more; keep the log as it is"
        return [Finding(LOG, WRONG, found, todo)]
    age = now - last.seconds
    found = f"checkpoint {last.serial} signed record {last.number}, {span_words(max(age, 0))} ago"
    behind = facts.last - last.number
    if behind and facts.writer is not None and age > LATE_S:
        todo = "see whether the folder can be written and has room; the process tries again with each record"
        return [Finding(LOG, LOOK, f"{found}; {behind} records came since and are not signed", todo)]
    if behind and facts.writer is None:
        return [Finding(LOG, LOOK, f"{found}; {behind} records behind it are not signed", f"sign them: {sign}")]
    return [Finding(LOG, OK, found)]


def agrees(log: Path, checkpoint: Checkpoint) -> bool:
    """Whether the log has the record that was signed."""
    with LogReader(log, leave_no_trace=True) as reader:
        lines = [line for _, line in reader.lines(checkpoint.number, checkpoint.number)]
    try:
        return [unsealed(line)[1] for line in lines] == [checkpoint.seal.hex().encode()]
    except BadLine:
        return False
