"""Three Card Poker (RWS): whole rounds, what is refused, and every irregularity, worked out by hand."""

import pytest

from tests.support.books.three_card_poker import (
    ANTE,
    DEALER,
    HEARTS,
    JACKPOT,
    METER,
    ODD,
    PAIR,
    PLUS,
    SILENT,
    SPADES,
    STRAIGHT,
    TWO_JACKPOTS,
    asked,
    dealt,
    lines,
    refunds,
    settled,
)
from tests.support.play import TableTop, of_kind
from tests.support.tables import POKER, rule

BOOK = POKER


@rule("3.1")
def test_3_1_bets_are_taken_from_place_your_bets_on():
    top = TableTop(BOOK)
    assert top.refused("bet", *ANTE) == "3.1"
    assert top.do("open") == [["state", "betting", "3.1"]]
    assert top.refused("open") == "3.1"
    assert top.do("bet", *ANTE) == []


@rule("3.2")
def test_3_2_no_more_bets_closes_the_betting():
    top = TableTop(BOOK)
    assert top.refused("close") == "3.2"
    top.bets(ANTE)
    assert top.refused("card", "KS") == "3.7"
    assert top.do("close") == [["state", "closed", "3.2"]]
    assert top.refused("close") == "3.2"


@rule("3.3", "3.8.2", "1/play")
@pytest.mark.parametrize("bets", [[ANTE], [PLUS], [ANTE, PLUS]])
def test_3_3_an_ante_a_pair_plus_or_both_take_part(bets):
    top = dealt(*bets, b1=PAIR)
    placed = [["placed", 1, "P1", "play", 1000, "3.8.2"]] if ANTE in bets else []
    assert top.do("decide", 1, "play") == placed
    assert ("ante" in [key[1] for key in lines(top.finish())]) == (ANTE in bets)


@rule("3.4", "2.1.1.c")
def test_3_4_the_progressive_needs_an_ante_of_the_same_player_on_the_same_box():
    top = TableTop(BOOK)
    top.bets(PLUS, (2, "P1", "ante", 1000))
    assert top.refused("bet", *JACKPOT) == "3.4"
    assert top.refused("bet", 3, "P1", "progressive", 500) == "3.4"
    top.do("bet", *ANTE)
    assert top.do("bet", *JACKPOT) == []


@rule("3.4")
def test_3_4_a_progressive_whose_ante_is_gone_at_closing_goes_back_and_feeds_no_meter():
    """T-30."""
    top = TableTop(BOOK)
    top.bets(ANTE, PLUS, JACKPOT)
    warned = top.do("take_back", 1, "P1", "ante")
    assert of_kind(warned, "warning") == [["warning", "needs_main", 1, "P1", "progressive", "3.4"]]
    closed = top.do("close")
    assert of_kind(closed, "refund") == [["refund", 1, "P1", "progressive", 500, "3.4", "T-30"]]
    assert of_kind(closed, "meter") == []
    assert top.round.meter == METER


@rule("3.4", "4.4")
def test_3_4_the_progressive_stake_is_fixed_and_placed_once():
    """T-03."""
    top = TableTop(BOOK)
    top.bets(ANTE)
    assert top.refused("bet", 1, "P1", "progressive", 1000) == "T-03"
    top.do("bet", *JACKPOT)
    assert top.refused("bet", *JACKPOT) == "T-03"
    assert top.refused("take_back", 1, "P1", "progressive", 200) == "T-03"


@rule("2.1.1.a")
def test_2_1_1_a_a_box_has_one_player_and_a_player_may_have_several_boxes():
    """T-18, T-02."""
    top = TableTop(BOOK, boxes=2)
    top.bets(ANTE)
    assert top.refused("bet", 1, "P2", "pair_plus", 500) == "2.1.1.a"
    assert top.do("bet", 2, "P1", "ante", 500) == []
    assert top.refused("bet", 3, "P2", "ante", 500) is None  # the layout has two boxes
    top.do("take_back", 1, "P1", "ante")
    assert top.do("bet", 1, "P2", "ante", 500) == []


