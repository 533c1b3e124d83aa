"""A Pico at its prompt: runs what `felt` sends it, on a littlefs in the Pico's geometry on flash in memory.

What is sent is MicroPython; the few modules that CPython has otherwise are stood in for. `start` does what the
firmware does at a start, with the firmware's own functions.
"""

import builtins
import errno
import io
import os
import random
import sys
import zlib
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

from littlefs.errors import LittleFSError

import host.commands.flash
import host.commands.rescue
from firmware.handover import hand_over
from firmware.recorder import Recorder
from host.keys import TableKey
from host.pico.deploy import Key, with_key
from host.pico.flash_image import FLASH_SIZE, FS_OFFSET, RawFlash
from host.pico.mpremote_port import HAND_OVER, MpremoteDevice
from host.pico.rescue import newest
from shared.journal.carry import CARRY_FILE
from shared.journal.journal import Journal
from shared.journal.ring import HEADER
from shared.journal.ring_making import open_ring
from shared.journal.snapshot import plain_config
from tests.support.deploying import FILES, UNIQUE_ID
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import KEY, RULES
from tests.support.nor_flash import BLOCK, Files, NorFlash
from tests.support.tables import MBS

FOLDER, FILE = 0x4000, 0x8000  # as ilistdir says it
ABOUT_PICO = SimpleNamespace(
    implementation=SimpleNamespace(
        name="micropython", version=(1, 23, 0), _mpy=6, _machine="Raspberry Pi Pico with RP2040"
    ),
    platform="rp2",
)


@contextmanager
def standing_in(**modules: Any):
    """Modules that MicroPython has and CPython has not."""
    sys.modules.update(modules)
    yield
    for name in modules:
        del sys.modules[name]


with standing_in(machine=SimpleNamespace()):
    from firmware import boot
Refusal = boot.Refusal


class Inflated(io.BytesIO):
    def __init__(self, stream, _form):
        super().__init__(zlib.decompress(stream.read()))


