"""`felt bench check` on an emulated pair: what it says of good wiring and of each kind of wrong wiring."""

import json

import pytest
from click.testing import CliRunner

from host.bench.hardware.check import OFF, Check
from host.bench.hardware.identity import BARE, TABLE, Identity, PairPorts
from host.bench.hardware.rig import ReturningPort, RigError
from host.bench.hardware.wiring import CONDUCTING, TO_RIG, TO_TABLE, wires
from host.cli import felt
from host.pico.boards import find_board
from tests.support.campaign import LONG
from tests.support.firmware import pairs
from tests.support.firmware.images import needs_image
from tests.support.firmware.pairs import flashed, make_pair

pytestmark = [pytest.mark.slow, needs_image]
SMALL, FULL = find_board("rig"), find_board("rig_full")
NOTHING = 3  # a pin that no rig uses
LONG_ONLY = pytest.mark.skipif(not LONG, reason="one more kind of wrong wiring; `make test-long` has all")


def report_of(pair, unplug=False):
    check = Check(pair.rig_port, pair.table_port, None, pair)
    # The person takes the cable for two seconds.
    return check.run(lambda part: pair.unplug_for(2000) if part == OFF else None, unplug)


def codes(report):
    return [fault.code for fault in report.faults]


def line(what, rig=SMALL):
    return next(wire for wire in wires(rig) if wire.what == what)


def changed(*changes, rig=SMALL):
    """The wires with these put in place of those of the same name."""
    others = {wire.what: wire for wire in changes}
    return [others.get(wire.what, wire) for wire in wires(rig)]


def swapped(first, second):
    one, other = line(first), line(second)
    return changed(one._replace(table=other.table), other._replace(table=one.table))


def cut(*what, rig=SMALL):
    """The pull-ups stay, as they are at the table's end."""
    return changed(*(line(one, rig)._replace(rig=NOTHING) for one in what), rig=rig)


# -- good wiring


@pytest.mark.parametrize("rig", ["rig", "rig_full"])
def test_good_wiring_is_proved_part_by_part(rig):
    report = report_of(make_pair(pairs.BARE, rig), unplug=True)
    assert [str(fault) for fault in report.faults] == []
    registers = ["bench.chain_fine"] if rig == "rig_full" else []
    assert [one.code for one in report.proved] == [
        "bench.lines_fine",
        *registers,
        *("bench.uarts_fine", "bench.reset_fine", "bench.restart_fine", "bench.off_fine"),
    ]
    assert report.proved[0].fields == {"count": 9 if registers else 19}
    assert all(45_000 <= took < 46_000 for took in report.erase_us), "as long as the emulated flash takes"
    assert len(report.erase_us) == 5


def test_a_flashed_table_lets_the_check_in_by_jumper_and_reset_and_is_as_before():
    pair = make_pair(flashed("small"))
    before = pair.table.dump_flash()
    assert codes(report_of(pair)) == []
    names = pair.table.execute("import os; print(os.listdir('/'), os.listdir('felt'))")
    assert "erase.tmp" not in names
    assert "'console'" in names, "the next start records that the console was open"
    assert pair.table.dump_flash() != before


# -- wrong wiring

# What is wrong: the wires, GPIOs of the table at ground, and what the check says of it, up to its advice.
WRONG = {
    "two lines swapped": (
        swapped("open key", "box 1 spot 1"),
        (),
        ["open key and box 1 spot 1 are swapped"],
    ),
    "one open": (
        cut("settle key"),
        (),
        ["settle key: the table does not see it"],
    ),
    "one stuck low": (
        wires(SMALL),
        (10,),
        ["supervisor key: the table's GP10 (pin 14) is low although the rig does not pull it"],
    ),
    "RX and TX crossed": (
        swapped("reader, to the table", "reader, to the rig"),
        (),
        ["reader: RX and TX are crossed"],
    ),
    "no pull-up": (
        changed(line("fold key")._replace(has_pull_up=False)),
        (),
        [
            "without their 10 kΩ to the table's 3V3(OUT): fold key",
            "while the rig is in reset, the table sees fold key",
        ],
    ),
}
MORE = {
    "two lines touch": (
        [*wires(SMALL), line("open key")._replace(table=7)],
        (),
        ["open key: with it the table also sees close key"],
    ),
    "a line at the pin of another": (
        changed(line("open key")._replace(table=7), line("close key")._replace(rig=NOTHING, table=6)),
        (),
        [
            "open key: the rig's GP6 (pin 9) comes to the table's GP7 (pin 10), where close key belongs",
            "close key: the table does not see it",
        ],
    ),
    "the table hears no shuffler": (
        cut("shuffler, to the table"),
        (),
        ["shuffler: the table hears nothing"],
    ),
    "the rig hears no table": (
        cut("shuffler, to the rig"),
        (),
        ["shuffler: the rig hears nothing"],
    ),
    "a UART without wires": (
        cut("reader, to the rig", "reader, to the table"),
        (),
        ["reader: nothing is heard either way"],
    ),
    "shuffler and reader exchanged": (
        [
            wire._replace(table=wire.table ^ 4)
            if wire.kind in (TO_TABLE, TO_RIG) and wire.table is not None
            else wire
            for wire in wires(SMALL)
        ],
        (),
        ["shuffler: its bytes come out at the other UART", "reader: its bytes come out at the other UART"],
    ),
    "no reset wire": (
        cut("reset"),
        (),
        ["the rig does not reset the table"],
    ),
    "no pull-up at the reset wire": (
        changed(line("reset")._replace(has_pull_up=False)),
        (),
        ["the table is reset while the rig is in reset"],
    ),
}


