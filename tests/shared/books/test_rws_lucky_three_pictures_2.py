"""Non-Commission Lucky Three Pictures: every pay line and every way to lose, worked out by hand."""

import pytest

from tests.support.tables import LUCKY, entry, rule, settle, settle_wager

BOOK = LUCKY

THREE_PICTURES = "KS QH JD"
OTHER_THREE_PICTURES = "KC QC JS"
DOUBLE_SIX = "KS QH 6D"
SINGLE_SIX = "KH 4H 2D"
OTHER_SINGLE_SIX = "JC 3C 3D"
PLAIN_SIX = "2C 3H AD"
PLAIN_THREE = "2S 3C 8C"
PLAIN_SEVEN = "7S TH TD"


@rule("1.8", "1.11", "3.1", "3.13", "3.13.1", "4.1", "4.1/initial-six", "4.1/initial-other")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("KS QH 9D", "2S 3S 4S", ("win", "1:1", 20000, "4.1/initial-other")),  # Double over Plain Nine
        (THREE_PICTURES, "KC QC 9S", ("win", "1:1", 20000, "4.1/initial-other")),  # L-06
        (SINGLE_SIX, PLAIN_SIX, ("win", "1:2", 15000, "4.1/initial-six")),
        (DOUBLE_SIX, PLAIN_THREE, ("win", "1:2", 15000, "4.1/initial-six")),
        (PLAIN_SIX, "5S TS TC", ("win", "1:2", 15000, "4.1/initial-six")),
        (PLAIN_SEVEN, DOUBLE_SIX, ("win", "1:1", 20000, "4.1/initial-other")),
    ],
)
def test_3_13_1_higher_ranking_wins_the_initial_bet(player, dealer, expected):
    assert settle_wager(LUCKY, player, dealer, "initial") == expected


@rule("3.13.2", "3.2", "3.3", "App-G")
@pytest.mark.parametrize(
    ("player", "dealer"),
    [(PLAIN_SIX, SINGLE_SIX), (DOUBLE_SIX, PLAIN_SEVEN), ("KC QC 9S", THREE_PICTURES), ("TC TD TH", "KS QH TS")],
)
def test_3_13_2_lower_ranking_loses_the_initial_bet(player, dealer):
    assert settle_wager(LUCKY, player, dealer, "initial") == ("lose", None, 0, "3.13.2")


@rule("3.13.3", "4.1/tie-other", "1.10")
def test_3_13_3_same_ranking_returns_the_initial_bet_and_pays_the_lucky_tie():
    answer = settle(LUCKY, OTHER_SINGLE_SIX, entry(1, "P1", SINGLE_SIX, initial=10000, lucky_tie=500))
    wagers = answer["boxes"][0]["wagers"]
    assert (wagers["initial"]["result"], wagers["initial"]["returned"]) == ("push", 10000)
    assert wagers["initial"]["paragraph"] == "3.13.3"
    assert (wagers["lucky_tie"]["pays"], wagers["lucky_tie"]["returned"]) == ("8:1", 4500)


@rule("3.13.4")
def test_3_13_4_same_points_other_ranking_pays_the_lucky_tie_and_the_initial_bet_still_wins_or_loses():
    player_wins = settle(LUCKY, PLAIN_SIX, entry(1, "P1", SINGLE_SIX, initial=10000, lucky_tie=500))
    assert player_wins["boxes"][0]["wagers"]["initial"]["result"] == "win"
    assert player_wins["boxes"][0]["wagers"]["lucky_tie"]["returned"] == 4500
    dealer_wins = settle(LUCKY, SINGLE_SIX, entry(1, "P1", PLAIN_SIX, initial=10000, lucky_tie=500))
    assert dealer_wins["boxes"][0]["wagers"]["initial"]["result"] == "lose"
    assert dealer_wins["boxes"][0]["wagers"]["lucky_tie"]["returned"] == 4500


@rule("1.10", "4.1/tie-three-pictures", "4.1/tie-8-9", "4.1/tie-other")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_PICTURES, OTHER_THREE_PICTURES, ("win", "600:1", 60100, "4.1/tie-three-pictures")),
        ("9S TH TD", "KC QC 9H", ("win", "10:1", 1100, "4.1/tie-8-9")),  # same points are enough (L-20)
        ("8S TH TD", "KC 8C TS", ("win", "10:1", 1100, "4.1/tie-8-9")),
        (PLAIN_SEVEN, "KC 7C TS", ("win", "8:1", 900, "4.1/tie-other")),
        ("TC TD TH", "KC QC TS", ("win", "8:1", 900, "4.1/tie-other")),
        (PLAIN_SEVEN, DOUBLE_SIX, ("lose", None, 0, "1.10")),
    ],
)
def test_4_1_lucky_tie(player, dealer, expected):
    assert settle_wager(LUCKY, player, dealer, "lucky_tie", 100) == expected


@rule("1.10", "1.12", "1.16", "1.21")
def test_l_04_three_pictures_counts_nought_and_ties_a_zero_at_eight_to_one():
    for player, dealer, initial in ((THREE_PICTURES, "TC TD TH", "win"), ("TC TD TH", THREE_PICTURES, "lose")):
        answer = settle(LUCKY, dealer, entry(1, "P1", player, initial=100, lucky_tie=100))
        wagers = answer["boxes"][0]["wagers"]
        assert wagers["initial"]["result"] == initial
        assert (wagers["lucky_tie"]["pays"], wagers["lucky_tie"]["ruling"]) == ("8:1", "L-04")


