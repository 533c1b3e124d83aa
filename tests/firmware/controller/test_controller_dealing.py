"""The deal with a shuffler or a shoe, and whatever can go wrong in it."""

import pytest

from shared.journal.snapshot import plain_config
from tests.support.firmware.table_bench import (
    CARDS,
    Bench,
    finish_deal,
)
from tests.support.linked import DONE, not_done
from tests.support.tables import LUCKY, MBS

# -- faults in the deal


def dealing_bench(game=MBS, until=(1, 3), **config):
    """A table in the deal of CARDS, stopped when a place holds so many cards."""
    bench = Bench(game, **config)
    bench.open_with_bets()
    bench.press("close")
    place, count = until
    bench.run_until(lambda: bench.held(place) == count)
    return bench


def test_a_jam_in_the_deal_waits_and_the_deal_goes_on_without_losing_a_card():
    bench = dealing_bench(until=(1, 0))
    bench.shuffler.faults.jam = True
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)
    before = bench.hands()
    bench.run(20_000)
    assert bench.hands() == before, "nothing is dealt while it is latched"
    bench.clear("shuffler_jam")
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)  # nobody freed the cards
    bench.shuffler.free()
    bench.run(500)
    bench.clear("shuffler_jam")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9
    assert bench.round.state == "playing"
    assert ["device", "shuffler", "FREE"] in bench.records()


def test_a_jam_with_part_of_a_hand_out_has_the_rest_dealt_afterwards():
    bench = dealing_bench(until=(1, 1))
    bench.shuffler.leaving, bench.shuffler.told = [], None  # two cards are stuck inside
    bench.shuffler.deck += ["9D", "QS"]
    bench.shuffler.say("JAM")
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)
    bench.clear("shuffler_jam")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_an_open_door_in_the_deal_waits_and_the_deal_goes_on():
    bench = dealing_bench(until=(1, 0))
    bench.shuffler.faults.door = True
    bench.run_until(lambda: "shuffler_door" in bench.recorder.faults)
    bench.run(5000)
    bench.shuffler.free()
    bench.run(500)
    bench.clear("shuffler_door")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_shuffler_that_falls_silent_with_cards_under_way_deals_each_once():
    bench = dealing_bench(until=(1, 2))
    bench.shuffler.faults.silent = True
    bench.run_until(lambda: "shuffler_silent" in bench.recorder.faults)
    bench.shuffler.faults.silent = False
    bench.run(2000)
    bench.clear("shuffler_silent")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def silent_before_it_hears():
    """The shuffler's cable comes out just before it is told to deal."""
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.silent = True
    bench.press("close")
    bench.run_until(lambda: "shuffler_silent" in bench.recorder.faults)
    return bench


def test_nothing_is_dealt_while_the_fault_is_latched_though_the_shuffler_is_back():
    bench = silent_before_it_hears()
    bench.shuffler.faults.silent = False
    bench.run(5000)
    assert bench.recorder.faults == ["shuffler_silent"]
    assert bench.hands() == ""
    assert len(bench.shuffler.deck) == 52


def test_a_shuffler_that_is_back_after_clearing_deals_each_hand_once():
    bench = silent_before_it_hears()
    bench.clear("shuffler_silent")
    bench.run(500)
    bench.shuffler.faults.silent = False
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_a_shuffler_that_does_not_deal_is_late_after_eight_seconds():
    bench = Bench()
    bench.open_with_bets()
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: None
    bench.press("close")
    bench.run(7500)
    assert bench.recorder.faults == []
    bench.run(1000)
    assert bench.of_kind("fault") == [["fault", "shuffler_late", "3"]]
    bench.shuffler.obey = obey
    bench.clear("shuffler_late")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_round_that_waits_asks_the_shuffler_anew_when_it_goes_on():
    bench = Bench()
    bench.open_with_bets()
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: None
    bench.press("close")
    bench.run(1000)
    bench.tell("irregularity", "technical")
    assert bench.round.state == "frozen"
    bench.run(20_000)
    assert bench.recorder.faults == [], "nobody waits for it meanwhile"
    bench.shuffler.obey = obey
    bench.tell("ruling", "continue", "shift_manager")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert not bench.of_kind("fault")


def test_a_card_too_few_is_a_wrong_count_and_the_missing_one_is_dealt_after_clearing():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.one_card_less = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "card_count", "3 2 2"]]
    bench.run(5000)
    assert bench.hands() == "KS QS"
    bench.clear("card_count")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_card_too_many_is_a_wrong_count_and_no_more_are_dealt_until_staff_have_looked():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.one_card_more = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "card_count", "3 4 4"]]
    bench.run(5000)
    assert len(bench.shuffler.deck) == 52 - 4
    assert [event for event in bench.events() if event[0] == "card"] == [
        ["card", card] for card in CARDS.split()[:4]
    ]


def test_a_card_after_the_last_one_is_asked_about():
    bench = dealing_bench(until=(2, 3))
    bench.run_until(lambda: bench.round.state == "playing")
    bench.reader.passes("AH")
    bench.run(500)
    assert bench.of_kind("ask") == [["ask", "check", "misdeal", "dealer", "5.3", "X-04"]]


