"""Where the firmware runs: a target takes what the outside does, and returns what the table does."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from host.pico.mpy import compile_room
from host.simulator.virtual_flash import FlashChip
from host.simulator.virtual_pico import SECTOR, Memory, VirtualTable
from host.wasm import MicroPython
from shared.journal.journal import SEGMENTS


class Outside(NamedTuple):
    """What the outside does to the table in one pass."""

    keys: list[int]  # levels, low for a pressed key
    sensors: list[int]  # levels, low for a chip
    plugged: bool  # whether the sensors' cable is in
    shuffler: bytes
    reader: bytes
    usb: bytes


class Said(NamedTuple):
    """What the table says to each of them."""

    shuffler: bytes
    reader: bytes
    usb: bytes


class Target(Protocol):
    def step(self, now: int, outside: Outside) -> Said: ...

    def restart(self, now: int) -> None:
        """Cut the power and switch on again."""
        ...


class Flashed(NamedTuple):
    """What is flashed to a table: its name, its key, and digests of what it runs."""

    table: str
    key: bytes
    rules: str
    firmware: str


def as_plain(now: int, outside: Outside) -> list[Any]:
    """What `VirtualTable.step` takes."""
    return [now, *outside[:3], *(port.hex() for port in outside[3:])]


def as_said(answer: list[str]) -> Said:
    return Said(*map(bytes.fromhex, answer))


class CPythonTarget:
    """The firmware in this process. Its journal has so many `segments`, or it is on a `chip`."""

    def __init__(
        self,
        board: ModuleType,
        identity: Flashed,
        seed: int = 1,
        segments: int = SEGMENTS,
        chip: FlashChip | None = None,
    ) -> None:
        memory = chip or Memory(segments)
        key, name, rules, firmware = identity.key, identity.table, identity.rules, identity.firmware
        self.table = VirtualTable(board, key, name, rules, firmware, seed, memory)

    def step(self, now: int, outside: Outside) -> Said:
        return as_said(self.table.step(*as_plain(now, outside)))

    def restart(self, now: int) -> None:
        self.table.start("power", now)

    def cut_power(self, operations: int, kept: int) -> None:
        """Let the power go after so many flash operations; of the one that comes then `kept` eighths are done."""
        self.table.storage.cut_in, self.table.storage.kept = operations, kept

    def is_full(self) -> bool:
        """Whether the journal has no room for a round."""
        return self.table.is_full()

    def is_off(self) -> bool:
        """Whether its power has gone."""
        return self.table.is_off

    def weaken(self, count: int) -> None:
        """Of the next writes to flash so many are not taken."""
        self.table.storage.weak = count

    def break_flash(self) -> None:
        """Nothing can be written any more, and the table may stop."""
        self.table.may_stop = self.table.storage.is_broken = True

    def flip_bit(self) -> None:
        """A bit of the journal is not as it was written."""
        self.table.storage.flip_bit()

    def hand_over(self) -> list[str]:
        """What `felt flash` has a table do, before other files come."""
        return self.table.hand_over()

    def replace(self, carry: bytes, now: int) -> None:
        """Another Pico, which finds this in the file felt/carry."""
        self.table.storage = FlashChip()
        self.table.carry = carry
        self.table.start("power", now)

    def kept(self) -> list[Any]:
        """What is on flash: number of the first record, of the last one, digest of their lines."""
        return self.table.kept()

    def led(self) -> int:
        """The level of the status LED."""
        return self.table.led()

    def flash(self) -> dict[str, bytes]:
        """The journal's segments."""
        return self.table.storage.contents()


