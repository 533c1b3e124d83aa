"""Non-Commission Three Pictures: the round and its irregularities, paragraph by paragraph."""

import pytest

from tests.support.books import rws
from tests.support.play import TableTop, of_kind
from tests.support.tables import NON_COMMISSION, rule

BOOK = NON_COMMISSION

LIMITS = {"initial": [5000, 100000], "tie": [500, 10000]}
STAKES = rws.stakes(BOOK)
RESULTS = rws.results(BOOK)


# -- the table, the cards and the course of a round


@rule("2.1.1.a")
def test_2_1_1_a_the_layout_fixes_the_boxes():
    top = TableTop(BOOK, boxes=2)
    top.do("open")
    top.do("bet", 2, "P1", "initial", 1000)
    top.refused("bet", 3, "P1", "initial", 1000)
    top.refused("bet", 0, "P1", "initial", 1000)
    with pytest.raises(ValueError, match="boxes"):
        TableTop(BOOK, boxes=17)  # 17 hands and the dealer's need 54 cards (N-16)


@rule("1.14", "3.4", "3.11")
def test_1_14_the_round_runs_from_place_your_bets_until_all_are_settled():
    top = TableTop(BOOK)
    assert top.refused("bet", 1, "P1", "initial", 1000) == "3.4"
    assert top.do("open") == [["state", "betting", "3.4"]]
    top.do("bet", 1, "P1", "initial", 1000)
    assert top.refused("open") == "3.4"
    assert top.do("close") == [["state", "closed", "3.11"]]
    assert top.refused("close") == "3.11"
    top.deal(**rws.ONE_WINS)
    top.refused("open")
    top.do("reveal")
    top.refused("open")
    assert rws.lines(top.do("settle")) == {(1, "P1", "initial"): ("win", 2000)}
    assert (top.state, top.round.number) == ("settled", 1)
    top.do("open")
    assert (top.round.number, top.round.bets, top.round.hands) == (2, [], {})


@rule("3.12", "1.5")
def test_3_12_from_the_shoe_one_card_at_a_time_clockwise_and_the_dealer_last():
    top = rws.full_table(BOOK, device="shoe")  # nobody bets on box 2
    top.do("close")
    words = ["KS", "2H", "KC", "9H", "AC", "2S", "9D", "TD", "3S"]
    assert [top.do("card", word)[-1] for word in words[:-1]] == [
        ["dealt", place, word] for place, word in zip([1, 3, 0] * 3, words[:-1])
    ]
    assert top.do("card", "3S") == [["dealt", 0, "3S"], ["state", "playing", "3.12"]]
    assert rws.lines(top.finish()) == RESULTS


@rule("3.12.1", "1.5")
def test_3_12_1_from_the_shuffler_sets_of_three_clockwise_and_the_dealer_last():
    top = rws.full_table(BOOK, device="shuffler")
    top.do("close")
    words = ["KS", "9H", "9D", "2H", "AC", "TD", "KC", "2S", "3S"]
    assert [top.do("card", word)[-1] for word in words[:-1]] == [
        ["dealt", place, word] for place, word in zip([1, 1, 1, 3, 3, 3, 0, 0], words[:-1])
    ]
    assert top.do("card", "3S") == [["dealt", 0, "3S"], ["state", "playing", "3.12.1"]]
    assert rws.lines(top.finish()) == RESULTS


@rule("3.12.1", "5.13", "3.9")
def test_3_12_1_a_box_whose_initial_bet_was_taken_back_gets_no_cards_and_its_side_bets_go_back():
    top = rws.full_table(BOOK)
    assert top.refused("bet", 2, "P4", "tie", 100) == "3.9"
    top.do("bet", 2, "P4", "initial", 1000)
    top.do("bet", 2, "P5", "tie", 100)  # any Player's Initial Bet will do (L-15)
    warned = of_kind(top.do("take_back", 2, "P4", "initial"), "warning")
    assert warned == [["warning", "needs_main", 2, "P5", "tie", "3.9"]]
    assert rws.refunds(top.do("close"), "5.13") == {(2, "P5", "tie"): 100}
    assert top.round.order == [1, 3]


