"""Opening a journal: reads every line of its last segment, and says where it stands.

Apart from the journal itself, because a table needs it once and a Pico has little room. Raises BrokenChain.
"""

from binascii import unhexlify

from shared.journal.chain import CHANGED, MISSING, BrokenChain
from shared.journal.journal import FIRST, Lines, name_of
from shared.journal.segment_check import read_head
from shared.journal.wire import MAX_LINE


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
    start_from_head(journal, int(names[-1]))
    follow(journal)


def start_from_head(journal, number):
    """Stand where a segment begins, by what its head says."""
    head = read_head(journal.storage, journal.chain.sealer, number)
    first, boot, before, _, _, block, journal.round_starts, acknowledged, journal.origin = head[1:10]
    journal.acknowledged = max(journal.acknowledged, acknowledged)
    journal.whole = block[0]
    journal.block = block[1:] if block[1] else None
    journal.chain.number = first - 1
    journal.chain.last = unhexlify(before)
    journal.boot = boot
    journal.begin_segment(number, first, 0)


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
        if line is None or line[:1] != FIRST:
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
