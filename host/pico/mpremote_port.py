"""A Pico behind a serial port, through mpremote: what runs there, which files it has, and changing them."""

import base64
import io
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import NamedTuple, cast

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport
from serial import Serial

from host.pico.deploy import UNLISTED, Found
from host.pico.flashing import Runtime
from host.pico.serial_ports import SILENCE_S, PortError, one_line, open_port
from shared.journal.ring import HEADER, SECTOR, make_header
from shared.link.manifest import DIGEST_LENGTH

PATIENCE_S = 6.0  # for a program on the device to stop
AGAIN_S = 2.0
HAND_OVER_S = 120  # while a table plays its journal in silence
PARCEL_BYTES = 8192
RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n"
TABLE_LINE = re.compile(rb'^\["[a-z]+",', re.MULTILINE)
LOST = (TransportError, OSError, struct.error, IndexError)

ABOUT = """
import os, sys
r = sys.implementation
try:
    blocks = os.statvfs('/')[2]
except OSError:
    blocks = 0
print(r.name, '.'.join([str(n) for n in r.version[:3]]), getattr(r, '_mpy', 0) & 255, sys.platform, blocks)
print(getattr(r, '_machine', ''))
"""

# A line that was just pulled up reads low until it has charged: the jumper is on if it is low time and again.
JUMPER = """
import time
from machine import Pin
pin = Pin(%d, Pin.IN, Pin.PULL_UP)
high = 0
for _ in range(8):
    time.sleep_ms(2)
    high |= pin.value()
print(high)
"""

# Files in the rooms of `ours` are read, others only named.
SURVEY = """
import os
from binascii import hexlify
from hashlib import sha256
piece = bytearray(1024)
view = memoryview(piece)
def digest(path):
    h = sha256()
    with open(path, 'rb') as f:
        n = f.readinto(piece)
        while n:
            h.update(view[:n])
            n = f.readinto(piece)
    return hexlify(h.digest()[:%d]).decode()
def survey(ours, skip, folder='/', mine=False):
    for entry in os.ilistdir(folder):
        path = folder + entry[0]
        my = mine or path in ours
        if entry[1] == 0x4000:
            print('folder', 0, '-', path)
            if path not in skip:
                survey(ours, skip, path + '/', my)
        else:
            print('file', os.stat(path)[6], digest(path) if my else '-', path)
"""

PUT = """
import io
from binascii import a2b_base64
from deflate import ZLIB, DeflateIO
def put(pieces, text):
    data = bytearray(sum([size for _, _, size in pieces]))
    DeflateIO(io.BytesIO(a2b_base64(text)), ZLIB).readinto(data)
    at = 0
    for path, mode, size in pieces:
        with open(path, mode) as f:
            f.write(memoryview(data)[at:at + size])
        at += size
"""

GET = """
from binascii import crc32, hexlify
def get(path):
    check = 0
    with open(path, 'rb') as f:
        piece = f.read(512)
        while piece:
            print(hexlify(piece).decode())
            check = crc32(piece, check)
            piece = f.read(512)
    print('%08x' % check)
"""

# The raw flash, also of a Pico that has no file of ours.
SECTORS = f"""
import rp2
from binascii import crc32, hexlify
flash = rp2.Flash()
def headers():
    head = bytearray({HEADER})
    for block in range(flash.ioctl(4, 0)):
        flash.readblocks(block, head, 0)
        if head[:2] == {make_header(0, 0, 0, 0)[:2]!r}:
            print(block, hexlify(head).decode(), '%08x' % crc32(head))
def sector(block):
    data = bytearray({SECTOR})
    flash.readblocks(block, data, 0)
    data = bytes(data).rstrip(b'\\xff')
    for at in range(0, len(data), 512):
        print(hexlify(data[at:at + 512]).decode())
    print('%08x' % crc32(data))
"""

# A failure prints a line too. Garbage that is collected late leaves no room in one piece for the larger modules.
HAND_OVER = """
import gc
gc.threshold(32768)
try:
    from firmware.handover import main
    main()
except Exception as problem:
    print('failed', repr(problem))
"""


UNIQUE_ID = """
from binascii import hexlify
from machine import unique_id
print(hexlify(unique_id()).decode())
"""


class Piece(NamedTuple):
    path: str
    mode: str
    content: bytes


