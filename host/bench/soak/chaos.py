"""A simulated table to which anything may happen at any moment: power, plugs, wires, clocks, and the host itself.

What goes wrong at the devices is the floor's own mischief. One seed gives the same troubles again.
"""

import random
from collections import Counter, deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

from host.log.entries import Record
from host.simulator.bad_wire import BadWire
from host.simulator.floor import DEVICE_FAULTS, LASTING, Floor
from host.simulator.memory_log import MemoryLog
from host.simulator.target import CPythonTarget, Outside, Said, WasmTarget
from host.table.bridge import Bridge
from host.table.link import LinkEvent

TURN = 1 << 30  # milliseconds after which a table's clock turns over
UNDISTURBED_MS = 10_000  # after which nothing of a bad line is still on its way
KEY_MS = 300  # between two keys that are pressed at random
FULL_MS = 150_000  # within which those fill a journal
STUCK_MS = 12_000  # a key held for so long is stuck
ODD_KEY = 0.8  # how often people do that, among other things that they do without a host
BADNESS = (0.02, 0.1, 0.3)
AWAY_MS = 12_000  # for so long at most, longer than either end of the link bears silence
YEAR_S = 31_536_000


class ExposedTable:
    """A target behind wires that can go bad, with a plug that can be pulled and power that can go."""

    def __init__(self, target: CPythonTarget | WasmTarget, dice: random.Random) -> None:
        self.target = target
        self.usb = BadWire(dice, 0.0), BadWire(dice, 0.0)  # to the table, and from it
        self.uarts = tuple(BadWire(dice, 0.0) for _ in range(4))  # to shuffler and reader, and from them
        self.has_power = True
        self.is_plugged = True
        self.switch_on(dice.choice((0, TURN - dice.randint(2_000, 60_000))), 0)
        self.turns = 0  # of its clock

    def switch_on(self, ticks: int, now: int) -> None:
        """Its clock stands at `ticks`."""
        self.ticks_at_zero = ticks - now

    def step(self, now: int, outside: Outside) -> Said:
        to_usb, from_usb = self.usb
        to_shuffler, to_reader, from_shuffler, from_reader = self.uarts
        shuffler = carry(to_shuffler, outside.shuffler, now)
        reader = carry(to_reader, outside.reader, now)
        usb = carry(to_usb, outside.usb, now) if self.is_plugged else b""
        said = Said(b"", b"", b"")
        if self.has_power:
            ticks = self.ticks_at_zero + now
            if ticks >= TURN:
                self.turns += 1
                self.ticks_at_zero -= TURN
            said = self.target.step(ticks % TURN, outside._replace(shuffler=shuffler, reader=reader, usb=usb))
        return Said(
            carry(from_shuffler, said.shuffler, now),
            carry(from_reader, said.reader, now),
            carry(from_usb, said.usb, now) if self.is_plugged else b"",
        )

    def restart(self, now: int) -> None:
        """Switch on again."""
        self.has_power = True
        self.switch_on(0, now)
        self.target.restart(0)

    def unplug(self) -> None:
        self.is_plugged = False
        for wire in self.usb:
            wire.unplug()


def carry(wire: BadWire, data: bytes, now: int) -> bytes:
    """What arrives now; a good wire carries everything at once."""
    if not wire.badness and not wire.pieces:
        return data
    wire.send(data, now)
    return wire.receive(now)


