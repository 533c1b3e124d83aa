"""A bad line: bytes are dropped, doubled, reordered, delayed and flipped, plugs are pulled, both ends restart.

Whatever happens, once the line is good again the host has exactly the table's records, and every command was
done once and answered, or given up and never done. A schedule is made by its seed alone.
"""

import random

import pytest

from host.simulator.bad_wire import BadWire
from host.table.link import NOT_DONE
from shared.journal.snapshot import plain_config
from shared.round.states import NO_ROUND
from tests.support.campaign import SHORT, parts
from tests.support.linked import Host, Table
from tests.support.tables import LUCKY, MBS, POKER

SCHEDULES = 10_000
PARTS = 1 if SHORT else 8  # a few seeds alone do not say much
CONFIGS = [
    {"game": MBS, "boxes": 2},
    {"game": LUCKY, "boxes": 3},
    {"game": POKER, "boxes": 2, "progressive": {"stake": 500, "contribution": 100, "meter": 10**6, "reset": 500}},
]


class BadLine:
    def __init__(self, seed: str) -> None:
        dice = self.dice = random.Random(seed)
        self.table = Table(dice)
        self.host = Host(dice)
        badness = dice.choice((0.0, 0.02, 0.1, 0.3))
        self.down = BadWire(dice, badness)
        self.up = BadWire(dice, badness)
        self.now = 0
        self.sent = 0
        self.config = dice.choice(CONFIGS)

    def step(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.down.send(self.host.say(self.now), self.now)
        self.table.link.receive(self.down.receive(self.now), self.now)
        self.up.send(self.table.say(self.now, most=self.dice.randint(1, 40)), self.now)
        self.host.hear(self.up.receive(self.now), self.now)

    def trouble(self) -> None:
        dice = self.dice
        if dice.random() < 0.03:
            self.table.link.receive(self.down.unplug(), self.now)
            self.host.hear(self.up.unplug(), self.now)
            if dice.random() < 0.7:
                self.host.link.unplugged()
            if dice.random() < 0.5:
                self.table.link.end_session("unplugged", self.now)
            self.now += dice.randint(0, 5000)
        if dice.random() < 0.01:
            self.table.start("power")
        if dice.random() < 0.01:
            self.host.start()

    def play(self) -> None:
        dice = self.dice
        recorder = self.table.recorder
        link = self.host.link
        if recorder.config is None and link.is_up and not link.commands:
            link.command("staff", "config", plain_config(self.config))
        if dice.random() < 0.4 and recorder.round:
            event = ["open"] if recorder.round.state in NO_ROUND else ["seat", 1, f"P{dice.randrange(9)}", True]
            recorder.apply(event)
        if dice.random() < 0.05:
            link.command("staff", "event", ["seat", 1, f"Q{self.sent}", True])
            self.sent += 1

    def repair(self) -> None:
        self.down.badness = self.up.badness = 0.0
        for _ in range(200):
            if self.agrees():
                return
            self.step(100)
        raise AssertionError("the host never got everything")

    def agrees(self) -> bool:
        link = self.host.link
        return link.is_up and not link.commands and self.host.log.records() == self.table.records()


def run(seed: str) -> BadLine:
    line = BadLine(seed)
    for _ in range(line.dice.randint(5, 60)):
        line.step(line.dice.choice((10, 50, 50, 100, 400)))
        line.play()
        line.trouble()
    line.repair()
    return line


@pytest.mark.parametrize("seeds", parts(SCHEDULES, PARTS), ids=str)
def test_after_any_trouble_the_host_has_exactly_the_table_s_records(seeds):
    delivered = 0
    for seed in seeds:
        try:
            line = run(f"bad line {seed}")
            check_commands(line)
        except Exception as problem:
            raise AssertionError(f"seed: bad line {seed}") from problem
        assert [told for told in line.host.told if told.what == "broken"] == [], f"bad line {seed}"
        delivered += len(line.host.log.lines)
    assert delivered > 20 * len(seeds)


def check_commands(line: BadLine) -> None:
    """Each was done at most once, under its own number, and never if it was given up; the log says the same."""
    records = line.host.log.records()
    ids = [record[1] for record in records if record[0] == "command"]
    assert ids == sorted(set(ids))
    seats = [record[2][2] for record in records if record[0] == "event" and record[2][0] == "seat"]
    staff = [name for name in seats if name.startswith("Q")]
    assert len(staff) == len(set(staff)), "a command was done twice"
    answers = {record[1]: tuple(record[2:]) for record in records if record[0] == "answer"}
    for told in line.host.told:
        if told.what == "answer":
            command, *outcome = told.details
            if outcome[1] == NOT_DONE:
                assert command.name == "config" or command.arguments[2] not in staff
            else:
                assert answers[command.id] == tuple(outcome)
