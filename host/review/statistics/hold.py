"""Holds wagers against the truth: what they were to bring and what they brought, with evidence and a band.

One tally a wager, and one for all together. A tally is kept round by round, is whole numbers alone, and two of
them add up (tallies.py). Amounts are cents; what a player gains the House loses.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import erfc, sqrt
from types import ModuleType
from typing import Any, NamedTuple

from host.review.statistics import anytime
from host.review.statistics.anytime import Sums
from host.review.statistics.expectation import (
    Rounded,
    Truth,
    place_of_hand,
    shift_of,
    spread_of,
    spread_of_sums,
    truths,
)
from host.review.statistics.tallies import count
from shared.rules.rulebook import WIN

ALL = "all"

# What regulators look at, as published: outside of 95 % of what chance gives, or so many percentage points from
# what the wager should hold, whatever chance gives.
SURE_LIMITS = {"maryland": 0.95}
POINT_LIMITS = {"kansas": 0.03, "ohio": 0.04}


class Bet(NamedTuple):
    """A wager that had a result: `gained` is what the player got back less what he staked on it and its parts.

    `hand` and `folded` are needed where the player decides.
    """

    wager: str
    stake: int
    gained: int
    hand: tuple[int, ...] | None = None
    folded: bool = False


class Luck(NamedTuple):
    """A bet's luck in cents, its bounds and variance, and the whole numbers that its expectation is made of."""

    cents: float
    least: float
    most: float
    variance: float
    shift: int
    shift_cents: int


class Hold(NamedTuple):
    """What came of a wager, or of all: amounts in cents, rates as shares of what was staked on it."""

    wager: str
    bets: int
    staked: int
    expected: Fraction  # what the House was to keep
    kept: int
    deviation: float  # the standard deviation of what the House keeps, in cents
    band: tuple[float, float]  # in which the true rate lies, however often one looks
    evidence: float

    @property
    def rate(self) -> float:
        return self.kept / self.staked if self.staked else 0.0

    @property
    def expected_rate(self) -> float:
        return float(self.expected) / self.staked if self.staked else 0.0

    @property
    def difference(self) -> float:
        return self.rate - self.expected_rate


class Verdict(NamedTuple):
    """A regulator's limit: whether the hold is outside, and how often chance alone brings a table there."""

    name: str
    outside: bool
    limit: tuple[float, float]  # the rates between which nothing is asked
    chance: float


def new_tally() -> dict[str, Any]:
    return {
        "bets": 0,
        "staked": 0,
        "gained": 0,
        "shift": 0,  # what decisions cost, in parts of the truth's unit
        "shift_cents": 0,
        "meters": 0,  # the meter's cents, for each bet
        "dropped": {},  # the remainders of stakes that are paid in part cents
        "variance": 0,  # in cents squared, as the others
        "own_squares": 0,
        "squares": 0,
        "products": 0,
        "stakes": 0,
        "most": {"lost": 0, "won": 0, "staked": 0},
        "capital": anytime.new_capital(),
    }


def luck_of(book: ModuleType, truth: Truth, bet: Bet, meter: int) -> Luck:
    stake = bet.stake
    if truth.sums:
        mean, variance, most = spread_of_sums(truth.sums, meter)
        given_up = pay_given_up(book, truth, bet, meter)
        return Luck(bet.gained + stake - mean + given_up, -mean, most - mean, variance, 0, -given_up)
    shift = 0
    variance = truth.variance
    if truth.by_hand and bet.hand:
        hand = place_of_hand(bet.hand)
        shift = shift_of(truth.by_hand, hand, bet.folded)
        variance = spread_of(truth, hand, bet.folded)
    mean = stake * float(truth.gain) - dropped_mean(truth.rounded, stake)
    if shift:
        mean += stake * shift / truth.unit
    return Luck(
        bet.gained - mean, stake * truth.least, stake * truth.most, variance * stake * stake, shift * stake, 0
    )


def pay_given_up(book: ModuleType, truth: Truth, bet: Bet, meter: int) -> int:
    """Cents that a folded hand would have been paid; it has no variance of its own."""
    if not bet.folded or not bet.hand:
        return 0
    wager = next(one for one in book.WAGERS if one.name == truth.wager)
    line = wager.judge(book.value(*bet.hand), book.mark(*bet.hand), 0)
    if line.result != WIN:
        return 0
    return line.num if line.den == 0 else meter * line.num // 100


@lru_cache(maxsize=1000)
def dropped_mean(rounded: tuple[Rounded, ...], stake: int) -> float:
    """Cents that are lost on average because part cents are dropped."""
    return float(sum(stake * one.num % one.den * one.chance / one.den for one in rounded))


