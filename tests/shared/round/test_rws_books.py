"""Non-Commission Lucky and Non-Commission Three Pictures: the paragraphs that both books word alike."""

import pytest

from tests.support.books import rws
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, NON_COMMISSION, rule

BOOKS = (LUCKY, NON_COMMISSION)


@pytest.fixture(params=BOOKS)
def book(request):
    return request.param


def limits_of(book):
    return {"initial": [5000, 100000], "lucky_tie" if book == LUCKY else "tie": [500, 10000]}


@rule("5.1")
def test_5_1_excess_of_the_seated_player_goes_back(book):
    top = TableTop(book, limits=limits_of(book))
    top.do("open")
    assert rws.refunds(top.do("bet", 1, "P1", "initial", 120000), "5.1") == {(1, "P1", "initial"): 20000}
    assert top.refused("bet", 1, "P1", "initial", 5000) == "5.1"
    assert top.refused("bet", 1, "P2", "initial", 5000) == "5.1"


@rule("5.1.1", "5.16")
@pytest.mark.parametrize(
    ("bets", "plays"), [([5000, 5000, 5000], [5000, 5000, 5000]), ([20000, 4000, 4000], [5000, 4000, 4000])]
)
def test_5_1_1_where_the_minimum_of_all_is_too_much_all_play_it_and_5_16_is_flagged(book, bets, plays):
    records = rws.over_full(book, [5000, 10000], bets, rws.ONE_WINS)
    assert list(rws.played(records).values()) == plays
    warned = ["warning", "over_maximum", 1, None, "initial", "5.16"]
    kinds = [record[0] for record in records]
    at_the_count = records[: kinds.index("refund" if "refund" in kinds else "line")]  # the rest is the settlement
    assert warned in at_the_count  # L-41
    assert of_kind(records, "warning") == of_kind(at_the_count, "warning")
    assert not of_kind(records, "ask")


@rule("5.2.1")
@pytest.mark.parametrize(("hands", "line"), [(rws.ONE_WINS, ("win", 6000)), (rws.ONE_LOSES, ("lose", 0))])
def test_5_2_1_under_the_minimum_at_closing_plays_as_it_is(book, hands, line):
    top = TableTop(book, limits=limits_of(book))
    top.bets((1, "P1", "initial", 3000))
    assert ["plays", "under_minimum", 1, None, "initial", "5.2.1"] in top.do("close")
    top.deal(**hands)
    assert rws.lines(top.finish()) == {(1, "P1", "initial"): line}


@rule("5.12")
def test_5_12_settled_as_the_chips_lay_at_closing(book):
    top = rws.full_table(book)
    assert top.refused("counted", 1, "P1", "initial", 1500, "pit_supervisor") == "5.12"
    top.do("close")
    assert top.refused("counted", 1, "P1", "initial", 1500, "dealer") == "5.12"
    assert top.do("counted", 1, "P1", "initial", 1500, "pit_supervisor") == [
        ["recounted", 1, "P1", "initial", 1000, 1500]
    ]
    top.refused("counted", 2, "P4", "initial", 1000, "dealer")
    top.deal(b1="KS 9H 9D", b3="2H AC TD", dealer="KC 2S 3S")
    top.do("reveal")
    assert top.refused("counted", 3, "P2", "initial", 400, "dealer") == "5.12"
    top.do("counted", 3, "P2", "initial", 400, "pit_supervisor")
    records = top.do("settle")
    assert rws.lines(records) == rws.results(book) | {(1, "P1", "initial"): ("win", 3000)}
    assert rws.played(records)[3, "P2", "initial"] == 400


@rule("5.15", "5.12")
@pytest.mark.parametrize("post", ["dealer", "pit_supervisor", "pit_manager"])
def test_5_15_pit_employees_place_bets_for_a_player_who_answers_for_them(book, post):
    top = TableTop(book)
    top.do("open")
    records = top.do("bet", 1, "P1", "initial", 1000, by=post)
    assert records == [["placed_by_staff", 1, "P1", "initial", post, "5.15"]]
    top.refused("bet", 1, "P1", "initial", 1000, by="waiter")
    top.deal(**rws.ONE_LOSES)
    assert rws.lines(top.finish()) == {(1, "P1", "initial"): ("lose", 0)}


