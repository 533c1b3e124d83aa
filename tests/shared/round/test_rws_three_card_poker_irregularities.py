"""Three Card Poker: irregularities, and what the book is silent about."""

import pytest

from tests.support.books.three_card_poker import (
    ANTE,
    DEALER,
    JACKPOT,
    METER,
    ODD,
    PAIR,
    PLUS,
    SPADES,
    asked,
    dealt,
    lines,
    refunds,
    settled,
)
from tests.support.play import TableTop, of_kind
from tests.support.tables import POKER, rule

BOOK = POKER


@rule("5.1", "5.1.1", "4.4")
def test_5_1_a_void_game_gives_every_wager_back_and_takes_its_share_out_of_the_meter():
    """T-22."""
    top = dealt(ANTE, PLUS, JACKPOT, (2, "P2", "ante", 700), b1=SPADES, b2=ODD)
    top.do("decide", 1, "play")
    top.do("decide", 2, "fold")
    top.do("reveal")
    records = top.do("irregularity", "foreign_card")
    assert of_kind(records, "void") == [["void", "5.1.1", "T-22"]]
    assert refunds(records) == {
        (1, "ante"): 1000,
        (1, "pair_plus"): 500,
        (1, "progressive"): 500,
        (1, "play"): 1000,
        (2, "ante"): 700,
    }
    assert {tuple(refund[5:]) for refund in of_kind(records, "refund")} == {("5.1", "T-22")}
    assert of_kind(records, "meter") == [["meter", METER, "reversal", "T-22"]]
    assert of_kind(records, "line") == of_kind(records, "envy") == of_kind(records, "hand_pay") == []
    assert top.state == "void"
    top.refused("settle")
    top.do("open")


@rule("5.1.1")
def test_5_1_1_a_foreign_card_voids_this_game_and_the_games_before_it_stand():
    top, _ = settled(ANTE, JACKPOT, b1=ODD)
    top.bets(ANTE, JACKPOT)
    assert top.do("irregularity", "foreign_card", round=1) == [["noted", "foreign_card", "5.1.1", "T-34"]]
    top.do("close")
    top.do("card", "2C")
    records = top.do("irregularity", "foreign_card")
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500}
    assert of_kind(records, "reversed") == []
    assert top.round.meter == METER + 100  # the first game's share stays


@rule("5.1.1", "2.2.1")
@pytest.mark.parametrize("card", ["1X", "JOKER"])
def test_5_1_1_a_card_that_the_deck_does_not_have_stops_the_deal_until_staff_looked(card):
    top = TableTop(BOOK)
    top.bets(ANTE)
    top.do("close")
    top.do("card", "JH")
    assert asked(top.do("card", card))[:2] == ("check", "foreign_card")
    assert top.refused("card", "7C") == "3.7"
    top.do("misread")
    assert of_kind(top.do("card", "7C"), "dealt") == [["dealt", 1, "7C"]]
    top.do("card", card)
    assert of_kind(top.do("irregularity", "foreign_card"), "void") == [["void", "5.1.1", "T-22"]]


@rule("5.1.3", "2.2.1")
def test_5_1_3_a_card_that_comes_twice_stops_the_deal_until_the_deck_is_counted():
    top = TableTop(BOOK)
    top.bets(ANTE)
    top.do("close")
    top.do("card", "JH")
    assert asked(top.do("card", "JH"))[:2] == ("check", "deck_count")
    assert of_kind(top.do("cards_counted", 52), "void") == []
    top.do("misread")
    top.do("card", "7C")
    top.do("card", "JH")
    assert of_kind(top.do("cards_counted", 53), "void") == [["void", "5.1.3", "T-22"]]


@rule("5.1.3", "2.2.1", "5.1")
@pytest.mark.parametrize("event", [("cards_counted", 51), ("cards_counted", 53), ("irregularity", "deck_count")])
def test_5_1_3_a_short_or_excessive_deck_voids_the_game(event):
    top = dealt(ANTE, JACKPOT, b1=ODD)
    assert top.do("cards_counted", 52)[0][0] == "noted"
    top.do("decide", 1, "play")
    records = top.do(*event)
    assert of_kind(records, "void") == [["void", "5.1.3", "T-22"]]
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500, (1, "play"): 1000}
    assert top.round.meter == METER


