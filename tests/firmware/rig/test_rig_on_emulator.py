"""The rig's firmware on an emulated Pico, without a table; tests/host/bench/hardware/ has it with one."""

import random

import pytest

from boards import rig
from firmware.rig.rig import (
    SILENT_MS,
    VERSION,
)
from host.emulator.pico import Emulator
from host.pico.boards import find_board
from host.pico.deploy import table_files
from shared.journal.wire import LineSplitter, decode, encode
from tests.support.firmware.images import each_image, needs_image
from tests.support.firmware.rig_desk import SENSORS, UP, got_bytes

pytestmark = [pytest.mark.slow, needs_image]


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


@each_image
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
