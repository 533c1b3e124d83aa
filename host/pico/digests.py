"""The digest by which table and host know that they run the same rules."""

from functools import cache
from pathlib import PurePosixPath

from host.pico.mpy import ROOT, device_sources
from host.source_digest import source_digest


@cache
def rules_digest() -> str:
    """Of the rules core that is installed here."""
    sources = device_sources("shared")
    return source_digest({PurePosixPath(source): (ROOT / source).read_bytes() for source in sources})