@rule("3.10", "1.15", "1.16")
def test_3_10_the_seated_player_looks_and_at_one_hand_only():
    top = TableTop(BOOK)
    top.bets((1, "P1", "initial", 500), (1, "P2", "initial", 900), (1, "P3", "tie", 100))
    top.do("bet", 2, "P1", "initial", 500)
    top.deal(**rws.WIN_AND_LOSE)
    assert top.refused("look", 1, "P2") == "3.10"  # stands
    assert top.refused("look", 1, "P3") == "3.10"  # a side bet alone: stands (L-09)
    assert top.refused("look", 2, "P2") == "3.10"  # has no bet there
    top.do("look", 1, "P1")
    assert top.refused("look", 2, "P1") == "3.10"
    top.do("look", 1, "P1")
    shown = of_kind(top.do("reveal"), "shown")  # the dealer opens the other hand (L-16, L-19)
    assert [record[1] for record in shown] == [0, 1, 2]


@rule("1.15", "3.10")
@pytest.mark.parametrize(("cents", "looks", "other"), [((500, 900), "P2", "P1"), ((500, 500), "P1", "P2")])
def test_1_15_with_nobody_seated_it_is_the_highest_bettor_of_equal_ones_the_first(cents, looks, other):
    top = TableTop(BOOK)
    top.do("open")
    top.do("bet", 1, "P1", "initial", cents[0], seated=False)
    top.do("bet", 1, "P2", "initial", cents[1], seated=False)
    top.do("bet", 1, "P1", "tie", 5000)  # side bets do not count for it (L-08)
    top.deal(**rws.ONE_WINS)
    assert top.refused("look", 1, other) == "3.10"
    top.do("look", 1, looks)


# -- limits


@rule("3.7", "5.1", "1.16")
def test_3_7_others_take_up_the_balance_until_the_maximum():
    top = TableTop(BOOK, limits=LIMITS)
    top.bets((1, "P1", "initial", 60000), (1, "P2", "initial", 30000))
    assert rws.refunds(top.do("bet", 1, "P3", "initial", 30000), "5.1") == {(1, "P3", "initial"): 20000}
    assert top.refused("bet", 1, "P4", "initial", 5000) == "5.1"


@rule("5.1")
def test_5_1_no_part_below_the_minimum_is_accepted():
    top = TableTop(BOOK, limits=LIMITS)
    top.bets((1, "P1", "initial", 95001))
    assert top.refused("bet", 1, "P2", "initial", 5000) == "5.1"  # 49.99 are left (N-08)
    top.do("take_back", 1, "P1", "initial", 1)
    assert top.do("bet", 1, "P2", "initial", 5000) == []


@rule("5.1", "1.15", "1.16")
@pytest.mark.parametrize(
    ("raise_", "back"),
    [
        (10000, {"P3": 10000}),  # P1 50000, P2 50000
        (20000, {"P2": 10000, "P3": 10000}),  # P1 60000, P2 40000 of his 50000
        (55000, {"P2": 45000, "P3": 10000}),  # P1 95000, P2 5000: just the minimum
        (55001, {"P2": 50000, "P3": 10000}),  # 49.99 are left, so nothing of either
    ],
)
def test_5_1_seated_before_standing_and_standing_in_order_of_time(raise_, back):
    top = TableTop(BOOK, limits=LIMITS)
    top.do("open")
    top.do("bet", 1, "P1", "initial", 40000, seated=True)
    top.do("bet", 1, "P2", "initial", 50000, seated=False)
    top.do("bet", 1, "P3", "initial", 10000, seated=False)
    records = top.do("bet", 1, "P1", "initial", raise_)
    assert rws.refunds(records, "5.1") == {(1, player, "initial"): cents for player, cents in back.items()}


@rule("5.1", "1.15")
def test_5_1_with_nobody_seated_the_highest_bettor_comes_first():
    top = TableTop(BOOK, limits=LIMITS)
    top.do("open")
    top.do("bet", 1, "P1", "initial", 30000, seated=False)
    top.do("bet", 1, "P2", "initial", 60000, seated=False)
    assert rws.refunds(top.do("bet", 1, "P2", "initial", 20000), "5.1") == {(1, "P1", "initial"): 10000}


@rule("3.10", "5.1")
def test_3_10_each_hand_and_each_kind_of_bet_has_its_own_maximum():
    top = TableTop(BOOK, limits=LIMITS)
    top.bets((1, "P1", "initial", 100000), (2, "P1", "initial", 100000), (1, "P1", "tie", 10000))
    assert top.refused("bet", 2, "P1", "initial", 5000) == "5.1"
    assert top.refused("bet", 1, "P2", "tie", 500) == "5.1"
    assert top.do("bet", 2, "P2", "tie", 500) == []


