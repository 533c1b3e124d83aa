"""The Pico itself: pins and ports as the board's constants say, handed ready-made to the drivers.

This and boot.py are the only modules that know `machine`.
"""

import gc
import select
import sys

from machine import UART, Pin

from firmware.inputs import BetSensors, DirectPins, Keys, ShiftRegisters
from firmware.led import StatusLed
from shared.table import ANGEL_EYE

ANGEL_EYE_BAUD = 4800
RECEIVE_BYTES = 256  # a device may go on talking while a flash sector is erased
USB_BYTES = 96  # taken in one pass, so that no device waits long
CRASH_FILE = "felt/crash"


def input_pin(number):
    return Pin(number, Pin.IN, Pin.PULL_UP)


class UsbPort:
    """The USB serial port, otherwise the console. Bytes are taken one by one, as a read of more would wait."""

    def __init__(self):
        self.incoming = sys.stdin.buffer
        self.outgoing = sys.stdout.buffer
        self.poller = select.poll()
        self.poller.register(sys.stdin, select.POLLIN)
        self.one = bytearray(1)

    def read(self):
        poll = self.poller.poll
        if not poll(0):
            return b""
        data = bytearray()
        while len(data) < USB_BYTES and poll(0):
            self.incoming.readinto(self.one)
            data.append(self.one[0])
        return bytes(data)

    def write(self, data):
        return self.outgoing.write(data)


class PicoHardware:
    def __init__(self, board):
        self.board = board
        self.keys = Keys([name for name, _ in board.KEYS], [input_pin(number) for _, number in board.KEYS])
        if board.REGISTERS:
            latch, clock, data, count = board.REGISTERS
            source = ShiftRegisters(Pin(latch, Pin.OUT), Pin(clock, Pin.OUT), input_pin(data), count)
        else:
            source = DirectPins([input_pin(number) for box in board.SENSORS for number in box])
        self.sensors = BetSensors(source, board.BOXES, board.SPOTS)
        self.led = StatusLed(Pin(board.LED, Pin.OUT))
        self.usb = UsbPort()

    # Drivers are loaded when the configuration asks for them.

    def open_shuffler(self, now):
        from firmware.shuffler import Shuffler

        number, tx, rx, baud = self.board.SHUFFLER
        return Shuffler(open_uart(number, tx, rx, baud), now)

    def open_reader(self, kind, now):
        number, tx, rx, baud = self.board.READER
        if kind == ANGEL_EYE:
            from firmware.angel_eye import AngelEye

            return AngelEye(open_uart(number, tx, rx, ANGEL_EYE_BAUD), now)
        from firmware.reader import CardReader

        return CardReader(open_uart(number, tx, rx, baud), now)

    def collect(self):
        """Collect garbage at a moment that nobody waits for, rather than in the middle of something."""
        gc.collect()

    def report(self, problem):
        """Keep what went wrong for whoever must find out why."""
        try:
            with open(CRASH_FILE, "w") as file:
                sys.print_exception(problem, file)
        except OSError:
            pass  # the flash may be what went wrong


def open_uart(number, tx, rx, baud):
    # Neither reads nor writes wait; a device that takes no bytes holds nobody up.
    return UART(number, baud, tx=Pin(tx), rx=Pin(rx), rxbuf=RECEIVE_BYTES, txbuf=RECEIVE_BYTES, timeout=0)
