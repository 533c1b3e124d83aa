"""Follows a table's chain with what CPython's library has: hashes that can be copied, a comparison in constant
time, and JSON's reader without its preliminaries. A line that does not fit is left to shared/journal/chain.py,
which says why.
"""

from hashlib import sha256
from hmac import compare_digest
from json import JSONDecoder
from typing import Any

from shared.journal.chain import Chain
from shared.journal.seal import _TAIL_LENGTH, SEAL_LENGTH, Sealer, sealed_line
from shared.journal.wire import CHECK_LENGTH

read_json = JSONDecoder().raw_decode


class FastChain(Chain):
    def __init__(self, sealer: Sealer, table: str, number: int = 0, last: bytes | None = None) -> None:
        super().__init__(sealer, table, number, last)
        self.inner = sha256(sealer.inner)
        self.outer = sha256(sealer.outer)

    def follow(self, line: bytes) -> tuple[int, int, list[Any]]:
        """Check the next line (without newline) and move on; returns (boot, number, record)."""
        found = self.read_next(line)
        if found is None:
            return super().follow(line)
        (_, boot, number, record), seal = found
        self.move(seal)
        return boot, number, record

    def read_next(self, line: bytes) -> tuple[list[Any], bytes] | None:
        """The message and its seal, if it is plainly the next one."""
        try:
            head = line[: -_TAIL_LENGTH - CHECK_LENGTH]
            seal = self.seal_of(head)
            if not compare_digest(sealed_line(head, seal), line + b"\n"):
                return None
            text = head.decode() + "]"
            message, end = read_json(text)
        except ValueError:
            return None
        is_next = isinstance(message, list) and len(message) == 4 and message[2] == self.number + 1
        return (message, seal) if is_next and end == len(text) else None

    def seal_of(self, head: bytes) -> bytes:
        """As the sealer makes it of the last seal and this head."""
        inner = self.inner.copy()
        inner.update(self.last)
        inner.update(head)
        outer = self.outer.copy()
        outer.update(inner.digest())
        return outer.digest()[:SEAL_LENGTH]
