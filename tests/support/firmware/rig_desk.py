"""A rig in memory, for its tests: pins, UARTs and a port whose bytes take their time."""

import inspect
import json
from binascii import hexlify, unhexlify

from boards import small
from firmware.rig.rig import (
    RECEIVE_BYTES,
    TRANSMIT_BYTES,
    Pins,
    RigBox,
)
from shared.journal.wire import LineSplitter, decode, encode

KEYS = len(small.KEYS)
SENSORS = small.BOXES * small.SPOTS
UP = [1] * KEYS


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
        self.pins = Pins([Pin() for _ in range(keys)], [Pin() for _ in range(sensors)], None, Pin(), run, Pin())
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
    "import json\nfrom binascii import hexlify, unhexlify\nfrom firmware.rig.rig import Pins, RigBox\n\n"
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


def got_bytes(messages):
    heard = [b"", b""]
    for message in messages:
        if message[0] == "got":
            heard[message[1]] += bytes.fromhex(message[2])
    return heard
