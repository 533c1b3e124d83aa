"""Royal Three Pictures: irregularities and general provisions, sections 5 and 6."""

import pytest

from tests.support.books.royal import (
    KING_NINE,
    LATE,
    MINIMUM,
    NINE,
    OTHER_NINE,
    P1_MAIN,
    P1_ROYAL,
    P1_TIE,
    P2_MAIN,
    ROLES,
    THREE,
    dealt_table,
    establishes,
    lines,
    places,
    play,
    play_on,
    refunds,
    states,
    table,
)
from tests.support.play import TableTop, of_kind
from tests.support.tables import ROYAL, rule

BOOK = ROYAL


@rule("2.1", "5.1", "5.1.1")
@pytest.mark.parametrize(("word", "kind"), [("XX", "foreign_card"), ("KS", "deck_count")])
def test_5_1_1_an_alarm_that_proves_right_voids_the_round(word, kind):
    top = table(P1_MAIN, P1_TIE)
    top.do("close")
    top.do("card", "KS")
    top.do("card", word)
    records = top.do("irregularity", kind)
    assert top.state == "void"
    assert {key: cents for key, (cents, _) in refunds(records).items()} == {
        (1, "P1", "main"): 1000,
        (1, "P1", "tie"): 400,
    }


@rule("5.1", "5.1.1")
@pytest.mark.parametrize("kind", ["foreign_card", "deck_count", "not_shuffled"])
@pytest.mark.parametrize("steps", range(5))
def test_5_1_1_a_wrong_deck_voids_the_round_at_any_time(kind, steps):
    top = table(P1_MAIN, P1_TIE, P1_ROYAL)
    course = [["close"], *[["card", word] for word in (NINE + " " + THREE).split()], ["show", 1], ["reveal"]]
    for step in course[: (0, 1, 4, 8, 9)[steps]]:
        top.do(*step)
    records = top.do("irregularity", kind)
    assert records[0][:2] == ["void", "5.9" if kind == "deck_count" else "5.1.1"]
    assert refunds(records) == {
        (1, "P1", "main"): (1000, "5.1.1"),
        (1, "P1", "tie"): (400, "5.1.1"),
        (1, "P1", "royal_pictures"): (600, "5.1.1"),
    }
    assert top.state == "void"
    top.do("open")


@rule("5.1.2")
@pytest.mark.parametrize("kind", ["foreign_card", "deck_count", "not_shuffled", "misdeal"])
def test_5_1_2_outcomes_of_previous_rounds_stand(kind):
    top = TableTop(ROYAL)
    play(top, P1_MAIN)
    top.bets((1, "P1", "main", 700))
    assert [record[:3] for record in top.do("irregularity", kind, round=1)] == [["noted", kind, "5.1.2"]]
    assert top.state == "betting"
    top.do("close")
    records = top.do("irregularity", "foreign_card")
    assert not of_kind(records, "reversed")
    assert refunds(records) == {(1, "P1", "main"): (700, "5.1.1")}


@rule("5.9", "5.1")
@pytest.mark.parametrize("count", [51, 52, 53])
@pytest.mark.parametrize("revealed", [False, True])
def test_5_9_a_count_of_too_many_or_too_few_voids_the_round(count, revealed):
    top = dealt_table()
    if revealed:
        for step in (["show", 1], ["show", 2], ["reveal"]):
            top.do(*step)
    before = top.state
    records = top.do("cards_counted", count)
    if count == 52:
        assert top.state == before
        assert not of_kind(records, "void")
    else:
        assert of_kind(records, "void") == [["void", "5.9", "R-14"]]
        assert set(refunds(records)) == {(1, "P1", "main"), (2, "P2", "main")}


