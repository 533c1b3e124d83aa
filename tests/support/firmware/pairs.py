"""Emulated pairs of rig and table for tests: started, wired as told, and a floor around them."""

from functools import cache
from typing import Any

from host.bench.hardware.pair import Pair
from host.bench.hardware.rig import RigTarget
from host.bench.hardware.wiring import Wire
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.simulator.floor import Floor
from host.simulator.memory_log import MemoryLog
from tests.support.firmware.images import IMAGES
from tests.support.floors import IDENTITY, make_floor

TABLES = {"rig": "small", "rig_full": "full"}
BARE: dict[str, bytes] = {}  # of a table that is MicroPython and nothing else


@cache
def files_of(board: str) -> dict[str, bytes]:
    return table_files(find_board(board))


def flashed(board: str, name: str = IDENTITY.table, key: bytes = IDENTITY.key) -> dict[str, bytes]:
    return with_key(files_of(board), board, Key(TableKey(name, key)))


def boot(files: dict[str, bytes], journal: dict[str, bytes] | None = None) -> Emulator:
    emulator = Emulator.boot(IMAGES[-1], {f"/{path}": data for path, data in files.items()}, journal)
    emulator.wait_for_usb()
    emulator.set_dtr(True)
    return emulator


class AttendedPair(Pair):
    """Somebody pulls the rig's cable and plugs it in again."""

    plug_in_at: int | None = None

    def unplug_for(self, ms: int) -> None:
        self.unplug_rig()
        self.plug_in_at = self.now() + ms

    def wait_until(self, now: int) -> None:
        if self.plug_in_at is not None and self.now() >= self.plug_in_at:
            self.plug_in_at = None
            self.plug_rig_in()
        super().wait_until(now)


def make_pair(
    table: dict[str, bytes],
    rig: str = "rig",
    joined: list[Wire] | None = None,
    held_low: tuple[int, ...] = (),
) -> AttendedPair:
    """A rig and a table with these files; the table has an empty ring for its journal if it has any."""
    started = boot(table, {} if table else None)
    return AttendedPair(boot(files_of(rig)), started, find_board(rig), joined, held_low)


def pair_floor(folder: Any, game: str, rig: str = "rig", **more: Any) -> tuple[Floor, MemoryLog, Pair]:
    pair = make_pair(flashed(TABLES[rig]), rig)

    def target(board: Any, _identity: Any, _seed: int) -> RigTarget:
        return RigTarget(pair.rig_port, pair.table_port, board, more.get("reader", "felt"), pair)

    floor, log = make_floor(folder, game, TABLES[rig], target, **more)
    return floor, log, pair
