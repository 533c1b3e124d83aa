"""Facts that come out after payment (X-20): the book's rule on corrections, and money that really moves back."""

import pytest

from tests.support.books import facts
from tests.support.books.facts import (
    MANAGER,
    RWS,
    STAKE,
    SUPERVISOR,
    as_read,
    as_they_lie,
    dealt,
    end,
    only,
    p2_leaves,
)
from tests.support.play import of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL


def settled(game, *side_bets, touched=True, **config):
    top = dealt(game, *side_bets, **config)
    for box in (1, 2):
        if game == POKER:
            top.do("decide", box, "play")
        elif not touched:
            top.do("show", box, "dealer")
        else:
            top.do("show", box)
    top.do("reveal")
    return top, top.do("settle")


@pytest.mark.parametrize("game", RWS)
def test_l_30_untouched_cards_that_lay_otherwise_void_the_round(game):
    top, _ = settled(game, touched=False)
    assert facts.code(top, "lies", "2S", "dealer", 2) == "post_too_low"
    records = top.do("lies", "2S", SUPERVISOR, 2)
    assert facts.asked(records) == ("tell", "misdeal", SUPERVISOR, "5.5.4", "X-04")
    top.do("lies", "4C", SUPERVISOR, 1)
    assert facts.code(top, "all_told", "dealer") == "post_too_low"
    records = top.do("all_told", SUPERVISOR)
    assert [record[1:6] for record in of_kind(records, "reversed")] == [
        [1, "P1", "initial", STAKE, 0],
        [2, "P2", "initial", STAKE, 0],
    ]
    assert of_kind(records, "void") == [["void", "5.5.4", "X-04"]]
    assert facts.back(records) == {(1, "P1", "initial"): STAKE, (2, "P2", "initial"): STAKE}
    top.do("open")


ASKED_LATER = [
    (LUCKY, True, "5.6", None),
    (NON_COMMISSION, True, "5.6", None),
    (MBS, True, "5.3", "M-13"),
    (MBS, False, "5.3", "X-04"),
    (ROYAL, True, "5.6", "R-15"),
    (ROYAL, False, "5.4", "X-04"),
    (POKER, True, "5.1.4", "T-24"),
]


@pytest.mark.parametrize("half_told", [False, True])
@pytest.mark.parametrize("ruling", ["correct", "continue", "void"])
@pytest.mark.parametrize(("game", "touched", "paragraph", "reading"), ASKED_LATER)
def test_x_20_after_payment_the_manager_rules_and_the_money_follows(
    game, touched, paragraph, reading, ruling, half_told
):
    top, records = settled(game, touched=touched)
    assert facts.results(records) == as_read(game)
    one, other = facts.swapped(game)
    situation = "misdeal_handled" if touched else "misdeal"
    records = top.do("lies", one, SUPERVISOR, 2)
    assert facts.asked(records) == ("tell", situation, SUPERVISOR, paragraph, reading)
    assert facts.code(top, "open") == "not_possible_now"
    if half_told:
        records = top.do("all_told", SUPERVISOR)
        assert facts.code(top, "ruling", "correct", MANAGER) == "not_three_cards"
    assert not of_kind(top.do("lies", other, SUPERVISOR, 1), "ask")
    if not half_told:
        records = top.do("all_told", SUPERVISOR)
    assert facts.asked(records) == ("ruling", situation, MANAGER, paragraph, reading)
    assert facts.code(top, "ruling", ruling, SUPERVISOR) == "post_too_low"
    records = top.do("ruling", ruling, MANAGER)
    wagers = 4 if game == POKER else 2
    if ruling == "continue":
        assert of_kind(records, "reversed") == of_kind(records, "line") == []
    elif ruling == "void":
        assert len(of_kind(records, "reversed")) == wagers
        assert sum(facts.back(records).values()) == wagers * STAKE
    else:
        reversed_ = of_kind(records, "reversed")
        paid = sum(record[5] for record in reversed_)
        assert paid == (8 * STAKE if game == POKER else 0)  # all of it was taken back
        assert facts.results(records) == as_they_lie(game)
        staked = wagers * STAKE
        returned = 4 * STAKE if game == POKER else 2 * STAKE  # of the one hand that wins
        assert of_kind(records, "total") == [["total", staked, returned, staked - returned]]
    assert top.state == ("void" if ruling == "void" else "settled")
    top.do("open")


def test_x_20_after_payment_a_card_of_a_hand_that_is_out_changes_nothing(game):
    top = dealt(game, touched=True)
    p2_leaves(top)
    assert end(top) == only("P1", as_read(game))
    assert top.do("lies", "7H", SUPERVISOR, 3) == [["lies", "7H", 2, 3]]
    assert top.state == "settled"


