"""Facts at awkward moments: what lies on the table is known late, or in an odd order."""

import pytest

from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

MAINS = {LUCKY: "initial", NON_COMMISSION: "initial", MBS: "main", ROYAL: "main", POKER: "ante"}
SUPERVISOR = "pit_supervisor"


def dealt(game, words, boxes=1, device="shoe", **config):
    """A table with $10 on each of these boxes and these cards, in the order in which they came."""
    top = TableTop(game, device=device, **config)
    top.bets(*[(box, f"P{box}", MAINS[game], 1000) for box in range(1, boxes + 1)])
    top.do("close")
    for word in words.split():
        top.do("card", word)
    return top


def settled(game, words, boxes=1, device="shoe"):
    top = dealt(game, words, boxes, device)
    if game == POKER:
        top.do("decide", 1, "play")
    return top, top.finish()


# Shoe, one box: box, dealer, box, dealer, box, dealer.
NINE_AGAINST_NINE = "9H 2S KD 3C QD 4C"  # K Q 9: a double nine; 2 3 4: a plain nine, so the box wins


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION, MBS, ROYAL])
def test_x_25_a_card_that_was_misread_is_put_right_when_the_hand_is_shown(game):
    """The dealer's 2S is a KS: K 3 4, seven, and the box's nine wins as before. With 4H for KD the box loses."""
    top = dealt(game, NINE_AGAINST_NINE)
    if game in (MBS, ROYAL):
        top.do("show", 1, "dealer")
    top.do("reveal")
    top.do("lies", "KD", SUPERVISOR)
    assert top.refused("settle")
    top.do("entered", "4H", SUPERVISOR, 1)  # 9 4 Q: three, against nine
    [line] = of_kind(top.do("settle"), "line")
    assert line[4] == "lose"


def test_x_25_a_card_that_was_misread_is_put_right_after_settlement_by_the_manager():
    """The box was paid $10 on its nine; with 4H for KD it has three and lost."""
    top, _ = settled(NON_COMMISSION, NINE_AGAINST_NINE)
    top.do("handled", 1)
    top.do("lies", "KD", SUPERVISOR)
    top.do("entered", "4H", SUPERVISOR, 1)
    assert of_kind(top.do("all_told", SUPERVISOR), "ask")[0][1:3] == ["ruling", "misdeal_handled"]
    records = top.do("ruling", "correct", "shift_manager")
    assert of_kind(records, "reversed")[0][:6] == ["reversed", 1, "P1", "initial", 1000, 2000]
    assert of_kind(records, "total") == [["total", 1000, 0, 1000]]


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_5_4_a_card_that_lies_open_without_a_name_is_asked_for_before_the_round_is_void(game):
    top = dealt(game, "9H ?? KD KC QD QC")
    top.do("reveal")
    assert of_kind(top.do("power_failure"), "ask")[0][1] == "tell"
    top.do("entered", "2S", SUPERVISOR, 0)  # 2 K Q: two, and the nine of box 1 wins for certain
    assert of_kind(top.do("all_told"), "outcome")[0][1:5] == [1, "P1", "initial", "win"]
    assert of_kind(top.do("settle"), "line")[0][4] == "win"


def test_r_5_13_1_nobody_withdraws_once_the_dealers_hand_is_shown():
    top = dealt(ROYAL, "9H ?? KD KC QD QC")
    top.do("show", 1)
    top.do("reveal")
    top.do("power_failure")
    top.do("entered", "9S", SUPERVISOR, 0)  # nine against nine of the same kind: a standoff decides nothing
    assert of_kind(top.do("all_told"), "ask")[0][1:4] == ["ruling", "power_failure", "shift_manager"]


def test_r_17_nobody_withdraws_once_the_dealers_cards_have_all_been_seen():
    top = dealt(ROYAL, "9H KS 2D KD 2C QD")
    top.do("look", 1, "P1")
    top.do("irregularity", "misdeal")
    top.do("show", 1)
    for word in ("KS", "KD"):
        top.do("turned", word)
    assert of_kind(top.do("turned", "QD"), "noted")
    assert top.refused("withdraw", 1, "P1", SUPERVISOR) == "5.7"


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_x_13_nobody_withdraws_once_the_dealers_cards_have_all_been_seen(game):
    top = dealt(game, "9H KS 2D KD 2C QD")
    top.do("look", 1, "P1")
    assert of_kind(top.do("turned", "KS"), "ask")[0][1] == "choose"
    top.do("turned", "KD")
    top.do("turned", "QD")
    assert top.refused("choose", "P1", 1, "withdraw") == "X-13"
    assert of_kind(top.do("choose", "P1", 1, "continue"), "ask")[0][1] == "ruling"


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_x_22_an_unknown_card_that_turns_out_to_lie_elsewhere_is_a_double(game):
    top = dealt(game, "?? KS KD 3C QD 4C")
    top.do("look", 1, "P1")
    assert of_kind(top.do("turned", "KS", "P1", 1), "ask") == [
        ["ask", "check", "deck_count", "dealer", "5.5.2", "X-07"]
    ]
    assert of_kind(top.do("irregularity", "deck_count"), "void")


