"""The log's tables, as numbered migrations. Each is applied in one transaction and recorded, and never changed.

Rows are only ever added: every table has triggers that refuse to change or remove one.
"""

import sqlite3
from pathlib import Path

APPLICATION = 0x46656C74  # "Felt", by which a file is known as a log


class NotALog(ValueError):
    """A file that cannot be read as a log; the text says why and what to do."""


def never_replaced(table: str, key: str) -> str:
    """INSERT OR REPLACE removes a row without asking the triggers that guard removing."""
    return (
        f"CREATE TRIGGER {table}_never_replaced BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
        f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added, never replaced'); END"
    )


def append_only(table: str) -> tuple[str, ...]:
    return (
        f"CREATE TRIGGER {table}_never_change BEFORE UPDATE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added, never changed'); END",
        f"CREATE TRIGGER {table}_never_go BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added, never removed'); END",
    )


MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "records, where they begin, and notices",
        (
            # `seconds` is when it was applied, `felt` the version of the program that did it.
            "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, seconds INTEGER NOT NULL, "
            "felt TEXT NOT NULL)",
            *append_only("migrations"),
            never_replaced("migrations", "number"),
            # One row: whose log this is, and the record before its first, with that record's seal.
            "CREATE TABLE origins (id INTEGER PRIMARY KEY CHECK (id = 1), table_name TEXT NOT NULL, "
            "number INTEGER NOT NULL, seal BLOB, seconds INTEGER NOT NULL, staff TEXT, reason TEXT)",
            *append_only("origins"),
            never_replaced("origins", "id"),
            "CREATE TABLE records (number INTEGER PRIMARY KEY, boot INTEGER NOT NULL, kind TEXT NOT NULL, "
            "what TEXT, round INTEGER, about INTEGER, box INTEGER, player TEXT, wager TEXT, result TEXT, "
            "cents INTEGER, stake INTEGER, paid INTEGER, returned INTEGER, irregularity TEXT, paragraph TEXT, "
            "staff TEXT, post TEXT, seconds INTEGER NOT NULL, table_seconds INTEGER, line BLOB NOT NULL)",
            *append_only("records"),
            "CREATE TRIGGER records_without_gaps BEFORE INSERT ON records WHEN NEW.number <> "
            "coalesce((SELECT max(number) FROM records), (SELECT number FROM origins)) + 1 "
            "BEGIN SELECT RAISE(ABORT, 'records are only ever added at the end, never replaced'); END",
            # What the host noticed, which is no record of the table's; `number` is the record it is about.
            "CREATE TABLE notices (id INTEGER PRIMARY KEY, seconds INTEGER NOT NULL, kind TEXT NOT NULL, "
            "number INTEGER, text TEXT NOT NULL)",
            *append_only("notices"),
            never_replaced("notices", "id"),
        ),
    ),
    (
        "indices for reviews",
        (
            "CREATE INDEX records_by_time ON records (coalesce(table_seconds, seconds))",
            "CREATE INDEX records_by_round ON records (round) WHERE round IS NOT NULL",
            "CREATE INDEX records_by_earlier_round ON records (about) WHERE about IS NOT NULL",
            "CREATE INDEX records_by_box ON records (box) WHERE box IS NOT NULL",
            "CREATE INDEX records_by_wager ON records (wager, result, paid) WHERE wager IS NOT NULL",
            "CREATE INDEX records_by_irregularity ON records (irregularity) WHERE irregularity IS NOT NULL",
            "CREATE INDEX records_by_staff ON records (staff) WHERE staff IS NOT NULL",
            "CREATE INDEX records_by_post ON records (post) WHERE post IS NOT NULL",
            "CREATE INDEX records_that_begin ON records (number) WHERE kind = 'begin'",
            "CREATE INDEX records_that_open ON records (round) WHERE kind = 'event' AND what = 'open'",
            "CREATE INDEX records_of_game ON records (number) WHERE kind = 'config' AND what = 'game'",
            "CREATE INDEX notices_by_time ON notices (seconds)",
            "CREATE INDEX notices_by_kind ON notices (kind)",
        ),
    ),
    (
        "rounds",
        (
            # A line ends with a star and eight digits, which are no JSON. A settlement that was taken back,
            # wholly or for one box, takes its money out of the sums again.
            """CREATE VIEW rounds AS SELECT
                opened.round AS round,
                opened.number AS first,
                (SELECT max(number) FROM records WHERE round = opened.round) AS last,
                (SELECT CASE WHEN json_valid(CAST(substr(line, 1, length(line) - 9) AS TEXT))
                    THEN json_extract(CAST(substr(line, 1, length(line) - 9) AS TEXT), '$[3][2]') END FROM records
                    WHERE kind = 'config' AND what = 'game' AND number < opened.number
                    ORDER BY number DESC LIMIT 1) AS game,
                coalesce(opened.table_seconds, opened.seconds) AS begun,
                (SELECT max(coalesce(table_seconds, seconds)) FROM records WHERE round = opened.round
                    AND kind = 'state' AND what IN ('settled', 'void')) AS ended,
                (SELECT what FROM records WHERE round = opened.round AND kind = 'state'
                    ORDER BY number DESC LIMIT 1) AS outcome,
                (SELECT sum(CASE kind WHEN 'total' THEN stake ELSE -stake END) FROM records
                    WHERE round = opened.round AND kind IN ('total', 'reversed')) AS staked,
                (SELECT sum(CASE kind WHEN 'total' THEN returned ELSE -returned END) FROM records
                    WHERE round = opened.round AND kind IN ('total', 'reversed')) AS returned,
                (SELECT sum(CASE kind WHEN 'total' THEN stake - returned ELSE returned - stake END) FROM records
                    WHERE round = opened.round AND kind IN ('total', 'reversed')) AS house_net,
                (SELECT count(*) FROM records WHERE round = opened.round
                    AND kind = 'event' AND irregularity IS NOT NULL) AS irregularities
            FROM records AS opened WHERE opened.kind = 'event' AND opened.what = 'open'""",
        ),
    ),
)
NEWEST = len(MIGRATIONS)


