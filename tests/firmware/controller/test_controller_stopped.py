"""A table that has stopped by a mistake of its own, or whose journal is not whole: it does nothing more, and the
host knows."""

from typing import Any

import pytest

from host.words.faults import ADVICE
from shared.journal.chain import BrokenChain
from shared.journal.replay import Replay
from tests.support.firmware.table_bench import Bench, Failing
from tests.support.linked import not_done


def crash(bench):
    """A mistake in the program at the next look at the keys."""
    hardware: Any = bench.table.hardware
    poll = hardware.keys.poll

    def mistake(now):
        raise KeyError("spot")

    hardware.keys.poll = mistake
    bench.run(100)
    hardware.keys.poll = poll
    assert bench.controller.stopped == "crashed"


def crash_in_the_rules(bench, *event):
    """The round is half changed by an event of the host when the mistake comes."""

    def mistake(event):
        bench.round.number += 1
        raise KeyError("spot")

    bench.round.apply = mistake
    answer = bench.command("event", *event)
    del bench.round.apply
    return answer


def find_broken(bench):
    def check_some():
        bench.recorder.journal.check_some = lambda: False
        raise BrokenChain(7, "changed", "segment_altered", "00000001")

    bench.controller.is_checking = True
    bench.recorder.journal.check_some = check_some
    bench.run(100)


# -- the program is wrong


def test_after_a_crash_no_command_changes_anything_and_each_is_answered_with_what_to_do():
    bench = Bench()
    bench.open_with_bets()
    crash(bench)
    before = bench.records()
    state = bench.round.state
    for command in [
        ("event", "close"),
        ("event", "bet", 1, "P1", "tie", 500),
        ("config", ["game", "mbs-three-pictures-2"]),
        ("call", "pit_supervisor"),
        ("clear", "crashed", "pit_supervisor"),
    ]:
        assert bench.command(*command) == not_done("crashed")
    assert bench.records() == before
    assert bench.round.state == state


def test_the_advice_for_a_crash_is_what_helps():
    assert "off and on" in ADVICE["crashed"]
    bench = Bench()
    crash(bench)
    bench.restart()
    bench.run(3000)
    assert bench.recorder.faults == ["crashed"]
    assert bench.press("open") == [["held", "crashed"]]
    bench.clear("crashed")
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


def test_the_host_learns_of_a_crash_by_a_record():
    bench = Bench()
    crash(bench)
    bench.run(1000)
    assert bench.host.log.records()[-1] == ["fault", "crashed", "KeyError('spot')"]


def test_a_crash_in_the_middle_of_an_event_leaves_nothing_of_it_in_the_journal():
    bench = Bench()
    bench.open_with_bets()
    assert crash_in_the_rules(bench, "close") == not_done("crashed")
    replay = Replay()
    assert [difference for difference in map(replay.take, bench.records()) if difference] == []
    assert replay.round is not None
    assert (replay.round.state, replay.round.number) == ("betting", 1)
    bench.restart()
    assert (bench.round.state, bench.round.number) == ("frozen", 1)
    bench.run(3000)
    bench.clear("crashed")
    bench.tell("ruling", "continue", "shift_manager")
    bench.tell("close")
    assert bench.round.state == "closed"


def test_a_crash_that_comes_again_and_again_is_recorded_once_until_it_is_cleared():
    bench = Bench()
    for _ in range(3):
        crash(bench)
        bench.restart()
    assert len(bench.of_kind("fault")) == 1


def test_a_command_that_the_flash_may_have_taken_is_not_answered_before_the_restart():
    storage = Failing()
    bench = Bench(storage=storage)
    bench.open_with_bets()
    storage.fails = True
    bench.host.link.command("staff", "event", ["close"])
    bench.run(2000)
    answers = len(bench.host.answers())
    assert bench.controller.stopped == "journal_failed"
    storage.fails = False
    bench.run(3000)
    assert len(bench.host.answers()) == answers
    bench.restart()
    bench.run(5000)
    assert len(bench.host.answers()) == answers + 1


# -- the journal is not whole


def test_a_broken_journal_is_recorded_held_and_never_cleared():
    bench = Bench()
    find_broken(bench)
    bench.run(1000)
    assert bench.host.log.records()[-1][:2] == ["fault", "journal_broken"]
    assert bench.command("clear", "journal_broken", "shift_manager") == not_done("journal_broken")
    assert bench.recorder.faults == ["journal_broken"]
    assert bench.press("open") == [["held", "journal_broken"]]
    bench.restart()
    bench.run(3000)
    assert bench.recorder.faults == ["journal_broken"]
    assert bench.command("clear", "journal_broken", "shift_manager")[0] is False


@pytest.mark.parametrize("half", [False, True])
def test_a_broken_journal_that_takes_no_record_either_stops_the_table(half):
    storage = Failing()
    bench = Bench(storage=storage)
    storage.fails, storage.half = True, half
    find_broken(bench)
    assert bench.controller.stopped == "journal_failed"
    assert set(bench.recorder.faults) == {"journal_broken", "journal_failed"}
    assert bench.command("event", "open") == not_done("journal_failed")
