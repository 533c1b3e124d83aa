"""Turns of a round that are easy to get wrong: each of these once was."""

import pytest

from shared.round.round import Round
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

SEVEN, FOUR, DEALER_FIVE = "7S TH TD", "4S TS TC", "5C JH QH"
SMALL = {"initial": [100, 1000]}


def settled_lucky(*bets, **config):
    top = TableTop(LUCKY, **config)
    top.bets(*bets)
    top.deal(b1=SEVEN, b2=FOUR, dealer=DEALER_FIVE)
    return top


def refunds(records):
    return [(record[1], record[2], record[4], record[5]) for record in of_kind(records, "refund")]


def test_a_bet_taken_back_and_placed_again_is_reversed_and_returned_once():
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", 1000))
    top.do("take_back", 1, "P1", "initial")
    top.do("bet", 1, "P1", "initial", 500)
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    top.finish()
    records = top.do("irregularity", "foreign_card", by="pit_supervisor")
    assert refunds(records) == [(1, "P1", 500, "5.14")]


@pytest.mark.parametrize("amounts", [True, False])
def test_a_bet_that_comes_and_goes_leaves_nothing_that_grows(amounts):
    top = TableTop(MBS, amounts=amounts)
    money = [500] if amounts else []
    top.do("open")
    for _ in range(100):
        top.do("bet", 1, "P1", "main", *money)
        top.do("take_back", 1, "P1", "main")
    top.do("bet", 1, "P1", "main", *money)
    assert len(top.round.bets) == len(top.round.by_box[1]) == 1
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    assert [record[1:5] for record in of_kind(top.finish(), "line")] == [[1, "P1", "main", "win"]]


def test_chips_counted_away_and_back_before_the_first_card_leave_nothing_that_grows():
    top = TableTop(MBS)
    top.bets((1, "P1", "main", 500), (2, "P2", "main", 500))
    top.do("close")
    for _ in range(50):
        top.do("counted", 1, "P1", "main", 0, "pit_supervisor")
        top.do("counted", 1, "P1", "main", 700, "pit_supervisor")
    assert len(top.round.bets) == 2
    top.deal(b1=SEVEN, b2=FOUR, dealer=DEALER_FIVE)
    assert [record[1:3] + record[7:8] for record in of_kind(top.finish(), "line")] == [
        [1, "P1", 700],
        [2, "P2", 500],
    ]


def test_5_1_a_bet_taken_back_and_placed_again_comes_last():
    """Standing players are accepted in the order of their bets: P1 came first, left, and is now behind P2."""
    top = TableTop(LUCKY, limits=SMALL)
    top.do("open")
    top.do("bet", 1, "P1", "initial", 400, seated=False)
    top.do("bet", 1, "P2", "initial", 400, seated=False)
    top.do("take_back", 1, "P1", "initial")
    top.do("bet", 1, "P1", "initial", 400)
    assert [bet.player for bet in top.round.bets] == ["P2", "P1"]
    records = top.do("bet", 1, "P3", "initial", 500, seated=True)
    assert refunds(records) == [(1, "P1", 300, "5.1")]


def test_after_settlement_several_hands_can_be_taken_out_one_after_the_other():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700))
    top.do("handled", 1)
    top.finish()
    first = top.do("irregularity", "wrong_count", place=1, by="pit_supervisor")
    second = top.do("irregularity", "wrong_count", place=2, by="pit_supervisor")
    assert refunds(first) == [(1, "P1", 1000, "5.8")]
    assert refunds(second) == [(2, "P2", 700, "5.8")]


def test_who_sits_comes_before_a_standing_player_who_filled_the_box():
    top = TableTop(LUCKY, limits=SMALL)
    top.do("open")
    top.do("bet", 1, "P1", "initial", 1000, seated=False)
    assert refunds(top.do("bet", 1, "P2", "initial", 500, seated=True)) == [(1, "P1", 500, "5.1")]
    top.do("take_back", 1, "P2", "initial")
    top.do("bet", 1, "P1", "initial", 500)
    top.do("seat", 1, "P3", True)
    assert refunds(top.do("bet", 1, "P3", "initial", 900)) == [
        (1, "P1", 900, "5.1")
    ]  # 100 still meets the minimum


def test_where_nobody_sits_the_highest_bettor_comes_first():
    top = TableTop(LUCKY, limits={"initial": [100, 150]})
    top.do("open")
    top.do("bet", 1, "P1", "initial", 100, seated=False)
    assert refunds(top.do("bet", 1, "P2", "initial", 150, seated=False)) == [(1, "P1", 100, "5.1")]


