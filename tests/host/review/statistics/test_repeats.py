"""What two deals have in common: worked by hand, and by going through every deal of a small deck."""

from itertools import permutations
from math import log

import pytest

from host.review.statistics import repeats


def test_common_places_and_neighbours_by_hand():
    earlier = [5, 9, 1, 7, 3]
    assert repeats.matches([5, 9, 1, 7, 3], earlier) == 5
    assert repeats.matches([9, 5, 1, 0, 3, 8], earlier) == 2
    assert repeats.still_neighbours([7, 3, 5, 9, 1], earlier) == 3  # cut once
    assert repeats.still_neighbours([3, 7, 1, 9, 5], earlier) == 0  # the other way round


@pytest.mark.parametrize(("length", "earlier"), [(3, 3), (4, 2), (2, 4), (5, 5), (1, 3)])
@pytest.mark.parametrize("bonus", [0.5, 1, 7])
def test_the_means_are_those_of_every_deal(length, earlier, bonus):
    deals = list(permutations(range(6), length))
    before = list(range(earlier))
    common = min(length, earlier)
    matching = sum((1 + bonus) ** repeats.matches(deal, before) for deal in deals) / len(deals)
    assert repeats.mean_of_matches(bonus, common, 6) == pytest.approx(matching)
    staying = sum((1 + bonus) ** repeats.still_neighbours(deal, before) for deal in deals) / len(deals)
    assert repeats.mean_of_neighbours(bonus, length, earlier, 6) == pytest.approx(staying)


def test_the_expected_numbers():
    assert repeats.mean_matches(26) == 0.5
    assert repeats.mean_neighbours(21, 21) == pytest.approx(20 * 20 / (52 * 51))


def test_one_whole_repeat_is_enough():
    """A deal of nine cards that comes again, among 100 that do not."""
    tally = {"9 9 0": 80, "9 9 1": 20, "9 9 9": 1}
    assert repeats.evidence_of(tally, repeats.PLACES) > log(10_000)
    assert repeats.evidence_of({"9 9 0": 83, "9 9 1": 16, "9 9 2": 2}, repeats.PLACES) < log(10)


def test_no_overflow_for_the_longest_deals():
    assert repeats.evidence_of({"51 51 51": 1000}, repeats.PLACES) > 1000
    assert repeats.evidence_of({"51 51 50": 1000}, repeats.NEIGHBOURS) > 1000
