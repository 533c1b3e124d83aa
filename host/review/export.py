"""Streams a list of a log, whole and in order, to be taken elsewhere; nothing is held in memory."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from host.log.columns import FIELDS, Row
from host.log.reading import as_bytes
from host.log.rollups.summary import details_in
from host.review.filters import RoundFilter
from host.review.formats import (
    COLUMN_FIELDS,
    RECORD_FIELDS,
    ROUND_FIELDS,
    TOLD_FIELDS,
    record_fields,
    round_fields,
    row_fields,
    told_fields,
)
from host.review.notices import Wanted, told
from host.review.rounds import RoundIndex

Rows = Iterator[dict[str, Any]]
BET_FIELDS = ("round", "box", "wager", "result", "number", "staked", "paid", "returned")
HAND_FIELDS = ("round", "box", "cards", "hand")
COLUMNS = ", ".join(FIELDS)
OF_ROUND = f"SELECT {COLUMNS} FROM records WHERE round = ? ORDER BY number"
TIMES = {"since", "until"}
END_OF_TIME = 1 << 40


def rounds(index: RoundIndex, wanted: RoundFilter) -> Rows:
    return map(round_fields, index.every(wanted))


def bets(index: RoundIndex, wanted: RoundFilter) -> Rows:
    for one in index.every(wanted):
        for line in details_in(one).lines:
            yield dict(zip(BET_FIELDS, (one.round, *line)))


def hands(index: RoundIndex, wanted: RoundFilter) -> Rows:
    for one in index.every(wanted):
        details = details_in(one)
        ranks: dict[Any, str] = dict(details.hands)
        for place, held in details.cards:
            yield {"round": one.round, "box": place, "cards": " ".join(held), "hand": ranks.get(place)}


def notices(index: RoundIndex, wanted: RoundFilter) -> Rows:
    return map(told_fields, told(index.log, Wanted((), wanted.since, wanted.until)))


def records(index: RoundIndex, wanted: RoundFilter) -> Rows:
    return map(record_fields, raw_rows(index, wanted))


def columns(index: RoundIndex, wanted: RoundFilter) -> Rows:
    return map(row_fields, raw_rows(index, wanted))


def raw_lines(index: RoundIndex, wanted: RoundFilter) -> Iterator[bytes]:
    """The lines as the table sealed them."""
    return (row.line + b"\n" for row in raw_rows(index, wanted))


def raw_rows(index: RoundIndex, wanted: RoundFilter) -> Iterator[Row]:
    """All records, or those from a time to another, in their order; or those of rounds, the newest first."""
    if wanted.given().keys() - TIMES:
        for one in index.every(wanted):
            for row in index.log.query(OF_ROUND, one.round):
                yield Row._make((*row[:-1], as_bytes(row[-1])))
        return
    since, until = wanted.since or 0, END_OF_TIME if wanted.until is None else wanted.until
    for row in index.log.rows(*index.log.ends()):
        if since <= (row.seconds if row.table_seconds is None else row.table_seconds) < until:
            yield row


class List(NamedTuple):
    rows: Callable[[RoundIndex, RoundFilter], Rows]
    fields: tuple[str, ...]
    about: str
    filters: frozenset[str] | None = None  # those that it takes, None for all


LISTS = {
    "rounds": List(rounds, ROUND_FIELDS, "a row for each round"),
    "bets": List(bets, BET_FIELDS, "a row for each wager, box and result of a round"),
    "hands": List(hands, HAND_FIELDS, "a row for each hand, with its cards"),
    "records": List(records, RECORD_FIELDS, "a row for each record, in words and raw"),
    "columns": List(columns, COLUMN_FIELDS, "a row for each record, with all columns and the sealed line"),
    "notices": List(notices, TOLD_FIELDS, "what happened around the rounds", frozenset(TIMES)),
}
RAW = "lines"  # which has a form of its own
