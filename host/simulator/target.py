"""Where the firmware runs: a target takes what the outside does, and returns what the table does."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from host.pico.mpy import compile_room
from host.simulator.virtual_pico import VirtualTable
from host.wasm import MicroPython


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
    """The firmware in this process."""

    def __init__(self, board: ModuleType, identity: Flashed, seed: int = 1) -> None:
        self.table = VirtualTable(board, identity.key, identity.table, identity.rules, identity.firmware, seed)

    def step(self, now: int, outside: Outside) -> Said:
        return as_said(self.table.step(*as_plain(now, outside)))

    def restart(self, now: int) -> None:
        self.table.start("power", now)


VIRTUAL_PICO = "virtual_pico.py"
START = """
import gc, json
from binascii import unhexlify
from virtual_pico import VirtualTable
board_name, key, name, rules, firmware, seed = json.loads(request)
board = getattr(__import__("boards." + board_name), board_name)
table = VirtualTable(board, unhexlify(key), name, rules, firmware, seed)
"""
STEP = "print(json.dumps(table.step(*json.loads(request))), end='')"
COLLECT = "gc.collect()"
RESTART = "table.start('power', json.loads(request))"


class WasmTarget:
    """The firmware on real MicroPython, in WebAssembly; `memory` says what its heap holds."""

    def __init__(self, board: ModuleType, identity: Flashed, seed: int = 1) -> None:
        self.micropython = MicroPython()
        rooms = [compile_room(room) for room in ("shared", "firmware", "boards")]
        self.micropython.install({path: code for room in rooms for path, code in room.items()})
        here = Path(__file__).with_name(VIRTUAL_PICO)
        self.micropython.install({VIRTUAL_PICO: here.read_bytes()})
        self.begin(board, identity, seed)

    def begin(self, board: ModuleType, identity: Flashed, seed: int) -> None:
        """A new table, in the same MicroPython."""
        request = [board.NAME, identity.key.hex(), identity.table, identity.rules, identity.firmware, seed]
        self.micropython.run(START, json.dumps(request))
        self.passes = 0

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

    def memory(self) -> int:
        """Bytes of heap in use after a collection."""
        self.micropython.run(COLLECT)
        return int(self.micropython.run("gc.collect()\nprint(gc.mem_alloc())"))

    def stored(self) -> int:
        """Bytes of heap that the journal takes, which on a table would be on flash."""
        return int(
            self.micropython.run("print(sum([table.storage.size(name) for name in table.storage.names()]))")
        )


MakeTarget = Callable[[ModuleType, Flashed, int], Target]
