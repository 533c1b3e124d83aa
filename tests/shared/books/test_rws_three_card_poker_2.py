"""Three Card Poker: every pay line and every way to lose, worked out by hand."""

import pytest

from host.rules.json_lines import RequestError
from tests.support.tables import POKER, entry, rule, settle

BOOK = POKER

NO_QUEEN = "JC TD 8H"
QUEEN_HIGH = "QC 4D 2H"
METER = 12_345_67


def settle_player(cards, dealer, decision="play", **wagers):
    """Wagers of one player on box 1 and his ante bonus."""
    answer = settle(POKER, dealer, entry(1, "P1", cards, decision=decision, **wagers), meter=METER)
    return answer["boxes"][0]["wagers"], answer["boxes"][0]["ante_bonus"]


def outcome(wager):
    return wager["result"], wager["returned"], wager["paragraph"]


@rule("3.9", "3.9.1", "3.9.2", "4.1/ante", "1/ante", "1/play")
@pytest.mark.parametrize("cards", ["AC KC QC", "9C 4C 2D", "5C 3D 2S"])
def test_3_9_without_a_queen_the_dealer_pays_every_ante_and_gives_play_back(cards):
    """Even to a hand below his own (T-10); Play is given back, not lost (T-09)."""
    wagers, _ = settle_player(cards, NO_QUEEN, ante=1000)
    assert outcome(wagers["ante"]) == ("win", 2000, "3.9.2")
    assert outcome(wagers["play"]) == ("push", 1000, "3.9.1")


@rule("3.5", "3.10", "3.10.1", "4.1", "4.1/ante", "4.1/play", "2.1.1.b")
def test_3_10_1_a_higher_hand_wins_ante_and_play():
    wagers, _ = settle_player("KC 4C 2D", QUEEN_HIGH, ante=1000)
    assert outcome(wagers["ante"]) == ("win", 2000, "4.1/ante")
    assert outcome(wagers["play"]) == ("win", 2000, "4.1/play")
    assert (wagers["ante"]["pays"], wagers["play"]["pays"]) == ("1:1", "1:1")


@rule("3.10.2")
def test_3_10_2_a_lower_hand_loses_ante_and_play():
    wagers, _ = settle_player("QH 3C 2D", QUEEN_HIGH, ante=1000)
    assert outcome(wagers["ante"]) == ("lose", 0, "3.10.2")
    assert outcome(wagers["play"]) == ("lose", 0, "3.10.2")


@rule("3.10.3", "1/stand-off", "3.5.4")
def test_3_10_3_the_same_hand_is_a_stand_off_on_ante_and_play():
    wagers, _ = settle_player("QH 4C 2D", QUEEN_HIGH, ante=1000)
    assert outcome(wagers["ante"]) == ("push", 1000, "3.10.3")
    assert outcome(wagers["play"]) == ("push", 1000, "3.10.3")


@rule("3.8.1", "1/fold", "3.8")
def test_3_8_1_a_fold_loses_ante_and_pair_plus_even_with_a_paying_hand():
    wagers, bonus = settle_player("AC AD AH", NO_QUEEN, "fold", ante=1000, pair_plus=500, progressive=100)
    assert outcome(wagers["ante"]) == ("lose", 0, "3.8.1")
    assert outcome(wagers["pair_plus"]) == ("lose", 0, "3.8.1")
    assert outcome(wagers["progressive"]) == ("lose", 0, "1/fold")  # T-06
    assert "play" not in wagers
    assert bonus is None  # T-07


@rule("3.8.2", "3.3")
def test_3_8_2_pair_plus_alone_plays_without_a_play_wager():
    wagers, bonus = settle_player("5C 5D 2S", "AC AD KH", pair_plus=500)
    assert list(wagers) == ["pair_plus"]
    assert outcome(wagers["pair_plus"]) == ("win", 1000, "4.2/pair")
    assert bonus is None


@rule("3.8.2", "1/play")
def test_3_8_2_the_play_wager_equals_the_ante():
    wagers, _ = settle_player("KC 4C 2D", QUEEN_HIGH, ante=1234, play=1234)
    assert wagers["play"]["stake"] == 1234
    with pytest.raises(RequestError, match=r"boxes\[0\].wagers.play"):
        settle_player("KC 4C 2D", QUEEN_HIGH, ante=1234, play=1000)
    with pytest.raises(RequestError, match=r"boxes\[0\].wagers.play"):
        settle_player("KC 4C 2D", QUEEN_HIGH, "fold", ante=1234, play=1234)