@rule("5.9")
@pytest.mark.parametrize("settled", [False, True])
def test_5_9_a_wrong_count_of_the_dealers_hand_voids_until_the_next_round_opens(settled):
    top = dealt_table()
    top.do("look", 1, "P1")
    if settled:
        top.finish()
        top.refused("irregularity", "wrong_count", 0, by="dealer")
    records = top.do("irregularity", "wrong_count", 0, by="pit_supervisor")
    assert of_kind(records, "void") == [["void", "5.9", "R-16"]]
    reversed_lines = [record[1:6] for record in of_kind(records, "reversed")]
    assert reversed_lines == ([[1, "P1", "main", 1000, 2000], [2, "P2", "main", 1000, 1000]] if settled else [])
    assert {cents for cents, _ in refunds(records).values()} == {1000}
    assert top.state == "void"


@rule("5.9")
def test_5_9_once_the_next_round_is_open_a_dealers_wrong_count_stands():
    top = dealt_table()
    top.finish()
    top.do("open")
    records = top.do("irregularity", "wrong_count", 0, by="pit_supervisor", round=1)
    assert [record[0] for record in records] == ["noted"]
    assert top.state == "betting"


@rule("5.2")
@pytest.mark.parametrize("steps", [1, 2, 7, 8, 9])
def test_5_2_no_wager_is_placed_or_increased_after_no_more_bets(steps):
    top = table(P1_MAIN)
    for step in LATE[:steps]:
        top.do(*step)
    for late in (P1_MAIN, P1_TIE, (1, "P2", "main", 500), (2, "P2", "main", 500)):
        assert top.refused("bet", *late) == "5.2"
    assert top.refused("bet", *P1_MAIN, by="pit_manager") == "5.2"
    for step in LATE[steps:]:
        top.do(*step)
    assert lines(top.do("settle")) == {(1, "P1", "main"): ("win", 1000, 2000)}


@rule("5.3")
@pytest.mark.parametrize("steps", [1, 2, 7, 8, 9])
@pytest.mark.parametrize(
    ("wager", "result", "back"), [("main", "win", 2000), ("tie", "lose", 0), ("royal_pictures", "lose", 0)]
)
def test_5_3_a_wager_taken_back_late_is_won_or_lost_all_the_same(steps, wager, result, back):
    top = table(P1_MAIN, (1, "P1", "tie", 1000), (1, "P1", "royal_pictures", 1000))
    for step in LATE[:steps]:
        top.do(*step)
    assert top.do("take_back", 1, "P1", wager) == [["stands", 1, "P1", wager, 1000, "5.3", "R-27"]]
    for step in LATE[steps:]:
        top.do(*step)
    records = top.do("settle")
    assert lines(records)[(1, "P1", wager)] == (result, 1000, back)
    owed = [["debt", 1, "P1", wager, 1000, "R-27"]] if result == "lose" else []
    assert of_kind(records, "debt") == owed


@rule("5.3", "3.2")
def test_5_3_before_no_more_bets_a_wager_may_be_taken_back():
    top = table(P1_MAIN, P1_TIE)
    assert refunds(top.do("take_back", 1, "P1", "main", 300)) == {(1, "P1", "main"): (300, "3.1")}
    top.do("take_back", 1, "P1", "tie")
    top.deal(b1=NINE, dealer=THREE)
    assert lines(top.finish()) == {(1, "P1", "main"): ("win", 700, 1400)}


@rule("5.4")
@pytest.mark.parametrize(("kind", "place"), [("misdeal", None), ("wrong_count", 1)])
@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
def test_5_4_misdealt_and_untouched_is_void_unless_complete_hands_are_moved(kind, place, put_right):
    top = dealt_table()
    records = top.do("irregularity", kind, place, put_right=put_right)
    if put_right == "moved":
        assert [record[:3] for record in records] == [["reconstructed", kind, "5.4"]]
        top.refused("withdraw", 1, "P1", "pit_supervisor")
        assert len(lines(top.finish())) == 2
    else:
        assert records[0] == ["void", "5.4", "X-04"]
        assert {key: cents for key, (cents, _) in refunds(records).items()} == {
            (1, "P1", "main"): 1000,
            (2, "P2", "main"): 1000,
        }
        assert top.state == "void"


