"""Keeps the wrong PINs that were counted in a file, so that a restart gives nobody new tries.

Times are stored as ages, because the throttle's own clock starts again with each run.
"""

import json
import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from host.files import write_whole

LONGEST_FILE = 4_000_000  # bytes; far more than a full throttle has to keep
PARTS = ("names", "addresses")


class Kept(NamedTuple):
    """Wrong PINs by key, how long ago the last was and how long it still waits, in seconds."""

    wrong: dict[str, int]
    age_s: float
    wait_s: float


class DamagedTries(ValueError):
    """The file is there but cannot be read."""


class TriesBook:
    """`seconds` is the wall clock, the only one that runs on over a restart."""

    def __init__(self, path: Path, seconds: Callable[[], float] = time.time) -> None:
        self.path = path
        self.seconds = seconds
        self.latest = 0.0  # else a clock that was set back, and then right, would make all entries look old

    def read(self) -> tuple[dict[str, Kept], dict[str, Kept]]:
        """The stored names and addresses, with their ages by now; DamagedTries if the file cannot be read."""
        try:
            with self.path.open("rb") as file:
                given = json.loads(file.read(LONGEST_FILE + 1))
            written_at = number_in(given["seconds"])
            passed = max(0.0, self.seconds() - written_at)  # a clock that was put back proves no time
            names, addresses = ({key: aged(one, passed) for key, one in given[part].items()} for part in PARTS)
        except FileNotFoundError:
            return {}, {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise DamagedTries(f"{self.path} is damaged: {problem}") from None
        self.latest = max(self.latest, written_at)
        return names, addresses

    def write(self, names: dict[str, Kept], addresses: dict[str, Kept]) -> None:
        """Written whole, readable by its owner only. If the disk is full, the throttle still counts in memory."""
        self.latest = max(self.latest, self.seconds())
        content = json.dumps({"seconds": self.latest, "names": names, "addresses": addresses}).encode()
        with suppress(OSError):
            write_whole(self.path, content, 0o600, durable=True)


def aged(given: Any, passed: float) -> Kept:
    """What was written down, so much later."""
    wrong, age_s, wait_s = given
    counts = {by: int(number_in(count)) for by, count in wrong.items()}
    return Kept(counts, number_in(age_s) + passed, max(0.0, number_in(wait_s) - passed))


def number_in(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given) or given < 0:
        raise ValueError(f"{given!r} is not a number that was written here")
    return float(given)
