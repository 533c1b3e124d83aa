"""One line of what `make measure` prints, and how often a second something can be done."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Figure(NamedTuple):
    what: str
    measured: str
    promise: str
    kept: bool
    beside: str = ""


def rate(act: Callable[[], Any], times: int) -> float:
    """Acts a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(times):
            act()
        best = max(best, times / (time.perf_counter() - begun))
    return best
