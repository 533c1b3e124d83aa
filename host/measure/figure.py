"""One line of what `make measure` prints, and how often a second something can be done."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Figure(NamedTuple):
    what: str
    measured: str
    beside: str = ""
    promise: str = ""
    kept: bool = True


Figures = Iterator[Figure]


def at_least(what: str, value: float, unit: str, promise: float, beside: str = "") -> Figure:
    return Figure(what, f"{value:,.0f} {unit}", beside, f">= {promise:,} {unit}", value >= promise)


def at_most(what: str, value: float, unit: str, promise: float, beside: str = "") -> Figure:
    return Figure(what, f"{value:.1f} {unit}", beside, f"<= {promise} {unit}", value <= promise)


def rate(act: Callable[[], Any], times: int) -> float:
    """Acts a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(times):
            act()
        best = max(best, times / (time.perf_counter() - begun))
    return best
