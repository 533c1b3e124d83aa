"""A Pico's pins and ports in memory, under the unchanged firmware. Runs on CPython and on MicroPython alike.

Each pass takes what the outside does (levels, bytes) and returns what the table does, so the outside can be in
another process or another runtime.
"""

from binascii import hexlify, unhexlify
from hashlib import sha256
from io import BytesIO

from firmware.controller import Controller
from firmware.drivers.inputs import BetSensors, DirectPins, Keys
from firmware.drivers.led import StatusLed
from firmware.drivers.shift_registers import ShiftRegisters
from firmware.link import Identity, Link
from firmware.recorder import Recorder
from shared.journal.carry import take_carry
from shared.journal.journal import SEGMENTS, Journal
from shared.journal.seal import Sealer
from shared.link.declarations import digest


class Pin:
    """An input or output; high until it is pulled down."""

    def __init__(self):
        self.level = 1

    def value(self, level=None):
        if level is None:
            return self.level
        self.level = level
        return None


class WatchedPin(Pin):
    """An output that tells of each change."""

    def __init__(self, tell):
        super().__init__()
        self.tell = tell

    def value(self, level=None):
        if level is None:
            return self.level
        if level != self.level:
            self.level = level
            self.tell(level)
        return None


class ClockPin:
    """An output that counts how often it rose; it is the pin that changes most."""

    def __init__(self):
        self.level = 1
        self.rises = 0

    def value(self, level):
        if level > self.level:
            self.rises += 1
        self.level = level


class RegisterChain:
    """A chain of 74HC165; `inputs` are the levels of its input lines, low for a chip. It is its own data pin."""

    def __init__(self, count):
        self.inputs = [1] * (8 * count)
        self.plugged = True
        self.shifting = ()
        self.latch = WatchedPin(self.latched)
        self.clock = ClockPin()

    def latched(self, level):
        if not level:
            self.shifting = tuple(self.inputs)
            self.clock.rises = 0

    def value(self):
        """The level at its end: the far end is wired to ground, and the pull-up of an unplugged one wins."""
        if not self.plugged:
            return 1
        place = self.clock.rises
        return self.shifting[place] if place < len(self.shifting) else 0


class Port:
    """A UART or the USB port: bytes both ways."""

    def __init__(self):
        self.incoming = b""
        self.outgoing = b""

    def any(self):
        return len(self.incoming)

    def readinto(self, buffer):
        count = min(len(buffer), len(self.incoming))
        buffer[:count] = self.incoming[:count]
        self.incoming = self.incoming[count:]
        return count or None

    def read(self):
        data, self.incoming = self.incoming, b""
        return data

    def write(self, data):
        self.outgoing += data
        return len(data)

    def take(self):
        data, self.outgoing = self.outgoing, b""
        return data


class PowerCut(BaseException):
    """The power goes in the middle of an operation; the firmware must not handle it as an error of its own."""


SECTOR = 4096
FREE = -1


class Flash:
    """`cut_in` says after how many more operations the power goes, -1 that it stays. Of what is being written
    then `kept` eighths are there.
    """

    def __init__(self):
        self.cut_in = -1
        self.kept = 0
        self.is_off = False
        self.weak = 0  # how many of the next writes are not taken
        self.is_broken = False  # nothing can be written or erased any more

    def is_cut(self):
        """Whether the power goes at this operation; without power there are no more."""
        if self.is_off:
            raise PowerCut()
        if self.is_broken:
            raise OSError("the flash is broken")
        self.is_off = self.cut_in == 0
        if self.cut_in >= 0:
            self.cut_in -= 1
        return self.is_off