@rule("5.1.2", "3.6")
def test_5_1_2_one_exposed_card_plays_on_and_a_second_in_the_same_deal_voids():
    """T-21: counted over the whole deal, from the device or by the dealer's slip."""
    top = TableTop(BOOK, device="shoe")
    top.bets(ANTE, JACKPOT)
    top.do("close")
    assert of_kind(top.do("card", "JH", True), "noted") == [["noted", "face_up_card", "5.1.2", "T-21"]]
    for card in ("KC", "7C", "8D", "3S"):
        top.do("card", card)
    records = top.do("turned", "8D")
    assert of_kind(records, "void") == [["void", "5.1.2", "T-21"]]
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500}


@rule("5.1.2")
def test_5_1_2_one_card_exposed_by_the_dealers_slip_plays_on_too():
    """T-21."""
    top = TableTop(BOOK)
    top.bets(ANTE)
    top.do("close")
    top.do("card", "JH")
    exposed = top.do("turned", "JH")
    assert of_kind(exposed, "noted") == [["noted", "exposed_card", "5.1.2", "T-21"]]
    assert of_kind(top.do("card", "7C", True), "void") == [["void", "5.1.2", "T-21"]]


@rule("5.1.2")
def test_5_1_2_a_single_exposed_card_does_not_count_into_the_next_game():
    top = TableTop(BOOK)
    for _ in range(2):
        top.bets(ANTE)
        top.do("close")
        top.do("card", "JH", True)
        top.deal(b1="7C 3S", dealer=DEALER)
        top.do("decide", 1, "play")
        assert lines(top.finish())[1, "ante"] == ("lose", 0)


@rule("5.1.4")
def test_5_1_4_a_misdeal_before_handling_voids_unless_whole_hands_are_moved():
    """X-04."""
    top = dealt(ANTE, JACKPOT, b1=ODD)
    assert of_kind(top.do("irregularity", "misdeal", put_right="moved"), "reconstructed") == [
        ["reconstructed", "misdeal", "5.1.4", "X-04"]
    ]
    assert top.state == "deciding"
    records = top.do("irregularity", "misdeal")
    assert of_kind(records, "void")[0][1] == "5.1.4"
    assert refunds(records) == {(1, "ante"): 1000, (1, "progressive"): 500}


@rule("5.1.4")
def test_5_1_4_a_players_hand_with_a_wrong_count_is_a_misdeal_before_handling():
    """T-23."""
    top = dealt()
    assert of_kind(top.do("irregularity", "wrong_count", 1, put_right="moved"), "reconstructed")
    assert of_kind(top.do("irregularity", "wrong_count", 1), "void") == [["void", "5.1.4", "T-23"]]


@rule("5.1.4")
@pytest.mark.parametrize("touch", [("look", 1, "P1"), ("handled", 1), ("decide", 1, "play")])
@pytest.mark.parametrize(("report", "reading"), [(("misdeal",), "T-24"), (("wrong_count", 1), "T-23")])
@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
def test_5_1_4_after_handling_the_shift_manager_rules(touch, report, reading, put_right):
    top = dealt()
    top.do(*touch)
    kind, _, role, _, ruling = asked(top.do("irregularity", *report, put_right=put_right))
    assert (kind, role, ruling) == ("ruling", "shift_manager", reading)
    assert top.state == "frozen"
    assert top.refused("ruling", "continue", "pit_manager") == "T-25"
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "deciding"


@rule("5.1.4", "5.1.5")
@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
def test_5_1_5_a_wrong_count_of_the_dealer_by_who_has_handled_cards_and_what_was_put_right(put_right):
    """L-40, T-35: untouched only complete hands that were moved save it (5.1.4), touched any reconstruction."""
    top = dealt()
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right)
    if put_right == "moved":
        assert records == [["reconstructed", "dealer_count", "5.1.4", "L-40"]]
        assert top.state == "deciding"
    else:
        assert of_kind(records, "void") == [["void", "5.1.4", "L-40"]]
        assert refunds(records) == {(1, "ante"): 1000}
    top = dealt()
    top.do("decide", 1, "play")
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right)
    if put_right:
        assert records == [["reconstructed", "dealer_count_handled", "5.1.5", "T-35"]]
        assert top.state == "deciding"
    else:
        assert of_kind(records, "void") == [["void", "5.1.5", "T-35"]]
        assert refunds(records) == {(1, "ante"): 1000, (1, "play"): 1000}