@contextmanager
def open_device(port: str) -> Iterator["MpremoteDevice"]:
    transport = open_port(port)
    device = MpremoteDevice(transport, port)
    try:
        device.stop_program()
        yield device
    finally:
        device.close()


class MpremoteDevice:
    """A device whose program has been stopped."""

    def __init__(self, transport: SerialTransport, port: str) -> None:
        self.transport = transport
        self.port = port
        self.serial = cast(Serial, transport.serial)  # mpremote replaces it only when it mounts a folder
        self.taught: set[str] = set()

    def stop_program(self) -> None:
        """Go to the raw prompt and restart MicroPython there, without main.py. mpremote's own function prints
        what it received instead of explaining it."""
        prompt = RAW_PROMPT + b">"
        try:
            self.serial.timeout = 0.1
            heard, latest, deadline = b"", b"", time.monotonic() + PATIENCE_S
            while not heard.endswith(prompt):
                # The first answer may have come before the Ctrl-C; the one after the second did not.
                is_table = heard != latest and is_from_table(latest)
                if is_table or time.monotonic() > deadline:
                    raise PortError(why_deaf(heard), port=self.port)
                self.serial.write(b"\r\x03\x03\r\x01")
                latest = self.listen(prompt, min(AGAIN_S, PATIENCE_S))
                heard += latest
            self.serial.write(b"\x04")
            for ending in (b"soft reboot\r\n", RAW_PROMPT):
                if not self.listen(ending, SILENCE_S).endswith(ending):
                    raise PortError("pico.no_restart", port=self.port)
            self.serial.timeout = SILENCE_S
        except LOST as error:
            raise self.lost(error) from None
        self.transport.in_raw_repl = True

    def listen(self, ending: bytes, seconds: float) -> bytes:
        """Everything up to `ending`, or until time is up. mpremote's own function waits for silence, but not
        every program is ever silent."""
        heard, deadline = b"", time.monotonic() + seconds
        while not heard.endswith(ending) and time.monotonic() < deadline:
            heard += self.serial.read(1)
        return heard

    def lost(self, error: BaseException) -> PortError:
        return PortError("pico.lost", port=self.port, reason=one_line(error))

    def run(self, source: str, patience_s: int | None = None) -> str:
        try:
            with redirect_stdout(io.StringIO()):  # mpremote prints where it should raise
                printed, error = self.transport.exec_raw(source, timeout=patience_s or SILENCE_S)
        except LOST as problem:
            raise self.lost(problem) from None
        if error:
            last = (error.decode("utf-8", "replace").strip().splitlines() or ["it does not say why"])[-1]
            is_full = re.match(r"OSError: (\[Errno )?28\b", last)
            raise PortError("pico.full" if is_full else "pico.failed", port=self.port, reason=last)
        return printed.decode("utf-8", "replace").replace("\r\n", "\n")

    def teach(self, source: str) -> None:
        """Run a source that defines functions, once for each device."""
        if source not in self.taught:
            self.run(source)
            self.taught.add(source)

    # What flashing needs

    def about(self) -> Runtime:
        about, _, machine = self.run(ABOUT).partition("\n")
        try:
            name, version, mpy, platform, blocks = about.split()
            numbers = tuple(map(int, version.split(".")))
            return Runtime(name, numbers, int(mpy), platform, int(blocks), machine.strip())
        except ValueError:
            raise PortError("pico.no_version", port=self.port) from None

    def survey(self, ours: Iterable[str]) -> Found:
        """The files on the device, those in `ours` (rooms and files) with their digests, and the folders."""
        self.teach(SURVEY % DIGEST_LENGTH)
        files, folders = {}, set()
        for line in self.run(f"survey({rooted(ours)!r}, {rooted(UNLISTED)!r})").splitlines():
            try:
                kind, size, digest, path = line.split(" ", 3)
                if kind == "folder":
                    folders.add(path.removeprefix("/"))
                else:
                    files[path.removeprefix("/")] = (int(size), digest)
            except ValueError:
                raise PortError("pico.garbled_list", port=self.port) from None
        return Found(files, folders)

    def read(self, path: str) -> bytes:
        self.teach(GET)
        return self.receive(f"get({path!r})", path)

    def receive(self, source: str, what: str) -> bytes:
        """Bytes that a source prints as lines of hex digits with their checksum in the last."""
        try:
            *lines, check = self.run(source).splitlines()
            content = bytes.fromhex("".join(lines))
        except ValueError:
            raise PortError("pico.garbled", port=self.port, what=what) from None
        if check != f"{zlib.crc32(content):08x}":
            raise PortError("pico.garbled", port=self.port, what=what)
        return content

    def headers(self) -> dict[int, bytes]:
        """The first bytes of every block of the raw flash that looks like a sector of a ring."""
        self.teach(SECTORS)
        found = {}
        for line in self.run("headers()").splitlines():
            try:
                block, digits, check = line.split()
                header = found[int(block)] = bytes.fromhex(digits)
            except ValueError:
                header, check = b"", ""
            if check != f"{zlib.crc32(header):08x}":
                raise PortError("pico.garbled", port=self.port, what="a header of the flash")
        return found

    def sector(self, block: int) -> bytes:
        """A block of the raw flash, without the erased bytes at its end."""
        self.teach(SECTORS)
        return self.receive(f"sector({block})", f"sector {block} of the flash")

    def names(self, folder: str) -> list[str]:
        """The files in a folder."""
        return sorted(self.run(f"import os\nfor name in os.listdir({folder!r}): print(name)").splitlines())

    def hand_over(self) -> tuple[str, str]:
        """Have the firmware on the device write how its table stands: a word for the result, and its detail."""
        said = self.run(HAND_OVER, HAND_OVER_S).strip().splitlines() or ["failed"]
        word, _, about = said[-1].partition(" ")
        return word, about

    def unique_id(self) -> str:
        """The number that the Pico was made with."""
        return self.run(UNIQUE_ID).strip()

    def remove(self, files: Iterable[str], folders: Iterable[str]) -> None:
        self.run(f"import os\nfor path in {list(files)!r}: os.remove(path)")
        self.run(f"import os\nfor path in {list(folders)!r}: os.rmdir(path)")

    def rename(self, old: str, new: str) -> None:
        self.run(f"import os\nos.rename({old!r}, {new!r})")

    def make_folders(self, folders: Iterable[str]) -> None:
        self.run(f"import os\nfor path in {list(folders)!r}: os.mkdir(path)")

    def write(self, files: Mapping[str, bytes], advance: Callable[[int], None]) -> None:
        self.teach(PUT)
        for pieces in parcels(files):
            content = b"".join(piece.content for piece in pieces)
            text = base64.b64encode(zlib.compress(content, 9, 13))
            self.run(f"put({[(piece.path, piece.mode, len(piece.content)) for piece in pieces]!r}, {text!r})")
            advance(len(content))

    def jumper_is_on(self, pin: int) -> bool:
        return self.run(JUMPER % pin).strip() == "0"

    def restart(self) -> None:
        """Reset the device; the port may go away with it."""
        with suppress(*LOST), redirect_stdout(io.StringIO()):
            self.transport.exec_raw_no_follow("import machine\nmachine.reset()")
        self.transport.in_raw_repl = False

    def close(self) -> None:
        with suppress(*LOST):
            if self.transport.in_raw_repl:
                self.transport.exit_raw_repl()
        with suppress(*LOST):
            self.transport.close()


def rooted(paths: Iterable[str]) -> list[str]:
    return [f"/{path}" for path in paths]


def why_deaf(heard: bytes) -> str:
    if is_from_table(heard):
        return "pico.console_closed"
    return "pico.not_micropython" if heard else "pico.silent"


def is_from_table(heard: bytes) -> bool:
    return TABLE_LINE.search(heard) is not None


def parcels(files: Mapping[str, bytes]) -> Iterator[list[Piece]]:
    """The files in pieces, grouped into batches: the port is slow to answer, and small files compress better
    together."""
    parcel: list[Piece] = []
    room = PARCEL_BYTES
    for path, content in files.items():
        for at in range(0, max(len(content), 1), PARCEL_BYTES):
            piece = Piece(path, "ab" if at else "wb", content[at : at + PARCEL_BYTES])
            if len(piece.content) > room:
                yield parcel
                parcel, room = [], PARCEL_BYTES
            parcel.append(piece)
            room -= len(piece.content)
    if parcel:
        yield parcel