@rule("5.5")
@pytest.mark.parametrize("touch", [["look", 1, "P1"], ["look", 2, "P2"], ["handled", 2]])
def test_5_5_a_hand_with_a_wrong_count_goes_out_and_the_others_play_on(touch):
    top = dealt_table(P1_MAIN, P1_ROYAL, (1, "P3", "tie", 500), P2_MAIN)
    top.do(*touch)
    records = top.do("irregularity", "wrong_count", 1)
    assert of_kind(records, "removed") == [["removed", 1, "5.5", "R-15"]]
    assert refunds(records) == {
        (1, "P1", "main"): (1000, "5.5"),
        (1, "P1", "royal_pictures"): (600, "5.5"),
        (1, "P3", "tie"): (500, "5.5"),
    }
    top.refused("show", 1)
    assert lines(top.finish()) == {(2, "P2", "main"): ("push", 1000, 1000)}


@rule("5.5")
def test_5_5_a_player_with_two_positions_loses_only_the_hand_that_is_wrong():
    top = dealt_table(P1_MAIN, (2, "P1", "main", 700))
    top.do("look", 1, "P1")
    assert refunds(top.do("irregularity", "wrong_count", 2)) == {(2, "P1", "main"): (700, "5.5")}
    assert lines(top.finish()) == {(1, "P1", "main"): ("win", 1000, 2000)}


@rule("5.5")
def test_5_5_noticed_in_the_middle_of_the_deal():
    top = table(P1_MAIN, P2_MAIN)
    top.do("close")
    assert places(top, NINE + " 2D") == [1, 1, 1, 2]
    top.do("look", 1, "P1")
    top.do("irregularity", "wrong_count", 1)
    assert places(top, "3D 8C " + THREE) == [2, 2, 0, 0, 0]
    assert lines(top.finish()) == {(2, "P2", "main"): ("push", 1000, 1000)}


@rule("5.5")
def test_5_5_noticed_after_payment_the_hand_is_reversed_and_only_that_hand():
    top = dealt_table()
    top.do("look", 1, "P1")
    top.finish()
    top.refused("irregularity", "wrong_count", 1, by="dealer")
    records = top.do("irregularity", "wrong_count", 1, by="pit_supervisor")
    assert [record[1:6] for record in of_kind(records, "reversed")] == [[1, "P1", "main", 1000, 2000]]
    assert refunds(records) == {(1, "P1", "main"): (1000, "5.5")}
    top.refused("irregularity", "wrong_count", 1, by="pit_supervisor")


@rule("5.5")
def test_5_5_noticed_after_the_next_round_commenced_it_stands():
    top = dealt_table()
    top.do("look", 1, "P1")
    top.finish()
    top.do("open")
    records = top.do("irregularity", "wrong_count", 1, by="pit_supervisor", round=1)
    assert [record[0] for record in records] == ["noted"]


@rule("5.6")
@pytest.mark.parametrize("touch", [["look", 1, "P1"], ["handled", 2]])
def test_5_6_misdealt_and_touched_is_played_to_a_conclusion(touch):
    top = dealt_table()
    top.do(*touch)
    assert [record[:3] for record in top.do("irregularity", "misdeal")] == [["noted", "misdeal_handled", "5.6"]]
    assert lines(top.finish()) == {
        (1, "P1", "main"): ("win", 1000, 2000),
        (2, "P2", "main"): ("push", 1000, 1000),
    }


@rule("5.6")
def test_5_6_cards_that_changed_places_stay_where_they_lie():
    top = dealt_table()
    top.do("look", 1, "P1")
    top.do("irregularity", "misdeal")
    top.refused("lies", "9S", "dealer", 2)
    top.exchange("9S", "2D")
    # Now box 1 has 2 + 10 + 10 = two, box 2 has 9 + 3 + 8 = nought, the dealer a three.
    assert lines(top.finish()) == {(1, "P1", "main"): ("lose", 1000, 0), (2, "P2", "main"): ("lose", 1000, 0)}