@rule("3.3")
def test_3_3_amounts_out_of_the_table_limits_are_refused_before_closing():
    """T-25, as M-11."""
    top = TableTop(BOOK, limits={"ante": [500, 50_000]}, chip=100)
    top.do("open")
    assert top.refused("bet", 1, "P1", "ante", 400) == "T-25"
    assert top.refused("bet", 1, "P1", "ante", 50_100) == "T-25"
    assert top.refused("bet", 1, "P1", "ante", 550) is None  # no such chips
    top.do("bet", 1, "P1", "ante", 600)
    assert top.refused("bet", 1, "P1", "ante", 49_500) == "T-25"
    assert top.refused("take_back", 1, "P1", "ante", 200) == "T-25"


@rule("4.1", "3.10.2")
@pytest.mark.parametrize(("cents", "code"), [(400, "under_minimum"), (60_000, "over_maximum")])
def test_4_1_amounts_found_out_of_limits_after_closing_settle_as_placed(cents, code):
    """T-25, as M-11."""
    top = TableTop(BOOK, limits={"ante": [500, 50_000]})
    top.bets(ANTE)
    top.deal(b1=ODD, dealer=DEALER)
    counted = top.do("counted", 1, "P1", "ante", cents, "pit_supervisor")
    assert of_kind(counted, "plays") == [["plays", code, 1, "P1", "ante", "T-25"]]
    assert of_kind(top.do("decide", 1, "play"), "placed")[0][4] == cents
    records = top.finish()
    assert lines(records) == {(1, "ante"): ("lose", 0), (1, "play"): ("lose", 0)}
    assert of_kind(records, "total") == [["total", 2 * cents, 0, 2 * cents]]


@rule("3.1")
@pytest.mark.parametrize(
    "event",
    [
        ("bet", 1, "P1", "ante", 1000, True, "shift_manager"),
        ("restrict", 1, "P1", "shift_manager"),
        ("withdraw", 1, "P1", "shift_manager"),
    ],
)
def test_3_1_powers_that_other_books_give_to_staff_are_not_taken_over(event):
    """X-03."""
    top = TableTop(BOOK)
    top.do("open")
    assert top.refused(*event) == "X-03"


@rule("3.6", "3.7", "3.3")
@pytest.mark.parametrize(
    ("device", "paragraph", "order"),
    [("shoe", "3.6", [1, 3, 4, 0] * 3), ("shuffler", "3.7", [1] * 3 + [3] * 3 + [4] * 3 + [0] * 3)],
)
def test_3_6_the_device_decides_between_single_cards_and_sets_of_three(device, paragraph, order):
    top = TableTop(BOOK, boxes=5, device=device)
    top.bets((4, "P4", "pair_plus", 500), (3, "P3", "ante", 500), (1, "P1", "ante", 500))
    top.do("close")
    deck = f"{ODD} {PAIR} {STRAIGHT} {DEALER}".split()
    records = [record for card in deck for record in top.do("card", card)]
    assert [record[1] for record in of_kind(records, "dealt")] == order
    assert of_kind(records, "state") == [["state", "dealing", paragraph], ["state", "deciding", paragraph]]


@rule("3.8")
def test_3_8_players_decide_clockwise_and_nobody_is_folded_by_the_table():
    """T-27."""
    top = dealt(ANTE, (3, "P3", "ante", 500), b1=ODD, b3=PAIR)
    assert top.refused("decide", 3, "play") == "T-27"
    assert top.refused("decide", 1, "wait") == "3.8"
    assert top.refused("reveal") == "3.8"
    top.do("decide", 1, "play")
    assert top.refused("decide", 1, "fold") == "3.8"
    assert top.refused("decide", 2, "play") == "3.8"  # no hand lies there
    assert top.refused("reveal") == "3.8"
    top.do("decide", 3, "fold")
    top.do("reveal")
    assert top.state == "revealed"


@rule("3.8")
def test_3_8_a_player_examines_the_cards_of_his_own_boxes():
    """T-02: of all of them, if he has several."""
    top = dealt(ANTE, (2, "P1", "ante", 500), (3, "P3", "ante", 500), b1=ODD, b2=PAIR, b3=STRAIGHT)
    assert top.do("look", 1, "P1") == top.do("look", 2, "P1") == []
    assert top.refused("look", 3, "P1") == "3.8"