class Prompt:
    """A transport for MpremoteDevice."""

    serial = None
    in_raw_repl = True

    def __init__(self, flash, hands_over=lambda files: ("failed", "")):
        self.flash = flash
        self.files = Files(flash)
        self.hands_over = hands_over
        self.restarts = 0
        own = self.files.os
        system = SimpleNamespace(**vars(own))
        system.rmdir, system.ilistdir, system.stat = own.remove, self.ilistdir, self.stat
        system.statvfs = lambda folder: (BLOCK, BLOCK, len(flash.cells) // BLOCK)
        system.listdir = lambda folder: own.listdir(folder or "/")
        self.modules = {
            "os": system,
            "sys": ABOUT_PICO,
            "rp2": SimpleNamespace(Flash=lambda: flash),
            "deflate": SimpleNamespace(ZLIB=1, DeflateIO=Inflated),
            "machine": SimpleNamespace(Pin=FreePin, unique_id=lambda: bytes.fromhex(UNIQUE_ID)),
            "time": SimpleNamespace(sleep_ms=lambda _ms: None),
        }
        self.names = {
            "__builtins__": {
                **vars(builtins),
                "open": self.files.open,
                "print": self.print,
                "__import__": lambda name, *more: self.modules.get(name) or builtins.__import__(name, *more),
            }
        }

    def ilistdir(self, folder):
        for name in self.files.fs.listdir(folder):
            yield name, FOLDER if self.files.fs.stat(f"{folder}/{name}").type == 2 else FILE

    def stat(self, path):
        try:
            return (0,) * 6 + (self.files.fs.stat(path).size,)
        except LittleFSError as error:
            raise OSError(errno.ENOENT, str(error)) from None

    def print(self, *words):
        self.printed += " ".join(map(str, words)) + "\r\n"

    def exec_raw(self, source, timeout):
        self.printed = ""
        if source == HAND_OVER:
            self.print(*self.hands_over(self.files))
        else:
            exec(source, self.names)
        return self.printed.encode(), b""

    def exec_raw_no_follow(self, source):
        self.restarts += 1


class FreePin:
    IN = PULL_UP = 0

    def __init__(self, *_settings):
        pass

    def value(self):
        return 1


def device_on(flash, **more):
    return MpremoteDevice(Prompt(flash, **more), "/dev/none")  # type: ignore[arg-type]


def use(monkeypatch, flash, **more):
    """Have the commands find a Pico with this flash at any port."""
    for module in (host.commands.flash, host.commands.rescue):
        monkeypatch.setattr(module, "open_device", lambda port: nullcontext(device_on(flash, **more)))


class OldJournal:
    """The storage of an older firmware: files in the folder journal, through the filesystem."""

    capacity = 256

    def __init__(self, files):
        self.files = files

    def names(self):
        return [name for name in self.files.os.listdir("journal") if name.isdigit()]

    def size(self, name):
        return self.files.fs.stat(f"journal/{name}").size if name in self.names() else 0

    def read(self, name, start, count):
        with self.files.open(f"journal/{name}", "rb") as file:
            file.seek(start)
            return file.read(count)

    def append(self, name, data):
        with self.files.open(f"journal/{name}", "ab" if name in self.names() else "wb") as file:
            file.write(data)

    def remove(self, name):
        self.files.os.remove(f"journal/{name}")

    def ready(self):
        return self.capacity

    def prepare(self):
        return False


def segments_in(flash):
    """The segments of a journal in the sectors of a whole flash dump, by name."""
    raw = RawFlash(bytearray(flash[FS_OFFSET:FLASH_SIZE]))
    headers = {}
    for block in range(raw.ioctl(4, 0)):
        headers[block] = bytearray(HEADER)
        raw.readblocks(block, headers[block], 0)
    content = {}
    for name, block in newest(headers)[1].items():
        sector = bytearray(BLOCK)
        raw.readblocks(block, sector, 0)
        content[name] = bytes(sector[HEADER:]).rstrip(b"\xff")
    return content


# Tables


TABLE = TableKey("T1", KEY)
DICE = random.Random("littlefs")


def flashed():
    """The flash of a table that never started, and its filesystem."""
    flash = NorFlash()
    files = Files(flash, format_it=True)
    for folder in ("shared", "boards", "felt"):
        files.os.mkdir(folder)
    for path, content in with_key(FILES, "small", Key(TABLE)).items():
        with files.open(path, "wb") as file:
            file.write(content)
    return flash, files


def old_table():
    """The flash of a table with an older firmware after a round."""
    flash, files = flashed()
    files.os.mkdir("journal")
    play(Recorder(Journal(OldJournal(files), TABLE.sealer, "T1", 2048), "power", DICE.randbytes, RULES))
    return flash


def ring_table(events=None):
    """The flash of a table after a round, or only some events of it, and its journal."""
    flash, _ = flashed()
    recorder = start(flash)
    play(recorder, events)
    return flash, recorder.journal


def play(recorder, events=None):
    recorder.command(1, "staff", "config", plain_config(small_config(MBS)))
    for event in small_round(MBS) if events is None else events:
        recorder.apply(event)


def old_hand_over(files):
    return hand_over(OldJournal(files), TABLE.sealer, "T1", DICE.randbytes, RULES)


def hand_over_on(flash):
    """What the firmware does on a table with a ring."""
    return lambda files: hand_over(ring_on(flash, files), TABLE.sealer, "T1", DICE.randbytes, RULES)


def ring_on(flash, files):
    return open_ring(flash, files.os, files.open, os.urandom, lambda: None, files.cost)


def format_by_mistake(flash):
    """What the stock image does at a start when the filesystem cannot be mounted."""
    flash.cells[: 2 * BLOCK] = bytes(2 * BLOCK)
    Files(flash, format_it=True)


@contextmanager
def firmware_on(flash):
    """The firmware's start as on a Pico with this flash."""
    prompt = Prompt(flash)
    own = boot.os
    with standing_in(rp2=prompt.modules["rp2"]):
        boot.os, boot.open = prompt.modules["os"], prompt.files.open  # type: ignore[attr-defined]
        boot.finding_time = prompt.files.cost
        boot.gc = SimpleNamespace(collect=lambda: None)  # type: ignore[attr-defined]
        yield
        boot.os = own


def start(flash):
    """The Recorder of a table that starts with this flash; the firmware's Refusal if it does not."""
    watchdog = SimpleNamespace(feed=lambda: None)
    with firmware_on(flash):
        table, sealer = boot.read_key()
        boot.check_files(sealer, watchdog)
        try:
            journal, more = boot.open_journal(table, sealer, watchdog.feed)
        except OSError as problem:
            raise boot.Refusal("journal_failed", str(problem)) from None
        recorder = Recorder(journal, "power", DICE.randbytes, RULES, more or ())
        if more is not None:
            boot.os.remove(CARRY_FILE)
        return recorder
