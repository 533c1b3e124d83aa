"""Three Pictures (MBS): every pay line and every way to lose, worked out by hand."""

import pytest

from tests.support.tables import MBS, entry, rule, settle, settle_wager

BOOK = MBS

THREE_KNIGHTS = "KS QH JD"
OTHER_THREE_KNIGHTS = "KC QC JS"
SINGLE_SIX = "KH 4H 2D"
PLAIN_SIX = "2C 3H AD"
PLAIN_THREE = "2S 3C 8C"
PLAIN_SEVEN = "7S TH TD"


@rule("2.2.1", "3.8", "3.8.1", "3.8.1.1", "3.9", "3.9.1", "3.9.2", "3.10", "3.11", "3.12")
@rule("4.1", "4.1/main-six", "4.1/main-other")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_KNIGHTS, "KC QC 9S", ("win", "1:1", 20000, "4.1/main-other")),  # 3.10
        (PLAIN_SEVEN, "KC QC 6S", ("win", "1:1", 20000, "4.1/main-other")),  # 3.11
        ("KS QH 9D", "KC 4C 5S", ("win", "1:1", 20000, "4.1/main-other")),  # 3.12
        ("9C 9D AH", "KC QC 8S", ("win", "1:1", 20000, "4.1/main-other")),  # 19 counts nine
        (SINGLE_SIX, PLAIN_SIX, ("win", "1:2", 15000, "4.1/main-six")),
        (PLAIN_SIX, PLAIN_THREE, ("win", "1:2", 15000, "4.1/main-six")),
        (PLAIN_SIX, SINGLE_SIX, ("lose", None, 0, "3.7")),
        ("KC QC 9S", THREE_KNIGHTS, ("lose", None, 0, "3.7")),
        ("TC TD TH", "2C TS 9D", ("lose", None, 0, "3.7")),
    ],
)
def test_4_1_main_wager(player, dealer, expected):
    assert settle_wager(MBS, player, dealer, "main") == expected


@rule("3.13", "3.14", "3.15")
def test_3_13_a_tied_hand_gives_the_main_wager_back():
    answer = settle(MBS, "QS JS 5S", entry(1, "P1", "KC KD 5H", main=10000))
    main = answer["boxes"][0]["wagers"]["main"]
    assert (main["result"], main["returned"], main["paragraph"], main["ruling"]) == (
        "push",
        10000,
        "3.13",
        "M-02",
    )


@rule("1.1.3", "2.2.2", "3.13.1", "4.1/tie")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (SINGLE_SIX, "JC 3C 3D", ("win", "8:1", 900, "4.1/tie")),
        (SINGLE_SIX, PLAIN_SIX, ("win", "8:1", 900, "4.1/tie")),  # points alone count (M-01)
        ("9S TH TD", "KC QC 9H", ("win", "8:1", 900, "4.1/tie")),
        (THREE_KNIGHTS, OTHER_THREE_KNIGHTS, ("win", "8:1", 900, "4.1/tie")),
        (THREE_KNIGHTS, "TC TD TH", ("win", "8:1", 900, "4.1/tie")),  # M-03
        (SINGLE_SIX, PLAIN_SEVEN, ("lose", None, 0, "1.1.3")),
    ],
)
def test_3_13_1_tie_bet(player, dealer, expected):
    assert settle_wager(MBS, player, dealer, "tie", 100) == expected


@rule("1.1.1", "1.1.2", "2.2.3", "4.1/three-pictures")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        (THREE_KNIGHTS, PLAIN_SIX, ("win", "16:1", 1700, "4.1/three-pictures")),
        (THREE_KNIGHTS, OTHER_THREE_KNIGHTS, ("win", "16:1", 1700, "4.1/three-pictures")),  # M-10
        ("KS QH TD", PLAIN_SIX, ("lose", None, 0, "1.1.2")),
        (PLAIN_SIX, THREE_KNIGHTS, ("lose", None, 0, "1.1.2")),
    ],
)
def test_4_1_three_pictures_bet(player, dealer, expected):
    assert settle_wager(MBS, player, dealer, "three_pictures", 100) == expected


@rule("3.3")
@pytest.mark.parametrize("wager", ["tie", "three_pictures"])
def test_3_3_a_side_bet_needs_the_players_own_main_wager(wager):
    answer = settle(
        MBS, PLAIN_SIX, entry(1, "P1", PLAIN_SEVEN, main=100), entry(1, "P2", PLAIN_SEVEN, **{wager: 700})
    )
    side = answer["boxes"][1]["wagers"][wager]
    assert (side["result"], side["returned"], side["paragraph"], side["ruling"]) == (
        "returned",
        700,
        "3.3",
        "M-23",
    )


@rule("4.1/main-six")
def test_m_08_half_of_an_odd_amount_is_rounded_down():
    main = settle(MBS, PLAIN_THREE, entry(1, "P1", PLAIN_SIX, main=101))["boxes"][0]["wagers"]["main"]
    assert (main["paid"], main["returned"], main["ruling"]) == (50, 151, "M-08")
