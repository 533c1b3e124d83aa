"""Where a card lies can be told at any time, and the hands are settled as they lie (X-20). Worked out by hand."""

import pytest

from tests.support.books import facts, rws
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
    swap,
)
from tests.support.play import of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

DEVICES = ("shuffler", "shoe")


def test_the_table_pays_otherwise_if_the_cards_lie_otherwise(game):
    assert as_read(game) != as_they_lie(game)
    assert end(dealt(game)) == as_read(game)


@pytest.mark.parametrize("device", DEVICES)
def test_x_20_told_before_any_report_the_hands_are_settled_as_they_lie(game, device):
    top = dealt(game, device=device)
    one, other = facts.swapped(game)
    assert top.do("lies", one, SUPERVISOR, 2) == [["lies", one, 1, 2]]
    assert top.do("lies", other, SUPERVISOR, 1) == [["lies", other, 2, 1]]
    assert not top.round.handled
    assert end(top) == as_they_lie(game)


@pytest.mark.parametrize("touch", [("look", 1, "P1"), ("handled", 2, "P2"), ("handled", 1)])
@pytest.mark.parametrize("when", ["before", "while_asked", "after"])
def test_x_20_told_before_or_after_the_report_or_after_the_other_hand_went_out(game, when, touch):
    top = dealt(game)
    top.do(*touch)
    p2_leaves(top, **{when: (swap,)})
    assert end(top) == only("P1", as_they_lie(game))


@pytest.mark.parametrize("game", RWS)
@pytest.mark.parametrize("when", ["before the ruling", "while players choose", "when P2 has left", "at the end"])
def test_5_10_after_an_order_was_ruled_and_one_box_withdraws(game, when):
    top = dealt(game)
    top.do("irregularity", "drawn_together")
    if when == "before the ruling":
        swap(top)
    top.do("ruling", "order", SUPERVISOR, text="4C is the third card of box 1")
    if when == "while players choose":
        swap(top)
    top.do("choose", "P2", 2, "withdraw")
    if when == "when P2 has left":
        swap(top)
    top.do("choices_done")
    if when == "at the end":
        swap(top)
    assert end(top) == only("P1", as_they_lie(game))


@pytest.mark.parametrize("answer", [("misread",), ("ruling", "continue", MANAGER)])
def test_x_20_told_while_a_card_is_in_doubt(game, answer):
    top = dealt(game)
    assert facts.asked(top.do("card", "3C"))[:2] == ("check", "misdeal")
    swap(top)
    top.do(*answer)
    assert end(top) == as_they_lie(game)


def test_x_20_told_while_a_manager_is_asked(game):
    top = dealt(game)
    assert facts.asked(top.do("irregularity", "other"))[0] == "ruling"
    swap(top)
    top.do("ruling", "continue", MANAGER)
    assert end(top) == as_they_lie(game)


def test_x_20_told_while_the_dealer_is_asked_for_open_cards():
    """R 5.13.1: nothing is decided, both go on."""
    top = dealt(ROYAL)
    assert facts.asked(top.do("power_failure")) == ("tell", "power_failure", "dealer", "5.13", "R-23")
    swap(top)
    top.do("all_told")
    top.do("choices_done")
    assert end(top) == as_they_lie(ROYAL)


@pytest.mark.parametrize(
    ("game", "wager", "cards", "decided"),
    [
        # With 4C in box 1 its hand and the dealer's show four cards that are no picture: L-27.
        (LUCKY, "lucky_pictures", ("5D", "4C", "TD", "8S"), "lose"),
        (NON_COMMISSION, "three_pictures", ("4C",), "lose"),  # N-10: the first of that hand that is none
    ],
)
def test_5_4_1_an_open_card_counts_where_it_lies(game, wager, cards, decided):
    for swapped in (True, False):
        top = dealt(game, (1, "P1", wager, 500))
        top.do("power_failure")
        if swapped:
            swap(top)
        for card in cards:
            top.do("turned", card)
        records = top.do("all_told")
        if swapped:
            assert [record[1:6] for record in of_kind(records, "outcome")] == [[1, "P1", wager, decided, "5.4.1"]]
            assert end(top) == {"P1": STAKE - 500, "P2": -STAKE}
        else:
            assert of_kind(records, "void") == [["void", "5.4.2", rws.READING[game]]]


def test_x_20_told_with_the_result_in_view(game):
    top = dealt(game)
    for box in (1, 2):
        top.do("decide", box, "play") if game == POKER else top.do("show", box, "dealer")
    top.do("reveal")
    one, other = facts.swapped(game)
    hands = {1: facts.HANDS["b1"].split(), 2: facts.HANDS["b2"].split()}
    hands[1].remove(one)
    hands[2].append(one)
    assert top.do("lies", one, SUPERVISOR, 2) == [
        ["lies", one, 1, 2],
        ["shown", 1, hands[1]],
        ["shown", 2, hands[2]],
    ]
    assert facts.code(top, "settle") == "not_three_cards"
    top.do("lies", other, SUPERVISOR, 1)
    assert facts.results(top.do("settle")) == as_they_lie(game)


def test_x_20_after_a_void_round_it_is_known_and_nothing_follows(game):
    top = dealt(game)
    top.do("irregularity", "foreign_card")
    assert top.state == "void"
    one, other = facts.swapped(game)
    assert swap(top) == [["lies", one, 1, 2], ["lies", other, 2, 1]]
    top.do("open")


