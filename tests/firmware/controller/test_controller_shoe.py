"""The deal with a shoe, from which the dealer draws: when it is locked, and what a fault does to the cards."""

import pytest

from tests.support.firmware.table_bench import CARDS, Bench
from tests.support.tables import LUCKY, MBS


def shoe_bench(game=MBS):
    bench = Bench(game, device="shoe", reader="angel_eye")
    bench.open_with_bets()
    return bench


def test_the_shoe_is_locked_outside_the_deal():
    bench = shoe_bench()
    assert bench.reader.locked
    bench.press("close")
    assert not bench.reader.locked
    for card in CARDS.split():
        bench.reader.passes(card)
        bench.run(200)
    assert bench.hands() == CARDS
    assert bench.round.state == "playing"
    assert bench.reader.locked


def test_a_shoe_is_dealt_one_card_at_a_time_where_the_book_says_so():
    bench = shoe_bench(LUCKY)
    bench.press("close")
    for card in ("KS", "2C", "8D", "QS", "3C", "6D", "9D", "5C", "4H"):
        bench.reader.passes(card)
        bench.run(100)
    assert bench.hands() == CARDS


def test_an_unreadable_card_in_the_shoe_is_a_fault_and_entered_by_hand():
    bench = shoe_bench()
    bench.press("close")
    bench.reader.passes("XX")
    bench.run(200)
    assert bench.of_kind("fault") == [["fault", "card_unread", "byte 127"]]
    bench.tell("card", "KS")
    bench.clear("card_unread")
    bench.reader.passes("QS")
    bench.run(200)
    assert bench.hands() == "KS QS"


def test_a_shoe_s_error_is_a_fault():
    bench = shoe_bench()
    bench.reader.report(b"E\x47")
    bench.run(200)
    assert bench.of_kind("fault") == [["fault", "reader_error", "code 7"]]


def test_a_silent_shoe_is_no_fault_and_its_card_can_be_told_by_hand():
    bench = shoe_bench()
    bench.press("close")
    bench.reader.faults.silent = True
    bench.run(30_000)
    assert bench.recorder.faults == []
    bench.tell("card", "KS")
    assert bench.hands() == "KS"


def test_a_card_drawn_outside_the_deal_is_refused_and_recorded():
    bench = shoe_bench()
    bench.reader.report(b"d1\x3d")
    bench.run(200)
    assert bench.of_kind("refused")[-1][1] == ["card", "KS"]


# -- a fault in the deal


def draw(bench, *cards):
    for card in cards:
        bench.reader.passes(card)
        bench.run(300)


def unread_bench(reader):
    """Two cards lie there, the third could not be read."""
    bench = Bench(device="shoe", reader=reader)
    bench.shuffler = None
    bench.open_with_bets()
    bench.press("close")
    draw(bench, "KS", "QS")
    if reader == "angel_eye":
        bench.reader.passes("XX")
    else:
        bench.reader.say("UNREAD")
    bench.run(300)
    assert bench.recorder.faults == ["card_unread"]
    return bench


@pytest.mark.parametrize("is_cut", [False, True], ids=["", "power cut"])
@pytest.mark.parametrize("reader", ["felt", "angel_eye"])
def test_cards_drawn_after_one_that_could_not_be_read_wait_until_staff_have_said_it(reader, is_cut):
    bench = unread_bench(reader)
    draw(bench, "2C", "3C")
    assert bench.hands() == "KS QS", "none of them is the third card of box 1"
    assert bench.of_kind("late") == [["late", "2C", False], ["late", "3C", False]]
    if is_cut:
        bench.restart()
        bench.run(2000)
        bench.tell("ruling", "continue", "shift_manager")  # M-19
        bench.run(1000)
        assert bench.hands() == "KS QS"
    bench.tell("card", "9D")
    bench.clear("card_unread")
    bench.run(300)
    assert bench.hands() == "KS QS 9D 2C 3C"
    draw(bench, *CARDS.split()[5:])
    assert bench.hands() == CARDS
    assert bench.round.state == "playing"


def test_the_shoe_is_locked_while_there_is_a_fault():
    bench = shoe_bench()
    bench.press("close")
    draw(bench, "KS")
    bench.keys[3] = 0  # settle, held down
    bench.run_until(lambda: bench.recorder.faults == ["key_stuck"])
    bench.run(100)
    assert bench.reader.locked
    bench.keys[3] = 1
    bench.run(100)
    bench.clear("key_stuck")
    bench.run(100)
    assert not bench.reader.locked
    draw(bench, *CARDS.split()[1:])
    assert bench.hands() == CARDS


def test_nonsense_that_goes_on_is_a_fault_again_after_clearing():
    bench = shoe_bench()
    bad = b"\x05\x31D1\x3d\x03ZZ"
    for _ in range(2):
        for _ in range(20):
            bench.reader.outgoing += bad
            bench.run(200)
        assert bench.recorder.faults == ["reader_nonsense"]
        bench.clear("reader_nonsense")
