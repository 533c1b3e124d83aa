"""The power goes, or the flash fails: what the table does then and afterwards."""

import pytest

from boards import full
from shared.journal.chain import BrokenChain
from tests.support.firmware.table_bench import (
    CARDS,
    FAULTS,
    Bench,
    Failing,
    finish_deal,
    repair,
)
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

# -- the power goes


@pytest.mark.parametrize(
    ("code", "cause", "detail"), FAULTS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_fault_that_was_there_when_the_power_went_is_there_when_it_is_back(code, cause, detail):
    bench = Bench(board=full)
    cause(bench)
    bench.run_until(lambda: code in bench.recorder.faults)
    before = list(bench.recorder.faults)
    repair(bench)
    bench.restart()
    assert bench.recorder.faults == before
    bench.run(3000)
    assert bench.press("open") == [["held", before[0]]]
    for one in before:
        bench.clear(one)
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


def cut_with_one_hand_out(game):
    """The power goes with box 1 dealt and nothing on its way."""
    bench = Bench(game)
    bench.open_with_bets()
    bench.press("close")
    obey = bench.shuffler.obey
    bench.run_until(lambda: bench.held(1) == 2)
    bench.shuffler.obey = lambda words, now: None  # it goes with the power, before it deals the next hand
    bench.run_until(lambda: bench.held(1) == 3)
    bench.run(1000)
    bench.restart()
    bench.shuffler.obey = obey
    return bench


def test_a_second_unread_card_around_a_power_cut_is_not_taken_for_the_first():
    """Neither has a name, so the reader's line alone does not tell them apart: staff look."""
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.press("close")
    passed = []
    passes = bench.reader.passes

    def unread(card, face_up=False):
        passed.append(card)
        bench.reader.faults.unread = len(passed) <= 2
        passes(card, face_up)

    bench.reader.passes = unread
    bench.run_until(lambda: bench.held(1) == 1)
    bench.run_until(lambda: not bench.reader.waiting)  # the first was answered
    bench.restart()
    bench.run(3000)
    assert len(passed) >= 2
    assert bench.held(1) == 1
    assert bench.recorder.faults == ["card_count"]


def after_the_last_boot(bench):
    records = [record for record in bench.records() if record[0] != "clock"]
    boots = [place for place, record in enumerate(records) if record[0] == "boot"]
    return records[boots[-1] + 1 :]


@pytest.mark.parametrize(
    ("game", "asked"),
    [
        (MBS, ["ask", "ruling", "power_failure", "shift_manager", None, "M-19"]),
        (POKER, ["ask", "ruling", "power_failure", "shift_manager", None, "T-25"]),
    ],
)
def test_where_the_book_is_silent_on_power_failures_a_manager_is_asked_and_the_deal_goes_on(game, asked):
    bench = cut_with_one_hand_out(game)
    assert after_the_last_boot(bench) == [["event", 1, ["power_failure"]], asked]
    assert bench.hands() == CARDS[:8]
    bench.run(20_000)
    assert bench.hands() == CARDS[:8], "nothing is dealt before the ruling"
    bench.tell("ruling", "continue", "shift_manager")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
@pytest.mark.parametrize("by_key", [True, False])
def test_5_4_2_with_nothing_decided_a_power_cut_in_the_deal_voids_the_round(game, by_key):
    """Once the dealer has told which cards lie open: here none."""
    bench = cut_with_one_hand_out(game)
    ruling = bench.round.book.IRREGULARITIES["power_failure"].ruling
    asked = ["ask", "tell", "power_failure", "dealer", "5.4", ruling]
    assert after_the_last_boot(bench) == [["event", 1, ["power_failure"]], asked]
    bench.run(20_000)
    assert bench.hands() == CARDS[:8], "nothing is dealt before the answer"
    if by_key:
        following = bench.press("close")
        assert following[0] == ["event", 1, ["all_told"]]
    else:
        bench.tell("all_told", "dealer")
        following = after_the_last_boot(bench)
    assert [record[1] for record in following if record[0] == "void"] == ["5.4.2"]
    assert [record[1:3] for record in following if record[0] == "refund"] == [[1, "P1"], [2, "P2"]]
    assert bench.round.state == "void"
    bench.run(3000)
    bench.shuffler.shuffle()
    assert bench.press("open")[-1][:2] == ["state", "betting"]


def test_5_13_1_with_nothing_decided_players_may_withdraw_and_the_deal_goes_on_with_the_rest():
    bench = cut_with_one_hand_out(ROYAL)
    assert after_the_last_boot(bench)[1][:3] == ["ask", "tell", "power_failure"]
    bench.run(3000)
    following = bench.press("close")
    assert following[2][:3] == ["ask", "choose", "power_failure"]
    assert [record[1:] for record in following if record[0] == "offer"] == [
        [None, "P1", "5.13.1"],
        [None, "P2", "5.13.1"],
    ]
    bench.run(3000)
    bench.tell("choose", "P1", None, "continue")
    bench.tell("choose", "P2", None, "withdraw")
    finish_deal(bench)
    assert bench.hands() == "KS QS 9D 2C 3C 5C", "box 1 and the dealer"


@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_between_rounds_changes_nothing(game):
    bench = Bench(game)
    bench.restart()
    assert after_the_last_boot(bench) == []
    bench.run(3000)
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS


def cut_before_the_answer(game):
    """The power goes when box 1's second card is on flash and the reader has no answer to it."""
    bench = Bench(game)
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.held(1) == 2)
    assert b" CARD QS*" in bench.reader.waiting[0][1]
    bench.restart()
    return bench


