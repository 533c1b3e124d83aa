"""A table and a host with a wire between them, in virtual time, and whatever a wire can do to bytes."""

import random
from typing import Any

from firmware.link import Identity, Link
from firmware.recorder import Recorder
from host.simulator.memory_log import MemoryLog
from host.table.link import HostLink, LinkEvent
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import decode
from shared.link.declarations import digest
from tests.support.storage import Storage

KEY = bytes(range(32))
RULES = "00112233445566778899aabbccddeeff"
FIRMWARE = "ffeeddccbbaa99887766554433221100"
NOON = 1_790_000_000
DONE = (True, "", None, [])


def not_done(code: str, *detail: Any, paragraph: str | None = None) -> tuple[Any, ...]:
    """The answer to a command that was refused."""
    return False, code, paragraph, list(detail)


class Table:
    """A table that can be switched off and on; its journal survives."""

    def __init__(self, dice: random.Random, key: bytes = KEY, name: str = "T1", rules: str = RULES) -> None:
        self.dice = dice
        self.sealer = Sealer(key)
        self.storage = Storage()
        self.identity = Identity(name, "small", rules, digest(), FIRMWARE)
        self.start("power")

    def start(self, cause: str) -> None:
        self.journal = Journal(self.storage, self.sealer, self.identity.table)
        self.recorder = Recorder(self.journal, cause, self.dice.randbytes, self.identity.rules)
        self.link = Link(self.recorder, self.sealer, self.identity, self.dice.randbytes)

    def say(self, now: int, most: int = 40) -> bytes:
        lines = []
        while len(lines) < most and (line := self.link.output(now)):
            lines.append(line)
        return b"".join(lines)

    def records(self) -> list[list[Any]]:
        return [decode(line)[3] for line in self.journal.lines_from(1)]


class Host:
    def __init__(self, dice: random.Random, key: bytes = KEY, name: str = "T1", rules: str = RULES) -> None:
        self.dice = dice
        self.sealer = Sealer(key)
        self.log = MemoryLog()
        self.name = name
        self.rules = rules
        self.told: list[LinkEvent] = []
        self.start()

    def start(self) -> None:
        self.link = HostLink(self.log.end, self.sealer, self.name, self.rules, self.dice.randbytes, lambda: NOON)

    def hear(self, data: bytes, now: int) -> None:
        self.link.receive(data, now)
        self.told += self.link.events
        self.link.events.clear()
        while self.link.records:
            record = self.link.records.popleft()
            self.log.lines.append(record.line)
            self.link.committed(record.number)

    def say(self, now: int) -> bytes:
        return self.link.output(now)

    def answers(self) -> list[tuple[Any, ...]]:
        return [(told.details[0].name, *told.details[1:]) for told in self.told if told.what == "answer"]


class Pair:
    """Both on a perfect wire: `run(ms)` lets time pass."""

    def __init__(self, seed: str = "pair", **changes: Any) -> None:
        dice = random.Random(seed)
        self.table = Table(dice)
        self.host = Host(dice, **changes)
        self.now = 0
        self.heard_by_table: list[bytes] = []
        self.heard_by_host: list[bytes] = []

    def run(self, milliseconds: int, step: int = 50) -> None:
        for _ in range(0, milliseconds, step):
            self.now += step
            down = self.host.say(self.now)
            self.heard_by_table += down.splitlines()
            self.table.link.receive(down, self.now)
            up = self.table.say(self.now)
            self.heard_by_host += up.splitlines()
            self.host.hear(up, self.now)

    def command(self, name: str, arguments: list[Any], who: str = "dealer 1") -> tuple[Any, ...]:
        """Send a command and wait for its answer."""
        before = len(self.host.answers())
        self.host.link.command(who, name, arguments)
        self.run(1000)
        answers = self.host.answers()[before:]
        assert len(answers) == 1, answers
        return answers[0][1:]
