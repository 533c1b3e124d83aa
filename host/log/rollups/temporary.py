"""Rollups in memory: temporary tables of the same names, which a connection finds before those of the file.

So the same program makes them, and a log that nobody may write can be listed and checked too.
"""

import sqlite3

from host.log.rollups.blocks import fold
from host.log.rollups.keeper import STEP, TABLES, RollupKeeper
from host.log.rollups.summary import SUMMARY_COLUMNS, Summary

FOLD_AT_ONCE = 512
UP_TO = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round > ? AND round <= ? ORDER BY round LIMIT ?"


def make_temporary(connection: sqlite3.Connection, declared: dict[str, str]) -> None:
    """Empty rollups in temporary tables; `declared` has the SQL of the tables by their names."""
    drop_temporary(connection)
    for name in ("state", *TABLES):
        table = f"rollup_{name}"
        connection.execute(declared[table].replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


def drop_temporary(connection: sqlite3.Connection) -> None:
    for name in ("state", *TABLES):
        connection.execute(f"DROP TABLE IF EXISTS temp.rollup_{name}")


class Rebuilder(RollupKeeper):
    """Folds nothing by itself, as how much is folded is not told by the records."""

    def fold(self) -> None:
        pass

    def fold_up_to(self, last: int) -> None:
        while rows := self.connection.execute(UP_TO, (self.state.folded, last, FOLD_AT_ONCE)).fetchall():
            rounds = [Summary._make(row) for row in rows]
            fold(self.connection, rounds)
            self.put_state(folded=rounds[-1].round)


def rebuild(connection: sqlite3.Connection, folded: int) -> None:
    """Fill temporary tables from the records, with the rounds up to `folded` in blocks."""
    made = Rebuilder(connection)
    while made.is_behind:
        made.catch_up(STEP)
    made.fold_up_to(folded)
