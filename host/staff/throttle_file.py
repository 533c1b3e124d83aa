"""Keeps the wrong PINs that were counted in a file, so that a restart gives nobody new tries.

Times are stored as ages, because the throttle's own clock starts again with each run.
"""

import json
import math
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

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
        passed = max(0.0, self.seconds() - written_at)  # a clock that was set back proves no time
        return older(names, passed), older(addresses, passed)

    def write(self, names: dict[str, Kept], addresses: dict[str, Kept]) -> None:
        """Written whole, readable by its owner only. If the disk is full, the throttle still counts in memory."""
        self.latest = max(self.latest, self.seconds())
        content = json.dumps({"seconds": self.latest, "names": names, "addresses": addresses}).encode()
        with suppress(OSError):
            replace_private(self.path, content)


def replace_private(path: Path, content: bytes) -> None:
    """After a power cut the file has either its old content or this one."""
    descriptor, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def older(kept: dict[str, Kept], passed: float) -> dict[str, Kept]:
    return {key: Kept(one.wrong, one.age_s + passed, max(0.0, one.wait_s - passed)) for key, one in kept.items()}


def kept_in(given: Any) -> Kept:
    wrong, age_s, wait_s = given
    return Kept({by: int(number_in(count)) for by, count in wrong.items()}, number_in(age_s), number_in(wait_s))


def number_in(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given) or given < 0:
        raise ValueError("no number that was kept")
    return float(given)
