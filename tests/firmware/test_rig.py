"""The test rig: every command, nonsense, silence and overload in virtual time, on both runtimes; its host's end;
and whole rounds that people play at a table through it."""

import inspect
import json
import random
from binascii import hexlify, unhexlify

import pytest

from boards import full, rig, small
from firmware.rig import (
    MAX_NUMBER,
    MAX_RESET_MS,
    RECEIVE_BYTES,
    SILENT_MS,
    TRANSMIT_BYTES,
    UNSAID_BYTES,
    UNSENT_BYTES,
    VERSION,
    Pins,
    RigBox,
)
from host.boards import find_board
from host.deploy import Key, table_files, with_key
from host.emulator.pico import Emulator
from host.keys import FIRST_WORD, TableKey
from host.mpy import compile_room
from host.pico_images import cache_folder, cached_images
from host.rig import AWAY_MS, ReturningPort, RigError, RigTarget, open_bench
from host.simulator.target import Outside
from host.simulator.virtual_pico import VirtualTable
from host.wasm import MicroPython
from shared.lines import LineSplitter
from shared.wire import decode, encode
from tests.campaign import LONG, share
from tests.floors import IDENTITY, make_floor, play
from tests.mutated import mutate
from tests.tables import MBS

KEYS = len(small.KEYS)
SENSORS = small.BOXES * small.SPOTS
UP = [1] * KEYS
BOTH_RUNTIMES_STEPS = share(4000)


# -- a rig in memory; these classes run on MicroPython too, as they stand


class Pin:
    def __init__(self):
        self.level = None

    def value(self, level):
        self.level = level


class Uart:
    """A UART with a Pico's buffers, and lines to it and from it on which bytes take their time."""

    def __init__(self, receive_bytes, transmit_bytes):
        self.receive_bytes = receive_bytes
        self.transmit_bytes = transmit_bytes
        self.baud = 115200
        self.coming = b""  # on the line from the table
        self.received = b""
        self.transmitting = b""
        self.gone = b""  # has reached the table
        self.credit = 0
        self.reads = 0

    def init(self, baudrate, rxbuf, txbuf):
        self.baud = baudrate
        self.receive_bytes = rxbuf
        self.transmit_bytes = txbuf

    def pass_time(self, milliseconds):
        self.credit += milliseconds * self.baud
        count = self.credit // 10000  # ten bits a byte
        self.credit -= count * 10000
        arrived, self.coming = self.coming[:count], self.coming[count:]
        self.received = (self.received + arrived)[: self.receive_bytes]  # what is too much is lost
        self.gone += self.transmitting[:count]
        self.transmitting = self.transmitting[count:]

    def any(self):
        return len(self.received)

    def read(self, count):
        assert 0 < count <= len(self.received), "this would wait"
        data, self.received = self.received[:count], self.received[count:]
        return data

    def txdone(self):
        return not self.transmitting

    def write(self, data):
        assert len(self.transmitting) + len(data) <= self.transmit_bytes, "this would wait"
        self.transmitting += data
        return len(data)

    def take(self):
        data, self.gone = self.gone, b""
        return data


class Usb:
    """The rig's USB port; `room` is how much the host takes before it is read."""

    def __init__(self):
        self.incoming = b""
        self.outgoing = b""
        self.room = 1 << 20

    def read(self):
        data, self.incoming = self.incoming[:256], self.incoming[256:]
        return data

    def write(self, data):
        taken = data[: max(self.room - len(self.outgoing), 0)]
        self.outgoing += taken
        return len(taken)

    def take(self):
        data, self.outgoing = self.outgoing, b""
        return data


