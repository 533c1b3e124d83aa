"""Royal Three Pictures: the round, its irregularities and who decides, paragraph by paragraph."""

import pytest

from tests.support.books.royal import (
    KING_NINE,
    MINIMUM,
    NINE,
    OTHER_THREE,
    P1_MAIN,
    P1_TIE,
    P2_MAIN,
    ROLES,
    THREE,
    dealt_table,
    lines,
    places,
    table,
)
from tests.support.play import TableTop, of_kind
from tests.support.tables import ROYAL, rule

BOOK = ROYAL


@rule("1.1.3", "3.1")
def test_3_1_play_commences_with_place_your_bets():
    top = TableTop(ROYAL)
    assert top.refused("bet", *P1_MAIN) == "3.1"
    assert top.do("open") == [["state", "betting", "3.1"]]
    top.do("bet", *P1_MAIN)
    assert top.refused("open") == "3.1"


@rule("3.2")
def test_3_2_bets_close_with_no_more_bets_and_cards_come_only_then():
    top = table(P1_MAIN)
    top.refused("card", "KS")
    assert top.do("close") == [["state", "closed", "3.2"]]
    assert top.refused("close") == "3.2"
    assert places(top, "KS") == [1]


@rule("1.1.3")
def test_1_1_3_a_round_ends_when_wagers_are_collected_and_paid():
    top = dealt_table()
    for step in (["show", 1], ["show", 2], ["reveal"], ["settle"]):
        top.refused("open")
        records = top.do(*step)
    assert lines(records) == {(1, "P1", "main"): ("win", 1000, 2000), (2, "P2", "main"): ("push", 1000, 1000)}
    top.do("open")


@rule("1.1.3", "5.1")
@pytest.mark.parametrize("kind", ["foreign_card", "deck_count", "not_shuffled"])
def test_1_1_3_after_settlement_the_round_is_no_longer_in_its_course(kind):
    top = dealt_table()
    top.finish()
    assert [record[0] for record in top.do("irregularity", kind, by="pit_supervisor")] == ["noted"]
    assert top.state == "settled"


@rule("2.1")
@pytest.mark.parametrize("word", ["XX", "KS"])
def test_2_1_a_card_not_of_the_deck_or_seen_twice_is_an_alarm_and_may_be_a_misreading(word):
    top = table(P1_MAIN)
    top.do("close")
    top.do("card", "KS")
    assert of_kind(top.do("card", word), "ask")[0][1] == "check"
    top.refused("card", "2H")
    top.do("misread")
    assert places(top, "2H 3H 2C 3C 8H") == [1, 1, 0, 0, 0]


@rule("App-A", "App-B")
@pytest.mark.parametrize("boxes", range(1, 9))
def test_app_a_one_to_eight_positions(boxes):
    top = table(*[(box, f"P{box}", "main", 500) for box in range(1, boxes + 1)], boxes=boxes)
    top.refused("bet", boxes + 1, "P1", "main", 500)
    top.do("close")
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
    expected = [box for box in [*range(1, boxes + 1), 0] for _ in range(3)]
    assert places(top, " ".join(deck[: len(expected)])) == expected
    assert top.state == "playing"


@rule("App-A", "App-B")
@pytest.mark.parametrize("boxes", [0, 9])
def test_app_a_neither_none_nor_nine_positions(boxes):
    with pytest.raises(ValueError, match="boxes"):
        TableTop(ROYAL, boxes=boxes)


@rule("3.4", "3.5")
def test_3_5_a_side_wager_needs_somebodys_main_wager_on_the_position():
    top = table(P1_MAIN)
    for wager in ("tie", "royal_pictures"):
        assert top.refused("bet", 2, "P2", wager, 500) == "3.5"
        top.do("bet", 1, "P2", wager, 500)
    top.deal(b1=KING_NINE, dealer=NINE)
    assert lines(top.finish()) == {
        (1, "P1", "main"): ("win", 1000, 2000),
        (1, "P2", "tie"): ("win", 500, 4500),
        (1, "P2", "royal_pictures"): ("win", 500, 1000),
    }


