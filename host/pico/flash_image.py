"""The flash of a Pico with MicroPython: UF2 files, and the littlefs filesystem behind the firmware.

Both images (1.23 RPI_PICO, 1.28 SEEED_XIAO_RP2040) put the filesystem into the last 352 sectors of the 2 MB,
from 0xA0000 on, and format it as littlefs 2.1 with read size 32, program size 256, cache 1024, lookahead 32.
"""

import errno
import os
import struct
from collections.abc import Mapping
from typing import Any, cast

from littlefs import LittleFS, UserContext

from shared.journal.ring import Ring
from shared.journal.ring_making import make_ring
from shared.link.manifest import FOLDER

FLASH_BASE = 0x10000000
FLASH_SIZE = 2 * 1024 * 1024
PAGE = 256
BLOCK = 4096  # flash sector and littlefs block
FS_BLOCKS = 352
FS_OFFSET = FLASH_SIZE - FS_BLOCKS * BLOCK  # 0xA0000
LFS_VERSION = 0x00020001
UF2_START = (0x0A324655, 0x9E5D5157)
UF2_END = 0x0AB16F30
ERASE = 6  # as ioctl calls it
UF2_FAMILY_PRESENT = 0x2000
RP2040_FAMILY = 0xE48BFF56


def uf2_to_flash(uf2: bytes) -> bytes:
    """The 2 MB flash content that a UF2 leaves on an erased chip."""
    flash = bytearray(b"\xff" * FLASH_SIZE)
    for at in range(0, len(uf2), 512):
        start0, start1, _flags, address, size = struct.unpack_from("<5I", uf2, at)
        if (start0, start1) != UF2_START:
            raise ValueError(f"no UF2 block at byte {at}")
        offset = address - FLASH_BASE
        flash[offset : offset + size] = uf2[at + 32 : at + 32 + size]
    return bytes(flash)


def flash_to_uf2(flash: bytes) -> bytes:
    """One UF2 with every 4 KB sector that is not blank, all 16 pages of it (erratum RP2040-E14), numbered
    as one file. The two superblocks are always in it, so that nothing of an older filesystem is found."""
    keep = {FS_OFFSET, FS_OFFSET + BLOCK}
    blank = b"\xff" * BLOCK
    sectors = [at for at in range(0, len(flash), BLOCK) if at in keep or flash[at : at + BLOCK] != blank]
    pages = [at + page for at in sectors for page in range(0, BLOCK, PAGE)]
    blocks = []
    for number, at in enumerate(pages):
        numbers = (FLASH_BASE + at, PAGE, number, len(pages), RP2040_FAMILY)
        head = struct.pack("<8I", *UF2_START, UF2_FAMILY_PRESENT, *numbers)
        blocks.append(head + flash[at : at + PAGE] + bytes(476 - PAGE) + struct.pack("<I", UF2_END))
    return b"".join(blocks)


class CountingContext(UserContext):
    """Counts the bytes that the filesystem reads."""

    count = 0

    def read(self, cfg: Any, block: int, off: int, size: int) -> bytearray:
        self.count += size
        return super().read(cfg, block, off, size)


def _littlefs(buffer: bytes | None = None) -> LittleFS:
    context = CountingContext(FS_BLOCKS * BLOCK)
    if buffer is not None:
        context.buffer[:] = buffer
    return LittleFS(
        context=context,
        mount=buffer is not None,
        block_size=BLOCK,
        block_count=FS_BLOCKS,
        read_size=32,
        prog_size=256,
        cache_size=1024,
        lookahead_size=32,
        disk_version=LFS_VERSION,
    )


class RawFlash:
    """The blocks of a filesystem image, as rp2.Flash shows them on the device."""

    def __init__(self, content: bytearray) -> None:
        self.content = content

    def readblocks(self, block: int, into: bytearray, offset: int) -> None:
        start = block * BLOCK + offset
        into[:] = self.content[start : start + len(into)]

    def writeblocks(self, block: int, data: bytes, offset: int) -> None:
        start = block * BLOCK + offset
        for at, byte in enumerate(data, start):
            self.content[at] &= byte

    def ioctl(self, request: int, block: int) -> int:
        if request == ERASE:
            self.content[block * BLOCK : (block + 1) * BLOCK] = b"\xff" * BLOCK
        return len(self.content) // BLOCK


def add_ring(fs: LittleFS, journal: Mapping[str, bytes]) -> None:
    """The ring that a table makes at its first start otherwise, and the segments of a journal in it."""
    context = cast(CountingContext, fs.context)

    def open_file(path: str | bytes, mode: str) -> Any:
        try:
            return fs.open(os.fsdecode(path), mode)
        except FileNotFoundError:  # which littlefs raises without a number
            raise OSError(errno.ENOENT, path) from None

    def cost(path: str | bytes) -> int:
        before = context.count
        open_file(path, "rb").close()
        return context.count - before

    flash = RawFlash(context.buffer)
    fs.makedirs(FOLDER, exist_ok=True)
    made = make_ring(flash, fs, open_file, os.urandom, lambda: None, cost)
    ring = Ring(flash, *made)
    for name, content in sorted(journal.items()):
        ring.append(name, content)


def build_filesystem(files: Mapping[str, bytes], journal: Mapping[str, bytes] | None = None) -> bytes:
    """A littlefs image as MicroPython's own `_boot.py` would make it, holding `files` and a table's ring."""
    fs = _littlefs()
    fs.format()
    fs.mount()
    for name, content in sorted(files.items()):
        parent = os.path.dirname(name.strip("/"))
        if parent:
            fs.makedirs(parent, exist_ok=True)
        with fs.open(name, "wb") as file:
            file.write(content)
    if journal is not None:
        add_ring(fs, journal)
    fs.unmount()
    return bytes(fs.context.buffer)


def read_filesystem(flash: bytes) -> dict[str, bytes]:
    """Every file in the filesystem of a 2 MB flash image (or of a bare filesystem image)."""
    fs = _littlefs(flash[FS_OFFSET:FLASH_SIZE] if len(flash) >= FLASH_SIZE else flash)
    found = {}
    for folder, _folders, names in fs.walk("/"):
        for name in names:
            path = folder.rstrip("/") + "/" + name
            with fs.open(path, "rb") as file:
                found[path] = file.read()
    fs.unmount()
    return found


def build_flash(
    uf2: bytes, files: Mapping[str, bytes] | None = None, journal: Mapping[str, bytes] | None = None
) -> bytes:
    """2 MB of flash: MicroPython, a filesystem with `files` (`None`: blank, the device formats it), and in it a
    ring with the segments of `journal` (`None`: the table makes the ring)."""
    flash = uf2_to_flash(uf2)
    return flash if files is None else flash[:FS_OFFSET] + build_filesystem(files, journal)
