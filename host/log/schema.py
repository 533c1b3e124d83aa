"""The log's tables, as the SQL files of migrations/: each applied in one transaction, recorded, and never edited.

Rows are only ever added: every table has triggers that refuse to change or remove one, but for the rollups, which
follow from the records and may be made again.
"""

import sqlite3
from pathlib import Path

from host.words.failures import Failure

APPLICATION = 0x46656C74  # "Felt", by which a file is known as a log


class NotALog(Failure, ValueError):
    """A file that cannot be read as a log."""


def read_migration(path: Path) -> tuple[str, tuple[str, ...]]:
    """The name in the first line of a file, and its statements."""
    first, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    statements = [""]
    for line in lines:
        statements[-1] += line
        if sqlite3.complete_statement(statements[-1]):
            statements.append("")
    return first.removeprefix("-- ").strip(), tuple(statements[:-1])


MIGRATIONS = tuple(map(read_migration, sorted(Path(__file__).with_name("migrations").glob("*.sql"))))
NEWEST = len(MIGRATIONS)
READABLE = 3  # from this one on a log can be read as it is; what came later follows from the records
ROLLUPS = 4  # keeps the rollups


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
        raise NotALog("log.other_application", path=path)
    found = version_of(connection)
    if found > NEWEST:
        newer = connection.execute("SELECT felt FROM migrations WHERE number = ?", (found,)).fetchone()
        felts = {"felt": newer[0] if newer else "unknown", "this": felt_version()}
        raise NotALog("log.by_newer", path=path, found=found, newest=NEWEST, **felts)


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
    """The SQL of everything in the file, by name; where its lines break does not matter."""
    rows = connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_master")
    return {name: " ".join(sql.split()) for name, sql in rows}
