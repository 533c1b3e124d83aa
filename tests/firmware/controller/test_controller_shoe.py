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


@pytest.mark.parametrize("reader", ["felt", "angel_eye"])
def test_a_card_that_could_not_be_read_lies_there_without_a_name_and_nothing_waits(reader):
    """X-22: it is named when its hand is shown, and only then is the hand settled."""
    bench = Bench(LUCKY, device="shoe", reader=reader)
    bench.shuffler = None
    bench.open_with_bets()
    bench.press("close")
    for card in ("KS", "2C", "8D", "QS", "3C", "6D", "XX", "5C", "4H"):
        if card == "XX" and reader == "felt":
            bench.reader.say("UNREAD")
        else:
            bench.reader.passes(card)
        bench.run(300)
    assert bench.recorder.faults == []
    assert bench.round.state == "playing"
    assert bench.hands() == "KS QS ?? 2C 3C 5C 8D 6D 4H"
    assert bench.command("event", "entered", "9D", "pit_supervisor", 1)[1] == "named_when_shown"
    bench.tell("show", 1)
    bench.press("reveal")
    assert bench.press("settle")[0][3:] == ["card_not_named", [1]]
    assert bench.command("event", "entered", "9D", "dealer", 1) == (
        False,
        "post_too_low",
        "X-25",
        ["pit_supervisor"],
    )
    bench.tell("entered", "9D", "pit_supervisor", 1)
    assert bench.press("settle")[0] == ["event", 1, ["settle"]]
    assert bench.hands() == CARDS


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
    bench.tell("entered", "KS", "pit_supervisor")
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


def error_bench(reader):
    """Two cards lie there, the third passed while the reader was out of order."""
    bench = Bench(device="shoe", reader=reader)
    bench.shuffler = None
    bench.open_with_bets()
    bench.press("close")
    draw(bench, "KS", "QS")
    if reader == "angel_eye":
        bench.reader.report(b"E\x47")
    else:
        bench.reader.say("ERROR 7")
    bench.run(300)
    assert bench.recorder.faults == ["reader_error"]
    return bench


@pytest.mark.parametrize("is_cut", [False, True], ids=["", "power cut"])
@pytest.mark.parametrize("reader", ["felt", "angel_eye"])
def test_cards_drawn_after_one_that_the_reader_missed_wait_until_staff_have_entered_it(reader, is_cut):
    bench = error_bench(reader)
    draw(bench, "2C", "3C")
    assert bench.hands() == "KS QS", "none of them is the third card of box 1"
    assert bench.of_kind("late") == [["late", "2C", False], ["late", "3C", False]]
    if is_cut:
        bench.restart()
        bench.run(2000)
        bench.tell("ruling", "continue", "shift_manager")  # M-19
        bench.run(1000)
        assert bench.hands() == "KS QS"
    bench.tell("entered", "9D", "pit_supervisor")
    bench.clear("reader_error")
    bench.run(300)
    assert bench.hands() == "KS QS 9D 2C 3C"
    draw(bench, *CARDS.split()[5:])
    assert bench.hands() == CARDS
    assert bench.round.state == "playing"


@pytest.mark.parametrize("reader", ["fixed_frames", "angel_eye"])
def test_a_lost_report_is_a_fault_and_the_next_card_does_not_take_the_place_of_the_missed_one(reader):
    bench = Bench(device="shoe", reader=reader)
    bench.shuffler = None
    bench.open_with_bets()
    bench.press("close")
    draw(bench, "KS", "QS")
    bench.reader.faults.lost = True
    draw(bench, "9D")
    if reader == "angel_eye":
        assert bench.recorder.faults == [], "a shoe says nothing while nobody draws"
    draw(bench, "2C")
    assert bench.recorder.faults == ["reader_gap"]
    assert bench.hands() == "KS QS", "the third card of box 1 is still missing"
    assert bench.of_kind("late") == [["late", "2C", False]]
    bench.tell("entered", "9D", "pit_supervisor")
    bench.clear("reader_gap")
    bench.run(300)
    assert bench.hands() == "KS QS 9D 2C"
    draw(bench, *CARDS.split()[4:])
    assert bench.hands() == CARDS
    assert bench.recorder.faults == []
    assert bench.round.state == "playing"


def test_a_lost_report_that_was_no_card_costs_only_the_clearing():
    bench = shoe_bench()
    bench.press("close")
    draw(bench, "KS")
    bench.reader.faults.lost = True
    bench.reader.report(b"P")
    draw(bench, "QS")
    assert bench.of_kind("fault")[0][1:] == ["reader_gap", "30 32"]
    bench.clear("reader_gap")
    draw(bench, *CARDS.split()[2:])
    assert bench.hands() == CARDS


@pytest.mark.parametrize("reader", ["fixed_frames", "angel_eye"])
def test_a_second_gap_before_the_first_is_cleared_stops_the_deal_again_in_its_place(reader):
    bench = Bench(device="shoe", reader=reader)
    bench.shuffler = None
    bench.open_with_bets()
    bench.press("close")
    draw(bench, "KS")
    for lost, read in (("QS", "9D"), ("2C", "3C")):
        bench.reader.faults.lost = True
        draw(bench, lost, read)
    draw(bench, "5C")
    assert [fault[1] for fault in bench.of_kind("fault")] == ["reader_gap", "card_count"]
    assert bench.hands() == "KS"
    bench.tell("entered", "QS", "pit_supervisor")
    bench.clear("reader_gap")
    bench.clear("card_count")
    bench.run(300)
    assert bench.hands() == "KS QS 9D"
    assert bench.recorder.faults == ["reader_gap"]
    bench.tell("entered", "2C", "pit_supervisor")
    bench.clear("reader_gap")
    draw(bench, *CARDS.split()[6:])
    assert bench.hands() == CARDS
    assert bench.recorder.faults == []


def test_a_second_gap_is_still_a_fault_after_a_power_cut():
    bench = shoe_bench()
    bench.press("close")
    for read, lost in (("KS", "QS"), ("9D", "2C"), ("3C", "5C")):
        draw(bench, read)
        bench.reader.faults.lost = True
        draw(bench, lost)
    bench.restart()
    bench.run(1000)
    assert bench.recorder.faults == ["reader_gap", "card_count"]


def test_the_shoe_s_own_restart_is_no_gap():
    bench = shoe_bench()
    bench.press("close")
    draw(bench, "KS", "QS", "9D")
    bench.reader.sequence = 0x30
    bench.reader.report(b"S")
    draw(bench, *CARDS.split()[3:])
    assert bench.hands() == CARDS
    assert bench.of_kind("fault") == []


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
