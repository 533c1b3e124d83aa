"""Three Pictures (MBS): whole rounds, what is refused, and every irregularity, worked out by hand."""

import pytest

from tests.support.play import TableTop, of_kind
from tests.support.tables import MBS, rule

BOOK = MBS

NINE = "9S TH TD"
FOUR = "4S TS TC"
KNIGHTS = "KS QS JS"
DEALER = "7C JH QH"  # double knights seven
MAIN = (1, "P1", "main", 5000)
TIE = (1, "P1", "tie", 1000)
PICTURES = (1, "P1", "three_pictures", 1000)


def dealt(*bets, dealer=DEALER, **hands):
    """A table whose hands are dealt and lie face down."""
    top = TableTop(BOOK)
    top.bets(*(bets or (MAIN,)))
    top.deal(dealer=dealer, **(hands or {"b1": NINE}))
    assert top.state == "playing"
    return top


def settled(*bets, **hands):
    top = dealt(*bets, **hands)
    return top, top.finish()


def lines(records):
    """What became of each wager: {(box, player, wager): (result, cents returned)}."""
    return {tuple(line[1:4]): (line[4], line[9]) for line in of_kind(records, "line")}


def refunds(records):
    return {tuple(one[1:4]): one[4] for one in of_kind(records, "refund")}


def asked(records):
    """What is asked, of whom, and the paragraph and reading that make it so."""
    [ask] = of_kind(records, "ask")
    return tuple(ask[1:])


# -- opening, closing and what may be bet


@rule("3.1", "1.1.4")
def test_3_1_a_round_lasts_from_place_your_bets_until_all_is_settled():
    """M-20."""
    top = TableTop(BOOK)
    assert top.refused("bet", *MAIN) == "3.1"
    assert top.do("open") == [["state", "betting", "3.1"]]
    top.do("bet", *MAIN)
    assert top.refused("open") == "3.1"
    top.deal(b1=NINE, dealer=DEALER)
    assert top.refused("open") == "3.1"
    top.do("show", 1)
    top.do("reveal")
    assert top.refused("open") == "3.1"
    assert lines(top.do("settle")) == {MAIN[:3]: ("win", 10_000)}
    top.do("open")


@rule("3.2")
def test_3_2_no_more_bets_closes_the_betting():
    top = TableTop(BOOK)
    assert top.refused("close") == "3.2"
    top.bets(MAIN)
    assert top.refused("card", "KS") == "3.4"
    assert top.do("close") == [["state", "closed", "3.2"]]
    assert top.refused("close") == "3.2"


@rule("3.3", "2.2.1", "2.2.2", "2.2.3")
@pytest.mark.parametrize("wager", ["tie", "three_pictures"])
def test_3_3_a_side_bet_needs_the_same_players_initial_bet_on_the_same_area(wager):
    """M-05."""
    top = TableTop(BOOK)
    top.do("open")
    assert top.refused("bet", 1, "P1", wager, 500) == "3.3"
    top.do("bet", *MAIN)
    assert top.refused("bet", 1, "P2", wager, 500) == "3.3"  # another player's initial bet
    assert top.refused("bet", 2, "P1", wager, 500) == "3.3"  # another area
    assert top.do("bet", 1, "P1", wager, 500) == []
    top.do("bet", 1, "P2", "main", 700)
    assert top.do("bet", 1, "P2", wager, 500) == []


@rule("3.3")
def test_3_3_a_side_bet_whose_initial_bet_is_gone_at_closing_goes_back():
    """M-23."""
    top = TableTop(BOOK)
    top.bets(MAIN, TIE, PICTURES, (1, "P2", "main", 700))
    warned = top.do("take_back", 1, "P1", "main")
    assert {tuple(warning[1:]) for warning in of_kind(warned, "warning")} == {
        ("needs_main", 1, "P1", "tie", "3.3"),
        ("needs_main", 1, "P1", "three_pictures", "3.3"),
    }
    closed = top.do("close")
    assert refunds(closed) == {TIE[:3]: 1000, PICTURES[:3]: 1000}
    assert {tuple(refund[5:]) for refund in of_kind(closed, "refund")} == {("3.3", "M-23")}


