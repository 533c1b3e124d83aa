"""The digests by which table, host and test bench know that they run the same rules, and the same firmware."""

from functools import cache
from pathlib import PurePosixPath

from host.pico.mpy import ROOT, compile_room, device_sources
from host.source_digest import source_digest


@cache
def rules_digest() -> str:
    """Of the rules core that is installed here."""
    sources = device_sources("shared")
    return source_digest({PurePosixPath(source): (ROOT / source).read_bytes() for source in sources})


@cache
def firmware_digest() -> str:
    """Of the firmware as it is built here: every compiled file that a table's filesystem may hold."""
    rooms = [compile_room(room) for room in ("shared", "firmware", "boards")]
    return source_digest({PurePosixPath(path): code for room in rooms for path, code in room.items()})
