"""Cards that the reader could not read (X-22), and cards that staff enter by hand (X-25)."""

import pytest

from tests.support.books import facts, rws
from tests.support.books.facts import HANDS, MAIN, MANAGER, RWS, STAKE, SUPERVISOR, as_read, dealt, end, laid
from tests.support.play import of_kind
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

DECK_COUNT = {LUCKY: "5.5.2", NON_COMMISSION: "5.5.2", MBS: "5.2", ROYAL: "5.9", POKER: "5.1.3"}


def with_unread(game, *side_bets, place=1, **config):
    """The table of facts.py with the last card of one place unread."""
    top = laid(game, *side_bets, **config)
    hands = dict(HANDS)
    name = f"b{place}" if place else "dealer"
    hands[name] = hands[name].rsplit(" ", 1)[0] + " ??"
    top.deal(**hands)
    return top


def show_all(top):
    for box in top.round.order:
        if top.state == "deciding" and box not in top.round.removed:
            top.do("decide", box, "play")
        elif box not in top.round.removed and box not in top.round.shown:
            top.do("show", box, "dealer")
    top.do("reveal")


# -- in a hand that is compared


@pytest.mark.parametrize("device", ["shuffler", "shoe"])
@pytest.mark.parametrize(("place", "card"), [(1, "2S"), (2, "4C"), (0, "8S")])
def test_x_22_an_unread_card_freezes_nothing_and_is_named_when_its_hand_is_shown(game, place, card, device):
    top = with_unread(game, place=place, device=device)
    assert top.state == ("deciding" if game == POKER else "playing")
    assert facts.code(top, "entered", card, SUPERVISOR, place) == "named_when_shown"  # nobody looks at it
    show_all(top)
    assert facts.code(top, "settle") == "card_not_named"
    assert top.refused("settle") == "X-22"
    assert top.refused("entered", card, "dealer", place) == "X-25"
    hand = HANDS[f"b{place}" if place else "dealer"].split()
    records = top.do("entered", card, SUPERVISOR, place)
    assert records == [["lies", card, place, place], ["shown", place, hand]]
    assert facts.results(top.do("settle")) == as_read(game)


def test_x_22_the_name_decides_the_settlement(game):
    """Box 1 has K 5 and a four: nine wins. In poker K 5 5, a pair, wins as king-high would."""
    top = with_unread(game)
    show_all(top)
    top.do("entered", "5S" if game == POKER else "4S", SUPERVISOR, 1)
    expected = {"P1": 2 * STAKE, "P2": 2 * STAKE} if game == POKER else {"P1": STAKE, "P2": -STAKE}
    assert facts.results(top.do("settle")) == expected


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION, MBS, ROYAL])
def test_x_22_a_hand_that_is_shown_before_the_dealers_is_named_at_once(game):
    top = with_unread(game)
    assert top.do("show", 1) == [["shown", 1, ["KS", "5D", "??"]]]
    top.do("entered", "2S", SUPERVISOR, 1)
    assert end(top) == as_read(game)


def test_x_22_two_unread_cards_of_one_hand(game):
    top = laid(game)
    top.deal(b1="KS ?? ??", b2=HANDS["b2"], dealer=HANDS["dealer"])
    show_all(top)
    top.do("entered", "2S", SUPERVISOR, 1)
    assert facts.code(top, "settle") == "card_not_named"
    top.do("entered", "5D", SUPERVISOR, 1)
    assert facts.results(top.do("settle")) == as_read(game)


def test_x_22_an_unread_card_that_lies_in_another_hand(game):
    """Read for box 1, it lies in box 2, and 4C in its place: nine wins. In poker K 5 4 wins, and 7 7 2."""
    top = with_unread(game)
    assert facts.code(top, "lies", "??", SUPERVISOR, 2) == "card_not_dealt"  # which one?
    assert facts.code(top, "lies", "??", SUPERVISOR, 2, 0) == "card_not_dealt"
    assert top.do("lies", "??", SUPERVISOR, 2, 1) == [["lies", "??", 1, 2]]
    top.do("lies", "4C", SUPERVISOR, 1)
    show_all(top)
    top.do("entered", "2S", SUPERVISOR, 2)
    expected = {"P1": 2 * STAKE, "P2": 2 * STAKE} if game == POKER else {"P1": STAKE, "P2": -STAKE}
    assert facts.results(top.do("settle")) == expected


