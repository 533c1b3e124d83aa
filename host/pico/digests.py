"""The digest by which table and host know that they run the same rules."""

from functools import cache
from hashlib import sha256

from host.pico.mpy import ROOT, device_sources
from shared.link.manifest import digest_of


@cache
def rules_digest() -> str:
    """Of the sources of the rules core, each with its path."""
    digest = sha256()
    for source in device_sources("shared"):
        digest.update(source.as_posix().encode() + b"\0" + (ROOT / source).read_bytes() + b"\0")
    return digest_of(digest)
