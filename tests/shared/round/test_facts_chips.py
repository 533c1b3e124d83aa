"""Chips that are gone although that was refused (X-21). Worked out by hand."""

import pytest

from tests.support.books import facts
from tests.support.books.facts import HANDS, MAIN, MANAGER, RWS, STAKE, SUPERVISOR, as_read, dealt, laid
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

CITED = {
    LUCKY: ["5.12", "L-17"],
    NON_COMMISSION: ["5.12", "L-17"],
    POKER: [None, "T-26"],
    MBS: ["5.6", "M-17"],
    ROYAL: ["5.3", "R-27"],
}
WINS = {
    "b1": "KS 5D 4S",
    "b2": "7H 7D 4C",
    "dealer": "QC TD 8S",
}  # nine against eight; king-high against queen-high


def end_without(top, *gone):
    """Deal hands of which box 1 wins and box 2 loses, or in poker wins too; take chips away; settle."""
    if top.state == "closed":
        top.deal(**WINS)
    for event in gone:
        top.do(*event)
    for box in top.round.order:
        if top.state == "deciding":
            top.do("decide", box, "play")
    return top.finish()


def debts(records, kind="debt"):
    return [record[1:5] for record in of_kind(records, kind)]


def test_x_21_chips_that_are_gone_are_still_won_or_lost(game):
    """A loss is a debt; a win is paid on the full stake, less what the player holds already."""
    top = laid(game)
    main = MAIN[game]
    assert top.do("chips_gone", 1, "P1", main) == [["stands", 1, "P1", main, STAKE, *CITED[game]]]
    assert top.do("chips_gone", 2, "P2", main, by="dealer") == [["stands", 2, "P2", main, STAKE, *CITED[game]]]
    records = end_without(top)
    winners = [1, 2] if game == POKER else [1]
    assert debts(records, "kept") == [[box, f"P{box}", main, STAKE] for box in winners]
    assert debts(records) == ([] if game == POKER else [[2, "P2", main, STAKE]])
    assert facts.results(records)["P1"] == (2 if game == POKER else 1) * STAKE
    assert {record[5] for record in records if record[0] in ("kept", "debt")} == {CITED[game][1]}


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION, POKER])
def test_x_21_the_refusal_comes_first_and_the_fact_after_it(game):
    top = laid(game)
    assert facts.code(top, "take_back", 1, "P1", MAIN[game]) == "stays_at_stake"
    top.do("chips_gone", 1, "P1", MAIN[game])
    assert debts(end_without(top), "kept") == [[1, "P1", MAIN[game], STAKE]]


def test_t_26_a_loss_in_poker_is_a_debt_too():
    """Nine-high against queen-high: ante and play are lost, and both stakes are gone."""
    top = laid(POKER)
    top.deal(b1="9S 5D 4S", b2=HANDS["b2"], dealer=HANDS["dealer"])
    top.do("chips_gone", 1, "P1", "ante")
    assert facts.code(top, "chips_gone", 1, "P1", "play") == "no_such_bet"
    top.do("decide", 1, "play")
    top.do("chips_gone", 1, "P1", "play", 1000)
    top.do("decide", 2, "play")
    records = top.finish()
    assert debts(records) == [[1, "P1", "ante", STAKE], [1, "P1", "play", 1000]]
    assert facts.results(records)["P1"] == -2 * STAKE


def test_t_03_the_stake_of_a_jackpot_win_stays_with_the_house_though_its_chips_are_gone():
    """A straight flush pays $175 for a stake of $5 that is not given back: $170 are handed out."""
    top = laid(POKER, (1, "P1", "progressive", 500))
    top.do("chips_gone", 1, "P1", "progressive")
    top.deal(b1="6H 5H 4H", b2="7H 7D 4C", dealer="QC TD 8S")
    records = end_without(top)
    [line] = [line for line in of_kind(records, "line") if line[3] == "progressive"]
    assert line[8:10] == [17_500, 17_500]
    assert debts(records, "kept") == [[1, "P1", "progressive", 500]]


