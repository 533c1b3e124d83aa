"""Shuffler and card reader that never stop talking at 115200, on an emulated RP2040 with real MicroPython, while
the table plays a round on flash that must be erased. What the FIFO of 32 bytes and the buffer of 256 cannot hold
is lost there as on the device.

`make test` plays on the newest image in the cache, `make test-long` on every one, and at the flash's slowest too.
"""

import random

import pytest

from host.emulator.pico import Emulator
from host.measure.pico import NOTHING, WATCHDOG_MS, WORST, at_prompt
from host.measure.wear import GAME
from tests.support.campaign import LONG
from tests.support.firmware.images import each_image, needs_image
from tests.support.firmware.talking import (
    TalkingPico,
    TalkingReader,
    TalkingShuffler,
    counted,
    talking_floor,
    used_flash,
    watch_round,
)

pytestmark = [pytest.mark.slow, needs_image]

LISTEN = """
import rp2, time
from machine import UART, Pin
uart = UART(0, 115200, tx=Pin(0), rx=Pin(1), rxbuf=256)
flash = rp2.Flash()
led = Pin(25, Pin.OUT, value=0)
led.value(1)
{}
time.sleep_ms(60)
got = 0
while uart.any():
    got += len(uart.read(uart.any()))
print(got)
"""

# The drivers as the table polls them, on its own UARTs and its own ring.
HEAR = """
import gc, rp2, time
from boards import full
from firmware.pico import open_uart
from firmware.drivers.reader import CardReader
from firmware.drivers.shuffler import Shuffler
from shared.journal.ring import Ring
from shared.journal.ring_making import read_map
ring = Ring(rp2.Flash(), *read_map(open))
ring.prepare()
begun = time.ticks_ms()
devices = [Shuffler(open_uart(full.SHUFFLER), 0), CardReader(open_uart(full.READER), 0)]
heard = bad = 0
last = [None, None]
def write():
    ring.append("00000001", bytes(512))
for act in [gc.collect] + [write] * 5 + [ring.prepare] * 3 + [gc.collect]:
    for _ in range(3):
        for place in (0, 1):
            device = devices[place]
            device.poll(time.ticks_diff(time.ticks_ms(), begun))
            bad += device.bad
            heard += device.last_number != last[place]
            last[place] = device.last_number
        time.sleep_ms(4)
    act()
print(bad, heard)
"""
ERASE = "flash.ioctl(6, flash.ioctl(4, 0) - 1)"


@each_image
def test_while_flash_is_erased_and_when_the_buffer_is_full_bytes_are_lost_and_counted(image):
    pico = Emulator.boot(image, NOTHING)
    pico.usb_expect(b">>> ", 5000)

    def heard(size, busy=""):
        """(bytes received of so many in a row while the device is busy, bytes lost)"""
        sent = [size]
        pico.on_pin(25, lambda level: pico.uart_send(0, bytes(sent.pop()), 115200) if level and sent else None)
        lost = pico.uart_lost[0]
        return int(pico.execute(LISTEN.format(busy))), pico.uart_lost[0] - lost

    assert heard(57) == (57, 0)
    assert heard(57, ERASE) == (32, 25)
    assert heard(32, ERASE) == (32, 0)
    assert heard(256) == (256, 0)
    assert heard(300) == (256 + 32, 12)
    assert len(pico.erased_us) == 2


@each_image
def test_drivers_hear_every_byte_of_devices_that_never_stop_talking(image):
    """While the table writes, erases, collects garbage and passes; all of it longer than in a round."""
    pico = TalkingPico(used_flash(image))
    dice = random.Random(1)
    reader = TalkingReader(dice, pico)
    at_prompt(pico)
    pico.devices = [TalkingShuffler(dice, reader), reader]
    bad, heard = map(int, pico.execute(HEAR).split())
    lines, repeated = counted(pico)
    print(f"{image.name}: {heard} of {lines} lines, {bad} bad, {repeated} repeated, lost {pico.uart_lost}")
    assert len(pico.erased_us) == 4
    assert heard > 20
    assert (bad, repeated, sum(pico.uart_lost)) == (0, 0, 0)


@each_image
def test_not_a_byte_is_lost_of_devices_that_talk_through_a_round(tmp_path, image):
    pico, floor, log = talking_floor(tmp_path, image, GAME, 2)
    heard = watch_round(pico, floor, log)
    print(f"{image.name}, typical flash: {heard}")
    assert heard.lines > 300
    assert heard.erases > 10
    assert heard.lost_bytes == 0
    check(heard, floor)


@pytest.mark.skipif(not LONG, reason="takes half a minute an image: `make test-long`")
@each_image
def test_at_the_flashs_slowest_what_was_lost_is_said_again(tmp_path, image):
    pico, floor, log = talking_floor(tmp_path, image, GAME, 2)
    pico.flash_times |= WORST
    heard = watch_round(pico, floor, log)
    print(f"{image.name}, slowest flash: {heard}")
    assert heard.erases > 10
    check(heard, floor)


def check(heard, floor):
    """The round was played as it was dealt."""
    assert heard.erases_in_deal == 0
    assert heard.cards
    assert heard.wrong == []
    assert heard.unfed_ms <= WATCHDOG_MS / 2
    assert list(floor.bridge.alarms) == []
