"""Opening a journal: reads the heads of its segments and every line of the last, and says where it stands.

Apart from the journal itself, because a table needs it once and a Pico has little room. Raises BrokenChain.
"""

import json
from binascii import unhexlify

from shared.journal.chain import CHANGED, MISSING, UNSEALED, BrokenChain
from shared.journal.journal import HEAD, SEALED, Lines, Segment
from shared.journal.wire import CHECK_LENGTH, MAX_LINE, BadLine, decode


def open_segments(journal, names):
    if names and first_line(journal, names[-1]) is None:
        # The power went before even the head was whole, so nothing was ever kept in there.
        size = journal.storage.size(names[-1])
        if size >= MAX_LINE:
            raise BrokenChain(1, CHANGED, "head_unreadable", names[-1])
        journal.notes.append(["torn", names[-1], size])
        journal.storage.remove(names.pop())
    for name in names:
        journal.feed()
        line = first_line(journal, name)
        if line is None:
            raise BrokenChain(journal.chain.number + 1, UNSEALED, "segment_without_head", name)
        segment = read_head(journal, name, line)
        journal.segments.append(segment)
        if name == names[-1]:
            follow(journal, segment)
        elif journal.later:
            journal.unchecked.append(segment)
        else:
            # Closed: the next head says by this digest whether every byte is as it was.
            segment.digest = journal.segment_digest(name)


def first_line(journal, name):
    return Lines(journal.storage, name, 0, journal.storage.size(name)).next()


def follow(journal, segment):
    """Check every line of the segment that was being written."""
    size = journal.storage.size(segment.name)
    lines = Lines(journal.storage, segment.name, 0, size)
    lines.next()  # the head
    while True:
        line = lines.next()
        if line is None:
            break
        journal.feed()
        boot, number, record = journal.chain.follow(line)
        journal.boot = max(journal.boot, boot)
        journal.notice(number, record, journal.chain.last)
    segment.size = lines.offset
    segment.torn = size - segment.size
    if segment.torn >= MAX_LINE:
        # A power cut tears one line at most.
        raise BrokenChain(journal.chain.number + 1, CHANGED, "segment_unreadable", segment.name)
    segment.last = journal.chain.number
    segment.seal = journal.chain.last
    if segment.torn:
        journal.notes.append(["torn", segment.name, segment.torn])


def read_head(journal, name, line):
    """Check a segment's head against the one before, or start the chain with it if it is the first."""
    wanted = journal.segments[-1].first if journal.segments else 1
    try:
        is_ours = journal.chain.sealer.has_sealed(line, SEALED)
        # What this table sealed is spelled as it should be, so reading it is enough.
        message = json.loads(line[:-CHECK_LENGTH].decode()) if is_ours else decode(line)
    except BadLine as problem:
        raise BrokenChain(wanted, CHANGED, "head_damaged", name, str(problem))
    if len(message) != 11 or message[0] != HEAD:
        raise BrokenChain(wanted, UNSEALED, "segment_without_head", name)
    if not is_ours:
        raise BrokenChain(wanted, CHANGED, "head_not_sealed", name)
    first, boot, before, torn, digest, block, journal.round_starts, acknowledged, journal.origin = message[1:10]
    journal.acknowledged = max(journal.acknowledged, acknowledged)
    if journal.segments:
        previous = journal.segments[-1]
        if int(name) != int(previous.name) + 1:
            raise BrokenChain(wanted, MISSING, "segment_missing", "%08d" % (int(previous.name) + 1))
        if journal.later:
            previous.digest = digest
        elif digest != previous.digest:
            raise BrokenChain(wanted, CHANGED, "segment_altered", previous.name)
        previous.torn = torn
        previous.size = journal.storage.size(previous.name) - torn
        previous.last = first - 1
    journal.whole = block[0]
    journal.block = block[1:] if block[1] else None
    journal.chain.number = first - 1
    journal.chain.last = unhexlify(before)
    journal.boot = max(journal.boot, boot)
    return Segment(name, first, journal.chain.last)