@rule("5.7", "6.2")
@pytest.mark.parametrize("by", ROLES)
@pytest.mark.parametrize(("kind", "place"), [("misdeal", None), ("wrong_count", 2)])
def test_5_7_a_dissatisfied_player_may_be_permitted_to_withdraw(kind, place, by):
    top = dealt_table(P1_MAIN, P1_TIE, P1_ROYAL, (1, "P3", "main", 800), P2_MAIN)
    top.do("look", 1, "P1")
    assert top.refused("withdraw", 1, "P1", "pit_supervisor") == "5.7"
    top.do("irregularity", kind, place)
    if by == "dealer":
        assert top.refused("withdraw", 1, "P1", by) == "5.7"
        return
    assert refunds(top.do("withdraw", 1, "P1", by)) == {
        (1, "P1", "main"): (1000, "5.7"),
        (1, "P1", "tie"): (400, "5.7"),
        (1, "P1", "royal_pictures"): (600, "5.7"),
    }
    top.refused("withdraw", 1, "P1", by)
    assert lines(top.finish())[(1, "P3", "main")] == ("win", 800, 1600)


@rule("5.7")
def test_5_7_covers_the_position_concerned_and_not_his_others():
    top = dealt_table(P1_MAIN, P1_TIE, (2, "P1", "main", 700))
    top.do("look", 1, "P1")
    top.do("irregularity", "misdeal")
    assert set(refunds(top.do("withdraw", 1, "P1", "pit_supervisor"))) == {(1, "P1", "main"), (1, "P1", "tie")}
    assert lines(top.finish()) == {(2, "P1", "main"): ("push", 700, 700)}


@rule("5.7")
def test_5_7_not_after_the_dealers_hand_is_exposed_nor_in_the_next_round():
    top = dealt_table()
    top.do("look", 1, "P1")
    top.do("irregularity", "misdeal")
    for step in (["show", 1], ["show", 2], ["reveal"]):
        top.do(*step)
    assert top.refused("withdraw", 1, "P1", "shift_manager") == "5.7"
    top.do("irregularity", "misdeal")
    assert top.refused("withdraw", 1, "P1", "shift_manager") == "5.7"
    top.do("settle")
    top.bets(P1_MAIN)
    top.deal(b1=NINE, dealer=THREE)
    assert top.refused("withdraw", 1, "P1", "shift_manager") == "5.7"


@rule("5.7")
def test_5_7_if_everybody_withdraws_the_round_is_over():
    top = table(P1_MAIN)
    top.deal(b1=NINE, dealer=THREE)
    top.do("handled", 1)
    top.do("irregularity", "misdeal")
    assert states(top.do("withdraw", 1, "P1", "pit_manager")) == ["settled"]
    top.do("open")


@rule("5.8", "5.8.1")
@pytest.mark.parametrize(
    ("device", "index", "void"), [("shoe", 0, True), ("shoe", 1, False), ("shuffler", 0, False)]
)
@pytest.mark.parametrize("told", ["by the reader", "by staff", "by staff later"])
def test_5_8_1_first_card_exposed_from_a_manual_device_voids(device, index, void, told):
    top = table(P1_MAIN, device=device)
    top.do("close")
    words = (NINE + " " + THREE).split()
    for word in words[:index]:
        top.do("card", word)
    records = top.do("card", words[index], up=told == "by the reader")
    if told != "by the reader":
        if told == "by staff later":
            top.do("card", words[index + 1])
        records = top.do("turned", words[index])
    assert ["seen", words[index]] in records
    if void:
        assert of_kind(records, "void") == [["void", "5.8.1", "R-19"]]
        assert set(refunds(records)) == {(1, "P1", "main")}
    else:
        assert [record[2] for record in of_kind(records, "noted")] == ["5.8"]
        places(top, " ".join(words[sum(len(hand) for hand in top.round.hands.values()) :]))
        assert len(lines(top.finish())) == 1


@rule("5.8")
def test_5_8_any_number_of_exposed_cards_is_turned_down_even_the_dealers():
    top = table(P1_MAIN)
    top.do("close")
    for word in (NINE + " " + THREE).split():
        assert [record[2] for record in of_kind(top.do("card", word, up=True), "noted")] == ["5.8"]
    assert top.refused("reveal") == "3.15"
    assert lines(top.finish()) == {(1, "P1", "main"): ("win", 1000, 2000)}


