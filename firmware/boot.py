"""Starting a table: watchdog, files against the manifest, journal, then hello. Nothing is said before.

Every failure is latched: the LED says fault, and the port says a code and what to do, over and over, until
somebody does it and switches the table off and on. The service jumper, on at the start, opens the console
instead.
"""

import gc
import os
import sys
import time
from hashlib import sha256

import machine
import micropython

from shared.manifest import KEY_FILE, MANIFEST_FILE, BadManifest, content_digest, digest_of, read_manifest
from shared.seal import Sealer
from shared.wire import encode

WATCHDOG_MS = 8000
PIECE = 1024
JOURNAL_FOLDER = "journal"
GARBAGE_BYTES = 32 * 1024  # collected after so much was allocated; seldom, for the table should soon be there
FAULT_EVERY_MS = 1000
JUMPER_PIN = 22  # where no board can be asked
LED_PIN = 25

# What the chip says it was reset by; the watchdog and a reset by program look alike.
CAUSES = {1: "power", 3: "watchdog"}


class Refusal(Exception):
    """Why the table does not start: a fault's code and a detail."""

    def __init__(self, code, detail):
        super().__init__(code)
        self.code = code
        self.detail = detail


def boot():
    """The (controller, watchdog) of a table that is ready to run; None if the console is open instead."""
    board = find_board()
    jumper = machine.Pin(board.JUMPER if board else JUMPER_PIN, machine.Pin.IN, machine.Pin.PULL_UP)
    if not jumper.value():
        print("Felt: the service jumper is on, so this is the console. Take it off and reset to run the table.")
        return None
    watchdog = machine.WDT(timeout=WATCHDOG_MS)
    micropython.kbd_intr(-1)  # Ctrl-C is a byte like any other
    gc.threshold(GARBAGE_BYTES)
    try:
        return start(board, watchdog), watchdog
    except Refusal as refusal:
        fail(board, watchdog, refusal.code, refusal.detail)
    except Exception as problem:
        fail(board, watchdog, "crashed", repr(problem))


def find_board():
    """The module of the one board that was put here; None if there is none."""
    try:
        names = [name.split(".")[0] for name in os.listdir("boards") if not name.startswith("__")]
        return getattr(__import__("boards." + names[0]), names[0])
    except (OSError, ImportError, IndexError):
        return None


def start(board, watchdog):
    if board is None:
        raise Refusal("files_changed", "no board")
    table, sealer = read_key()
    manifest, firmware = check_files(sealer, watchdog)
    # Only now is anything else loaded: the files are known to be those that were put here.
    from firmware.controller import Controller
    from firmware.flash_storage import FlashStorage
    from firmware.link import Identity, Link
    from firmware.pico import PicoHardware
    from firmware.recorder import Recorder
    from shared.chain import BrokenChain
    from shared.journal import Journal

    gc.collect()
    watchdog.feed()
    try:
        journal = Journal(FlashStorage(JOURNAL_FOLDER), sealer, table, later=True, feed=watchdog.feed)
        recorder = Recorder(journal, CAUSES.get(machine.reset_cause(), "reset"), os.urandom)
    except OSError as problem:
        raise Refusal("journal_failed", str(problem))
    except (BrokenChain, ValueError) as problem:
        raise Refusal("journal_broken", str(problem))
    link = Link(
        recorder, sealer, Identity(table, board.NAME, manifest.rules, manifest.messages, firmware), os.urandom
    )
    return Controller(recorder, link, PicoHardware(board), 0)


def read_key():
    """(the table's name, its Sealer)"""
    try:
        with open(KEY_FILE) as file:
            words = file.read().split()
        key = bytes([int(words[2][place : place + 2], 16) for place in range(0, len(words[2]), 2)])
        return words[1], Sealer(key)
    except (OSError, IndexError, ValueError):
        raise Refusal("no_key", "")


def check_files(sealer, watchdog):
    """(the manifest, its digest) if every file is as it says; files that it does not name are none of ours."""
    try:
        with open(MANIFEST_FILE, "rb") as file:
            content = file.read()
        manifest = read_manifest(sealer, content)
    except OSError:
        raise Refusal("files_changed", "no manifest")
    except BadManifest as problem:
        raise Refusal("files_changed", "manifest: %s" % problem)
    piece = bytearray(PIECE)
    for path, _, digest in manifest.files:
        watchdog.feed()
        if file_digest(path, piece) != digest:
            raise Refusal("files_changed", path)
        if path.endswith(".mpy") and is_there(path[:-3] + "py"):
            raise Refusal("files_changed", path[:-3] + "py stands before it")
    return manifest, content_digest(content)


def file_digest(path, piece):
    digest = sha256()
    view = memoryview(piece)
    try:
        with open(path, "rb") as file:
            count = file.readinto(piece)
            while count:
                digest.update(view[:count])
                count = file.readinto(piece)
    except OSError:
        return None
    return digest_of(digest)


def is_there(path):
    try:
        os.stat(path)
    except OSError:
        return False
    return True


def fail(board, watchdog, code, detail):
    """Say what is wrong until somebody does something about it."""
    from firmware.advice import advice

    led = machine.Pin(board.LED if board else LED_PIN, machine.Pin.OUT)
    line = encode(["ailing", code, detail[:100], advice(code)])
    while True:
        watchdog.feed()
        led.value(not led.value())
        sys.stdout.buffer.write(line)
        time.sleep_ms(FAULT_EVERY_MS)
