"""The targets of scenarios. Each starts with a table's configuration, takes a scenario's events one by one, and
gives the records that each caused.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from host.bench.emulated import EmulatedPicos
from host.bench.firmware_target import FirmwareTarget, Said
from host.bench.outcomes import CannotPlay
from host.bench.picos import CPYTHON, CPythonPicos, MicroPythonPicos, Picos
from host.bench.troubles.phrases import ACTS, ONLY_A_TABLE
from host.pico.images import cache_folder, newest_image
from host.table.view import ViewKeeper
from shared.journal.snapshot import CONFIGURED, standing_records
from shared.round.round import Round


class Target(Protocol):
    """After `close` it can be started again."""

    @property
    def name(self) -> str: ...

    @property
    def runtime(self) -> str:
        """What the product runs on, with its version."""
        ...

    is_slow: bool  # scenarios are played in processes of their own, several at once
    board: str
    wire: list[Said]  # what went over the wires, and
    records: list[list[Any]]  # what was written, since the start
    keeper: ViewKeeper  # follows the records, for the LED picture

    def prepare(self, config: dict[str, Any]) -> None:
        """What scenarios share that are played in processes of their own."""
        ...

    def start(self, config: dict[str, Any]) -> None: ...

    def apply(self, event: dict[str, Any]) -> list[list[Any]]: ...

    def close(self) -> None: ...


class CoreTarget:
    """The rules core in this process, as `felt round --scenario` plays it."""

    name = "core"
    board = "none"

    runtime = CPYTHON
    is_slow = False

    def __init__(self) -> None:
        self.wire: list[Said] = []
        self.records: list[list[Any]] = []
        self.keeper = ViewKeeper()

    def prepare(self, config: dict[str, Any]) -> None:
        """Scenarios share nothing."""

    def start(self, config: dict[str, Any]) -> None:
        self.round = Round(config)
        self.keeper = ViewKeeper()
        self.records = []
        self.keep(standing_records(CONFIGURED, config, self.round, 0, (), []))

    def keep(self, records: list[list[Any]]) -> None:
        self.records += records
        for record in records:
            self.keeper.take(record)

    def apply(self, event: dict[str, Any]) -> list[list[Any]]:
        if event["event"] in ACTS:
            raise CannotPlay(ONLY_A_TABLE)
        records = self.round.apply(event)
        self.keep(records)
        return records

    def close(self) -> None:
        """Nothing is open."""


def open_target(name: str, firmware: str, seed: int = 1, image: Path | None = None) -> Target:
    """A target by its name; `firmware` is the digest of what is tested (the rules core has none), `image` the
    MicroPython of emulated Picos. ImageError if there is none."""
    if name == CoreTarget.name:
        return CoreTarget()
    if name == EMULATOR:
        picos = EmulatedPicos(image or newest_image(cache_folder(), board=None))
        return FirmwareTarget(name, picos, firmware, seed, is_slow=True)
    return FirmwareTarget(name, VIRTUAL[name](), firmware, seed)


EMULATOR = "emulator"
VIRTUAL: dict[str, Callable[[], Picos]] = {"cpython": CPythonPicos, "micropython": MicroPythonPicos}
TARGETS = (CoreTarget.name, *VIRTUAL, EMULATOR)