@rule("3.8.2", "1/play", "5.2")
def test_3_8_2_the_play_wager_equals_the_ante_and_comes_after_closing():
    """T-33."""
    top = dealt(ANTE, PLUS, b1=PAIR)
    for cents in (500, 999, 1001, 2000):
        assert top.refused("decide", 1, "play", cents) == "3.8.2"
    assert top.do("decide", 1, "play", 1000) == [["placed", 1, "P1", "play", 1000, "3.8.2"]]
    assert lines(top.finish())[1, "play"] == ("win", 2000)


@rule("3.8.2")
def test_3_8_2_no_play_wager_before_the_cards():
    top = TableTop(BOOK)
    top.bets(ANTE)
    assert top.refused("bet", 1, "P1", "play", 1000) == "3.8.2"


@rule("3.8.2", "3.8.1")
def test_3_8_2_a_hand_with_pair_plus_alone_plays_without_a_play_wager_or_folds():
    """T-05."""
    two = (2, "P2", "pair_plus", 700)
    top = dealt(PLUS, two, b1=PAIR, b2="6S 6H 2C")
    assert top.refused("decide", 1, "play", 500) == "3.8.2"
    assert top.do("decide", 1, "play") == []
    assert top.refused("decide", 2, "fold") == "T-06"
    top.do("decide", 2, "fold", sure=True)
    assert lines(top.finish()) == {(1, "pair_plus"): ("win", 1000), (2, "pair_plus"): ("lose", 0)}


@rule("3.8.1", "1/fold")
@pytest.mark.parametrize(
    ("bets", "hand", "pays"),
    [
        ([ANTE], STRAIGHT, True),  # Ante Bonus
        ([ANTE, PLUS], PAIR, True),
        ([PLUS], PAIR, True),
        ([ANTE, JACKPOT], STRAIGHT, True),
        ([ANTE], PAIR, False),
        ([ANTE, JACKPOT], "KD 9D 2D", False),  # a flush is in neither table
        ([ANTE, PLUS], "KD 9D 2D", True),
        ([ANTE, PLUS, JACKPOT], ODD, False),
    ],
)
def test_3_8_1_folding_a_hand_that_pays_is_warned_of_and_loses_everything(bets, hand, pays):
    """T-06, T-07."""
    top = dealt(*bets, b1=hand)
    if pays:
        assert top.refused("decide", 1, "fold") == "T-06"
        assert top.refused("decide", 1, "fold", sure=False) == "T-06"
        top.do("decide", 1, "fold", sure=True)
    else:
        top.do("decide", 1, "fold")
    records = top.finish()
    assert lines(records) == {(1, bet[2]): ("lose", 0) for bet in bets}
    assert of_kind(records, "bonus") == []


@rule("1/fold")
def test_1_fold_a_folded_hand_is_never_shown():
    """T-31."""
    top = dealt(ANTE, (2, "P2", "ante", 500), b1=ODD, b2=PAIR)
    assert top.refused("show", 1) == "3.8"
    top.do("decide", 1, "fold")
    top.do("decide", 2, "play")
    assert top.refused("show", 1) == "3.8"
    assert top.refused("look", 1, "P1") == "1/fold"
    assert of_kind(top.do("reveal"), "shown") == [["shown", 0, DEALER.split()], ["shown", 2, PAIR.split()]]
    assert "JH" not in str(top.do("settle"))


@rule("4.4", "3.11")
def test_4_4_progressive_wagers_feed_the_meter_at_no_more_bets():
    """T-18, T-19: a fixed sum is the House's and leaves the meter alone."""
    top = TableTop(BOOK)
    top.bets(*TWO_JACKPOTS)
    assert top.round.meter == METER
    assert of_kind(top.do("close"), "meter") == [["meter", METER + 200, "contribution", "T-18"]]
    top.deal(b1=STRAIGHT, b2=ODD, dealer=DEALER)
    top.do("decide", 1, "play")
    top.do("decide", 2, "play")
    records = top.finish()
    assert lines(records)[1, "progressive"] == ("win", 1500)
    assert lines(records)[2, "progressive"] == ("lose", 0)
    assert of_kind(records, "meter") == of_kind(records, "hand_pay") == []
    assert top.round.meter == METER + 200


