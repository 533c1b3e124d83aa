"""The columns of a record: what reviewers search by, taken from its line by the declared names of its fields.

A little must be remembered from one record to the next: which round is being played, whose command is being
done, and what time it is at the table. The same records always give the same columns, so an audit can ask.
"""

import sqlite3
from typing import Any, NamedTuple

from host.words.older_events import DECLARED_EVENTS, declared_name
from shared.journal.journal import BEGIN
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.round.states import SETTLED, VOID


class Row(NamedTuple):
    """A row of the table `records`, in the order of its columns."""

    number: int
    boot: int
    kind: str  # the record's name
    what: str | None  # an event's name, a state, or what else the record is about
    round: int | None  # None outside rounds
    about: int | None  # the earlier round that a report is about
    box: int | None  # 0 is the dealer
    player: str | None
    wager: str | None
    result: str | None
    cents: int | None
    stake: int | None
    paid: int | None
    returned: int | None
    irregularity: str | None  # the kind, situation or code of what is out of the ordinary
    paragraph: str | None
    staff: str | None  # who gave the command that this belongs to
    post: str | None  # the post that acted
    seconds: int  # when it came to the host, since 1970
    table_seconds: int | None  # when it was written, if the table knew the time
    line: bytes


FIELDS = Row._fields

# Which column a record's field goes to, by the field's name. An event's fields are those of its declaration.
SAME_NAME = ("box", "player", "wager", "result", "cents", "stake", "paid", "returned", "paragraph")
COLUMN_OF_FIELD = {name: name for name in SAME_NAME} | {
    "place": "box",
    "staked": "stake",
    "code": "irregularity",
    "situation": "irregularity",
    "by": "post",
}
COLUMN_OF_EVENT_FIELD = COLUMN_OF_FIELD | {"kind": "irregularity", "lay": "cents", "round": "about"}
# What a record is about, beyond its name.
SUBJECT_OF = {
    "state": "state",
    "ask": "kind",
    "meter": "cause",
    "begin": "why",
    "config": "field",
    "carried": "name",
    "boot": "cause",
    "replaced": "pico",
    "call": "post",
    "device": "device",
    "command": "name",
    "link": "state",
    "mismatch": "what",
    "denied": "message",
    "unknown": "message",
}
# Events that are out of the ordinary by themselves, and what reviewers find them by.
IRREGULAR = {name: name for name in ("power_failure", "entered", "lies", "chips_gone")} | {
    "turned": "exposed_card"
}
MAX_INTEGER = 1 << 63  # SQLite's own bound
WITH_EVENT = {"event": 2, "refused": 1}  # where the event stands in them


def places(fields: tuple[str, ...], columns: dict[str, str]) -> tuple[tuple[int, int], ...]:
    """(place in the record, place in the row) of each field that has a column."""
    found = []
    for place, field in enumerate(fields, 1):
        column = columns.get(field.rstrip("?"))
        if column:
            found.append((place, FIELDS.index(column)))
    return tuple(found)


DECLARED = RECORDS | TABLE_RECORDS
RECORD_PLACES = {name: places(fields, COLUMN_OF_FIELD) for name, fields in DECLARED.items()}
# What was only refused is no irregularity; and older records had a sentence in place of code and detail.
RECORD_PLACES |= {"refused": places(RECORDS["refused"][:2], COLUMN_OF_FIELD), "answer": (), "denied": ()}
EVENT_PLACES = {name: places(fields, COLUMN_OF_EVENT_FIELD) for name, fields in DECLARED_EVENTS.items()}
SUBJECT_PLACES = {name: DECLARED[name].index(field) + 1 for name, field in SUBJECT_OF.items()}
WHAT, ROUND, IRREGULARITY = (FIELDS.index(name) for name in ("what", "round", "irregularity"))
STAFF, TABLE_SECONDS = (FIELDS.index(name) for name in ("staff", "table_seconds"))


class Columns:
    """Makes rows of records, one after the other."""

    def __init__(self) -> None:
        self.round: int | None = None  # the last that had an event
        self.playing = False
        self.staff: str | None = None
        self.caused = False  # the command had an event
        self.clock: int | None = None

    def row(self, number: int, boot: int, record: list[Any], line: bytes, seconds: int) -> tuple[Any, ...]:
        """The row of the next record, in the order of `Row`."""
        kind = record[0] if record and isinstance(record[0], str) else ""
        row: list[Any] = [None] * len(FIELDS)
        row[0], row[1], row[2], row[-3], row[-1] = number, boot, storable(kind), seconds, line
        try:
            take_fields(row, kind, record)
            self.follow(kind, record)
        except (IndexError, TypeError):
            pass  # nothing that this table's core writes, but sealed by its key: it is kept all the same
        row[ROUND] = self.round_of(kind)
        row[STAFF] = self.staff
        row[TABLE_SECONDS] = self.clock
        if kind == "answer":
            self.staff = None
        elif kind == "state" and row[WHAT] in (SETTLED, VOID):
            self.playing = False
        return tuple(row)

    def follow(self, kind: str, record: list[Any]) -> None:
        if kind == "event":
            self.round = storable(record[1]) or None  # 0 before the first
            self.caused = True
            if record[2][0] == "open":
                self.playing = True
        elif kind == "clock":
            self.clock = storable(record[1])
        elif kind == "boot":
            self.clock = None  # until the host tells it again
        elif kind == "command":
            self.staff = storable(record[2])
            self.caused = False
        elif kind == BEGIN:
            self.playing = False
        elif kind == "carried" and record[1] == "number":
            self.round = storable(record[2]) or None

    def round_of(self, kind: str) -> int | None:
        """What an event causes belongs to its round; anything else, to the round being played."""
        caused = kind in RECORDS and kind != "refused"
        if self.playing or caused or (kind == "answer" and self.caused):
            return self.round
        return None


def columns_before(connection: sqlite3.Connection, start: int) -> Columns:
    """What the rows from a standing on need to know of those before it, as those rows have it."""
    columns = Columns()
    before = connection.execute(
        "SELECT kind, staff, table_seconds FROM records WHERE number < ? ORDER BY number DESC LIMIT 1", (start,)
    ).fetchone()
    if before:
        kind, staff, columns.clock = before
        columns.staff = staff if kind != "answer" else None
    return columns


def storable(value: Any) -> Any:
    """A value that a column can hold; None for any other that a line may hold."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("ascii", "backslashreplace").decode()
    return value if isinstance(value, int) and abs(value) < MAX_INTEGER else None


def take_fields(row: list[Any], kind: str, record: list[Any]) -> None:
    for place, column in RECORD_PLACES.get(kind, ()):
        row[column] = storable(record[place])
    if kind in SUBJECT_PLACES:
        row[WHAT] = storable(record[SUBJECT_PLACES[kind]])
    if kind not in WITH_EVENT:
        return
    event = record[WITH_EVENT[kind]]
    row[WHAT] = name = storable(event[0])
    for place, column in EVENT_PLACES.get(declared_name(event), ()):
        if place < len(event):
            row[column] = storable(event[place])
    if name in IRREGULAR:
        row[IRREGULARITY] = IRREGULAR[name]