def test_cards_may_be_read_a_second_after_the_shuffler_says_that_they_are_out():
    bench = dealing_bench(until=(1, 1))
    bench.reader.faults.silent = True
    bench.run_until(lambda: bench.shuffler.told is None and not bench.shuffler.waiting)
    bench.run(1000)
    assert bench.hands() == "KS"
    bench.reader.faults.silent = False
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert not bench.of_kind("fault")


def test_a_card_that_a_silent_reader_saw_is_told_when_it_is_back_and_counts_once():
    bench = dealing_bench(until=(1, 1))
    bench.reader.faults.silent = True
    bench.run_until(lambda: "reader_silent" in bench.recorder.faults)
    assert ["fault", "card_count", "3 3 1"] in bench.records()
    bench.reader.faults.silent = False
    bench.run(3000)
    bench.clear("card_count")
    bench.clear("reader_silent")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_a_card_that_could_not_be_read_holds_nothing_up():
    bench = Bench()
    bench.open_with_bets()
    bench.reader.faults.unread = True
    bench.press("close")
    finish_deal(bench)
    assert bench.of_kind("fault", "ask") == []
    assert bench.hands() == "?? " + CARDS[3:]
    assert len(bench.shuffler.deck) == 52 - 9


def test_an_empty_shuffler_voids_the_round_where_the_book_says_so():
    bench = Bench(LUCKY)
    bench.open_with_bets()
    bench.shuffler.faults.empty = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "shuffler_empty", ""]]
    assert ["cards_left", 0] in bench.events()
    assert ["void", "5.5.5", "X-07"] in bench.records()


def test_an_empty_shuffler_is_asked_about_where_the_book_is_silent():
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.shuffler.faults.empty = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("ask") == [["ask", "ruling", "too_few_cards", "shift_manager", None, "M-19"]]


def test_a_shuffler_that_counts_51_cards_voids_the_round():
    bench = dealing_bench()
    bench.shuffler.say("COUNT 51")
    bench.run_until(lambda: bench.round.state == "void")
    assert ["cards_counted", 51] in bench.events()


def test_a_shuffler_that_says_how_many_it_has_is_believed_in_the_deal_only():
    bench = Bench(LUCKY)
    bench.shuffler.say("READY 3")
    bench.run(500)
    assert bench.events() == []
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.held(1) == 1)
    bench.shuffler.say("READY 3")
    bench.run_until(lambda: bench.round.state == "void")
    assert ["cards_left", 3] in bench.events()


@pytest.mark.parametrize("how", ["by the reader", "announced by the shuffler"])
def test_a_card_that_lies_face_up_is_simply_the_next_card_in_lucky_three_pictures(how):
    bench = Bench(LUCKY)
    bench.open_with_bets()
    if how == "by the reader":
        bench.shuffler.faults.face_up = True
    else:
        bench.shuffler.say("FACEUP")
    bench.press("close")
    finish_deal(bench)
    assert bench.of_kind("seen") == [["seen", "KS"]]
    assert bench.of_kind("noted") == [["noted", "face_up_card", "5.9", "L-33"]]
    assert bench.hands() == CARDS


def test_a_face_up_card_is_asked_about_where_the_book_is_silent():
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.shuffler.faults.face_up = True
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    assert bench.of_kind("ask") == [["ask", "ruling", "face_up_card", "shift_manager", None, "M-19"]]


def test_a_foreign_card_is_asked_about_and_nothing_more_is_dealt():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.foreign_card = True
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(15_000)
    assert bench.of_kind("ask") == [["ask", "check", "foreign_card", "dealer", "5.1.1", "M-12"]]
    assert bench.hands() == "KS QS"
    assert len(bench.shuffler.deck) == 52 - 3
    bench.tell("irregularity", "foreign_card")
    assert bench.round.state == "void"


def test_a_card_read_twice_is_asked_about_and_after_a_misread_the_deal_goes_on():
    bench = dealing_bench(until=(1, 2))
    bench.reader.faults.read_twice = True
    bench.run_until(lambda: bench.round.state == "frozen")
    assert bench.of_kind("ask") == [["ask", "check", "deck_count", "dealer", "5.2", "M-12"]]
    bench.run(5000)
    bench.tell("misread")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def misread(bench):
    bench.reader.faults.read_twice = True
    return ["misread"]


def face_up(bench):
    bench.shuffler.faults.face_up = True
    return ["ruling", "continue", "shift_manager"]


@pytest.mark.parametrize("trouble", [misread, face_up])
def test_cards_that_come_while_the_round_waits_for_an_answer_are_not_lost(trouble):
    """The first of three cards freezes the round while the other two are on their way."""
    bench = Bench()
    bench.open_with_bets()
    answer = trouble(bench)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(5000)
    bench.tell(*answer)
    bench.run(10_000)
    for code in list(bench.recorder.faults):
        bench.clear(code)
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


