"""Bets found after closing: an empty round (X-24), bets that never lay there, minimums (L-41); and bounds."""

import pytest

from shared.round.bets import _MOST_BETS, _MOST_SEATS
from shared.round.corrections import MOST_HELD
from tests.support.books import facts
from tests.support.books.facts import HANDS, MAIN, RWS, STAKE, SUPERVISOR, as_read, dealt, end, laid
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, POKER, ROYAL

# -- a round that closes without a bet


def empty(game, **config):
    top = TableTop(game, **config)
    top.do("open")
    assert [record[1] for record in of_kind(top.do("close"), "state")] == ["closed"]
    assert top.round.is_over()
    return top


def test_x_24_chips_that_nobody_told_are_counted_after_an_empty_closing(game):
    top = empty(game)
    main = MAIN[game]
    assert facts.code(top, "counted", 1, "P1", main, STAKE, "dealer") == "post_too_low"
    assert top.do("counted", 1, "P1", main, STAKE, SUPERVISOR) == [["recounted", 1, "P1", main, 0, STAKE]]
    assert not top.round.is_over()
    assert facts.code(top, "open") == "not_possible_now"
    top.do("counted", 2, "P2", main, STAKE, SUPERVISOR)
    top.deal(**HANDS)
    assert end(top) == as_read(game)


def test_x_24_the_operator_names_the_post_that_counts_chips(game):
    top = empty(game, posts={"chips": "dealer"})
    top.do("counted", 1, "P1", MAIN[game], STAKE, "dealer")
    assert top.round.order == [1]


def test_x_24_the_next_round_opens_over_an_empty_one(game):
    top = empty(game)
    top.do("new_day", "dealer")
    assert [record[0] for record in top.do("power_failure")] == ["noted"]
    assert top.do("open")
    assert (top.state, top.round.number) == ("betting", 2)


def test_x_24_a_card_that_comes_after_an_empty_closing_is_in_doubt(game):
    top = empty(game)
    assert facts.asked(top.do("card", "KS"))[:2] == ("check", "misdeal")
    assert facts.code(top, "open") == "not_possible_now"
    assert facts.code(top, "counted", 1, "P1", MAIN[game], STAKE, SUPERVISOR) == "cards_are_out"
    top.do("misread")
    top.do("counted", 1, "P1", MAIN[game], STAKE, SUPERVISOR)
    assert top.round.order == [1]


def test_x_24_a_round_whose_only_bets_needed_a_main_wager_is_empty_too():
    """L 5.13: the side bet goes back at closing, then the Initial Bet is found."""
    top = TableTop(LUCKY)
    top.bets((1, "P1", "initial", STAKE), (1, "P2", "lucky_tie", 500))
    top.do("take_back", 1, "P1", "initial")
    assert facts.back(top.do("close")) == {(1, "P2", "lucky_tie"): 500}
    assert top.round.is_over()
    top.do("counted", 1, "P1", "initial", STAKE, SUPERVISOR)
    top.do("counted", 1, "P2", "lucky_tie", 500, SUPERVISOR)
    top.deal(b1=HANDS["b1"], dealer=HANDS["dealer"])
    assert end(top) == {"P1": -STAKE, "P2": -500}


# -- a bet that never lay there, found after payment


def test_l_37_a_bet_that_never_lay_there_is_taken_out_of_the_settlement(game):
    """P2's bet is struck out; P1 is settled as before. In poker the ante stands once its play wager was made."""
    top = dealt(game)
    end(top)
    main = MAIN[game]
    if game == POKER:
        assert facts.code(top, "counted", 2, "P2", main, 0, SUPERVISOR) == "decided"
        return
    assert facts.code(top, "counted", 2, "P2", main, 1000, SUPERVISOR) == "cards_are_out"
    assert facts.code(top, "counted", 2, "P2", main, 0, "dealer") == "post_too_low"
    records = top.do("counted", 2, "P2", main, 0, SUPERVISOR)
    assert [record[1:6] for record in of_kind(records, "reversed")] == [
        [1, "P1", main, STAKE, 0],
        [2, "P2", main, STAKE, 0],
    ]
    assert facts.results(records) == facts.only("P1", as_read(game))
    assert of_kind(records, "total") == [["total", STAKE, 0, STAKE]]


