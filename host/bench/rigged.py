"""Tables with a rig around them as targets of scenarios: a real pair, or two emulated Picos joined wire by wire.

A real table keeps its journal, so it is cleared at the prompt before each scenario; for that the rig puts the
service jumper on and off. Only a table named BENCH is touched.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from host.bench.emulated import START_MS, EmulatedPicos
from host.bench.firmware_target import TABLE
from host.bench.hardware.identity import open_pair
from host.bench.hardware.pair import Pair
from host.bench.hardware.prompt import Prompt
from host.bench.hardware.rig import RESET_MS, Clock, Port, RealClock, Rig, RigError, RigTarget, check_rig
from host.bench.hardware.wiring import rig_for
from host.bench.outcomes import Broken, CannotPlay
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


@contextmanager
def instrument() -> Iterator[None]:
    """What goes wrong with the rig says nothing of the table."""
    try:
        yield
    except RigError as problem:
        raise Broken(str(problem)) from None


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
        pair = Pair(self.boot(table_files(rig_board)), self.boot(self.files_of(board, flashed)), rig_board)
        with instrument():
            Rig(pair.rig_port, pair).find()  # the table starts meanwhile
        while not pair.table_port.read(1):
            pair.wait_until(pair.now() + 10)
            if pair.now() > START_MS:
                raise Broken(f"the emulated table says nothing within {START_MS} ms")
        self.pairs[board.NAME] = pair

    def boot(self, files: dict[str, bytes]) -> Emulator:
        emulator = Emulator.boot(self.image, {f"/{path}": data for path, data in files.items()}, {})
        emulator.wait_for_usb()
        emulator.set_dtr(True)
        return emulator

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> RigTarget:
        self.prepare(board, flashed)
        pair = self.pairs.pop(board.NAME)
        with instrument():
            return RigTarget(pair.rig_port, pair.table_port, board, reader, pair)


Opened = tuple[Port, Port, Clock]  # rig and table


class WiredPicos:
    """A real table and its rig, which play one scenario after the other."""

    takes_time = True
    crash: type[Exception] = Broken
    is_live = True
    runtime = "a Pico with a rig around it"

    def __init__(self, open_ports: Callable[[], Opened]) -> None:
        self.open_ports = open_ports
        self.opened: Opened | None = open_ports()
        self.key: bytes | None = None  # the table's own

    @property
    def ports(self) -> Opened:
        """They stay open until `close`, so nobody else uses the pair."""
        if self.opened is None:
            self.opened = self.open_ports()
        return self.opened

    def prepare(self, board: ModuleType, flashed: Flashed) -> None:
        """There is nothing to share."""

    def boots_as(self, board: ModuleType, flashed: Flashed) -> str:
        key = Key(TableKey(flashed.table, flashed.key))
        return content_digest(with_key(table_files(find_board(board.NAME)), board.NAME, key)[MANIFEST_FILE])

    def flashed_as(self, flashed: Flashed) -> Flashed:
        """With the table's own key, which it tells at its prompt."""
        if self.key is None:
            with instrument():
                self.key = self.read_key()
        return flashed._replace(key=self.key)

    def read_key(self) -> bytes:
        words = self.at_prompt(KEY).split()
        name = words[1] if len(words) == 3 else "no table"
        if name != TABLE:
            raise Broken(
                f"the Pico at the table's port is {name}, and the bench clears only the journal of a table named "
                f"{TABLE}; flash one with `felt flash --board small --table {TABLE}`"
            )
        return bytes.fromhex(words[2])

    def at_prompt(self, source: str) -> str:
        rig_port, table_port, clock = self.ports
        rig = Rig(rig_port, clock)
        rig.find()
        prompt = Prompt(table_port, rig, clock)
        said = ""
        for level in (0, 1):  # the jumper on, and off again
            rig.order("jumper", level)
            rig.order("reset", RESET_MS)
            prompt.pass_time(RESET_MS + BOOT_MS)
            if level == 0:
                prompt.open()
                said = prompt.run(source)
        return said

    def make(self, board: ModuleType, flashed: Flashed, reader: str, seed: int) -> RigTarget:
        rig_port, table_port, clock = self.ports
        with instrument():
            version, name = Rig(rig_port, clock).find()
            if name != rig_for(board).NAME:
                raise CannotPlay(f"it needs a table of the board {board.NAME}, and this rig plays none")
            check_rig(version, name, board)
            self.at_prompt(CLEAR)
            return RigTarget(rig_port, table_port, board, reader, clock)

    def close(self) -> None:
        opened, self.opened = self.opened, None
        for port in opened[:2] if opened else ():
            close = getattr(port, "close", None)
            if close:
                close()


def real_pair(rig: str | None, table: str | None) -> WiredPicos:
    """The Picos at two serial ports, or at those where they say who they are. PairAbsent if there is none."""

    def open_ports() -> Opened:
        ports = open_pair(rig, table, TABLE)
        return ports.rig, ports.table, RealClock()

    return WiredPicos(open_ports)