class Bench:
    """A rig on its own."""

    def __init__(self, keys, sensors, has_run, receive_bytes, transmit_bytes):
        run = Pin() if has_run else None
        self.pins = Pins([Pin() for _ in range(keys)], [Pin() for _ in range(sensors)], Pin(), run, Pin())
        self.uarts = [Uart(receive_bytes, transmit_bytes), Uart(receive_bytes, transmit_bytes)]
        self.usb = Usb()
        self.box = RigBox(self.pins, self.uarts, self.usb, "rig")
        self.now = 0

    def run(self, milliseconds):
        for _ in range(milliseconds):
            self.now += 1
            for uart in self.uarts:
                uart.pass_time(1)
            self.box.step(self.now)

    def levels(self):
        pins = self.pins
        ends = [pins.jumper, pins.run, pins.led] if pins.run else [pins.jumper, pins.led]
        return [pin.level for pin in pins.keys + pins.sensors + ends]

    def tell(self, request):
        """[milliseconds, hex for the rig's USB, hex on each line] -> all that can be seen of the rig, as text."""
        milliseconds, usb, first, second = json.loads(request)
        self.usb.incoming += unhexlify(usb)
        self.uarts[0].coming += unhexlify(first)
        self.uarts[1].coming += unhexlify(second)
        self.run(milliseconds)
        said = [hexlify(port.take()).decode() for port in [self.usb] + self.uarts]
        return json.dumps([self.levels(), said, [uart.baud for uart in self.uarts]])


ON_BOTH = (
    "import json\nfrom binascii import hexlify, unhexlify\nfrom firmware.rig import Pins, RigBox\n\n"
    + "\n".join(inspect.getsource(part) for part in (Pin, Uart, Usb, Bench))
)


class Desk(Bench):
    """A bench at which somebody says messages and hears messages."""

    def __init__(self, has_run=True):
        super().__init__(KEYS, SENSORS, has_run, RECEIVE_BYTES, TRANSMIT_BYTES)
        self.splitter = LineSplitter()

    def hear(self):
        return [decode(line) for line in self.splitter.feed(self.usb.take())]

    def say(self, *messages, milliseconds=3):
        for message in messages:
            self.usb.incoming += message if isinstance(message, bytes) else encode(list(message))
        self.run(milliseconds)
        return self.hear()

    def key_levels(self):
        return [pin.level for pin in self.pins.keys]

    def sensor_levels(self):
        return [pin.level for pin in self.pins.sensors]


@pytest.fixture
def desk():
    """A rig that has heard its host."""
    made = Desk()
    assert made.say(["who", 1]) == [["released"], ["rig", 1, VERSION, "rig"]]
    return made


def got_bytes(messages):
    heard = [b"", b""]
    for message in messages:
        if message[0] == "got":
            heard[message[1]] += bytes.fromhex(message[2])
    return heard


# -- commands


def test_every_line_is_let_go_before_the_host_comes():
    made = Desk()
    made.run(5)
    assert made.key_levels() == UP
    assert made.sensor_levels() == [1] * SENSORS
    assert (made.pins.jumper.level, made.pins.run.level, made.pins.led.level) == (1, 1, 0)
    assert made.hear() == []


def test_the_led_is_lit_while_the_host_is_there(desk):
    assert desk.pins.led.level == 1
    desk.run(SILENT_MS)
    assert desk.pins.led.level == 0


@pytest.mark.parametrize("name", ["keys", "sensors"])
def test_levels_go_to_the_lines_in_their_order(desk, name):
    pins = getattr(desk.pins, name)
    for place in range(len(pins)):
        levels = [int(other != place) for other in range(len(pins))]
        assert desk.say([name, place, levels]) == [["ok", place]]
        assert [pin.level for pin in pins] == levels


def test_the_jumper(desk):
    assert desk.say(["jumper", 2, 0]) == [["ok", 2]]
    assert desk.pins.jumper.level == 0
    assert desk.say(["jumper", 3, 1]) == [["ok", 3]]
    assert desk.pins.jumper.level == 1


def test_reset_pulls_run_down_for_so_long(desk):
    assert desk.say(["reset", 2, 100], milliseconds=1) == [["ok", 2]]
    assert desk.pins.run.level == 0
    desk.run(99)
    assert desk.pins.run.level == 0
    desk.run(1)
    assert desk.pins.run.level == 1


def test_a_rig_without_a_wire_to_run_says_so():
    made = Desk(has_run=False)
    assert made.say(["reset", 2, 100])[-1] == ["no", 2, "no wire to the table's RUN"]
    made.run(SILENT_MS)
    assert made.key_levels() == UP