def test_a_card_that_was_on_flash_but_not_answered_is_said_again_and_counts_once():
    bench = cut_before_the_answer(MBS)
    bench.run(3000)
    assert bench.of_kind("late") == [["late", "9D", False]], "the third was on its way, the second is known"
    assert ["device", "reader", "AGAIN QS"] in bench.of_kind("device")
    bench.tell("ruling", "continue", "shift_manager")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.of_kind("ask")) == 1, "nothing but the power failure was asked about"
    assert len(bench.shuffler.deck) == 52 - 9


def test_only_the_first_card_after_a_start_may_be_one_said_again():
    bench = cut_before_the_answer(MBS)
    bench.reader.faults.read_twice = True  # the third card
    bench.run(3000)
    assert bench.of_kind("late") == [["late", "9D", False]] * 2
    bench.tell("ruling", "continue", "shift_manager")
    assert bench.of_kind("ask")[-1] == ["ask", "check", "deck_count", "dealer", "5.2", "M-12"]


def test_a_card_of_the_next_round_is_never_taken_for_the_last_one_before_the_start():
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    last = CARDS.split()[-1]
    bench.press("reveal")
    bench.run(500)
    bench.press("settle")
    assert bench.round.state == "settled"
    bench.restart()
    bench.run(3000)
    bench.open_with_bets(order=" ".join([last, *CARDS.split()[:-1]]))
    bench.press("close")
    finish_deal(bench)
    assert bench.hands().split()[0] == last


def test_a_shoe_does_not_say_again_so_its_second_card_is_a_second_card():
    bench = Bench(MBS, device="shoe", reader="angel_eye")
    bench.open_with_bets()
    bench.press("close")
    for card in ("KS", "QS"):
        bench.reader.passes(card)
        bench.run(1000)
    assert bench.hands() == "KS QS"
    bench.restart()
    bench.run(2000)  # until the host has joined it again
    bench.tell("ruling", "continue", "shift_manager")
    bench.reader.passes("QS")
    bench.run(1000)
    assert bench.of_kind("ask")[-1] == ["ask", "check", "deck_count", "dealer", "5.2", "M-12"]


# -- the flash fails


