"""Keeps the rollups of a log in step with its records, in the same transaction; catches up an old log in steps.

A round is summed up when it is over, and again if more is told of it. So that a list need not read many rows, 512
rounds at a time are folded into blocks. The round that is being played is in no rollup: readers sum it up.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from host.log.rollups.blocks import change, fold
from host.log.rollups.summary import (
    COLUMNS,
    DERIVATION,
    OVER,
    SUMMARY_COLUMNS,
    Entry,
    Summary,
    is_plain,
    summarize,
)

FOLD = 512  # rounds that wait for a quiet moment to be folded; twice as many do not wait
STEP = 5000  # records in a step of catching up, where nobody waits for it
# Records that tell something of the table itself. A `begin` is one where it brings a new configuration.
NOTABLE = {"refused", "held", "fault", "cleared", "call", "boot", "console", "files", "replaced"} | {
    *("mismatch", "denied", "unknown", "quiet", "link"),
}
CLAIMS = ("event", "refused")  # records in which values stand as somebody gave them
TABLES = ("rounds", "facets", "totals", "blocks", "sums", "hours", "notables")

STATE = "SELECT derivation, rolled, folded, behind FROM rollup_state"
PUT_STATE = (
    "INSERT INTO rollup_state (id, derivation, rolled, folded, behind) VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) "
    "DO UPDATE SET derivation = excluded.derivation, rolled = excluded.rolled, folded = excluded.folded, "
    "behind = excluded.behind"
)
GET_ROUND = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round = ?"
PUT_ROUND = (
    f"INSERT INTO rollup_rounds ({SUMMARY_COLUMNS}) VALUES ({', '.join('?' * len(Summary._fields))}) "
    f"ON CONFLICT (round) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in Summary._fields[1:])}"
)
UNFOLDED = f"SELECT {SUMMARY_COLUMNS} FROM rollup_rounds WHERE round > ? ORDER BY round"
COUNT_UNFOLDED = "SELECT count(*) FROM rollup_rounds WHERE round > ?"
PUT_NOTABLE = (
    "INSERT INTO rollup_notables (number, seconds, kind) VALUES (?, ?, ?) ON CONFLICT (number) DO NOTHING"
)
# The last two rounds that opened, and where.
LAST_OPENED = (
    "SELECT round, number FROM records WHERE kind = 'event' AND what = 'open' ORDER BY round DESC LIMIT 2"
)
ROWS = f"SELECT {COLUMNS} FROM records WHERE number > ? ORDER BY number LIMIT ?"


class State(NamedTuple):
    derivation: int
    rolled: int  # the last record that is in the rollups, but for those of a round that is being played
    folded: int  # the last round that is folded
    behind: int  # 1 while an old log is being caught up


def read_state(connection: sqlite3.Connection) -> State | None:
    row = connection.execute(STATE).fetchone()
    return State(*row) if row else None


def last_number(connection: sqlite3.Connection) -> int:
    return connection.execute("SELECT max(number) FROM records").fetchone()[0] or 0


def round_in_play(connection: sqlite3.Connection, state: State) -> int | None:
    """The round that opened last, if it is in no rollup yet, of a log that is caught up."""
    opened = connection.execute(LAST_OPENED).fetchone()
    return opened[0] if opened and opened[1] > state.rolled else None


def forget_rollups(connection: sqlite3.Connection) -> None:
    """Within a transaction; they are made again by catching up."""
    for name in ("state", *TABLES):
        connection.execute(f"DELETE FROM rollup_{name}")


class RollupKeeper:
    """The rollups of one log, written by `connection` in whatever transaction it is in."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.playing: int | None = None  # and the record with which it opened, and how many are not folded yet
        self.playing_since = self.tail = 0
        self.rows: list[tuple[Any, ...]] | None = None  # of that round, if all are here as SQLite keeps them
        self.is_ahead = False  # of the state that is kept
        self.is_broken = False  # they could not be made, and are left alone until the log is opened again
        state = read_state(connection)
        self.last = self.end = last_number(connection)  # the last record that was looked at, and that is there
        self.is_new = state is None and self.last == 0
        # Without a state of this derivation, whatever is there goes before it is caught up.
        self.is_stale = not self.is_new and (state is None or state.derivation != DERIVATION)
        if state is None or self.is_stale:
            state = State(DERIVATION, 0, 0, int(not self.is_new))
        self.state = state
        if state.behind:
            self.last = state.rolled
        else:
            self.playing = round_in_play(connection, state)
        opened = connection.execute(LAST_OPENED).fetchone()
        self.playing_since = opened[1] if opened else 0
        self.tail = 0 if self.is_stale else connection.execute(COUNT_UNFOLDED, (state.folded,)).fetchone()[0]

    @property
    def is_behind(self) -> bool:
        return bool(self.state.behind)

    # -- with each commit

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Rows of `records` that were just inserted, in the order of their columns."""
        if self.is_new:
            self.is_new = False
            self.put_state()
        if not self.is_behind:
            self.within(lambda: self.take_rows(rows))

    def within(self, act: Callable[[], None]) -> None:
        """Whatever is wrong with rollups, the records are kept: then it is as if there were none from here on."""
        self.connection.execute("SAVEPOINT rollups")
        before = self.state
        try:
            act()
        except sqlite3.Error:
            raise  # a full disk: nothing is kept
        except Exception:
            self.connection.execute("ROLLBACK TO rollups")
            self.is_broken = True
            self.state = before
            self.put_state(behind=1)
        self.connection.execute("RELEASE rollups")

    def take_rows(self, rows: list[tuple[Any, ...]]) -> None:
        notables = []
        touched: set[int] = set()
        for row in rows:
            kind, what, round_, about = row[2:6]
            if kind in NOTABLE or (kind == "begin" and what == "config"):
                notables.append((row[0], Entry._make(row).at, kind))
            if about is not None and about != round_ and isinstance(about, int):
                touched.add(about)
            if round_ is None or not isinstance(round_, int):
                continue
            if kind == "event" and what == "open" and round_ != self.playing:
                self.end_round()
                self.sum_up_again(touched)  # before the next round, whose pause begins with their end
                self.playing, self.playing_since, self.rows = round_, row[0], []
            if round_ != self.playing:
                touched.add(round_)
                continue
            if self.rows is not None:
                self.rows.append(row)
                if kind in CLAIMS and not is_plain(row):
                    self.rows = None
            if kind == "state" and what in OVER:
                self.end_round()
        self.last = rows[-1][0] if rows else self.last
        self.connection.executemany(PUT_NOTABLE, notables)
        self.sum_up_again(touched)
        if self.tail > (FOLD if self.is_behind else 2 * FOLD):
            self.fold()
        if self.is_ahead:
            self.put_state(rolled=self.rolled())

    def end_round(self) -> None:
        """The round that is being played, if there is one, is over or is left as it is."""
        if self.playing is not None:
            self.sum_up(self.playing, self.rows)
            self.playing = self.rows = None

    def sum_up_again(self, touched: set[int]) -> None:
        for number in sorted(touched - {self.playing}):
            self.sum_up(number, None)
        touched.clear()

    def sum_up(self, number: int, rows: list[tuple[Any, ...]] | None) -> None:
        entries = None if rows is None else [Entry._make(row) for row in rows]
        summary = summarize(self.connection, number, entries)
        if summary:
            self.put(summary)
        self.is_ahead = True

    def rolled(self) -> int:
        return self.last if self.playing is None else self.playing_since - 1

    def put(self, summary: Summary) -> None:
        row = self.connection.execute(GET_ROUND, (summary.round,)).fetchone()
        old = Summary._make(row) if row else None
        if summary.round <= self.state.folded:
            change(self.connection, old, summary)
        elif old is None:
            self.tail += 1
        self.connection.execute(PUT_ROUND, summary)

    def fold(self) -> None:
        """All but the last round, of which more may be told."""
        unfolded = self.unfolded()
        fold(self.connection, unfolded[:-1])
        self.state = self.state._replace(folded=unfolded[-2].round)
        self.tail = 1

    def unfolded(self) -> list[Summary]:
        return [Summary._make(row) for row in self.connection.execute(UNFOLDED, (self.state.folded,))]

    def put_state(self, **changed: int) -> None:
        self.state = self.state._replace(**changed)
        self.is_ahead = False
        self.connection.execute(PUT_STATE, self.state)

    # -- in quiet moments

    @property
    def has_to_do(self) -> bool:
        """Whether something is left that is best done while nothing happens at the table."""
        return not self.is_broken and (self.is_behind or (self.tail > FOLD and self.playing is None))

    def do_some(self, count: int) -> None:
        """Catch up so many records more, or fold what waits for it; within a transaction."""
        if self.is_behind:
            self.within(lambda: self.catch_up(count))
        elif self.has_to_do:
            self.within(self.fold)
            self.put_state()

    def catch_up(self, count: int = STEP) -> None:
        """Take so many records more, within a transaction."""
        if self.is_stale:
            forget_rollups(self.connection)
            self.is_stale = False
        rows = self.connection.execute(ROWS, (self.last, count)).fetchall()
        self.take_rows(rows)
        self.put_state(rolled=self.rolled(), behind=int(len(rows) == count))
