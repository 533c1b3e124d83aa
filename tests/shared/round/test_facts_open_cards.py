"""Cards that lie open, by their player or by a slip, in and after the deal, and at a power cut (X-15, X-20)."""

import pytest

from tests.support.books import facts, rws
from tests.support.books.facts import BY_BOX, MANAGER, RWS, STAKE, SUPERVISOR, as_read, dealt, end, laid, offers
from tests.support.play import of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

SILENT = (MBS, POKER)


# -- after the deal


@pytest.mark.parametrize("by", [None, "dealer"])
def test_x_15_a_card_that_its_own_player_turns_up_after_the_deal_is_only_noted(game, by):
    top = dealt(game)
    assert top.do("turned", "5D", "P1", by=by) == [["seen", "5D"], ["noted", "own_card", None, "X-15"]]
    assert top.do("turned", "KS", "P1", by=by) == [["seen", "KS"], ["noted", "own_card", None, "X-15"]]
    assert top.round.handled  # he has touched his cards
    assert end(top) == as_read(game)


@pytest.mark.parametrize(("card", "player"), [("TD", None), ("TD", "P1"), ("5D", None), ("5D", "P2")])
def test_x_15_a_slip_after_the_deal_goes_by_the_book(game, card, player):
    """The dealer's card, or that of a player who did not turn it himself."""
    top = dealt(game)
    records = top.do("turned", card, player)
    assert records[0] == ["seen", card]
    assert not top.round.handled
    if game in RWS:
        assert offers(records) == BY_BOX
        assert facts.asked(records)[:2] == ("choose", "exposed_later")
        assert facts.back(top.do("choose", "P2", 2, "withdraw")) == {(2, "P2", "initial"): STAKE}
        top.do("choices_done")
        assert end(top) == facts.only("P1", as_read(game))
        return
    if game == ROYAL:
        assert facts.told(records) == [("exposed_later", "5.8", "X-15")]
    else:
        assert facts.asked(records) == ("ruling", "exposed_later", MANAGER, None, "X-15")
        top.do("ruling", "continue", MANAGER)
    assert end(top) == as_read(game)


def test_x_20_a_card_told_twice_is_one_open_card(game):
    top = dealt(game)
    top.do("turned", "5D", "P1")
    records = top.do("turned", "5D")  # now as a slip: the table has seen it already
    assert [record[0] for record in records] == ["noted"]
    assert top.round.seen.count(top.round.hands[1][1]) == 1
    assert end(top) == as_read(game)


@pytest.mark.parametrize("player", [None, "P2"])
def test_x_20_a_card_of_a_hand_that_is_out_is_seen_and_nothing_follows(game, player):
    top = dealt(game)
    top.do("irregularity", "other")
    top.do("ruling", "hand_out", MANAGER, box=2)
    records = top.do("turned", "7H", player)
    assert [record[0] for record in records] == ["seen", "noted"]
    assert end(top) == facts.only("P1", as_read(game))


def test_x_20_an_open_card_that_lies_in_no_hand_is_seen_and_nothing_follows(game):
    top = dealt(game)
    top.do("card", "3C")
    assert [record[0] for record in top.do("turned", "3C")] == ["seen", "noted"]
    top.do("misread")
    assert end(top) == as_read(game)


@pytest.mark.parametrize("over", ["settled", "void"])
def test_x_20_told_when_the_round_is_over_nothing_follows(game, over):
    top = dealt(game)
    if over == "void":
        top.do("irregularity", "foreign_card")
    else:
        end(top)
    records = top.do("turned", "7H")
    assert [record[0] for record in records] == ["seen", "noted"]
    assert top.state == over
    top.do("open")
    assert facts.code(top, "turned", "7H") == "not_possible_now"


@pytest.mark.parametrize(("player", "asks"), [(None, True), ("P1", True), ("P2", False)])
def test_x_15_a_folded_hand_that_is_exposed_while_the_game_runs(player, asks):
    top = dealt(POKER)
    top.do("decide", 1, "play")
    top.do("decide", 2, "fold", sure=True)
    assert bool(of_kind(top.do("turned", "7H", player), "ask")) == asks
    if asks:
        top.do("ruling", "continue", MANAGER)
    top.do("reveal")
    assert facts.results(top.do("settle")) == {"P1": 2 * STAKE, "P2": -STAKE}


# -- during the deal


def mid_deal(game, **config):
    """The first hand and one card more: from a shoe KS 5D 2S 7H go to boxes 1, 2, the dealer and box 1."""
    top = laid(game, **config)
    for card in ("KS", "5D", "2S", "7H"):
        top.do("card", card)
    return top