@rule("4.4/akq-spades", "4.4/cheque", "3.11")
def test_4_4_cheque_the_jackpot_waits_for_the_cage_and_the_other_bets_do_not():
    """T-18, T-29: the meter with this round's contributions, then its reset value."""
    top, records = settled(*TWO_JACKPOTS, b1=SPADES, b2=ODD)
    assert lines(records) == {
        (1, "ante"): ("win", 2000),
        (1, "play"): ("win", 2000),
        (1, "progressive"): ("win", METER + 200),
        (2, "ante"): ("lose", 0),
        (2, "play"): ("lose", 0),
        (2, "progressive"): ("lose", 0),
    }
    assert of_kind(records, "hand_pay") == [["hand_pay", "P1", METER + 200, "4.4/cheque"]]
    assert of_kind(records, "meter") == [["meter", 250_000, "award", "4.4/akq-spades"]]
    assert of_kind(records, "bonus") == [["bonus", 1, "P1", 5, 1, 5000, "4.3/straight-flush"]]
    assert top.refused("open") == "4.4/cheque"
    assert top.refused("hand_paid", "P2", "shift_manager") == "4.4/cheque"
    top.do("hand_paid", "P1", "pit_supervisor")
    assert top.refused("hand_paid", "P1", "pit_supervisor") == "4.4/cheque"
    top.bets(*TWO_JACKPOTS)
    assert of_kind(top.do("close"), "meter") == [["meter", 250_200, "contribution", "T-18"]]


@rule("4.4/akq-spades")
def test_4_4_the_jackpot_is_won_against_any_dealer_and_lost_by_a_fold():
    """T-06."""
    top = dealt(*TWO_JACKPOTS, b1=SPADES, b2=ODD, dealer="AH AD AC")
    top.do("decide", 1, "fold", sure=True)
    top.do("decide", 2, "fold")
    records = top.finish()
    assert {result for result, _ in lines(records).values()} == {"lose"}
    assert of_kind(records, "hand_pay") == of_kind(records, "envy") == []
    assert top.round.meter == METER + 200
    assert settled(*TWO_JACKPOTS, b1=SPADES, b2=ODD, dealer="AH AD AC")[0].round.meter == 250_000


@rule("3.12", "4.4/akq-other", "4.4/akq-spades")
@pytest.mark.parametrize(("hand", "cents"), [(SPADES, 25_000), (HEARTS, 5000)])
def test_3_12_the_others_with_a_progressive_wager_get_the_envy_bonus(hand, cents):
    """T-16, T-32: seated, but folded or not; the maker himself gets none."""
    four = [(box, f"P{box}", "ante", 500) for box in (1, 2, 3, 4)]
    four += [(box, f"P{box}", "progressive", 500) for box in (1, 2, 3)]
    top = TableTop(BOOK, boxes=4)
    top.bets(*four)
    top.do("seat", 3, "P3", False)
    top.deal(b1=hand, b2=ODD, b3=PAIR, b4="9C 6C 2S", dealer=DEALER)
    for box, choice in ((1, "play"), (2, "fold"), (3, "play"), (4, "play")):
        top.do("decide", box, choice)
    assert of_kind(top.finish(), "envy") == [["envy", "P2", cents, "3.12"]]


@rule("3.12", "3.13")
@pytest.mark.parametrize(
    ("makers", "choice", "envy"),
    [
        ([ANTE], "play", 5000),  # an Ante without a Progressive wager is enough
        ([PLUS], "play", 0),  # 3.13
        ([ANTE], "fold", 0),  # T-15
    ],
)
def test_3_13_only_a_hand_with_an_ante_that_plays_gives_the_envy_bonus(makers, choice, envy):
    top = dealt(*makers, *TWO_JACKPOTS[2:], b1=HEARTS, b2=ODD)
    top.do("decide", 1, choice, sure=True)
    top.do("decide", 2, "play")
    assert sum(record[2] for record in of_kind(top.finish(), "envy")) == envy


