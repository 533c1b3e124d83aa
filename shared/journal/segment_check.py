"""Checking segments of a journal: their heads by the seal, and closed ones by the digest in the head after them.

Apart from the journal itself, because a table needs it for a while after its start and a Pico has little room.
Raises BrokenChain.
"""

import json
from binascii import hexlify
from hashlib import sha256

from shared.journal.chain import CHANGED, UNSEALED, BrokenChain
from shared.journal.journal import DIGEST_LENGTH, HEAD, PIECE, SEALED, Lines, name_of
from shared.journal.wire import CHECK_LENGTH, BadLine, decode


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
