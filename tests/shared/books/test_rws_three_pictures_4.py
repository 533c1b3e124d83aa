"""Non-Commission Three Pictures: every pay line and every way to lose, worked out by hand."""

import pytest

from tests.support.tables import NON_COMMISSION, entry, rule, settle, settle_wager

BOOK = NON_COMMISSION

THREE_PICTURES = "KS QH JD"
OTHER_THREE_PICTURES = "KC QC JS"
SINGLE_SIX = "KH 4H 2D"
OTHER_SINGLE_SIX = "JC 3C 3D"
PLAIN_SIX = "2C 3H AD"
PLAIN_THREE = "2S 3C 8C"
PLAIN_SEVEN = "7S TH TD"


@rule("1.7", "1.8", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.13", "3.13.1", "3.13.2", "App-C")
@rule("1.9", "1.12", "4.1", "4.1/initial-six", "4.1/initial-other")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_PICTURES, "KC QC 9S", ("win", "1:1", 20000, "4.1/initial-other")),
        ("KS QH 9D", "2S 3S 4S", ("win", "1:1", 20000, "4.1/initial-other")),
        (SINGLE_SIX, PLAIN_SIX, ("win", "1:2", 15000, "4.1/initial-six")),
        (PLAIN_SIX, PLAIN_THREE, ("win", "1:2", 15000, "4.1/initial-six")),
        (PLAIN_SIX, SINGLE_SIX, ("lose", None, 0, "3.13.2")),
        ("KC QC 9S", THREE_PICTURES, ("lose", None, 0, "3.13.2")),
    ],
)
def test_4_1_initial_bet(player, dealer, expected):
    assert settle_wager(NON_COMMISSION, player, dealer, "initial") == expected


@rule("3.13.3")
def test_3_13_3_same_ranking_returns_the_initial_bet_and_pays_the_tie():
    answer = settle(NON_COMMISSION, OTHER_SINGLE_SIX, entry(1, "P1", SINGLE_SIX, initial=10000, tie=500))
    wagers = answer["boxes"][0]["wagers"]
    assert (wagers["initial"]["result"], wagers["initial"]["returned"]) == ("push", 10000)
    assert wagers["tie"]["returned"] == 4500


@rule("1.18", "3.13.4", "4.1/tie")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (SINGLE_SIX, PLAIN_SIX, ("win", "8:1", 900, "4.1/tie")),
        (PLAIN_SIX, SINGLE_SIX, ("win", "8:1", 900, "4.1/tie")),
        ("9S TH TD", "KC QC 9H", ("win", "8:1", 900, "4.1/tie")),
        (THREE_PICTURES, OTHER_THREE_PICTURES, ("win", "8:1", 900, "4.1/tie")),  # one flat price (N-02)
        (THREE_PICTURES, "TC TD TH", ("win", "8:1", 900, "4.1/tie")),  # N-04
        (SINGLE_SIX, PLAIN_SEVEN, ("lose", None, 0, "1.18")),
    ],
)
def test_3_13_4_tie_bet(player, dealer, expected):
    assert settle_wager(NON_COMMISSION, player, dealer, "tie", 100) == expected


@rule("1.17", "4.1/three-pictures")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_PICTURES, PLAIN_SIX, ("win", "16:1", 1700, "4.1/three-pictures")),
        (THREE_PICTURES, OTHER_THREE_PICTURES, ("win", "16:1", 1700, "4.1/three-pictures")),
        (PLAIN_SIX, THREE_PICTURES, ("lose", None, 0, "1.17")),  # the dealer's does not count (N-03)
        ("KS QH TD", PLAIN_SIX, ("lose", None, 0, "1.17")),
    ],
)
def test_4_1_three_pictures_bet(player, dealer, expected):
    assert settle_wager(NON_COMMISSION, player, dealer, "three_pictures", 100) == expected


@rule("5.13")
@pytest.mark.parametrize("wager", ["tie", "three_pictures"])
def test_5_13_side_bet_without_initial_is_returned(wager):
    answer = settle(
        NON_COMMISSION, PLAIN_SIX, entry(1, "P1", "", **{wager: 700}), entry(2, "P2", PLAIN_SEVEN, initial=100)
    )
    side = answer["boxes"][0]["wagers"][wager]
    assert (side["result"], side["returned"], side["paragraph"]) == ("returned", 700, "5.13")


@rule("3.9", "3.8", "1.11")
def test_3_9_anyone_may_bet_on_the_side_of_a_box_with_an_initial_bet():
    answer = settle(
        NON_COMMISSION, "KC 7C TS", entry(1, "P1", PLAIN_SEVEN, initial=100), entry(1, "P2", PLAIN_SEVEN, tie=100)
    )
    assert answer["boxes"][1]["wagers"]["tie"]["returned"] == 900


@rule("1.8")
def test_n_05_half_of_an_odd_amount_is_rounded_down():
    initial = settle(NON_COMMISSION, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, initial=1))["boxes"][0]["wagers"][
        "initial"
    ]
    assert (initial["paid"], initial["returned"], initial["ruling"]) == (0, 1, "N-05")