class Chaos(Floor):
    """`make_bridge` starts a host on the log, with the clock that it is given."""

    def __init__(
        self,
        board: ModuleType,
        config: dict[str, Any],
        target: CPythonTarget | WasmTarget,
        make_bridge: Callable[[Callable[[], int]], Bridge],
        log: MemoryLog,
        seed: str,
        mischief: float,
    ) -> None:
        self.fate = random.Random(f"{seed} chaos")
        self.exposed = ExposedTable(target, self.fate)
        self.make_bridge = make_bridge
        self.log = log
        self.jumped = 0  # seconds by which the host's clock is off
        super().__init__(board, config, self.exposed, make_bridge(self.clock), seed, mischief)
        self.has_host = True
        self.is_filling = False  # the journal, as nobody reads it
        self.is_calm = False
        self.trouble_at = self.fate.randint(500, 20_000)
        self.ends: list[tuple[int, Callable[[], None]]] = []  # of troubles that last
        self.troubles: Counter[str] = Counter()
        self.disturbed_at = -UNDISTURBED_MS  # when the line was last bad
        self.told = 0  # commands
        self.events: deque[LinkEvent] = deque()
        self.records: deque[Record] = deque()  # that came, for those who look on

    def clock(self) -> int:
        return self.seconds + self.now // 1000 + self.jumped

    # -- time

    def step(self, milliseconds: int) -> None:
        self.now += milliseconds
        for end in [one for one in self.ends if one[0] <= self.now]:
            self.ends.remove(end)
            end[1]()
        if not self.is_calm and self.now >= self.trouble_at:
            self.trouble_at = self.now + self.fate.randint(500, 20_000)
            self.begin_trouble()
        if any(wire.badness or wire.pieces for wire in self.exposed.usb):
            self.disturbed_at = self.now
        if self.has_host and self.exposed.is_plugged:
            said = self.pass_through(self.bridge.link.output(self.now))
            self.records += self.bridge.receive(said, self.now, self.clock())
        else:
            self.pass_through(b"")
        self.events += self.bridge.link.events
        self.bridge.link.events.clear()
        if self.now >= self.act_at:
            if self.has_host:
                self.act()
            else:
                self.act_alone()

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing on the line can be anything but what the ends said."""
        return self.now - self.disturbed_at >= UNDISTURBED_MS

    def calm_down(self) -> None:
        """Everything works again, and people only look on."""
        self.is_calm = True
        while self.ends:
            self.ends.pop(0)[1]()
        self.act_at = self.now + FULL_MS

    def later(self, at_least: int, at_most: int, end: Callable[[], None]) -> None:
        self.ends.append((self.now + self.fate.randint(at_least, at_most), end))

    def happened(self) -> Counter[str]:
        """How often each kind of trouble came about."""
        found = self.troubles + self.lasting + self.reader.faults.happened
        found["clock_turned_over"] = self.exposed.turns
        return found + (self.shuffler.faults.happened if self.shuffler else Counter())

    # -- people

    def command(self, name: str, arguments: list[Any], who: str = "staff") -> None:
        """Each under its own name, so that it is known again in the log."""
        self.told += 1
        super().command(name, arguments, f"{who} {self.told}")

    def act_alone(self) -> None:
        """Without a host nobody knows how the table stands: any key, any chip, any card."""
        if self.release_at is not None:
            return
        if self.fate.random() < ODD_KEY:
            self.press(self.fate.choice(self.key_names))
        elif self.shoe and not self.shuffler and self.fate.random() < 0.1:
            self.reader.passes(self.shoe.pop())
        else:
            self.sensors[self.fate.randrange(self.board.BOXES * self.board.SPOTS)] ^= 1
        self.act_at = self.now + KEY_MS

    # -- troubles

    def begin_trouble(self) -> None:
        kind = self.fate.choices(tuple(TROUBLES), [WEIGHTS.get(kind, 1.0) for kind in TROUBLES])[0]
        TROUBLES[kind](self)
        self.troubles[kind] += kind != "device"  # the devices count what happens to them

    def cut_power(self) -> None:
        """Between two operations; the host notices at once, or by the silence."""
        self.exposed.has_power = False
        self.lose_table()
        self.later(0, self.fate.choice((0, 1_000, 30_000)), self.switch_on)

    def tear_write(self) -> None:
        """The power goes in the middle of an operation to come, and perhaps once more while the table starts."""
        self.exposed.target.cut_power(self.fate.randint(0, 12), self.fate.randint(0, 7))
        self.later(500, 6_000, self.start_badly if self.fate.random() < 0.3 else self.switch_on)

    def start_badly(self) -> None:
        self.exposed.target.cut_power(self.fate.randint(0, 3), self.fate.randint(0, 7))
        self.lose_table()
        self.exposed.restart(self.now)
        self.troubles["cut_at_start"] += 1
        self.later(100, 3_000, self.switch_on)

    def switch_on(self) -> None:
        self.exposed.target.cut_power(NEVER, 0)
        self.lose_table()
        self.exposed.restart(self.now)

    def lose_table(self) -> None:
        """A table without power takes its USB port along; a short gap may pass unseen."""
        if self.fate.random() < 0.7:
            self.bridge.link.unplugged()

    def pull_plug(self) -> None:
        self.exposed.unplug()
        self.bridge.link.unplugged()
        self.later(100, AWAY_MS, self.plug_in)

    def plug_in(self) -> None:
        self.exposed.is_plugged = True

    def disturb_line(self) -> None:
        badness = self.fate.choice(BADNESS)
        for wire in self.exposed.usb:
            wire.badness = badness
        self.later(1_000, AWAY_MS, self.clear_line)

    def clear_line(self) -> None:
        for wire in self.exposed.usb:
            wire.badness = 0.0

    def disturb_devices(self) -> None:
        self.fate.choice(self.exposed.uarts).badness = self.fate.choice(BADNESS)
        self.later(1_000, AWAY_MS, self.clear_devices)

    def clear_devices(self) -> None:
        for wire in self.exposed.uarts:
            wire.badness = 0.0

    def kill_host(self) -> None:
        """Without a word; what it had not committed is gone."""
        self.has_host = False
        self.later(0, AWAY_MS, self.start_host)

    def stop_host(self) -> None:
        """A clean stop: the table is told."""
        if self.has_host and self.exposed.is_plugged:
            self.pass_through(self.bridge.stop(self.clock()))
        self.has_host = False
        self.later(0, AWAY_MS, self.start_host)

    def start_host(self) -> None:
        if self.is_filling:
            return
        self.bridge = self.make_bridge(self.clock)
        self.has_host = True

    def fill_journal(self) -> None:
        """No host is there until the journal is full."""
        self.has_host = False
        self.is_filling = True
        self.wait_for_full(self.now + FULL_MS)

    def wait_for_full(self, at_most: int) -> None:
        is_full = self.exposed.has_power and self.exposed.target.is_full()
        if self.is_calm or is_full or self.now >= at_most:
            self.troubles["journal_full"] += is_full
            self.later(0, AWAY_MS, self.stop_filling)
        else:
            self.later(3_000, 3_000, lambda: self.wait_for_full(at_most))

    def stop_filling(self) -> None:
        self.is_filling = False
        self.start_host()

    def fill_disk(self) -> None:
        self.log.full = True
        self.later(1_000, 10_000, self.free_disk)

    def free_disk(self) -> None:
        self.log.full = False

    def jump_clock(self) -> None:
        """The host's clock; both ways, by seconds or by a year."""
        most = self.fate.choice((10, 7_200, YEAR_S))
        self.jumped += self.fate.randint(-most, most)

    def trouble_device(self) -> None:
        self.cause(self.fate.choice((*DEVICE_FAULTS, *LASTING)))

    def stick_key(self) -> None:
        self.keys[self.fate.randrange(len(self.keys))] = 0
        self.release_at = self.now + STUCK_MS


NEVER = -1
WEIGHTS = {"device": 4.0, "journal_unread": 0.1}  # against all others; to fill a journal takes minutes
TROUBLES: dict[str, Callable[[Chaos], None]] = {
    "device": Chaos.trouble_device,
    "power_cut": Chaos.cut_power,
    "torn_write": Chaos.tear_write,
    "unplugged": Chaos.pull_plug,
    "bad_line": Chaos.disturb_line,
    "bad_uart": Chaos.disturb_devices,
    "host_killed": Chaos.kill_host,
    "host_stopped": Chaos.stop_host,
    "journal_unread": Chaos.fill_journal,
    "disk_full": Chaos.fill_disk,
    "clock_jump": Chaos.jump_clock,
    "key_stuck": Chaos.stick_key,
}
# What is counted: the devices' troubles, those above, and what some of them led to.
DEVICE_KINDS = (*DEVICE_FAULTS, *LASTING)
OTHER_KINDS = (
    *[kind for kind in TROUBLES if kind != "device"],
    "cut_at_start",
    "journal_full",
    "clock_turned_over",
)
