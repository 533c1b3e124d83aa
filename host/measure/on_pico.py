"""Runs on the Pico: plays a full round at a table and says how much of the heap was ever taken, garbage included.

Compiled and laid there by host/measure/pico.py, because what the console compiles would take room itself.
"""

import gc
import json
import os
import sys

import rp2

import firmware.boot  # noqa: F401 (as when a table starts; make_room forgets it)
from boards import full
from firmware.controller import Controller
from firmware.link import Identity, Link
from firmware.loop import make_room
from firmware.pico import PicoHardware
from firmware.recorder import Recorder
from shared.journal.journal import Journal
from shared.journal.ring import Ring
from shared.journal.ring_making import read_map
from shared.journal.seal import Sealer
from shared.link.session import Session


class WatchedRing(Ring):
    """Has a look before every write, where the most is in memory."""

    def append(self, name, data):
        self.watch()
        super().append(name, data)

    def watch(self):
        """Nobody has asked yet."""


def open_ring():
    """The table's own ring, emptied."""
    generation, blocks = read_map(open) or (0, [])
    ring = WatchedRing(rp2.Flash(), generation, blocks)
    for name in ring.names():
        ring.remove(name)
    return ring


class MeasuredTable:
    def __init__(self, pairs):
        sealer = Sealer(bytes(range(32)))
        self.most = 0
        ring = open_ring()
        ring.watch = self.look
        journal = Journal(ring, sealer, "T1")
        digest = "0" * 32
        self.recorder = Recorder(journal, "power", os.urandom, digest)
        self.link = Link(self.recorder, sealer, Identity("T1", "full", digest, digest, digest), os.urandom)
        self.controller = Controller(self.recorder, self.link, PicoHardware(full), 0)
        make_room()
        done, why, _, _ = self.recorder.command(1, "measure", "config", pairs)
        if not done:
            raise ValueError(why)  # an assertion is not there on a Pico
        # A host that takes every record at once.
        self.link.session = Session(sealer, b"hello", b"hi", "table", "host")
        self.link.hello_after = None
        self.now = 0
        self.send()

    def send(self):
        """Pass until all records are sent."""
        link = self.link
        while link.sent_to < self.recorder.journal.chain.number:
            self.now += 20
            link.heard_at = link.beat_at = self.now
            link.host_has = link.sent_to
            self.controller.step(self.now)
            self.look()

    def look(self):
        self.most = max(self.most, gc.mem_alloc())

    def play(self, event):
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
        table.most = 0
        for line in lines:
            table.play(json.loads(line))
    sys.stdout.write(f"most {table.most}\n")
