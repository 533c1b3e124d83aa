"""The rig's own Pico: pins and ports as the board's constants say, and the loop that it runs for good.

Ctrl-C stops it, lets go of every line and gives the prompt, so that it can always be flashed anew. No line of the
protocol has that byte.
"""

import select
import sys
import time

from machine import UART, Pin

from firmware.pico import UsbPort
from firmware.rig import RECEIVE_BYTES, TRANSMIT_BYTES, Pins, RigBox

REST_MS = 2  # after a pass without anything to do
READ_BYTES = 256  # taken from the host in one pass
TRIAL_BYTES = 64  # what the port must take byte by byte before it is trusted again


class RigPort(UsbPort):
    """The USB port. A write waits for half a second if the host has stopped reading: at most once, because then
    bytes are written one by one, each only when there is room, until the host reads again."""

    def __init__(self):
        super().__init__()
        self.room = select.poll()
        self.room.register(sys.stdout, select.POLLOUT)
        self.is_slow = False
        self.many = bytearray(READ_BYTES)

    def read(self):
        """As on a table, at twice its speed, for here all that there is to do is passing bytes on."""
        poll, readinto, one, many = self.poller.poll, self.incoming.readinto, self.one, self.many
        count = 0
        while count < READ_BYTES and poll(0):
            readinto(one)
            many[count] = one[0]
            count += 1
        return bytes(memoryview(many)[:count])

    def write(self, data):
        if not self.room.poll(0):
            return 0
        if not self.is_slow:
            sent = self.outgoing.write(data) or 0
            self.is_slow = sent < len(data)
            return sent
        for place in range(min(len(data), TRIAL_BYTES)):
            if not self.room.poll(0):
                return place
            self.outgoing.write(data[place : place + 1])
        self.is_slow = False
        return min(len(data), TRIAL_BYTES)


def line(number):
    return Pin(number, Pin.OPEN_DRAIN, value=1)


def open_uart(device):
    if device is None:
        return None
    number, tx, rx, baud = device
    # The pull-up keeps an unwired RX quiet.
    receiving = Pin(rx, Pin.IN, Pin.PULL_UP)
    return UART(number, baud, tx=Pin(tx), rx=receiving, rxbuf=RECEIVE_BYTES, txbuf=TRANSMIT_BYTES, timeout=0)


def make_box(board):
    run = getattr(board, "RUN", None)
    pins = Pins(
        [line(number) for _, number in board.KEYS],
        [line(number) for box in board.SENSORS for number in box],
        line(board.JUMPER),
        None if run is None else line(run),
        Pin(board.LED, Pin.OUT),
    )
    devices = {device[0]: device for device in (board.SHUFFLER, board.READER) if device}
    uarts = [open_uart(devices.get(number)) for number in (0, 1)]
    return RigBox(pins, uarts, RigPort(), board.NAME)


def main(board):
    """Be the rig until somebody presses Ctrl-C."""
    box = make_box(board)
    now = 0
    last = time.ticks_ms()
    try:
        while True:
            ticks = time.ticks_ms()
            now += time.ticks_diff(ticks, last)
            last = ticks
            if not box.step(now):
                time.sleep_ms(REST_MS)
    finally:
        box.release()