@rule("2.2.1")
def test_2_2_1_amounts_out_of_the_table_limits_are_refused_before_closing():
    """M-11."""
    top = TableTop(BOOK, limits={"main": [500, 50_000], "tie": [100, 1000]}, chip=50)
    top.do("open")
    assert top.refused("bet", 1, "P1", "main", 450) == "M-11"
    assert top.refused("bet", 1, "P1", "main", 50_050) == "M-11"
    assert top.refused("bet", 1, "P1", "main", 525) is None  # no such chips
    top.do("bet", 1, "P1", "main", 600)
    assert top.refused("bet", 1, "P1", "main", 49_450) == "M-11"
    assert top.refused("take_back", 1, "P1", "main", 150) == "M-11"
    assert top.refused("bet", 1, "P1", "tie", 1050) == "M-11"
    top.do("bet", 1, "P2", "main", 50_000)  # each player's wager, not the area's total


@rule("2.2.1", "4.1")
@pytest.mark.parametrize(("cents", "code"), [(400, "under_minimum"), (60_000, "over_maximum")])
def test_2_2_1_amounts_found_out_of_limits_after_closing_settle_as_placed(cents, code):
    """M-11: nothing is cut, nothing goes back, and the log says so."""
    top = TableTop(BOOK, limits={"main": [500, 50_000]})
    top.bets(MAIN)
    top.deal(b1=NINE, dealer=DEALER)
    counted = top.do("counted", 1, "P1", "main", cents, "pit_supervisor")
    assert of_kind(counted, "plays") == [["plays", code, 1, "P1", "main", "M-11"]]
    records = top.finish()
    assert lines(records) == {MAIN[:3]: ("win", 2 * cents)}
    assert refunds(records) == {}


@rule("3.1")
@pytest.mark.parametrize(
    "event",
    [
        ("bet", 1, "P1", "main", 5000, True, "shift_manager"),
        ("restrict", 1, "P1", "shift_manager"),
        ("withdraw", 1, "P1", "shift_manager"),
    ],
)
def test_3_1_powers_that_other_books_give_to_staff_are_not_taken_over(event):
    """X-03."""
    top = TableTop(BOOK)
    top.do("open")
    assert top.refused(*event) == "X-03"


# -- the deal and the showing of hands


@rule("3.4", "2.1")
@pytest.mark.parametrize("device", ["shoe", "shuffler"])
def test_3_4_three_cards_to_each_area_clockwise_and_the_dealer_last(device):
    """M-06: whatever the device, and only to areas with a main wager."""
    top = TableTop(BOOK, boxes=4, device=device)
    top.bets((4, "P4", "main", 500), (2, "P2", "main", 500), (4, "P5", "main", 500))
    top.do("close")
    deck = f"{NINE} {FOUR} {DEALER}".split()
    records = [record for card in deck for record in top.do("card", card)]
    assert [record[1] for record in of_kind(records, "dealt")] == [2, 2, 2, 4, 4, 4, 0, 0, 0]
    assert of_kind(records, "state") == [["state", "dealing", "3.4"], ["state", "playing", "3.4"]]


@rule("3.5", "3.6")
def test_3_6_the_dealer_shows_after_all_hands_are_back_face_up():
    top = TableTop(BOOK)
    top.bets(MAIN, (3, "P3", "main", 500))
    top.do("close")
    top.do("card", "9S")
    assert top.refused("show", 1) == "3.6"
    top.deal(b1="TH TD", b3=FOUR, dealer=DEALER)
    assert top.refused("reveal") == "3.6"
    assert top.do("show", 3) == [["shown", 3, FOUR.split()]]
    assert top.refused("reveal") == "3.6"
    assert top.refused("show", 2) == "3.6"  # no hand lies there
    top.refused("settle")
    top.do("show", 1)
    assert top.do("reveal") == [["shown", 0, DEALER.split()], ["state", "revealed", "3.6"]]
    assert lines(top.do("settle")) == {MAIN[:3]: ("win", 10_000), (3, "P3", "main"): ("lose", 0)}


