"""Tallies: plain dicts and lists of whole numbers that add up, so that two stretches of a log make one.

Whole numbers add up exactly and in any order: an audit that counts a log again gets the same tallies, bit for
bit. What is not whole by itself (a logarithm, a square) is kept in small fixed steps.
"""

from copy import deepcopy
from math import floor
from typing import Any

# Where of two stretches the greater counts; everything else is added.
MOST = "most"

# A logarithm is kept in steps of 2^-32, rounded down. A fair table's evidence only loses by that.
STEPS = 1 << 32


def in_steps(logarithm: float) -> int:
    return floor(logarithm * STEPS)


def from_steps(steps: int) -> float:
    return steps / STEPS


def add(one: Any, other: Any, most: bool = False) -> Any:
    """Both tallies as one. What only one of them has is taken as it is; lists may differ in length."""
    if isinstance(one, dict):
        return {
            key: add(one[key], other[key], most or key == MOST)
            if key in one and key in other
            else deepcopy(one.get(key, other.get(key)))
            for key in one | other
        }
    if isinstance(one, list):
        longer = max(one, other, key=len)
        return [add(*both, most) for both in zip(one, other)] + longer[min(len(one), len(other)) :]
    return max(one, other) if most else one + other


def count(tally: dict[str, int], key: str, more: int = 1) -> None:
    tally[key] = tally.get(key, 0) + more