@rule("5.1.1", "5.1.2")
@pytest.mark.parametrize("hands", [rws.ONE_WINS, rws.ONE_LOSES])
def test_5_1_1_the_worked_example(hands):
    """N-08: 900, 300, 60 and 20 on a box for 50 to 1000 play as 697.50, 232.50, 50 and 20."""
    records = rws.over_full(BOOK, [5000, 100000], [90000, 30000, 6000, 2000], hands)
    assert ["plays", "over_maximum", 1, None, "initial", "5.1.1"] in records
    back = {(1, "P1", "initial"): 20250, (1, "P2", "initial"): 6750, (1, "P3", "initial"): 1000}
    assert rws.refunds(records, "5.1.1") == back
    plays = [69750, 23250, 5000, 2000]
    assert list(rws.played(records).values()) == plays
    returned = [2 * cents if hands is rws.ONE_WINS else 0 for cents in plays]
    assert [line[1] for line in rws.lines(records).values()] == returned
    assert of_kind(records, "total")[0][1:] == [100000, sum(returned), 100000 - sum(returned)]


@rule("5.1.1", "5.1.2")
@pytest.mark.parametrize(
    ("limits", "bets", "plays"),
    [
        ([1, 100], [50, 50, 50], [34, 33, 33]),  # equal remainders: the first placed (N-08)
        ([1, 1000], [500, 300, 301], [454, 273, 273]),  # 454.13, 272.48, 273.39: the largest remainder
        ([5000, 20000], [3000, 30000], [3000, 17000]),  # 5.1.2: under the minimum plays as placed
        ([5000, 20000], [5000, 30000], [5000, 15000]),  # 28.57 would be under the minimum
        ([5000, 20000], [12000, 8000], [12000, 8000]),  # just full
    ],
)
def test_5_1_1_pro_rata_to_the_cent(limits, bets, plays):
    records = rws.over_full(BOOK, limits, bets, rws.ONE_WINS)
    assert list(rws.played(records).values()) == plays
    assert sum(rws.refunds(records, "5.1.1").values()) == sum(bets) - sum(plays)
    assert not of_kind(records, "warning")


@rule("5.1.1")
def test_5_1_1_each_kind_of_bet_is_shared_by_itself():
    records = rws.over_full(BOOK, [100, 1000], [800, 1200], rws.ONE_WINS, wager="tie")
    assert rws.played(records) == {
        (1, "P1", "initial"): 77700,
        (1, "P1", "tie"): 400,
        (1, "P2", "tie"): 600,
    }


@rule("5.2")
def test_5_2_a_box_under_the_minimum_is_warned_about_before_closing():
    top = TableTop(BOOK, limits=LIMITS)
    warning = ["warning", "under_minimum", 1, None, "initial", "5.2"]
    top.do("open")
    assert top.do("bet", 1, "P1", "initial", 3000) == [warning]
    assert top.do("bet", 1, "P1", "initial", 2000) == []  # increased
    assert warning in top.do("take_back", 1, "P1", "initial", 1)
    assert warning not in top.do("take_back", 1, "P1", "initial")  # withdrawn
    assert top.do("bet", 1, "P1", "initial", 5000) == []
    assert top.do("bet", 1, "P2", "initial", 1000) == []  # 5.2 looks at the box, not at the Player (N-09)
    assert top.do("close") == [["state", "closed", "3.11"]]


# -- closing and the position of chips


@rule("5.7", "3.11")
def test_5_7_after_no_more_bets_nothing_is_placed_raised_or_taken_back():
    top = rws.full_table(BOOK)
    top.do("close")

    def all_refused() -> None:
        assert top.refused("bet", 2, "P4", "initial", 1000) == "5.7"
        assert top.refused("bet", 1, "P1", "initial", 1000) == "5.7"
        assert top.refused("bet", 1, "P1", "tie", 100) == "5.7"
        assert top.refused("take_back", 1, "P1", "initial") == "5.7"
        assert top.refused("take_back", 1, "P1", "tie", 100) == "5.7"

    all_refused()
    top.do("card", "KS")
    all_refused()
    top.deal(b1="9H 9D", b3="2H AC TD", dealer="KC 2S 3S")
    all_refused()
    top.do("reveal")
    all_refused()
    assert rws.lines(top.do("settle")) == RESULTS  # the chips are at stake all the same (L-17)


# -- 5.4: technical interruption