KINDS = [
    # cards, pair plus odds, ante bonus odds, progressive sum, line
    ("KC QC JC", 40, 5, 17500, "straight-flush"),
    ("3C 2C AC", 40, 5, 17500, "straight-flush"),
    ("2C 2D 2S", 30, 4, 15000, "trips"),
    ("4C 3C 2S", 5, 1, 1500, "straight"),
    ("AC KC QS", 5, 1, 1500, "straight"),
    ("9C 7C 2C", 4, None, None, "flush"),
    ("2C 2D 3S", 1, None, None, "pair"),
    ("AC KC JS", None, None, None, None),
    ("KC AC 2S", None, None, None, None),
]
DEALERS = ["JH TH 8D", "QH 9H 8D", "AH AS AD"]


@rule(
    "1/pair-plus",
    "3.9.3",
    "3.10.4",
    "4.2",
    "4.2/straight-flush",
    "4.2/trips",
    "4.2/straight",
    "4.2/flush",
    "4.2/pair",
)
@pytest.mark.parametrize(("cards", "odds", "_bonus", "_sum", "line"), KINDS)
@pytest.mark.parametrize("dealer", DEALERS)
def test_4_2_pair_plus_whatever_the_dealer_holds(cards, odds, _bonus, _sum, line, dealer):
    wagers, _ = settle_player(cards, dealer, pair_plus=100)
    expected = ("win", 100 + odds * 100, f"4.2/{line}") if odds else ("lose", 0, "1/pair-plus")
    assert outcome(wagers["pair_plus"]) == expected


@rule("1/ante-bonus", "3.9.3", "3.10.4", "4.3", "4.3/straight-flush", "4.3/trips", "4.3/straight")
@pytest.mark.parametrize(("cards", "_odds", "bonus_odds", "_sum", "line"), KINDS)
@pytest.mark.parametrize("dealer", DEALERS)
def test_4_3_ante_bonus_whatever_the_dealer_holds(cards, _odds, bonus_odds, _sum, line, dealer):
    """Also when the ante is lost or stands off (T-11): the last dealer beats most of these hands."""
    _, bonus = settle_player(cards, dealer, ante=100)
    if bonus_odds is None:
        assert bonus is None
    else:
        assert bonus == {"pays": f"{bonus_odds}:1", "paid": bonus_odds * 100, "paragraph": f"4.3/{line}"}


@rule("3.4", "3.11", "4.4", "4.4/straight-flush", "4.4/trips", "4.4/straight", "2.1.1.c")
@pytest.mark.parametrize(("cards", "_odds", "_bonus", "cents", "line"), KINDS)
@pytest.mark.parametrize("dealer", DEALERS)
def test_4_4_progressive_pays_sums_and_keeps_the_stake(cards, _odds, _bonus, cents, line, dealer):
    """T-03: what is returned is what is paid."""
    wagers, _ = settle_player(cards, dealer, ante=1000, progressive=500)
    expected = ("win", cents, f"4.4/{line}") if cents else ("lose", 0, "3.11")
    assert outcome(wagers["progressive"]) == expected
    assert wagers["progressive"]["paid"] == (cents or 0)


@rule("4.4/akq-spades", "4.4/akq-other", "3.5.1")
def test_4_4_akq_of_spades_takes_the_meter_and_of_another_suit_a_sum():
    wagers, bonus = settle_player("QS AS KS", NO_QUEEN, ante=1000, pair_plus=100, progressive=500)
    assert outcome(wagers["progressive"]) == ("win", METER, "4.4/akq-spades")  # highest line only (T-20)
    assert bonus == {"pays": "5:1", "paid": 5000, "paragraph": "4.3/straight-flush"}
    for suit in "HDC":
        wagers, _ = settle_player(f"A{suit} K{suit} Q{suit}", "JS TS 8S", ante=1000, progressive=500)
        assert outcome(wagers["progressive"]) == ("win", 125000, "4.4/akq-other")


@rule("3.4")
def test_3_4_progressive_without_ante_is_returned_and_earns_no_envy():
    answer = settle(
        POKER,
        NO_QUEEN,
        entry(1, "P1", "", progressive=500),
        entry(2, "P2", "5C 5D 2S", pair_plus=100, progressive=500, decision="play"),
        entry(3, "P3", "AH KH QH", ante=1000, decision="play"),
    )
    for box in answer["boxes"][:2]:
        progressive = box["wagers"]["progressive"]
        assert (outcome(progressive), progressive["ruling"]) == (("returned", 500, "3.4"), "T-30")
    assert answer["envy"] == {}