@rule("3.5")
def test_3_5_a_side_wager_left_without_a_main_wager_is_warned_of_and_goes_back_at_closing():
    top = table(P1_MAIN, P2_MAIN, (2, "P1", "tie", 500))
    assert of_kind(top.do("take_back", 2, "P2", "main"), "warning") == [
        ["warning", "needs_main", 2, "P1", "tie", "3.5"]
    ]
    assert of_kind(top.do("close"), "refund") == [["refund", 2, "P1", "tie", 500, "3.5", "R-13"]]
    assert places(top, NINE + " " + THREE) == [1, 1, 1, 0, 0, 0]


@rule("3.6", "6.2")
@pytest.mark.parametrize("by", ROLES)
def test_3_6_staff_may_place_a_wager_for_a_player(by):
    top = TableTop(ROYAL)
    top.do("open")
    placed = ["placed_by_staff", 1, "P1", "main", by, "3.6"]
    assert of_kind(top.do("bet", *P1_MAIN, by=by), "placed_by_staff") == [placed]
    top.refused("bet", *P1_MAIN, by="waiter")


@rule("3.9")
def test_3_9_three_wagers_an_area_counted_at_each_betting_spot():
    wagers = ("main", "tie", "royal_pictures")
    top = table(*[(1, player, wager, 500) for wager in wagers for player in ("P1", "P2", "P3")])
    for wager in wagers:
        assert top.refused("bet", 1, "P4", wager, 500) == "3.9"
    top.do("bet", 2, "P4", "main", 500)


@rule("3.9")
def test_3_9_adding_to_ones_own_wager_makes_no_second_wager():
    top = table(P1_MAIN, P1_MAIN, (1, "P2", "main", 500), (1, "P3", "main", 500))
    top.do("bet", *P1_MAIN)
    assert top.refused("bet", 1, "P4", "main", 500) == "3.9"
    top.do("take_back", 1, "P3", "main")
    top.do("bet", 1, "P4", "main", 500)


@rule("3.9.1", "6.2")
@pytest.mark.parametrize("by", ROLES)
def test_3_9_1_a_pit_manager_may_allow_fewer_wagers_an_area(by):
    top = TableTop(ROYAL)
    if by in ("dealer", "pit_supervisor"):
        assert top.refused("restrict", 2, by=by) == "3.9.1"
        return
    top.do("restrict", 2, by=by)
    top.bets(P1_MAIN, (1, "P2", "main", 500), P1_TIE)
    assert top.refused("bet", 1, "P3", "main", 500) == "3.9.1"
    top.do("bet", *P1_MAIN)
    top.do("bet", 1, "P3", "tie", 500)


@rule("3.9.1")
def test_3_9_1_holds_from_the_next_betting_period_until_lifted():
    top = table(P1_MAIN)
    top.do("restrict", 1, by="pit_manager")
    top.do("bet", 1, "P2", "main", 500)
    top.deal(b1=NINE, dealer=THREE)
    top.finish()
    for _ in range(2):
        top.bets(P1_MAIN)
        assert top.refused("bet", 1, "P2", "main", 500) == "3.9.1"
        top.deal(b1=NINE, dealer=THREE)
        top.finish()
    top.do("restrict", 3, by="pit_manager")
    top.bets(P1_MAIN, (1, "P2", "main", 500), (1, "P3", "main", 500))
    assert top.refused("bet", 1, "P4", "main", 500) == "3.9"


@rule("3.9", "3.9.1")
@pytest.mark.parametrize("limit", [0, 4])
def test_3_9_1_nobody_may_allow_more_than_three_or_none(limit):
    TableTop(ROYAL).refused("restrict", limit, by="shift_manager")


@rule("3.8", "6.2")
@pytest.mark.parametrize("by", ROLES)
def test_3_8_a_pit_manager_may_hold_a_player_to_one_position(by):
    top = TableTop(ROYAL)
    if by in ("dealer", "pit_supervisor"):
        assert top.refused("restrict", 1, "P1", by) == "3.8"
        return
    top.do("restrict", 1, "P1", by)
    top.bets(P1_MAIN, P1_TIE, P2_MAIN, (1, "P2", "main", 500))
    for wager in ("main", "tie"):
        assert top.refused("bet", 2, "P1", wager, 500) == "3.8"
    top.do("take_back", 1, "P1", "tie")
    top.do("take_back", 1, "P1", "main")
    top.do("bet", 2, "P1", "main", 500)


