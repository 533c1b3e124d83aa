"""The host's end of the rig, and whole rounds that people play at a table through it."""

import random

import pytest
from click.testing import CliRunner

from boards import full, small
from firmware.rig.rig import (
    SILENT_MS,
    VERSION,
)
from host.bench.hardware.rig import AWAY_MS, ReturningPort, RigError, RigTarget, open_bench
from host.cli import felt
from host.keys import FIRST_WORD
from host.log.reading import LogReader
from host.pico.serial_ports import PortError
from host.simulator.target import Outside
from host.simulator.virtual_pico import VirtualTable
from shared.journal.wire import decode, encode
from tests.support.firmware.rig_desk import SENSORS, UP, Desk, Uart, Usb
from tests.support.floors import IDENTITY, make_floor, play
from tests.support.tables import MBS

# -- a table, its rig and its people


class Cable:
    """A serial port in memory, from the host's side."""

    def __init__(self, usb):
        self.usb = usb
        self.is_cut = False

    def read(self, size, /):
        self.look()
        data, self.usb.outgoing = self.usb.outgoing[:size], self.usb.outgoing[size:]
        return data

    def write(self, data, /):
        self.look()
        taken = data[:200]  # as a port may
        self.usb.incoming += taken
        return len(taken)

    def look(self):
        if self.is_cut:
            raise OSError("device disconnected")


class Workshop:
    """A rig wired to a table, pin n to pin n and the UARTs crossed; it is the clock as well."""

    TABLE_MS = 4

    def __init__(self, has_run=True, board=small):
        self.rig = Desk(has_run)
        self.table = VirtualTable(board, IDENTITY.key, IDENTITY.table, IDENTITY.rules, IDENTITY.firmware, 1)
        self.rig_cable = Cable(self.rig.usb)
        self.table_cable = Cable(self.table.hardware.usb)
        self.is_reset = False

    def now(self):
        return self.rig.now

    def wait_until(self, now):
        while self.rig.now < now:
            self.pass_millisecond()

    def pass_millisecond(self):
        self.rig.run(1)
        self.reset_table()
        hardware = self.table.hardware
        hardware.set_keys(self.rig.key_levels())
        hardware.set_sensors(self.rig.sensor_levels())
        for uart, port in zip(self.rig.uarts, (hardware.shuffler_port, hardware.reader_port)):
            port.incoming += uart.take()
            uart.coming += port.take()
        if self.rig.now % self.TABLE_MS == 0 and not self.is_reset:
            self.table.controller.step(self.rig.now)
            assert hardware.problem is None, hardware.problem

    def reset_table(self):
        low = self.rig.pins.run is not None and self.rig.pins.run.level == 0
        if self.is_reset and not low:
            self.table.start("power", self.rig.now)
            self.table_cable.usb = self.table.hardware.usb
        self.is_reset = low

    def target(self, reader="felt", board=small):
        return RigTarget(self.rig_cable, self.table_cable, board, reader, self)


def outside(keys=UP, shuffler=b"", reader=b"", usb=b""):
    return Outside(list(keys), [1] * SENSORS, True, shuffler, reader, usb)


def stay(target, first, last, keys=UP):
    """Let time pass at a table where nothing else happens."""
    for now in range(first, last, 20):
        target.step(now, outside(keys))


def kinds(log):
    return {record[0] for record in log.records()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [{}, {"device": "shoe", "reader": "angel_eye"}, {"reader": "fixed_frames"}, {"amounts": False}],
    ids=str,
)
def test_whole_rounds_are_played_through_the_rig(tmp_path, more):
    workshop = Workshop()
    floor, log = make_floor(
        tmp_path, MBS, "small", lambda board, _i, _s: workshop.target(more.get("reader", "felt"), board), **more
    )
    play(floor, 2, 20)
    assert list(floor.bridge.alarms) == []
    assert sum(record[:2] == ["state", "settled"] for record in log.records()) == 2
    assert not kinds(log) & {"fault", "void", "sensed", "held", "denied"}
    assert workshop.rig.uarts[1].baud == (4800 if more.get("reader") == "angel_eye" else 115200)