@rule("3.5")
def test_3_5_every_player_with_a_bet_there_may_look_at_any_of_his_hands():
    """M-22: several hands and who looks are left open."""
    top = dealt(MAIN, (2, "P1", "main", 500), (2, "P2", "main", 500), b1=NINE, b2=FOUR)
    assert top.do("look", 1, "P1") == top.do("look", 2, "P1") == top.do("look", 2, "P2") == []
    assert top.refused("look", 1, "P2") == "3.5"


@rule("4.1", "4.1/tie", "4.1/three-pictures", "4.1/main-other", "3.13.1")
def test_4_1_every_wager_on_an_area_has_its_own_result():
    """M-02, M-03, M-10: Three Pictures over a zero wins, and the tie wager is paid on equal points."""
    bets = (MAIN, TIE, PICTURES, (2, "P2", "main", 700), (2, "P2", "tie", 300))
    _, records = settled(*bets, b1=KNIGHTS, b2="KC JC TS", dealer="KH QH TD")
    assert lines(records) == {
        MAIN[:3]: ("win", 10_000),
        TIE[:3]: ("win", 9000),
        PICTURES[:3]: ("win", 17_000),
        (2, "P2", "main"): ("push", 700),
        (2, "P2", "tie"): ("win", 2700),
    }
    assert of_kind(records, "total") == [["total", 8000, 39_400, -31_400]]


@rule("4.1", "4.1/main-six")
def test_4_1_a_table_without_amounts_settles_by_odds_alone():
    top = TableTop(BOOK, amounts=False)
    top.refused("counted", 1, "P1", "main", 500, "pit_supervisor")
    top.bets((1, "P1", "main"), (1, "P1", "tie"))
    assert top.refused("bet", *MAIN) is None
    top.deal(b1="6S TH TD", dealer="5C TS TC")
    records = top.finish()
    assert [line[3:11] for line in of_kind(records, "line")] == [
        ["main", "win", 1, 2, None, None, None, "4.1/main-six"],
        ["tie", "lose", None, None, None, None, None, "1.1.3"],
    ]
    assert of_kind(records, "total") == []


# -- void rounds

BETS = (MAIN, TIE, (2, "P2", "main", 700))
ALL_BACK = {MAIN[:3]: 5000, TIE[:3]: 1000, (2, "P2", "main"): 700}


@rule("5.1", "5.1.1")
@pytest.mark.parametrize("steps", range(5))
def test_5_1_1_a_foreign_card_voids_the_round_at_any_time_until_settlement(steps):
    """M-12."""
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    for step in (("look", 1, "P1"), ("show", 1), ("show", 2), ("reveal",))[:steps]:
        top.do(*step)
    records = top.do("irregularity", "foreign_card")
    assert of_kind(records, "void") == [["void", "5.1.1", "M-12"]]
    assert refunds(records) == ALL_BACK
    assert {refund[6] for refund in of_kind(records, "refund")} == {"M-12"}
    assert of_kind(records, "line") == []
    assert top.state == "void"
    top.refused("settle")
    top.do("open")


@rule("5.1", "5.1.2")
def test_5_1_2_earlier_results_stand():
    """M-18, M-20: the round is over with its settlement."""
    top, _ = settled()
    assert [record[0] for record in top.do("irregularity", "foreign_card", by="pit_supervisor")] == ["noted"]
    assert top.state == "settled"
    top.bets(MAIN)
    assert top.do("irregularity", "foreign_card", round=1) == [["noted", "foreign_card", "5.1.2", "M-18"]]
    assert top.state == "betting"
    records = top.do("irregularity", "foreign_card")
    assert refunds(records) == {MAIN[:3]: 5000}
    assert of_kind(records, "reversed") == []


