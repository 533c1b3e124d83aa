"""Opening a journal: reads every line of its last segment, and says where it stands. Checks older segments later.

Heads are checked by their seal, closed segments by the digest in the head after them. Apart from the journal,
because a table needs it for a while and a Pico has little room. Raises BrokenChain.
"""

import json
from binascii import hexlify, unhexlify
from hashlib import sha256

from shared.journal.chain import CHANGED, MISSING, UNSEALED, BrokenChain
from shared.journal.journal import DIGEST_LENGTH, HEAD, PIECE, SEALED, Lines, name_of
from shared.journal.wire import CHECK_LENGTH, MAX_LINE, BadLine, decode


def open_segments(journal, names):
    if names and Lines(journal.storage, int(names[-1])).next() is None:
        # The power went before even the head was whole, so nothing was ever kept in there.
        size = journal.storage.size(names[-1])
        if size >= MAX_LINE:
            raise BrokenChain(1, CHANGED, "head_unreadable", names[-1])
        journal.notes.append(["torn", names[-1], size])
        journal.storage.remove(names.pop())
    if not names:
        return
    journal.oldest = int(names[0])
    for place, name in enumerate(names):
        if int(name) != journal.oldest + place:
            raise BrokenChain(1, MISSING, "segment_missing", name_of(journal.oldest + place))
    number = int(names[-1])
    head = read_head(journal.storage, journal.chain.sealer, number)
    first, boot, before, _, _, block, _, acknowledged, journal.origin = head[1:10]
    journal.acknowledged = max(journal.acknowledged, acknowledged)
    journal.whole = block[0]
    journal.block = block[1:] if block[1] else None
    journal.chain.number = first - 1
    journal.chain.last = unhexlify(before)
    journal.boot = boot
    journal.begin_segment(number, first, 0)
    follow(journal)


def follow(journal):
    """Check every line of the segment that was being written."""
    name = name_of(journal.newest)
    size = journal.storage.size(name)
    lines = Lines(journal.storage, journal.newest)
    lines.end = size
    lines.next()  # the head
    while True:
        journal.size = lines.offset
        line = lines.next()
        if line is None or line[:1] != b"[":
            break  # the power went when this was being written
        journal.feed()
        boot, number, record = journal.chain.follow(line)
        journal.boot = max(journal.boot, boot)
        journal.notice(number, record, journal.chain.last)
    journal.last = journal.chain.number
    journal.seal = journal.chain.last
    journal.torn = size - journal.size
    if journal.torn > MAX_LINE or journal.last < journal.acknowledged:
        # A power cut tears what was being written, and nobody was told of that.
        raise BrokenChain(journal.chain.number + 1, CHANGED, "segment_unreadable", name)
    if journal.torn:
        journal.notes.append(["torn", name, journal.torn])


def read_head(storage, sealer, number, wanted=1):
    """The fields of a segment's head, if this table has sealed it; `wanted` is the record expected next."""
    name = name_of(number)
    line = Lines(storage, number).next()
    if line is None:
        raise BrokenChain(wanted, UNSEALED, "segment_without_head", name)
    try:
        is_ours = sealer.has_sealed(line, SEALED)
        # What this table sealed is spelled as it should be, so reading it is enough.
        message = json.loads(line[:-CHECK_LENGTH].decode()) if is_ours else decode(line)
    except BadLine as problem:
        raise BrokenChain(wanted, CHANGED, "head_damaged", name, str(problem))
    if len(message) != 11 or message[0] != HEAD:
        raise BrokenChain(wanted, UNSEALED, "segment_without_head", name)
    if not is_ours:
        raise BrokenChain(wanted, CHANGED, "head_not_sealed", name)
    return message


def check_next(journal):
    """Check one more closed segment; False once none is left."""
    number = max(journal.unchecked, journal.oldest)
    if number >= journal.newest:
        return False
    sealer = journal.chain.sealer
    first = read_head(journal.storage, sealer, number)[1]
    torn, expected = read_head(journal.storage, sealer, number + 1, first)[4:6]
    name = name_of(number)
    size = journal.storage.size(name)
    digest = segment_digest(journal, name, size - torn)
    if digest != expected and torn:
        digest = segment_digest(journal, name, size)  # by an older firmware, which digested torn lines too
    if digest != expected:
        raise BrokenChain(first, CHANGED, "segment_altered", name)
    journal.unchecked = number + 1
    return True


def segment_digest(journal, name, size):
    """The digest of a segment up to this size, read in pieces that a Pico has room for."""
    digest = sha256()
    for start in range(0, size, PIECE):
        journal.feed()
        digest.update(journal.storage.read(name, start, min(PIECE, size - start)))
    return hexlify(digest.digest()[:DIGEST_LENGTH]).decode()