@rule("5.1.5", "4.4/akq-spades")
def test_5_1_5_found_after_payment_the_game_is_reversed_under_supervision():
    """T-34, T-22: the jackpot and the Envy Bonus too."""
    top, paid = settled(ANTE, JACKPOT, (2, "P2", "ante", 700), (2, "P2", "progressive", 500), b1=SPADES, b2=ODD)
    assert of_kind(paid, "envy") == [["envy", "P2", 25_000, "3.12"]]
    assert top.refused("irregularity", "wrong_count", 0) is not None
    assert top.refused("irregularity", "wrong_count", 0, by="dealer") is not None
    records = top.do("irregularity", "wrong_count", 0, by="pit_supervisor")
    assert of_kind(records, "void")[0][1] == "5.1.5"
    reversals = {tuple(record[1:4]): record[5] for record in of_kind(records, "reversed")}
    assert reversals == {
        (1, "P1", "ante"): 2000,
        (1, "P1", "play"): 2000,
        (1, "P1", "progressive"): METER + 200,
        (1, "P1", None): 5000,
        (2, "P2", "ante"): 0,
        (2, "P2", "play"): 0,
        (2, "P2", "progressive"): 0,
        (None, "P2", None): 25_000,
    }
    assert refunds(records) == {
        (1, "ante"): 1000,
        (1, "play"): 1000,
        (1, "progressive"): 500,
        (2, "ante"): 700,
        (2, "play"): 700,
        (2, "progressive"): 500,
    }
    assert top.round.meter == METER
    top.do("open")  # no jackpot waits any more


@rule("5.1.5")
def test_5_1_5_put_right_after_payment_or_found_in_the_next_game_the_result_stands():
    """T-34, T-35."""
    top, _ = settled()
    assert [
        record[0]
        for record in top.do("irregularity", "wrong_count", 0, put_right="restored", by="pit_supervisor")
    ] == ["noted"]
    assert top.state == "settled"
    top.do("open")
    assert [record[0] for record in top.do("irregularity", "wrong_count", 0, round=1)] == ["noted"]
    assert top.state == "betting"


@rule("5.1.1", "5.1.2", "5.1.3", "5.1.4")
@pytest.mark.parametrize(
    "report",
    [
        *[(kind,) for kind in ("foreign_card", "deck_count", "misdeal", "not_shuffled")],
        *[(kind,) for kind in ("drawn_together", "technical", "other")],
        ("wrong_count", 1),
        ("left", None, "P1"),
    ],
)
def test_5_1_what_else_is_found_after_payment_waits_for_the_shift_manager(report):
    """T-25: only 5.1.5 says until when it reaches."""
    top, _ = settled(ANTE, JACKPOT, b1=SPADES)
    records = top.do("irregularity", *report, by="pit_supervisor")
    assert asked(records)[:3:2] == ("ruling", "shift_manager")
    assert of_kind(records, "reversed") == []
    assert top.refused("open") == "3.1"
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "settled"
    assert top.round.meter == 250_000


@rule("5.2", "3.2")
def test_5_2_after_no_more_bets_nothing_is_placed_increased_or_withdrawn():
    """T-26, T-33: until the end of the game, and the wagers play as they were."""
    late = (
        ("bet", *ANTE),
        ("bet", 1, "P1", "pair_plus", 100),
        ("bet", 1, "P1", "progressive", 500),
        ("bet", 2, "P2", "ante", 500),
        ("take_back", 1, "P1", "ante"),
        ("take_back", 1, "P1", "ante", 100),
    )
    top = TableTop(BOOK)
    top.bets(ANTE)
    top.do("close")
    steps = [("card", card) for card in f"{PAIR} {DEALER}".split()] + [("decide", 1, "play"), ("reveal",)]
    for step in steps:
        assert {top.refused(*event) for event in late} == {"5.2"}
        top.do(*step)
    assert {top.refused(*event) for event in late} == {"5.2"}
    assert top.refused("take_back", 1, "P1", "play") == "5.2"
    assert lines(top.do("settle")) == {(1, "ante"): ("win", 2000), (1, "play"): ("win", 2000)}


@rule("3.1", "5.2")
def test_5_2_until_no_more_bets_wagers_are_added_to_and_taken_back():
    top = TableTop(BOOK)
    top.bets(ANTE, ANTE, JACKPOT)
    assert refunds(top.do("take_back", 1, "P1", "ante", 500)) == {(1, "ante"): 500}
    assert refunds(top.do("take_back", 1, "P1", "progressive")) == {(1, "progressive"): 500}
    top.deal(b1=ODD, dealer=DEALER)
    assert of_kind(top.do("decide", 1, "play"), "placed")[0][4] == 1500
    assert top.round.meter == METER