def envy(*entries):
    return settle(POKER, NO_QUEEN, *entries, meter=METER)["envy"]


ROYAL_HEARTS = "AH KH QH"
ROYAL_SPADES = "AS KS QS"
NOTHING = "9C 7D 2S"
NOTHING_ELSE = "9D 7S 2C"


@rule("3.12", "4.4/akq-other", "4.4/akq-spades")
@pytest.mark.parametrize(("cards", "cents"), [(ROYAL_HEARTS, 5000), (ROYAL_SPADES, 25000)])
@pytest.mark.parametrize("achiever_bets_progressive", [True, False])
def test_3_12_every_other_seated_progressive_player_gets_envy(cards, cents, achiever_bets_progressive):
    extra = {"progressive": 100} if achiever_bets_progressive else {}
    assert envy(
        entry(1, "P1", cards, ante=1000, decision="play", **extra),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play"),
        entry(3, "P3", NOTHING_ELSE, ante=1000, decision="play"),  # no progressive, no envy
    ) == {"P2": cents}


@rule("3.12", "4.4/straight-flush", "4.4/trips", "4.4/straight")
@pytest.mark.parametrize("cards", ["KH QH JH", "AC AD AH", "AH KH QD"])
def test_3_12_only_the_two_top_hands_bring_envy(cards):
    assert envy(
        entry(1, "P1", cards, ante=1000, decision="play"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play"),
    ) == {}  # fmt: skip


@rule("3.13")
def test_3_13_pair_plus_alone_brings_no_envy_but_another_top_hand_does():
    assert envy(
        entry(1, "P1", ROYAL_SPADES, pair_plus=1000, decision="play"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play"),
        entry(3, "P3", ROYAL_HEARTS, ante=1000, decision="play"),
    ) == {"P2": 5000}


@rule("3.12")
def test_t_12_two_top_hands_add_up_and_each_achiever_gets_the_others():
    assert envy(
        entry(1, "P1", ROYAL_SPADES, ante=1000, progressive=100, decision="play"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play"),
        entry(3, "P3", ROYAL_HEARTS, ante=1000, progressive=100, decision="play"),
    ) == {"P1": 5000, "P2": 30000, "P3": 25000}


@rule("3.12")
def test_t_13_and_t_14_envy_is_per_player_and_not_for_his_own_hand():
    assert envy(
        entry(1, "P1", ROYAL_HEARTS, ante=1000, progressive=100, decision="play"),
        entry(2, "P1", NOTHING, ante=1000, progressive=100, decision="play"),
        entry(3, "P2", NOTHING_ELSE, ante=1000, progressive=100, decision="play"),
        entry(4, "P2", "9H 7C 2D", ante=1000, progressive=100, decision="play"),
    ) == {"P2": 5000}


@rule("3.12", "1/fold")
def test_t_15_a_folded_top_hand_brings_no_envy():
    assert envy(
        entry(1, "P1", ROYAL_HEARTS, ante=1000, decision="fold"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play"),
    ) == {}  # fmt: skip


@rule("3.12")
def test_t_16_a_standing_player_gets_no_envy():
    assert envy(
        entry(1, "P1", ROYAL_HEARTS, ante=1000, decision="play"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="play", seated=False),
        entry(3, "P3", NOTHING_ELSE, ante=1000, progressive=100, decision="play", seated=True),
    ) == {"P3": 5000}


@rule("3.12")
def test_t_32_a_player_who_folded_still_gets_envy():
    assert envy(
        entry(1, "P1", ROYAL_HEARTS, ante=1000, decision="play"),
        entry(2, "P2", NOTHING, ante=1000, progressive=100, decision="fold"),
    ) == {"P2": 5000}


@rule("4.4/akq-spades", "2.1.1.a")
def test_t_18_a_box_has_one_player_so_the_jackpot_is_never_shared():
    with pytest.raises(RequestError, match="has one player"):
        envy(
            entry(1, "P1", ROYAL_SPADES, ante=1000, progressive=100, decision="play"),
            entry(1, "P2", ROYAL_SPADES, ante=1000, progressive=100, decision="play"),
        )


@rule("1/fold")
def test_t_31_a_folded_hand_is_not_shown():
    answer = settle(POKER, NO_QUEEN, entry(1, "P1", "AC AD AH", ante=100, decision="fold"))
    assert answer["boxes"][0]["hand"] == {"folded": True}