def test_the_order_that_a_supervisor_decides_can_be_laid_out():
    top = TableTop(LUCKY, device="shoe")
    top.bets((1, "P1", "initial", 1000), (2, "P2", "initial", 1000))
    top.do("close")
    top.do("card", "5H")
    top.do("card", "KD")
    top.do("irregularity", "drawn_together")
    top.do("ruling", "order", "pit_supervisor", text="KD first")
    top.do("choices_done")
    top.exchange("5H", "KD")
    assert top.round.hands == {1: [45], 2: [14]}  # KD and 5H
    top.refused("lies", "5H", "pit_supervisor", 2)  # it lies there already


def test_cards_may_be_drawn_together_before_the_first_is_dealt():
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", 1000))
    top.do("close")
    top.do("irregularity", "drawn_together")
    top.do("ruling", "order", "pit_supervisor", text="left first")
    top.do("choices_done")
    assert top.state == "closed"


def test_a_power_failure_while_the_round_waits_is_judged_when_it_goes_on():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700))
    top.do("irregularity", "other", text="a dispute")
    assert top.do("power_failure") == [["noted", "power_failure", "5.4", None]]
    records = top.do("ruling", "continue", "shift_manager")
    assert of_kind(records, "ask") == [["ask", "tell", "power_failure", "dealer", "5.4", "L-28"]]
    assert of_kind(top.do("all_told"), "void") == [["void", "5.4.2", "L-28"]]


def test_who_chose_to_go_on_has_no_second_choice():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700))
    top.do("handled", 1)
    top.do("irregularity", "misdeal")
    top.do("choose", "P1", 1, "continue")
    top.do("choices_done")
    assert of_kind(top.do("irregularity", "misdeal"), "offer") == []
    assert top.state == "playing"


def test_with_the_result_in_view_nobody_is_asked_to_choose():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700))
    top.do("handled", 1)
    top.do("reveal")
    records = top.do("irregularity", "misdeal")
    assert of_kind(records, "ask") == [["ask", "ruling", "misdeal_handled", "shift_manager", "5.6", None]]


def test_a_side_bettor_who_continues_plays_on_though_the_initial_bet_goes():
    top = settled_lucky((1, "P1", "initial", 1000), (1, "P2", "lucky_tie", 200), (2, "P3", "initial", 700))
    top.do("handled", 1)
    top.do("irregularity", "misdeal")
    assert refunds(top.do("choose", "P1", 1, "withdraw")) == [(1, "P1", 1000, "5.6.3")]
    top.do("choices_done")
    played = [(line[1], line[2], line[3]) for line in of_kind(top.finish(), "line")]
    assert played == [(1, "P2", "lucky_tie"), (2, "P3", "initial")]


def test_chips_that_nobody_told_are_put_right_before_the_first_card():
    top = TableTop(LUCKY, limits=SMALL)
    top.bets((1, "P1", "initial", 500))
    top.do("close")
    assert top.refused("counted", 2, "P2", "initial", 300, "dealer") == "5.12"
    top.do("counted", 2, "P2", "initial", 300, "pit_supervisor")
    assert refunds(top.do("counted", 3, "P2", "lucky_tie", 50, "pit_supervisor")) == [(3, "P2", 50, "5.13")]
    top.deal(b1=SEVEN, b2=FOUR, dealer=DEALER_FIVE)
    assert len(of_kind(top.finish(), "line")) == 2
    assert top.round.order == [1, 2]


@pytest.mark.parametrize(("game", "asked"), [(MBS, "M-19"), (POKER, "T-25")])
def test_while_betting_waits_for_a_ruling_bets_neither_come_nor_go(game, asked):
    main = "main" if game == MBS else "ante"
    top = TableTop(game)
    top.bets((1, "P1", main, 1000))
    top.do("power_failure")
    assert top.refused("bet", 1, "P1", main, 1000) == asked
    assert top.refused("take_back", 1, "P1", main) == asked


def test_m_14_after_settlement_a_wrong_count_of_the_dealer_voids_though_it_was_put_right():
    top = TableTop(MBS)
    top.bets((1, "P1", "main", 1000))
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    top.finish()
    records = top.do("irregularity", "wrong_count", place=0, put_right="restored", by="pit_supervisor")
    assert of_kind(records, "void") == [["void", "5.4", "M-14"]]


