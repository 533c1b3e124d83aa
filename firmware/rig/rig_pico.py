"""The rig's own Pico: pins and ports as the board's constants say, and the loop that it runs for good.

Ctrl-C stops it, lets go of every line and gives the prompt, so that it can always be flashed anew. No line of the
protocol has that byte.
"""

import time

from machine import Pin

from firmware.pico import UsbPort, open_uart
from firmware.rig.rig import RECEIVE_BYTES, TRANSMIT_BYTES, Pins, RigBox

REST_MS = 2  # after a pass without anything to do
READ_BYTES = 256  # taken from the host in one pass


def line(number):
    return Pin(number, Pin.OPEN_DRAIN, value=1)


def make_box(board):
    run = getattr(board, "RUN", None)
    chain = None
    if board.REGISTERS:
        from firmware.rig.chain import Chain

        chain = Chain(*board.REGISTERS)
    pins = Pins(
        [line(number) for _, number in board.KEYS],
        [line(number) for box in board.SENSORS for number in box],
        chain,
        line(board.JUMPER),
        None if run is None else line(run),
        Pin(board.LED, Pin.OUT),
    )
    devices = {device[0]: device for device in (board.SHUFFLER, board.READER) if device}
    sizes = {"rxbuf": RECEIVE_BYTES, "txbuf": TRANSMIT_BYTES}
    uarts = [open_uart(devices[number], **sizes) if number in devices else None for number in (0, 1)]
    return RigBox(pins, uarts, UsbPort(READ_BYTES), board.NAME)


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