@rule("5.1", "2.1")
def test_5_1_a_card_that_the_deck_does_not_have_stops_the_deal_until_staff_looked():
    top = TableTop(BOOK)
    top.bets(MAIN)
    top.do("close")
    top.do("card", "9S")
    assert asked(top.do("card", "JOKER"))[:2] == ("check", "foreign_card")
    assert top.refused("card", "TH") == "3.4"
    top.do("misread")
    assert of_kind(top.do("card", "TH"), "dealt") == [["dealt", 1, "TH"]]
    top.do("card", "JOKER")
    assert of_kind(top.do("irregularity", "foreign_card"), "void") == [["void", "5.1.1", "M-12"]]


@rule("5.2", "2.1")
@pytest.mark.parametrize("event", [("cards_counted", 51), ("cards_counted", 53), ("irregularity", "deck_count")])
def test_5_2_a_short_or_excessive_deck_voids_the_round(event):
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    assert top.do("cards_counted", 52)[0][0] == "noted"
    records = top.do(*event)
    assert of_kind(records, "void") == [["void", "5.2", "M-12"]]
    assert refunds(records) == ALL_BACK


@rule("5.2", "2.1")
def test_5_2_a_card_that_comes_twice_stops_the_deal_until_the_deck_is_counted():
    top = TableTop(BOOK)
    top.bets(MAIN)
    top.do("close")
    top.do("card", "9S")
    assert asked(top.do("card", "9S"))[:2] == ("check", "deck_count")
    top.do("misread")
    top.do("card", "TH")
    top.do("card", "9S")
    assert of_kind(top.do("cards_counted", 53), "void") == [["void", "5.2", "M-12"]]


@rule("5.2")
@pytest.mark.parametrize("event", [("cards_counted", 51), ("irregularity", "deck_count")])
def test_5_2_a_deck_found_short_after_settlement_leaves_the_result(event):
    """M-18."""
    top, _ = settled()
    by = {"by": "pit_supervisor"} if event[0] == "irregularity" else {}
    assert [record[0] for record in top.do(*event, **by)] == ["noted"]
    assert top.state == "settled"


@rule("5.3")
@pytest.mark.parametrize("report", [("misdeal",), ("wrong_count", 1)])
def test_5_3_a_misdeal_before_handling_voids_unless_whole_hands_are_moved(report):
    """M-15, X-04."""
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    [saved] = top.do("irregularity", *report, put_right="moved")
    assert (saved[0], saved[2]) == ("reconstructed", "5.3")
    assert top.state == "playing"
    records = top.do("irregularity", *report)
    assert of_kind(records, "void")[0][1] == "5.3"
    assert refunds(records) == ALL_BACK


@rule("5.3")
@pytest.mark.parametrize("touch", [("look", 2, "P2"), ("handled", 2)])
@pytest.mark.parametrize(("report", "reading"), [(("misdeal",), "M-13"), (("wrong_count", 1), "M-15")])
@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
def test_5_3_after_handling_the_gaming_shift_manager_rules(touch, report, reading, put_right):
    """M-13, M-24."""
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    top.do(*touch)
    kind, _, role, _, ruling = asked(top.do("irregularity", *report, put_right=put_right))
    assert (kind, role, ruling) == ("ruling", "shift_manager", reading)
    assert top.refused("ruling", "continue", "pit_manager") == "M-24"
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "playing"


@rule("5.3")
def test_5_3_after_a_ruling_the_hands_may_be_settled_as_they_lie():
    top = dealt(MAIN, (2, "P2", "main", 700), b1=NINE, b2=FOUR)
    top.do("handled", 1)
    top.do("irregularity", "misdeal")
    top.do("ruling", "continue", "shift_manager")
    top.exchange("9S", "4S")
    assert lines(top.finish()) == {MAIN[:3]: ("lose", 0), (2, "P2", "main"): ("win", 1400)}


@rule("5.4")
@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
@pytest.mark.parametrize("touched", [True, False])
def test_5_4_a_wrong_count_of_the_dealer_voids_touched_or_not(put_right, touched):
    """M-14: 5.4 knows no reconstruction."""
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    if touched:
        top.do("look", 1, "P1")
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right)
    assert of_kind(records, "void") == [["void", "5.4", "M-14"]]
    assert refunds(records) == ALL_BACK