@rule("5.4", "5.4.1", "5.4.2")
@pytest.mark.parametrize("cut", ["power_failure", "technical"])
@pytest.mark.parametrize(
    ("wager", "box", "dealer", "expected"),
    [
        # the Initial Bet normally needs both hands
        ("tie", "KS 4H 2D", "JC 3C 3D", ("void", "5.4.2")),
        ("tie", "KS* QH* 9D*", "KC* 3C JH", ("void", "5.4.2")),
        ("tie", "KS* QH* 9D*", "2C* 3C JH", ("initial", "win")),  # a two makes no nine with two pictures
        ("tie", "TS* TH* TD*", "KC* 3C 4H", ("initial", "lose")),  # no zero is lower than this
        # a sure push is neither, though the tie is won
        (None, "KS* 4H* 2D*", "JC* 3C* 3D*", ("void", "5.4.2")),
        ("tie", "KS* 4H* 2D*", "JC* 3C* 3D*", ("tie", "win")),
        # Three Pictures: the first card of that hand that is none, the third picture (N-10)
        ("three_pictures", "2S* KH QD", "JC 3C 4C", ("three_pictures", "lose")),
        ("three_pictures", "KS QH 2D*", "JC 3C 4C", ("three_pictures", "lose")),
        ("three_pictures", "KS* QH* JD", "JC 3C 4C", ("void", "5.4.2")),
        ("three_pictures", "KS* QH* JD*", "JC 3C 4C", ("three_pictures", "win")),
        (
            "three_pictures",
            "KS QH JD",
            "2C* 3C 4C",
            ("void", "5.4.2"),
        ),  # the dealer's hand does not matter (N-03)
        # only bets that were placed count
        (None, "2S* KH QD", "JC 3C 4C", ("void", "5.4.2")),
        (None, "KS* QH* JD*", "JC 3C 4C", ("void", "5.4.2")),
    ],
)
def test_5_4_what_is_decided_when_the_power_goes(wager, box, dealer, expected, cut):
    assert rws.power_cut(BOOK, wager, box, dealer, cut) == expected


@rule("5.4.2")
def test_5_4_2_a_private_look_exposes_nothing():
    top = TableTop(BOOK)
    top.bets((1, "P1", "initial", 1000), (1, "P1", "three_pictures", 100))
    top.deal(b1="2S 3H 4D", dealer="5C 6C 7C")
    top.do("look", 1, "P1")
    assert rws.decided(top) == ("void", "5.4.2")


@rule("5.4.1")
def test_5_4_1_one_decided_bet_concludes_the_round_for_the_whole_table():
    top = rws.full_table(BOOK)
    top.do("bet", 3, "P4", "three_pictures", 100)
    top.deal(b1="KS 9H 9D", b3="2H AC TD", dealer="KC 2S 3S")
    top.do("show", 3)
    assert rws.decided(top) == ("three_pictures", "lose")
    assert top.state == "playing"
    assert rws.lines(top.finish()) == RESULTS | {(3, "P4", "three_pictures"): ("lose", 0)}


@rule("5.4.1", "5.6")
def test_5_4_1_a_card_exposed_by_a_slip_was_seen_by_the_table():
    top = TableTop(BOOK)
    top.bets((1, "P1", "initial", 1000), (1, "P1", "three_pictures", 100))
    top.deal(b1="KS QH 2D", dealer="JC 3C 4C")
    top.do("turned", "2D")
    top.do("choices_done")
    assert rws.decided(top) == ("three_pictures", "lose")


# -- 5.5: what voids the round


MISHAPS = [
    ("foreign_card", None, "5.5.1"),
    ("deck_count", None, "5.5.2"),
    ("not_shuffled", None, "5.5.3"),
    ("misdeal", None, "5.5.4"),
    ("wrong_count", 1, "5.5.4"),  # nobody has handled cards (N-11)
    ("wrong_count", 0, "5.5.4"),  # L-40
]


@rule("5.5", "5.5.1", "5.5.2", "5.5.3", "5.5.4", "5.14", "1.19")
@pytest.mark.parametrize(("kind", "place", "paragraph"), MISHAPS)
def test_5_5_a_mishap_voids_the_round_and_all_bets_go_back(kind, place, paragraph):
    top = rws.settled(BOOK)
    top.bets((1, "P1", "initial", 700), (1, "P2", "three_pictures", 50))
    top.deal(**rws.ONE_WINS)
    records = top.do("irregularity", kind, place)
    back = {(1, "P1", "initial"): 700, (1, "P2", "three_pictures"): 50}
    assert rws.voided(records) == (paragraph, back)
    assert not of_kind(records, "reversed")  # the round before stands
    assert top.refused("settle") is not None
    top.do("open")


