"""The chain: each record's line carries a seal over itself and over the seal before it.

    ["rec",3,17,["state","betting","3.4"],"9f2c0a4be17d55aa0c31d2e4"]*0f3a77c1

The seal covers the boot number, the record number and the record's own bytes as they are written, so a
changed, missing, moved or foreign line shows; no clock is in it. A chain begins with the seal of its
table's name, so a line of one table never fits another's.
"""

import json
from binascii import hexlify

from shared.journal.seal import parted, same, sealed_line, unsealed
from shared.journal.wire import CHECK_LENGTH, BadLine, decode, spell
from shared.values import const

_RECORD = const("rec")

# How a line can break the chain, or a record the log.
CHANGED = "changed"
MISSING = "missing"
_REORDERED = const("reordered")
UNSEALED = "unsealed"
DIFFERENT = "different"  # sealed, but not what the rules make of the events before it


class BrokenChain(ValueError):
    """Where and how a chain is broken: the record number expected there, one of the words above, and a code with
    its fields, all texts, for host.words.faults. Codes are long, as MicroPython keeps short texts for good."""

    def __init__(self, number, how, *detail):
        super().__init__(" ".join((str(number), how) + detail))
        self.number = number
        self.how = how
        self.detail = detail


class Chain:
    """The end of a chain: what the next record's seal is made with."""

    def __init__(self, sealer, table, number=0, last=None):
        self.sealer = sealer
        self.number = number  # of the last record
        self.last = last if last is not None else sealer.seal(b"felt chain ", table.encode())

    def write(self, boot, record):
        """The line of the next record; the chain moves on."""
        line, seal = self.next_line(boot, record)
        self.move(seal)
        return line

    def next_line(self, boot, record):
        """The line of the next record and its seal; the chain moves on with `move`."""
        head = spell([_RECORD, boot, self.number + 1, record]).encode()[:-1]  # a text would be looked for
        seal = self.sealer.seal(self.last, head)
        return sealed_line(head, seal), seal

    def move(self, seal):
        self.last = seal
        self.number += 1

    def follow(self, line):
        """Check the next line (without newline) and move on; returns (boot, number, record)."""
        wanted = self.number + 1
        try:
            head, mark = parted(line)
        except BadLine as problem:
            raise BrokenChain(wanted, CHANGED, str(problem))
        if head is None:
            raise BrokenChain(wanted, UNSEALED, "not_a_sealed_record")
        expected = self.sealer.seal(self.last, head)
        if not same(hexlify(expected), mark):
            self.explain(line, wanted)
        # A holder of the key wrote these bytes, in their one spelling, so reading them is enough.
        boot, number, record = json.loads(head.decode() + "]")[1:]
        if number != wanted:
            raise BrokenChain(wanted, how_broken(number, wanted), "other_number", str(number))
        self.last = expected
        self.number = wanted
        return boot, number, record

    def explain(self, line, wanted):
        """Raise what is wrong with a line whose seal does not fit."""
        try:
            message = decode(line)
        except BadLine as problem:
            raise BrokenChain(wanted, CHANGED, str(problem))
        if unsealed(line)[0] is None or len(message) != 5 or message[0] != _RECORD:
            raise BrokenChain(wanted, UNSEALED, "not_a_sealed_record")
        raise BrokenChain(wanted, how_broken(message[2], wanted), "seal_does_not_fit")


def how_broken(number, wanted):
    """A line that is not the next one: later ones show that some are missing, earlier ones came twice."""
    if not isinstance(number, int) or number == wanted:
        return CHANGED
    return MISSING if number > wanted else _REORDERED


def record_of(line):
    """The record in a line that has been verified before."""
    return json.loads(line[:-CHECK_LENGTH].decode())[3]
