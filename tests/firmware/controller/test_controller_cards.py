"""Which card is meant: the one that the shuffler announced face up, and the one that came last."""

import pytest

from tests.support.firmware.table_bench import CARDS, Bench, finish_deal
from tests.support.tables import LUCKY, MBS

FIRST, SECOND, THIRD = CARDS.split()[:3]
LAST = CARDS.split()[-1]


def dealing(game=MBS, **config):
    bench = Bench(game, **config)
    bench.open_with_bets()
    bench.press("close")
    return bench


def stop_the_shuffler(bench):
    """It hears and does nothing."""
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: None
    return obey


# -- face up


def test_faceup_of_a_round_that_was_voided_does_not_mark_a_card_of_the_next():
    bench = Bench(LUCKY)
    bench.open_with_bets()
    obey = stop_the_shuffler(bench)
    bench.press("close")
    bench.shuffler.say("FACEUP")
    bench.run(500)
    bench.tell("irregularity", "not_shuffled")
    assert bench.round.state == "void"
    bench.shuffler.obey = obey
    bench.shuffler.shuffle()
    bench.press("open")
    for box in (1, 2):
        bench.tell("bet", box, f"P{box}", "initial", 500)
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert bench.of_kind("seen", "noted") == []


@pytest.mark.parametrize("trouble", ["JAM", "DOOR OPEN"])
def test_faceup_before_a_fault_of_the_shuffler_does_not_mark_the_card_that_comes_after_it(trouble):
    bench = Bench(LUCKY)
    bench.open_with_bets()
    obey = stop_the_shuffler(bench)
    bench.press("close")
    bench.shuffler.say("FACEUP")
    bench.shuffler.say(trouble)
    bench.run_until(lambda: bench.recorder.faults)
    bench.shuffler.obey = obey
    bench.shuffler.say("DOOR SHUT")
    bench.run(500)
    bench.clear(bench.recorder.faults[0])
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert bench.of_kind("seen") == []


def test_faceup_of_a_card_that_could_not_be_read_does_not_mark_the_next_one():
    bench = Bench(LUCKY)
    bench.open_with_bets()
    bench.shuffler.say("FACEUP")
    bench.run(200)
    bench.reader.faults.unread = True
    bench.press("close")
    finish_deal(bench)
    assert bench.events()[-9] == ["card", "??", True]
    assert bench.of_kind("seen") == []
    bench.tell("turned", FIRST, None, 1)  # it lies open, so the table sees which it is
    assert bench.of_kind("seen") == [["seen", FIRST]]


def test_faceup_of_a_card_that_comes_while_the_round_waits_is_that_card_s():
    """The second card freezes the round as read twice; the third is announced face up meanwhile."""
    bench = dealing(MBS)
    bench.run_until(lambda: bench.held(1) == 1)
    bench.reader.faults.read_twice = True
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.shuffler.waiting.clear()
    bench.shuffler.say("FACEUP")
    bench.run(3000)
    assert bench.of_kind("late") == [["late", THIRD, True]]
    bench.tell("misread")
    bench.run(200)
    assert bench.of_kind("seen") == [["seen", THIRD]]
    bench.tell("ruling", "continue", "shift_manager")
    for code in list(bench.recorder.faults):
        bench.clear(code)
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert bench.of_kind("seen") == [["seen", THIRD]]


# -- the card that came last


def test_the_exposed_key_knows_the_card_that_came_last_after_a_restart():
    bench = dealing()
    finish_deal(bench)
    bench.restart()
    bench.run(3000)
    bench.tell("ruling", "continue", "shift_manager")
    assert bench.press("exposed")[0] == ["event", 1, ["turned", LAST]]


def test_the_exposed_key_knows_a_card_that_staff_entered():
    bench = Bench(device="shoe")
    bench.open_with_bets()
    bench.press("close")
    bench.reader.passes("KS")
    bench.run(500)
    bench.tell("entered", "QS", "pit_supervisor")
    assert bench.press("exposed")[0] == ["event", 1, ["turned", "QS"]]


def test_the_exposed_key_never_names_a_card_of_the_round_before():
    bench = dealing()
    finish_deal(bench)
    bench.press("reveal")
    bench.press("settle")
    bench.press("open")
    assert bench.press("exposed")[0][:2] == ["refused", ["malformed", "turned"]]


def test_the_exposed_key_cannot_name_a_card_that_could_not_be_read():
    bench = Bench(device="shoe")
    bench.open_with_bets()
    bench.press("close")
    bench.reader.say("UNREAD")
    bench.run(500)
    assert bench.press("exposed")[0] == ["refused", ["turned", "??"], None, "no_such_card", ["??"]]


def test_a_card_that_staff_entered_after_the_start_is_not_taken_for_one_said_again():
    """Only what was recorded before the start can be said again: this one lies there a second time."""
    bench = Bench(device="shoe")
    bench.open_with_bets()
    bench.press("close")
    bench.restart()
    bench.run(3000)
    bench.tell("ruling", "continue", "shift_manager")
    bench.tell("entered", "QS", "pit_supervisor")
    bench.reader.passes("QS")
    bench.run(500)
    assert bench.of_kind("ask")[-1][:3] == ["ask", "check", "deck_count"]


# -- in time


def test_nothing_is_collected_between_a_card_and_its_record():
    bench = dealing()
    hardware = bench.table.hardware
    done = []  # in this pass
    passes = []
    write = hardware.usb.write

    def write_and_note(data):
        if b'"dealt"' in data:
            done.append("line")
        return write(data)

    def rest(collect):
        passes.append([*done, "collect" if collect else "rest"])
        done.clear()

    hardware.usb.write = write_and_note
    hardware.hurry = lambda: done.append("hurry")
    hardware.rest = rest
    finish_deal(bench)
    with_cards = [one for one in passes if "line" in one]
    assert with_cards
    assert sum(one.count("line") for one in with_cards) == len(CARDS.split())
    for one in with_cards:
        assert one[0] == "hurry"
        assert one[-1] == "collect"
    assert ["rest"] in passes, "outside the deal nobody hurries"