def test_felt_rig_plays_rounds_at_a_configured_table_and_keeps_its_log(tmp_path, monkeypatch):
    """All but the two serial ports is real."""
    workshop = Workshop()
    file = tmp_path / "t1.toml"
    words = ["init", str(file), "--name", IDENTITY.table, "--game", MBS, "--board", "small", "--yes"]
    assert CliRunner().invoke(felt, words).exit_code == 0
    key = tmp_path / "t1.key"
    key.write_text(f"{FIRST_WORD} {IDENTITY.table} {IDENTITY.key.hex()}\n")  # the table has one already
    monkeypatch.setattr("host.commands.rig.open_bench", lambda *_: workshop.target())
    play_two = ["rig", "play", str(file), "--rig-port", "rig", "--port", "table", "--rounds", "2"]
    done = CliRunner().invoke(felt, play_two)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[:2] == ["round 1 of 2: settled", "round 2 of 2: settled"]
    with LogReader(tmp_path / "t1.db") as log:
        assert [row.outcome for row in log.last_rounds(5)] == ["settled", "settled"]


@pytest.mark.slow
def test_trouble_with_devices_is_played_through_the_rig_too(tmp_path):
    workshop = Workshop()
    floor, log = make_floor(tmp_path, MBS, "small", lambda *_: workshop.target(), mischief=0.9, seed="trouble")
    play(floor, 6, 20)
    assert list(floor.bridge.alarms) == []
    assert "fault" in kinds(log)


def test_the_table_is_restarted_in_mid_round_by_its_run_line(tmp_path):
    workshop = Workshop()
    floor, log = make_floor(tmp_path, MBS, "small", lambda *_: workshop.target())
    while "dealt" not in kinds(log):
        floor.step(20)
    before = workshop.table.hardware
    floor.target.restart(floor.now)
    workshop.wait_until(workshop.now() + 5)
    assert workshop.table.hardware is not before
    play(floor, 1, 20)
    events = [record[2][0] for record in log.records() if record[0] == "event"]
    assert "power_failure" in events
    assert list(floor.bridge.alarms) == []


def test_a_key_is_down_at_the_table_for_as_long_as_it_is_held():
    workshop = Workshop()
    target = workshop.target()
    keys = [0] + UP[1:]
    stay(target, 20, 200, keys)
    assert [pin.level for pin in workshop.table.hardware.key_pins] == keys
    stay(target, 200, 260)
    assert [pin.level for pin in workshop.table.hardware.key_pins] == UP


def test_time_at_the_table_is_the_clocks_time():
    workshop = Workshop()
    target = workshop.target()
    target.step(20, outside())
    begun = workshop.now()
    stay(target, 40, 2020)
    assert workshop.now() - begun == 1980
    workshop.wait_until(workshop.now() + 5000)  # whoever drives the target was busy
    late = workshop.now()
    target.step(2020, outside())
    assert workshop.now() == late, "time stood still"
    target.step(2040, outside())
    assert workshop.now() == late + 20


def test_after_a_silence_the_rig_is_told_everything_again():
    workshop = Workshop()
    target = workshop.target("angel_eye")
    keys = [0] + UP[1:]
    target.set_jumper(True)
    stay(target, 20, 100, keys)
    workshop.rig.uarts[1].baud = 115200
    workshop.wait_until(workshop.now() + SILENT_MS)
    assert workshop.rig.key_levels() == UP
    stay(target, 100, 800, keys)
    assert workshop.rig.key_levels() == keys
    assert workshop.rig.pins.jumper.level == 0
    assert workshop.rig.uarts[1].baud == 4800


def test_the_rig_is_kept_awake_while_nothing_happens():
    workshop = Workshop()
    target = workshop.target()
    keys = [0] + UP[1:]
    stay(target, 20, 6000, keys)
    assert workshop.rig.key_levels() == keys


def test_long_sayings_of_devices_reach_the_table_whole_and_in_order(monkeypatch):
    workshop = Workshop()
    target = workshop.target("angel_eye")
    data = random.Random(3).randbytes(3000)
    heard = bytearray()
    take = Uart.take
    monkeypatch.setattr(Uart, "take", lambda uart: heard.extend(uart.gone) or take(uart))
    target.step(20, outside(reader=data))
    stay(target, 40, 9000)
    assert bytes(heard) == data


# -- what people are told


class Talker:
    """A port at which something says the same over and over."""

    def __init__(self, said=b""):
        self.said = said

    def read(self, size, /):
        return self.said

    def write(self, data, /):
        return len(data)


