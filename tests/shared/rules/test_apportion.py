"""The maximum of an over-full box shared among its bets, against the reading worked out in fractions."""

from fractions import Fraction
from itertools import permutations
from math import lcm

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shared.rules.apportion import apportion
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, NON_COMMISSION, rule

BOOKS = (LUCKY, NON_COMMISSION)

LIMITS = st.tuples(st.integers(0, 300), st.integers(0, 2000)).map(lambda pair: (pair[0], sum(pair)))
BETS = st.lists(st.integers(1, 1500), min_size=1, max_size=7)
MONEY_LIMITS = st.sampled_from([(500, 5000), (2500, 100_000), (5000, 100_000), (10_000, 1_000_000), (5000, 5000)])
MONEY = st.lists(st.one_of(st.integers(1, 2_000_000), st.sampled_from([2500, 5000, 10_000])), max_size=9)
CASES = st.one_of(st.tuples(BETS, LIMITS), st.tuples(MONEY, MONEY_LIMITS))


# -- the oracle


def exact_shares(bets, minimum, maximum):
    """L-23 another way: the one factor k at which everybody's max(minimum, k x bet) fills the box.

    The total grows with k, and bends only where a bet reaches the minimum; so the factor lies on the
    piece before or after one of these. None if even the minimum for everybody is too much.
    """
    large = [cents for cents in bets if cents >= minimum]
    room = maximum - sum(cents for cents in bets if cents < minimum)
    if not large or len(large) * minimum > room:
        return None
    if len(large) * minimum == room:
        factor = Fraction(0)
    else:
        factors = []
        for count in range(1, len(large) + 1):
            scaled = sorted(large)[-count:]
            factors.append(Fraction(room - (len(large) - count) * minimum, sum(scaled)))
        fitting = {k for k in factors if sum(max(Fraction(minimum), k * cents) for cents in large) == room}
        assert len(fitting) == 1, "the factor is unique"
        factor = fitting.pop()
    return [Fraction(cents) if cents < minimum else max(Fraction(minimum), factor * cents) for cents in bets]


def rounded(shares, total):
    """L-24: whole cents by largest remainder, the earlier first where remainders are equal."""
    cents = [int(share) for share in shares]
    waiting = [(int(share) - share, place) for place, share in enumerate(shares)]
    for _, place in sorted(waiting)[: total - sum(cents)]:
        cents[place] += 1
    return cents


def by_fractions(bets, minimum, maximum):
    if sum(bets) <= maximum:
        return bets
    shares = exact_shares(bets, minimum, maximum)
    if shares is None:
        return [min(cents, minimum) for cents in bets]
    return rounded(shares, maximum)


def is_possible(bets, minimum, maximum):
    """Whether the box can be brought down to its maximum with nobody pushed below the minimum."""
    return sum(min(cents, minimum) for cents in bets) <= maximum


# -- worked examples


@rule("5.1.1", "5.1.2")
def test_the_worked_example():
    bets = [90000, 30000, 6000, 2000]
    assert apportion(bets, 5000, 100_000) == [69750, 23250, 5000, 2000]
    assert bets == [90000, 30000, 6000, 2000]


@rule("5.1.1")
def test_the_impossible_case():
    assert apportion([5000, 5000, 5000], 5000, 10000) == [5000, 5000, 5000]
    assert apportion([9000, 5000, 7000], 5000, 10000) == [5000, 5000, 5000]
    assert apportion([9000, 5000, 100], 5000, 10000) == [5000, 5000, 100]


@rule("5.1.2")
def test_bets_below_the_minimum_stay_and_may_fill_the_box_alone():
    assert apportion([400, 400, 400], 500, 1000) == [400, 400, 400]
    assert apportion([400, 400, 700], 500, 1300) == [400, 400, 500]
    assert apportion([400, 400, 700, 400], 500, 1300) == [400, 400, 500, 400]
    assert apportion([400, 400, 400, 700], 500, 1000) == [400, 400, 400, 500]


@rule("5.1.1")
@pytest.mark.parametrize(
    ("bets", "minimum", "maximum", "plays"),
    [
        # the first to be set to the minimum takes from the others, who then fall below it too
        ([100, 52, 51], 50, 151, [51, 50, 50]),
        ([1000, 110, 101], 100, 1000, [800, 100, 100]),
        ([1000, 125, 101], 100, 1000, [800, 100, 100]),
        ([1000, 126, 101], 100, 1000, [799, 101, 100]),
        # just the minimum for everybody
        ([900, 300, 60], 50, 150, [50, 50, 50]),
        ([900, 300, 60], 50, 151, [51, 50, 50]),
        # a bet of exactly the minimum is scaled, and so set to it
        ([900, 50], 50, 500, [450, 50]),
        # one bet alone
        ([900], 50, 500, [500]),
        ([900], 500, 500, [500]),
        ([900, 900], 500, 500, [500, 500]),
    ],
)
def test_small_cases(bets, minimum, maximum, plays):
    assert apportion(bets, minimum, maximum) == plays


@rule("5.1.1")
@pytest.mark.parametrize(
    ("bets", "maximum", "plays"),
    [
        ([100, 100, 100], 100, [34, 33, 33]),
        ([100, 100, 100], 200, [67, 67, 66]),
        ([100, 100, 100, 100], 202, [51, 51, 50, 50]),
        # 16 2/3, 33 1/3, 50: the cent goes to the larger remainder, though it lies later
        ([200, 100, 300], 100, [33, 17, 50]),
        # 37.5 and 62.5 have equal remainders
        ([300, 500], 100, [38, 62]),
        ([500, 300], 100, [63, 37]),
    ],
)
def test_odd_cents_go_by_remainder_and_then_by_order_of_placing(bets, maximum, plays):
    assert apportion(bets, 1, maximum) == plays