def test_bytes_go_to_the_table_in_order_and_at_the_lines_speed(desk):
    assert desk.say(["send", 2, 0, "0102"], ["send", 3, 1, "ff"], ["send", 4, 0, "03"]) == [
        ["ok", 2],
        ["ok", 3],
        ["ok", 4],
    ]
    assert [uart.take() for uart in desk.uarts] == [b"\x01\x02\x03", b"\xff"]
    assert desk.say(["baud", 5, 1, 4800], ["send", 6, 1, "00" * 48], milliseconds=50)[0] == ["ok", 5]
    assert 20 <= len(desk.uarts[1].take()) <= 24
    desk.run(60)
    assert len(desk.uarts[1].take()) >= 24


def test_a_new_speed_keeps_the_size_of_the_buffers(desk):
    assert desk.say(["baud", 2, 1, 4800]) == [["ok", 2]]
    assert (desk.uarts[1].baud, desk.uarts[0].baud) == (4800, 115200)
    assert (desk.uarts[1].receive_bytes, desk.uarts[1].transmit_bytes) == (RECEIVE_BYTES, TRANSMIT_BYTES)


def test_what_the_table_says_is_told(desk):
    desk.uarts[0].coming += b"\x00hello\xff"
    desk.uarts[1].coming += b"7 ALIVE*00000000\n"
    desk.run(5)
    messages = desk.hear()
    assert {message[0] for message in messages} == {"got"}
    assert got_bytes(messages) == [b"\x00hello\xff", b"7 ALIVE*00000000\n"]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (["keys", 2, [1] * (KEYS - 1)], f"{KEYS} levels"),
        (["keys", 2, [1] * (KEYS - 1) + [2]], "a level is 0 or 1"),
        (["keys", 2, [1] * (KEYS - 1) + [True]], "a level is 0 or 1"),
        (["keys", 2, [1] * (KEYS - 1) + [None]], "a level is 0 or 1"),
        (["keys", 2, "1" * KEYS], f"{KEYS} levels"),
        (["keys", 2], "takes 1 arguments"),
        (["keys", 2, UP, 1], "takes 1 arguments"),
        (["sensors", 2, UP], f"{SENSORS} levels"),
        (["jumper", 2, [0]], "a level is 0 or 1"),
        (["jumper", 2, -1], "a level is 0 or 1"),
        (["reset", 2, 0], f"1 to {MAX_RESET_MS} ms"),
        (["reset", 2, MAX_RESET_MS + 1], f"1 to {MAX_RESET_MS} ms"),
        (["send", 2, 2, "00"], "no such UART"),
        (["send", 2, -1, "00"], "no such UART"),
        (["send", 2, None, "00"], "no such UART"),
        (["send", 2, 0, "0"], "not hex"),
        (["send", 2, 0, "xx"], "not hex"),
        (["send", 2, 0, "é"], "not hex"),
        (["send", 2, 0, 5], "not hex"),
        (["send", 2, 0, None], "not hex"),
        (["send", 2, 0, [1]], "not hex"),
        (["baud", 2, 5, 4800], "no such UART"),
        (["baud", 2, 0, 0], "300 to 921600 baud"),
        (["baud", 2, 0, "4800"], "300 to 921600 baud"),
        (["dance", 2], "unknown command"),
        ([["keys"], 2], "unknown command"),
        ([None, 2], "unknown command"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(desk, message, why):
    before = desk.levels()
    assert desk.say(message) == [["no", 2, why]]
    assert desk.levels() == before
    assert [uart.take() for uart in desk.uarts] == [b"", b""]


@pytest.mark.parametrize("number", [-1, MAX_NUMBER + 1, 10**30, None, True, "1", [1]])
def test_a_line_without_a_number_is_answered_under_0(desk, number):
    assert desk.say(["keys", number, [0] * KEYS]) == [["no", 0, "a number from 0 to 999999999 comes second"]]
    assert desk.key_levels() == UP


def test_empty_messages_and_lone_words(desk):
    assert [message[:2] for message in desk.say([], ["who"])] == [["no", 0], ["no", 0]]


# -- nonsense, echo and silence


@pytest.mark.parametrize(
    "line",
    [
        b'["keys",2,[0,0,0,0,0,0,0,0]]*00000000\n',
        b'["keys",2,[0,0,0,0,0,0,0,0]]\n',
        encode(["keys", 2, [0] * KEYS])[:-2] + b"\n",
        b"\xff\x00\x03\x1b[A\n",
        b">>> import os\n",
    ],
    ids=str,
)
def test_a_bad_line_moves_nothing(desk, line):
    assert desk.say(line) == [["no", 0, "wrong checksum"]]
    assert desk.key_levels() == UP
    assert desk.say(["keys", 3, [0] * KEYS]) == [["ok", 3]]


def test_a_line_that_never_ends_is_thrown_away(desk):
    desk.say(b"x" * 5000, milliseconds=30)
    desk.say(b"\n")
    assert desk.say(["who", 2]) == [["rig", 2, VERSION, "rig"]]


def test_its_own_words_come_back_as_an_echo_and_are_not_answered(desk):
    desk.uarts[0].coming += b"abc"
    desk.usb.incoming += encode(["keys", 2, [0]]) + encode(["who", 3])
    desk.run(5)
    assert desk.say(desk.usb.take()) == []


def test_bad_lines_by_the_thousand_do_not_fill_the_memory(desk):
    desk.usb.room = 0
    desk.usb.incoming += b"x\n" * 20000
    desk.run(100)
    assert len(desk.box.unsaid) < UNSAID_BYTES + 300
    desk.usb.room = 1 << 20
    desk.run(200)
    desk.usb.take()
    desk.splitter.clear()
    assert desk.say(["who", 4])[-1] == ["rig", 4, VERSION, "rig"]


def test_after_two_seconds_of_silence_every_line_is_let_go(desk):
    low = [["keys", 2, [0] * KEYS], ["sensors", 3, [0] * SENSORS], ["jumper", 4, 0], ["reset", 5, MAX_RESET_MS]]
    assert [message[0] for message in desk.say(*low)] == ["ok"] * 4
    assert 1 not in desk.levels()[:-1]
    desk.run(SILENT_MS - 10)
    assert 1 not in desk.levels()[:-1]
    desk.run(10)
    assert desk.levels() == [1] * (KEYS + SENSORS + 2) + [0]
    assert desk.say(["who", 6]) == [["released"], ["rig", 6, VERSION, "rig"]]
    assert desk.say(["who", 7]) == [["rig", 7, VERSION, "rig"]]


def test_any_good_line_is_a_sign_of_life(desk):
    desk.say(["keys", 2, [0] * KEYS])
    for number in range(3, 10):
        desk.run(SILENT_MS - 10)
        desk.say(["who", number])
    assert desk.key_levels() == [0] * KEYS


def test_nonsense_is_no_sign_of_life(desk):
    desk.say(["keys", 2, [0] * KEYS])
    for _ in range(SILENT_MS // 100 + 1):
        desk.say(b"nonsense\n" + encode(["ok", 5]), milliseconds=100)
    assert desk.key_levels() == UP


def test_what_the_table_says_to_nobody_is_not_kept(desk):
    desk.run(SILENT_MS)
    desk.uarts[0].coming += b"old" * 1000
    desk.run(1000)
    assert desk.say(["who", 2]) == [["released"], ["rig", 2, VERSION, "rig"]]
    desk.uarts[0].coming += b"new"
    desk.run(5)
    assert got_bytes(desk.hear()) == [b"new", b""]


# -- overload


@pytest.mark.parametrize("per_ms", [64, 1 << 20])
def test_bursts_of_2_kb_on_both_uarts_both_ways_lose_nothing(desk, per_ms):
    """With 8 KB a UART for receiving, and a host that takes 64 bytes each millisecond, or all at once."""
    dice = random.Random(per_ms)
    coming = [dice.randbytes(2048), dice.randbytes(2048)]
    going = [dice.randbytes(UNSENT_BYTES), dice.randbytes(UNSENT_BYTES)]
    for uart, data in zip(desk.uarts, coming):
        uart.coming += data
    for start in range(0, UNSENT_BYTES, 128):
        for number in (0, 1):
            desk.usb.incoming += encode(["send", start, number, going[number][start : start + 128].hex()])
    heard = []
    for _ in range(600):
        desk.usb.room = per_ms
        desk.run(1)
        heard += desk.hear()
    assert got_bytes(heard) == coming
    assert [uart.take() for uart in desk.uarts] == going
    assert [message for message in heard if message[0] not in ("got", "ok")] == []


def test_a_host_that_does_not_read_for_half_a_second_misses_nothing(desk):
    dice = random.Random(5)
    coming = [dice.randbytes(6000), dice.randbytes(6000)]
    for uart, data in zip(desk.uarts, coming):
        uart.coming += data
    desk.usb.room = 0
    desk.run(500)
    assert len(desk.box.unsaid) < UNSAID_BYTES + 600
    desk.usb.room = 1 << 20
    desk.run(200)
    assert got_bytes(desk.hear()) == coming


def test_bytes_that_were_lost_are_told(desk):
    desk.uarts[1].coming += bytes(RECEIVE_BYTES + UNSAID_BYTES)
    desk.usb.room = 0
    desk.run(1200)
    desk.usb.room = 1 << 20
    desk.run(100)
    heard = desk.hear()
    assert heard.count(["lost", 1]) == 1
    assert ["lost", 0] not in heard
    assert RECEIVE_BYTES <= len(got_bytes(heard)[1]) < RECEIVE_BYTES + UNSAID_BYTES


def test_more_bytes_than_can_wait_are_refused_and_can_be_said_again(desk):
    desk.say(["baud", 2, 0, 4800])
    piece = "00" * 240
    taken = 0
    for number in range(20):
        taken += desk.say(["send", number, 0, piece])[0] == ["ok", number]
    assert taken * 240 >= UNSENT_BYTES - 240
    assert desk.say(["send", 30, 0, piece]) == [["no", 30, "full"]]
    for number in range(31, 43):
        desk.say(["who", number], milliseconds=500)
    assert desk.say(["send", 50, 0, piece]) == [["ok", 50]]


# -- the same on MicroPython


@pytest.fixture(scope="module")
def micropython():
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared") | compile_room("firmware"))
        interpreter.install({"rig_bench.py": ON_BOTH.encode()})
        interpreter.run("import gc, rig_bench")
        yield interpreter


def random_message(dice):
    levels = [dice.randint(0, 1) for _ in range(KEYS)]
    wrong = dice.choice([None, True, -1, 10**12, "é", [], [[0]], "00"])
    return dice.choice(
        [
            ["who", dice.randint(0, 99)],
            ["keys", dice.randint(0, 99), levels],
            ["sensors", dice.randint(0, 99), (levels * 2)[:SENSORS]],
            ["jumper", dice.randint(0, 99), dice.randint(0, 1)],
            ["reset", dice.randint(0, 99), dice.randint(0, 300)],
            ["send", dice.randint(0, 99), dice.randint(0, 2), dice.randbytes(dice.randint(0, 200)).hex()],
            ["baud", dice.randint(0, 99), dice.randint(0, 2), dice.choice([4800, 9600, 115200])],
            [dice.choice(["keys", "send", "baud", "jumper", "no"]), wrong, wrong],
            ["send", 1, wrong, wrong],
            ["keys", 1, wrong],
        ]
    )


def random_request(dice):
    said = b"".join(encode(random_message(dice)) for _ in range(dice.randint(0, 3)))
    if dice.random() < 0.2:
        said += bytes(mutate(bytearray(encode(random_message(dice))[:-1]), dice)) + b"\n"
    coming = [dice.randbytes(dice.randint(0, 60)) if dice.random() < 0.3 else b"" for _ in range(2)]
    milliseconds = SILENT_MS + 1 if dice.random() < 0.01 else dice.randint(1, 12)
    return json.dumps([milliseconds, said.hex(), coming[0].hex(), coming[1].hex()])


@pytest.mark.parametrize("has_run", [True, False])
def test_both_runtimes_do_the_same(micropython, has_run):
    sizes = [KEYS, SENSORS, has_run, RECEIVE_BYTES, TRANSMIT_BYTES]
    ours = Bench(*sizes)
    micropython.run("bench = rig_bench.Bench(*rig_bench.json.loads(request))", json.dumps(sizes))
    dice = random.Random(f"both {has_run}")
    words = set()
    for step in range(BOTH_RUNTIMES_STEPS):
        request = random_request(dice)
        here = ours.tell(request)
        there = micropython.run("print(bench.tell(request), end='')\ngc.collect()", request)
        assert there == here, (step, request)
        words |= {decode(line)[0] for line in bytes.fromhex(json.loads(here)[1][0]).splitlines()}
    assert words >= {"rig", "ok", "no", "got", "released"}


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


@pytest.mark.parametrize("more", [{}, {"device": "shoe", "reader": "angel_eye"}, {"amounts": False}], ids=str)
def test_whole_rounds_are_played_through_the_rig(tmp_path, more):
    workshop = Workshop()
    floor, log = make_floor(
        tmp_path, MBS, "small", lambda board, _i, _s: workshop.target(more.get("reader", "felt"), board), **more
    )
    play(floor, 2, 20)
    assert list(floor.bridge.alarms) == []
    assert sum(record[:2] == ["state", "settled"] for record in log.records()) == 2
    assert not kinds(log) & {"fault", "void", "sensed", "held", "denied"}
    if "reader" in more:
        assert workshop.rig.uarts[1].baud == 4800


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
        (Talker(encode(["ailing", "no_key", "", ""])), "the two ports are confused"),
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
            raise RigError("there is no port")
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
    with pytest.raises(OSError, match="not back after 15 s: there is no port"):
        port.read(10)


def test_ports_that_cannot_be_opened(tmp_path):
    with pytest.raises(RigError, match="rig and table cannot both be at x"):
        open_bench("x", "x", small, "felt")
    with pytest.raises(RigError, match="there is no port"):
        open_bench(str(tmp_path / "none"), "y", small, "felt")


# -- on an emulated Pico

IMAGES = cached_images(cache_folder(), None)
LONG_ONLY = pytest.mark.skipif(
    not LONG, reason="a rig on an emulated Pico takes minutes; `make test-long` has it"
)
WITH_IMAGE = pytest.mark.skipif(
    not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one"
)


class EmulatedRig:
    """The rig's firmware on an emulated Pico, as `felt flash --board rig` puts it there."""

    def __init__(self, image):
        self.emulator = Emulator.boot(
            image, {f"/{path}": data for path, data in table_files(find_board("rig")).items()}
        )
        self.emulator.wait_for_usb()
        self.emulator.set_dtr(True)
        self.highs = []  # lines that were ever driven high
        self.lines = [pin for _, pin in rig.KEYS] + [pin for box in rig.SENSORS for pin in box] + [rig.JUMPER]
        for pin in self.lines:
            self.emulator.on_pin(pin, lambda level, pin=pin: self.highs.append(pin) if level else None)
        self.splitter = LineSplitter()

    def say(self, *messages, milliseconds=40):
        for message in messages:
            self.emulator.usb_send(encode(list(message)))
        self.emulator.run_for(milliseconds)
        return [decode(line) for line in self.splitter.feed(self.emulator.usb_receive())]

    def low(self):
        return [pin for pin in self.lines if self.emulator.pin(pin) is False]

    def driven(self):
        return [pin for pin in self.lines if self.emulator.pin(pin) is not None]


@LONG_ONLY
@WITH_IMAGE
@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_the_rig_on_an_emulated_pico(image):
    made = EmulatedRig(image)
    emulator = made.emulator
    assert made.say(["who", 1], milliseconds=1000) == [["released"], ["rig", 1, VERSION, "rig"]]
    assert made.driven() == []
    assert emulator.pin(rig.LED) is True
    keys = [0, *UP[1:-1], 0]
    assert made.say(["keys", 2, keys], ["sensors", 3, [0] + [1] * (SENSORS - 1)], ["jumper", 4, 0]) == [
        ["ok", 2],
        ["ok", 3],
        ["ok", 4],
    ]
    assert made.low() == [rig.KEYS[0][1], rig.KEYS[-1][1], rig.SENSORS[0][0], rig.JUMPER]
    dice = random.Random(7)
    coming = [dice.randbytes(2048), dice.randbytes(2048)]
    going = dice.randbytes(240)
    emulator.uart_send(0, coming[0], 115200)
    emulator.uart_send(1, coming[1], 115200)
    heard = made.say(["send", 5, 0, going.hex()], ["send", 6, 1, going.hex()], milliseconds=260)
    assert got_bytes(heard) == coming
    assert [emulator.uart_receive(number) for number in (0, 1)] == [going, going]
    assert made.say(["baud", 7, 1, 4800]) == [["ok", 7]]
    emulator.uart_send(1, bytes(300), 115200)  # the emulated line has the speed that it is told
    assert got_bytes(made.say(["who", 8]))[1] == bytes(300), "the buffers are as large as before"
    # A host that no longer reads holds the rig up once; after 2 s of silence every line is let go.
    emulator.usb_stall(True)
    emulator.uart_send(0, coming[0], 115200)
    emulator.run_for(SILENT_MS + 600)
    assert made.driven() == []
    assert emulator.pin(rig.LED) is False
    emulator.usb_stall(False)
    made.say()
    made.splitter.clear()
    assert ["rig", 9, VERSION, "rig"] in made.say(["who", 9], milliseconds=100)
    assert made.highs == [], "no line is ever driven high"
    made.say(["keys", 10, keys])
    emulator.usb_send(b"\x03")
    emulator.run_for(100)
    assert made.driven() == [], "Ctrl-C lets go of every line"
    assert emulator.usb_receive().endswith(b">>> ")


class EmulatedUsb:
    """A port at the USB of an emulated Pico."""

    def __init__(self, emulator):
        self.emulator = emulator

    def read(self, size, /):
        return self.emulator.usb_receive()

    def write(self, data, /):
        self.emulator.usb_send(data)
        return len(data)


class TwoPicos:
    """A rig and a table, both emulated and wired; it is the clock as well."""

    SLICE_MS = 2

    def __init__(self, rig_image, table_image):
        self.rig = EmulatedRig(rig_image)
        key = TableKey(IDENTITY.table, IDENTITY.key)
        content = f"{FIRST_WORD} {key.table} {key.key.hex()}\n".encode()
        files = with_key(table_files(find_board("small")), "small", Key(key, content))
        self.table = Emulator.boot(table_image, {f"/{path}": data for path, data in files.items()})
        self.table.wait_for_usb()
        self.table.set_dtr(True)
        self.time = 0

    def now(self):
        return self.time

    def wait_until(self, now):
        while self.time < now:
            self.time += self.SLICE_MS
            self.rig.emulator.run_for(self.SLICE_MS)
            low = self.rig.low()
            for pin in self.rig.lines:
                self.table.set_pin(pin, False if pin in low else None)
            for number in (0, 1):
                self.table.uart_send(number, self.rig.emulator.uart_receive(number), 115200)
                self.rig.emulator.uart_send(number, self.table.uart_receive(number), 115200)
            self.table.run_for(self.SLICE_MS)


@LONG_ONLY
@WITH_IMAGE
def test_a_round_on_two_emulated_picos_wired_to_each_other(tmp_path):
    both = TwoPicos(IMAGES[0], IMAGES[-1])
    ports = EmulatedUsb(both.rig.emulator), EmulatedUsb(both.table)
    floor, log = make_floor(tmp_path, MBS, "small", lambda *_: RigTarget(*ports, small, "felt", both))
    while ["state", "settled"] not in [record[:2] for record in log.records()]:
        floor.step(20)
        assert floor.now < 60_000
    assert list(floor.bridge.alarms) == []
    assert not kinds(log) & {"fault", "void", "sensed", "held", "denied"}
    assert both.rig.highs == []