def felt_version() -> str:
    from importlib.metadata import version  # slow to import, and readers do not need it

    return version("felt")


def version_of(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def is_new(connection: sqlite3.Connection) -> bool:
    """Whether nothing is in the file yet."""
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0


def check_file(connection: sqlite3.Connection, path: Path) -> None:
    """NotALog if the file is something else, or made by a newer program."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise NotALog(f"{path} is an SQLite file but no log of a table; name another")
    found = version_of(connection)
    if found > NEWEST:
        newer = connection.execute("SELECT felt FROM migrations WHERE number = ?", (found,)).fetchone()
        raise NotALog(
            f"{path} was written by a newer felt ({newer[0] if newer else 'unknown'}; this is {felt_version()}): "
            f"it has migration {found}, and this one knows {NEWEST}. Update felt"
        )


def migrate(connection: sqlite3.Connection, seconds: int, newest: int = NEWEST) -> list[int]:
    """Bring the log up to date, one transaction a migration; returns the numbers of those applied."""
    applied = []
    for number in range(version_of(connection) + 1, newest + 1):
        name, statements = MIGRATIONS[number - 1]
        connection.execute("BEGIN IMMEDIATE")
        try:
            if number == 1:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
            for statement in statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migrations VALUES (?, ?, ?, ?)", (number, name, seconds, felt_version())
            )
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        applied.append(number)
    return applied


def declared_schema(newest: int) -> dict[str, str]:
    """What the tables, triggers, indices and views of a log must be, by name."""
    with_all = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(with_all, 0, newest)
        return schema_of(with_all)
    finally:
        with_all.close()


def schema_of(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_master"))