class Replies(Talker):
    """A port that answers each line by a function of it."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def read(self, size, /):
        said, self.said = self.said, b""
        return said

    def write(self, data, /):
        for line in data.splitlines():
            if line:
                self.said += self.answer(line)
        return len(data)


class Ticks:
    def __init__(self):
        self.time = 0

    def now(self):
        return self.time

    def wait_until(self, now):
        self.time = max(self.time, now)


def as_rig(version=VERSION, board="rig", other=None):
    def answer(line):
        message = decode(line)
        if message[0] == "who":
            return encode(["rig", message[1], version, board])
        return encode(other if other else ["ok", message[1]])

    return Replies(answer)


@pytest.mark.parametrize(
    ("port", "words"),
    [
        (Talker(), "the rig does not answer; is this its port?"),
        (Talker(encode(["hello", 1, "a", "b", "c", "small", "T1", 1, "n"])), "the two ports are confused"),
        (Talker(encode(["faulty", "no_key", ""])), "the two ports are confused"),
        (Replies(lambda line: line + b"\r\n"), "shows its prompt"),
        (Talker(b">>> "), "shows its prompt"),
        (Talker(b"\x00\xffwhat\n"), "not as a rig does: b'\\x00\\xffwhat"),
        (
            as_rig(version=VERSION + 1),
            f"runs version {VERSION + 1} of its firmware, and this is version {VERSION}",
        ),
        (as_rig(board="shelf"), "its board is 'shelf', which is none here"),
        (as_rig(board="small"), "flashed as the board 'small', which is no rig"),
    ],
)
def test_a_port_at_which_there_is_no_good_rig(port, words):
    with pytest.raises(RigError) as told:
        RigTarget(port, Talker(), small, "felt", Ticks())
    assert words in str(told.value)


def test_a_rig_cannot_play_a_table_that_is_wired_otherwise():
    with pytest.raises(RigError, match="cannot play a table of the board 'full': SENSORS differ"):
        RigTarget(as_rig(), Talker(), full, "felt", Ticks())


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (["no", 0, "wrong checksum"], "has stopped answering: 'baud'"),
        (["lost", 1], "lost bytes of the table on UART1"),
        (["dance"], "has stopped answering"),
    ],
)
def test_a_rig_that_goes_wrong_later(other, words):
    clock = Ticks()
    target = RigTarget(as_rig(other=other), Talker(), small, "felt", clock)
    with pytest.raises(RigError, match=words):
        stay(target, 0, 3000)


def test_a_refusal_names_what_was_refused():
    port = Replies(lambda line: encode(["no", decode(line)[1], "no such UART"]))
    rig_port = as_rig()
    target = RigTarget(rig_port, Talker(), small, "felt", Ticks())
    rig_port.answer = port.answer
    with pytest.raises(RigError, match="the rig refuses 'baud': no such UART"):
        stay(target, 0, 200)


def test_a_restart_without_the_wire_says_what_to_do():
    workshop = Workshop(has_run=False)
    target = workshop.target()
    target.step(20, outside())
    with pytest.raises(RigError, match="no wire to the table's RUN; press reset on the table yourself"):
        target.restart(20)


@pytest.mark.parametrize(
    ("which", "words"), [("rig_cable", "the rig is gone"), ("table_cable", "the table is gone")]
)
def test_a_cable_that_is_pulled_out(which, words):
    workshop = Workshop()
    target = workshop.target()
    target.step(20, outside())
    getattr(workshop, which).is_cut = True
    with pytest.raises(RigError, match=words + r" \(device disconnected\); look at its USB cable"):
        target.step(40, outside())


def test_a_tables_port_may_go_away_while_it_restarts():
    clock = Ticks()
    usb = Usb()
    cables = [Cable(usb)]

    def open_port():
        if cables[-1].is_cut:
            raise PortError("pico.no_port", port="p")
        return cables[-1]

    port = ReturningPort(open_port, clock)
    assert port.write(b"abc") == 3
    cables[-1].is_cut = True
    assert port.read(10) == b""
    for _ in range(10):
        clock.time += 100
        assert port.read(10) == b""
        assert port.write(b"to nobody") == 9
    cables.append(Cable(usb))
    usb.outgoing = b"back"
    clock.time += 1000
    assert port.read(10) == b"back"
    assert usb.incoming == b"abc"
    cables[-1].is_cut = True
    assert port.read(10) == b""
    clock.time += AWAY_MS + 1
    with pytest.raises(OSError, match="not back after 15 s: there is no port p"):
        port.read(10)


def test_ports_that_cannot_be_opened(tmp_path):
    with pytest.raises(RigError, match="rig and table cannot both be at x"):
        open_bench("x", "x", small, "felt")
    with pytest.raises(PortError, match="there is no port"):
        open_bench(str(tmp_path / "none"), "y", small, "felt")