@rule("5.4")
def test_5_4_found_after_payment_the_round_is_reversed_and_in_the_next_one_it_stands():
    """M-14."""
    top, _ = settled(*BETS, b1=NINE, b2=FOUR)
    assert top.refused("irregularity", "wrong_count", 0) is not None
    assert top.refused("irregularity", "wrong_count", 0, by="dealer") is not None
    records = top.do("irregularity", "wrong_count", 0, by="pit_supervisor")
    assert of_kind(records, "void") == [["void", "5.4", "M-14"]]
    assert {tuple(one[1:4]): tuple(one[4:6]) for one in of_kind(records, "reversed")} == {
        MAIN[:3]: (5000, 10_000),
        TIE[:3]: (1000, 0),
        (2, "P2", "main"): (700, 0),
    }
    assert refunds(records) == ALL_BACK
    top.do("open")
    assert [record[0] for record in top.do("irregularity", "wrong_count", 0, round=1)] == ["noted"]
    assert top.state == "betting"


@rule("5.3", "5.4")
@pytest.mark.parametrize("touched", [True, False])
@pytest.mark.parametrize(
    "report",
    [
        *[(kind,) for kind in ("misdeal", "not_shuffled", "drawn_together", "technical", "other")],
        ("wrong_count", 1),
        ("left", None, "P1"),
    ],
)
def test_5_4_only_a_wrong_count_of_the_dealer_reverses_a_settlement_by_itself(report, touched):
    """M-14, M-19."""
    top = dealt()
    if touched:
        top.do("look", 1, "P1")
    top.finish()
    records = top.do("irregularity", *report, by="pit_supervisor")
    assert asked(records)[:3:2] == ("ruling", "shift_manager")
    assert of_kind(records, "reversed") == []
    assert top.refused("open") == "3.1"
    assert top.refused("ruling", "void", "pit_supervisor") == "M-24"
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "settled"


# -- after "No more bets"


@rule("5.5", "3.2")
def test_5_5_after_no_more_bets_no_wager_is_placed_or_increased():
    """M-16: the late money is refused and the wager plays as it lay at closing."""
    late = (("bet", *MAIN), ("bet", *TIE), ("bet", 1, "P2", "main", 500), ("bet", 2, "P2", "main", 500))
    top = TableTop(BOOK)
    top.bets(MAIN)
    top.do("close")
    steps = [("card", card) for card in f"{NINE} {DEALER}".split()] + [("show", 1), ("reveal",)]
    for step in steps:
        assert {top.refused(*event) for event in late} == {"5.5"}
        top.do(*step)
    assert {top.refused(*event) for event in late} == {"5.5"}
    assert lines(top.do("settle")) == {MAIN[:3]: ("win", 10_000)}


@rule("5.6")
@pytest.mark.parametrize(
    ("hand", "line", "debt"),
    [(NINE, ("win", 10_000), []), (FOUR, ("lose", 0), [["debt", 1, "P1", "main", 5000, "M-17"]])],
)
def test_5_6_a_wager_withdrawn_after_closing_is_still_won_or_lost(hand, line, debt):
    """M-17: a win is paid, a loss is a debt for staff to collect."""
    top = dealt(MAIN, b1=hand)
    taken = top.do("take_back", 1, "P1", "main")
    assert taken == [["stands", 1, "P1", "main", 5000, "5.6", "M-17"]]
    records = top.finish()
    assert lines(records) == {MAIN[:3]: line}
    assert of_kind(records, "debt") == debt


@rule("5.6", "3.1")
def test_5_6_until_no_more_bets_wagers_are_added_to_and_taken_back():
    top = TableTop(BOOK)
    top.bets(MAIN, MAIN, TIE)
    assert refunds(top.do("take_back", 1, "P1", "main", 3000)) == {MAIN[:3]: 3000}
    assert refunds(top.do("take_back", 1, "P1", "tie")) == {TIE[:3]: 1000}
    assert top.refused("take_back", 1, "P1", "tie") is None
    assert top.refused("take_back", 1, "P1", "main", 7001) is None
    top.deal(b1=NINE, dealer=DEALER)
    assert lines(top.finish()) == {MAIN[:3]: ("win", 14_000)}