# -- in a hand that needs no name


def test_t_31_a_folded_hand_needs_no_name():
    top = with_unread(POKER)
    top.do("decide", 1, "fold", sure=True)
    top.do("decide", 2, "play")
    top.do("reveal")
    assert facts.results(top.do("settle")) == {"P1": -STAKE, "P2": 2 * STAKE}


def test_x_22_a_hand_that_is_out_needs_no_name(game):
    top = with_unread(game)
    top.do("irregularity", "other")
    assert facts.back(top.do("ruling", "hand_out", MANAGER, box=1)) == {(1, "P1", MAIN[game]): STAKE}
    assert end(top) == facts.only("P2", as_read(game))
    assert top.do("turned", "2S", place=1)[0] == ["lies", "2S", 1, 1]


def test_x_22_a_void_round_needs_no_name(game):
    top = with_unread(game, place=0)
    show = [box for box in top.round.order if game != POKER]
    for box in show:
        top.do("show", box, "dealer")
    assert of_kind(top.do("irregularity", "foreign_card"), "void")
    top.do("open")


# -- a name that cannot be


def test_x_22_a_card_that_lies_elsewhere_already_is_the_double_card_of_the_book(game):
    top = with_unread(game)
    show_all(top)
    records = top.do("entered", "QC", SUPERVISOR, 1)
    assert facts.asked(records)[:4] == ("check", "deck_count", "dealer", DECK_COUNT[game])
    assert facts.code(top, "entered", "QC", SUPERVISOR, 1) == "card_lies_elsewhere"
    records = top.do("irregularity", "deck_count")
    assert of_kind(records, "void")[0][1] == DECK_COUNT[game]
    assert {key[1] for key in facts.back(records)} == {"P1", "P2"}


def test_x_22_a_double_that_was_a_mistake_is_named_again(game):
    top = with_unread(game)
    show_all(top)
    top.do("entered", "QC", SUPERVISOR, 1)
    assert top.do("entered", "2S", SUPERVISOR, 1)[0] == ["lies", "2S", 1, 1]  # while the deck is in doubt
    top.do("misread")
    assert facts.results(top.do("settle")) == as_read(game)


def test_x_22_a_turned_card_that_lies_elsewhere_already_is_asked_about(game):
    top = with_unread(game)
    assert facts.asked(top.do("turned", "QC", "P1", 1))[:2] == ("check", "deck_count")
    assert facts.code(top, "turned", "QC", "P1", 1) == "card_lies_elsewhere"
    top.do("misread")
    assert top.do("turned", "2S", "P1", 1)[:2] == [["lies", "2S", 1, 1], ["seen", "2S"]]
    assert end(top) == as_read(game)


def test_x_22_an_unread_card_that_was_not_due_is_in_doubt(game):
    top = dealt(game)
    assert facts.asked(top.do("card", "??"))[:2] == ("check", "misdeal")
    top.do("misread")
    assert top.round.loose == []
    top.do("card", "??")
    assert top.do("lies", "??", SUPERVISOR, 2) == [["lies", "??", None, 2]]
    top.do("misread")
    top.do("lies", "??", SUPERVISOR, None, 2)
    assert end(top) == as_read(game)


def test_x_22_an_unread_card_that_lies_open_has_a_name(game):
    """The reader cannot tell that an unread card lies face up; staff can."""
    top = with_unread(game)
    records = top.do("turned", "2S", "P1", 1)
    assert records == [["lies", "2S", 1, 1], ["seen", "2S"], ["noted", "own_card", None, "X-15"]]
    assert facts.code(top, "turned", "3S", "P1", 1) == "card_not_dealt"
    assert end(top) == as_read(game)


@pytest.mark.parametrize("up", [True, False])
def test_x_22_an_unread_card_of_the_deal_counts_as_exposed_when_it_lies_open(up):
    """T 5.1.2: the device says that it came face up, or staff say that it lies open."""
    top = laid(POKER)
    top.do("card", "KS", True)
    records = top.do("card", "??", up)
    if not up:
        assert top.state == "dealing"
        records = top.do("turned", "5D", place=1)
    assert of_kind(records, "void") == [["void", "5.1.2", "T-21"]]


# -- power cuts (L-27)


