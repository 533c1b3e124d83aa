"""Royal Three Pictures: every pay line and every way to lose, worked out by hand."""

import pytest

from tests.support.tables import ROYAL, entry, rule, settle, settle_wager

BOOK = ROYAL

THREE_PICTURES = "KS QH JD"
OTHER_THREE_PICTURES = "KC QC JS"
SINGLE_SIX = "KH 4H 2D"
PLAIN_SIX = "2C 3H AD"
PLAIN_THREE = "2S 3C 8C"
PLAIN_SEVEN = "7S TH TD"


@rule("2.2.1", "3.3", "3.4", "3.17", "3.17.1", "3.17.1.1", "3.18", "3.18.1", "3.18.2", "3.22")
@rule("1.1.2", "4.1", "4.1/main-six", "4.1/main-other")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_PICTURES, "KC QC 9S", ("win", "1:1", 20000, "4.1/main-other")),
        (PLAIN_SEVEN, "KC QC 6S", ("win", "1:1", 20000, "4.1/main-other")),
        ("9C 9D AH", "KC QC 8S", ("win", "1:1", 20000, "4.1/main-other")),
        (SINGLE_SIX, PLAIN_SIX, ("win", "1:2", 15000, "4.1/main-six")),
        (PLAIN_SIX, PLAIN_THREE, ("win", "1:2", 15000, "4.1/main-six")),
        (PLAIN_SIX, SINGLE_SIX, ("lose", None, 0, "3.16")),
        ("TC TD TH", "2C TS 9D", ("lose", None, 0, "3.16")),
    ],
)
def test_4_1_main_wager(player, dealer, expected):
    assert settle_wager(ROYAL, player, dealer, "main") == expected


@rule("1.1.5", "3.20", "3.21")
def test_1_1_5_a_standoff_gives_the_main_wager_back():
    assert settle_wager(ROYAL, "KC KD 5H", "QS JS 5S", "main") == ("push", None, 10000, "1.1.5")


@rule("1.1.6", "2.2.2", "3.19", "4.1/tie")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (SINGLE_SIX, "JC 3C 3D", ("win", "8:1", 900, "4.1/tie")),
        (SINGLE_SIX, PLAIN_SIX, ("win", "8:1", 900, "4.1/tie")),
        (THREE_PICTURES, OTHER_THREE_PICTURES, ("win", "8:1", 900, "4.1/tie")),
        ("TC TD TH", THREE_PICTURES, ("win", "8:1", 900, "4.1/tie")),
        (SINGLE_SIX, PLAIN_SEVEN, ("lose", None, 0, "1.1.6")),
    ],
)
def test_3_19_tie_wager(player, dealer, expected):
    assert settle_wager(ROYAL, player, dealer, "tie", 100) == expected


@rule("1.1.4", "2.2.3", "4.2", "4.2/three-kings", "4.2/three-queens", "4.2/three-jacks", "4.2/three-pictures")
@rule("4.2/picture-pair", "4.2/any-king", "1.1.4.1", "1.1.4.2", "1.1.4.2.1", "1.1.4.2.2", "1.1.4.2.3")
@rule("1.1.4.3", "1.1.4.4", "1.1.4.5", "1.1.4.6")
@pytest.mark.parametrize(
    ("player", "odds", "line"),
    [
        ("KS KH KD", 188, "three-kings"),
        ("QS QH QD", 128, "three-queens"),
        ("JS JH JD", 88, "three-jacks"),
        ("KS QH JD", 18, "three-pictures"),
        ("KS KH QD", 18, "three-pictures"),  # a pair needs a non-picture beside it
        ("QS QH JD", 18, "three-pictures"),
        ("KS KH 9D", 8, "picture-pair"),  # the pair, not Any King
        ("QS QH TD", 8, "picture-pair"),  # a ten is a non-picture
        ("JS JH AD", 8, "picture-pair"),
        ("KS 4H 2D", 1, "any-king"),
        ("KS TH TD", 1, "any-king"),
        ("KS QH 2D", 1, "any-king"),
        ("KS JH 2D", 1, "any-king"),
        ("QS JH 2D", None, None),
        ("QS 4H 2D", None, None),
        ("JS TH 2D", None, None),
        ("TS TH TD", None, None),
        ("4S 4H 4D", None, None),
    ],
)
@pytest.mark.parametrize("dealer", ["2C 3C 4C", "KC QC JC"])
def test_4_2_royal_pictures_whatever_the_dealer_holds(player, dealer, odds, line):
    expected = ("win", f"{odds}:1", 100 + odds * 100, f"4.2/{line}") if odds else ("lose", None, 0, "1.1.4")
    assert settle_wager(ROYAL, player, dealer, "royal_pictures", 100) == expected


@rule("3.5")
def test_3_5_a_side_wager_needs_somebodys_main_wager_on_the_position():
    answer = settle(
        ROYAL,
        PLAIN_SIX,
        entry(1, "P1", PLAIN_SEVEN, main=100),
        entry(1, "P2", PLAIN_SEVEN, tie=100, royal_pictures=100),
        entry(2, "P3", "", tie=300, royal_pictures=400),
    )
    assert [wager["result"] for wager in answer["boxes"][1]["wagers"].values()] == ["lose", "lose"]
    alone = answer["boxes"][2]["wagers"]
    assert [(w["result"], w["returned"], w["paragraph"], w["ruling"]) for w in alone.values()] == [
        ("returned", 300, "3.5", "R-13"),
        ("returned", 400, "3.5", "R-13"),
    ]


@rule("4.1/main-six")
def test_r_12_half_of_an_odd_amount_is_rounded_down():
    main = settle(ROYAL, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, main=33))["boxes"][0]["wagers"]["main"]
    assert (main["paid"], main["returned"], main["ruling"]) == (16, 49, "R-12")