def test_t_22_a_jackpot_paid_for_a_hand_that_was_not_there_is_taken_back_with_its_meter():
    """As read box 1 has AKQ of spades: the meter of 10,002 dollars by hand, 5 to 1 on the ante, envy for P2.

    QS lies in box 2 and 7H in box 1: ace-high wins against queen-high 1 to 1, twice; queen-high with a seven
    loses to the dealer's queen-high with a jack; the progressive wagers lose. The meter keeps both shares.
    """
    bets = [(box, f"P{box}", "progressive", 500) for box in (1, 2)]
    top = facts.laid(POKER, *bets)
    top.deal(b1="AS KS QS", b2="7H 4D 2C", dealer="QC JD 3S")
    for box in (1, 2):
        top.do("decide", box, "play")
    records = top.finish()
    assert of_kind(records, "hand_pay")[0][1:3] == ["P1", 1_000_200]
    assert of_kind(records, "envy")[0][1:3] == ["P2", 25_000]
    assert top.round.meter == 250_000
    top.exchange("QS", "7H")
    top.do("all_told", SUPERVISOR)
    records = top.do("ruling", "correct", MANAGER)
    reversed_ = {tuple(record[1:4]): record[5] for record in of_kind(records, "reversed")}
    assert reversed_ == {
        (1, "P1", "ante"): 2 * STAKE,
        (1, "P1", "play"): 2 * STAKE,
        (1, "P1", "progressive"): 1_000_200,
        (1, "P1", None): 5 * STAKE,
        (2, "P2", "ante"): 0,
        (2, "P2", "play"): 0,
        (2, "P2", "progressive"): 0,
        (None, "P2", None): 25_000,
    }
    assert facts.results(records) == {"P1": 2 * STAKE - 500, "P2": -2 * STAKE - 500}
    assert of_kind(records, "meter") == [["meter", 1_000_200, "reversal", "T-22"]]
    assert of_kind(records, "envy") == of_kind(records, "hand_pay") == of_kind(records, "bonus") == []
    assert top.round.meter == 1_000_200
    top.do("open")  # no jackpot waits


def test_t_18_a_jackpot_that_lay_there_all_along_is_paid_by_the_correction():
    top = facts.laid(POKER, (1, "P1", "progressive", 500))
    top.deal(b1="AS KS 7H", b2="QS 4D 2C", dealer="QC JD 3S")
    for box in (1, 2):
        top.do("decide", box, "play")
    # Ace-high wins against queen-high; queen-high with a four loses to queen-high with a jack.
    assert facts.results(top.finish()) == {"P1": 2 * STAKE - 500, "P2": -2 * STAKE}
    top.exchange("7H", "QS")
    top.do("all_told", SUPERVISOR)
    records = top.do("ruling", "correct", MANAGER)
    # Ante and play 1 to 1, the bonus 5 to 1, and the meter for a stake that stays with the House.
    assert facts.results(records) == {"P1": 7 * STAKE + 1_000_100 - 500, "P2": -2 * STAKE}
    assert of_kind(records, "hand_pay")[0][1:3] == ["P1", 1_000_100]
    assert (top.round.meter, top.round.hand_pays) == (250_000, ["P1"])
    assert facts.code(top, "open") == "jackpot_unpaid"


@pytest.mark.parametrize(
    ("b1", "dealer", "swapped", "result", "used"),
    [
        ("KS 5D 2S", "QC TD 8S", ("2S", "8S"), "win", ["P1"]),  # K 5 8, three; Q 10 2, two
        ("KS 5D 2S", "QC TD 8S", ("5D", "8S"), "lose", ["P1"]),  # K 8 2, nought; Q 10 5, five
        ("KS 4D 3D", "QC 4S 5S", ("3D", "4S"), "push", []),  # K 4 4 and Q 3 5, both eight: a standoff is free
    ],
)
def test_r_20_a_correction_uses_the_allowance_by_the_hands_as_they_lie(b1, dealer, swapped, result, used):
    top = facts.TableTop(ROYAL, limits={"main": [500, 10_000]})
    top.bets((1, "P1", "main", 300))
    top.deal(b1=b1, dealer=dealer)
    assert (of_kind(top.finish(), "line")[0][4], top.round.allowed_once) == ("lose", ["P1"])
    top.exchange(*swapped)
    top.do("all_told", SUPERVISOR)
    assert of_kind(top.do("ruling", "correct", MANAGER), "line")[0][4] == result
    assert top.round.allowed_once == used