def test_t_21_the_same_card_seen_twice_is_one_exposed_card():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000))
    top.do("close")
    top.do("card", "JH", True)
    top.do("turned", "JH")
    assert top.state == "dealing"


def test_a_card_in_doubt_is_explained_only_by_what_it_can_be():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000))
    top.do("close")
    top.do("card", "JH")
    top.do("card", "JH")
    top.refused("irregularity", "left", player="P1")
    assert of_kind(top.do("irregularity", "deck_count"), "void") == [["void", "5.1.3", "T-22"]]


@pytest.mark.parametrize("event", [("irregularity", "foreign_card"), ("cards_counted", 51)])
def test_what_voids_a_round_does_so_while_it_waits_for_a_ruling(event):
    top = TableTop(MBS)
    top.bets((1, "P1", "main", 1000))
    top.do("close")
    top.do("card", "9S")
    top.do("power_failure")
    top.do(*event)
    assert top.state == "void"


def test_a_late_take_back_is_remembered_to_the_cent():
    top = TableTop(MBS)
    top.bets((1, "P1", "main", 5000), (2, "P2", "main", 5000))
    top.do("close")
    top.do("take_back", 1, "P1", "main", 2000)
    top.do("take_back", 2, "P2", "main")
    assert top.refused("take_back", 2, "P2", "main") == "5.6"
    top.refused("take_back", 1, "P1", "main", 4000)
    top.deal(b1=FOUR, b2=SEVEN, dealer=DEALER_FIVE)
    records = top.finish()
    assert of_kind(records, "debt") == [["debt", 1, "P1", "main", 2000, "M-17"]]
    assert of_kind(records, "kept") == [["kept", 2, "P2", "main", 5000, "M-17"]]


def test_a_void_round_says_which_chips_the_player_already_holds():
    top = TableTop(ROYAL)
    top.bets((1, "P1", "main", 1000))
    top.do("close")
    top.do("take_back", 1, "P1", "main", 300)
    records = top.do("irregularity", "foreign_card")
    assert refunds(records) == [(1, "P1", 1000, "5.1.1")]
    assert of_kind(records, "kept") == [["kept", 1, "P1", "main", 300, "R-27"]]


def under_minimum_round(top, *irregularity, **fields):
    top.bets((1, "P1", "main", 300))
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    result = of_kind(top.finish(), "line")[0][4]
    if irregularity:
        top.do("irregularity", *irregularity, **fields)
    return result


def test_r_20_a_reversed_settlement_uses_no_allowance():
    top = TableTop(ROYAL, limits={"main": [500, 10000]})
    assert under_minimum_round(top, "wrong_count", place=0, by="pit_supervisor") == "win"
    assert under_minimum_round(top) == "win"
    assert under_minimum_round(top) == "returned"


def test_r_24_a_wager_that_goes_back_anyway_decides_nothing():
    top = TableTop(ROYAL, limits={"royal_pictures": [500, 10000]})
    top.bets((1, "P1", "main", 1000), (1, "P1", "royal_pictures", 300))
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    top.finish()
    top.bets((1, "P1", "main", 1000), (1, "P1", "royal_pictures", 300))
    top.do("close")
    top.do("card", "KS", True)
    assert of_kind(top.do("power_failure"), "offer") == [["offer", None, "P1", "5.13.1"]]  # all cards are open


def test_r_19_the_first_card_is_the_one_that_came_first_wherever_it_lies():
    top = TableTop(ROYAL, device="shoe")
    top.bets((1, "P1", "main", 1000), (2, "P2", "main", 1000))
    top.do("close")
    for card in ("KS", "QH", "9D", "2S"):
        top.do("card", card)
    top.do("look", 1, "P1")
    top.do("irregularity", "misdeal")
    top.exchange("KS", "QH")
    top.do("turned", "QH")
    assert top.state == "dealing"
    top.do("turned", "KS")
    assert top.state == "void"


def test_r_3_8_a_player_held_to_one_position_can_be_let_go():
    top = TableTop(ROYAL)
    top.do("restrict", 1, "P1", "pit_manager")
    top.bets((1, "P1", "main", 1000))
    assert top.refused("bet", 2, "P1", "main", 1000) == "3.8"
    top.do("restrict", 0, "P1", "pit_manager")
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    top.finish()
    top.bets((1, "P1", "main", 1000), (2, "P1", "main", 1000))


