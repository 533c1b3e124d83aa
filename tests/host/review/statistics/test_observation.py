"""What is taken from records: whole rounds of every book, and what makes a round unusual."""

import json
import random

import pytest

from host.review.statistics import review
from host.review.statistics.expectation import place_of_hand, truths
from host.review.statistics.observation import Observer
from host.rules.catalogue import find_book
from shared.round.round import Round
from shared.rules.cards import parse
from tests.support.review.played import config_of, played
from tests.support.rounds import Players, random_config
from tests.support.tables import GAMES, MBS, POKER

TRUSTED = [game for game in GAMES if game != POKER]


def cards(text):
    return [parse(word) for word in text.split()]


def observe(records):
    observer = Observer()
    found = [observer.follow(record) for record in records]
    return [one for one in [*found, observer.finish()] if one]


def records_of(config, events):
    round_ = Round(config)
    given = [["begin", 2, "open"], ["config", "game", config["game"]], ["config", "boxes", config["boxes"]]]
    return given + [record for event in events for record in round_.apply(event)]


ROUND = [["open"], ["bet", 1, "P1", "main", 5000], ["bet", 1, "P1", "tie", 501], ["close"]]
DEAL = [["card", card] for card in ("9C", "KC", "QC", "2D", "3D", "4D")]
END = [["show", 1, "dealer"], ["reveal"], ["settle"]]
TABLE = {"game": MBS, "boxes": 1}


def test_a_round_by_hand():
    """Double Nine beats Plain Nine, and both have nine points: the main wager pays 1 to 1 and the tie 8 to 1."""
    (seen,) = observe(records_of(TABLE, ROUND + DEAL + END))
    assert (seen.game, seen.number, seen.ordinary, seen.amounts) == (MBS, 1, True, True)
    assert [(bet.wager, bet.stake, bet.gained) for bet in seen.bets] == [("main", 5000, 5000), ("tie", 501, 4008)]
    assert seen.deal == cards("9C KC QC 2D 3D 4D")
    assert (seen.cards, seen.doubles, seen.misread, seen.unread) == (6, [], 0, 0)


def test_a_round_is_known_when_the_next_one_opens():
    observer = Observer()
    found = [observer.follow(record) for record in records_of(TABLE, [*ROUND, *DEAL, *END, ["open"]])]
    assert [one.number for one in found if one] == [1]
    assert found[-2] is not None  # its `open`, before the state
    last = observer.finish()
    assert last
    assert (last.number, last.bets, last.deal) == (2, [], [])
    assert observer.finish() is None


def test_a_double_counts_for_the_reader_and_not_against_the_truth():
    events = [
        *ROUND,
        *DEAL[:2],
        ["card", "9C"],
        ["misread"],
        ["entered", "QC", "pit_supervisor"],
        *DEAL[3:],
        *END,
    ]
    (seen,) = observe(records_of(TABLE, events))
    assert (seen.doubles, seen.misread, seen.cards) == (cards("9C"), 1, 7)
    assert (seen.ordinary, seen.bets) == (False, [])
    assert seen.deal == cards("9C KC QC 2D 3D 4D")


def test_an_unread_card_stands_in_its_place_once_it_is_named():
    deal = [["card", "??"], *DEAL[1:]]
    shown = [["show", 1, "dealer"], ["entered", "9C", "pit_supervisor", 1], ["reveal"], ["settle"]]
    (seen,) = observe(records_of(TABLE, [*ROUND, *deal, *shown]))
    assert (seen.unread, seen.ordinary) == (1, True)
    assert seen.deal == cards("9C KC QC 2D 3D 4D")
    assert len(seen.bets) == 2


@pytest.mark.parametrize(
    "more",
    [
        ["power_failure"],
        ["irregularity", "misdeal", None, None, "moved"],
        ["turned", "9C", "P1"],
        ["lies", "9C", "pit_supervisor", 0],
        ["counted", 1, "P1", "main", 10_000, "pit_supervisor"],
    ],
)
def test_a_round_in_which_cards_may_have_changed_minds_is_not_ordinary(more):
    (seen,) = observe(records_of(TABLE, [*ROUND, *DEAL, more, *END]))
    assert (seen.ordinary, seen.bets) == (False, [])


def test_records_that_no_table_of_today_writes_make_a_round_unusual():
    records = records_of(TABLE, [*ROUND, *DEAL, *END])
    (seen,) = observe([*records[:-1], ["dealt", 1, "1X"], ["line", 1], ["lies"], ["event", 1, ["exchanged", 4]]])
    assert (seen.ordinary, seen.bets) == (False, [])
    (unknown,) = observe([["begin", 1, "open"], ["config", "game", "of-tomorrow-1"], *records[3:]])
    assert (unknown.game, unknown.ordinary, unknown.bets) == ("of-tomorrow-1", False, [])
    assert len(unknown.deal) == 6


