"""Keyed seals: HMAC-SHA-256 (RFC 2104) on what a stock Pico has, and comparing without haste.

MicroPython has no `hmac` and its hashes cannot be copied, so both key pads are kept ready.
"""

from hashlib import sha256

BLOCK = 64
KEY_LENGTH = 32


class Sealer:
    """Seals messages with one key. There is no default key."""

    def __init__(self, key):
        if not isinstance(key, (bytes, bytearray)) or len(key) != KEY_LENGTH:
            raise ValueError("a key has %d bytes" % KEY_LENGTH)
        padded = bytes(key) + bytes(BLOCK - KEY_LENGTH)
        self.inner = bytes([byte ^ 0x36 for byte in padded])
        self.outer = bytes([byte ^ 0x5C for byte in padded])

    def seal(self, *parts):
        """The 32 bytes of HMAC over the parts one after the other."""
        inner = sha256(self.inner)
        for part in parts:
            inner.update(part)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()


def same(one, other):
    """Whether two seals are equal, in a time that does not tell where they differ."""
    if len(one) != len(other):
        return False
    difference = 0
    for place in range(len(one)):
        difference |= one[place] ^ other[place]
    return difference == 0
