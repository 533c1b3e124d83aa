"""A serial port for tests: a real pseudo-terminal, with something behind it that hears bytes and says some."""

import select
import threading
import time
from collections.abc import Callable
from types import ModuleType

from boards import small
from host.pico.digests import rules_digest
from host.simulator.terminal import Terminal
from host.simulator.virtual_pico import VirtualTable

Behind = Callable[[int, bytes], bytes]  # milliseconds and what was heard, to what is said


class PseudoPort:
    """Runs what is behind it in a thread while it is used as a context."""

    def __init__(self, behind: Behind) -> None:
        self.behind = behind
        self.heard = b""
        self.stopping = threading.Event()
        self.problem: BaseException | None = None

    def __enter__(self) -> "PseudoPort":
        self.terminal = Terminal()
        self.name = self.terminal.name
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.stopping.set()
        self.thread.join(5)
        self.terminal.close()
        assert self.problem is None, self.problem

    def run(self) -> None:
        begun = time.monotonic()
        try:
            while not self.stopping.is_set():
                select.select([self.terminal.ours], [], [], 0.005)
                data = self.terminal.read()
                self.heard += data
                self.terminal.write(self.behind(int((time.monotonic() - begun) * 1000), data))
        except BaseException as problem:
            self.problem = problem


class RealTable:
    """The unchanged firmware on simulated hardware, behind a port."""

    def __init__(self, key: bytes, name: str = "T1", rules: str | None = None, board: ModuleType = small) -> None:
        self.table = VirtualTable(board, key, name, rules or rules_digest(), "11" * 16)
        self.keys = [1] * len(board.KEYS)
        self.sensors = [1] * (board.BOXES * board.SPOTS)

    def __call__(self, now: int, heard: bytes) -> bytes:
        said = self.table.step(now, self.keys, self.sensors, True, "", "", heard.hex())
        return bytes.fromhex(said[2])

    def lines(self) -> list[bytes]:
        return list(self.table.controller.recorder.journal.lines_from(1))


def saying(words: bytes, every_ms: int = 50) -> Behind:
    """Somebody who says the same again and again, whatever he hears."""
    last = -every_ms

    def behind(now: int, heard: bytes) -> bytes:
        nonlocal last
        if now - last < every_ms:
            return b""
        last = now
        return words

    return behind


def answering(answer: Callable[[bytes], bytes]) -> Behind:
    """Somebody who says nothing until he hears something."""
    return lambda now, heard: answer(heard) if heard else b""


def silent(now: int, heard: bytes) -> bytes:
    return b""
