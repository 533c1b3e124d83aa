"""Royal Three Pictures: the round, its irregularities and who decides, paragraph by paragraph."""

import pytest

from tests.play import TableTop, of_kind
from tests.tables import ROYAL, rule

BOOK = ROYAL

NINE = "9S TH TD"
OTHER_NINE = "9C TC TS"
THREE = "2C 3C 8H"
OTHER_THREE = "2D 3D 8C"
KING_NINE = "KS 4D 5D"
P1_MAIN = (1, "P1", "main", 1000)
P1_TIE = (1, "P1", "tie", 400)
P1_ROYAL = (1, "P1", "royal_pictures", 600)
P2_MAIN = (2, "P2", "main", 1000)
MINIMUM = {wager: [500, 1000] for wager in ("main", "tie", "royal_pictures")}
ROLES = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")


def table(*bets, **config):
    """A table with betting open and these bets on it."""
    top = TableTop(ROYAL, **config)
    top.bets(*bets)
    return top


def dealt_table(*bets, **config):
    """Two positions dealt to: P1's nine on box 1 and P2's three on box 2, the dealer with a three."""
    top = table(*(bets or (P1_MAIN, P2_MAIN)), **config)
    top.deal(b1=NINE, b2=OTHER_THREE, dealer=THREE)
    return top


def play(top, *bets, b1=NINE, dealer=THREE):
    """One whole round on box 1; its settlement."""
    top.bets(*bets)
    top.deal(b1=b1, dealer=dealer)
    return top.finish()


def lines(records):
    """{(box, player, wager): (result, stake, returned)}"""
    return {tuple(line[1:4]): (line[4], line[7], line[9]) for line in of_kind(records, "line")}


def refunds(records):
    """{(box, player, wager): (cents, paragraph)}"""
    return {tuple(refund[1:4]): tuple(refund[4:6]) for refund in of_kind(records, "refund")}


def places(top, words):
    """Deal these cards; where each went."""
    return [of_kind(top.do("card", word), "dealt")[0][1] for word in words.split()]


def states(records):
    return [record[1] for record in of_kind(records, "state")]


# -- 1 to 3.5: the course of a round


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


# -- 3.6 to 3.9: who may bet where


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


# -- 3.7, 3.10, 3.11: who looks


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


# -- 3.12 to 3.15: dealing and showing


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


# -- 5.1, 5.9: the deck


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


# -- 5.2, 5.3: late bets and late take-backs

LATE = (
    ["close"],
    ["card", "9S"],
    *[["card", word] for word in ("TH", "TD", "2C", "3C", "8H")],
    ["show", 1],
    ["reveal"],
)


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


# -- 5.4 to 5.7: misdeals


@rule("5.4")
@pytest.mark.parametrize(("kind", "place"), [("misdeal", None), ("wrong_count", 1)])
@pytest.mark.parametrize("mended", [False, True])
def test_5_4_misdealt_and_untouched_is_void_unless_complete_hands_are_moved(kind, place, mended):
    top = dealt_table()
    records = top.do("irregularity", kind, place, mended=mended)
    if mended:
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
    top.refused("exchanged", "9S", "2D", "pit_supervisor")
    top.do("irregularity", "misdeal")
    top.refused("exchanged", "9S", "2D", "dealer")
    top.do("exchanged", "9S", "2D", "pit_supervisor")
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


# -- 5.8: exposed cards


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
        records = top.do("irregularity", "exposed_card", card=words[index])
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
    top.refused("irregularity", "exposed_card", card="9S")
    top.do("card", "9S")
    top.refused("irregularity", "exposed_card", card="KS")
    top.refused("irregularity", "exposed_card")


# -- 5.10 to 5.12: limits


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


def play_on(top, bet):
    top.do("bet", *bet)
    top.deal(b1=NINE, dealer=THREE)
    return top.finish()


# -- 5.13: power failure


@rule("5.13", "5.13.1")
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_5_13_1_with_no_outcome_players_may_withdraw_all_or_none_and_the_round_is_concluded(steps):
    top = table(P1_MAIN, P1_TIE, P1_ROYAL, (1, "P2", "main", 500))
    for step in LATE[:steps]:
        top.do(*step)
    before = top.state
    records = top.do("power_failure")
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
    assert set(refunds(top.do("choose", "P1", choice="withdraw"))) == {(1, "P1", "main"), (2, "P1", "main")}
    top.do("choices_done")
    top.refused("show", 1)
    assert lines(top.finish()) == {(2, "P2", "main"): ("push", 900, 900)}


@rule("5.13.1", "3.5")
def test_5_13_1_a_side_wager_whose_player_stays_is_played_though_the_main_wager_goes():
    """It was placed on a position that held a main wager, as 3.5 asks, and its player did not withdraw."""
    top = dealt_table(P1_MAIN, (1, "P3", "royal_pictures", 500), P2_MAIN)
    top.do("power_failure")
    records = top.do("choose", "P1", choice="withdraw")
    assert refunds(records) == {(1, "P1", "main"): (1000, "5.13.1")}
    top.do("choices_done")
    assert set(lines(top.finish())) == {(1, "P3", "royal_pictures"), (2, "P2", "main")}


@rule("5.13.1")
def test_5_13_1_no_answer_goes_on_and_if_all_withdraw_the_round_is_over():
    top = dealt_table()
    top.do("power_failure")
    top.do("choices_done")
    assert top.state == "playing"
    top.do("power_failure")
    top.do("choose", "P1", choice="withdraw")
    assert states(top.do("choose", "P2", choice="withdraw"))[-1] == "settled"
    top.do("open")


def establishes(top):
    """Whether a power failure now finds an outcome: (box, wager, result) of it, or None."""
    records = top.do("power_failure")
    outcomes = of_kind(records, "outcome")
    assert bool(outcomes) != bool(of_kind(records, "offer"))
    if not outcomes:
        top.do("choices_done")
        return None
    assert outcomes[0][5] == "5.13.2"
    return outcomes[0][1], outcomes[0][3], outcomes[0][4]


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
        ((P1_MAIN,), OTHER_NINE, None),
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


# -- 6: who decides


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


# -- a table that knows no amounts


@rule("4.1", "4.2", "5.3", "5.13.1")
def test_4_1_a_table_without_amounts_plays_the_same_rounds_with_odds_only():
    top = table(*[(1, "P1", wager) for wager in MINIMUM], (2, "P2", "main"), amounts=False, limits=MINIMUM)
    top.refused("bet", 1, "P1", "main", 500)
    top.do("bet", 1, "P1", "main")
    top.deal(b1=KING_NINE, b2="9C 6H AH", dealer="2C 2D TD")
    assert top.do("take_back", 1, "P1", "tie") == [["stands", 1, "P1", "tie", None, "5.3", "R-27"]]
    top.do("power_failure")
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
