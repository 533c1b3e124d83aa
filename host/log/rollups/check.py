"""Makes the rollups of a log again from its records, and says where those that are kept differ.

They are made in temporary tables of the same names, which a connection finds before those of the file; so the
same program does it, and a log that nobody may write can be listed too.
"""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from host.log.rollups.blocks import fold
from host.log.rollups.keeper import STEP, TABLES, RollupKeeper, State, read_state
from host.log.rollups.summary import DERIVATION, SUMMARY_COLUMNS, Summary

CREATE = "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?"
FOLD_AT_ONCE = 512
MOST_DIFFERENCES = 20
# What a difference is about: the first column, and those that name the row.
KEYS = {
    "rounds": ("round",),
    "facets": ("facet", "value", "block"),
    "totals": ("facet", "value"),
    "blocks": ("block",),
    "sums": ("block", "game", "facet", "value"),
    "hours": ("hour", "game"),
    "notables": ("number",),
}


def make_temporary(connection: sqlite3.Connection, declared: dict[str, str]) -> None:
    """Empty rollups in temporary tables; `declared` has the SQL of the tables by their names."""
    for name in ("state", *TABLES):
        table = f"rollup_{name}"
        connection.execute(f"DROP TABLE IF EXISTS temp.{table}")
        connection.execute(declared[table].replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


def drop_temporary(connection: sqlite3.Connection) -> None:
    for name in ("state", *TABLES):
        connection.execute(f"DROP TABLE IF EXISTS temp.rollup_{name}")


class Rebuilder(RollupKeeper):
    """Folds nothing by itself, as how much is folded is not told by the records."""

    def fold(self) -> None:
        pass

    def fold_up_to(self, last: int) -> None:
        sql = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round > ? AND round <= ? ORDER BY round LIMIT ?"
        while True:
            rows = self.connection.execute(sql, (self.state.folded, last, FOLD_AT_ONCE)).fetchall()
            if not rows:
                return
            rounds = [Summary._make(row) for row in rows]
            fold(self.connection, rounds)
            self.put_state(folded=rounds[-1].round)


def check_rollups(
    connection: sqlite3.Connection, declared: dict[str, str], progress: Callable[[int], None] = lambda count: None
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each difference, as the table and the key of the row; rollups that are behind, as far as they go.

    `progress` is told how many records are done.
    """
    kept = read_state(connection)
    if kept is None or kept.derivation != DERIVATION:
        return
    make_temporary(connection, declared)
    try:
        rebuild(connection, kept, progress)
        for name in TABLES:
            yield from differences(connection, name, kept)
    finally:
        drop_temporary(connection)


def rebuild(connection: sqlite3.Connection, kept: State, progress: Callable[[int], None]) -> None:
    made = Rebuilder(connection)
    while made.is_behind:
        made.catch_up(STEP)
        progress(made.last)
    made.fold_up_to(kept.folded)


def differences(connection: sqlite3.Connection, name: str, kept: State) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The keys of rows that are not the same in both."""
    table, keys = f"rollup_{name}", ", ".join(KEYS[name])
    # A log that is being caught up lacks its last rounds as yet.
    known = f" WHERE {'last' if name == 'rounds' else 'number'} <= {kept.rolled}"
    limit = known if kept.behind and name in ("rounds", "notables") else ""
    found: dict[tuple[Any, ...], None] = {}
    for one, other in (("main", "temp"), ("temp", "main")):
        sql = f"SELECT * FROM {one}.{table}{limit} EXCEPT SELECT * FROM {other}.{table}{limit}"
        rows = connection.execute(f"SELECT {keys} FROM ({sql}) LIMIT ?", (MOST_DIFFERENCES,))
        found |= dict.fromkeys(rows)
    for key in found:
        yield name, key
