"""A table records how worn its flash is: after a start, then once a day, and never while a card can come."""

from shared.journal.journal import SEGMENTS
from tests.shared.journal.test_ring import again, bare_ring
from tests.support.firmware.table_bench import Bench

DAY_MS = 86_400_000


def bench_on_ring():
    flash, ring = bare_ring(SEGMENTS)
    return flash, ring, Bench(storage=ring)


def test_it_is_told_after_a_start_and_then_once_a_day():
    flash, ring, bench = bench_on_ring()
    assert bench.of_kind("wear") == [["wear", 1, SEGMENTS, 0, SEGMENTS]]
    bench.run(5000)
    assert len(bench.of_kind("wear")) == 1
    bench.now += DAY_MS
    bench.run(1000)
    assert len(bench.of_kind("wear")) == 2
    bench.table.storage = again(flash, ring)[1]
    bench.table.start("power", bench.now)
    bench.run(1000)
    assert len(bench.of_kind("wear")) == 3


def test_it_waits_for_the_end_of_a_round():
    _, _, bench = bench_on_ring()
    bench.open_with_bets()
    bench.now += DAY_MS
    bench.run(2000)
    assert bench.round.state == "betting"
    assert len(bench.of_kind("wear")) == 1
    bench.tell("irregularity", "other")
    bench.tell("ruling", "void", "shift_manager")
    bench.run(1000)
    assert len(bench.of_kind("wear")) == 2


def test_it_tells_what_the_ring_has_counted():
    flash, ring, bench = bench_on_ring()
    flash.stuck.add(ring.blocks[5])
    ring.erase(5)
    for _ in range(3):
        ring.erase(9)
    bench.now += DAY_MS
    bench.run(1000)
    assert bench.of_kind("wear")[-1] == ["wear", 4, SEGMENTS + 4, 1, SEGMENTS]
    assert max(flash.erases.values()) == 4


def test_a_clock_that_turns_over_costs_one_record():
    _, _, bench = bench_on_ring()
    bench.run(1000)
    bench.controller.wear_told = (1 << 30) - 1000
    bench.run(1000)
    assert len(bench.of_kind("wear")) == 2


def test_a_storage_that_does_not_count_tells_nothing():
    bench = Bench()
    bench.run(1000)
    assert bench.of_kind("wear") == []