@pytest.mark.parametrize("told", ["closed", "dealing", "playing", "frozen", "revealed", "settled"])
def test_x_21_chips_are_gone_at_any_time_from_closing_to_the_next_opening(game, told):
    """As read P1 loses in the Three Pictures books and wins in poker: a debt, or chips that he holds already."""
    top = TableTop(game)
    main = MAIN[game]
    top.bets((1, "P1", main, STAKE), (2, "P2", main, STAKE))
    assert facts.code(top, "chips_gone", 1, "P1", main) == "not_possible_now"
    top.do("close")
    records = []

    def tell(state):
        if state == told:
            records.extend(top.do("chips_gone", 1, "P1", main))

    tell("closed")
    top.do("card", "KS")
    tell("dealing")
    rest = HANDS["b1"].split()[1:]
    top.deal(b1=" ".join(rest), b2=HANDS["b2"], dealer=HANDS["dealer"])
    tell("playing")
    top.do("irregularity", "other")
    tell("frozen")
    top.do("ruling", "continue", MANAGER)
    for box in (1, 2):
        top.do("decide", box, "play") if game == POKER else top.do("show", box, "dealer")
    top.do("reveal")
    tell("revealed")
    settlement = top.do("settle")
    records += settlement
    assert facts.results(settlement) == as_read(game)
    tell("settled")
    assert debts(records, "stands") == [[1, "P1", main, STAKE]]
    assert debts(records, "kept" if game == POKER else "debt") == [[1, "P1", main, STAKE]]
    assert debts(records, "debt" if game == POKER else "kept") == []
    assert facts.code(top, "chips_gone", 1, "P1", main) == "chips_are_gone"
    top.do("open")
    assert facts.code(top, "chips_gone", 1, "P1", main) == "not_possible_now"


@pytest.mark.parametrize("game", RWS)
@pytest.mark.parametrize("asked", ["check", "ruling", "choose", "order", "tell"])
def test_x_21_chips_are_gone_while_the_round_waits_for_anything(game, asked):
    """P2's chips are gone; then he withdraws, the round is void, or he loses: kept, kept, or owed."""
    top = dealt(game)
    facts.make_wait(top, asked)
    assert debts(top.do("chips_gone", 2, "P2", "initial"), "stands") == [[2, "P2", "initial", STAKE]]
    assert top.asked == asked
    if asked == "tell":
        records = top.do("all_told")
        assert debts(records, "kept") == [[2, "P2", "initial", STAKE]]  # void
        return
    if asked == "check":
        top.do("misread")
    elif asked == "ruling":
        top.do("ruling", "continue", MANAGER)
    else:
        if asked == "order":
            top.do("ruling", "order", SUPERVISOR, text="as they lie")
        records = top.do("choose", "P2", 2, "withdraw")
        assert debts(records, "kept") == [[2, "P2", "initial", STAKE]]
        top.do("choices_done")
        assert facts.end(top) == facts.only("P1", as_read(game))
        return
    assert debts(end_without(top)) == [[2, "P2", "initial", STAKE]]


def test_x_21_partly_and_twice_and_never_more_than_lay_there(game):
    top = dealt(game, chip=100)
    main = MAIN[game]
    assert debts(top.do("chips_gone", 1, "P1", main, 1000), "stands") == [[1, "P1", main, 1000]]
    assert facts.code(top, "chips_gone", 1, "P1", main, 1600) == "more_than_bet"
    assert facts.code(top, "chips_gone", 1, "P1", main, 150) == "not_multiple"
    assert facts.code(top, "chips_gone", 3, "P1", main) == "no_such_bet"
    assert facts.code(top, "chips_gone", 1, "P2", main) == "no_such_bet"
    assert facts.code(top, "chips_gone", 1, "P1", "roulette") == "no_such_wager"
    assert facts.code(top, "chips_gone", 1, "P1", main, by="guest") == "no_such_post"
    assert debts(top.do("chips_gone", 1, "P1", main, 500), "stands") == [[1, "P1", main, 500]]
    assert debts(top.do("chips_gone", 1, "P1", main), "stands") == [[1, "P1", main, 1000]]
    assert facts.code(top, "chips_gone", 1, "P1", main) == "chips_are_gone"
    records = end_without(top)
    assert debts(records, "kept" if game == POKER else "debt") == [[1, "P1", main, STAKE]]


@pytest.mark.parametrize("order", ["gone first", "void first"])
def test_x_21_of_a_void_round_the_player_holds_what_he_took(game, order):
    top = dealt(game)
    main = MAIN[game]
    gone = ("chips_gone", 1, "P1", main, 1000)
    records = top.do(*gone) if order == "gone first" else []
    records += top.do("irregularity", "foreign_card")
    if order == "void first":
        records += top.do(*gone)
    assert facts.back(records) == {(1, "P1", main): STAKE, (2, "P2", main): STAKE}
    assert debts(records, "kept") == [[1, "P1", main, 1000]]
    assert debts(records) == []
    # The rest of it can still be found to be gone, and no more.
    assert debts(top.do("chips_gone", 1, "P1", main), "kept") == [[1, "P1", main, STAKE - 1000]]
    assert facts.code(top, "chips_gone", 1, "P1", main) == "no_such_bet"