@rule("5.8")
def test_5_8_only_a_card_that_was_dealt_can_be_exposed():
    top = table(P1_MAIN)
    top.do("close")
    top.refused("turned", "9S")
    top.do("card", "9S")
    top.refused("turned", "KS")
    top.refused("irregularity", "exposed_card")


@rule("5.10")
@pytest.mark.parametrize("first", [NINE, "2S TH TD"])
@pytest.mark.parametrize("later", [NINE, "2S TH TD"])
def test_5_10_paid_or_collected_one_time_and_later_returned_whatever_the_outcome(first, later):
    top = TableTop(ROYAL, limits=MINIMUM)
    low = (1, "P1", "main", 300)
    result = ("win", 300, 600) if first == NINE else ("lose", 300, 0)
    assert lines(play(top, low, b1=first)) == {(1, "P1", "main"): result}
    for _ in range(2):
        records = play(top, low, b1=later)
        assert lines(records) == {(1, "P1", "main"): ("returned", 300, 300)}
        assert of_kind(records, "line")[0][10:] == ["5.10", "R-20"]
    assert lines(play(top, (1, "P1", "main", 500))) == {(1, "P1", "main"): ("win", 500, 1000)}


@rule("5.10")
def test_5_10_a_standoff_does_not_use_the_one_time():
    top = TableTop(ROYAL, limits=MINIMUM)
    low = (1, "P1", "main", 300)
    for _ in range(2):
        assert lines(play(top, low, dealer=OTHER_NINE)) == {(1, "P1", "main"): ("push", 300, 300)}
    assert lines(play(top, low)) == {(1, "P1", "main"): ("win", 300, 600)}
    assert lines(play(top, low)) == {(1, "P1", "main"): ("returned", 300, 300)}


@rule("5.10")
def test_5_10_a_round_voided_before_its_outcome_does_not_use_the_one_time():
    top = TableTop(ROYAL, limits=MINIMUM)
    top.bets((1, "P1", "main", 300))
    top.do("close")
    top.do("irregularity", "not_shuffled")
    assert lines(play(top, (1, "P1", "main", 300))) == {(1, "P1", "main"): ("win", 300, 600)}


@rule("5.10")
def test_5_10_two_wagers_under_the_minimum_in_one_round_are_one_time():
    top = TableTop(ROYAL, limits=MINIMUM)
    lows = [(1, "P1", wager, 300) for wager in MINIMUM]
    assert lines(play(top, *lows)) == {
        (1, "P1", "main"): ("win", 300, 600),
        (1, "P1", "tie"): ("lose", 300, 0),
        (1, "P1", "royal_pictures"): ("lose", 300, 0),
    }
    assert set(lines(play(top, *lows)).values()) == {("returned", 300, 300)}


@rule("5.10")
def test_5_10_the_second_time_his_other_wagers_on_the_position_still_play():
    top = TableTop(ROYAL, limits=MINIMUM)
    play(top, (1, "P1", "main", 300))
    bets = [(1, "P1", "main", 300), (1, "P1", "royal_pictures", 500), (1, "P2", "tie", 500)]
    assert lines(play(top, *bets, b1=KING_NINE)) == {
        (1, "P1", "main"): ("returned", 300, 300),
        (1, "P1", "royal_pictures"): ("win", 500, 1000),
        (1, "P2", "tie"): ("lose", 500, 0),
    }


@rule("5.10")
def test_5_10_is_counted_for_each_player_over_all_wagers_and_positions():
    top = TableTop(ROYAL, limits=MINIMUM)
    first = play(top, (1, "P1", "main", 500), (1, "P1", "tie", 300))
    assert lines(first)[(1, "P1", "tie")] == ("lose", 300, 0)
    top.bets((1, "P2", "main", 300), (2, "P1", "main", 300))
    top.deal(b1=NINE, b2="9D TC TS", dealer=THREE)
    assert lines(top.finish()) == {
        (1, "P2", "main"): ("win", 300, 600),
        (2, "P1", "main"): ("returned", 300, 300),
    }