@rule("5.5", "5.5.1", "5.5.2", "5.5.3", "5.5.4", "5.14")
@pytest.mark.parametrize(("kind", "place", "paragraph"), MISHAPS)
def test_5_5_found_after_payment_and_before_the_next_round_the_payments_are_reversed(kind, place, paragraph):
    top = rws.settled(BOOK)
    assert top.refused("irregularity", kind, place) in ("N-11", "L-30")
    assert top.refused("irregularity", kind, place, by="dealer") in ("N-11", "L-30")
    records = top.do("irregularity", kind, place, by="pit_supervisor")
    reversed_ = {tuple(record[1:4]): (record[4], record[5]) for record in of_kind(records, "reversed")}
    assert reversed_ == {key: (STAKES[key], RESULTS[key][1]) for key in STAKES}
    assert rws.voided(records) == (paragraph, STAKES)


@rule("5.5.4", "1.13")
@pytest.mark.parametrize(("kind", "place"), [("misdeal", None), ("wrong_count", 1)])
def test_5_5_4_moving_complete_hands_puts_it_right_and_nobody_is_asked(kind, place):
    top = rws.dealt(BOOK)
    records = top.do("irregularity", kind, place, put_right="moved")
    assert [record[0] for record in records] == ["reconstructed"]
    assert records[0][2] == "5.5.4"
    assert rws.lines(top.finish()) == RESULTS


@rule("5.5.4", "1.13")
def test_5_5_4_hands_that_were_moved_are_settled_where_they_lie_now():
    top = rws.dealt(BOOK)
    top.do("irregularity", "misdeal", put_right="moved")
    for one, other in (("KS", "2H"), ("9H", "AC"), ("9D", "TD")):
        top.exchange(one, other)
    lines = rws.lines(top.finish())
    assert (lines[1, "P1", "initial"], lines[3, "P2", "initial"]) == (("lose", 0), ("win", 1000))


# -- 5.6: players choose


@rule("5.6", "5.6.1", "5.6.2", "1.13")
@pytest.mark.parametrize(("put_right", "paragraph"), [(None, "5.6.1"), ("restored", "5.6.2"), ("moved", "5.6.2")])
def test_5_6_every_player_is_offered_one_way_to_go_on(put_right, paragraph):
    top = rws.dealt(BOOK, handled=True)
    records = top.do("irregularity", "misdeal", put_right=put_right)
    assert rws.offers(records) == [[1, "P1", paragraph], [1, "P3", paragraph], [3, "P2", paragraph]]
    assert not of_kind(records, "refund")
    top.refused("reveal")
    for box, player in ((1, "P1"), (1, "P3"), (3, "P2")):
        assert top.state == "frozen"
        top.do("choose", player, box, "continue")
    assert rws.lines(top.finish()) == RESULTS


@rule("5.6", "5.6.1", "5.6.3")
def test_5_6_3_a_player_withdraws_all_his_bets_on_the_box_and_the_hand_stays_for_the_others():
    top = rws.dealt(BOOK, handled=True)
    top.do("irregularity", "misdeal")
    assert rws.refunds(top.do("choose", "P1", 1, "withdraw"), "5.6.3") == rws.only(STAKES, "P1")
    top.refused("choose", "P1", 1, "continue")  # once chosen is chosen
    top.do("choose", "P3", 1, "continue")
    top.refused("choose", "P3", 1, "withdraw")
    top.refused("choose", "P4", 1, "withdraw")
    top.do("choices_done")  # no answer: P2 goes on (N-11)
    assert rws.lines(top.finish()) == rws.without(RESULTS, "P1")


@rule("5.6", "5.6.3")
def test_5_6_a_player_on_two_boxes_chooses_for_each():
    top = TableTop(BOOK)
    top.bets((1, "P1", "initial", 1000), (2, "P1", "initial", 500), (2, "P2", "three_pictures", 50))
    top.deal(**rws.WIN_AND_LOSE)
    top.do("look", 1, "P1")
    records = top.do("irregularity", "misdeal")
    assert [offer[:2] for offer in rws.offers(records)] == [[1, "P1"], [2, "P1"], [2, "P2"]]  # L-09
    top.do("choose", "P1", 1, "continue")
    assert rws.refunds(top.do("choose", "P2", 2, "withdraw"), "5.6.3") == {(2, "P2", "three_pictures"): 50}
    assert rws.refunds(top.do("choose", "P1", 2, "withdraw"), "5.6.3") == {(2, "P1", "initial"): 500}
    assert rws.lines(top.finish()) == {(1, "P1", "initial"): ("win", 2000)}


