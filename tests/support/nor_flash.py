"""A Pico's flash whose bits only turn to 0, with its littlefs as MicroPython makes it, and as rp2.Flash shows it.

Every program and erase is remembered, so that the power can be cut at any of them after the fact: what was being
programmed then is half there, bit by bit, and what was being erased is random.
"""

import errno
import os
import random
from types import SimpleNamespace

from littlefs import LittleFS
from littlefs.context import UserContext
from littlefs.errors import LittleFSError

from host.pico.flash_image import BLOCK, FS_BLOCKS, PAGE

ERASE = 6
BLOCK_COUNT = 4


class NorFlash(UserContext):
    """`weak` are (block, offset of a page) that take nothing, `stuck` blocks that an erase does not change."""

    def __init__(self, cells=None, blocks=FS_BLOCKS):
        self.cells = cells if cells is not None else bytearray(b"\xff" * (BLOCK * blocks))
        super().__init__(buffer=self.cells)
        self.operations = []  # (start, what was programmed there, or None if the block was erased)
        self.bytes_read = 0
        self.erases = {}
        self.weak = set()
        self.stuck = set()

    # as rp2.Flash

    def readblocks(self, block, into, offset=0):
        start = block * BLOCK + offset
        assert 0 <= offset <= offset + len(into) <= BLOCK
        into[:] = self.cells[start : start + len(into)]

    def writeblocks(self, block, data, offset):
        assert (len(data), offset % PAGE) == (PAGE, 0), "one page a call"
        self.program(block * BLOCK + offset, bytes(data))

    def ioctl(self, request, block):
        if request == BLOCK_COUNT:
            return len(self.cells) // BLOCK
        assert request == ERASE
        self.wipe(block)
        return 0

    # as littlefs wants it

    def read(self, cfg, block, off, size):
        self.bytes_read += size
        start = block * BLOCK + off
        return self.cells[start : start + size]

    def prog(self, cfg, block, off, data):
        for at in range(0, len(data), PAGE):
            self.program(block * BLOCK + off + at, bytes(data[at : at + PAGE]))
        return 0

    def erase(self, cfg, block):
        self.wipe(block)
        return 0

    # what happens

    def program(self, start, data):
        self.operations.append((start, data))
        if (start // BLOCK, start % BLOCK) not in self.weak:
            turn_to_zero(self.cells, start, data)

    def wipe(self, block):
        self.operations.append((block * BLOCK, None))
        self.erases[block] = self.erases.get(block, 0) + 1
        if block not in self.stuck:
            self.cells[block * BLOCK : (block + 1) * BLOCK] = b"\xff" * BLOCK


def turn_to_zero(cells, start, data):
    old = int.from_bytes(cells[start : start + len(data)])
    cells[start : start + len(data)] = (old & int.from_bytes(data)).to_bytes(len(data))


def cuts(before, operations, seed):
    """(which operation, the flash after a power cut in the middle of it) for each of them in turn."""
    dice = random.Random(seed)
    cells = bytearray(before)
    for place, (start, data) in enumerate(operations):
        torn = bytearray(cells)
        if data is None:
            torn[start : start + BLOCK] = dice.randbytes(BLOCK)
        else:
            # Any of the bits may have got there; most, few or just some.
            unchanged = [dice.randrange(256) | dice.choice((0, 0x55, 0xFF)) for _ in data]
            if dice.random() < 0.3:
                unchanged = [0 if at < len(data) // 2 else 0xFF for at in range(len(data))]
            half = bytes(byte | dice_byte for byte, dice_byte in zip(data, unchanged, strict=True))
            turn_to_zero(torn, start, half)
        yield place, torn
        if data is None:
            cells[start : start + BLOCK] = b"\xff" * BLOCK
        else:
            turn_to_zero(cells, start, data)


class Files:
    """A littlefs in the geometry of the stock image, with what firmware takes from `os`, and `open`."""

    def __init__(self, flash, format_it=False):
        self.fs = LittleFS(
            context=flash,
            mount=False,
            block_size=BLOCK,
            block_count=len(flash.cells) // BLOCK,
            prog_size=PAGE,
            read_size=32,
            cache_size=1024,
            lookahead_size=32,
            block_cycles=100,
            disk_version=0x00020001,
        )
        if format_it:
            self.fs.format()
        self.fs.mount()
        self.os = SimpleNamespace(
            mkdir=told(self.fs.mkdir),
            rename=told(self.fs.rename),
            remove=told(self.fs.remove),
            listdir=told(self.fs.listdir),
            stat=told(lambda path: (0,) * 6 + (self.fs.stat(path).size,)),
            urandom=os.urandom,
        )
        self.flash = flash

    def cost(self, path):
        before = self.flash.bytes_read
        self.open(path, "rb").close()
        return self.flash.bytes_read - before

    def open(self, path, mode="r"):
        try:
            return self.fs.open(os.fsdecode(path), mode)
        except (LittleFSError, FileNotFoundError) as error:
            raise OSError(errno.ENOENT, str(error)) from None


def told(function):
    def with_os_error(*arguments):
        try:
            return function(*arguments)
        except LittleFSError as error:
            raise OSError(errno.EIO, str(error)) from None

    return with_os_error
