"""Says where the rollups of a log are not what follows from its records.

`RoundCheck` is fed with every record, by an audit that reads them anyway, and compares the row of each round;
`check_blocks` folds those rows again and compares blocks, sums and totals. Memory stays flat.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from host.log.rollups.blocks import BLOCK, added, as_bytes, bits_of, counted
from host.log.rollups.figures import figures_of, hour_figures, hour_key
from host.log.rollups.keeper import NOTABLE, State, read_state
from host.log.rollups.summary import (
    COLUMNS,
    DERIVATION,
    OVER,
    SUMMARY_COLUMNS,
    Entry,
    Summary,
    summarize,
)
from host.log.rollups.temporary import drop_temporary, make_temporary, rebuild

STEP = 5000  # records between two words of progress
MOST_DIFFERENCES = 20
Difference = tuple[str, tuple[Any, ...]]  # the table without its prefix, and the key of the row
KEYS = {
    "facets": ("facet", "value", "block"),
    "totals": ("facet", "value"),
    "blocks": ("block",),
    "sums": ("block", "game", "facet", "value"),
    "hours": ("hour", "game"),
}
GET_ROUND = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round = ?"
OF_BLOCK = (
    f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round >= ? AND round < ? AND round <= ? ORDER BY round"
)
GET_NOTABLE = "SELECT seconds, kind FROM rollup_notables WHERE number = ?"
ROWS = f"SELECT {COLUMNS} FROM records WHERE number > ? ORDER BY number"


class RoundCheck:
    """Compares the row of each round, and the list of notable records, as far as the rollups go.

    A log may be checked in parts that begin before a round opens; what is told of a round in another part is
    looked up at the end.
    """

    def __init__(self, connection: sqlite3.Connection, state: State) -> None:
        self.connection = connection
        self.state = state
        self.last = state.rolled if state.behind else None  # the last record that the rollups must know
        self.playing: int | None = None
        self.entries: list[Entry] = []
        self.suspects: set[int] = set()
        self.rounds = self.notables = 0  # that there must be
        self.wrong_notables: list[int] = []

    def take(self, row: Sequence[Any]) -> None:
        """The next row of `records`, in the order of its columns."""
        kind, what, round_, about = row[2:6]
        if self.last is not None and row[0] > self.last:
            return
        if kind in NOTABLE or (kind == "begin" and what == "config"):
            self.take_notable(row)
        if isinstance(about, int) and about != round_:
            self.suspects.add(about)
        if not isinstance(round_, int):
            return
        if kind == "event" and what == "open" and round_ != self.playing:
            self.end_round()
            self.playing, self.entries = round_, []
        if round_ != self.playing:
            self.suspects.add(round_)
            return
        self.entries.append(Entry._make(row))
        if kind == "state" and what in OVER:
            self.end_round()

    def take_notable(self, row: Sequence[Any]) -> None:
        self.notables += 1
        entry = Entry._make(row)
        found = self.connection.execute(GET_NOTABLE, (entry.number,)).fetchone()
        if found != (entry.at, entry.kind) and len(self.wrong_notables) < MOST_DIFFERENCES:
            self.wrong_notables.append(entry.number)

    def end_round(self) -> None:
        if self.playing is None:
            return
        number, self.playing = self.playing, None
        self.rounds += 1
        # More may be told of it yet, so what differs is looked at once more at the end.
        if summarize(self.connection, number, self.entries) != self.kept(number):
            self.suspects.add(number)

    def kept(self, number: int) -> Summary | None:
        row = self.connection.execute(GET_ROUND, (number,)).fetchone()
        return Summary._make(row) if row else None

    def differences(self) -> Iterator[Difference]:
        """After the last record. The round that is being played has no row."""
        for number in self.wrong_notables:
            yield "notables", (number,)
        for number in sorted(self.suspects - {self.playing}):
            if summarize(self.connection, number) != self.kept(number):
                yield "rounds", (number,)

    def strangers(self) -> Iterator[Difference]:
        """Rows of rounds and records that are not there; after all parts of a log were taken by this check."""
        for table, count in (("rounds", self.rounds), ("notables", self.notables)):
            there = self.connection.execute(f"SELECT count(*) FROM rollup_{table}").fetchone()[0]
            if there > count:
                yield table, (f"{there - count} more than there are",)


def check_blocks(connection: sqlite3.Connection, state: State) -> bool:
    """Whether folding the rows of the rounds again gives the blocks, sums and totals that are kept."""
    digest = 0  # of all facets, in any order
    totals: Counter[tuple[str, str]] = Counter()
    hours: dict[tuple[int, str], Sequence[int]] = {}
    last = connection.execute("SELECT max(round) FROM rollup_rounds").fetchone()[0] or 0
    kept_blocks = set(connection.execute("SELECT block, rounds, earliest, latest FROM rollup_blocks"))
    for block in range(min(last, state.folded) // BLOCK + 1):
        rows = connection.execute(OF_BLOCK, (block * BLOCK, (block + 1) * BLOCK, state.folded))
        rounds = [Summary._make(row) for row in rows]
        if not rounds:
            continue
        begun = [one.begun for one in rounds]
        made = (block, len(rounds), min(begun), max(begun))
        if made not in kept_blocks or not has_sums(connection, block, rounds):
            return False
        kept_blocks.remove(made)
        bits = bits_of(rounds)
        digest += sum(digest_of(*mark, block, as_bytes(some)) for mark, some in bits.items())
        for facet, value, count in counted(bits):
            totals[facet, value] += count
        for one in rounds:
            hours[hour_key(one)] = added(hours.get(hour_key(one)), hour_figures(one))
    kept_digest = sum(digest_of(*row) for row in connection.execute("SELECT * FROM rollup_facets"))
    kept_totals = {row[:2]: row[2] for row in connection.execute("SELECT * FROM rollup_totals")}
    kept_hours = {row[:2]: list(row[2:]) for row in connection.execute("SELECT * FROM rollup_hours")}
    return (
        not kept_blocks
        and kept_digest == digest
        and kept_totals == totals
        and kept_hours == {key: list(row) for key, row in hours.items()}
    )


def has_sums(connection: sqlite3.Connection, block: int, rounds: list[Summary]) -> bool:
    made: dict[tuple[Any, ...], Sequence[int]] = {}
    for one in rounds:
        for key, figures in figures_of(one).items():
            named = (block, one.game or "", *key)
            made[named] = added(made.get(named), figures)
    rows = connection.execute("SELECT * FROM rollup_sums WHERE block = ?", (block,))
    return {row[:4]: list(row[4:]) for row in rows} == {key: list(row) for key, row in made.items()}


def digest_of(facet: str, value: str, block: int, rounds: bytes) -> int:
    content = b"\0".join((facet.encode(), value.encode(), b"%d" % block, rounds))
    return int.from_bytes(blake2b(content, digest_size=16).digest())


def check_rollups(
    connection: sqlite3.Connection, declared: dict[str, str], progress: Callable[[int], None] = lambda count: None
) -> Iterator[Difference]:
    """Each difference; of rollups that are behind, as far as they go. `declared` has the SQL of the tables.

    `progress` is told how many records are done.
    """
    state = read_state(connection)
    if state is None or state.derivation != DERIVATION:
        return
    rounds = RoundCheck(connection, state)
    for count, row in enumerate(connection.execute(ROWS, (0,))):
        rounds.take(row)
        if count % STEP == 0:
            progress(count)
    yield from rounds.differences()
    if not state.behind:
        yield from rounds.strangers()
    if not check_blocks(connection, state):
        yield from different_blocks(connection, state, declared)


def different_blocks(
    connection: sqlite3.Connection, state: State, declared: dict[str, str]
) -> Iterator[Difference]:
    """Which rows of blocks, sums and totals differ: found by making all of them, once something does."""
    make_temporary(connection, declared)
    try:
        rebuild(connection, state.folded)
        for name, keys in KEYS.items():
            table = f"rollup_{name}"
            found: dict[tuple[Any, ...], None] = {}
            for one, other in (("main", "temp"), ("temp", "main")):
                sql = f"SELECT * FROM {one}.{table} EXCEPT SELECT * FROM {other}.{table}"
                found |= dict.fromkeys(
                    connection.execute(f"SELECT {', '.join(keys)} FROM ({sql}) LIMIT ?", (MOST_DIFFERENCES,))
                )
            for key in found:
                yield name, key
    finally:
        drop_temporary(connection)