@pytest.mark.parametrize(
    ("game", "wager", "up", "named", "result", "paragraph"),
    [
        # N: Three Pictures is won with the third exposed picture; unread, it may be anything.
        (NON_COMMISSION, "three_pictures", "KS* QH* ??", "JD", "win", "5.4.1"),
        (NON_COMMISSION, "three_pictures", "KS* QH* ??", "9D", "lose", "5.4.1"),
        # L: Lucky Pictures is won with the third exposed picture of both hands.
        (LUCKY, "lucky_pictures", "KS* QH* ??", "JD", "win", "5.4.1"),
        (LUCKY, "player_lucky_6", "KS* 4H* ??", "9D", "lose", "5.4.1"),
        # R: any king pays, and so does any pair of pictures.
        (ROYAL, "royal_pictures", "2S* 4H* ??", "KD", "win", "5.13.2"),
        (ROYAL, "royal_pictures", "2S* QH* ??", "QD", "win", "5.13.2"),
        (ROYAL, "royal_pictures", "2S* 4H* ??", "9D", "lose", "5.13.2"),
    ],
)
def test_l_27_an_unread_card_may_be_any_card_until_it_lies_open(game, wager, up, named, result, paragraph):
    for told in (False, True):
        top = facts.TableTop(game)
        top.bets((1, "P1", MAIN[game], STAKE), (1, "P1", wager, 500))
        top.do("close")
        for word in (up + " 6C 7C 8C").split():
            top.do("card", word.rstrip("*"), word.endswith("*"))
        assert facts.asked(top.do("power_failure"))[0] == "tell"
        if told:
            top.do("turned", named, place=1)
        records = top.do("all_told")
        if told:
            assert [record[1:6] for record in of_kind(records, "outcome")] == [
                [1, "P1", wager, result, paragraph]
            ]
        elif game == ROYAL:
            assert of_kind(records, "offer")
        else:
            assert of_kind(records, "void") == [["void", "5.4.2", rws.READING[game]]]


@pytest.mark.parametrize("game", [*RWS, ROYAL])
@pytest.mark.parametrize(
    ("dealer", "named", "result"),
    [
        ("2C* 3C* ??", None, "win"),  # K Q 9 is double nine: 2 3 and any card are less
        ("KC* QC* ??", "8S", "win"),
        ("KC* QC* ??", "JS", "lose"),  # three pictures
        ("KC* QC* ??", "9S", None),  # a sure push is neither won nor lost
        ("KC* QC* ??", None, None),
    ],
)
def test_l_27_an_unread_card_of_the_dealer(game, dealer, named, result):
    top = facts.TableTop(game)
    top.bets((1, "P1", MAIN[game], STAKE))
    top.do("close")
    words = f"KS* QH* 9D* {dealer}".split()
    for word in words:
        if game in RWS:  # a card that lies face up in the device is used (5.9)
            top.do("card", word.rstrip("*"), word.endswith("*"))
        else:
            top.do("card", word.rstrip("*"))
            if word.endswith("*"):
                top.do("turned", word.rstrip("*"))
    records = top.do("power_failure")
    if not (named is None and result):
        assert facts.asked(records)[0] == "tell"
        if named:
            top.do("turned", named, place=0)
        records = top.do("all_told")
    if result:
        assert of_kind(records, "outcome")[0][3:5] == [MAIN[game], result]
    elif game in RWS:
        assert of_kind(records, "void")[0][1] == "5.4.2"
    elif named:
        assert facts.asked(records)[:3] == ("ruling", "power_failure", MANAGER)  # the result is in view
    else:
        assert of_kind(records, "offer") == [["offer", None, "P1", "5.13.1"]]


def test_l_27_a_shown_hand_with_an_unread_card_decides_nothing_until_it_is_named():
    top = with_unread(LUCKY, (1, "P1", "player_lucky_6", 500))
    top.do("show", 1)
    assert facts.asked(top.do("power_failure"))[0] == "tell"
    top.do("entered", "2S", SUPERVISOR, 1)  # seven
    records = top.do("all_told")
    assert of_kind(records, "outcome")[0][3:5] == ["player_lucky_6", "lose"]


# -- cards entered by hand