@pytest.mark.parametrize("game", [LUCKY, MBS, NON_COMMISSION, ROYAL])
def test_books_without_a_jackpot_or_decisions_say_so(game):
    top = TableTop(game)
    top.do("open")
    assert top.refused("hand_paid", "P1", "dealer") is None
    assert top.refused("decide", 1, "play") is None


def test_a_bet_is_never_counted_onto_a_box_that_is_out():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000), (2, "P2", "ante", 1000))
    top.do("close")
    top.do("irregularity", "other")
    top.do("ruling", "hand_out", "shift_manager", box=1)
    assert top.refused("counted", 1, "P9", "ante", 700, "pit_supervisor") is None


def test_counting_one_box_leaves_the_others_alone():
    top = TableTop(ROYAL)
    top.bets((1, "P1", "main", 1000), (1, "P3", "tie", 500), (2, "P2", "main", 1000))
    top.do("close")
    top.do("power_failure")
    top.do("choose", "P1", choice="withdraw")
    top.do("choices_done")
    assert refunds(top.do("counted", 2, "P2", "main", 1200, "pit_supervisor")) == []
    assert top.round.order == [1, 2]


def test_a_bet_that_was_not_there_is_struck_out_before_the_first_card():
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", 1000), (1, "P2", "lucky_tie", 100), (2, "P2", "initial", 500))
    top.do("close")
    assert top.refused("counted", 1, "P1", "initial", 0, "dealer") == "5.12"
    records = top.do("counted", 1, "P1", "initial", 0, "pit_supervisor")
    assert refunds(records) == [(1, "P2", 100, "5.13")]
    assert top.round.order == [2]
    top.do("counted", 2, "P2", "initial", 0, "pit_supervisor")
    assert (top.state, top.round.order, top.round.is_over()) == ("closed", [], True)
    top.do("open")


@pytest.mark.parametrize("event", [("irregularity", "foreign_card"), ("cards_counted", 51)])
@pytest.mark.parametrize("game", [MBS, ROYAL])
def test_a_question_after_settlement_is_not_answered_by_another_report(game, event):
    top = TableTop(game)
    top.bets((1, "P1", "main", 1000))
    top.deal(b1=SEVEN, dealer=DEALER_FIVE)
    top.finish()
    top.do("irregularity", "other", by="pit_supervisor")
    top.refused(*event)
    top.refused("open")
    top.do("ruling", "continue", "shift_manager")
    top.do("open")


def test_a_power_failure_during_a_check_is_judged_whatever_the_answer():
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", 1000))
    top.do("close")
    top.do("card", "9C")
    top.do("card", "9C")
    top.do("power_failure")
    records = top.do("irregularity", "misdeal", put_right="moved")
    assert of_kind(records, "ask") == [["ask", "tell", "power_failure", "dealer", "5.4", "L-28"]]
    assert of_kind(top.do("all_told"), "void") == [["void", "5.4.2", "L-28"]]


def test_an_order_of_cards_when_everybody_has_chosen_goes_straight_on():
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", 1000))
    top.do("close")
    top.do("card", "9C")
    for _ in range(2):
        top.do("irregularity", "drawn_together")
        top.do("ruling", "order", "pit_supervisor", text="left first")
        if top.state == "frozen":
            top.do("choices_done")
    assert (top.state, top.round.question) == ("dealing", None)


def test_exchanged_cards_change_what_the_table_has_seen():
    top = TableTop(ROYAL)
    top.bets((1, "P1", "main", 1000), (2, "P2", "main", 1000), (2, "P2", "royal_pictures", 500))
    top.deal(b1="KS 3C 4C", b2="5D 6D 7D", dealer="8H 9H TH")
    top.do("show", 1)
    top.do("irregularity", "misdeal")
    records = top.exchange("KS", "5D")
    assert of_kind(records, "shown") == [["shown", 1, ["3C", "4C"]], ["shown", 1, ["3C", "4C", "5D"]]]
    top.do("power_failure")
    assert len(of_kind(top.do("all_told"), "offer")) == 2  # no king was seen, so nothing is decided


def test_x_15_a_card_exposed_by_a_slip_after_the_deal_is_for_the_manager():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000))
    top.do("close")
    top.do("card", "JH", True)
    for card in ("9C", "2D", "KC", "7S", "3D"):
        top.do("card", card)
    records = top.do("turned", "9C")
    assert of_kind(records, "ask") == [["ask", "ruling", "exposed_later", "shift_manager", None, "X-15"]]
    assert not of_kind(records, "void")