class Memory(Flash):
    """The flash as segments in memory; what was appended survives a power cut.

    Once all of it is reserved, the heap in use no longer depends on how full the flash is.
    """

    def __init__(self, capacity=SEGMENTS):
        super().__init__()
        self.capacity = capacity
        self.numbers = []  # of the segment in each place, as its name says; FREE if there is none
        self.sizes = []
        self.sectors = []

    def reserve(self):
        while len(self.sectors) < self.capacity:
            self.add_place()

    def add_place(self):
        self.numbers.append(FREE)
        self.sizes.append(0)
        self.sectors.append(bytearray(SECTOR))

    def is_last(self, name):
        """The newest segment is asked for most, and stands last if nothing is reserved."""
        return bool(self.numbers) and self.numbers[-1] == int(name)

    def has(self, name):
        return self.is_last(name) or int(name) in self.numbers

    def place_of(self, name):
        return len(self.numbers) - 1 if self.is_last(name) else self.numbers.index(int(name))

    def names(self):
        return [f"{number:08d}" for number in self.numbers if number != FREE]

    def size(self, name):
        return self.sizes[self.place_of(name)] if self.has(name) else 0

    def read(self, name, start, count):
        place = self.place_of(name)
        return bytes(memoryview(self.sectors[place])[start : min(start + count, self.sizes[place])])

    def contents(self):
        return {name: self.read(name, 0, SECTOR) for name in self.names()}

    def append(self, name, data):
        is_cut = self.is_cut()
        if is_cut:
            data = data[: len(data) * self.kept // 8]
        if not self.has(name):
            if FREE not in self.numbers:
                self.add_place()
            place = self.numbers.index(FREE)
            self.numbers[place], self.sizes[place] = int(name), 0
        place = self.place_of(name)
        start = self.sizes[place]
        if start + len(data) > SECTOR:
            raise OSError("a segment is larger than a sector")
        self.sectors[place][start : start + len(data)] = data
        self.sizes[place] += len(data)
        if is_cut:
            raise PowerCut()

    def flip_bit(self):
        """One of the newest segment is not as it was written."""
        self.sectors[self.numbers.index(max(self.numbers))][100] ^= 1

    def remove(self, name):
        is_cut = self.is_cut()
        if not is_cut or self.kept:
            self.numbers[self.place_of(name)] = FREE
        if is_cut:
            raise PowerCut()

    def ready(self):
        return self.capacity

    def prepare(self):
        return False


class VirtualHardware:
    """What the firmware is handed, built by a board's constants as on a real Pico."""

    def __init__(self, board):
        self.board = board
        names = [name for name, _ in board.KEYS]
        self.key_pins = [Pin() for _ in names]
        self.keys = Keys(names, self.key_pins)
        self.chain = None
        if board.REGISTERS:
            chain = self.chain = RegisterChain(board.REGISTERS[3])
            source = ShiftRegisters(chain.latch, chain.clock, chain, board.REGISTERS[3])
        else:
            self.sensor_pins = [Pin() for pins in board.SENSORS for _ in pins]
            source = DirectPins(self.sensor_pins)
        self.sensors = BetSensors(source, board.BOXES, board.SPOTS)
        self.led = StatusLed(Pin())
        self.usb = Port()
        self.shuffler_port = Port()
        self.reader_port = Port()
        self.problem = None

    def open_shuffler(self, baud):
        return self.shuffler_port if self.board.SHUFFLER else None

    def open_reader(self, baud):
        return self.reader_port if self.board.READER else None

    def take_time(self):
        pass

    def hurry(self):
        """Virtual time has no need to hurry."""

    def rest(self, collect):
        pass

    def make_room(self, state):
        """There is enough of it."""

    def report(self, problem):
        self.problem = problem

    def set_keys(self, levels):
        for place in range(len(self.key_pins)):
            self.key_pins[place].level = levels[place]

    def set_sensors(self, levels):
        if self.chain:
            self.chain.inputs = list(levels)
            return
        for place in range(len(self.sensor_pins)):
            self.sensor_pins[place].level = levels[place]


class VirtualTable:
    """A table in virtual time. `step` takes and returns plain values, so that another runtime can call it."""

    def __init__(self, board, key, table, rules, firmware, seed=1, storage=None, carry=b""):
        self.board = board
        self.sealer = Sealer(key)
        self.identity = Identity(table, board.NAME, rules, digest(), firmware)
        self.storage = storage or Memory()
        self.carry = carry  # the file felt/carry of a Pico that replaces another
        self.seed = seed
        self.may_stop = False  # by a fault that it cannot record
        self.start("power", 0)

    def start(self, cause, now):
        """Switch on; what was not on flash is lost."""
        self.is_off = self.storage.is_off = False
        try:
            self.switch_on(cause, now)
        except PowerCut:
            self.is_off = True

    def switch_on(self, cause, now):
        self.hardware = VirtualHardware(self.board)
        journal, more = self.open_journal()
        recorder = Recorder(journal, cause, self.random, self.identity.rules, more, self.identity.firmware)
        link = Link(recorder, self.sealer, self.identity, self.random)
        self.controller = Controller(recorder, link, self.hardware, now)

    def open_journal(self):
        """As firmware/boot.py: the journal, and records to be written first if the table brought some along."""
        journal = Journal(self.opened_storage(), self.sealer, self.identity.table)
        if not self.carry:
            return journal, []
        note = take_carry(journal, BytesIO(self.carry))
        self.carry = b""
        return journal, [note] if note else []

    def opened_storage(self):
        """As it is found at a start."""
        open_storage = getattr(self.storage, "open_storage", None)
        return open_storage(self.random) if open_storage else self.storage

    def random(self, count):
        """Nonces from a plain generator: the runs of a virtual table must be repeatable."""
        made = bytearray()
        for _ in range(count):
            self.seed = (self.seed * 1103515245 + 12345) % (1 << 31)
            made.append(self.seed >> 16 & 255)
        return bytes(made)

    def step(self, now, keys, sensors, plugged, shuffler, reader, usb):
        """One pass; ports as hex. Returns [to the shuffler, to the reader, to the host] as hex."""
        if self.is_off:
            return ["", "", ""]
        hardware = self.hardware
        hardware.set_keys(keys)
        hardware.set_sensors(sensors)
        if hardware.chain:
            hardware.chain.plugged = plugged
        hardware.shuffler_port.incoming += unhexlify(shuffler)
        hardware.reader_port.incoming += unhexlify(reader)
        hardware.usb.incoming += unhexlify(usb)
        try:
            self.controller.step(now)
        except PowerCut:
            self.is_off = True  # what went out before it is on its way
        if hardware.problem and not self.may_stop:
            raise hardware.problem
        ports = (hardware.shuffler_port, hardware.reader_port, hardware.usb)
        return [hexlify(port.take()).decode() for port in ports]

    def is_full(self):
        """Whether the journal has no room for a round."""
        return not self.is_off and not self.controller.recorder.journal.has_room_for_round()

    def kept(self):
        """What is on flash: [number of the first record, of the last one, digest of their lines]."""
        journal = Journal(self.opened_storage(), self.sealer, self.identity.table)
        first = journal.first()
        digest = sha256()
        for line in journal.lines_from(first):
            digest.update(line)
        return [first, journal.chain.number, hexlify(digest.digest()).decode()]

    def hand_over(self):
        """As `felt flash` has it do, before other files come."""
        from firmware.handover import hand_over

        identity = self.identity
        names = (self.sealer, identity.table, self.random, identity.rules, identity.firmware)
        return list(hand_over(self.opened_storage(), *names))

    def led(self):
        """The level of the status LED."""
        return self.hardware.led.pin.level
