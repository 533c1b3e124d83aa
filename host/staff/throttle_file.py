"""The wrong PINs that the gate has counted, kept in a file, so that a restart gives nobody new tries.

Times are kept as ages, because the gate's own clock begins anew with each start.
"""

import json
import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from host.files import write_whole

LONGEST_FILE = 4_000_000  # bytes; far more than a full gate has to keep
PARTS = ("names", "addresses")


class Kept(NamedTuple):
    """Wrong PINs by whom, how long ago the last was and how long it is still shut, in seconds."""

    wrong: dict[str, int]
    age_s: float
    wait_s: float


class DamagedTries(ValueError):
    """The file is there, and nobody can tell what was in it."""


class TriesBook:
    """`seconds` is the wall clock, the only one that goes on over a restart."""

    def __init__(self, path: Path, seconds: Callable[[], float] = time.time) -> None:
        self.path = path
        self.seconds = seconds
        self.latest = 0.0  # or a clock that was put back, and then right, would make all that is kept look old

    def read(self) -> tuple[dict[str, Kept], dict[str, Kept]]:
        """What was kept of names and addresses, as it is by now; DamagedTries if it cannot be read."""
        try:
            with self.path.open("rb") as file:
                content = file.read(LONGEST_FILE + 1)
        except FileNotFoundError:
            return {}, {}
        except OSError as problem:
            raise DamagedTries(str(problem)) from None
        try:
            given = json.loads(content)
            written_at = number_in(given["seconds"])
            names, addresses = ({key: kept_in(one) for key, one in given[part].items()} for part in PARTS)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DamagedTries(f"{self.path} is damaged") from None
        self.latest = max(self.latest, written_at)
        passed = max(0.0, self.seconds() - written_at)  # a clock that was put back proves no time
        return older(names, passed), older(addresses, passed)

    def write(self, names: dict[str, Kept], addresses: dict[str, Kept]) -> None:
        """All or nothing, for its owner alone. If the disk takes nothing, the gate still counts in memory."""
        self.latest = max(self.latest, self.seconds())
        content = json.dumps({"seconds": self.latest, "names": names, "addresses": addresses}).encode()
        with suppress(OSError):
            write_whole(self.path, content, 0o600, durable=True)


def older(kept: dict[str, Kept], passed: float) -> dict[str, Kept]:
    return {key: Kept(one.wrong, one.age_s + passed, max(0.0, one.wait_s - passed)) for key, one in kept.items()}


def kept_in(given: Any) -> Kept:
    wrong, age_s, wait_s = given
    return Kept({by: int(number_in(count)) for by, count in wrong.items()}, number_in(age_s), number_in(wait_s))


def number_in(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given) or given < 0:
        raise ValueError("no number that was kept")
    return float(given)
