"""A littlefs as on the Pico, on flash in memory that remembers every program and erase.

Cutting the power at an operation is then done after the fact: take the flash as it was, do what had been
done before that operation, and half of the operation itself.
"""

from littlefs import LittleFS
from littlefs.context import UserContext

BLOCK_SIZE = 4096
BLOCKS = 24


class Flash(UserContext):
    def __init__(self, cells: bytearray | None = None) -> None:
        self.cells = cells if cells is not None else bytearray(b"\xff" * (BLOCK_SIZE * BLOCKS))
        super().__init__(buffer=self.cells)
        self.operations: list[tuple[int, bytes]] = []

    def read(self, cfg, block, off, size):
        start = block * BLOCK_SIZE + off
        return self.cells[start : start + size]

    def prog(self, cfg, block, off, data):
        return self.change(block * BLOCK_SIZE + off, bytes(data))

    def erase(self, cfg, block):
        return self.change(block * BLOCK_SIZE, b"\xff" * BLOCK_SIZE)

    def change(self, start: int, data: bytes) -> int:
        self.operations.append((start, data))
        self.cells[start : start + len(data)] = data
        return 0


def cut_at(before: bytes, operations: list[tuple[int, bytes]], cut: int) -> bytearray:
    """The flash after a power cut in the middle of operation `cut`."""
    cells = bytearray(before)
    for start, data in operations[:cut]:
        cells[start : start + len(data)] = data
    start, data = operations[cut]
    half = data[: len(data) // 2]
    cells[start : start + len(half)] = half
    return cells


class LittlefsStorage:
    """The journal's storage on a littlefs with the Pico's block size."""

    def __init__(self, flash: Flash, format_it: bool = False) -> None:
        self.fs = LittleFS(
            context=flash, mount=False, block_size=BLOCK_SIZE, block_count=BLOCKS, prog_size=256, read_size=32
        )
        if format_it:
            self.fs.format()
        self.fs.mount()

    def names(self):
        return self.fs.listdir("/")

    def size(self, name):
        return self.fs.stat(name).size

    def read(self, name, start, count):
        with self.fs.open(name, "rb") as file:
            file.seek(start)
            return file.read(count)

    def append(self, name, data):
        with self.fs.open(name, "ab" if name in self.names() else "wb") as file:
            file.write(data)

    def remove(self, name):
        self.fs.remove(name)

    capacity = BLOCKS

    def ready(self):
        return self.capacity

    def prepare(self):
        return False
