"""Doubles say how often a reader takes one card for another."""

from math import exp, inf, log

import numpy as np
import pytest

from host.review.statistics import reader


def test_a_double_among_few_cards_by_hand():
    tally = reader.new_tally()
    reader.add_deal(tally, 9)
    reader.add_deal(tally, 21, doubles=[30], misread=1, unread=2)
    reading = reader.read(tally)
    assert (reading.cards, reading.doubles, reading.misread, reading.unread) == (30, 1, 1, 2)
    # Of 9 cards each could be one of the 8 others, of 21 one of 20: 9 x 8 / 51 + 21 x 20 / 51 chances.
    assert reading.rate == pytest.approx(51 / (9 * 8 + 21 * 20))
    assert reading.expected == pytest.approx(1e-6 * (9 * 8 + 21 * 20) / 51)
    assert reading.most_often == (30, 1)
    assert reading.striking  # one in a million was asked for


def test_bets_on_doubles_are_at_most_fair():
    """The mean of factor ** doubles over independent reads, against what the bet costs."""
    for factor in reader.TIMES_AS_OFTEN[:8]:
        chance = 1e-3
        assert (1 + (factor - 1) * chance) ** 21 <= exp((factor - 1) * chance * 21)


def test_a_reader_as_good_as_asked_stays_quiet():
    tally = reader.new_tally()
    for _ in range(100_000):
        reader.add_deal(tally, 21)
    reading = reader.read(tally)
    assert not reading.striking
    assert reading.rate == 0
    assert reading.band[0] == 0
    assert reading.band[1] < 1e-4


def test_the_rate_is_found_and_lies_in_its_band():
    dice = np.random.default_rng(2)
    tally = reader.new_tally()
    for wrong in dice.random(20_000) < 21 * 20 / 51 / 2000:
        reader.add_deal(tally, 21, doubles=[7] if wrong else [])
    reading = reader.read(tally)
    assert reading.striking
    assert reading.rate == pytest.approx(1 / 2000, rel=0.4)
    assert reading.band[0] < 1 / 2000 < reading.band[1]


def test_without_cards_nothing_is_known():
    reading = reader.read(reader.new_tally())
    assert (reading.rate, reading.band, reading.most_often, reading.striking) == (0.0, (0.0, inf), None, False)
    assert reading.evidence == pytest.approx(log(1))