# -- wrong numbers of cards, cards in the device, later rounds


@rule("5.8", "5.6.2", "1.13")
def test_5_8_a_hand_that_can_be_put_right_stays_and_all_choose():
    top = rws.dealt(BOOK, handled=True)
    records = top.do("irregularity", "wrong_count", 1, put_right="moved")
    assert not of_kind(records, "removed")
    assert not of_kind(records, "refund")
    assert rws.offers(records) == [[1, "P1", "5.6.2"], [1, "P3", "5.6.2"], [3, "P2", "5.6.2"]]


@rule("5.8")
def test_5_8_after_payment_that_hand_is_reversed_and_the_others_are_not_asked():
    top = rws.settled(BOOK, handled=True)
    assert top.refused("irregularity", "wrong_count", 1, by="dealer") in ("N-11", "L-30")
    records = top.do("irregularity", "wrong_count", 1, by="pit_supervisor")
    reversed_ = {tuple(record[1:4]): (record[4], record[5]) for record in of_kind(records, "reversed")}
    box = rws.without(STAKES, "P2")
    assert reversed_ == {key: (STAKES[key], RESULTS[key][1]) for key in box}
    assert rws.refunds(records, "5.8") == box
    assert (rws.offers(records), top.state) == ([], "settled")
    top.do("open")


@rule("5.10", "5.10.1")
@pytest.mark.parametrize("post", ["pit_supervisor", "pit_manager", "shift_manager"])
def test_5_10_of_cards_drawn_together_a_supervisor_says_which_is_first_then_all_choose(post):
    top = rws.full_table(BOOK, device="shoe")
    top.do("close")
    for word in ("KS", "2H"):
        top.do("card", word)
    asked = of_kind(top.do("irregularity", "drawn_together"), "ask")
    assert [record[1:5] for record in asked] == [["order", "drawn_together", "pit_supervisor", "5.10"]]
    top.refused("card", "KC")
    top.refused("choose", "P1", 1, "withdraw")  # first the ruling (N-12)
    assert top.refused("ruling", "order", "dealer", text="KS first") == "5.10"
    records = top.do("ruling", "order", post, text="KS first")
    assert [offer[:2] for offer in rws.offers(records)] == [[1, "P1"], [1, "P3"], [3, "P2"]]
    assert rws.refunds(top.do("choose", "P3", 1, "withdraw"), "5.6.3") == rws.only(STAKES, "P3")
    top.do("choices_done")
    top.deal(b1="9H 9D", b3="AC TD", dealer="KC 2S 3S")
    assert rws.lines(top.finish()) == rws.without(RESULTS, "P3")


# -- 5.16: what the rules leave open


# -- a table that does not know amounts


@rule("4.1", "5.14", "5.6.3", "5.4.1")
def test_4_1_without_amounts_the_rounds_run_the_same_with_odds_alone():
    top = rws.full_table(BOOK, amounts=False)
    top.refused("bet", 1, "P1", "initial", 1000)
    top.deal(b1="KS 4H 2D", b3="2H AC TD", dealer="KC 2S 3S")
    top.refused("counted", 1, "P1", "initial", 1000, "pit_supervisor")
    top.do("handled", 1)
    top.do("irregularity", "misdeal")
    assert rws.refunds(top.do("choose", "P3", 1, "withdraw"), "5.6.3") == {(1, "P3", "initial"): None}
    top.do("choices_done")
    top.do("reveal")
    assert rws.decided(top) == ("initial", "win")
    records = top.do("settle")
    assert of_kind(records, "line") == [
        ["line", 1, "P1", "initial", "win", 1, 2, None, None, None, "4.1/initial-six", None],
        ["line", 1, "P1", "tie", "lose", None, None, None, None, None, "1.18", None],
        ["line", 3, "P2", "initial", "lose", None, None, None, None, None, "3.13.2", None],
    ]
    assert not of_kind(records, "total")
    records = top.do("irregularity", "not_shuffled", by="pit_supervisor")
    assert rws.voided(records) == ("5.5.3", dict.fromkeys(rws.without(STAKES, "P3")))