VIRTUAL_PICO = "virtual_pico.py"
START = """
import gc, json
from binascii import hexlify, unhexlify
from virtual_pico import Memory, VirtualTable
board_name, key, name, rules, firmware, seed, segments = json.loads(request)
board = getattr(__import__("boards." + board_name), board_name)
memory = table = None
gc.collect()
memory = Memory(segments)
memory.reserve()
table = VirtualTable(board, unhexlify(key), name, rules, firmware, seed, memory)
def one_step():
    print(json.dumps(table.step(*json.loads(request))), end='')
"""
# What a table loads when it first needs it, and what another one may need.
LOADED_LATE = """
from shared.round import answers, corrections, facts, irregularities, refunds
from shared.rules import apportion
"""
STEP = "one_step()"  # not to be compiled each time
COLLECT = "gc.collect()"
RESTART = "table.start('power', json.loads(request))"
SEGMENT = "print(hexlify(table.storage.read(json.loads(request), 0, 4096)).decode(), end='')"
REPLACE = """
data, now = json.loads(request)
memory = Memory()
memory.reserve()
table.storage, table.carry = memory, unhexlify(data)
table.start("power", now)
"""
CUT = "table.storage.cut_in, table.storage.kept = json.loads(request)"


class WasmTarget:
    """The firmware on real MicroPython, in WebAssembly; `memory` says what its heap holds."""

    def __init__(self, board: ModuleType, identity: Flashed, seed: int = 1, segments: int = SEGMENTS) -> None:
        self.micropython = MicroPython()
        rooms = [compile_room(room) for room in ("shared", "firmware", "boards")]
        self.micropython.install({path: code for room in rooms for path, code in room.items()})
        here = Path(__file__).with_name(VIRTUAL_PICO)
        self.micropython.install({VIRTUAL_PICO: here.read_bytes()})
        self.begin(board, identity, seed, segments)

    def begin(self, board: ModuleType, identity: Flashed, seed: int, segments: int = SEGMENTS) -> None:
        """A new table, in the same MicroPython."""
        flashed = [identity.key.hex(), identity.table, identity.rules, identity.firmware]
        request = [board.NAME, *flashed, seed, segments]
        self.micropython.run(START, json.dumps(request))
        self.passes = 0
        self.reserved = segments * SECTOR

    def __enter__(self) -> "WasmTarget":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.micropython.__exit__(*problem)

    def step(self, now: int, outside: Outside) -> Said:
        self.passes += 1
        # This port collects garbage between calls only.
        code = STEP if self.passes % 50 else STEP + "\n" + COLLECT
        return as_said(json.loads(self.micropython.run(code, json.dumps(as_plain(now, outside)))))

    def restart(self, now: int) -> None:
        self.micropython.run(RESTART, json.dumps(now))

    def cut_power(self, operations: int, kept: int) -> None:
        self.micropython.run(CUT, json.dumps([operations, kept]))

    def is_full(self) -> bool:
        return self.micropython.run("print(table.is_full())").strip() == "True"

    def is_off(self) -> bool:
        return self.micropython.run("print(table.is_off)").strip() == "True"

    def flip_bit(self) -> None:
        self.micropython.run("table.storage.flip_bit()")

    def break_flash(self) -> None:
        self.micropython.run("table.may_stop = table.storage.is_broken = True")

    def hand_over(self) -> list[str]:
        return json.loads(self.micropython.run("print(json.dumps(table.hand_over()))"))

    def replace(self, carry: bytes, now: int) -> None:
        self.micropython.run(REPLACE, json.dumps([carry.hex(), now]))
        self.reserved = SEGMENTS * SECTOR

    def kept(self) -> list[Any]:
        return json.loads(self.micropython.run("print(json.dumps(table.kept()))"))

    def led(self) -> int:
        return int(self.micropython.run("print(table.led())"))

    def flash(self) -> dict[str, bytes]:
        names = json.loads(self.micropython.run("print(json.dumps(table.storage.names()))"))
        return {name: bytes.fromhex(self.micropython.run(SEGMENT, json.dumps(name))) for name in names}

    def load_all(self) -> None:
        """Load now what a table loads when it first needs it, so that memory can be compared over time."""
        self.micropython.run(LOADED_LATE)

    def memory(self) -> int:
        """Bytes of heap in use after a collection, without those of the flash."""
        self.micropython.run(COLLECT)
        return int(self.micropython.run("gc.collect()\nprint(gc.mem_alloc())")) - self.reserved


MakeTarget = Callable[[ModuleType, Flashed, int], Target]