def test_t_3_8_a_card_at_an_empty_box_gives_nobody_a_decision():
    top = dealt(POKER, NINE_AGAINST_NINE)
    top.do("decide", 1, "play")
    top.do("lies", "9H", SUPERVISOR, 3)
    assert top.refused("decide", 3, "play")


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION, MBS, ROYAL])
def test_x_25_a_card_entered_while_the_round_waits_ends_the_deal(game):
    top = dealt(
        game, "9H 2S KD 3C QD" if game != MBS else "9H KD QD 2S 3C", device="shuffler" if game == MBS else "shoe"
    )
    top.do("card", "9H")  # read twice
    top.do("entered", "4C", SUPERVISOR, 0)
    top.do("irregularity", "misdeal", put_right="moved")
    assert top.state == "playing"


@pytest.mark.parametrize(
    ("game", "report"),
    [(MBS, ("wrong_count", 0)), (ROYAL, ("wrong_count", 0)), (NON_COMMISSION, ("foreign_card",))],
)
def test_x_23_what_voids_in_every_case_is_not_saved_by_hands_that_were_moved(game, report):
    top, _ = settled(
        game,
        NINE_AGAINST_NINE if game != MBS else "9H KD QD 2S 3C 4C",
        device="shuffler" if game == MBS else "shoe",
    )
    assert of_kind(top.do("irregularity", *report, put_right="moved", by=SUPERVISOR), "void")


def test_r_5_8_1_the_first_card_exposed_voids_known_or_not():
    top = dealt(ROYAL, "??")
    assert of_kind(top.do("turned", "5H", None, 1), "void") == [["void", "5.8.1", "R-19"]]
    top = dealt(ROYAL, "")
    assert of_kind(top.do("card", "??", True), "void") == [["void", "5.8.1", "R-19"]]
    top = dealt(ROYAL, "5H")
    top.do("lies", "5H", SUPERVISOR, 3)
    assert of_kind(top.do("turned", "5H"), "void") == [["void", "5.8.1", "R-19"]]
    top = dealt(ROYAL, "5H 6H")
    top.do("power_failure")
    top.do("turned", "5H")
    assert of_kind(top.do("all_told"), "offer"), "with no outcome the players may withdraw"
    assert of_kind(top.do("choices_done"), "void") == [["void", "5.8.1", "R-19"]]


def test_r_5_8_1_a_player_does_not_void_the_round_by_turning_up_his_first_card():
    top = dealt(ROYAL, "5H")
    assert of_kind(top.do("turned", "5H", "P1"), "noted") == [["noted", "own_card", "5.8", "R-19"]]
    assert top.state == "dealing"


def test_t_5_1_2_cards_that_nobody_could_read_and_loose_cards_count_as_exposed():
    top = dealt(POKER, "")
    top.do("card", "??", True)
    assert of_kind(top.do("turned", "5H", None, 1), "seen") == [["seen", "5H"]]  # its name, not a second card
    assert of_kind(top.do("card", "6H", True), "void") == [["void", "5.1.2", "T-21"]]
    top = dealt(POKER, "5H")
    top.do("lies", "5H", SUPERVISOR)
    top.do("turned", "5H")
    assert of_kind(top.do("card", "6H", True), "void") == [["void", "5.1.2", "T-21"]]


def test_5_12_chips_are_counted_while_the_round_waits():
    top = dealt(NON_COMMISSION, "9H KS 2D KD 2C QD")
    top.do("turned", "KS")
    top.do("counted", 1, "P1", "initial", 5000, SUPERVISOR)
    assert of_kind(top.do("choose", "P1", 1, "withdraw"), "refund")[0][4] == 5000


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_l_37_a_side_bet_without_initial_bet_found_after_payment_is_reversed_and_goes_back(game):
    """The Initial Bet of $10 that P1 was paid on never lay there, so P2's tie beside it was not in play."""
    tie = "lucky_tie" if game == LUCKY else "tie"
    top = TableTop(game)
    top.bets((1, "P1", "initial", 1000), (1, "P2", tie, 500), (2, "P3", "initial", 1000))
    top.deal(b1="9H KD QD", b2="2H 2D 2C", dealer="2S 3C 4C")
    top.finish()
    records = top.do("counted", 1, "P1", "initial", 0, SUPERVISOR)
    assert of_kind(records, "recounted") == [["recounted", 1, "P1", "initial", 1000, 0]]
    assert [one[:5] for one in of_kind(records, "refund")] == [["refund", 1, "P2", tie, 500]]
    assert [one[:5] for one in of_kind(records, "line")] == [["line", 2, "P3", "initial", "lose"]]
    assert of_kind(records, "total") == [["total", 1000, 0, 1000]]


def test_t_30_a_progressive_that_nobody_told_is_counted_before_the_first_card():
    top = TableTop(POKER)
    top.bets((1, "P1", "ante", 1000))
    top.do("close")
    meter = top.round.meter
    top.do("counted", 1, "P1", "progressive", 500, SUPERVISOR)
    assert top.round.meter == meter + 100
    top.do("counted", 1, "P1", "progressive", 0, SUPERVISOR)
    assert top.round.meter == meter