@pytest.mark.parametrize("game", RWS)
def test_x_21_of_what_a_player_withdraws_he_holds_what_he_took(game):
    top = dealt(game, touched=True)
    top.do("chips_gone", 2, "P2", "initial", 1000)
    top.do("irregularity", "misdeal")
    records = top.do("choose", "P2", 2, "withdraw")
    assert facts.back(records) == {(2, "P2", "initial"): STAKE}
    assert debts(records, "kept") == [[2, "P2", "initial", 1000]]


def test_x_21_a_table_without_amounts_says_that_chips_are_gone(game):
    top = laid(game, amounts=False)
    main = MAIN[game]
    assert facts.code(top, "chips_gone", 1, "P1", main, 500) == "amounts_unknown"
    assert top.do("chips_gone", 1, "P1", main) == [["stands", 1, "P1", main, None, *CITED[game]]]
    assert facts.code(top, "chips_gone", 1, "P1", main) == "chips_are_gone"
    records = end_without(top)
    assert debts(records, "kept") == [[1, "P1", main, None]]


def test_x_21_a_correction_after_payment_turns_a_debt_into_chips_that_he_holds():
    """N, as read: P1 loses. As they lie he wins, and has his stake in his hand already."""
    top = dealt(NON_COMMISSION, touched=True)
    top.do("chips_gone", 1, "P1", "initial")
    assert debts(end_without(top)) == [[1, "P1", "initial", STAKE]]
    facts.swap(top)
    top.do("all_told", SUPERVISOR)
    records = top.do("ruling", "correct", MANAGER)
    assert facts.results(records) == {"P1": STAKE, "P2": -STAKE}
    assert (debts(records), debts(records, "kept")) == ([], [[1, "P1", "initial", STAKE]])


def test_x_21_what_goes_back_anyway_is_first_what_he_holds_already():
    """R 5.11: of $15 the maximum of $10 is lost and $5 go back. $7 are gone: $5 he keeps, $2 he owes."""
    top = TableTop(ROYAL, limits={"main": [500, 1000]})
    top.bets((1, "P1", "main", 1500))
    top.deal(b1=HANDS["b1"], dealer=HANDS["dealer"])
    top.do("chips_gone", 1, "P1", "main", 700)
    records = end_without(top)
    assert facts.back(records) == {(1, "P1", "main"): 500}
    assert (debts(records, "kept"), debts(records)) == ([[1, "P1", "main", 500]], [[1, "P1", "main", 200]])


@pytest.mark.parametrize("game", RWS)
def test_x_21_of_a_shared_maximum_too(game):
    """5.1.1: $8 and $12 on a box for $10 play as $4 and $6. P2 took $10 of his $12: $6 he keeps, $4 he owes."""
    top = TableTop(game, limits={"initial": [100, 1000]})
    top.bets((1, "P1", "initial", 500), (1, "P2", "initial", 500))
    top.do("close")
    top.do("counted", 1, "P1", "initial", 800, SUPERVISOR)
    top.do("counted", 1, "P2", "initial", 1200, SUPERVISOR)
    top.do("chips_gone", 1, "P2", "initial", 1000)
    top.deal(b1=HANDS["b1"], dealer=HANDS["dealer"])
    records = end_without(top)
    assert facts.results(records) == {"P1": -400, "P2": -600}
    assert (debts(records, "kept"), debts(records)) == ([[1, "P2", "initial", 600]], [[1, "P2", "initial", 400]])


def test_x_21_a_void_after_payment_leaves_no_debt():
    top = dealt(LUCKY)
    top.do("chips_gone", 1, "P1", "initial")
    end_without(top)
    records = top.do("irregularity", "foreign_card", by=SUPERVISOR)
    assert facts.back(records)[1, "P1", "initial"] == STAKE
    assert (debts(records), debts(records, "kept")) == ([], [[1, "P1", "initial", STAKE]])


@pytest.mark.parametrize("game", [MBS, ROYAL])
def test_m_17_r_27_a_late_take_back_and_chips_that_are_gone_are_the_same_thing(game):
    top = laid(game)
    assert debts(top.do("take_back", 1, "P1", "main", 1000), "stands") == [[1, "P1", "main", 1000]]
    assert facts.code(top, "chips_gone", 1, "P1", "main", 2000) == "more_than_bet"
    top.do("chips_gone", 1, "P1", "main", 1500)
    assert facts.code(top, "take_back", 1, "P1", "main") == "chips_are_gone"
    assert debts(end_without(top), "kept") == [[1, "P1", "main", STAKE]]


def test_x_21_chips_that_are_gone_are_not_counted_again(game):
    top = laid(game)
    top.do("chips_gone", 1, "P1", MAIN[game], 1000)
    assert facts.code(top, "counted", 1, "P1", MAIN[game], 1500, SUPERVISOR) == "chips_are_gone"
