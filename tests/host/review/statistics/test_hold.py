"""Holds against the truth: small cases by hand, stretches that add up, and blocks as round by round."""

import json
from copy import deepcopy
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from host.review.statistics import hold
from host.review.statistics.expectation import place_of_hand, truths
from host.review.statistics.hold import ALL, Bet, add_round, expected_gain, holds, new_tally, verdicts
from host.review.statistics.hold_blocks import add_block, evidence_each_round
from host.review.statistics.tallies import add
from host.rules.catalogue import find_book
from host.rules.odds import HANDS
from shared.rules.cards import parse
from tests.support.review.fair_deals import fair_deals, gained, hands_of
from tests.support.tables import LUCKY, MBS, POKER

EDGE = Fraction(3110763, 101792600)


def cards(text):
    return tuple(parse(word) for word in text.split())


def test_two_bets_by_hand():
    """$50 lost and $100 won at even money: the House was to keep 3.056 % of $150, and paid $50."""
    tallies = {}
    add_round(tallies, find_book(MBS), [Bet("main", 5000, -5000), Bet("main", 10_000, 10_000)])
    main, together = holds(tallies, truths(find_book(MBS)))
    assert (main.wager, main.bets, main.staked, main.kept) == ("main", 2, 15_000, -5000)
    assert main.expected == EDGE * 15_000
    assert main.rate == pytest.approx(-1 / 3)
    assert main.difference == pytest.approx(-1 / 3 - float(EDGE))
    # 0.9155 is the variance of a unit; the two bets moved apart, which is not counted in the table's favour.
    assert main.deviation == pytest.approx(
        sqrt(truths(find_book(MBS))["main"].variance * (5000**2 + 10_000**2)), rel=1e-4
    )
    assert together == main._replace(wager=ALL)


def test_the_part_of_a_cent_that_is_dropped_is_expected():
    """$10.01 on the main wager: a win with six drops half a cent, with twice the edge as its chance."""
    tallies = {}
    add_round(tallies, find_book(MBS), [Bet("main", 1001, 500), Bet("main", 1000, 500), Bet("main", 1001, -1001)])
    assert holds(tallies, truths(find_book(MBS)))[0].expected == EDGE * 3002 + 2 * (2 * EDGE) * Fraction(1, 2)


def test_bets_of_a_round_that_move_together_widen_the_spread():
    tallies = {}
    for sign in (1, -1) * 50:
        add_round(tallies, find_book(MBS), [Bet("main", 100, sign * 100)] * 4)
    alone = {}
    for sign in (1, -1) * 50:
        for _ in range(4):
            add_round(alone, find_book(MBS), [Bet("main", 100, sign * 100)])
    assert (
        holds(tallies, truths(find_book(MBS)))[0].deviation
        > 1.9 * holds(alone, truths(find_book(MBS)))[0].deviation
    )


@pytest.mark.slow
def test_poker_decisions_are_held_against_what_they_were_worth():
    """Folding queen-six-four costs what it is worth to play it; folding queen-six-three costs nothing."""
    book = find_book(POKER)
    truth = truths(book)["ante"]
    good, bad = cards("QH 6C 4D"), cards("QH 6C 3D")
    tallies = {}
    add_round(tallies, book, [Bet("ante", 1000, -1000, good, True), Bet("ante", 1000, -1000, bad, True)])
    play = Fraction(int(truth.by_hand.play[place_of_hand(good)]), truth.by_hand.unit)
    edge = Fraction(686689, 20358520)
    assert holds(tallies, truths(book))[0].expected == 2000 * edge + 1000 * (play + 1)
    assert play > -1


@pytest.mark.slow
def test_a_progressive_wager_with_the_meter_as_it_stood():
    book = find_book(POKER)
    tallies = {}
    add_round(tallies, book, [Bet("progressive", 500, -500), Bet("progressive", 500, 14_500)], meter=1_000_000)
    add_round(tallies, book, [Bet("progressive", 500, -500)], meter=2_000_000)
    paid = 3 * (3 * 125_000 + 44 * 17_500 + 52 * 15_000 + 720 * 1500) + 1_000_000 * 2 + 2_000_000
    assert holds(tallies, truths(book))[0].expected == 1500 - Fraction(paid, 22100)
    # A folded straight would have been paid $15.
    add_round(tallies, book, [Bet("progressive", 500, -500, cards("4C 5D 6H"), True)], meter=0)
    paid += 3 * 125_000 + 44 * 17_500 + 52 * 15_000 + 720 * 1500
    assert holds(tallies, truths(book))[0].expected == 2000 - Fraction(paid, 22100) + 1500


@pytest.mark.slow
def test_a_folded_pair_plus_is_a_decision_too():
    book = find_book(POKER)
    tallies = {}
    add_round(tallies, book, [Bet("pair_plus", 100, -100, cards("4C 5D 6H"), True)])  # a straight at 5 to 1
    assert holds(tallies, truths(book))[0].expected == Fraction(308, 5525) * 100 + 600
    add_round(tallies, book, [Bet("pair_plus", 100, -100, cards("4C 5D 9H"), True)])  # nothing anyway
    assert holds(tallies, truths(book))[0].expected == Fraction(308, 5525) * 200 + 600


# -- whole books in fair play


