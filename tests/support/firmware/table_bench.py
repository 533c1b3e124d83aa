"""A virtual table on the test bench: its devices, a host, and somebody who does what a test says."""

import random
from typing import Any

from boards import small
from host.simulator.devices import READERS, Shuffler
from host.simulator.virtual_pico import Memory, VirtualTable
from shared.journal.snapshot import plain_config
from shared.journal.wire import decode
from shared.rules import cards
from shared.values import since
from tests.support.linked import DONE, FIRMWARE, KEY, RULES, Host
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

STEP_MS = 10
PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 50_000}
MAIN = {LUCKY: "initial", NON_COMMISSION: "initial", MBS: "main", ROYAL: "main", POKER: "ante"}
CARDS = "KS QS 9D 2C 3C 5C 8D 6D 4H"  # for box 1, box 2 and the dealer
PAIRS = "KS KD 9D 8C 8D 4C 5D 6H TC"  # both boxes hold a pair


class Bench:
    """A table with its devices and a host, and somebody who does what a test says.

    `now` is how long the table has been on, in milliseconds.
    """

    def __init__(self, game=MBS, board: Any = small, storage=None, configured=True, linked=True, now=0, **config):
        dice = random.Random("bench")
        self.board = board
        self.now = now
        self.table = VirtualTable(board, KEY, "T1", RULES, FIRMWARE, storage=storage)
        self.host = Host(dice)
        self.linked = linked
        self.keys = [1] * len(board.KEYS)
        self.sensors = [1] * (8 * board.REGISTERS[3] if board.REGISTERS else board.BOXES * board.SPOTS)
        self.plugged = True
        self.reader: Any = READERS[config.get("reader", "felt")](dice)
        self.shuffler: Any = None if config.get("reader") == "angel_eye" else Shuffler(dice, self.reader)
        self.heard = (b"", b"")  # by shuffler and reader
        if configured:
            config = {"game": game, "boxes": 2} | config
            if game == POKER:
                config["progressive"] = PROGRESSIVE
            self.recorder.command(1, "staff", "config", plain_config(config))
            self.run(2000)

    @property
    def controller(self):
        return self.table.controller

    @property
    def recorder(self):
        return self.controller.recorder

    @property
    def round(self) -> Any:
        return self.recorder.round

    # -- time

    def step(self):
        self.now += STEP_MS
        hardware = self.table.hardware
        hardware.set_keys(self.keys)
        hardware.set_sensors(self.sensors)
        if hardware.chain:
            hardware.chain.plugged = self.plugged
        if self.shuffler:
            hardware.shuffler_port.incoming += self.shuffler.step(self.heard[0], self.now)
        hardware.reader_port.incoming += self.reader.step(self.heard[1], self.now)
        if self.linked:
            hardware.usb.incoming += self.host.say(self.now)
        self.controller.step(since(0, self.now))
        self.heard = (hardware.shuffler_port.take(), hardware.reader_port.take())
        said = hardware.usb.take()
        if self.linked:
            self.host.hear(said, self.now)

    def run(self, milliseconds):
        for _ in range(0, milliseconds, STEP_MS):
            self.step()

    def run_until(self, is_so, at_most=20_000):
        for _ in range(0, at_most, STEP_MS):
            if is_so():
                return
            self.step()
        raise AssertionError(f"not within {at_most} ms; the round is {self.round.state}, {self.recorder.faults}")

    def restart(self):
        """Cut the power and switch on again; what was on the wires is lost, the devices have their own power."""
        self.table.start("power", self.now)
        self.heard = (b"", b"")

    # -- people

    def touch(self, key):
        place = [name for name, _ in self.board.KEYS].index(key)
        self.keys[place] = 0
        self.run(50)
        self.keys[place] = 1
        self.run(50)

    def press(self, key):
        """Press a key; returns the records that follow, without times."""
        before = self.last_number()
        self.touch(key)
        return [record for record in self.records(before + 1) if record[0] != "clock"]

    def chip(self, box, spot, there=True):
        """Lay a chip, or take it away, and wait until it is believed; returns the records that follow."""
        before = self.last_number()
        self.sensors[(box - 1) * self.board.SPOTS + spot] = 0 if there else 1
        self.run(150)
        return [record for record in self.records(before + 1) if record[0] != "clock"]

    def command(self, name, *arguments):
        """What the host says; returns the answer."""
        before = len(self.host.answers())
        self.host.link.command("staff", name, list(arguments))
        self.run_until(lambda: len(self.host.answers()) > before)
        return self.host.answers()[-1][1:]

    def tell(self, *event):
        """An event that must be accepted, from the host if there is one."""
        if self.linked:
            assert self.command("event", *event) == DONE
        else:
            assert self.recorder.apply(list(event))[0][0] == "event"

    def clear(self, code):
        assert self.command("clear", code, "pit_supervisor") == DONE

    def open_with_bets(self, order=CARDS, cents=500):
        """Open, with the main wager on both boxes and its chips, and the cards in this order."""
        self.stack(order)
        self.press("open")
        for box in (1, 2):
            self.chip(box, 0)
            self.tell("bet", box, f"P{box}", self.round.book.WAGERS[0].name, cents)

    def stack(self, order):
        """Have the shuffler deal these cards first."""
        if self.shuffler:
            self.shuffler.first = order.split()
            self.shuffler.shuffle()

    # -- what is known afterwards

    def last_number(self):
        return self.recorder.journal.chain.number

    def records(self, first=1):
        return [decode(line)[3] for line in self.recorder.journal.lines_from(first)]

    def of_kind(self, *kinds):
        return [record for record in self.records() if record[0] in kinds]

    def events(self):
        return [record[2] for record in self.of_kind("event")]

    def hands(self):
        """The hands as one text, in the order of the deal."""
        return " ".join(cards.text(card) for place in (1, 2, 0) for card in self.round.hands.get(place, []))

    def held(self, place):
        return len(self.round.hands.get(place, []))