@rule("3.7", "3.8")
def test_3_8_holds_from_the_next_betting_period_and_until_then_several_positions_are_free():
    top = table(P1_MAIN)
    top.do("restrict", 1, "P1", "pit_manager")
    top.do("bet", 2, "P1", "main", 1000)
    top.deal(b1=NINE, b2=OTHER_THREE, dealer=THREE)
    top.finish()
    top.bets(P1_MAIN)
    assert top.refused("bet", 2, "P1", "main", 1000) == "3.8"


@rule("1.1.1", "3.7", "3.14")
def test_1_1_1_a_player_on_two_positions_views_one_and_the_dealer_opens_the_other():
    top = dealt_table(P1_MAIN, (2, "P1", "main", 1000))
    top.do("look", 2, "P1")
    top.refused("look", 1, "P1")
    top.do("look", 2, "P1")
    top.do("show", 2)
    assert top.do("show", 1) == [["shown", 1, NINE.split()]]
    top.do("reveal")
    assert len(lines(top.do("settle"))) == 2


@rule("3.10")
def test_3_10_of_two_seated_players_the_one_who_wagered_first_looks():
    top = table(P1_MAIN)
    top.do("bet", 1, "P2", "main", 2000, seated=True)
    top.deal(b1=NINE, dealer=THREE)
    assert top.refused("look", 1, "P2") == "3.10"
    top.refused("look", 1, "P3")
    top.do("look", 1, "P1")


@rule("3.10")
def test_3_10_whoever_takes_his_wager_back_and_lays_it_again_comes_second():
    top = table(P1_MAIN)
    top.do("bet", 1, "P2", "main", 500, seated=True)
    top.do("take_back", 1, "P1", "main")
    top.do("bet", *P1_MAIN, seated=True)
    top.deal(b1=NINE, dealer=THREE)
    assert top.refused("look", 1, "P1") == "3.10"
    top.do("look", 1, "P2")


@rule("3.10", "3.11")
def test_3_11_a_standing_player_never_looks_though_he_wagered_first():
    top = TableTop(ROYAL)
    top.do("open")
    top.do("bet", *P1_MAIN, seated=False)
    top.do("bet", 1, "P2", "main", 500, seated=True)
    top.deal(b1=NINE, dealer=THREE)
    assert top.refused("look", 1, "P1") == "3.11"
    top.do("look", 1, "P2")


@rule("3.11", "3.14")
def test_3_11_if_nobody_sits_nobody_looks_and_the_dealer_opens_the_hand():
    top = TableTop(ROYAL)
    top.do("open")
    top.do("bet", *P1_MAIN, seated=False)
    top.do("bet", 1, "P2", "main", 500, seated=False)
    top.deal(b1=NINE, dealer=THREE)
    for player in ("P1", "P2"):
        assert top.refused("look", 1, player) == "3.11"
    assert len(lines(top.finish())) == 2


@rule("3.11")
def test_3_11_staff_say_who_sits():
    top = table(P1_MAIN)
    top.do("seat", 1, "P1", False)
    top.deal(b1=NINE, dealer=THREE)
    assert top.refused("look", 1, "P1") == "3.11"
    top.do("seat", 1, "P1", True)
    top.do("look", 1, "P1")


@rule("3.12", "3.12.1")
@pytest.mark.parametrize(
    ("device", "expected", "paragraph"),
    [
        ("shuffler", [1, 1, 1, 3, 3, 3, 0, 0, 0], "3.12"),
        ("shoe", [1, 3, 0, 1, 3, 0, 1, 3, 0], "3.12.1"),
    ],
)
def test_3_12_three_at_once_or_one_by_one_clockwise_and_the_dealer_last(device, expected, paragraph):
    top = table((3, "P3", "main", 500), P1_MAIN, P2_MAIN, (2, "P1", "tie", 500), device=device)
    top.do("take_back", 2, "P2", "main")
    top.do("close")
    assert top.do("card", "2C") == [["state", "dealing", paragraph], ["dealt", 1, "2C"]]
    assert [1] + places(top, "3C 4C 5C 6C 7C 8C 9C TC") == expected
    assert top.state == "playing"


