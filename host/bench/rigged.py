"""Tables with a rig around them as targets of scenarios: a real pair, or two emulated Picos joined wire by wire.

A real table keeps its journal, so it is cleared at the prompt before each scenario; the rig puts the service jumper on
and off for that. Only a table named BENCH is touched.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from host.bench.emulated import START_MS, EmulatedPicos
from host.bench.firmware_target import TABLE
from host.bench.hardware.pair import Pair
from host.bench.hardware.prompt import Prompt
from host.bench.hardware.rig import (
    RESET_MS,
    Clock,
    Port,
    RealClock,
    ReturningPort,
    Rig,
    RigError,
    RigTarget,
    check_rig,
    open_serial,
)
from host.bench.hardware.wiring import rig_for
from host.bench.outcomes import Broken
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.simulator.target import Flashed
from shared.link.manifest import MANIFEST_FILE, content_digest

BOOT_MS = 1500  # before a Pico that was reset can be stopped

KEY = """
with open('felt/key') as file: print(file.read())
"""
# As little is erased as a journal needs to begin.
CLEAR = """
import os, rp2
from shared.journal.ring_making import open_ring
ring = open_ring(rp2.Flash(), os, open, os.urandom, lambda: None, lambda path: 0)
for name in ring.names(): ring.remove(name)
for _ in range(24): ring.prepare()
for name in ('felt/console', 'felt/files'):
    try: os.remove(name)
    except OSError: pass
"""


class EmulatedPairs(EmulatedPicos):
    """A rig and a table, both emulated. Each scenario takes a pair that has just started."""

    def __init__(self, image: Path) -> None:
        super().__init__(image)
        self.runtime += " with another as its rig"
        self.pairs: dict[str, Pair] = {}

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        if board.NAME in self.pairs:
            return
        rig_board = rig_for(board)
        rig = self.boot(table_files(rig_board))
        table = self.boot(self.files_of(board, flashed))
        pair = self.pairs[board.NAME] = Pair(rig, table, rig_board)
        Rig(pair.rig_port, pair).find()  # the table starts meanwhile
        while not pair.table_port.read(1):
            pair.wait_until(pair.now() + 10)
            if pair.now() > START_MS:
                raise Broken(f"the emulated table says nothing within {START_MS} ms")

    def boot(self, files: dict[str, bytes]) -> Emulator:
        emulator = Emulator.boot(self.image, {f"/{path}": data for path, data in files.items()}, {})
        emulator.wait_for_usb()
        emulator.set_dtr(True)
        return emulator

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> RigTarget:
        self.prepare(board, flashed)
        pair = self.pairs.pop(board.NAME)
        return RigTarget(pair.rig_port, pair.table_port, board, reader, pair)


class WiredPicos:
    """A real table and its rig; `open_ports` gives rig, table and clock."""

    crash: type[Exception] = Broken
    runtime = "a Pico with a rig around it"

    def __init__(self, open_ports: Callable[[], tuple[Port, Port, Clock]]) -> None:
        self.rig_port, self.table_port, self.clock = open_ports()

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        """The pair plays one scenario after the other."""

    def boots_as(self, board: ModuleType, flashed: Flashed) -> str:
        key = Key(TableKey(flashed.table, flashed.key))
        return content_digest(with_key(table_files(find_board(board.NAME)), board.NAME, key)[MANIFEST_FILE])

    def flashed_as(self, flashed: Flashed) -> Flashed:
        """With the table's own key, which it tells at its prompt."""
        words = self.at_prompt(KEY).split()
        if len(words) != 3 or words[1] != TABLE:
            raise RigError(
                f"the Pico at the table's port is {words[1] if len(words) > 1 else 'no table'}, and the bench clears "
                f"only the journal of a table named {TABLE}; flash one with `felt flash --table {TABLE}`"
            )
        return flashed._replace(key=bytes.fromhex(words[2]))

    def at_prompt(self, source: str) -> str:
        rig = Rig(self.rig_port, self.clock)
        rig.find()
        prompt = Prompt(self.table_port, rig, self.clock)
        for level, program in ((0, source), (1, "")):
            rig.order("jumper", level)
            rig.order("reset", RESET_MS)
            prompt.pass_time(RESET_MS + BOOT_MS)
            if program:
                prompt.open()
                said = prompt.run(program)
        return said

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> RigTarget:
        rig = Rig(self.rig_port, self.clock)
        check_rig(*rig.find(), board)
        self.at_prompt(CLEAR)
        return RigTarget(self.rig_port, self.table_port, board, reader, self.clock)

    def close(self) -> None:
        for port in (self.rig_port, self.table_port):
            close = getattr(port, "close", None)
            if close:
                close()


def real_pair(rig: str, table: str) -> WiredPicos:
    """The Picos at two serial ports. The rig's is held for as long as this lives, so nobody else uses the pair."""

    def open_ports() -> tuple[Port, Port, Clock]:
        clock = RealClock()
        return open_serial(rig), ReturningPort(lambda: open_serial(table), clock), clock

    return WiredPicos(open_ports)
