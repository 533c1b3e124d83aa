"""Keyed seals: HMAC-SHA-256 (RFC 2104) on what a stock Pico has, and arrays that end with their own seal.

MicroPython has no `hmac` and its hashes cannot be copied, so both key pads are kept ready. A sealed array is
written as its head, everything before the seal, and the seal in hex as its last element:

    ["ack",17,4,"9f2c0a4be17d55aa0c31d2e4"]
    [head------,"seal--------------------"]

A seal is cut to 96 bits and covers the bytes of the head as they are written, never what they decode to.
"""

from binascii import hexlify
from hashlib import sha256

from shared.journal.wire import body_of, checked, spell
from shared.values import const

_BLOCK = const(64)
_KEY_LENGTH = const(32)
SEAL_LENGTH = 12
_TAIL_LENGTH = const(28)  # ,"seal"]


class Sealer:
    """Seals messages with one key. There is no default key."""

    def __init__(self, key):
        if not isinstance(key, (bytes, bytearray)) or len(key) != _KEY_LENGTH:
            raise ValueError("a key has %d bytes" % _KEY_LENGTH)
        padded = bytes(key) + bytes(_BLOCK - _KEY_LENGTH)
        self.inner = bytes([byte ^ 0x36 for byte in padded])
        self.outer = bytes([byte ^ 0x5C for byte in padded])

    def digest(self, *parts):
        """The 32 bytes of HMAC over the parts one after the other."""
        inner = sha256(self.inner)
        for part in parts:
            inner.update(part)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()

    def seal(self, *parts):
        return self.digest(*parts)[:SEAL_LENGTH]

    def line(self, message, *before):
        """The line of an array with its seal, which also covers what comes `before` it."""
        head = spell(message).encode()[:-1]
        return sealed_line(head, self.seal(*(before + (head,))))

    def has_sealed(self, line, *before):
        """Whether a line (without newline) ends with its right seal; BadLine if its checksum is wrong."""
        head, mark = parted(line)
        return head is not None and same(hexlify(self.seal(*(before + (head,)))), mark)


def same(one, other):
    """Whether two seals are equal, in a time that does not tell where they differ."""
    if len(one) != len(other):
        return False
    difference = 0
    for place in range(len(one)):
        difference |= one[place] ^ other[place]
    return difference == 0


def sealed_line(head, seal):
    """The line of an array, given the bytes of its spelling up to the seal."""
    return checked(b"".join((head, b',"', hexlify(seal), b'"]')))


def unsealed(line):
    """The head and the hex seal of a line (without newline), or (None, None) if it has no seal.

    BadLine if its checksum is wrong. Only a holder of the key can say whether the seal is right.
    """
    head, mark = parted(line)
    for byte in mark or b"":
        if byte not in b"0123456789abcdef":
            return None, None
    return head, mark


def parted(line):
    """As `unsealed`, but without looking at the digits of the seal: the caller compares it with the right one."""
    body = body_of(line)
    tail = body[-_TAIL_LENGTH:]
    if len(tail) < _TAIL_LENGTH or tail[:2] != b',"' or tail[-2:] != b'"]':
        return None, None
    return body[:-_TAIL_LENGTH], tail[2:-2]