DURING = {
    LUCKY: ("5.6", "L-33"),
    NON_COMMISSION: ("5.6", "N-12"),
    MBS: (None, "M-19"),
    ROYAL: ("5.8", "R-19"),
    POKER: ("5.1.2", "T-21"),
}


def test_x_15_a_slip_during_the_deal_goes_by_the_book(game):
    paragraph, reading = DURING[game]
    top = mid_deal(game)
    records = top.do("turned", "7H")
    if game in RWS:
        assert offers(records) == BY_BOX
        assert facts.asked(records)[1:3] == ("exposed_card", "dealer")
    elif game == MBS:
        assert facts.asked(records) == ("ruling", "exposed_card", MANAGER, paragraph, reading)
    else:
        assert facts.told(records) == [("exposed_card", paragraph, reading)]
        assert top.state == "dealing"


def test_x_15_a_player_who_turns_his_own_card_during_the_deal(game):
    """L, N: he harms nobody but himself. R: turned down. M is silent; T counts what is exposed incorrectly."""
    paragraph, reading = DURING[game]
    top = mid_deal(game)
    records = top.do("turned", "7H", "P2")
    if game in SILENT:
        assert facts.asked(records) == ("ruling", "own_card", MANAGER, None, "M-19" if game == MBS else "T-25")
    else:
        assert facts.told(records) == [("own_card", None if game in RWS else paragraph, reading)]
        assert top.state == "dealing"
    assert top.round.handled


@pytest.mark.parametrize("game", RWS)
def test_x_13_one_open_card_of_the_dealer_in_the_middle_of_the_deal_is_no_result(game):
    """From the shoe the dealer has 2S so far; it is exposed, and everybody chooses."""
    top = mid_deal(game, device="shoe")
    assert offers(top.do("turned", "2S")) == BY_BOX
    assert facts.back(top.do("choose", "P1", 1, "withdraw")) == {(1, "P1", "initial"): STAKE}


def test_t_5_1_2_the_second_card_counts_during_the_deal_and_not_after_it():
    top = mid_deal(POKER)
    top.do("turned", "7H")
    records = top.do("turned", "KS")
    assert of_kind(records, "void") == [["void", "5.1.2", "T-21"]]
    top = mid_deal(POKER)
    top.do("turned", "7H")
    for card in ("7D", "4C", "QC", "TD", "8S"):
        top.do("card", card)
    top.do("turned", "KS", "P1")  # the deal is over
    assert top.state == "deciding"


@pytest.mark.parametrize(
    ("device", "player", "void"), [("shoe", None, True), ("shoe", "P1", False), ("shuffler", None, False)]
)
def test_r_5_8_1_the_first_card_of_a_manual_deal_and_only_during_it(device, player, void):
    """The first card *dealt* exposed; its player does not void the round by turning it up."""
    top = mid_deal(ROYAL, device=device)
    assert bool(of_kind(top.do("turned", "KS", player), "void")) == void
    top = dealt(ROYAL, device=device)
    assert not of_kind(top.do("turned", "KS", player), "void")
    assert end(top) == as_read(ROYAL)


# -- told while the round waits


def test_x_20_a_slip_told_while_a_manager_is_asked_is_met_afterwards(game):
    top = dealt(game)
    top.do("irregularity", "other")
    assert top.do("turned", "TD") == [["seen", "TD"]]
    assert [record[0] for record in top.do("turned", "TD")] == ["noted"]
    records = top.do("ruling", "continue", MANAGER)
    if game in RWS:
        assert offers(records) == BY_BOX
    elif game == ROYAL:
        assert facts.told(records) == [("exposed_later", "5.8", "X-15")]
    else:
        assert facts.asked(records) == ("ruling", "exposed_later", MANAGER, None, "X-15")


def test_x_20_two_cards_of_the_deal_told_while_another_is_in_doubt_void_poker():
    top = mid_deal(POKER)
    top.do("card", "KS")  # read twice
    assert top.do("turned", "5D") == [["seen", "5D"]]
    assert top.do("turned", "7H") == [["seen", "7H"]]
    assert of_kind(top.do("misread"), "void") == [["void", "5.1.2", "T-21"]]


def test_x_20_the_first_card_of_a_manual_deal_told_while_another_is_in_doubt_voids_royal():
    top = mid_deal(ROYAL, device="shoe")
    top.do("card", "KS")
    assert top.do("turned", "KS") == [["seen", "KS"]]
    assert of_kind(top.do("misread"), "void") == [["void", "5.8.1", "R-19"]]


