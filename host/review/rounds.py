"""Finds rounds in a log by any filter, newest first, and counts them: in the rollups, so instantly at any size.

Where a log has no rollups, or they are being caught up, they are made in memory for as long as the log is open.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from host.log.opening import unusable
from host.log.reading import LogReader
from host.log.rollups.blocks import ALL, BLOCK, as_bits
from host.log.rollups.keeper import TABLES, RollupKeeper, State, read_state, round_in_play
from host.log.rollups.marks import Mark, marks_of
from host.log.rollups.summary import DERIVATION, SUMMARY_COLUMNS, Details, Summary, details_in, summarize
from host.log.rollups.temporary import make_temporary
from host.log.schema import NEWEST, ROLLUPS, declared_schema, version_of
from host.review.filters import RoundFilter, terms

OF_MARK = "SELECT block, rounds FROM rollup_facets WHERE facet = ? AND value = ?"
OF_BLOCK = OF_MARK + " AND block = ?"
OF_ROUND = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round = ?"
UNFOLDED = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round > ? ORDER BY round DESC"
OF_FACET = "SELECT value, block, rounds FROM rollup_facets WHERE facet = ?"
BLOCKS = "SELECT block, earliest, latest FROM rollup_blocks ORDER BY block DESC"
VALUES = "SELECT value, rounds FROM rollup_totals WHERE facet = ?"
Progress = Callable[[int, int], None]


class RoundIndex:
    """`progress` is told of records that must be summed up first. NotALog if the log cannot be read."""

    def __init__(self, log: LogReader, progress: Progress = lambda done, last: None) -> None:
        self.log = log
        self.connection = log.connection
        self.known: dict[Mark, dict[int, int]] = {}
        try:
            self.connection.execute("BEGIN")  # everything is read as of one moment, also while it is written
            state = catch_up(self.connection, progress)
            self.blocks = {block: (first, last) for block, first, last in self.connection.execute(BLOCKS)}
            rows = self.connection.execute(UNFOLDED, (state.folded,))
            self.tail = [Summary._make(row) for row in rows]
            playing = round_in_play(self.connection, state)
            current = None if playing is None else summarize(self.connection, playing)
        except sqlite3.Error as error:
            raise unusable(log.path, error) from None
        if current:
            self.tail.insert(0, current)

    # -- what filters ask

    def of(self, mark: Mark, block: int) -> int:
        if mark not in self.known:
            rows = self.log.query(OF_MARK, *mark)
            self.known[mark] = {number: as_bits(rounds) for number, rounds in rows}
        return self.known[mark].get(block, 0)

    def one(self, mark: Mark, block: int) -> int:
        row = self.log.one(OF_BLOCK, *mark, block)
        return as_bits(row[1]) if row else 0

    def times(self, block: int) -> tuple[int, int]:
        return self.blocks[block]

    # -- finding

    def count(self, wanted: RoundFilter) -> int:
        folded = sum(bits.bit_count() for _, bits in self.matching_blocks(wanted))
        return folded + sum(1 for _ in self.matching_tail(wanted))

    def find(self, wanted: RoundFilter, count: int, skip: int = 0, before: int | None = None) -> list[Summary]:
        """So many rounds that fit, newest first; after `skip` of them, and older than the round `before`."""
        found = []
        for number in self.numbers(wanted, skip, before):
            if len(found) == count:
                break
            found.append(self.summary(number) if isinstance(number, int) else number)
        return found

    def every(self, wanted: RoundFilter) -> Iterator[Summary]:
        """All that fit, newest first."""
        for number in self.numbers(wanted, 0, None):
            yield self.summary(number) if isinstance(number, int) else number

    def numbers(self, wanted: RoundFilter, skip: int, before: int | None) -> Iterator[int | Summary]:
        """The rounds that fit; those that are in no block as they are."""
        for one in self.matching_tail(wanted):
            if before is None or one.round < before:
                if skip:
                    skip -= 1
                else:
                    yield one
        for block, bits in self.matching_blocks(wanted):
            if before is not None:
                bits &= (1 << max(0, min(before - block * BLOCK, BLOCK))) - 1
            if skip >= bits.bit_count():
                skip -= bits.bit_count()
                continue
            while bits:
                place = bits.bit_length() - 1
                bits ^= 1 << place
                if skip:
                    skip -= 1
                else:
                    yield block * BLOCK + place

    def matching_tail(self, wanted: RoundFilter) -> Iterator[Summary]:
        wanted_terms = terms(wanted)
        for one in self.tail:
            details: Details | None = details_in(one) if wanted_terms else None
            if details is None or all(term.fits(one, details) for term in wanted_terms):
                yield one

    def matching_blocks(self, wanted: RoundFilter) -> Iterator[tuple[int, int]]:
        """Each block, the newest first, with its rounds that fit."""
        wanted_terms = terms(wanted)
        for block in self.blocks:
            bits = self.of(ALL, block)
            for term in wanted_terms:
                if not bits:
                    break
                bits &= term.bits(self, block)
            if bits:
                yield block, bits

    def summary(self, number: int) -> Summary:
        row = self.log.one(OF_ROUND, number)
        if row is None:
            raise unusable(self.log.path, sqlite3.DatabaseError(f"round {number} is in no rollup"))
        return Summary._make(row)

    # -- facets

    def values(self, facet: str) -> dict[str, int]:
        """The values that rounds of this log have, with how many; those in no block yet are not counted."""
        return dict(self.log.query(VALUES, facet))

    def counts(self, wanted: RoundFilter, facets: Sequence[str]) -> dict[str, dict[str, int]]:
        """Of the rounds that fit, how many have each value, by facet."""
        matching = dict(self.matching_blocks(wanted))
        counts: dict[str, Counter[str]] = {facet: Counter() for facet in facets}
        for facet, of_facet in counts.items():
            for value, block, rounds in self.log.query(OF_FACET, facet):
                number = (as_bits(rounds) & matching.get(block, 0)).bit_count()
                if number:
                    of_facet[value] += number
        for one in self.matching_tail(wanted):
            for facet, value in marks_of(one):
                if facet in counts:
                    counts[facet][value] += 1
        return {facet: dict(of_facet) for facet, of_facet in counts.items()}


def catch_up(connection: sqlite3.Connection, progress: Progress) -> State:
    """The state of the log's rollups; they are made in memory as far as the log lacks them."""
    has_rollups = version_of(connection) >= ROLLUPS
    state = read_state(connection) if has_rollups else None
    if state and state.derivation == DERIVATION and not state.behind:
        return state
    make_temporary(connection, declared_schema(NEWEST))
    if state and state.derivation == DERIVATION:
        for name in ("state", *TABLES):
            connection.execute(f"INSERT INTO temp.rollup_{name} SELECT * FROM main.rollup_{name}")
    made = RollupKeeper(connection)
    while made.is_behind:
        made.catch_up()
        progress(made.last, made.end)
    return made.state
