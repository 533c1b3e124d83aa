"""Emulated Picos for scenarios: real MicroPython and the firmware as it is flashed.

A start takes an emulator half a minute, and the same one serves every scenario: each is played in a process of
its own, which begins as a copy of this one with a table that has just started.
"""

from pathlib import Path
from types import ModuleType

from host.bench.outcomes import Broken
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.images import check_image
from host.simulator.emulator_target import EmulatorTarget
from host.simulator.target import Flashed, Target
from shared.link.manifest import MANIFEST_FILE, content_digest

START_MS = 10_000  # within which the table says its first words


class EmulatedPicos:
    takes_time = True
    crash: type[Exception] = Broken
    is_live = False

    def __init__(self, image: Path) -> None:
        self.image = image.read_bytes()
        self.runtime = f"MicroPython {check_image(self.image).version}, emulated RP2040"
        self.files: dict[str, dict[str, bytes]] = {}  # on a table, by board
        self.started: dict[str, Emulator] = {}  # tables that nobody has talked to, by board

    def files_of(self, board: ModuleType, flashed: Flashed) -> dict[str, bytes]:
        if board.NAME not in self.files:
            key = Key(TableKey(flashed.table, flashed.key))
            self.files[board.NAME] = with_key(table_files(find_board(board.NAME)), board.NAME, key)
        return self.files[board.NAME]

    def flashed_as(self, flashed: Flashed) -> Flashed:
        return flashed

    def boots_as(self, board: ModuleType, flashed: Flashed) -> str:
        return content_digest(self.files_of(board, flashed)[MANIFEST_FILE])

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        if board.NAME in self.started:
            return
        files = self.files_of(board, flashed)
        emulator = Emulator.boot(self.image, {f"/{path}": data for path, data in files.items()}, {})
        target = EmulatorTarget(board, emulator, "felt")  # leaves the jumper off
        emulator.wait_for_usb()
        emulator.set_dtr(True)
        try:
            emulator.usb_expect(b"\n", START_MS)  # it says the same again until somebody answers
        except TimeoutError:
            raise Broken(f"the emulated Pico says nothing within {START_MS} ms") from None
        self.started[board.NAME] = target.emulator

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> Target:
        """A table that has just started; the next one takes another start."""
        self.prepare(board, flashed)
        return EmulatorTarget(board, self.started.pop(board.NAME), reader)

    def close(self) -> None:
        """They are objects of this process."""
