"""A serial port for tests: a real pseudo-terminal, with something behind it that hears bytes and says some."""

import os
import pty
import select
import threading
import time
import tty
from collections.abc import Callable
from types import ModuleType

from boards import small
from host.digests import rules_digest
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
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.name = os.ttyname(self.slave)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.stopping.set()
        self.thread.join(5)
        os.close(self.slave)
        os.close(self.master)
        assert self.problem is None, self.problem

    def run(self) -> None:
        begun = time.monotonic()
        try:
            while not self.stopping.is_set():
                ready, _, _ = select.select([self.master], [], [], 0.005)
                data = os.read(self.master, 4096) if ready else b""
                self.heard += data
                said = self.behind(int((time.monotonic() - begun) * 1000), data)
                # Nobody need be there to take it; a port does not wait for that.
                if said and select.select([], [self.master], [], 0)[1]:
                    os.write(self.master, said)
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