@rule("3.8")
@pytest.mark.parametrize(("event", "reading"), SILENT)
def test_3_8_where_the_book_is_silent_the_game_stops_for_the_shift_manager(event, reading):
    top = dealt()
    assert asked(top.do(*event))[2:] == ("shift_manager", None, reading)
    assert top.refused("decide", 1, "fold") == "3.8"
    assert top.refused("open") == "3.1"
    for post in ("dealer", "pit_supervisor", "pit_manager"):
        assert top.refused("ruling", "void", post) == "T-25"
    top.refused("ruling", "void", "guest")
    top.do("ruling", "continue", "shift_manager", text="as they lie")
    top.do("decide", 1, "play")
    assert lines(top.finish())[1, "ante"] == ("lose", 0)


@rule("3.6", "3.7")
@pytest.mark.parametrize("event", [("cards_left", 5), ("irregularity", "too_few_cards")])
def test_3_7_too_few_cards_in_the_device_stop_for_the_shift_manager(event):
    """T-25."""
    top = TableTop(BOOK)
    top.bets(ANTE)
    top.do("close")
    assert top.do("cards_left", 6) == []
    assert asked(top.do(*event))[2:] == ("shift_manager", None, "T-25")


@rule("3.8", "5.1")
def test_3_8_a_ruling_may_void_the_game():
    top = dealt(ANTE, JACKPOT, b1=SPADES)
    top.do("decide", 1, "play")
    top.do("power_failure")
    records = top.do("ruling", "void", "shift_manager")
    assert of_kind(records, "void") == [["void", None, "T-25"]]
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500, (1, "play"): 1000}
    assert top.round.meter == METER


@rule("3.8")
def test_3_8_a_ruling_may_take_one_hand_out():
    top = dealt(*TWO_JACKPOTS, b1=ODD, b2=PAIR)
    top.do("irregularity", "left", player="P1")
    assert top.refused("ruling", "hand_out", "shift_manager", 3) is None
    assert top.refused("ruling", "hand_out", "shift_manager") is None
    records = top.do("ruling", "hand_out", "shift_manager", 1)
    assert of_kind(records, "removed") == [["removed", 1, None, "T-25"]]
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500}
    assert of_kind(records, "meter") == [["meter", METER + 100, "reversal", "T-22"]]
    top.do("decide", 2, "play")
    assert lines(top.finish())[2, "play"] == ("win", 2000)


@rule("3.8", "3.8.1")
def test_3_8_only_a_ruling_folds_the_hand_of_an_absent_player():
    """T-27."""
    top = dealt(ANTE, PLUS, (2, "P2", "ante", 700), b1=PAIR, b2=ODD)
    top.do("irregularity", "left", player="P1")
    assert top.refused("ruling", "fold", "pit_manager", 1) == "T-25"
    top.do("ruling", "fold", "shift_manager", 1)
    assert top.refused("decide", 1, "play") == "3.8"
    top.do("decide", 2, "play")
    records = top.finish()
    assert lines(records)[1, "ante"] == lines(records)[1, "pair_plus"] == ("lose", 0)


@rule("3.8")
def test_3_8_a_post_above_the_shift_manager_may_rule_too():
    top = TableTop(BOOK, posts_above=["casino_manager"])
    top.bets(ANTE)
    top.do("power_failure")
    top.do("ruling", "continue", "casino_manager")
    assert top.state == "betting"


@rule("3.8.2", "4.1/ante", "4.2/straight-flush", "4.4/straight-flush")
def test_4_1_a_table_without_amounts_settles_by_odds_alone():
    top = TableTop(BOOK, amounts=False)
    top.bets((1, "P1", "ante"), (1, "P1", "pair_plus"), (1, "P1", "progressive"))
    assert top.refused("bet", *ANTE) is None
    top.deal(b1="6H 5H 4H", dealer=DEALER)
    assert top.refused("decide", 1, "play", 1000) is None
    assert top.do("decide", 1, "play") == [["placed", 1, "P1", "play", None, "3.8.2"]]
    records = top.finish()
    assert [line[3:10] for line in of_kind(records, "line")] == [
        ["ante", "win", 1, 1, None, None, None],
        ["play", "win", 1, 1, None, None, None],
        ["pair_plus", "win", 40, 1, None, None, None],
        ["progressive", "win", 17_500, 0, None, None, None],
    ]
    assert of_kind(records, "bonus") == [["bonus", 1, "P1", 5, 1, None, "4.3/straight-flush"]]