@rule("1.9", "1.12", "4.1/pictures-six", "4.1/pictures-five", "4.1/pictures-four", "4.1/pictures-three")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_PICTURES, OTHER_THREE_PICTURES, ("win", "1000:1", 100100, "4.1/pictures-six")),
        (THREE_PICTURES, "KC QC 5S", ("win", "100:1", 10100, "4.1/pictures-five")),
        ("KC QC 5S", THREE_PICTURES, ("win", "100:1", 10100, "4.1/pictures-five")),
        (THREE_PICTURES, "KC TC 5S", ("win", "10:1", 1100, "4.1/pictures-four")),
        ("KS QH 5D", "KC JC 5S", ("win", "10:1", 1100, "4.1/pictures-four")),
        (THREE_PICTURES, "TC TH 5S", ("win", "4:1", 500, "4.1/pictures-three")),
        ("KS 5H 5D", "KC JC 5S", ("win", "4:1", 500, "4.1/pictures-three")),  # one and two, together (L-03)
        ("KS TH 5D", "KC TC 5S", ("lose", None, 0, "1.9")),
        ("KS QH 5D", "TC TS 5S", ("lose", None, 0, "1.9")),
    ],
)
def test_4_1_lucky_pictures_counts_both_hands_together(player, dealer, expected):
    assert settle_wager(LUCKY, player, dealer, "lucky_pictures", 100) == expected


LUCKY_SIX_CASES = [
    # winner's hand, other hand, odds or None, line
    (DOUBLE_SIX, PLAIN_THREE, 25, "two"),
    (SINGLE_SIX, PLAIN_THREE, 15, "one"),
    (PLAIN_SIX, "5S TS TC", 10, "none"),
    (DOUBLE_SIX, SINGLE_SIX, 25, "two"),  # a six over a six counts, priced by the winner (L-01)
    (SINGLE_SIX, PLAIN_SIX, 15, "one"),
    (SINGLE_SIX, OTHER_SINGLE_SIX, None, None),  # same ranking: neither wins
    (PLAIN_SIX, SINGLE_SIX, None, None),
    (DOUBLE_SIX, PLAIN_SEVEN, None, None),
    (PLAIN_SEVEN, DOUBLE_SIX, None, None),
    (THREE_PICTURES, SINGLE_SIX, None, None),
]


@rule("1.15", "4.1/player6-two", "4.1/player6-one", "4.1/player6-none")
@pytest.mark.parametrize(("player", "dealer", "odds", "line"), LUCKY_SIX_CASES)
def test_4_1_player_lucky_6(player, dealer, odds, line):
    expected = (
        ("win", f"{odds}:1", 100 + odds * 100, f"4.1/player6-{line}") if odds else ("lose", None, 0, "1.15")
    )
    assert settle_wager(LUCKY, player, dealer, "player_lucky_6", 100) == expected


@rule("1.4", "4.1/dealer6-two", "4.1/dealer6-one", "4.1/dealer6-none")
@pytest.mark.parametrize(("dealer", "player", "odds", "line"), LUCKY_SIX_CASES)
def test_4_1_dealer_lucky_6(dealer, player, odds, line):
    expected = ("win", f"{odds}:1", 100 + odds * 100, f"4.1/dealer6-{line}") if odds else ("lose", None, 0, "1.4")
    assert settle_wager(LUCKY, player, dealer, "dealer_lucky_6", 100) == expected


@rule("1.4")
def test_1_4_dealer_lucky_6_is_judged_for_each_box():
    answer = settle(
        LUCKY,
        SINGLE_SIX,
        entry(1, "P1", PLAIN_SEVEN, initial=100, dealer_lucky_6=100),
        entry(2, "P2", PLAIN_THREE, initial=100, dealer_lucky_6=100),
    )
    results = [box["wagers"]["dealer_lucky_6"]["result"] for box in answer["boxes"]]
    assert results == ["lose", "win"]


@rule("5.13")
@pytest.mark.parametrize("wager", ["lucky_tie", "lucky_pictures", "player_lucky_6", "dealer_lucky_6"])
def test_5_13_side_bet_without_initial_is_returned(wager):
    answer = settle(
        LUCKY,
        PLAIN_SIX,
        entry(1, "P1", "", **{wager: 700}),
        entry(2, "P2", PLAIN_SEVEN, initial=100),
    )
    side = answer["boxes"][0]["wagers"][wager]
    assert (side["result"], side["returned"], side["paragraph"]) == ("returned", 700, "5.13")
    assert answer["boxes"][0]["hand"] is None


@rule("3.9", "1.14")
def test_3_9_anyone_may_bet_on_the_side_of_a_box_with_an_initial_bet():
    answer = settle(
        LUCKY,
        "KC 7C TS",
        entry(1, "P1", PLAIN_SEVEN, initial=100),
        entry(1, "P2", PLAIN_SEVEN, lucky_tie=100),
    )
    assert answer["boxes"][1]["wagers"]["lucky_tie"]["returned"] == 900


@rule("1.11", "4.1/initial-six")
def test_l_05_half_of_an_odd_amount_is_rounded_down_and_the_line_says_so():
    answer = settle(LUCKY, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, initial=25))
    initial = answer["boxes"][0]["wagers"]["initial"]
    assert (initial["paid"], initial["returned"], initial["ruling"]) == (12, 37, "L-05")
    even = settle(LUCKY, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, initial=26))["boxes"][0]["wagers"]["initial"]
    assert (even["paid"], "ruling" in even) == (13, False)


@rule("3.8")
def test_3_8_a_player_may_bet_on_several_boxes():
    answer = settle(
        LUCKY, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, initial=100), entry(4, "P1", "9S 9H 9D", initial=300)
    )
    assert [box["returned"] for box in answer["boxes"]] == [150, 600]
