"""Folds summaries into blocks of 4,096 rounds: for each mark the rounds that have it as bits, and what adds up.

A filter is then an AND of a few numbers for each block, and a count is how many of their bits are 1. A round
whose summary changes after it was folded is taken out as it was and put in as it is.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from host.log.rollups.figures import Figures, HourFigures, figures_of, hour_figures, hour_key
from host.log.rollups.marks import LISTED, Mark, bets_of, expanded, marks_of, plain_marks
from host.log.rollups.summary import Summary, details_in

BLOCK = 4096
ALL = ("round", "")  # the mark that every round has

GET_BITS = "SELECT rounds FROM rollup_facets WHERE facet = ? AND value = ? AND block = ?"
PUT_BITS = (
    "INSERT INTO rollup_facets (facet, value, block, rounds) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (facet, value, block) DO UPDATE SET rounds = excluded.rounds"
)
DROP_BITS = "DELETE FROM rollup_facets WHERE facet = ? AND value = ? AND block = ?"
ADD_TOTAL = (
    "INSERT INTO rollup_totals (facet, value, rounds) VALUES (?, ?, ?) "
    "ON CONFLICT (facet, value) DO UPDATE SET rounds = rollup_totals.rounds + excluded.rounds"
)
ADD_BLOCK = (
    "INSERT INTO rollup_blocks (block, rounds, earliest, latest) VALUES (?, ?, ?, ?) ON CONFLICT (block) "
    "DO UPDATE SET rounds = rollup_blocks.rounds + excluded.rounds, "
    "earliest = CASE WHEN excluded.earliest < earliest THEN excluded.earliest ELSE earliest END, "
    "latest = CASE WHEN excluded.latest > latest THEN excluded.latest ELSE latest END"
)


def adding(table: str, keys: Sequence[str], fields: Sequence[str]) -> str:
    """Adds to a row, or makes it."""
    sums = ", ".join(f"{field} = {table}.{field} + excluded.{field}" for field in fields)
    places = ", ".join("?" * (len(keys) + len(fields)))
    return (
        f"INSERT INTO {table} ({', '.join((*keys, *fields))}) VALUES ({places}) "
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {sums}"
    )


ADD_SUMS = adding("rollup_sums", ("block", "game", "facet", "value"), Figures._fields)
ADD_HOUR = adding("rollup_hours", ("hour", "game"), HourFigures._fields)
# What a changed round leaves behind where it was the only one.
DROP_SUMS = "DELETE FROM rollup_sums WHERE block = ? AND rounds = 0"
DROP_TOTAL = "DELETE FROM rollup_totals WHERE facet = ? AND value = ? AND rounds = 0"


def place_of(round_: int) -> tuple[int, int]:
    """A round's block, and its bit there."""
    return divmod(round_, BLOCK)


def as_bits(rounds: bytes) -> int:
    return int.from_bytes(rounds, "little")


def as_bytes(bits: int) -> bytes:
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")


def in_blocks(summaries: Iterable[Summary]) -> Iterator[tuple[int, list[Summary]]]:
    """Each block in turn with its summaries."""
    blocks: dict[int, list[Summary]] = {}
    for one in summaries:
        blocks.setdefault(one.round // BLOCK, []).append(one)
    yield from blocks.items()


def bits_of(summaries: Iterable[Summary]) -> dict[Mark, int]:
    """The bits of every mark, for rounds of one block."""
    bits: dict[Mark, int] = {}
    of_bets: dict[tuple[Any, ...], int] = {}
    for one in summaries:
        bit = 1 << one.round % BLOCK
        details = details_in(one)
        bits[ALL] = bits.get(ALL, 0) | bit
        for mark in plain_marks(one, details):
            bits[mark] = bits.get(mark, 0) | bit
        for bet in bets_of(details):
            of_bets[bet] = of_bets.get(bet, 0) | bit
    for mark, more in expanded(of_bets):
        bits[mark] = bits.get(mark, 0) | more
    return bits


def fold(connection: sqlite3.Connection, summaries: Iterable[Summary]) -> None:
    """Put rounds into blocks that were in none."""
    for block, rounds in in_blocks(summaries):
        bits = bits_of(rounds)
        put_bits(connection, block, bits, {})
        connection.executemany(ADD_TOTAL, counted(bits))
        begun = [one.begun for one in rounds]
        connection.execute(ADD_BLOCK, (block, len(rounds), min(begun), max(begun)))
        add_figures(connection, block, rounds, 1)


def counted(bits: dict[Mark, int]) -> list[tuple[str, str, int]]:
    """In how many rounds each of the values is that are listed."""
    return [(facet, value, more.bit_count()) for (facet, value), more in bits.items() if facet in LISTED]


def put_bits(connection: sqlite3.Connection, block: int, more: dict[Mark, int], fewer: dict[Mark, int]) -> None:
    """Set the bits of marks in a block, and clear others."""
    for mark in more.keys() | fewer.keys():
        key = (*mark, block)
        row = connection.execute(GET_BITS, key).fetchone()
        bits = (as_bits(row[0]) if row else 0) & ~fewer.get(mark, 0) | more.get(mark, 0)
        connection.execute(*((PUT_BITS, (*key, as_bytes(bits))) if bits else (DROP_BITS, key)))


def add_figures(connection: sqlite3.Connection, block: int, rounds: Iterable[Summary], sign: int) -> None:
    """Add what adds up of these rounds, or with -1 take it out."""
    sums: dict[tuple[str, ...], Sequence[int]] = {}
    hours: dict[tuple[int, str], Sequence[int]] = {}
    for one in rounds:
        for key, figures in figures_of(one).items():
            named = (one.game or "", *key)
            sums[named] = added(sums.get(named), figures)
        hour = hour_key(one)
        hours[hour] = added(hours.get(hour), hour_figures(one))
    connection.executemany(ADD_SUMS, [(block, *key, *signed(sign, row)) for key, row in sums.items()])
    connection.executemany(ADD_HOUR, [(*key, *signed(sign, row)) for key, row in hours.items()])


def added(sums: Sequence[int] | None, more: Sequence[int]) -> Sequence[int]:
    return more if sums is None else [one + other for one, other in zip(sums, more)]


def signed(sign: int, row: Sequence[int]) -> list[int]:
    return [sign * one for one in row]


def change(connection: sqlite3.Connection, old: Summary | None, new: Summary) -> None:
    """A round that is folded, or that lies among those that are, has another summary from now on."""
    block, place = place_of(new.round)
    if old is None:
        fold(connection, [new])
        return
    before, after = marks_of(old), marks_of(new)
    bit = 1 << place
    more, fewer = dict.fromkeys(after - before, bit), dict.fromkeys(before - after, bit)
    put_bits(connection, block, more, fewer)
    connection.executemany(ADD_TOTAL, counted(more))
    connection.executemany(ADD_TOTAL, [(*key, -count) for *key, count in counted(fewer)])
    add_figures(connection, block, [old], -1)
    add_figures(connection, block, [new], 1)
    connection.execute(DROP_SUMS, (block,))
    connection.executemany(DROP_TOTAL, list(fewer))