@pytest.mark.parametrize("game", RWS)
@pytest.mark.parametrize("asked", ["choose", "order"])
def test_x_14_a_slip_told_while_players_choose_gives_no_second_choice(game, asked):
    top = dealt(game, touched=True)
    top.do("irregularity", "misdeal" if asked == "choose" else "drawn_together")
    assert top.do("turned", "TD") == [["seen", "TD"]]
    if asked == "order":
        top.do("ruling", "order", SUPERVISOR, text="as they lie")
    records = top.do("choices_done")
    assert [record[1] for record in of_kind(records, "noted")] == ["exposed_later"]
    assert end(top) == as_read(game)


# -- open cards at a power cut: 5.4, 5.13


@pytest.mark.parametrize(
    ("game", "wager", "cards", "result", "paragraph"),
    [
        (NON_COMMISSION, "three_pictures", ("5D",), "lose", "5.4.1"),  # the first that is no picture (N-10)
        (NON_COMMISSION, "tie", ("KS", "5D", "2S", "QC", "TD", "8S"), "lose", "5.4.1"),
        (LUCKY, "player_lucky_6", ("KS", "5D", "2S"), "lose", "5.4.1"),  # open, and seven
        (LUCKY, "lucky_pictures", ("5D", "2S", "TD", "8S"), "lose", "5.4.1"),  # four that are none
        (ROYAL, "royal_pictures", ("KS",), "win", "5.13.2"),  # any king pays
    ],
)
@pytest.mark.parametrize("player", [None, "P1"])
def test_one_open_card_at_a_power_cut_decides_a_bet_and_the_round_is_concluded(
    game, wager, cards, result, paragraph, player
):
    for told in (True, False):
        top = dealt(game, (1, "P1", wager, 500))
        entry = top.round.book.IRREGULARITIES["power_failure"]
        asked = ["ask", "tell", "power_failure", "dealer", entry.paragraph, entry.ruling]
        assert top.do("power_failure") == [asked]
        for card in cards if told else ():
            assert top.do("turned", card, player)[0] == ["seen", card]  # no matter who turned it
            assert top.asked == "tell"
        assert facts.code(top, "all_told", by="guest") == "no_such_post"
        records = top.do("all_told", by="dealer")
        if told:
            [outcome] = of_kind(records, "outcome")
            assert (outcome[4], outcome[5]) == (result, paragraph)
            assert not of_kind(records, "offer")
            side = 500 if wager == "royal_pictures" else -500  # any king pays 1 to 1
            assert end(top) == {"P1": -STAKE + side, "P2": -STAKE}
        elif game == ROYAL:
            assert len(of_kind(records, "offer")) == 2
        else:
            assert of_kind(records, "void") == [["void", "5.4.2", rws.READING[game]]]


@pytest.mark.parametrize("game", RWS)
def test_5_4_a_technical_interruption_asks_for_open_cards_too(game):
    top = dealt(game)
    assert facts.asked(top.do("irregularity", "technical")) == (
        "tell",
        "technical",
        "dealer",
        "5.4",
        rws.READING[game],
    )
    assert of_kind(top.do("all_told"), "void")[0][1] == "5.4.2"


@pytest.mark.parametrize("game", SILENT)
def test_m_19_t_25_where_the_book_is_silent_nobody_is_asked_for_open_cards(game):
    top = dealt(game)
    assert facts.asked(top.do("power_failure"))[:3] == ("ruling", "power_failure", MANAGER)
    assert facts.code(top, "all_told") == "nobody_is_asked"
    assert [record[0] for record in top.do("turned", "5D", "P1")] == ["seen", "noted"]


@pytest.mark.parametrize("game", [*RWS, ROYAL])
def test_x_16_a_second_power_cut_before_the_answer_is_judged_with_the_first(game):
    top = dealt(game)
    top.do("power_failure")
    assert [record[0] for record in top.do("power_failure")] == ["noted"]
    records = top.do("all_told")
    if game in RWS:
        assert top.state == "void"
    else:
        assert len(of_kind(records, "offer")) == 2
        top.do("choices_done")
        assert end(top) == as_read(game)


def test_a_deal_that_turns_out_complete_while_open_cards_are_told_goes_on():
    """N: the dealer's last card was not read when the power went; the open 5D decides Three Pictures."""
    top = laid(NON_COMMISSION, (1, "P1", "three_pictures", 500))
    for card in ("KS", "5D", "2S", "7H", "7D", "4C", "QC", "TD"):
        top.do("card", card)
    top.do("power_failure")
    top.do("entered", "8S", SUPERVISOR, 0)
    top.do("turned", "5D", "P1")
    records = top.do("all_told")
    assert of_kind(records, "outcome")
    assert top.state == "playing"
    assert end(top) == {"P1": -STAKE - 500, "P2": -STAKE}
