"""Follows a log that is being written: what it has now, and then what comes."""

from pathlib import Path

from host.log.reading import LogReader, Step, as_bytes, readable

MOST = 1000  # records at a time
COLUMNS = "number, line, round, staff, seconds, table_seconds"
NEXT = f"SELECT {COLUMNS} FROM records WHERE number > ? ORDER BY number LIMIT ?"


class Follower:
    """Begins with the last `count` records. The log is opened for each look, so that it may be moved away."""

    def __init__(self, path: Path, count: int) -> None:
        self.path = path
        with LogReader(path) as log:
            first, last = log.ends()
        self.last = max(last - count, first - 1)

    def more(self) -> list[Step]:
        """What has come since; NotALog if the log cannot be read."""
        with LogReader(self.path) as log:
            rows = list(log.query(NEXT, self.last, MOST))
        steps = []
        for number, line, *more in rows:
            self.last = number
            record = readable(as_bytes(line))
            if record is not None:
                steps.append(Step(number, record, *more))
        return steps