@rule("5.3")
def test_5_3_a_player_who_walks_away_is_settled(book):
    top = rws.dealt(book)
    assert [record[:3] for record in top.do("irregularity", "left", player="P1")] == [["noted", "left", "5.3"]]
    assert rws.lines(top.finish()) == rws.results(book)


@rule("5.4.2", "5.14")
@pytest.mark.parametrize("dealt", [None, 0, 4, 9])
def test_5_4_2_nothing_decided_voids_the_round(book, dealt):
    top = rws.full_table(book)
    if dealt is not None:
        top.do("close")
        for word in ["KS", "9H", "9D", "2H", "AC", "TD", "KC", "2S", "3S"][:dealt]:
            top.do("card", word)
    records = top.do("power_failure")
    if dealt:  # first the dealer says which of the cards lie open
        assert records == [["ask", "tell", "power_failure", "dealer", "5.4", rws.READING[book]]]
        records = top.do("all_told")
    assert rws.voided(records) == ("5.4.2", rws.stakes(book))


@rule("5.4")
@pytest.mark.parametrize(
    "cut", [["power_failure"], ["irregularity", "technical", None, None, None, None, "pit_manager"]]
)
def test_5_4_a_settled_round_is_not_touched(book, cut):
    top = rws.settled(book)
    assert [record[0] for record in top.do(*cut)] == ["noted"]
    assert top.state == "settled"


@rule("2.2.1", "5.5.1", "5.5.2")
@pytest.mark.parametrize(
    ("word", "situation", "paragraph"), [("KS", "deck_count", "5.5.2"), ("1X", "foreign_card", "5.5.1")]
)
def test_2_2_1_a_card_that_one_deck_cannot_hold_stops_the_round_until_staff_have_looked(
    book, word, situation, paragraph
):
    for answer in ("misread", "so"):
        top = rws.full_table(book)
        top.do("close")
        top.do("card", "KS")
        asked = of_kind(top.do("card", word), "ask")
        assert [record[1:5] for record in asked] == [["check", situation, "dealer", paragraph]]
        top.refused("card", "9H")
        if answer == "misread":
            top.do("misread")
            top.deal(b1="9H 9D", b3="2H AC TD", dealer="KC 2S 3S")
            assert rws.lines(top.finish()) == rws.results(book)
        else:
            assert rws.voided(top.do("irregularity", situation)) == (paragraph, rws.stakes(book))


@rule("2.2.1", "5.5.2")
@pytest.mark.parametrize("count", [51, 53])
def test_5_5_2_a_deck_that_is_short_or_over_voids(book, count):
    top = rws.dealt(book)
    assert [record[0] for record in top.do("cards_counted", 52)] == ["noted"]
    assert rws.voided(top.do("cards_counted", count)) == ("5.5.2", rws.stakes(book))


@rule("5.5.4", "5.6", "2.2.1")
def test_5_5_4_a_card_too_many_is_a_misdeal_if_staff_say_so(book):
    for handled in (False, True):
        top = rws.dealt(book, handled)
        asked = of_kind(top.do("card", "4H"), "ask")
        situation = ["misdeal_handled", "dealer", "5.6"] if handled else ["misdeal", "dealer", "5.5.4"]
        assert [record[1:5] for record in asked] == [["check", *situation]]
        records = top.do("irregularity", "misdeal")
        if handled:
            assert len(rws.offers(records)) == 3
        else:
            assert rws.voided(records) == ("5.5.4", rws.stakes(book))


@rule("5.5.5")
@pytest.mark.parametrize(("dealt", "enough"), [(0, 9), (4, 5)])
def test_5_5_5_too_few_cards_for_the_boxes_and_the_dealer_void(book, dealt, enough):
    top = rws.full_table(book)
    top.do("close")
    for word in ["KS", "9H", "9D", "2H"][:dealt]:
        top.do("card", word)
    assert top.do("cards_left", enough) == []
    assert rws.voided(top.do("cards_left", enough - 1)) == ("5.5.5", rws.stakes(book))


@rule("5.5.5")
def test_5_5_5_too_few_cards_may_also_be_told(book):
    top = rws.full_table(book)
    top.do("close")
    assert rws.voided(top.do("irregularity", "too_few_cards")) == ("5.5.5", rws.stakes(book))