def test_who_bets_again_after_taking_all_back_comes_after_the_others():
    top = TableTop(LUCKY, limits=SMALL)
    top.do("open")
    top.do("bet", 1, "P1", "initial", 500)
    top.do("take_back", 1, "P1", "initial")
    top.do("bet", 1, "P2", "initial", 600)
    assert refunds(top.do("bet", 1, "P1", "initial", 600)) == [(1, "P1", 200, "5.1")]


@pytest.mark.parametrize("name", ["Jos\u00e9", "a\tb", "x" * 41, ""])
def test_names_are_plain_letters(name):
    top = TableTop(LUCKY)
    top.do("open")
    top.refused("bet", 1, name, "initial", 500)


def test_what_is_no_event_is_kept_short_and_plain():
    top = TableTop(LUCKY)
    for event in ({"b\u00e9t" * 1000: 1.5}, [["x" * 300] * 300] * 300, {str(n): {} for n in range(999)}, 10**40):
        record = top.round.apply(event)[0]
        assert record[1][0] == "malformed"
        assert len(str(record)) < 800
        assert str(record).isascii()


def test_what_staff_say_is_checked_before_anything_follows():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700), chip=100)
    top.refused("irregularity", "earthquake")
    top.refused("irregularity", "wrong_count")
    top.refused("irregularity", "left")
    top.do("irregularity", "drawn_together")
    assert top.refused("ruling", "void", "pit_supervisor") == "5.10"
    top.do("ruling", "order", "pit_supervisor", text="left first")
    top.do("choose", "P1", 1, "withdraw")
    top.do("choices_done")
    top.refused("exchanged", "7S", "4S", "pit_supervisor")  # no event of that name
    top.refused("lies", "7S", "guest", 2)
    top.refused("lies", "7S", "pit_supervisor", 4)
    top.refused("lies", "JOKER", "pit_supervisor", 2)
    top.refused("lies", "2C", "pit_supervisor", 2)  # it was not dealt


def test_chips_are_taken_back_whole():
    top = TableTop(MBS, chip=100)
    top.bets((1, "P1", "main", 1000))
    top.refused("take_back", 1, "P1", "main", 150)
    top.do("close")
    top.do("take_back", 1, "P1", "main", 300)
    assert top.refused("counted", 1, "P1", "main", 700, "pit_supervisor") == "5.6"


def test_the_ante_is_not_counted_again_once_its_player_has_decided():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000), (2, "P2", "ante", 1000))
    top.deal(b1="KC 4C 2D", b2="9C 7D 2S", dealer="QC 4D 2H")
    top.do("decide", 1, "play")
    assert top.refused("counted", 1, "P1", "ante", 2000, "pit_supervisor") == "1/ante"
    top.do("counted", 2, "P2", "ante", 2000, "pit_supervisor")


def test_a_hand_put_right_after_the_reveal_is_for_the_manager():
    top = settled_lucky((1, "P1", "initial", 1000), (2, "P2", "initial", 700))
    top.do("handled", 1)
    top.do("reveal")
    records = top.do("irregularity", "wrong_count", place=1, put_right="moved")
    assert of_kind(records, "ask") == [["ask", "ruling", "wrong_count_handled", "shift_manager", "5.8", "L-29"]]


def test_a_round_takes_over_only_what_a_round_carries():
    top = TableTop(LUCKY)
    with pytest.raises(ValueError, match="carried: expected 8 values"):
        Round({"game": LUCKY, "boxes": 1}, top.round.carry()[:-1])


def test_names_of_fields_are_text():
    assert TableTop(LUCKY).round.verify({"event": "open", 1: 2, "a": 3}) == (
        None,
        "text_expected",
        ["event", 40],
    )


def test_r_20_taking_one_hand_out_gives_only_its_player_his_allowance_back():
    top = TableTop(ROYAL, limits={"main": [500, 10000]})
    top.bets((1, "P1", "main", 300), (2, "P2", "main", 300))
    top.deal(b1=SEVEN, b2=FOUR, dealer=DEALER_FIVE)
    top.do("look", 1, "P1")
    top.finish()
    assert top.round.allowed_once == ["P1", "P2"]
    records = top.do("irregularity", "wrong_count", place=1, by="pit_supervisor")
    assert refunds(records) == [(1, "P1", 300, "5.5")]
    assert of_kind(records, "kept") == []
    assert top.round.allowed_once == ["P2"]
