"""Whatever repeats itself without end in one round: the round stays small, and staff can bring it to its end."""

from firmware.recorder import _IDLE_BYTES
from tests.support.firmware.table_bench import Bench

# -- a bet sensor that comes and goes


def flicker(bench, box, spot, times):
    """So many changes of one spot, beginning with a chip."""
    for number in range(times):
        bench.chip(box, spot, there=number % 2 == 0)


def test_a_spot_that_changes_more_than_twenty_times_in_a_round_is_a_fault_and_makes_no_more_events():
    bench = Bench(amounts=False)
    bench.press("open")
    bench.chip(2, 0)
    flicker(bench, 1, 0, 20)
    assert bench.recorder.faults == []
    before = len(bench.events())
    flicker(bench, 1, 0, 81)
    assert bench.of_kind("fault") == [["fault", "sensor_unsteady", "1 main"]]
    assert len(bench.events()) == before
    bench.chip(2, 1)
    assert bench.events()[-1] == ["bet", 2, "box 2", "tie"], "the other spots are believed"
    bench.tell("bet", 1, "box 1", "main")  # the chip lies there, and staff say so
    bench.press("close")
    assert bench.of_kind("sensed") == []
    assert bench.round.order == [1, 2]


def test_a_spot_is_believed_again_once_its_fault_is_cleared_and_in_the_next_round():
    bench = Bench(amounts=False)
    bench.press("open")
    flicker(bench, 1, 0, 41)
    bench.shuffler.say("JAM")
    bench.run(500)
    bench.clear("shuffler_jam")
    assert bench.chip(1, 0, False) == [], "another fault was cleared, not this one"
    bench.clear("sensor_unsteady")
    assert bench.chip(1, 0) == [["event", 1, ["bet", 1, "box 1", "main"]]]
    flicker(bench, 2, 0, 20)
    bench.tell("irregularity", "other")
    bench.tell("ruling", "void", "shift_manager")
    bench.chip(1, 0, False)
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]
    assert bench.chip(2, 0) == [["event", 2, ["bet", 2, "box 2", "main"]]]


def test_no_round_opens_while_a_sensor_is_unsteady():
    bench = Bench(amounts=False)
    bench.press("open")
    flicker(bench, 1, 0, 22)
    bench.press("close")
    assert bench.round.is_over(), "nothing was bet"
    assert bench.press("open") == [["held", "sensor_unsteady"]]


def test_where_a_chip_is_no_bet_it_may_change_as_it_likes():
    bench = Bench()
    bench.press("open")
    flicker(bench, 1, 0, 50)
    assert bench.recorder.faults == []


# -- a long round


def long_round(bench):
    """Settled, with more records than a table keeps for long without a round."""
    bench.open_with_bets()
    while bench.recorder.journal.since_whole() < 2 * _IDLE_BYTES:
        bench.recorder.keep([["device", "reader", "x" * 100]])
        bench.recorder.journal.acknowledge(bench.last_number())
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    bench.press("reveal")
    bench.press("settle")


def test_a_long_round_can_be_reversed_after_its_settlement():
    bench = Bench()
    long_round(bench)
    assert bench.round.state == "settled"
    bench.tell("irregularity", "wrong_count", 0, None, None, "pit_supervisor")
    assert bench.round.state == "void"
    assert len(bench.of_kind("reversed")) == 2


def test_without_a_round_for_long_a_settled_one_is_forgotten():
    bench = Bench()
    long_round(bench)
    before = bench.recorder.journal.since_whole()
    while bench.round.state == "settled":
        bench.recorder.keep([["device", "reader", "x" * 100]])
        assert bench.recorder.journal.since_whole() - before <= _IDLE_BYTES + 1024
    assert bench.round.state == "idle"
    assert bench.of_kind("begin")[-1][2] == "idle"