@rule("5.5.4", "5.5.6", "5.6.2")
@pytest.mark.parametrize("put_right", [None, "restored", "moved"])
def test_5_5_6_a_wrong_count_of_the_dealer_by_who_has_handled_cards_and_what_was_put_right(book, put_right):
    """L-40: untouched it is 5.5.4 and only complete hands save it; touched it is 5.5.6, or everybody chooses."""
    top = rws.dealt(book)
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right)
    if put_right == "moved":
        assert records == [["reconstructed", "dealer_count", "5.5.4", "L-40"]]
        assert rws.lines(top.finish()) == rws.results(book)
    else:
        assert rws.voided(records) == ("5.5.4", rws.stakes(book))
    top = rws.dealt(book, handled=True)
    records = top.do("irregularity", "wrong_count", 0, put_right=put_right)
    if put_right:
        assert rws.offers(records) == [[1, "P1", "5.6.2"], [1, "P3", "5.6.2"], [3, "P2", "5.6.2"]]
        assert rws.refunds(top.do("choose", "P2", 3, "withdraw"), "5.6.3") == rws.only(rws.stakes(book), "P2")
        top.do("choices_done")
        assert rws.lines(top.finish()) == rws.without(rws.results(book), "P2")
    else:
        assert rws.voided(records) == ("5.5.6", rws.stakes(book))


@rule("5.5.6")
def test_5_5_6_found_after_payment_the_round_is_void(book):
    top = rws.settled(book, handled=True)
    assert top.refused("irregularity", "wrong_count", 0, by="dealer") in ("L-30", "N-11")
    records = top.do("irregularity", "wrong_count", 0, by="pit_supervisor")
    assert len(of_kind(records, "reversed")) == 4
    assert rws.voided(records) == ("5.5.6", rws.stakes(book))


@rule("5.6.3")
def test_5_6_3_when_everybody_withdraws_the_round_is_over(book):
    top = rws.dealt(book, handled=True)
    top.do("irregularity", "misdeal")
    records = [
        record
        for key in ((1, "P1"), (1, "P3"), (3, "P2"))
        for record in top.do("choose", key[1], key[0], "withdraw")
    ]
    assert rws.refunds(records, "5.6.3") == rws.stakes(book)
    assert not of_kind(records, "line")
    top.do("open")


@rule("5.6", "5.6.1")
def test_5_6_1_cards_that_cannot_be_put_back_play_where_they_lie(book):
    top = rws.dealt(book, handled=True)
    top.do("irregularity", "misdeal")
    top.do("choices_done")
    assert top.refused("lies", "9H", "dealer", 0) == "X-20"
    top.exchange("9H", "2S")  # box 1: K 2 9, one; dealer: K 9 3, two
    assert rws.lines(top.finish())[1, "P1", "initial"] == ("lose", 0)


@rule("5.6", "5.6.3", "3.12")
def test_5_6_3_a_box_that_everybody_left_gets_no_more_cards(book):
    top = TableTop(book, device="shoe")
    top.bets((1, "P1", "initial", 1000), (2, "P2", "initial", 500))
    top.do("close")
    for word in ("KS", "2H"):
        top.do("card", word)
    records = top.do("turned", "2H")  # a slip, nobody has handled cards: X-11
    assert ["seen", "2H"] in records
    assert rws.offers(records) == [[1, "P1", "5.6.1"], [2, "P2", "5.6.1"]]
    top.do("choose", "P2", 2, "withdraw")
    top.do("choose", "P1", 1, "continue")
    places = [of_kind(top.do("card", word), "dealt")[0][1] for word in ["KC", "9H", "2S", "9D", "3S"]]
    assert places == [0, 1, 0, 1, 0]
    assert rws.lines(top.finish()) == {(1, "P1", "initial"): ("win", 2000)}


@rule("5.6")
@pytest.mark.parametrize("decision", ["continue", "void"])
def test_5_6_found_after_payment_the_shift_manager_rules(book, decision):
    top = rws.settled(book, handled=True)
    asked = of_kind(top.do("irregularity", "misdeal", by="pit_supervisor"), "ask")
    assert [record[1:4] for record in asked] == [["ruling", "misdeal_handled", "shift_manager"]]
    top.refused("open")
    records = top.do("ruling", decision, "shift_manager")
    if decision == "void":
        assert rws.voided(records)[1] == rws.stakes(book)
    else:
        assert top.state == "settled"
        assert not of_kind(records, "reversed")