def test_no_bets_at_all():
    assert apportion([], 500, 1000) == []


# -- properties


@given(CASES)
def test_fractions_give_the_same(case):
    bets, limits = case
    assert apportion(bets, *limits) == by_fractions(bets, *limits)


@pytest.mark.slow
def test_fractions_give_the_same_for_every_small_box():
    for bets in [(a, b, c) for a in range(1, 13) for b in range(1, 13) for c in range(13)]:
        placed = [cents for cents in bets if cents]
        for minimum in (1, 3, 4):
            for maximum in (minimum, 7, 11, 16):
                assert apportion(placed, minimum, maximum) == by_fractions(placed, minimum, maximum)


@rule("5.1.1", "5.1.2")
@given(CASES)
def test_nobody_plays_for_more_than_he_bet_or_less_than_the_minimum(case):
    bets, (minimum, maximum) = case
    plays = apportion(bets, minimum, maximum)
    assert len(plays) == len(bets)
    for cents, plays_for in zip(bets, plays):
        assert type(plays_for) is int
        assert min(cents, minimum) <= plays_for <= cents
        if cents < minimum:
            assert plays_for == cents


@rule("5.1.1")
@given(CASES)
def test_the_box_plays_for_its_maximum_exactly_when_that_is_possible(case):
    bets, (minimum, maximum) = case
    plays = apportion(bets, minimum, maximum)
    if sum(bets) <= maximum:
        assert plays == bets
    elif is_possible(bets, minimum, maximum):
        assert sum(plays) == maximum
    else:
        # as little above it as there can be
        assert plays == [min(cents, minimum) for cents in bets]
        assert sum(plays) > maximum


@given(CASES)
def test_what_plays_is_shared_out_once(case):
    bets, limits = case
    plays = apportion(bets, *limits)
    assert apportion(plays, *limits) == plays


@given(CASES)
def test_a_larger_bet_plays_for_no_less(case):
    bets, limits = case
    plays = apportion(bets, *limits)
    for mine, my_play in zip(bets, plays):
        for other, other_play in zip(bets, plays):
            if mine > other:
                assert my_play >= other_play


@given(CASES)
def test_equal_bets_differ_by_a_cent_at_most_and_the_earlier_has_it(case):
    bets, limits = case
    plays = apportion(bets + bets[:1], *limits)
    for place, cents in enumerate(bets + bets[:1]):
        for earlier in range(place):
            if bets[earlier] == cents:
                assert 0 <= plays[earlier] - plays[place] <= 1


@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_placing_moves_a_cent_at_most(case, dice):
    bets, limits = case
    order = dice.sample(range(len(bets)), len(bets))
    plays = apportion(bets, *limits)
    moved = apportion([bets[place] for place in order], *limits)
    assert sum(moved) == sum(plays)
    for place, plays_for in zip(order, moved):
        assert abs(plays_for - plays[place]) <= 1


@given(CASES)
def test_bets_that_differ_in_remainder_play_the_same_in_any_order(case):
    bets, limits = case
    shares = exact_shares(bets, *limits) if sum(bets) > limits[1] else None
    remainders = [share % 1 for share in shares if share % 1] if shares else []
    assume(len(bets) <= 5 and len(set(remainders)) == len(remainders))
    plays = dict(zip(bets, apportion(bets, *limits)))
    for order in permutations(bets):
        assert apportion(list(order), *limits) == [plays[cents] for cents in order]


@given(CASES, st.integers(2, 50))
def test_in_smaller_units_it_is_the_same_up_to_rounding(case, times):
    bets, (minimum, maximum) = case
    plays = apportion(bets, minimum, maximum)
    finer = apportion([cents * times for cents in bets], minimum * times, maximum * times)
    for plays_for, fine in zip(plays, finer):
        assert abs(Fraction(fine, times) - plays_for) < 1


@given(CASES)
def test_without_a_remainder_scaling_is_exact(case):
    bets, (minimum, maximum) = case
    shares = exact_shares(bets, minimum, maximum) if sum(bets) > maximum else None
    assume(shares)
    units = lcm(*[share.denominator for share in shares])
    fine = apportion([cents * units for cents in bets], minimum * units, maximum * units)
    assert fine == [share * units for share in shares]


@given(CASES, st.integers(1, 500))
def test_a_larger_maximum_takes_nothing_from_the_box(case, more):
    """The total never falls; a single bet may lose a cent to rounding, and no more."""
    bets, (minimum, maximum) = case
    before, after = apportion(bets, minimum, maximum), apportion(bets, minimum, maximum + more)
    assert sum(after) >= sum(before)
    for was, now in zip(before, after):
        assert now >= was - 1


# -- in a round


@rule("5.1.1", "5.1.2")
@pytest.mark.parametrize("game", BOOKS)
def test_in_a_round_what_is_not_in_play_goes_back(game):
    top = TableTop(game, limits={"initial": [5000, 100_000]})
    laid = {"P0": 90000, "P1": 30000, "P2": 6000, "P3": 2000}
    top.bets(*[(1, player, "initial", 10000) for player in laid])
    top.do("close")
    for player, cents in laid.items():
        top.do("counted", 1, player, "initial", cents, "pit_supervisor")
    top.deal(b1="KC QC 9C", dealer="2C 2D 4C")
    records = top.finish()
    back = {record[2]: record[4] for record in of_kind(records, "refund")}
    assert back == {"P0": 20250, "P1": 6750, "P2": 1000}
    stakes = {record[2]: record[7] for record in of_kind(records, "line")}
    assert stakes == {"P0": 69750, "P1": 23250, "P2": 5000, "P3": 2000}