@pytest.mark.parametrize("trouble", [misread, face_up])
def test_cards_that_came_while_the_round_waited_survive_a_power_cut(trouble):
    """The reader was told that the table has them, so it does not say them again."""
    bench = Bench()
    bench.open_with_bets()
    answer = trouble(bench)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(3000)
    late = bench.of_kind("late")
    assert len(late) == 2
    bench.restart()
    bench.run(3000)
    assert [list(card) for card in bench.recorder.late] == [record[1:] for record in late]
    bench.tell(*answer)
    bench.run(10_000)
    assert bench.round.question.situation == "power_failure", "M-19"
    bench.tell("ruling", "continue", "shift_manager")
    bench.run(5000)
    for code in list(bench.recorder.faults):
        bench.clear(code)
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert bench.recorder.late == []


def test_a_late_card_that_staff_enter_by_hand_is_not_dealt_twice():
    bench = Bench()
    bench.open_with_bets()
    answer = misread(bench)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(3000)
    (first, _), (second, _) = bench.recorder.late
    bench.host.link.command("staff", "event", list(answer))
    bench.host.link.command("staff", "event", ["card", first])
    bench.run(10_000)
    dealt = [record[2] for record in bench.of_kind("dealt")]
    assert dealt.count(first) == 1
    assert second in dealt


def test_a_card_that_was_misread_can_be_entered_by_hand():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.foreign_card = True  # 9D, read as XX
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(1000)
    assert bench.of_kind("fault") == [["fault", "card_count", "XX"]]
    bench.tell("misread")
    bench.run(5000)
    assert bench.command("event", "card", "9D") == not_done("no_such_command", "card")
    bench.tell("entered", "9D", "pit_supervisor")
    bench.clear("card_count")
    finish_deal(bench)
    assert bench.hands() == CARDS


@pytest.mark.parametrize("game", [LUCKY, MBS])
def test_the_shuffler_waits_while_staff_tell_where_cards_lie(game):
    """The last cards of both boxes lie in each other's place, which takes two facts to tell: between them box 1
    lacks a card, and the shuffler must not deal one."""
    bench = Bench(game)
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.held(2) == 3)
    bench.tell("lies", "9D", "pit_supervisor", 2)
    bench.run(5000)
    assert bench.round.next_place() == 1
    held = {place: bench.held(place) for place in (1, 2, 0)}
    assert held[1] == 2
    assert held[2] == 4
    bench.tell("lies", "5C", "pit_supervisor", 1)
    finish_deal(bench)
    assert bench.hands() == "KS QS 5C 2C 3C 9D 8D 6D 4H"
    assert bench.of_kind("ask", "fault") == []
    assert len(bench.shuffler.deck) == 52 - 9


def test_a_card_that_comes_while_the_round_waits_after_the_deal_is_asked_about_later():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    bench.tell("irregularity", "other")
    bench.reader.passes("AH")
    bench.run(500)
    assert bench.of_kind("late") == [["late", "AH", False]]
    bench.tell("ruling", "continue", "shift_manager")
    bench.run(100)
    assert bench.of_kind("ask")[-1][:3] == ["ask", "check", "misdeal"]
    assert bench.recorder.late == []


def test_a_new_configuration_opens_the_devices_that_it_names():
    bench = Bench(configured=False)
    bench.run(500)
    assert bench.heard == (b"", b"")
    assert bench.controller.shuffler is None
    config = {"game": MBS, "boxes": 2}
    assert bench.command("config", *plain_config(config)) == DONE
    bench.run(100)
    assert type(bench.controller.shuffler).__name__ == "Shuffler"
    assert type(bench.controller.reader).__name__ == "CardReader"
    shoe = config | {"device": "shoe", "reader": "angel_eye"}
    assert bench.command("config", *plain_config(shoe)) == DONE
    bench.run(100)
    assert bench.controller.shuffler is None
    assert type(bench.controller.reader).__name__ == "AngelEye"
    assert bench.command("config", *plain_config(config | {"reader": "fixed_frames"})) == DONE
    bench.run(100)
    assert type(bench.controller.shuffler).__name__ == "Shuffler"
    assert type(bench.controller.reader).__name__ == "FixedFrames"


@pytest.mark.parametrize("reader", ["felt", "fixed_frames"])
def test_a_round_with_a_shuffler_and_each_reader(reader):
    bench = Bench(reader=reader)
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_report_that_is_lost_behind_a_shuffler_is_a_fault_and_the_card_is_entered():
    bench = Bench(reader="fixed_frames")
    bench.open_with_bets()
    bench.reader.faults.lost = True
    bench.press("close")
    bench.run_until(lambda: "reader_gap" in bench.recorder.faults)
    bench.run(3000)
    assert bench.hands() == "QS 9D", "of the first three"
    bench.tell("entered", "KS", "pit_supervisor")
    bench.clear("reader_gap")
    bench.run_until(lambda: bench.recorder.faults == ["card_count"])
    assert bench.of_kind("fault")[-1] == ["fault", "card_count", "3 3 2"]
    bench.clear("card_count")
    finish_deal(bench)
    assert bench.hands() == "QS 9D KS " + CARDS[9:]
