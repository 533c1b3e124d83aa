"""What both runtimes run as a table: recorder, journal and link on a storage in memory."""

import json
import sys
from binascii import hexlify, unhexlify

from firmware.link import Identity, Link
from firmware.module_unload import forget_events
from firmware.recorder import Recorder
from host.simulator.virtual_pico import Memory
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.link.declarations import digest

RULES = "00112233445566778899aabbccddeeff"


class Table:
    """Told what to do step by step, so that both runtimes can be told the same."""

    def __init__(self):
        self.storage = Memory()
        self.nonces = 0
        self.start()

    def start(self):
        sealer = Sealer(bytes(range(32)))
        self.recorder = Recorder(Journal(self.storage, sealer, "T1", 3000), "power", self.random, RULES)
        identity = Identity("T1", "small", RULES, digest(), "0" * 32)
        self.link = Link(self.recorder, sealer, identity, self.random)

    def random(self, count):
        self.nonces += 1
        return bytes([self.nonces] * count)

    def step(self, request):
        """[what, argument, now] -> what the table says then, as text."""
        what, argument, now = json.loads(request)
        if what == "hear":
            self.link.receive(unhexlify(argument), now)
        elif what == "event":
            self.recorder.apply(argument)
            if sys.implementation.name == "micropython":
                forget_events(self.recorder.round.state)  # as on a Pico
        elif what == "restart":
            self.start()
        said = []
        while True:
            line = self.link.output(now)
            if not line:
                break
            said.append(line)
        return hexlify(b"".join(said)).decode()