@rule("5.8", "5.8.1")
def test_5_8_a_hand_with_a_wrong_count_is_out_and_the_others_choose(book):
    top = rws.dealt(book, handled=True)
    records = top.do("irregularity", "wrong_count", 1)
    assert [record[1:3] for record in of_kind(records, "removed")] == [[1, "5.8"]]
    assert rws.refunds(records, "5.8") == rws.without(rws.stakes(book), "P2")
    assert rws.offers(records) == [[3, "P2", "5.6.1"]]
    top.refused("show", 1)
    top.do("choose", "P2", 3, "continue")
    assert rws.lines(top.finish()) == rws.only(rws.results(book), "P2")


@rule("5.8.1", "5.6.3")
def test_5_8_1_the_others_may_withdraw(book):
    top = rws.dealt(book, handled=True)
    top.do("irregularity", "wrong_count", 1)
    assert rws.refunds(top.do("choose", "P2", 3, "withdraw"), "5.6.3") == rws.only(rws.stakes(book), "P2")
    top.do("open")


@rule("5.9")
@pytest.mark.parametrize("device", ["shoe", "shuffler"])
def test_5_9_a_card_lying_face_up_in_the_device_is_the_next_card(book, device):
    top = rws.full_table(book, device=device)
    top.do("close")
    place = top.round.next_place()
    records = top.do("card", "KS", up=True)
    assert ["dealt", place, "KS"] in records
    assert ["seen", "KS"] in records
    assert [record[1:3] for record in of_kind(records, "noted")] == [["face_up_card", "5.9"]]
    assert top.state == "dealing"
    top.deal(b1="9H 9D", b3="2H AC TD", dealer="KC 2S 3S")
    assert rws.lines(top.finish()) == rws.results(book)


@rule("5.11")
@pytest.mark.parametrize("kind", ["foreign_card", "misdeal", "deck_count", "other"])
def test_5_11_an_error_of_an_earlier_round_touches_neither_that_round_nor_this(book, kind):
    top = rws.settled(book)
    top.bets((1, "P1", "initial", 700))
    for state in ("betting", "playing", "settled"):
        assert top.state == state
        records = top.do("irregularity", kind, by="pit_manager", round=1)
        assert [record[:3] for record in records] == [["noted", kind, "5.11"]]
        if state == "betting":
            top.deal(**rws.ONE_WINS)
        elif state == "playing":
            assert rws.lines(top.finish()) == {(1, "P1", "initial"): ("win", 1400)}
    top.refused("irregularity", kind, by="pit_manager", round=3)


@rule("5.16")
def test_5_16_the_shift_manager_or_above_decides_what_the_rules_leave_open(book):
    top = rws.dealt(book, posts_above=["director"])
    asked = of_kind(top.do("irregularity", "other", text="a glass fell over"), "ask")
    assert [record[1:5] for record in asked] == [["ruling", "other", "shift_manager", "5.16"]]
    top.refused("reveal")
    for post in ("dealer", "pit_supervisor", "pit_manager"):
        assert top.refused("ruling", "continue", post) == "5.16"
    top.do("ruling", "continue", "director", text="play on")
    assert rws.lines(top.finish()) == rws.results(book)


@rule("5.16", "5.14")
def test_5_16_the_ruling_may_void_the_round_or_take_a_hand_out(book):
    top = rws.dealt(book)
    top.do("irregularity", "other")
    assert rws.voided(top.do("ruling", "void", "shift_manager")) == ("5.16", rws.stakes(book))
    top = rws.dealt(book)
    top.do("irregularity", "other")
    records = top.do("ruling", "hand_out", "shift_manager", box=1)
    assert rws.refunds(records, "5.16") == rws.without(rws.stakes(book), "P2")
    assert rws.lines(top.finish()) == rws.only(rws.results(book), "P2")


@rule("5.16")
def test_5_16_nobody_rules_unasked(book):
    top = rws.dealt(book)
    top.refused("ruling", "void", "shift_manager")
    top.refused("ruling", "hand_out", "shift_manager", box=1)


@rule("5.6/tail")
def test_5_6_whoever_goes_on_has_no_second_choice(book):
    top = rws.dealt(book, True)
    assert len(of_kind(top.do("irregularity", "misdeal"), "offer")) > 1
    top.do("choices_done")
    assert of_kind(top.do("irregularity", "misdeal"), "offer") == []
    assert top.state == "playing"
