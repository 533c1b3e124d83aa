"""Looks for text in the records of a log, oldest first: the one list that must read every line."""

from collections.abc import Callable, Iterator

from host.log.reading import LogReader, Step, as_bytes, readable

STEP = 2000  # records between two words of progress
# By the index of times alone; a clock that was set back is why the times are looked at again.
WITHIN = (
    "SELECT min(number), max(number) FROM records WHERE coalesce(table_seconds, seconds) >= ? "
    "AND coalesce(table_seconds, seconds) < ?"
)
BETWEEN = (
    "SELECT number, line, round, staff, seconds, table_seconds FROM records WHERE number BETWEEN ? AND ? "
    "ORDER BY number"
)
END_OF_TIME = 1 << 40


def find_text(
    log: LogReader,
    text: str,
    since: int | None = None,
    until: int | None = None,
    progress: Callable[[int, int], None] = lambda done, last: None,
) -> Iterator[Step]:
    """Every record that has the text, in capital letters or small ones; a space also finds an underscore."""
    first, last = log.ends()
    begin, end = since or 0, END_OF_TIME if until is None else until
    if since is not None or until is not None:
        row = log.one(WITHIN, begin, end)
        first, last = (row[0], row[1]) if row and row[0] is not None else (1, 0)
    wanted = plain(text.encode("ascii", "backslashreplace"))
    for start in range(first, last + 1, STEP):
        progress(start - first, last - first + 1)
        rows = log.query(BETWEEN, start, min(start + STEP - 1, last))
        for number, content, round_, staff, seconds, table_seconds in rows:
            line = as_bytes(content)
            if wanted not in plain(content_of(line)):
                continue
            record = readable(line)
            if record and begin <= (seconds if table_seconds is None else table_seconds) < end:
                yield Step(number, record, round_, staff, seconds, table_seconds)


def plain(text: bytes) -> bytes:
    return text.lower().replace(b"_", b" ")


def content_of(line: bytes) -> bytes:
    """The record as it is written, without its numbers and its seal, in which anything may be found by chance."""
    return line.split(b",", 3)[-1].rpartition(b",")[0]
