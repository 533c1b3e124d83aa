"""The shuffler's counts: by hand, all at once as one by one, and two stretches as one; and what is found in
them."""

import json
from math import log

import numpy as np
import pytest

from host.review.statistics import shuffler
from host.review.statistics.shuffler import (
    CARDS,
    PAIRS,
    PLACES,
    REPEATS,
    add_deal,
    add_deals,
    look,
    merge,
    new_state,
)
from tests.support.review.fair_deals import fair_deals


def fair(count, cards=9, seed=1):
    return fair_deals(np.random.default_rng(seed), count, cards)


def one_by_one(deals, first=1):
    state = new_state()
    for number, deal in enumerate(deals, first):
        add_deal(state, number, deal)
    return state


def test_two_deals_by_hand():
    state = one_by_one([[5, 9, 1], [5, 1, 9]])
    counts = state["counts"]
    assert (counts["deals"], counts["sizes"]) == (2, {"3": 2})
    assert [sum(place) for place in counts["places"]] == [2, 2, 2]
    assert [counts["places"][0][5], counts["places"][1][9], counts["places"][2][9]] == [2, 1, 1]
    assert [counts["pairs"][5 * 52 + 9], counts["pairs"][9 * 52 + 1], counts["pairs"][1 * 52 + 9]] == [1, 1, 1]
    assert counts["repeats"] == {"places 1": {"3 3 1": 1}, "neighbours 1": {"3 3 0": 1}}
    assert state["most_alike"] == [[1, -2, 1, 3]]


def test_a_deal_with_unknown_cards_is_left_out_and_compared_with_nothing():
    state = one_by_one([[5, 9, 1], [], [5, 9, 1]])
    assert (state["counts"]["deals"], state["counts"]["left_out"]) == (2, 1)
    assert list(state["counts"]["repeats"]) == ["places 2", "neighbours 2"]  # the third with the first


@pytest.mark.parametrize("count", [1, 2, 3, 500])
def test_a_block_counts_as_its_deals_one_by_one(count):
    deals = fair(count)
    at_once = new_state()
    add_deals(at_once, 1, deals)
    assert at_once == one_by_one(deals.tolist())


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 28, 29, 30])
def test_two_stretches_are_one(cut):
    deals = [deal[: 6 + 3 * (place % 2)] for place, deal in enumerate(fair(30).tolist())]
    deals[17] = []
    whole = one_by_one(deals)
    assert merge(one_by_one(deals[:cut]), one_by_one(deals[cut:], cut + 1)) == whole


def test_the_state_is_small_and_goes_through_json():
    state = new_state()
    add_deals(state, 1, fair(20_000, cards=51))
    text = json.dumps(state, separators=(",", ":"))
    assert json.loads(text) == state
    assert len(text) < 40_000


def test_bets_on_places_cards_and_neighbours_are_fair():
    """The mean of each bet's factor over all that can happen to a cell is 1: seen with its chance, or not."""
    for kind, chance in ((PLACES, 1 / 52), (CARDS, 6 / 52), (PAIRS, 5 / (52 * 51))):
        counts = one_by_one([[0, 1, 2, 3, 4, 5]])["counts"]
        seen, bases = shuffler.cells_of(counts, kind)
        bases = np.broadcast_to(bases, (*seen.shape, len(shuffler.TILTS))).reshape(-1, len(shuffler.TILTS))[0]
        mean = chance * shuffler.TILTS * np.exp(-bases) + (1 - chance) * np.exp(-bases)
        assert mean == pytest.approx(1)


@pytest.mark.parametrize("cards", [1, 3, 9, 51])
@pytest.mark.parametrize("kind", [PLACES, CARDS, PAIRS])
def test_a_single_deal_is_no_evidence_at_all(kind, cards):
    """All deals of a length are alike to it, so the mean over them, which is 1, is what each of them gives."""
    counts = one_by_one([list(range(cards))])["counts"]
    assert shuffler.evidence_of_cells(counts, kind)[0] == pytest.approx(0, abs=1e-12)


def test_nothing_is_said_of_fair_deals():
    state = new_state()
    add_deals(state, 1, fair(5000))
    assert [(one.striking, one.findings) for one in look(state)] == [(False, [])] * 5


def test_a_card_that_lies_too_often_in_one_place_is_named_with_its_figure():
    deals = fair(3000)
    dice = np.random.default_rng(4)
    for row in np.flatnonzero(dice.random(3000) < 0.04):
        other = np.flatnonzero(deals[row] == 30)
        deals[row, other] = deals[row, 7]
        deals[row, 7] = 30
    state = new_state()
    add_deals(state, 1, deals)
    together, places, *_ = look(state)
    assert together.striking
    assert places.striking
    first = places.findings[0]
    assert first.where == (7, 30)
    assert (first.seen, first.deals) == (int((deals[:, 7] == 30).sum()), 3000)
    assert first.expected == pytest.approx(3000 / 52)


def test_a_card_that_never_comes_is_named():
    deals = fair(1500, seed=6)
    deals[deals == 12] = 13  # the knave of diamonds is read in place of the other
    state = one_by_one([deal for deal in deals.tolist() if len(set(deal)) == 9])
    found = {one.kind: one for one in look(state)}
    assert found[CARDS].striking
    assert found[CARDS].findings[0].where == (12,)
    assert found[CARDS].findings[0].seen == 0


def test_neighbours_that_stay_together_are_named():
    deals = fair(3000, seed=2).tolist()
    for deal in deals[::10]:
        rest = [card for card in deal if card not in (40, 41)]
        deal[:] = [40, 41, *rest][:9]
    found = {one.kind: one for one in look(one_by_one(deals))}
    assert found[PAIRS].striking
    assert found[PAIRS].findings[0].where == (40, 41)


def test_a_deal_that_comes_again_is_named_with_its_round():
    deals = fair(400).tolist()
    deals[300] = deals[299]
    found = {one.kind: one for one in look(one_by_one(deals))}
    assert found[REPEATS].striking
    assert found[REPEATS].evidence > log(1e6)
    first = found[REPEATS].findings[0]
    assert (first.where, first.seen, first.deals) == ((301, 1), 9, 9)
    assert [kind for kind in (PLACES, CARDS, PAIRS) if found[kind].striking] == []


def test_two_decks_that_take_turns_are_compared_with_themselves():
    deals = fair(400, seed=9).tolist()
    deals[200] = deals[198][3:] + deals[198][:3]  # cut, and not shuffled
    found = {one.kind: one for one in look(one_by_one(deals))}
    assert found[REPEATS].striking
    assert found[REPEATS].findings[0].where == (201, 2)
    assert found[REPEATS].findings[0].seen == 7
