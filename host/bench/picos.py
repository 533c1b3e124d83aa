"""What the firmware runs on for scenarios: this process, or MicroPython in WebAssembly; each has a new table."""

import platform
import random
from types import ModuleType
from typing import Protocol

from host.bench.outcomes import Differs
from host.simulator.target import CPythonTarget, Flashed, Target, WasmTarget
from host.simulator.virtual_flash import FlashChip

CPYTHON = f"CPython {platform.python_version()}"


class Picos(Protocol):
    """What the firmware runs on, a new one for each scenario."""

    runtime: str
    takes_time: bool  # what a pass causes may come after it
    crash: type[Exception]  # what an error in a pass is: Differs if it is the firmware's
    is_live: bool  # time passes there also while nobody looks

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        """What scenarios share that are played in processes of their own."""
        ...

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> Target: ...

    def flashed_as(self, flashed: Flashed) -> Flashed:
        """What is flashed to them: as they are told, but for a key of their own."""
        ...

    def boots_as(self, board: ModuleType, flashed: Flashed) -> str:
        """The digest by which the table names its firmware when it starts."""
        ...

    def close(self) -> None: ...


class VirtualPicos:
    """The firmware without a Pico: it is told what it is."""

    takes_time = False
    crash: type[Exception] = Differs
    is_live = False

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        """They have nothing to share."""

    def flashed_as(self, flashed: Flashed) -> Flashed:
        return flashed

    def boots_as(self, board: ModuleType, flashed: Flashed) -> str:
        return flashed.firmware


class CPythonPicos(VirtualPicos):
    """Each with its journal in a ring of flash, which is made once for all."""

    runtime = CPYTHON
    blank: FlashChip | None = None

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> Target:
        if self.blank is None:
            self.blank = FlashChip()
            self.blank.open_storage(random.Random(seed).randbytes)
        return CPythonTarget(board, flashed, seed, chip=self.blank.copy())

    def close(self) -> None:
        """They are objects of this process."""


class MicroPythonPicos(VirtualPicos):
    """All in one process of MicroPython, as a new one takes as long as many scenarios."""

    def __init__(self) -> None:
        self.runtime = "MicroPython"
        self.running: WasmTarget | None = None

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> Target:
        if self.running:
            self.running.begin(board, flashed, seed)
        else:
            self.running = WasmTarget(board, flashed, seed)
            version = self.running.micropython.run("import sys; print(sys.version)").strip()
            self.runtime = f"{version.partition('; ')[2]}, WebAssembly"
        return self.running

    def close(self) -> None:
        if self.running:
            running, self.running = self.running, None
            running.__exit__()
