"""Starting a table: files against the manifest, journal, then hello. Nothing is said before.

main.py has looked at the service jumper and started the watchdog. Every failure is a Refusal, which it says over
and over until somebody does something about it and switches the table off and on.
"""

import gc
import os
import sys
import time
from hashlib import sha256

import machine

from shared.journal.seal import Sealer
from shared.link.manifest import KEY_FILE, MANIFEST_FILE, BadManifest, content_digest, digest_of, read_manifest
from shared.values import const

_PIECE = const(1024)
_OLD_JOURNAL = const("journal")  # files of an older firmware, which `felt flash` brings into the ring
_CARRY_FILE = const("felt/carry")  # as in shared/journal/carry.py, which is seldom loaded
_GARBAGE_BYTES = const(32 * 1024)  # collected after so much; seldom, for the table should soon be there


class Refusal(Exception):
    """Why the table does not start: a fault's code, a detail, and if the board is known, the LED to show it."""

    def __init__(self, code, detail, led=None):
        super().__init__(code)
        self.why = (code, detail, led)


def boot(watchdog):
    """The Controller of a table that is ready to run."""
    gc.threshold(-1)  # many files are opened, of which nothing stays
    table, sealer = read_key()
    manifest, firmware = check_files(sealer, watchdog)
    board = find_board(manifest.board)
    # Only now is anything else loaded: the files are known to be those that were put here.
    try:
        return start(table, sealer, manifest, firmware, board, watchdog)
    except Refusal:
        raise
    except Exception as problem:
        raise Refusal("crashed", repr(problem), board.LED)


def start(table, sealer, manifest, firmware, board, watchdog):
    from firmware.link import Identity, Link, hello_of
    from shared.journal.chain import BrokenChain

    watchdog.feed()
    try:
        journal, more = open_journal(table, sealer, watchdog.feed)
        # Said before the rest is loaded and the round stands again, which takes seconds at a full table.
        identity = Identity(table, board.NAME, manifest.rules, manifest.messages, firmware)
        hello = hello_of(identity, journal.boot, os.urandom)
        sys.stdout.buffer.write(hello + b"\n")
        from firmware.controller import Controller
        from firmware.pico import PicoHardware
        from firmware.recorder import Recorder
        from firmware.service_marks import news, told

        gc.collect()
        gc.threshold(_GARBAGE_BYTES)
        # The watchdog and a reset by program look alike.
        cause = {1: "power", 3: "watchdog"}.get(machine.reset_cause(), "reset")
        is_carried = more is not None
        more = (more or []) + news(firmware, is_carried or journal.chain.number == 0)

        def all_told():
            if is_carried:
                os.remove(_CARRY_FILE)  # first, as a start that still finds it begins the journal anew
            told(firmware)

        recorder = Recorder(journal, cause, os.urandom, manifest.rules, more, firmware, all_told)
    except OSError as problem:
        raise Refusal("journal_failed", str(problem), board.LED)
    except (BrokenChain, ValueError) as problem:
        raise Refusal("journal_broken", str(problem), board.LED)
    link = Link(recorder, sealer, identity, os.urandom, hello)
    return Controller(recorder, link, PicoHardware(board), 0)


def open_journal(table, sealer, feed):
    """The journal, and a list of records to be written first if it begins with what the table brought along."""
    import rp2

    from shared.journal.chain import Chain
    from shared.journal.journal import Journal
    from shared.journal.ring import Ring
    from shared.journal.ring_making import find_ring

    if is_there(_OLD_JOURNAL):
        raise OSError("old_journal")
    flash = rp2.Flash()
    found = find_ring(flash, os, open, os.urandom, feed, finding_time)
    gc.collect()  # the files that were opened, so that nothing that stays lies behind them
    ring = Ring(flash, *found)
    if not is_there(_CARRY_FILE):
        return Journal(ring, sealer, table, later=True, feed=feed), None
    from shared.journal.carry import check_carry, take_carry

    with open(_CARRY_FILE, "rb") as file:
        check_carry(Chain(sealer, table), file, feed)
        file.seek(0)
        for name in ring.names():
            ring.remove(name)  # of a start that was cut short
        journal = Journal(ring, sealer, table, feed=feed)
        note = take_carry(journal, file)
    return journal, [note] if note else []


def finding_time(path):
    """Microseconds that it takes to find a file, the best of three. It makes next to no garbage, so that nothing
    is collected meanwhile."""
    best = 1 << 29
    for _ in range(3):
        begun = time.ticks_us()
        os.stat(path)
        best = min(best, time.ticks_diff(time.ticks_us(), begun))
    return best


def is_there(path):
    """Whether there is a file, or a folder with something in it."""
    try:
        return bool(os.stat(path)[6] or os.listdir(path))
    except OSError:
        return False


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
    """(the manifest, its digest) if every file is as it says and there is no program that it does not name."""
    try:
        with open(MANIFEST_FILE, "rb") as file:
            content = file.read()
        manifest = read_manifest(sealer, content)
    except OSError:
        raise Refusal("files_changed", "no_manifest")
    except BadManifest as problem:
        raise Refusal("files_changed", str(problem))
    piece = bytearray(_PIECE)
    named = {}
    for path, _, digest in manifest.files:
        watchdog.feed()
        if file_digest(path, piece) != digest:
            raise Refusal("files_changed", path)
        folder, _, name = path.rpartition("/")
        named.setdefault(folder, []).append(name)
    for folder in named:
        for name in os.listdir(folder):
            is_program = name.endswith(".py") or name.endswith(".mpy")  # noqa: PIE810 (MicroPython takes no tuple)
            if is_program and name not in named[folder]:
                raise Refusal("files_changed", (folder + "/" + name).lstrip("/"))
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


def find_board(name):
    """The module of the board that the manifest names, whose file has been checked with the others."""
    try:
        return getattr(__import__("boards." + name), name)
    except ImportError:
        raise Refusal("files_changed", "no_such_board " + name)