def fair_bets(book, seed, rounds, boxes, stakes=(500, 1001, 2500)):
    """Stakes and gains of each wager that pays odds, and hands and folds: arrays with a row for each round."""
    dice = np.random.default_rng(seed)
    deals = fair_deals(dice, rounds, 3 * (boxes + 1))
    hands = np.stack([hands_of(deals, box) for box in range(boxes)], axis=1)
    dealer = hands_of(deals, boxes)[:, None]
    folded = dice.random(hands.shape) < 0.3
    found = {}
    for name, truth in truths(book).items():
        if truth.sums:
            continue
        staked = dice.choice(stakes, hands.shape)
        parts = [wager for wager in [*book.WAGERS, book.BONUS] if wager and wager.name in truth.parts]
        units = sum(gained(book, wager, hands, dealer) for wager in parts)
        units = np.where(folded, -1, units) if truth.by_hand else units
        found[name] = (staked, np.floor(units * staked + 1e-9).astype(np.int64))
    return found, hands, folded


def tally_of_block(book, name, found, hands, folded, rows=slice(None)):
    tally = new_tally()
    stakes, gains = found[name]
    truth = truths(book)[name]
    steps = add_block(tally, truth, stakes[rows], gains[rows], hands[rows], folded[rows])
    return tally, steps


def bets_of(book, found, hands, folded, row):
    decides = truths(book)[next(iter(found))].by_hand is not None
    for name, (stakes, gains) in found.items():
        for box in range(stakes.shape[1]):
            hand = HANDS[hands[row, box]] if decides else None
            yield Bet(name, int(stakes[row, box]), int(gains[row, box]), hand, decides and bool(folded[row, box]))


@pytest.mark.slow
@pytest.mark.parametrize("game", [LUCKY, POKER])
def test_a_block_counts_as_its_rounds_one_by_one(game):
    book = find_book(game)
    found, hands, folded = fair_bets(book, 3, 300, 3)
    tallies = {}
    for row in range(300):
        add_round(tallies, book, bets_of(book, found, hands, folded, row))
    for name in found:
        tally, _ = tally_of_block(book, name, found, hands, folded)
        assert tally == tallies[name]
        assert expected_gain(truths(book)[name], tally) == expected_gain(truths(book)[name], tallies[name])


def test_stretches_add_up_and_go_through_json():
    book = find_book(LUCKY)
    found, hands, folded = fair_bets(book, 4, 100, 2)
    whole, first, second = {}, {}, {}
    for row in range(100):
        bets = list(bets_of(book, found, hands, folded, row))
        add_round(whole, book, bets)
        add_round(first if row < 37 else second, book, bets)
    kept = deepcopy(first)
    assert add(first, second) == whole == add(second, first)
    assert first == kept
    assert json.loads(json.dumps(whole)) == whole


@pytest.mark.slow
@pytest.mark.parametrize("game", [LUCKY, POKER])
def test_luck_has_no_mean_and_the_spread_that_is_stated(game):
    """Over 200,000 fair rounds, whatever stakes and decisions: within five deviations, the spread within 4 %."""
    book = find_book(game)
    found, hands, folded = fair_bets(book, 12, 200_000, 1)
    for name in found:
        tally, _ = tally_of_block(book, name, found, hands, folded)
        luck = tally["gained"] - float(expected_gain(truths(book)[name], tally))
        assert abs(luck) < 5 * sqrt(tally["variance"])
        if truths(book)[name].most < 50:  # beyond that a few wins more or less are much of the spread
            assert tally["squares"] == pytest.approx(tally["variance"], rel=0.04)


def test_evidence_each_round_ends_with_that_of_the_tally():
    book = find_book(LUCKY)
    found, hands, folded = fair_bets(book, 5, 500, 3)
    tally, steps = tally_of_block(book, "initial", found, hands, folded)
    each = evidence_each_round(steps)
    assert len(each) == 500
    assert each[-1] == pytest.approx(hold.anytime.evidence_of_luck(tally["capital"]))


def test_a_table_that_pays_losers_is_found():
    """One lost main wager in 20 is paid as if it had won."""
    book = find_book(MBS)
    found, hands, folded = fair_bets(book, 6, 40_000, 1)
    stakes, gains = found["main"]
    wrong = (gains < 0) & (np.random.default_rng(1).random(gains.shape) < 1 / 20)
    found["main"] = (stakes, np.where(wrong, stakes, gains))
    tally, _ = tally_of_block(book, "main", found, hands, folded)
    result = holds({"main": tally, ALL: tally}, truths(book))[0]
    assert hold.anytime.is_striking(result.evidence)
    assert result.band[0] < result.rate < result.band[1] < result.expected_rate


def test_the_regulators_limits():
    result = hold.Hold("main", 1000, 1_000_000, Fraction(30_000), 62_000, 15_000.0, (0, 0), 0.0)
    found = {one.name: one for one in verdicts(result)}
    # Held 6.2 %, expected 3 %, deviation 1.5 %: beyond 1.96 deviations and beyond 3 points, not beyond 4.
    assert {name: one.outside for name, one in found.items()} == {"maryland": True, "kansas": True, "ohio": False}
    assert found["maryland"].limit == pytest.approx((0.03 - 1.96 * 0.015, 0.03 + 1.96 * 0.015), abs=1e-5)
    assert found["maryland"].chance == pytest.approx(0.05)
    assert found["kansas"].chance == pytest.approx(0.0455, abs=1e-4)  # two deviations
    assert found["ohio"].chance == pytest.approx(0.00766, abs=1e-4)  # 2.67 deviations


def test_nothing_staked_asks_nothing():
    assert verdicts(hold.Hold("main", 0, 0, Fraction(0), 0, 0.0, (0, 0), 0.0)) == []
    assert holds({}, truths(find_book(MBS))) == []