def test_x_24_without_amounts_chips_are_there_or_not():
    top = TableTop(NON_COMMISSION, amounts=False)
    top.bets()
    top.do("close")
    assert top.refused("counted", 1, "P1", "initial", 500, SUPERVISOR) is None
    top.do("counted", 1, "P1", "initial", 1, SUPERVISOR)
    assert top.round.order == [1]


def test_x_21_chips_that_went_back_and_chips_that_were_lost_after_settlement():
    """$15 with a maximum of $10: $5 went back and $10 were lost. All $15 are gone: $5 were his, $10 he owes."""
    top = TableTop(ROYAL, limits={"main": [100, 1000]})
    top.bets((1, "P1", "main", 1500))
    top.deal(b1="2H 2D 2C", dealer="9S KC QC")
    top.finish()
    records = top.do("chips_gone", 1, "P1", "main", 1500)
    assert [(one[0], one[4]) for one in records] == [("stands", 1500), ("kept", 500), ("debt", 1000)]
    assert top.refused("chips_gone", 1, "P1", "main") == "5.3"


def swapped(top):
    for word, place in (("9H", 2), ("KD", 2), ("QD", 2), ("2S", 1), ("3C", 1), ("4C", 1)):
        top.do("lies", word, SUPERVISOR, place)


TWO_BOXES = "9H KD QD 2S 3C 4C 5D 6D 7D"  # nine double, nine plain; the dealer has eight: both win


def test_x_20_everything_is_told_before_a_settlement_is_judged():
    top, _ = settled(NON_COMMISSION, TWO_BOXES, 2, "shuffler")
    top.do("irregularity", "other", by=SUPERVISOR)
    swapped(top)
    records = top.do("ruling", "correct", "shift_manager")
    assert [one[1] for one in of_kind(records, "line")] == [1, 2]
    assert top.state == "settled"


def test_l_30_hands_told_after_settlement_are_judged_when_all_is_told():
    top = dealt(NON_COMMISSION, TWO_BOXES, 2, "shuffler")
    top.do("reveal")
    top.do("settle")
    swapped(top)
    assert top.state == "frozen"
    assert top.refused("all_told") == "N-11"
    assert of_kind(top.do("all_told", SUPERVISOR), "void") == [["void", "5.5.4", "X-04"]]
    top = dealt(NON_COMMISSION, TWO_BOXES, 2, "shuffler")
    top.do("reveal")
    top.do("settle")
    swapped(top)
    assert of_kind(top.do("irregularity", "misdeal", put_right="moved", by=SUPERVISOR), "noted")
    assert top.state == "settled"


def test_x_20_in_royal_a_settlement_on_other_hands_is_for_the_manager():
    """2D for the box's KD: 9 2 Q is one, against nine: paid $10, owed nothing."""
    top, _ = settled(ROYAL, NINE_AGAINST_NINE)
    top.do("handled", 1)
    top.do("lies", "KD", SUPERVISOR)
    top.do("entered", "2D", SUPERVISOR, 1)
    assert of_kind(top.do("all_told", SUPERVISOR), "ask")[0][1:4] == [
        "ruling",
        "misdeal_handled",
        "shift_manager",
    ]
    records = top.do("ruling", "correct", "shift_manager")
    assert of_kind(records, "reversed") == [["reversed", 1, "P1", "main", 1000, 2000, "R-16"]]
    assert of_kind(records, "total") == [["total", 1000, 0, 1000]]


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_x_13_a_wrong_count_with_the_dealers_hand_in_view_is_for_the_manager(game):
    top = dealt(game, "9H 2S 5D KD 3C 6D QD 4C 7D", 2)
    top.do("handled", 1)
    top.do("reveal")
    records = top.do("irregularity", "wrong_count", 1)
    assert of_kind(records, "removed")[0][1] == 1
    assert of_kind(records, "ask")[0][1:4] == ["ruling", "wrong_count_handled", "shift_manager"]


def test_5_6_a_round_that_nobody_plays_any_more_waits_for_nobody():
    top = dealt(NON_COMMISSION, "9H KS 2D KD 2C QD")
    top.do("turned", "KS")
    top.do("turned", "KD")
    top.do("choose", "P1", 1, "withdraw")
    assert top.state == "settled"


def test_n_10_a_bet_on_the_players_hand_alone_is_decided_though_the_dealer_has_four_cards():
    top = TableTop(NON_COMMISSION, device="shoe")
    top.bets((1, "P1", "initial", 1000), (1, "P1", "three_pictures", 500), (2, "P2", "initial", 1000))
    top.deal(b1="9H KD QD", b2="2H 2D 2C", dealer="2S 3C 4C")
    top.do("show", 1)
    top.do("lies", "2H", SUPERVISOR, 0)
    top.do("power_failure")
    if top.state == "frozen":
        top.do("all_told")
    assert top.state == "playing", "the Three Pictures bet is lost: its hand shows a nine"
