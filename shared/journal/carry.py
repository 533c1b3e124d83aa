"""What a table brings with it: the end of its chain from another place, which becomes the beginning of a journal.

`felt flash` puts it onto a Pico as a file when a table comes from an older kind of journal, or when its Pico is
replaced. The first line is sealed with the table's key,

    ["carry",118,7,"9f2c...","61b7...",117,["replaced",...],"5b1e..."]*0f3a77c1

and names the first record that follows, the number of the last start, the seal before that record, the seal of
the chain's first one, what the host has acknowledged, and a record to be written at the next start, or null. The
records follow as they are, from one from which a replay can begin.
"""

import json
from binascii import hexlify, unhexlify

from shared.journal.chain import CHANGED, MISSING, BrokenChain
from shared.journal.wire import CHECK_LENGTH, BadLine

CARRY_FILE = "felt/carry"
CARRY = "carry"
SEALED = b"felt carry "  # comes before what the seal covers


def first_line(sealer, first, boot, before, origin, acknowledged, note):
    """The line that stands before the records; `before` is the seal of the record before the first."""
    return sealer.line([CARRY, first, boot, hexlify(before).decode(), origin, acknowledged, note], SEALED)


def read_first(sealer, file):
    """The fields of the first line; BrokenChain if the file is not this table's."""
    line = file.readline().rstrip(b"\n")
    try:
        is_ours = sealer.has_sealed(line, SEALED)
    except BadLine as problem:
        raise BrokenChain(1, CHANGED, str(problem))
    if not is_ours:
        raise BrokenChain(1, CHANGED, "carry_not_sealed")
    return json.loads(line[:-CHECK_LENGTH].decode())


def check_carry(chain, file, feed):
    """BrokenChain if the file is not this table's, or not whole: asked before anything gives way to it."""
    _, first, _, before, _, acknowledged, _, _ = read_first(chain.sealer, file)
    chain.number = first - 1
    chain.last = unhexlify(before)
    for line in file:
        feed()
        if line[-1:] != b"\n":
            raise BrokenChain(chain.number + 1, CHANGED, "carry_not_whole")
        chain.follow(line[:-1])
    if chain.number < acknowledged:
        raise BrokenChain(chain.number + 1, MISSING, "carry_not_whole")


def take_carry(journal, file):
    """Fill an empty journal with a checked file; returns the record that is to be written then, or None."""
    _, first, boot, before, journal.origin, acknowledged, note, _ = read_first(journal.chain.sealer, file)
    journal.boot = boot + 1
    journal.last = journal.chain.number = first - 1
    journal.seal = journal.chain.last = unhexlify(before)
    for line in file:
        journal.append_line(line)
    journal.acknowledge(acknowledged)
    return note
