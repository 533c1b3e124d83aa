"""What reviewers take elsewhere, one JSON object or one CSV row each: rounds, what was told, records, raw lines.

Amounts are in cents and times have their zone; seconds are those since 1970.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from host.log.columns import FIELDS, Row
from host.log.reading import Step, readable
from host.log.rollups.summary import Summary, details_in
from host.review.notices import Told
from host.review.times import with_zone
from host.words.records import record_words, rule_words

ROUND_FIELDS = (
    *("round", "first", "last", "game", "begun", "ended", "outcome", "paragraph", "ruling"),
    *("staked", "returned", "house_net", "betting", "dealing", "deciding", "settling", "pause"),
    *("hands", "bets", "largest", "irregular", "refused", "faults", "staff"),
)
TOLD_FIELDS = ("at", "kind", "who", "round", "number", "text")
RECORD_FIELDS = ("number", "round", "at", "staff", "text", "paragraph", "record")
COLUMN_FIELDS = (*FIELDS[:-1], "record", "line")


def round_fields(one: Summary) -> dict[str, Any]:
    details = details_in(one)
    fields: dict[str, Any] = {name: getattr(one, name, None) for name in ROUND_FIELDS}
    return fields | {
        "begun": with_zone(one.begun),
        "ended": None if one.ended is None else with_zone(one.ended),
        "irregular": [kind for kind, _ in details.irregular],
        "refused": [code for code, _ in details.refused],
        "faults": [code for code, _ in details.faults],
        "staff": details.staff,
    }


def told_fields(one: Told) -> dict[str, Any]:
    return {**one._asdict(), "at": with_zone(one.seconds)} | {"seconds": one.seconds}


def step_fields(one: Step) -> dict[str, Any]:
    at = one.seconds if one.table_seconds is None else one.table_seconds
    return {
        "number": one.number,
        "round": one.round,
        "at": with_zone(at),
        "staff": one.staff,
        "text": record_words(one.record) if one.record else "damaged",
        "paragraph": rule_words(one.record) if one.record else "",
        "record": one.record or None,
    }


def record_fields(row: Row) -> dict[str, Any]:
    """The same from a row of a log; a line that is damaged has no record."""
    record = readable(row.line) or []
    return step_fields(Step(row.number, record, row.round, row.staff, row.seconds, row.table_seconds))


def row_fields(row: Row) -> dict[str, Any]:
    """Every column of a record, the record itself, and the line as the table sealed it."""
    fields = row._asdict()
    line = fields.pop("line")
    return fields | {"record": readable(line), "line": line.decode("ascii", "backslashreplace")}


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, separators=(",", ":")) + "\n"


def csv_lines(rows: Iterable[dict[str, Any]], fields: Iterable[str]) -> Iterator[str]:
    """With a heading, also if there are no rows; a list is one field, its parts divided by semicolons."""
    names = list(fields)
    yield csv_line(names)
    for row in rows:
        yield csv_line([cell(row.get(name)) for name in names])


def cell(value: Any) -> Any:
    if isinstance(value, list):
        is_flat = all(isinstance(one, str) for one in value)
        return "; ".join(value) if is_flat else json.dumps(value, separators=(",", ":"))
    return safe(value) if isinstance(value, str) else value


def safe(text: str) -> str:
    """What people typed is no formula, whatever program opens the file."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def csv_line(cells: Iterable[Any]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerow(cells)
    return made.getvalue()


def lines_of(form: str, rows: Iterable[dict[str, Any]], fields: Iterable[str]) -> Iterator[str]:
    """By the name of the form."""
    return csv_lines(rows, fields) if form == "csv" else json_lines(rows)