@rule("5.11")
@pytest.mark.parametrize(("b1", "result", "back"), [(NINE, "win", 2000), ("2S TH TD", "lose", 0)])
def test_5_11_over_the_maximum_is_paid_or_collected_to_the_maximum(b1, result, back):
    top = TableTop(ROYAL, limits=MINIMUM)
    records = play(top, (1, "P1", "main", 1500), (1, "P2", "main", 900), (1, "P2", "tie", 1200), b1=b1)
    assert refunds(records) == {(1, "P1", "main"): (500, "5.11"), (1, "P2", "tie"): (200, "5.11")}
    assert {refund[6] for refund in of_kind(records, "refund")} == {"R-21"}
    settled = lines(records)
    assert settled[(1, "P1", "main")] == (result, 1000, back)
    assert settled[(1, "P2", "main")] == (result, 900, back and 1800)
    assert settled[(1, "P2", "tie")] == ("lose", 1000, 0)


@rule("5.11")
def test_5_11_being_over_the_maximum_has_no_one_time():
    top = TableTop(ROYAL, limits=MINIMUM)
    for _ in range(3):
        assert lines(play(top, (1, "P1", "main", 1500))) == {(1, "P1", "main"): ("win", 1000, 2000)}
    assert lines(play(top, (1, "P1", "main", 300))) == {(1, "P1", "main"): ("win", 300, 600)}


@rule("5.12")
@pytest.mark.parametrize("cents", [300, 1500])
def test_5_12_wrong_sized_wagers_of_previous_rounds_are_settled(cents):
    top = TableTop(ROYAL, limits=MINIMUM)
    play(top, (1, "P1", "main", cents))
    top.refused("counted", 1, "P1", "main", 1000, "shift_manager")
    top.do("open")
    records = top.do("irregularity", "other", by="shift_manager", text="wrong size", round=1)
    assert [record[0] for record in records] == ["noted"]
    assert top.state == "betting"
    assert lines(play_on(top, (1, "P1", "main", 800))) == {(1, "P1", "main"): ("win", 800, 1600)}


@rule("5.13", "5.13.1")
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_5_13_1_with_no_outcome_players_may_withdraw_all_or_none_and_the_round_is_concluded(steps):
    top = table(P1_MAIN, P1_TIE, P1_ROYAL, (1, "P2", "main", 500))
    for step in LATE[:steps]:
        top.do(*step)
    before = top.state
    records = top.do("power_failure")
    if steps > 1:
        assert records == [["ask", "tell", "power_failure", "dealer", "5.13", "R-23"]]
        records = top.do("all_told")
    assert of_kind(records, "offer") == [["offer", None, player, "5.13.1"] for player in ("P1", "P2")]
    top.refused("show", 1)
    assert top.refused("choose", "P1", 1, "withdraw") == "5.13.1"
    assert refunds(top.do("choose", "P1", choice="withdraw")) == {
        (1, "P1", "main"): (1000, "5.13.1"),
        (1, "P1", "tie"): (400, "5.13.1"),
        (1, "P1", "royal_pictures"): (600, "5.13.1"),
    }
    assert top.refused("choose", "P1", choice="continue") == "5.13.1"
    assert states(top.do("choose", "P2", choice="continue")) == [before]
    for step in LATE[steps:]:
        top.do(*step)
    assert lines(top.do("settle")) == {(1, "P2", "main"): ("win", 500, 1000)}


@rule("5.13.1")
def test_5_13_1_all_his_wagers_means_on_all_positions():
    top = dealt_table(P1_MAIN, (2, "P1", "main", 700), (2, "P2", "main", 900))
    top.do("power_failure")
    top.do("all_told")
    assert set(refunds(top.do("choose", "P1", choice="withdraw"))) == {(1, "P1", "main"), (2, "P1", "main")}
    top.do("choices_done")
    top.refused("show", 1)
    assert lines(top.finish()) == {(2, "P2", "main"): ("push", 900, 900)}