def test_a_round_that_breaks_off_has_no_deal():
    (seen,) = observe(records_of(TABLE, [*ROUND, *DEAL[:4]]))
    assert (seen.deal, seen.cards) == ([], 4)


@pytest.mark.parametrize("game", GAMES)
def test_all_money_of_fair_play_is_in_the_bets(game):
    records = list(played(config_of(game), 7, 40))
    seen = observe(records)
    assert len(seen) == 40
    assert all(one.ordinary and len(one.deal) == 12 for one in seen)
    gained = sum(record[2] - record[1] for record in records if record[0] == "total")
    envy = sum(record[2] for record in records if record[0] == "envy")
    assert sum(bet.gained for one in seen for bet in one.bets) == gained - envy
    own = set(truths(find_book(game)))
    staked = sum(record[7] for record in records if record[0] == "line" and record[3] in own)
    assert sum(bet.stake for one in seen for bet in one.bets) == staked


def test_poker_tells_hands_folds_and_the_meter():
    records = list(played(config_of(POKER, boxes=2), 3, 30))
    folds = 0
    meter = 1_000_000
    for one in observe(records):
        meter += 250  # two progressive wagers, until a jackpot falls
        assert one.meter == meter
        for bet in one.bets:
            assert bet.hand
            assert place_of_hand(bet.hand) is not None
            assert set(bet.hand) < set(one.deal)
            folds += bet.folded and bet.wager == "ante"
            assert bet.gained == -bet.stake or not bet.folded
    assert folds == sum(record[0] == "event" and record[2][2:3] == ["fold"] for record in records)
    assert folds > 5


@pytest.mark.parametrize("game", [MBS, POKER])
def test_a_table_without_amounts_counts_each_bet_as_a_dollar(game):
    with_amounts = observe(played(config_of(game), 5, 20))
    without = observe(played(config_of(game, amounts=False), 5, 20))
    for one, other in zip(with_amounts, without):
        sums = [bet for bet in one.bets if bet.wager != "progressive"]
        assert not other.amounts
        assert [bet.wager for bet in other.bets] == [bet.wager for bet in sums]
        assert {bet.stake for bet in other.bets} == {100}
        assert [bet.gained > 0 for bet in other.bets] == [bet.gained > 0 for bet in sums]


@pytest.mark.parametrize("game", TRUSTED)
def test_play_in_which_anything_happens_can_be_observed(game):
    """Every bet of an ordinary round has a stake, and what it gained fits one of its lines."""
    dice = random.Random(f"anything {game}")
    config = random_config(game, dice)
    round_ = Round(config)
    players = Players(round_, dice, 0.15)
    records = [["begin", 3, "open"], *(["config", name, config[name]] for name in ("game", "boxes", "amounts"))]
    for _ in range(3000):
        records += round_.apply(players.event())
    seen = observe(records)
    assert len(seen) > 20
    assert {one.ordinary for one in seen} == {True, False}
    for one in seen:
        for bet in one.bets:
            assert bet.stake > 0
            assert bet.gained >= -bet.stake
        assert len(set(one.deal)) == len(one.deal)


# -- a whole review


@pytest.mark.parametrize("game", [MBS, POKER])
def test_a_review_of_two_stretches_is_that_of_the_whole(game):
    seen = observe(played(config_of(game), 9, 60))
    whole, first, second = (review.new_review(game) for _ in range(3))
    for place, one in enumerate(seen):
        review.add_round(whole, one)
        review.add_round(first if place < 23 else second, one)
    merged = review.merge(first, second)
    assert merged == whole
    assert json.loads(json.dumps(whole)) == whole
    assert review.result_of(json.loads(json.dumps(merged))) == review.result_of(whole)


def test_the_result_of_a_review():
    seen = observe(played(config_of(MBS), 9, 60))
    kept = review.new_review(MBS)
    for one in seen:
        review.add_round(kept, one)
    result = review.result_of(kept)
    assert (result.rounds, result.left_out, result.deals, result.amounts) == (60, 0, 60, True)
    assert [hold.wager for hold in result.holds] == ["main", "tie", "three_pictures", "all"]
    staked = sum(bet.stake for one in seen for bet in one.bets)
    assert result.holds[-1].staked == sum(hold.staked for hold in result.holds[:-1]) == staked
    assert result.holds[-1].expected == sum(hold.expected for hold in result.holds[:-1])
    assert result.holds[-1].kept == -sum(bet.gained for one in seen for bet in one.bets)
    assert [look.kind for look in result.looks] == ["shuffler", "places", "cards", "pairs", "repeats"]
    assert result.reading.cards == 60 * 12
