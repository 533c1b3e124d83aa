"""What happened around the rounds, newest first: what the host noticed, and records about the table."""

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from host.log.reading import LogReader, readable
from host.words.names import plain
from host.words.records import record_words
from host.words.sentences import all_of

# What reviewers ask for, and the kinds of notices and of records that it is.
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "logins": (("staff",), ()),
    "refusals": (("refused",), ("refused", "held", "denied")),
    "undos": (("undo",), ()),
    "outages": (
        ("up", "down", "port", "log", "log_failed", "lost", "checkpoint", "page", "display", "failed"),
        ("boot", "link", "quiet"),
    ),
    "alarms": (("alarm", "broken", "unproved"), ()),
    "faults": (("faulty", "prompt"), ("fault", "cleared")),
    "configuration": (
        ("config", "mismatch", "adopted", "console", "files", "replaced"),
        ("begin", "console", "files", "replaced", "mismatch"),
    ),
}
NOTICES = "SELECT seconds, 0, id, kind, text, number FROM notices WHERE {where} ORDER BY seconds DESC, id DESC"
RECORDS = (
    "SELECT told.seconds, 1, told.number, told.kind, records.line, records.number, records.staff, records.round "
    "FROM rollup_notables AS told JOIN records ON records.number = told.number "
    "WHERE {where} ORDER BY told.seconds DESC, told.number DESC"
)
CONFIG_BEFORE = (
    "SELECT number, line FROM records WHERE kind = 'begin' AND number < ? ORDER BY number DESC LIMIT 1"
)
END_OF_TIME = 1 << 40


class Told(NamedTuple):
    """`number` is the record that it is, or is about; `who` is the staff whose command it belongs to."""

    seconds: int
    kind: str
    who: str | None
    round: int | None
    number: int | None
    text: str


class Wanted(NamedTuple):
    """`groups` are names of GROUPS; none of them means all."""

    groups: tuple[str, ...] = ()
    since: int | None = None  # seconds since 1970
    until: int | None = None  # the first second that is not asked for any more

    def times(self) -> tuple[int, int]:
        return self.since or 0, END_OF_TIME if self.until is None else self.until


def told(log: LogReader, wanted: Wanted, count: int | None = None, skip: int = 0) -> Iterator[Told]:
    """Newest first. The rollups of the log must be there (host/review/rounds.py)."""
    merged = heapq.merge(*sources(log, wanted), key=lambda row: row[:3], reverse=True)
    for row in islice(merged, skip, None if count is None else skip + count):
        yield as_told(log, row)


def sources(log: LogReader, wanted: Wanted) -> list[Iterator[tuple[Any, ...]]]:
    """Each newest first; one for each kind that is asked for, so that none has to be sorted."""
    made = []
    for place, sql, prefix in ((0, NOTICES, ""), (1, RECORDS, "told.")):
        within = f"{prefix}seconds >= ? AND {prefix}seconds < ?"
        if not wanted.groups:
            made.append(log.query(sql.format(where=within), *wanted.times()))
        for kind in kinds_of(wanted, place):
            where = f"{prefix}kind = ? AND {within}"
            made.append(log.query(sql.format(where=where), kind, *wanted.times()))
    return made


def kinds_of(wanted: Wanted, place: int) -> list[str]:
    """Of notices (place 0) or of records (1)."""
    return list(dict.fromkeys(kind for name in wanted.groups for kind in GROUPS[name][place]))


def count_told(log: LogReader, wanted: Wanted) -> int:
    total = 0
    for place, table in enumerate(("notices", "rollup_notables")):
        kinds = kinds_of(wanted, place)
        if wanted.groups and not kinds:
            continue
        among = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        sql = f"SELECT count(*) FROM {table} WHERE seconds >= ? AND seconds < ?{among}"
        row = log.one(sql, *wanted.times(), *kinds)
        total += row[0] if row else 0
    return total


def as_told(log: LogReader, row: tuple[Any, ...]) -> Told:
    seconds, is_record, number, kind, content, about, *more = row
    if not is_record:
        return Told(seconds, kind, None, None, about, content)
    staff, round_ = more
    record = readable(content) or [kind]
    text = configuration_words(log, number, record) if kind == "begin" else record_words(record)
    return Told(seconds, kind, staff, round_, number, text)


# -- a new configuration


def configuration_words(log: LogReader, number: int, record: list[Any]) -> str:
    """What a new configuration changed."""
    now = configuration(log, number, record)
    row = log.one(CONFIG_BEFORE, number)
    before = configuration(log, row[0], readable(row[1]) or []) if row else {}
    changed = [field for field in now.keys() | before.keys() if now.get(field) != before.get(field)]
    if not before:
        return "the first configuration: " + listed(now)
    if not changed:
        return "the same configuration again"
    words = [
        f"{plain(field)} {shown(now.get(field))}, not {shown(before.get(field))}" for field in sorted(changed)
    ]
    return "a new configuration: " + all_of(words)


def configuration(log: LogReader, number: int, begin: list[Any]) -> dict[str, Any]:
    """The fields that stand behind a `begin`."""
    count = begin[1] if len(begin) > 1 and isinstance(begin[1], int) else 0
    found = {}
    for _, line in log.lines(number + 1, number + count):
        record = readable(line)
        if record and record[0] == "config" and len(record) == 3:
            found[str(record[1])] = record[2]
    return found


def listed(config: dict[str, Any]) -> str:
    return ", ".join(f"{plain(field)} {shown(value)}" for field, value in config.items())


def shown(value: Any) -> str:
    """A value as the table has it; pairs are those of an object."""
    if isinstance(value, list):
        has_names = all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in value)
        if has_names:
            return " ".join(f"{plain(name)} {shown(one)}" for name, one in value) or "none"
        return "/".join(map(shown, value))
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
