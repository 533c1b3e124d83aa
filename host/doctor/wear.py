"""Checks how worn the flash of the table's journal is, by what the table records of it each day."""

import sqlite3
from typing import NamedTuple

from host.doctor.findings import Finding, Subject, look, ok
from host.log.reading import LogReader, as_bytes
from host.log.schema import NotALog

DAY_S = 86_400
YEAR_S = 365.25 * DAY_S
PACE_DAYS = 30  # over which the pace is measured
LIFE = 100_000  # erases of a sector that the flash is made for
FEW_YEARS = 2

# By the index on the same expression, for a log of any length: a table records its wear once a day.
WRITTEN = "coalesce(table_seconds, seconds)"
WEAR = f"SELECT number, line, {WRITTEN} FROM records WHERE {WRITTEN} >= ? AND number > ? AND kind = 'wear'"

# The host notices it at once, and the table records it at its first start on the other Pico.
REPLACED = f"""SELECT max(number) FROM (
    SELECT number FROM notices WHERE kind = 'replaced'
    UNION ALL SELECT number FROM records WHERE {WRITTEN} >= ? AND kind = 'replaced')"""


class Wear(NamedTuple):
    """What a table recorded last, and by the pace until then, the years that are left; None if not known yet."""

    most: int  # erases of the most worn sector
    erases: int  # of all
    failed: int  # sectors
    sectors: int
    years: float | None = None


def read_wear(log: LogReader) -> Wear | None:
    """Of the Pico that is the table now."""
    latest = log.one(f"SELECT max({WRITTEN}) FROM records")
    if not latest or latest[0] is None:
        return None
    begun = latest[0] - PACE_DAYS * DAY_S
    replaced = log.one(REPLACED, begun)
    since = (begun, (replaced and replaced[0]) or 0)
    first = log.one(f"{WEAR} ORDER BY {WRITTEN} LIMIT 1", *since)
    last = log.one(f"{WEAR} ORDER BY {WRITTEN} DESC LIMIT 1", *since)
    if not first or not last:
        return None
    before, now = (Wear(*log.read_record(number, as_bytes(line))[1:5]) for number, line, _ in (first, last))
    span = last[2] - first[2]
    laps = (now.erases - before.erases) / max(1, now.sectors - now.failed)
    if span < DAY_S or laps <= 0:
        return now
    return now._replace(years=max(0, LIFE - now.most) / laps * span / YEAR_S)


def check_flash(subject: Subject) -> list[Finding]:
    """Nothing is known if the log cannot be read; that is found elsewhere."""
    wear = None
    try:
        if subject.log is not None and subject.log.exists():
            with LogReader(subject.log, leave_no_trace=True) as log:
                wear = read_wear(log)
    except (NotALog, sqlite3.Error, OSError, TypeError, ValueError):
        pass
    if wear is None:
        return [ok("flash.not_told")]
    fields = {**wear._asdict(), "life": LIFE, "path": subject.path}
    is_short = wear.most >= LIFE or (wear.years is not None and wear.years < FEW_YEARS)
    if is_short:
        return [look("flash.worn", **fields)]
    return [look("flash.failing", **fields) if wear.failed else ok("flash.fine", **fields)]
