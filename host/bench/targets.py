"""The targets of scenarios. Each starts with a table's configuration, takes a scenario's events one by one, and
gives the records that each caused.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from host.bench.emulated import EmulatedPicos
from host.bench.firmware_target import FirmwareTarget, Said
from host.bench.hardware.identity import PairAbsent
from host.bench.outcomes import CannotPlay
from host.bench.picos import CPYTHON, CPythonPicos, MicroPythonPicos, Picos
from host.bench.rigged import EmulatedPairs, real_pair
from host.bench.troubles.phrases import ACTS, ONLY_A_TABLE
from host.pico.images import cache_folder, cached_images, newest_image
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


class AbsentTarget:
    """A target that is not there: every scenario is skipped on it, for the same reason."""

    board = "none"
    runtime = "not there"
    is_slow = False

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why
        self.wire: list[Said] = []
        self.records: list[list[Any]] = []
        self.keeper = ViewKeeper()

    def prepare(self, config: dict[str, Any]) -> None:
        """Nothing is there to be prepared."""

    def start(self, config: dict[str, Any]) -> None:
        raise CannotPlay(self.why)

    def apply(self, event: dict[str, Any]) -> list[list[Any]]:
        raise CannotPlay(self.why)

    def close(self) -> None:
        """Nothing is open."""


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


class Places(NamedTuple):
    """Where targets are that are not in this process; None is wherever they are found."""

    image: Path | None = None  # MicroPython for emulated Picos
    rig_port: str | None = None
    table_port: str | None = None


ANYWHERE = Places()


def open_target(name: str, firmware: str, seed: int = 1, places: Places = ANYWHERE) -> Target:
    """A target by its name; `firmware` is the digest of what is tested, which the rules core has none of.

    One that is nowhere found is an AbsentTarget. ImageError or PairError if it is there and cannot be used.
    """
    if name == CoreTarget.name:
        return CoreTarget()
    if name in VIRTUAL:
        return FirmwareTarget(name, VIRTUAL[name](), firmware, seed)
    if name == PICO:
        try:
            return FirmwareTarget(name, real_pair(places.rig_port, places.table_port), firmware, seed)
        except PairAbsent as why:
            return AbsentTarget(name, str(why))
    if places.image is None and not cached_images(cache_folder(), None):
        return AbsentTarget(
            name, f"there is no image of MicroPython in {cache_folder()}; `felt pico-image` gets one"
        )
    image = places.image or newest_image(cache_folder(), board=None)
    return FirmwareTarget(name, EMULATED[name](image), firmware, seed, is_slow=True)


EMULATOR, PAIR, PICO = "emulator", "pair", "pico"
VIRTUAL: dict[str, Callable[[], Picos]] = {"cpython": CPythonPicos, "micropython": MicroPythonPicos}
EMULATED: dict[str, Callable[[Path], Picos]] = {EMULATOR: EmulatedPicos, PAIR: EmulatedPairs}
TARGETS = (CoreTarget.name, *VIRTUAL, *EMULATED, PICO)