def test_t_30_a_progressive_that_never_lay_there_takes_its_share_out_of_the_meter():
    """AKQ of spades won the meter of $10,002; without P2's wager it was $10,001, and P2 has no envy."""
    top = laid(POKER, (1, "P1", "progressive", 500), (2, "P2", "progressive", 500))
    top.deal(b1="AS KS QS", b2=HANDS["b2"], dealer="QC TD 8H")
    for box in (1, 2):
        top.do("decide", box, "play")
    records = top.finish()
    assert of_kind(records, "hand_pay")[0][1:3] == ["P1", 1_000_200]
    assert len(of_kind(records, "envy")) == 1
    records = top.do("counted", 2, "P2", "progressive", 0, SUPERVISOR)
    assert of_kind(records, "hand_pay")[0][1:3] == ["P1", 1_000_100]
    assert of_kind(records, "envy") == []
    assert (top.round.meter, top.round.hand_pays) == (250_000, ["P1"])


# -- minimums that together exceed the maximum (L-41)


@pytest.mark.parametrize("game", RWS)
def test_l_41_the_impossible_case_is_flagged_at_the_count_and_nothing_freezes(game):
    """$50 to $100, three bets of $50: all play the minimum, $150 together."""
    top = TableTop(game, limits={"initial": [5000, 10_000]})
    top.bets((1, "P1", "initial", 5000), (1, "P2", "initial", 5000))
    assert not of_kind(top.do("close"), "warning")
    records = top.do("counted", 1, "P3", "initial", 5000, SUPERVISOR)
    assert of_kind(records, "warning") == [["warning", "over_maximum", 1, None, "initial", "5.16"]]
    assert top.state == "closed"
    top.deal(b1="KS 5D 4S", dealer="QC TD 8S")
    records = top.finish()
    assert facts.results(records) == {"P1": 5000, "P2": 5000, "P3": 5000}
    assert of_kind(records, "warning") == []


@pytest.mark.parametrize("game", [MBS, POKER, ROYAL])
def test_l_41_books_that_limit_each_wager_have_no_such_case(game):
    top = TableTop(game, limits={MAIN[game]: [5000, 10_000]})
    top.bets((1, "P1", MAIN[game], 5000))
    top.do("close")
    player = 2 if game == POKER else 1  # a box has one player in poker
    assert not of_kind(top.do("counted", player, "P2", MAIN[game], 10_000, SUPERVISOR), "warning")


# -- bounds: what a device has room for


def test_a_round_holds_so_many_bets_and_no_more():
    top = TableTop(MBS, boxes=16)
    top.do("open")
    for number in range(_MOST_BETS):
        top.do("bet", number % 16 + 1, f"P{number}", "main", 500)
    assert facts.code(top, "bet", 1, "late", "main", 500) == "too_many_bets"
    top.do("bet", 1, "P0", "main", 500)  # more on a bet that lies there
    top.do("take_back", 1, "P0", "main")
    top.do("bet", 1, "P0", "main", 500)
    top.do("close")
    assert facts.code(top, "counted", 1, "late", "main", 500, SUPERVISOR) == "too_many_bets"
    assert of_kind(top.do("irregularity", "foreign_card"), "void")


def test_bets_that_went_back_leave_room_for_others():
    top = TableTop(MBS, boxes=16)
    top.do("open")
    for number in range(3 * _MOST_BETS):
        top.do("bet", number % 16 + 1, f"P{number}", "main", 500)
        top.do("take_back", number % 16 + 1, f"P{number}", "main")
    top.do("bet", 1, "P1", "main", 500)
    assert len(top.round.bets) == 1


def test_a_round_holds_so_many_seats_and_no_more():
    top = TableTop(LUCKY, boxes=16)
    top.do("open")
    for number in range(_MOST_SEATS):
        top.do("seat", number % 16 + 1, f"P{number}", True)
    assert facts.code(top, "seat", 1, "late", True) == "too_many_seats"
    assert facts.code(top, "bet", 1, "late", "initial", 500, True) == "too_many_seats"
    top.do("seat", 1, "P0", False)
    top.do("bet", 1, "late", "initial", 500)


def test_a_table_holds_so_many_players_to_one_position_and_no_more():
    top = TableTop(ROYAL)
    for number in range(MOST_HELD):
        top.do("restrict", 1, f"P{number}", "pit_manager")
    assert facts.code(top, "restrict", 1, "late", "pit_manager") == "too_many_players"
    top.do("open")
    assert facts.code(top, "restrict", 1, "late", "pit_manager") == "too_many_players"
    for _ in range(3):
        top.do("restrict", 0, "P0", "pit_manager")  # told again and again, it is one
    top.do("close")
    top.do("open")
    top.do("restrict", 1, "late", "pit_manager")