def test_x_20_what_cannot_be_a_fact_is_refused(game):
    top = facts.laid(game)
    assert facts.code(top, "lies", "2S", SUPERVISOR, 1) == "card_not_dealt"
    top.deal(**facts.HANDS)
    assert facts.code(top, "lies", "2S", SUPERVISOR, 1) == "lies_there_already"
    assert facts.code(top, "lies", "3S", SUPERVISOR, 1) == "card_not_dealt"
    assert facts.code(top, "lies", "JOKER", SUPERVISOR, 1) == "no_such_card"
    assert facts.code(top, "lies", "2S", SUPERVISOR, 4) == "number_expected"
    assert facts.code(top, "lies", "2S", "guest", 2) == "no_such_post"
    assert facts.code(top, "lies", "2S", "dealer", 2) == "post_too_low"
    top.do("lies", "2S", SUPERVISOR, 2)
    assert facts.code(top, "lies", "2S", SUPERVISOR, 2) == "lies_there_already"
    top.do("lies", "2S", SUPERVISOR)
    assert facts.code(top, "lies", "2S", SUPERVISOR) == "lies_there_already"
    top.do("lies", "2S", SUPERVISOR, 1)
    assert end(top) == as_read(game)
    top.do("open")
    assert facts.code(top, "lies", "2S", SUPERVISOR, 2) == "not_possible_now"


def test_x_25_the_operator_names_the_post_that_says_where_cards_lie(game):
    top = dealt(game, posts={"cards": "dealer"})
    top.do("lies", facts.swapped(game)[0], "dealer", 2)
    top.do("lies", facts.swapped(game)[1], "dealer", 1)
    assert end(top) == as_they_lie(game)
    assert facts.code(top, "lies", "TD", "dealer", 1) == "post_too_low"  # payments: only under supervision


# -- a box that got two cards, so that every later card lies one place on


def shifted(game, device="shuffler"):
    """Box 1 got KS 5D, box 2 7H 7D 2S and the dealer QC TD 4C: eight cards, each read for the place before."""
    top = facts.laid(game, device=device)
    one_by_one = top.round.table.deal.cards == 1
    for card in ("KS 7H QC 5D 7D TD 2S 4C" if one_by_one else "KS 5D 2S 7H 7D 4C QC TD").split():
        top.do("card", card)
    assert (top.state, top.round.next_place()) == ("dealing", 0)
    top.do("handled", 1)
    return top


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("told", ["before the report", "after it"])
def test_a_wrong_count_that_shifts_the_cards_leaves_a_hand_for_the_others(game, device, told):
    """Box 2 has 7 + 7 + 2, six, against four: half the stake. In poker a pair of sevens beats queen-high."""
    top = shifted(game, device)
    facts_told = [("lies", "2S", SUPERVISOR, 2), ("lies", "4C", SUPERVISOR, 0)]
    if told == "before the report":
        for fact in facts_told:
            top.do(*fact)
    records = top.do("irregularity", "wrong_count", 1)
    if game in (MBS, POKER):
        assert facts.asked(records)[:2] == ("ruling", "wrong_count_handled")
        records = top.do("ruling", "hand_out", MANAGER, box=1)
    assert facts.back(records) == {(1, "P1", facts.MAIN[game]): STAKE}
    if game in RWS:
        assert [offer[1:] for offer in of_kind(records, "offer")] == [[2, "P2", "5.6.1"]]
        top.do("choose", "P2", 2, "continue")
    if told == "after it":
        assert top.state == "dealing"  # a card for the dealer seems to be missing
        for fact in facts_told:
            top.do(*fact)
    assert top.state == ("deciding" if game == POKER else "playing")
    assert end(top) == {"P2": 2 * STAKE if game == POKER else STAKE // 2}


@pytest.mark.parametrize("game", RWS)
def test_5_8_put_back_in_order_the_missing_card_comes(game):
    """The two cards are moved back and the dealer gets 8S: as read, and both go on (5.6.2)."""
    top = shifted(game)
    top.do("lies", "2S", SUPERVISOR, 2)
    top.do("lies", "4C", SUPERVISOR, 0)
    records = top.do("irregularity", "wrong_count", 1, put_right="restored")
    assert [offer[1:] for offer in of_kind(records, "offer")] == [[1, "P1", "5.6.2"], [2, "P2", "5.6.2"]]
    top.do("lies", "2S", SUPERVISOR, 1)
    top.do("lies", "4C", SUPERVISOR, 2)
    top.do("choices_done")
    assert top.do("card", "8S")[0] == ["dealt", 0, "8S"]
    assert end(top) == as_read(game)


def test_a_card_too_many_lies_in_a_hand_and_that_hand_goes_out(game):
    """3C was read when none was due; it lies in box 2, which has four cards. Box 1 plays on as read."""
    top = dealt(game, touched=True)
    assert facts.asked(top.do("card", "3C"))[:2] == ("check", "misdeal_handled")
    assert top.do("lies", "3C", SUPERVISOR, 2) == [["lies", "3C", None, 2]]
    records = top.do("irregularity", "wrong_count", 2)
    if game in (MBS, POKER):
        records = top.do("ruling", "hand_out", MANAGER, box=2)
    assert facts.back(records) == {(2, "P2", facts.MAIN[game]): STAKE}
    if game in RWS:
        top.do("choices_done")
    assert end(top) == only("P1", as_read(game))


def test_a_hand_without_all_its_cards_is_not_compared(game):
    top = dealt(game)
    top.do("lies", "8S", SUPERVISOR, 1)
    for box in (1, 2):
        top.do("decide", box, "play") if game == POKER else top.do("show", box, "dealer")
    assert facts.code(top, "reveal") == "not_three_cards"
    top.do("lies", "8S", SUPERVISOR, 0)
    assert end(top) == as_read(game)