@rule("3.12", "5.4")
def test_3_12_a_tenth_card_when_none_is_due_is_an_alarm():
    top = dealt_table()
    assert of_kind(top.do("card", "KH"), "ask")[0][1] == "check"
    top.do("misread")
    assert top.state == "playing"


@rule("3.13", "3.14", "3.15")
def test_3_15_the_dealer_shows_his_hand_after_all_hands_are_back():
    top = dealt_table()
    top.do("look", 1, "P1")
    assert top.refused("reveal") == "3.15"
    assert top.do("show", 1) == [["shown", 1, NINE.split()]]
    assert top.refused("reveal") == "3.15"
    top.do("show", 2)
    assert top.do("reveal") == [["shown", 0, THREE.split()], ["state", "revealed", "3.15"]]


@rule("3.13", "3.15")
def test_3_13_no_hand_is_back_before_the_deal_is_complete():
    top = table(P1_MAIN)
    top.do("close")
    places(top, NINE)
    top.refused("show", 1)
    top.refused("reveal")
    places(top, THREE)
    top.do("show", 1)
    top.refused("show", 1)
    top.refused("settle")


@rule("5.10", "5.11", "3.4")
@pytest.mark.parametrize(
    ("cents", "code", "paragraph"),
    [(499, "under_minimum", "5.10"), (500, None, None), (1000, None, None), (1001, "over_maximum", "5.11")],
)
def test_3_4_the_dealer_is_warned_of_wagers_outside_the_limits(cents, code, paragraph):
    top = TableTop(ROYAL, limits=MINIMUM)
    top.do("open")
    warnings = top.do("bet", 1, "P1", "main", cents)
    assert warnings == ([["warning", code, 1, "P1", "main", paragraph]] if code else [])
    plays = of_kind(top.do("close"), "plays")
    assert plays == ([["plays", code, 1, "P1", "main", paragraph]] if code else [])


@rule("3.4", "5.10", "5.11")
def test_3_4_limits_hold_for_each_players_wager_and_not_for_the_area():
    top = TableTop(ROYAL, limits=MINIMUM)
    top.bets((1, "P1", "main", 800), (1, "P2", "main", 800))
    warning = ["warning", "under_minimum", 1, "P3", "main", "5.10"]
    assert of_kind(top.do("bet", 1, "P3", "main", 300), "warning") == [warning]
    top.deal(b1=NINE, dealer=THREE)
    assert lines(top.finish()) == {
        (1, "P1", "main"): ("win", 800, 1600),
        (1, "P2", "main"): ("win", 800, 1600),
        (1, "P3", "main"): ("win", 300, 600),
    }


@rule("4.1", "4.2", "5.3", "5.13.1")
def test_4_1_a_table_without_amounts_plays_the_same_rounds_with_odds_only():
    top = table(*[(1, "P1", wager) for wager in MINIMUM], (2, "P2", "main"), amounts=False, limits=MINIMUM)
    top.refused("bet", 1, "P1", "main", 500)
    top.do("bet", 1, "P1", "main")
    top.deal(b1=KING_NINE, b2="9C 6H AH", dealer="2C 2D TD")
    assert top.do("take_back", 1, "P1", "tie") == [["stands", 1, "P1", "tie", None, "5.3", "R-27"]]
    top.do("power_failure")
    top.do("all_told")
    top.do("choices_done")
    records = top.finish()
    money = [None, None, None]
    assert [line[1:10] for line in of_kind(records, "line")] == [
        [1, "P1", "main", "win", 1, 1, *money],
        [1, "P1", "tie", "lose", None, None, *money],
        [1, "P1", "royal_pictures", "win", 1, 1, *money],
        [2, "P2", "main", "win", 1, 2, *money],
    ]
    assert of_kind(records, "debt") == [["debt", 1, "P1", "tie", None, "R-27"]]
    assert not of_kind(records, "total")
