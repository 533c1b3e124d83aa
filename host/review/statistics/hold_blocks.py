"""Many rounds of one wager added to its tally at once, for catching up and for trials; as if added one by one."""

from typing import Any

import numpy as np

from host.review.statistics.anytime import MOST_LOST, SHARES
from host.review.statistics.expectation import Truth
from host.review.statistics.hold import dropped_mean
from host.review.statistics.tallies import STEPS, count

Array = np.ndarray


def add_block(
    tally: dict[str, Any],
    truth: Truth,
    stakes: Array,
    gained: Array,
    hands: Array | None = None,
    folded: Array | None = None,
) -> Array:
    """Add rounds of a wager that pays odds, a row each with a column for each bet.

    `hands` are places of hands (expectation.py). Gives back what each round adds to the capital, for those who
    want to look at every one.
    """
    shift = np.zeros(stakes.shape, dtype=np.int64)
    variance = np.full(stakes.shape, truth.variance)
    mean = stakes * float(truth.gain)
    if truth.rounded:
        values, places = np.unique(stakes, return_inverse=True)
        dropped = np.array([dropped_mean(truth.rounded, int(value)) for value in values])
        mean = mean - dropped[places].reshape(stakes.shape)
    if truth.by_hand and hands is not None and folded is not None:
        shift, variance = decisions(truth, hands, folded)
        mean = np.where(shift == 0, mean, mean + stakes * shift / truth.unit)
    luck = gained - mean
    add_sums(tally, truth, stakes, gained, luck, shift * stakes, variance * stakes * stakes)
    bets = stakes.shape[1]
    steps = capital_steps((luck / stakes).sum(axis=1), bets * truth.least, bets * truth.most)
    for side, more in zip(("players", "house"), np.split(steps.sum(axis=0), 2)):
        capital = tally["capital"][side]
        tally["capital"][side] = [one + int(other) for one, other in zip(capital, more)]
    return steps


def decisions(truth: Truth, hands: Array, folded: Array) -> tuple[Array, Array]:
    """What each decision adds to the truth, and the variance that is left."""
    values = truth.by_hand
    assert values is not None
    play, best = values.play[hands], values.best[hands]
    shift = np.where(folded, values.fold, play) - np.where(best, play, values.fold)
    if truth.parts == (truth.wager,):
        return shift, np.full(hands.shape, truth.variance)
    return shift, truth.before + np.where(folded, 0.0, values.spread[hands])


def add_sums(
    tally: dict[str, Any], truth: Truth, stakes: Array, gained: Array, luck: Array, shift: Array, variance: Array
) -> None:
    rows, staked = luck.sum(axis=1), stakes.sum(axis=1)
    tally["bets"] += stakes.size
    for name, column in (
        ("staked", stakes),
        ("gained", gained),
        ("shift", shift),
        ("variance", np.rint(variance)),
        ("own_squares", np.rint(luck**2)),
        ("squares", np.rint(rows**2)),
        ("products", np.rint(rows * staked)),
        ("stakes", staked**2),
    ):
        tally[name] += int(column.sum())
    for line in truth.rounded:
        dropped = int((stakes * line.num % line.den).sum())
        if dropped:
            count(tally["dropped"], f"{line.num}:{line.den}", dropped)
    most = tally["most"]
    most["lost"] = max(most["lost"], round(-float((stakes * truth.least).sum(axis=1).min())))
    most["won"] = max(most["won"], round(float((stakes * truth.most).sum(axis=1).max())))
    most["staked"] = max(most["staked"], int(staked.max()))


def capital_steps(luck: Array, least: float, most: float) -> Array:
    """What each round adds to the capital: a column for each share, first for the players' side."""
    sides = []
    for signed, worst in ((luck, -least), (-luck, most)):
        shares = np.minimum(SHARES, MOST_LOST / worst)
        sides.append(np.floor(np.log1p(shares * signed[:, None]) * STEPS))
    return np.hstack(sides).astype(np.int64)


def evidence_each_round(steps: Array) -> Array:
    """The evidence as it stood after each of these rounds, if they were the first."""
    logs = np.cumsum(steps, axis=0) / STEPS
    top = logs.max(axis=1)
    return top + np.log(np.exp(logs - top[:, None]).mean(axis=1))
