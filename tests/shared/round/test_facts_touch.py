"""Who touched cards, until the report (X-19), and how a wrong deal was put right (X-23, L-40)."""

import pytest

from tests.support.books import facts
from tests.support.books.facts import BY_BOX, MANAGER, RWS, STAKE, SUPERVISOR, as_read, dealt, end, offers
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

# -- touching


TOUCHED = {
    LUCKY: None,
    NON_COMMISSION: None,
    MBS: ("ruling", "misdeal_handled", MANAGER, "5.3", "M-13"),
    POKER: ("ruling", "misdeal_handled", MANAGER, "5.1.4", "T-24"),
}
UNTOUCHED = {LUCKY: "5.5.4", NON_COMMISSION: "5.5.4", MBS: "5.3", ROYAL: "5.4", POKER: "5.1.4"}


@pytest.mark.parametrize(
    "touch", [None, ("look", 1, "P1"), ("handled", 2), ("handled", 2, "P1"), ("turned", "5D", "P1")]
)
def test_x_19_what_is_touched_while_a_card_is_in_doubt_counts(game, touch):
    top = dealt(game)
    top.do("card", "3C")
    if touch:
        top.do(*touch)
    records = top.do("irregularity", "misdeal")
    if not touch:
        assert of_kind(records, "void")[0][1] == UNTOUCHED[game]
    elif game in RWS:
        assert offers(records) == BY_BOX
    elif game == ROYAL:
        assert facts.told(records) == [("misdeal_handled", "5.6", "R-15")]
    else:
        assert facts.asked(records) == TOUCHED[game]


@pytest.mark.parametrize("asked", ["check", "ruling", "choose", "order", "tell"])
def test_x_20_touching_can_be_told_while_the_round_waits_for_anything(asked):
    top = dealt(LUCKY)
    facts.make_wait(top, asked)
    assert top.do("handled", 2, "P2") == []
    assert top.do("look", 1, "P1") == []
    assert top.round.handled
    assert (top.state, top.asked) == ("frozen", asked)


def test_x_20_a_look_that_is_not_allowed_is_told_as_touching():
    """L 3.10: a player examines one hand only."""
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", STAKE), (2, "P1", "initial", STAKE))
    top.deal(**facts.HANDS)
    top.do("look", 1, "P1")
    top.do("card", "3C")
    assert facts.code(top, "look", 2, "P1") == "looked_once"
    assert top.do("handled", 2, "P1") == []


def test_x_20_touching_is_told_of_a_hand_that_is_out_and_after_payment(game):
    top = dealt(game)
    assert facts.code(top, "handled", 3) == "no_hand_in_play"
    top.do("irregularity", "other")
    top.do("ruling", "hand_out", MANAGER, box=2)
    top.do("handled", 2)
    end(top)
    top.do("handled", 1)
    top.do("open")
    assert facts.code(top, "handled", 1) == "no_hand_in_play"


# -- put right (X-23, L-40)


@pytest.mark.parametrize("kind", [("misdeal",), ("wrong_count", 1)])
def test_x_23_untouched_cards_are_saved_by_moving_complete_hands_and_by_nothing_else(game, kind):
    for put_right in (None, "restored"):
        top = dealt(game)
        records = top.do("irregularity", *kind, put_right=put_right)
        assert of_kind(records, "void")[0][1] == UNTOUCHED[game]
        assert len(facts.back(records)) == 2
    top = dealt(game)
    assert top.refused("irregularity", *kind, put_right="mended") == "X-23"
    records = top.do("irregularity", *kind, put_right="moved")
    assert [record[:3] for record in records] == [["reconstructed", kind[0], UNTOUCHED[game]]]
    assert end(top) == as_read(game)


@pytest.mark.parametrize("put_right", [None, "moved", "restored"])
@pytest.mark.parametrize("touched", [True, False])
@pytest.mark.parametrize("paid", [True, False])
@pytest.mark.parametrize(("game", "void"), [(MBS, ["void", "5.4", "M-14"]), (ROYAL, ["void", "5.9", "R-16"])])
def test_l_40_in_m_and_r_a_wrong_count_of_the_dealer_voids_whatever_was_put_right(
    game, void, touched, put_right, paid
):
    top = dealt(game, touched=touched)
    if paid:
        end(top)
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right, by=SUPERVISOR)
    assert of_kind(records, "void") == [void]
    assert len(of_kind(records, "reversed")) == (2 if paid else 0)
    assert sum(facts.back(records).values()) == 2 * STAKE


@pytest.mark.parametrize("kind", ["foreign_card", "deck_count", "not_shuffled"])
@pytest.mark.parametrize("game", RWS)
def test_x_23_what_no_moving_of_hands_puts_right_is_void_after_payment_too(game, kind):
    top = dealt(game)
    end(top)
    assert of_kind(top.do("irregularity", kind, put_right="moved", by=SUPERVISOR), "void")