@pytest.mark.parametrize(
    ("joined", "held_low", "faults"),
    [
        *(pytest.param(*wrong, id=name) for name, wrong in WRONG.items()),
        *(pytest.param(*wrong, id=name, marks=LONG_ONLY) for name, wrong in MORE.items()),
    ],
)
def test_wrong_wiring_is_named(joined, held_low, faults):
    report = report_of(make_pair(pairs.BARE, "rig", joined, held_low))
    assert [str(fault).partition("; ")[0] for fault in report.faults] == faults


@pytest.mark.parametrize("what", ["registers QH", pytest.param("registers CLK", marks=LONG_ONLY)])
def test_registers_that_are_wired_wrongly_are_named(what):
    report = report_of(make_pair(pairs.BARE, "rig_full", cut(what, rig=FULL)))
    assert codes(report) == ["bench.chain"]


# -- a rig that is off


def test_a_rig_that_is_off_presses_no_key():
    """Of its lines the table sees only those low that are on pads that conduct, and no key is on one."""
    pair = make_pair(pairs.BARE)
    check = Check(pair.rig_port, pair.table_port, None, pair)
    check.open_prompt()
    pair.unplug_rig()
    pair.wait_until(pair.now() + 100)
    low = json.loads(pair.table.execute("low()"))
    assert [check.what[gpio] for gpio in low] == ["box 2 spot 4", "box 2 spot 5"]
    assert {pin for _, pin in SMALL.KEYS} & {*CONDUCTING} == set()


def test_a_line_that_a_rig_that_is_off_pulls_down_is_named():
    """A wire by mistake at a pad that conducts."""
    pair = make_pair(pairs.BARE, "rig", [*wires(SMALL), line("open key")._replace(rig=28, what="stray")])
    report = report_of(pair, unplug=True)
    assert codes(report) == ["bench.off_pulls"]
    assert report.faults[0].fields == {"lines": ["open key"]}


def test_a_cable_that_nobody_pulled_is_told(monkeypatch):
    monkeypatch.setattr("host.bench.hardware.check.UNPLUG_MS", 3000)
    pair = make_pair(pairs.BARE)
    report = Check(pair.rig_port, pair.table_port, None, pair).run(unplug=True)
    assert codes(report) == ["bench.not_unplugged"]


# -- the command


def felt_check(monkeypatch, pair, who, *options):
    """All but the two serial ports and their clock is real."""
    ports = [ReturningPort(lambda port=port: port, pair) for port in (pair.rig_port, pair.table_port)]
    opened = PairPorts("RIG", ports[0], "TABLE", ports[1], who)
    monkeypatch.setattr("host.commands.bench_hardware.open_pair", lambda *_: opened)
    monkeypatch.setattr("host.commands.bench_hardware.RealClock", lambda: pair)
    done = CliRunner().invoke(felt, ["bench", "check", *options])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output.splitlines()


def test_the_command_prints_its_report(monkeypatch):
    status, told = felt_check(monkeypatch, make_pair(pairs.BARE), Identity(BARE))
    assert status == 0
    assert told == [
        "table: TABLE, its prompt",
        "rig: RIG, board rig",
        "fine: 19 lines: each pulled and seen alone; each has its pull-up",
        "fine: UARTs: shuffler at 115200 baud and reader at 115200 baud, both ways",
        "fine: reset: the rig resets the table",
        "fine: a rig in reset: the table runs on and sees nothing",
        "flash: 5 erases took 45 to 45 ms; 45 ms are usual, and 400 the most by its data sheet",
        "The wiring is as it should be.",
    ]


def test_the_command_names_what_is_wrong_and_exits_1(monkeypatch):
    status, told = felt_check(monkeypatch, make_pair(pairs.BARE, "rig", cut("settle key")), Identity(BARE))
    assert status == 1
    assert told[-1] == "wrong: 1; correct the wiring, and start the check again"
    assert told[-3] == (
        "wrong: settle key: the table does not see it; look for a broken or missing wire from the rig's GP9 (pin "
        "12) to the table's GP9 (pin 12)"
    )


def test_a_rig_that_plays_another_board_ends_the_command(monkeypatch):
    who = Identity(TABLE, "full", "BENCH")
    status, told = felt_check(monkeypatch, make_pair(pairs.BARE), who)
    assert status == 2
    assert "the rig 'rig' cannot play a table of the board 'full': SENSORS differ" in told[-1]


def test_a_table_that_says_nothing_ends_the_check():
    pair = make_pair(pairs.BARE)
    pair.table_port.emulator = None
    with pytest.raises(RigError, match="the table does not answer at its port"):
        report_of(pair)
