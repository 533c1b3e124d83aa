"""The log of a table on the host: SQLite, append-only, every raw line beside its columns."""
