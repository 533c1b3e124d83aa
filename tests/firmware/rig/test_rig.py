"""The test rig: every command, nonsense, silence and overload in virtual time, on both runtimes."""

import json
import random

import pytest

from firmware.rig.rig import (
    MAX_NUMBER,
    MAX_RESET_MS,
    RECEIVE_BYTES,
    SILENT_MS,
    TRANSMIT_BYTES,
    UNSENT_BYTES,
    UNSENT_LINE_BYTES,
    VERSION,
)
from host.pico.mpy import compile_room
from host.wasm import MicroPython
from shared.journal.wire import decode, encode
from tests.support.campaign import share
from tests.support.firmware.rig_desk import KEYS, ON_BOTH, SENSORS, UP, Bench, Desk, got_bytes
from tests.support.mutated import mutate

BOTH_RUNTIMES_STEPS = share(4000)


@pytest.fixture
def desk():
    """A rig that has heard its host."""
    made = Desk()
    assert made.say(["who", 1]) == [["released"], ["rig", 1, VERSION, "rig"]]
    return made


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
    assert desk.say(line) == [["no", 0, "wrong_checksum"]]
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
    assert len(desk.box.unsent_lines) < UNSENT_LINE_BYTES + 300
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
    assert len(desk.box.unsent_lines) < UNSENT_LINE_BYTES + 600
    desk.usb.room = 1 << 20
    desk.run(200)
    assert got_bytes(desk.hear()) == coming


def test_bytes_that_were_lost_are_told(desk):
    desk.uarts[1].coming += bytes(RECEIVE_BYTES + UNSENT_LINE_BYTES)
    desk.usb.room = 0
    desk.run(1200)
    desk.usb.room = 1 << 20
    desk.run(100)
    heard = desk.hear()
    assert heard.count(["lost", 1]) == 1
    assert ["lost", 0] not in heard
    assert RECEIVE_BYTES <= len(got_bytes(heard)[1]) < RECEIVE_BYTES + UNSENT_LINE_BYTES


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
