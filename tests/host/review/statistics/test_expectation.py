"""The truth of every wager is that of `felt odds`, exactly, and that of dealing hands out one by one."""

from fractions import Fraction
from itertools import combinations

import pytest

from host.review.statistics import expectation
from host.review.statistics.expectation import place_of_hand, shift_of, truths
from host.rules.catalogue import all_books, find_book
from host.rules.odds import DEALER_HANDS, HANDS, book_odds, decided_wagers, net
from shared.rules.cards import parse
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

pytestmark = pytest.mark.slow


def by_hand(truth):
    assert truth.by_hand
    return truth.by_hand


def cards(text):
    return tuple(parse(word) for word in text.split())


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_truth_is_the_edge_of_felt_odds_exactly(book):
    edges = {odds.wager: odds.edge for odds in book_odds(book)}
    for name, truth in truths(book).items():
        edge = edges[name]
        assert truth.gain == (-1 if edge is None else -edge)  # what is paid in sums is checked below
        assert (edge is None) == bool(truth.sums)
    stated = {part for truth in truths(book).values() for part in truth.parts}
    assert stated == set(edges)


def test_a_progressive_wager_is_worth_what_felt_odds_says_at_any_meter():
    book = find_book(POKER)
    truth = truths(book)["progressive"]
    for meter in (250_000, 1_234_567, 10_000_000):
        odds = book_odds(book, "progressive", stake=500, meter=meter)[0]
        assert 1 - expectation.mean_of_sums(truth.sums, meter) / 500 == odds.edge


@pytest.mark.parametrize("wager", ["ante", "pair_plus"])
def test_best_play_of_every_hand_adds_up_to_the_edge(wager):
    truth = truths(find_book(POKER))[wager]
    values = by_hand(truth)
    best = sum(int(play) if plays else values.fold for play, plays in zip(values.play, values.best))
    assert Fraction(best, values.unit * len(HANDS)) == truth.gain


def deal_out(book, hand):
    """What Ante, Play and Bonus gain together against each dealer's hand, one by one."""
    rest = [card for card in range(52) if card not in hand]
    mine, mark = book.value(*hand), book.mark(*hand)
    for dealer in combinations(rest, 3):
        yield sum(net(wager.judge(mine, mark, book.value(*dealer))) for wager in decided_wagers(book))


@pytest.mark.parametrize("text", ["QH 6C 4D", "QH 6C 3D", "2C 3D 5H", "AS KS QS", "7C 7D KH"])
def test_what_a_hand_is_worth_is_that_of_dealing_out_the_dealers_hands(text):
    book = find_book(POKER)
    truth = truths(book)["ante"]
    place = place_of_hand(cards(text))
    gains = list(deal_out(book, cards(text)))
    assert len(gains) == DEALER_HANDS
    assert by_hand(truth).play[place] == sum(gains)
    mean = float(sum(gains)) / DEALER_HANDS
    spread = sum(float(gain) ** 2 for gain in gains) / DEALER_HANDS - mean**2
    assert by_hand(truth).spread[place] == pytest.approx(spread)
    assert by_hand(truth).lowest[place] <= min(gains)
    assert by_hand(truth).highest[place] >= max(gains)


def test_best_decisions_cost_nothing_and_others_what_is_lost_by_them():
    values = by_hand(truths(find_book(POKER))["ante"])
    good, bad = place_of_hand(cards("QH 6C 4D")), place_of_hand(cards("QH 6C 3D"))
    assert shift_of(values, good, folded=False) == 0
    assert shift_of(values, bad, folded=True) == 0
    # Folding queen-six-four loses the ante for sure; playing it loses a little less.
    assert shift_of(values, good, folded=True) == -DEALER_HANDS - values.play[good] < 0
    assert shift_of(values, bad, folded=False) == values.play[bad] + DEALER_HANDS < 0


def test_the_luck_of_an_ante_has_the_variance_and_the_bounds_stated():
    """Over all hands: what the hand brings, and what the dealer's cards add."""
    truth = truths(find_book(POKER))["ante"]
    values = by_hand(truth)
    best = [play / values.unit if plays else -1.0 for play, plays in zip(values.play, values.best)]
    before = sum((one - float(truth.gain)) ** 2 for one in best) / len(HANDS)
    assert truth.before == pytest.approx(before)
    left = sum(float(one) for one, plays in zip(values.spread, values.best) if plays) / len(HANDS)
    assert truth.variance == pytest.approx(before + left)
    # From an ante and a play lost to a straight flush that wins both, with a bonus of five.
    assert truth.least == pytest.approx(-2 - float(truth.gain), abs=0.01)
    assert truth.most == pytest.approx(7 - float(truth.gain), abs=0.01)


def test_the_variance_of_a_wager_that_pays_odds():
    # Tie at 8 to 1: p of a tie from its edge, 9p - 1 = -edge.
    truth = truths(find_book(MBS))["tie"]
    p = (1 + truth.gain) / 9
    assert truth.variance == pytest.approx(float(81 * p * (1 - p)))
    assert (truth.least, truth.most) == pytest.approx((-1 - float(truth.gain), 8 - float(truth.gain)))


@pytest.mark.parametrize("game", [LUCKY, MBS, NON_COMMISSION, ROYAL])
def test_only_a_win_with_six_drops_part_cents(game):
    """It pays one half; the chance of it is the edge of the main wager twice, as winning and losing are alike."""
    book = find_book(game)
    main, *others = truths(book).values()
    assert [(line.num, line.den) for line in main.rounded] == [(1, 2)]
    assert main.rounded[0].chance == -2 * main.gain
    assert all(not other.rounded for other in others)
