"""Runs on the Pico: plays a full round at a table and says how much of the heap was ever taken, garbage included,
how long the longest append took, and how long the watchdog was not fed at most. Or deals a full table, and says
how long the slowest card took.

Compiled and laid there by host/measure/pico.py, because what the console compiles would take room itself.
"""

import gc
import json
import sys
import time

import rp2


class Watchdog:
    """Nobody waits for it at the console, so it only notes how long it was not fed."""

    longest = 0  # milliseconds
    fed_at = None

    def feed(self):
        now = time.ticks_ms()
        if self.fed_at is not None:
            self.longest = max(self.longest, time.ticks_diff(now, self.fed_at))
        self.fed_at = now


def open_ring():
    """The table's own ring, emptied."""
    from shared.journal.ring import Ring
    from shared.journal.ring_making import read_map

    generation, blocks = read_map(open)
    ring = Ring(rp2.Flash(), generation, blocks)
    for name in ring.names():
        ring.remove(name)
    return ring


class MeasuredTable:
    """The table as it starts with an empty journal, but for this file, which the manifest does not name.

    It gets a configuration, and a host that takes every record at once.
    """

    def __init__(self, pairs):
        # Here, so that what a start alone needs can be forgotten after it.
        from firmware.boot import find_board, read_key, start
        from firmware.loop import make_room
        from shared.link.manifest import MANIFEST_FILE, read_manifest

        open_ring()
        table, sealer = read_key()
        with open(MANIFEST_FILE, "rb") as file:
            manifest = read_manifest(sealer, file.read())
        self.watchdog = Watchdog()
        self.controller = start(table, sealer, manifest, "0" * 32, find_board(manifest.board), self.watchdog)
        make_room()
        self.recorder = self.controller.recorder
        self.most = 0
        self.slowest = 0  # milliseconds of an append
        ring = self.recorder.journal.storage
        append = ring.append

        def watched(name, data):
            self.look()  # before every write, where the most is in memory
            begun = time.ticks_ms()
            append(name, data)
            self.slowest = max(self.slowest, time.ticks_diff(time.ticks_ms(), begun))

        ring.append = watched
        done, why, _, _ = self.recorder.command(1, "measure", "config", pairs)
        if not done:
            raise ValueError(why)  # an assertion is not there on a Pico
        from shared.link.session import Session

        link = self.controller.link
        link.session = Session(link.sealer, b"hello", b"hi", "table", "host")
        link.hello_after = None
        self.now = 0
        self.send()

    def send(self):
        """Pass until all records are sent."""
        while self.controller.link.sent_to < self.recorder.journal.chain.number:
            self.step()
            self.look()

    def step(self):
        link = self.controller.link
        self.now += 20
        link.heard_at = link.beat_at = self.now
        link.host_has = link.sent_to
        self.controller.step(self.now)
        self.watchdog.feed()

    def look(self):
        self.most = max(self.most, gc.mem_alloc())

    def play(self, event):
        if event[0] != "card":
            self.controller.hardware.take_time()  # as for what the host says and for keys
        records = self.recorder.apply(event)
        if records[0][0] != "event":
            raise ValueError(records[0])
        self.look()
        del records
        self.send()


def run(name):
    """Play the events in a file, one JSON line each; the configuration is its first line."""
    with open(name) as lines:
        table = MeasuredTable(json.loads(lines.readline()))
        gc.collect()
        table.most = table.slowest = table.watchdog.longest = 0
        for line in lines:
            table.play(json.loads(line))
    sys.stdout.write(f"most {table.most} {table.slowest} {table.watchdog.longest}\n")


CARD_BYTES = 21


def deal(pairs, asking):
    """Cards from the reader's UART, each sent when the pin `asking` goes high. The last byte of one is there when
    a pass begins; from then on to the line of its record, microseconds of the slowest."""
    from machine import Pin

    table = MeasuredTable(pairs)
    for event in [["open"]] + [["bet", box, "P1", "initial", 500] for box in range(1, 9)] + [["close"]]:
        table.play(event)
    del table.recorder.journal.storage.append  # looking at memory takes 6 ms
    controller = table.controller
    usb = controller.hardware.usb
    write = usb.write
    said_at = []

    def watched(data):
        if b'"dealt"' in data:
            said_at.append(time.ticks_us())
        return write(data)

    usb.write = watched
    pin = Pin(asking, Pin.OUT, value=0)
    slowest = 0
    for number in range(27):
        for _ in range(3 * (number % 9 + 1)):
            table.step()  # so that cards find more and less garbage
        pin.value(1)
        pin.value(0)
        while controller.reader.port.any() < CARD_BYTES:
            pass
        said_at.clear()
        begun = time.ticks_us()
        table.step()
        if not said_at:
            raise ValueError(controller.recorder.faults)
        slowest = max(slowest, time.ticks_diff(said_at[-1], begun))
    sys.stdout.write(f"slowest {slowest}\n")