# -- where the book is silent


@rule("3.5", "5.1")
@pytest.mark.parametrize(
    ("event", "reading"),
    [
        (("power_failure",), "M-19"),
        (("irregularity", "technical"), "M-19"),
        (("irregularity", "not_shuffled"), "M-19"),
        (("irregularity", "drawn_together"), "M-19"),
        (("turned", "9S"), "X-15"),
        (("irregularity", "left", None, "P1"), "M-19"),
        (("irregularity", "other"), "M-24"),
    ],
)
def test_3_5_where_the_book_is_silent_the_round_stops_for_the_gaming_shift_manager(event, reading):
    """M-19, M-24: never void by itself."""
    top = dealt()
    records = top.do(*event)
    assert asked(records)[2:] == ("shift_manager", None, reading)
    assert of_kind(records, "void") == []
    assert top.refused("show", 1) == top.refused("reveal") == "3.6"
    for post in ("dealer", "pit_supervisor", "pit_manager"):
        assert top.refused("ruling", "void", post) == "M-24"
    top.do("ruling", "continue", "shift_manager", text="as they lie")
    assert lines(top.finish()) == {MAIN[:3]: ("win", 10_000)}


@rule("3.4")
@pytest.mark.parametrize("event", [("cards_left", 4), ("irregularity", "too_few_cards"), ("card", "TH", True)])
def test_3_4_a_faulty_deal_the_book_does_not_name_stops_for_the_gaming_shift_manager(event):
    """M-19: too few cards, a card face up."""
    top = TableTop(BOOK)
    top.bets(MAIN)
    top.do("close")
    top.do("card", "9S")
    assert top.do("cards_left", 5) == []
    assert asked(top.do(*event))[2:] == ("shift_manager", None, "M-19")
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "dealing"


@rule("3.4")
def test_3_4_the_last_card_face_up_leaves_the_deal_complete_after_the_ruling():
    top = TableTop(BOOK)
    top.bets(MAIN)
    top.do("close")
    for card in f"{NINE} 7C JH".split():
        top.do("card", card)
    top.do("card", "QH", True)
    assert top.state == "frozen"
    top.do("ruling", "continue", "shift_manager")
    assert top.state == "playing"


@rule("3.5")
@pytest.mark.parametrize("state", ["betting", "closed", "dealing", "playing", "revealed"])
def test_3_5_after_a_power_failure_a_ruling_voids_or_continues_where_the_round_stood(state):
    """M-19."""
    top = TableTop(BOOK)
    steps = [("open",), ("bet", *MAIN), ("close",), *(("card", card) for card in f"{NINE} {DEALER}".split())]
    for step in [*steps, ("show", 1), ("reveal",)]:
        top.do(*step)
        if top.state == state and step[0] != "open":
            break
    top.do("power_failure")
    top.do("ruling", "continue", "shift_manager")
    assert top.state == state
    top.do("power_failure")
    records = top.do("ruling", "void", "shift_manager")
    assert of_kind(records, "void") == [["void", None, "M-24"]]
    assert refunds(records) == {MAIN[:3]: 5000}


@rule("3.5")
def test_3_5_a_ruling_may_take_one_hand_out():
    top = dealt(*BETS, b1=NINE, b2=FOUR)
    top.do("irregularity", "left", player="P1")
    top.refused("ruling", "fold", "shift_manager", 1)  # nobody folds in this book
    records = top.do("ruling", "hand_out", "shift_manager", 1)
    assert of_kind(records, "removed") == [["removed", 1, None, "M-24"]]
    assert refunds(records) == {MAIN[:3]: 5000, TIE[:3]: 1000}
    top.do("show", 2)
    top.do("reveal")
    assert lines(top.do("settle")) == {(2, "P2", "main"): ("lose", 0)}
