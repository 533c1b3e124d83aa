"""Evidence that may be looked at as often as one likes, and still keeps its promise.

A bet against the table being in order starts with one unit and is fair while the table is in order. So it comes
to 100 units on at most one table in 100 that is in order, ever, however often one looks (Ville). Evidence is the
logarithm of what such a bet has come to, and the mean of several bets is again one. The papers call this an
e-process.
"""

from collections.abc import Callable, Iterable
from math import exp, inf, log, log1p
from typing import NamedTuple

from host.review.statistics.tallies import from_steps, in_steps

# How often a table in order may be pointed at, in its whole life.
LOOK_HERE = 0.01

# What is bet on each round, as a share of the capital for each unit of luck: nobody knows how far a table is off.
SHARES = tuple(2.0**-power for power in range(1, 15))
MOST_LOST = 0.5  # of the capital, in one round

# The same for each cent of luck, where a band is asked for.
SHARES_OF_CENTS = tuple(2.0**-power for power in range(46))


def mean_of(logarithms: Iterable[float]) -> float:
    """The logarithm of the mean of what these are logarithms of."""
    found = list(logarithms)
    return weigh(found, [1 / len(found)] * len(found))


def weigh(logarithms: list[float], weights: list[float]) -> float:
    """The same with weights that add up to 1, or to less."""
    top = max(logarithms)
    if top == -inf:
        return top
    return top + log(sum(weight * exp(one - top) for one, weight in zip(logarithms, weights)))


def chance(evidence: float) -> float:
    """At most this share of tables in order ever show as much."""
    return min(1.0, exp(-evidence))


def is_striking(evidence: float, promise: float = LOOK_HERE) -> bool:
    return chance(evidence) <= promise


# -- bets on luck whose mean is nil and whose bounds are known before the cards come


def new_capital() -> dict[str, list[int]]:
    """For players who win too much, and for a House that does."""
    return {"players": [0] * len(SHARES), "house": [0] * len(SHARES)}


def bet_on_luck(capital: dict[str, list[int]], luck: float, least: float, most: float) -> None:
    """A round's luck, in units staked, of which `least` (below 0) and `most` were possible."""
    for side, signed, worst in (("players", luck, -least), ("house", -luck, most)):
        places = capital[side]
        for place, share in enumerate(SHARES):
            places[place] += in_steps(log1p(min(share, MOST_LOST / worst) * signed))


def evidence_of_luck(capital: dict[str, list[int]]) -> float:
    return mean_of([from_steps(steps) for side in ("players", "house") for steps in capital[side]])


# -- a band for a mean


class Sums(NamedTuple):
    """Of a round's luck y and its stakes s, over all rounds: what a band needs."""

    luck: float  # y
    staked: float  # s
    squares: float  # y * y
    products: float  # y * s
    stakes: float  # s * s
    least: float  # the lowest y that was possible in any round
    most: float

    def mirrored(self) -> "Sums":
        return Sums(-self.luck, self.staked, self.squares, -self.products, self.stakes, -self.most, -self.least)


def evidence_above(sums: Sums, rate: float, largest: float) -> float:
    """That players gain more than `rate` of a stake beyond the truth; `largest` is the highest stake of a round.

    For z >= -r is log(1 + z) >= z - c z^2 with c = (-log(1 - r) - r) / r^2, so the bets' capital is at least what
    follows from the sums alone.
    """
    worst = -sums.least + max(rate, 0) * largest
    drift = sums.luck - rate * sums.staked
    spread = sums.squares - 2 * rate * sums.products + rate * rate * sums.stakes
    found = []
    for share in SHARES_OF_CENTS:
        lost = share * worst
        if lost > MOST_LOST:
            found.append(-inf)
            continue
        curve = 0.5 if lost < 1e-4 else (-log1p(-lost) - lost) / lost**2
        found.append(share * drift - curve * share**2 * spread)
    return mean_of(found)


def band(sums: Sums, largest: float, promise: float = LOOK_HERE) -> tuple[float, float]:
    """Between which rates of luck the mean lies; on `promise` of all tables it is outside at some time."""
    return lower_limit(sums, largest, promise), -lower_limit(sums.mirrored(), largest, promise)


def lower_limit(sums: Sums, largest: float, promise: float) -> float:
    if not sums.staked:
        return -inf
    start = sums.luck / sums.staked
    refuted = log(2 / promise)  # half of the promise for each side
    return cross(lambda away: evidence_above(sums, start - away, largest) >= refuted, start)


def cross(is_refuted: Callable[[float], bool], start: float) -> float:
    """The rate nearest to `start`, from below, that is refuted; -inf if none is."""
    far = 1e-6
    while not is_refuted(far):
        far *= 2
        if far > 1e6:
            return -inf
    near = far / 2
    for _ in range(40):
        middle = (near + far) / 2
        near, far = (near, middle) if is_refuted(middle) else (middle, far)
    return start - far