def test_a_flash_that_takes_no_record_stops_the_table_and_nothing_is_half_done():
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    before = bench.records()
    storage.fails = True
    bench.touch("open")
    assert bench.controller.stopped == "journal_failed"
    assert "journal_failed" in bench.recorder.faults
    assert isinstance(bench.table.hardware.problem, OSError)
    bench.touch("close")
    bench.touch("supervisor")
    storage.fails = False
    bench.touch("open")
    bench.run(5000)
    assert bench.controller.stopped == "journal_failed", "until it is switched off and on"
    bench.restart()
    identity = bench.table.identity
    assert bench.records() == [*before, ["boot", "power", 0, identity.rules, identity.firmware]]
    assert bench.round.state == "idle"
    bench.run(50)  # a key that is down at the start is no press
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


@pytest.mark.parametrize("half", [False, True])
def test_a_closing_that_cannot_be_kept_deals_no_card(half):
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    bench.open_with_bets()
    storage.fails, storage.half = True, half
    bench.touch("close")
    assert bench.controller.stopped == "journal_failed"
    bench.run(5000)
    assert len(bench.shuffler.deck) == 52
    storage.fails = False
    bench.restart()
    assert [bet.cents for bet in bench.round.bets] == [500, 500]
    assert after_the_last_boot(bench)[0] == ["event", 1, ["power_failure"]]
    # Half of what was written is the event; what follows from it is then written at the start.
    assert (["close"] in bench.events()) == half
    assert (["state", "closed", "3.2"] in bench.records()) == half


def failed_at_a_card(number):
    """The flash fails at this card of the deal, and is well again after a restart."""
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: len(bench.hands().split()) == number)
    storage.fails = True
    bench.run_until(lambda: bench.controller.stopped is not None)
    assert bench.controller.stopped == "journal_failed"
    bench.run(100)
    storage.fails = False
    bench.restart()
    return bench


@pytest.mark.parametrize("number", range(9))
def test_a_card_that_cannot_be_kept_was_not_dealt(number):
    bench = failed_at_a_card(number)
    assert bench.hands() == " ".join(CARDS.split()[:number])
    assert bench.round.state == "frozen"
    assert bench.of_kind("ask") == [["ask", "ruling", "power_failure", "shift_manager", None, "M-19"]]


@pytest.mark.parametrize("number", range(9))
def test_a_card_that_cannot_be_kept_is_not_answered_and_so_is_said_again(number):
    bench = failed_at_a_card(number)
    unanswered = [line for _, line in bench.reader.waiting]
    assert any(b" CARD " + CARDS.split()[number].encode() in line for line in unanswered)


def test_a_flash_that_fails_stops_the_table_with_a_host_there_too():
    storage = Failing()
    bench = Bench(storage=storage)
    storage.fails = True
    bench.touch("open")
    bench.run(1000)
    assert bench.controller.stopped == "journal_failed"


def test_a_flash_that_fails_as_the_host_goes_away_stops_the_table():
    storage = Failing()
    bench = Bench(storage=storage)
    bench.linked = False
    storage.fails = True
    bench.run(10_000)
    assert bench.controller.stopped == "journal_failed"


def test_a_journal_found_broken_between_rounds_is_a_fault():
    bench = Bench()
    bench.controller.is_checking = True

    def check_some():
        raise BrokenChain(7, "changed", "segment_altered", "00000001")

    bench.recorder.journal.check_some = check_some
    bench.run(100)
    assert [record[1] for record in bench.of_kind("fault")] == ["journal_broken"]
    assert bench.press("open") == [["held", "journal_broken"]]


def test_a_mistake_of_the_program_stops_the_table_and_is_reported():
    bench = Bench(linked=False)

    def mistake(now):
        raise KeyError("spot")

    bench.table.hardware.keys.poll = mistake
    bench.run(100)
    assert bench.controller.stopped == "crashed"
    assert "crashed" in bench.recorder.faults
    assert isinstance(bench.table.hardware.problem, KeyError)
    before = bench.last_number()
    bench.shuffler.say("JAM")
    bench.run(1000)
    assert bench.last_number() == before