def test_x_25_a_card_that_the_reader_missed_is_entered_by_a_supervisor(game):
    top = laid(game)
    for card in ("KS", "5D", "2S"):
        place = top.round.next_place()
        assert top.refused("entered", card, "dealer") == "X-25"
        assert top.do("entered", card, SUPERVISOR)[-1] == ["dealt", place, card]
    assert facts.code(top, "entered", "JOKER", SUPERVISOR) == "no_such_card"
    assert facts.code(top, "entered", "??", SUPERVISOR) == "no_such_card"
    assert facts.code(top, "entered", "7H", SUPERVISOR, 3) == "no_card_missing"
    assert facts.code(top, "entered", "7H", SUPERVISOR, 4) == "number_expected"
    for card in ("7H", "7D", "4C", "QC", "TD"):
        top.do("card", card)
    assert top.do("entered", "8S", SUPERVISOR)[0] == ["dealt", 0, "8S"]
    assert end(top) == as_read(game)


def test_x_25_without_a_missing_card_nothing_is_entered(game):
    top = dealt(game)
    for place in (None, 0, 1, 2, 3):
        assert top.refused("entered", "3S", SUPERVISOR, place) == "X-25"
    end(top)
    assert top.refused("entered", "3S", SUPERVISOR, 1) == "X-25"
    top.do("open")
    assert facts.code(top, "entered", "3S", SUPERVISOR) == "not_possible_now"


def test_x_25_the_operator_names_the_post_that_enters_cards(game):
    top = laid(game, posts={"cards": "dealer"})
    assert top.do("entered", "KS", "dealer")[-1] == ["dealt", 1, "KS"]
    top = laid(game, posts={"cards": "pit_manager"})
    assert top.refused("entered", "KS", SUPERVISOR) == "X-25"


def test_x_25_a_card_entered_twice_is_asked_about(game):
    top = laid(game)
    top.do("card", "KS")
    assert facts.asked(top.do("entered", "KS", SUPERVISOR))[:2] == ("check", "deck_count")
    top.do("misread")
    assert top.do("entered", "5D", SUPERVISOR)[-1][2] == "5D"


def test_x_25_a_card_is_entered_while_another_is_in_doubt(game):
    """The reader read KS twice: the second was 5D."""
    top = laid(game, device="shuffler")
    top.do("card", "KS")
    top.do("card", "KS")
    assert facts.code(top, "entered", "5D", SUPERVISOR) == "no_card_missing"  # in doubt: say where it lies
    top.do("entered", "5D", SUPERVISOR, 1)
    top.do("misread")
    top.deal(b1="2S", b2=HANDS["b2"], dealer=HANDS["dealer"])
    assert end(top) == as_read(game)


def test_x_25_the_first_card_entered_while_the_round_waits_begins_the_deal(game):
    top = laid(game, device="shuffler")
    assert facts.asked(top.do("card", "JOKER"))[:2] == ("check", "foreign_card")
    top.do("entered", "KS", SUPERVISOR, 1)
    top.do("misread")
    assert top.state == "dealing"
    assert facts.code(top, "counted", 3, "P3", MAIN[game], 500, SUPERVISOR) == "cards_are_out"
    top.deal(b1="5D 2S", b2=HANDS["b2"], dealer=HANDS["dealer"])
    assert end(top) == as_read(game)


@pytest.mark.parametrize("when", ["before the reveal", "after it"])
def test_x_25_a_card_that_was_read_wrong_is_taken_out_and_its_name_entered(game, when):
    """The reader read 2S for 4S: nine wins. In poker it read 2S for 5S: a pair wins."""
    top = dealt(game)
    if when == "after it":
        show_all(top)
    top.do("lies", "2S", SUPERVISOR)
    top.do("entered", "5S" if game == POKER else "4S", SUPERVISOR, 1)
    expected = {"P1": 2 * STAKE, "P2": 2 * STAKE} if game == POKER else {"P1": STAKE, "P2": -STAKE}
    if when == "after it":
        assert facts.results(top.do("settle")) == expected
    else:
        assert end(top) == expected


def test_x_25_a_card_that_was_read_wrong_and_paid_on_is_corrected_by_a_ruling(game):
    """KS was 9S: 9 5 2, six, loses to eight as seven did. In poker king-high was nine-high, which loses."""
    top = dealt(game, touched=True)
    show_all(top)
    top.do("settle")
    assert facts.asked(top.do("lies", "KS", SUPERVISOR))[0] == "tell"
    top.do("entered", "9S", SUPERVISOR, 1)
    assert facts.asked(top.do("all_told", SUPERVISOR))[0] == "ruling"
    records = top.do("ruling", "correct", MANAGER)
    assert facts.results(records) == {"P1": -2 * STAKE if game == POKER else -STAKE, "P2": as_read(game)["P2"]}