class Failing(Memory):
    """A flash that stops taking bytes; of what it fails at, half may be there."""

    fails = False
    half = False

    def append(self, name, data):
        if self.fails:
            if self.half:
                super().append(name, data[: len(data) // 2])
            raise OSError(5, "EIO")
        super().append(name, data)


# -- what can go wrong with devices, and mending it


def shuffler_says(text):
    return lambda bench: bench.shuffler.say(text)


def reader_says(text):
    return lambda bench: bench.reader.say(text)


def order(device, fault):
    return lambda bench: setattr(getattr(bench, device).faults, fault, True)


def pull_the_cable(bench):
    bench.plugged = False


def hold_a_key(bench):
    bench.keys[3] = 0  # settle


FAULTS = [
    ("shuffler_silent", order("shuffler", "silent"), ""),
    ("shuffler_nonsense", order("shuffler", "noisy"), ""),
    ("shuffler_jam", shuffler_says("JAM"), ""),
    ("shuffler_jam", shuffler_says("JAM AT THE EXIT"), "AT THE EXIT"),
    ("shuffler_door", lambda bench: bench.shuffler.open_door(), ""),
    ("shuffler_empty", lambda bench: bench.shuffler.run_out(), ""),
    ("shuffler_count", shuffler_says("COUNT 51"), "51"),
    ("reader_silent", order("reader", "silent"), ""),
    ("reader_nonsense", order("reader", "noisy"), ""),
    ("reader_error", reader_says("ERROR 7 LAMP"), "7 LAMP"),
    ("sensors_unplugged", pull_the_cable, ""),
    ("key_stuck", hold_a_key, "settle"),
]


def repair(bench):
    for device in (bench.shuffler, bench.reader):
        device.faults.silent = device.faults.noisy = False
    bench.shuffler.free()
    bench.plugged = True
    bench.keys = [1] * len(bench.keys)
    bench.run(2000)


def finish_deal(bench):
    """Let the deal go on to its end; whatever is left to do is done."""
    bench.run_until(lambda: bench.round.state not in ("closed", "dealing"))
    bench.run(3000)
    assert bench.recorder.faults == []
