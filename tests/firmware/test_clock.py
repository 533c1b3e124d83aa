"""Time on a table that has been on for 12.4 days, when its milliseconds turn over."""

from typing import Any

import pytest

from host.pico.mpy import ROOT, compile_room
from host.wasm import MicroPython
from shared.journal.snapshot import plain_config
from shared.values import since
from tests.support.firmware.table_bench import PAIRS, Bench, finish_deal, hold_a_key, order, repair
from tests.support.tables import MBS, POKER

TURN = 1 << 30
NOON = 1_790_000_000


@pytest.mark.parametrize(
    ("then", "now", "passed"),
    [(0, 0, 0), (0, 20, 20), (TURN - 1, 0, 1), (TURN - 10, 5, 15), (0, TURN - 1, TURN - 1), (5, 4, TURN - 1)],
)
def test_time_since_goes_on_where_the_counter_turns_over(then, now, passed):
    assert since(then, now) == passed


def play(bench):
    """A round, then a reader that falls silent and a key that is stuck; all that was recorded, without times."""
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    bench.press("reveal")
    bench.press("settle")
    order("reader", "silent")(bench)
    bench.run(4000)
    hold_a_key(bench)
    bench.run(11_000)
    repair(bench)
    for code in list(bench.recorder.faults):
        bench.clear(code)
    bench.linked = False
    bench.run(5000)  # the link ends by silence
    bench.linked = True
    bench.run(2000)
    return [record for record in bench.records() if record[0] not in ("clock", "chain")]


@pytest.fixture(scope="module")
def usual():
    bench = Bench()
    return play(bench), bench.now


def test_what_is_played(usual):
    records, _ = usual
    assert [record[1] for record in records if record[0] == "fault"] == ["reader_silent", "key_stuck"]
    assert ["link", "silent", 0] in records
    assert any(record[0] == "total" for record in records)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 20))
def test_a_round_and_its_faults_are_the_same_wherever_time_turns_over(usual, part):
    records, took = usual
    bench = Bench(now=TURN - took * part // 20)
    assert play(bench) == records
    assert bench.recorder.turns == 1


def deciding(now):
    """A table where the players decide, and the hand whose turn it is pays."""
    bench = Bench(POKER, now=now)
    bench.open_with_bets(PAIRS)
    bench.tell("bet", 1, "P1", "pair_plus", 500)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "deciding")
    return bench


@pytest.mark.parametrize("before_ms", [10, 50, 150])
def test_a_fold_is_asked_about_across_the_turn(before_ms):
    took = deciding(0).now
    bench = deciding(TURN - took - before_ms)
    assert bench.press("fold")[0][3] == "fold_would_pay"
    bench.run(2500)
    assert bench.press("fold")[0][2][:3] == ["decide", 1, "fold"]
    assert bench.recorder.turns == 1


def test_notes_are_earned_across_the_turn():
    recorder = Bench(linked=False).recorder
    last = TURN // 10_000 * 10_000  # one is earned here, and then every 10 s
    for number in range(40):
        recorder.note(["unknown", str(number)], last)
    assert recorder.notes_left == 0
    recorder.note(["unknown", "too soon"], last + 9999 - TURN)
    assert recorder.notes_left == 0
    recorder.note(["unknown", "later"], last + 30_000 - TURN)
    assert recorder.notes_left == 2, "30 s earn three, and one is used"
    recorder.note(["unknown", "later"], last + 40_000 - TURN)
    assert recorder.notes_left == 2


def test_the_clock_tells_right_times_after_two_turns():
    bench = Bench(linked=False)
    recorder: Any = bench.recorder
    recorder.told_time = (NOON, recorder.uptime())
    began = recorder.uptime()
    for _ in range(5):
        bench.now += TURN // 2 - 10
        bench.step()
    passed = 5 * (TURN // 2)
    recorder.apply(["open"])
    *_, (_, seconds, uptime) = bench.of_kind("clock")
    assert (seconds, uptime) == (NOON + passed // 1000, began + passed)


# -- on MicroPython

MEASURE = """
def passes(begun, ticks):
    'Bytes that a hundred passes take; no memory is given back while a call runs.'
    hardware = table.hardware
    for port in (hardware.usb, hardware.shuffler_port, hardware.reader_port):
        port.take()
    before = gc.mem_alloc()
    for _ in range(100):
        ticks = time.ticks_add(ticks, 20)
        table.controller.step(since(begun, ticks))
    return gc.mem_alloc() - before
"""


@pytest.mark.slow
def test_a_pass_after_13_days_takes_no_more_memory_than_one_at_the_start():
    with MicroPython() as runtime:
        runtime.install(compile_room("shared") | compile_room("firmware") | compile_room("boards"))
        virtual = "host/simulator/virtual_pico.py"
        runtime.install({virtual: (ROOT / virtual).read_bytes()})
        pairs = plain_config({"game": MBS, "boxes": 2})
        runtime.run(
            "import gc, time\nfrom boards import small\nfrom shared.values import since\n"
            "from host.simulator.virtual_pico import VirtualTable\n"
            f"table = VirtualTable(small, bytes(32), 'T1', '0' * 32, '0' * 32)\n{MEASURE}"
            f"table.controller.recorder.command(1, 'staff', 'config', {pairs!r})\n"
        )
        for begun in (1000, 3000):  # the devices are found silent
            runtime.run(f"passes(0, {begun})\ngc.collect()")

        def taken(uptime):
            runtime.run(f"passes(5000, {(3000 + uptime) % TURN})\ngc.collect()")  # what is due once a day is done
            return int(runtime.run(f"print(passes(5000, {(5000 + uptime) % TURN}))\ngc.collect()"))

        days = 24 * 3600 * 1000
        at_start = taken(1000)
        later = {uptime: taken(uptime) for uptime in (6 * days, TURN - 1000, TURN + 1000, 13 * days, 26 * days)}
    assert at_start < 100 * 400
    assert later.pop(TURN - 1000) < at_start + 1024, "the turn itself is counted once"
    assert set(later.values()) == {at_start}, later


def test_micropythons_own_milliseconds_turn_over_with_ours():
    with MicroPython() as runtime:
        assert int(runtime.run("import time\nprint(time.ticks_add(0, -1))")) == TURN - 1
