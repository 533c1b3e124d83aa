"""Bets on luck are fair, bands hold, and means of evidence are evidence."""

from math import exp, inf, log

import numpy as np
import pytest

from host.review.statistics import anytime
from host.review.statistics.anytime import Sums, band, bet_on_luck, evidence_above, evidence_of_luck, new_capital
from host.review.statistics.tallies import from_steps


def test_the_mean_of_evidence():
    assert anytime.mean_of([log(2), log(4)]) == pytest.approx(log(3))
    assert anytime.mean_of([-inf, log(4)]) == pytest.approx(log(2))
    assert anytime.mean_of([-inf]) == -inf
    assert anytime.mean_of([1000.0, 0.0]) == pytest.approx(1000 - log(2))  # far beyond any float


def test_how_often_chance_shows_as_much():
    assert anytime.chance(log(200)) == pytest.approx(1 / 200)
    assert anytime.chance(-3) == 1
    assert anytime.is_striking(log(101))
    assert not anytime.is_striking(log(99))
    assert anytime.is_striking(log(21), promise=0.05)


def test_a_bet_on_a_fair_coin_is_worth_its_stake_on_average():
    """Heads gains 1, tails loses 1; each share is won or lost, and the mean capital stays 1."""
    heads, tails = new_capital(), new_capital()
    bet_on_luck(heads, 1, -1, 1)
    bet_on_luck(tails, -1, -1, 1)
    assert exp(from_steps(heads["players"][0])) == pytest.approx(1.5)  # the greatest share is one half
    assert exp(from_steps(heads["house"][0])) == pytest.approx(0.5)
    for side in ("players", "house"):
        means = [
            (exp(from_steps(one)) + exp(from_steps(other))) / 2 for one, other in zip(heads[side], tails[side])
        ]
        assert means == pytest.approx([1] * len(means))
        assert all(mean <= 1 for mean in means)  # rounding only ever takes away


def test_no_bet_loses_more_than_half_however_great_the_loss():
    capital = new_capital()
    bet_on_luck(capital, 1000, -1, 1000)
    assert exp(from_steps(min(capital["house"]))) == pytest.approx(0.5, abs=1e-6)


def test_evidence_grows_as_the_best_share_allows():
    """A coin that comes heads 60 % of the time: the best bet of a fifth gains 0.0201 a toss."""
    capital = new_capital()
    tosses = 5000
    for toss in range(tosses):
        bet_on_luck(capital, 1 if toss % 5 < 3 else -1, -1, 1)
    allowed = tosses * (0.6 * log(1.2) + 0.4 * log(0.8))
    assert 0.85 * allowed < evidence_of_luck(capital) < allowed


def sums_of(lucks):
    return Sums(
        float(lucks.sum()),
        len(lucks),
        float((lucks**2).sum()),
        float(lucks.sum()),
        len(lucks),
        lucks.min(),
        lucks.max(),
    )


def is_outside(sums, rate, promise):
    refuted = log(2 / promise)
    return max(evidence_above(sums, rate, 1), evidence_above(sums.mirrored(), -rate, 1)) >= refuted


@pytest.mark.parametrize("shift", [0.0, -0.1, 0.3])
def test_a_band_holds_the_mean_at_every_look(shift):
    """200 tables looked at 30 times each, with wins of 8 to 1: at most 1 in 10 bands fails, ever."""
    dice = np.random.default_rng(11)
    failed = 0
    for _ in range(200):
        lucks = np.where(dice.random(3000) < (1 + shift) / 9, 8.0, -1.0)
        failed += any(is_outside(sums_of(lucks[:count]), shift, 0.1) for count in range(100, 3001, 100))
    assert failed <= 200 * 0.1


def test_a_band_ends_where_rates_are_refuted():
    dice = np.random.default_rng(5)
    sums = sums_of(np.where(dice.random(3000) < 1 / 9, 8.0, -1.0))
    low, high = band(sums, 1, promise=0.1)
    assert [is_outside(sums, rate, 0.1) for rate in (low - 1e-6, low + 1e-6)] == [True, False]
    assert [is_outside(sums, rate, 0.1) for rate in (high - 1e-6, high + 1e-6)] == [False, True]


def test_a_band_narrows_with_the_root_of_the_rounds():
    dice = np.random.default_rng(3)
    lucks = np.where(dice.random(90_000) < 0.5, 1.0, -1.0)
    narrow, wide = band(sums_of(lucks), 1), band(sums_of(lucks[:10_000]), 1)
    assert narrow[1] - narrow[0] < 0.45 * (wide[1] - wide[0])
    # What theory allows at one look alone: 2.58 standard deviations at either side.
    assert narrow[1] - narrow[0] < 2 * (2 * 2.58 / 300)


def test_without_rounds_the_band_is_open():
    assert band(Sums(0, 0, 0, 0, 0, 0, 0), 0) == (-inf, inf)