@rule("5.13.1", "3.5")
def test_5_13_1_a_side_wager_whose_player_stays_is_played_though_the_main_wager_goes():
    """It was placed on a position that held a main wager, as 3.5 asks, and its player did not withdraw."""
    top = dealt_table(P1_MAIN, (1, "P3", "royal_pictures", 500), P2_MAIN)
    top.do("power_failure")
    top.do("all_told")
    records = top.do("choose", "P1", choice="withdraw")
    assert refunds(records) == {(1, "P1", "main"): (1000, "5.13.1")}
    top.do("choices_done")
    assert set(lines(top.finish())) == {(1, "P3", "royal_pictures"), (2, "P2", "main")}


@rule("5.13.1")
def test_5_13_1_no_answer_goes_on_and_if_all_withdraw_the_round_is_over():
    top = dealt_table()
    top.do("power_failure")
    top.do("all_told")
    top.do("choices_done")
    assert top.state == "playing"
    top.do("power_failure")
    top.do("all_told")
    top.do("choose", "P1", choice="withdraw")
    assert states(top.do("choose", "P2", choice="withdraw"))[-1] == "settled"
    top.do("open")


@rule("5.13", "5.13.2", "1.1.4.2")
@pytest.mark.parametrize(
    ("words", "up", "expected"),
    [
        ("KS", "KS", (1, "royal_pictures", "win")),
        ("KS", "", None),
        ("QS", "QS", None),
        ("KS QS", "QS", None),
        ("QS QH", "QS QH", (1, "royal_pictures", "win")),
        ("QS JH", "QS JH", None),
        ("2S 3H", "2S 3H", None),
        ("QS 3H 4H", "QS 3H 4H", (1, "royal_pictures", "lose")),
        ("QS 3H 4H", "3H 4H", None),
        ("QS JH 4H KS", "QS JH 4H KS", (1, "royal_pictures", "lose")),
        ("QS JH 4H KS", "QS JH KS", None),
    ],
)
def test_5_13_2_exposed_cards_that_decide_royal_pictures_whatever_the_others_are(words, up, expected):
    # cards shown and turned down again count. QS QH: any third card makes a pair or Three Pictures.
    top = table(P1_MAIN, P1_ROYAL)
    top.do("close")
    for word in words.split():
        top.do("card", word, up=word in up.split())
    assert establishes(top) == expected
    assert top.state == "dealing"


@rule("5.13.2")
def test_5_13_2_play_continues_to_the_result():
    top = table(P1_MAIN, P1_ROYAL)
    top.do("close")
    top.do("card", "KS", up=True)
    assert establishes(top) == (1, "royal_pictures", "win")
    top.refused("choose", "P1", choice="withdraw")
    places(top, "4D 5D " + THREE)
    assert lines(top.finish()) == {
        (1, "P1", "main"): ("win", 1000, 2000),
        (1, "P1", "royal_pictures"): ("win", 600, 1200),
    }


@rule("5.13.1", "5.13.2")
def test_5_13_2_a_king_counts_only_where_royal_pictures_is_wagered():
    top = table(P1_MAIN, P1_ROYAL, P2_MAIN)
    top.do("close")
    places(top, NINE)
    top.do("card", "KS", up=True)
    assert establishes(top) is None


@rule("5.13.1", "5.13.2")
def test_5_13_2_a_private_look_establishes_nothing_and_an_open_hand_does():
    top = table(P1_MAIN, P1_ROYAL)
    top.deal(b1=KING_NINE, dealer=THREE)
    top.do("look", 1, "P1")
    assert establishes(top) is None
    top.do("show", 1)
    assert establishes(top) == (1, "royal_pictures", "win")


@rule("5.13.1", "5.13.2")
def test_5_13_2_a_hand_that_needs_a_king_is_lost_when_all_four_are_seen_elsewhere():
    top = table(P1_MAIN, P2_MAIN, (2, "P2", "royal_pictures", 500))
    top.do("close")
    for word, up in [("KS", 0), ("KH", 0), ("KD", 0), ("2S", 1), ("3S", 1), ("4S", 0), ("KC", 1)]:
        top.do("card", word, up=bool(up))
    places(top, "5H 6H")
    assert establishes(top) is None
    top.do("show", 1)
    assert establishes(top) == (2, "royal_pictures", "lose")