def add_round(tallies: dict[str, dict[str, Any]], book: ModuleType, bets: Iterable[Bet], meter: int = 0) -> None:
    """Add a round's bets; the meter is that which the round would have paid."""
    known = truths(book)
    by_wager: dict[str, list[tuple[Bet, Luck]]] = {}
    for bet in bets:
        by_wager.setdefault(bet.wager, []).append((bet, luck_of(book, known[bet.wager], bet, meter)))
    for wager, played in by_wager.items():
        tally = tallies.setdefault(wager, new_tally())
        add_money(tally, known[wager], played, meter)
        units = [(luck.cents / bet.stake, luck.least / bet.stake, luck.most / bet.stake) for bet, luck in played]
        anytime.bet_on_luck(tally["capital"], *(sum(column) for column in zip(*units)))
    everything = [one for played in by_wager.values() for one in played]
    if everything:
        add_money(tallies.setdefault(ALL, new_tally()), None, everything, meter)


def add_money(tally: dict[str, Any], truth: Truth | None, played: list[tuple[Bet, Luck]], meter: int) -> None:
    luck = staked = 0
    for bet, one in played:
        staked += bet.stake
        luck += one.cents
        tally["gained"] += bet.gained
        tally["shift"] += one.shift
        tally["shift_cents"] += one.shift_cents
        tally["variance"] += round(one.variance)
        tally["own_squares"] += round(one.cents**2)
        for line in truth.rounded if truth else ():
            if bet.stake * line.num % line.den:
                count(tally["dropped"], f"{line.num}:{line.den}", bet.stake * line.num % line.den)
    tally["bets"] += len(played)
    tally["staked"] += staked
    tally["meters"] += meter * len(played) if truth and truth.sums else 0
    tally["squares"] += round(luck**2)
    tally["products"] += round(luck * staked)
    tally["stakes"] += staked**2
    most = tally["most"]
    most["lost"] = max(most["lost"], round(-sum(one.least for _, one in played)))
    most["won"] = max(most["won"], round(sum(one.most for _, one in played)))
    most["staked"] = max(most["staked"], staked)


# -- what came of it


def expected_gain(truth: Truth, tally: dict[str, Any]) -> Fraction:
    """What the players of these bets gain on average, in cents, exactly."""
    if truth.sums:
        sums = sum(
            (
                one.chance * (one.cents * tally["bets"] + Fraction(one.percent * tally["meters"], 100))
                for one in truth.sums
            ),
            Fraction(),
        )
        return sums - tally["staked"] + tally["shift_cents"]
    gain = truth.gain * tally["staked"]
    gain += Fraction(tally["shift"], truth.unit)
    for one in truth.rounded:
        gain -= one.chance * Fraction(tally["dropped"].get(f"{one.num}:{one.den}", 0), one.den)
    return gain


def holds(
    tallies: dict[str, dict[str, Any]], known: dict[str, Truth], promise: float = anytime.LOOK_HERE
) -> list[Hold]:
    """Each wager against its truth, in the book's order, and all together at the end."""
    found = []
    expected = Fraction()
    for wager in known:
        if wager in tallies:
            gain = expected_gain(known[wager], tallies[wager])
            expected -= gain
            evidence = anytime.evidence_of_luck(tallies[wager]["capital"])
            found.append(hold_of(wager, tallies[wager], -gain, evidence, promise))
    if found:
        together = anytime.mean_of(one.evidence for one in found)
        found.append(hold_of(ALL, tallies[ALL], expected, together, promise))
    return found


def hold_of(wager: str, tally: dict[str, Any], expected: Fraction, evidence: float, promise: float) -> Hold:
    # What each wager has by itself is known exactly; how those of a round move together, as it was seen.
    together = tally["squares"] - tally["own_squares"]
    variance = tally["variance"] + max(together, 0)
    sums = sums_of(tally, expected)
    low, high = anytime.band(sums, tally["most"]["staked"], promise)
    rate = float(expected) / tally["staked"] if tally["staked"] else 0.0
    return Hold(
        wager,
        tally["bets"],
        tally["staked"],
        expected,
        -tally["gained"],
        sqrt(variance),
        (rate - high, rate - low),
        evidence,
    )


def sums_of(tally: dict[str, Any], expected: Fraction) -> Sums:
    return Sums(
        float(tally["gained"] + expected),
        tally["staked"],
        tally["squares"],
        tally["products"],
        tally["stakes"],
        -tally["most"]["lost"],
        tally["most"]["won"],
    )


# -- regulators' limits, which are asked about once, as at the end of a month


def verdicts(hold: Hold) -> list[Verdict]:
    """What each preset says; the chances are those of a normal distribution."""
    if not hold.staked or not hold.deviation:
        return []
    spread = hold.deviation / hold.staked
    found = []
    for name, sure in SURE_LIMITS.items():
        found.append(verdict(name, hold, spread * deviations_of(sure), 1 - sure))
    for name, points in POINT_LIMITS.items():
        found.append(verdict(name, hold, points, outside_chance(points / spread)))
    return found


def verdict(name: str, hold: Hold, away: float, by_chance: float) -> Verdict:
    limit = (hold.expected_rate - away, hold.expected_rate + away)
    return Verdict(name, abs(hold.difference) > away, limit, by_chance)


def outside_chance(deviations: float) -> float:
    """How often a normal variable is further away than so many standard deviations."""
    return erfc(deviations / sqrt(2))


def deviations_of(sure: float) -> float:
    """The other way round: 1.96 for 0.95."""
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if outside_chance(middle) > 1 - sure else (low, middle)
    return low
