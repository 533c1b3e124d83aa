"""The Pico itself: pins and ports as the board's constants say, handed ready-made to the drivers.

This, main.py and boot.py are the only modules that know `machine`.
"""

import gc
import select
import sys

from machine import UART, Pin

from firmware.drivers.inputs import BetSensors, DirectPins, Keys
from firmware.drivers.led import StatusLed
from firmware.module_unload import forget_events
from shared.values import const

_RECEIVE_BYTES = const(256)  # a device may go on talking while a flash sector is erased
_USB_BYTES = const(96)  # taken in one pass, so that no device waits long
_TRIAL_BYTES = const(64)  # what the port must take byte by byte before it is trusted again
_CRASH_FILE = const("felt/crash")
_GARBAGE_BYTES = const(4 * 1024)  # collected after so much was allocated, so that the heap stays small and whole
_PASSES = const(100)  # between collections while nothing happens: a pass makes little, and collecting takes 20 ms


def input_pin(number):
    return Pin(number, Pin.IN, Pin.PULL_UP)


def is_ready(poller):
    """Without garbage, unlike poll."""
    for _ in poller.ipoll(0):
        return True
    return False


class UsbPort:
    """The USB serial port, otherwise the console. Bytes are taken one by one, as a read of more would wait.

    A write waits for half a second if the host has stopped reading: at most once, because then bytes are written
    one by one, each only when there is room, until the host reads again.
    """

    def __init__(self, read_bytes=_USB_BYTES):
        self.incoming = sys.stdin.buffer
        self.outgoing = sys.stdout.buffer
        self.poller = select.poll()
        self.poller.register(sys.stdin, select.POLLIN)
        self.room = select.poll()
        self.room.register(sys.stdout, select.POLLOUT)
        self.one = bytearray(1)
        self.many = bytearray(read_bytes)
        self.is_slow = False

    def read(self):
        if not is_ready(self.poller):
            return b""
        readinto, one, many = self.incoming.readinto, self.one, self.many
        count = 0
        while count < len(many) and is_ready(self.poller):
            readinto(one)
            many[count] = one[0]
            count += 1
        return bytes(memoryview(many)[:count])

    def write(self, data):
        """How many of the bytes were taken."""
        if not is_ready(self.room):
            return 0
        if not self.is_slow:
            sent = self.outgoing.write(data) or 0
            self.is_slow = sent < len(data)
            return sent
        for place in range(min(len(data), _TRIAL_BYTES)):
            if not is_ready(self.room):
                return place
            self.outgoing.write(data[place : place + 1])
        self.is_slow = False
        return min(len(data), _TRIAL_BYTES)


class PicoHardware:
    def __init__(self, board):
        self.board = board
        self.keys = Keys([name for name, _ in board.KEYS], [input_pin(number) for _, number in board.KEYS])
        if board.REGISTERS:
            from firmware.drivers.shift_registers import ShiftRegisters

            latch, clock, data, count = board.REGISTERS
            source = ShiftRegisters(Pin(latch, Pin.OUT), Pin(clock, Pin.OUT), input_pin(data), count)
        else:
            source = DirectPins([input_pin(number) for box in board.SENSORS for number in box])
        self.sensors = BetSensors(source, board.BOXES, board.SPOTS)
        self.led = StatusLed(Pin(board.LED, Pin.OUT))
        self.usb = UsbPort()
        self.passes = 0  # since garbage was last collected

    # The ports of shuffler and reader, for the drivers that the configuration names; None without one.

    def open_shuffler(self, baud):
        return open_uart(self.board.SHUFFLER, baud) if self.board.SHUFFLER else None

    def open_reader(self, baud):
        return open_uart(self.board.READER, baud) if self.board.READER else None

    def take_time(self):
        """Something happens that may make much garbage and is no card: it is collected on the way."""
        gc.threshold(_GARBAGE_BYTES)

    def hurry(self):
        """A card may be coming: between its byte and its record nothing is collected unless memory runs out."""
        gc.threshold(-1)

    def rest(self, collect):
        """Nobody waits any more: garbage is collected at once where much was made, seldom where there is little.

        What calls borrow and give back counts as allocated, so a threshold would collect in every fourth pass.
        """
        self.passes += 1
        if collect or self.passes > _PASSES:
            self.passes = 0
            gc.collect()
        gc.threshold(-1)

    def make_room(self, state):
        forget_events(state)

    def report(self, problem):
        """Keep what went wrong, for the person who must find out why."""
        try:
            with open(_CRASH_FILE, "w") as file:
                sys.print_exception(problem, file)
        except OSError:
            pass  # the flash may be what went wrong


def open_uart(device, baud=None, rxbuf=_RECEIVE_BYTES, txbuf=_RECEIVE_BYTES):
    """The UART of a board's (number, TX, RX, baud), with buffers in bytes; another speed may be asked for.

    Neither reads nor writes wait, and the pull-up keeps an unwired RX quiet.
    """
    number, tx, rx, usual = device
    receiving = Pin(rx, Pin.IN, Pin.PULL_UP)
    return UART(number, baud or usual, tx=Pin(tx), rx=receiving, rxbuf=rxbuf, txbuf=txbuf, timeout=0)