@rule("5.13.1", "5.13.2")
@pytest.mark.parametrize(
    ("bets", "dealer", "expected"),
    [
        ((P1_MAIN,), THREE, (1, "main", "win")),
        ((P1_MAIN,), "KS QS 9D", (1, "main", "lose")),
        ((P1_MAIN, P1_TIE), OTHER_NINE, (1, "tie", "win")),
    ],
)
def test_5_13_2_main_and_tie_are_decided_when_the_dealers_hand_is_open_and_a_standoff_is_neither(
    bets, dealer, expected
):
    top = table(*bets)
    top.deal(b1=NINE, dealer=dealer)
    top.do("show", 1)
    assert establishes(top) is None
    top.do("reveal")
    assert establishes(top) == expected


@rule("5.13.1", "6.1")
def test_5_13_1_with_the_result_in_view_nobody_withdraws_from_a_standoff():
    """X-13: a standoff is no outcome, and the shift manager rules."""
    top = table(P1_MAIN)
    top.deal(b1=NINE, dealer=OTHER_NINE)
    top.do("show", 1)
    top.do("reveal")
    assert top.do("power_failure") == [["ask", "ruling", "power_failure", "shift_manager", "5.13", "R-23"]]
    top.do("ruling", "continue", "shift_manager")
    assert lines(top.do("settle")) == {(1, "P1", "main"): ("push", 1000, 1000)}


@rule("5.13")
def test_5_13_a_power_failure_between_rounds_changes_nothing():
    top = TableTop(ROYAL)
    play(top, P1_MAIN)
    assert [record[0] for record in top.do("power_failure")] == ["noted"]
    assert top.state == "settled"


@rule("5.13", "6.1")
def test_5_13_is_for_power_only_and_other_breakdowns_go_to_the_shift_manager():
    top = dealt_table()
    ask = of_kind(top.do("irregularity", "technical"), "ask")
    assert ask == [["ask", "ruling", "technical", "shift_manager", "6.1", "R-23"]]
    top.refused("choose", "P1", choice="withdraw")


@rule("6.1", "6.2")
@pytest.mark.parametrize("by", [*ROLES, "director"])
def test_6_1_what_the_rules_do_not_cover_is_for_the_shift_manager_or_higher(by):
    top = dealt_table(posts_above=["director"])
    ask = of_kind(top.do("irregularity", "other", text="a drink on the cards"), "ask")
    assert ask == [["ask", "ruling", "other", "shift_manager", "6.1", "R-25"]]
    top.refused("show", 1)
    if by in ("shift_manager", "director"):
        assert top.do("ruling", "continue", by) == [["state", "playing", "6.1"]]
        assert len(lines(top.finish())) == 2
    else:
        assert top.refused("ruling", "continue", by) == "6.1"


@rule("6.1")
@pytest.mark.parametrize("kind", ["drawn_together", "technical", "left", "other"])
def test_6_1_the_ruling_may_void_the_round_or_take_a_hand_out(kind):
    for decision in ("void", "hand_out"):
        top = dealt_table()
        top.do("irregularity", kind, player="P1")
        records = top.do("ruling", decision, "shift_manager", box=1 if decision == "hand_out" else None)
        if decision == "void":
            assert of_kind(records, "void") == [["void", "6.1", "R-25"]]
            assert set(refunds(records)) == {(1, "P1", "main"), (2, "P2", "main")}
        else:
            assert refunds(records) == {(1, "P1", "main"): (1000, "6.1")}
            assert list(lines(top.finish())) == [(2, "P2", "main")]


@rule("6.1")
@pytest.mark.parametrize(("left", "asks"), [(6, False), (5, True)])
def test_6_1_too_few_cards_in_the_device_is_not_covered(left, asks):
    top = table(P1_MAIN)
    top.do("close")
    records = top.do("cards_left", left)
    assert [ask[3:5] for ask in of_kind(records, "ask")] == ([["shift_manager", "6.1"]] if asks else [])


@rule("6.1")
def test_6_1_no_ruling_without_a_question():
    top = dealt_table()
    top.refused("ruling", "void", "shift_manager")
