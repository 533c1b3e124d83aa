"""The journal: records kept on flash, sealed in a chain, until the host has them and the rounds are old.

It is a row of numbered segments. A segment begins with a sealed head,

    ["seg",17,3,"9f2c...",0,"61b7...",[12,0,0],[],16,"c01d...","5b1e..."]*0f3a77c1

which names its first record, the boot that began it, the seal before it, how many bytes at the end of the
segment before do not count, the digest of the others, from where a replay can begin, an empty list (in which
older firmware told where rounds begin), what the host has acknowledged, and the seal of the chain's first record.
So a segment can be verified though older ones are gone, and a closed one by its digest alone. Segments only grow.
A line that a power cut tore is left where it is, and the next segment says so. After a failure of the storage
nothing more is written until the journal is opened again: only that tells what got there.

The storage is handed in. Its segments have names of eight digits: names(), size(name), read(name, start, count),
append(name, data), which must be durable when it returns, and remove(name). If the power goes during an append,
its end or its first byte must be missing, so that what is torn can be told from what was changed. `capacity` says
how many segments it holds, ready() how many can be begun at once, and prepare() makes one more ready, or returns
False.

A Pico has room for one segment's details, so it looks up the others in their heads when it must.
"""

from binascii import hexlify
from hashlib import sha256

from shared.journal.chain import CHANGED, BrokenChain, Chain
from shared.journal.seal import unsealed
from shared.journal.wire import MAX_LINE
from shared.values import const

HEAD = "seg"
SEALED = b"felt segment "  # comes before what the seal of a head covers
_SEGMENT_BYTES = const(4064)  # a sector of flash without its header
SEGMENTS = 150
_ROUND_BYTES = const(64 * 1024)  # what the longest round may need; without that much room none is opened
_TIGHT_BYTES = const(100 * 1024)  # beside it, for what must be written: a round's end, and starts of the table
_READY = const(24)  # segments that wait for the next round, so that none must be made ready while cards come
_NEXT_BYTES = const(320)  # that a card's records take at most
_WRITE_BYTES = const(512)  # records that follow from one event are written together, so much at a time
PIECE = 512
DIGEST_LENGTH = 16
_NUMBER_BYTES = const(24)  # of a head, which hold the number of its first record
_ANY = const(1 << 20)  # bytes; no segment is longer

# Records that say how the table stands, from where a replay can begin: how many, then each. Before a round they
# count once it has opened (a command may stand between), else as soon as they are all there.
BEGIN = "begin"
OPENING = "open"
_BLOCK_RECORDS = const(("begin", "config", "carried", "command"))


class JournalFull(Exception):
    """There is no room and nothing that may go: the host has not acknowledged what is here."""


class JournalFailed(OSError):
    """The storage failed before; the journal must be opened again."""


class SegmentFailed(OSError):
    """A segment does not take what it is given; another one may."""


class Journal:
    """`boot` is this start's number; `notes` say what opening found. Opening raises BrokenChain.

    `feed` is called while much is read or written, for a watchdog.

    With `later` closed segments are not checked at once, which takes a Pico seconds for all of them, but by
    `check_some`. The last segment is checked before anything else all the same, and a host that is sent an older
    line checks it too.
    """

    def __init__(self, storage, sealer, table, segment_bytes=_SEGMENT_BYTES, later=False, feed=lambda: None):
        self.storage = storage
        self.feed = feed
        self.chain = Chain(sealer, table)
        self.segment_bytes = segment_bytes
        self.acknowledged = 0
        self.whole = 0  # the last record from which a replay can begin
        self.block = None  # [first record, how many follow, whether a round opens] of one that does not count yet
        self.origin = ""  # the hex seal of the first record, by which the chain is known
        self.has_failed = False
        self.notes = []
        self.recent = []  # the lines written last, which are asked for next and need not be read again
        self.recent_first = 0
        self.oldest = 1  # the numbers of the segments that are here
        self.newest = 0
        # Of the newest:
        self.name = name_of(0)
        self.first_in_newest = 1  # number of its first record
        self.last = 0  # and of its last one
        self.seal = self.chain.last  # of that
        self.size = 0  # of its whole lines
        self.torn = 0  # bytes after them
        self.digest = sha256()
        self.digested = 0  # bytes that are in the digest
        self.found = (0, 0)  # (a record, the segment in which a search found it)
        self.needed = (1, 0)  # (the oldest segment that may not go, its last record)
        self.unchecked = 1  # the segment that is checked next
        self.is_ready = False  # nothing can be made ready before something changes
        self.boot = 0
        from shared.journal.journal_opening import open_segments  # here, as it makes room once the table runs

        open_segments(self, sorted(storage.names()))
        self.boot += 1
        while not later and self.check_some():
            pass

    def check_some(self):
        """Check one more of the closed segments; False once none is left. BrokenChain as on opening."""
        from shared.journal.journal_opening import check_next

        return check_next(self)

    # -- writing

    def append(self, record):
        self.append_all([record])

    def append_all(self, records):
        """Keep records; when this returns their lines are on flash. JournalFull, or what the storage raises."""
        if self.has_failed:
            raise JournalFailed("the journal failed before and was not opened again")
        batch = []  # (line, seal, record)
        batched = 0
        try:
            for record in records:
                line, seal = self.chain.next_line(self.boot, record)
                fits = self.fits(batched + len(line))
                if batch and (not fits or batched + len(line) > _WRITE_BYTES):
                    whole, batch, batched = batch, [], 0
                    self.write(whole)
                if not fits:
                    self.new_segment()
                batch.append((line, seal, record))
                batched += len(line)
                self.chain.move(seal)
        finally:
            # Also if a record is too long for a line: what came before it is kept.
            self.write(batch)

    def append_line(self, line):
        """Keep a line that was sealed elsewhere, the next of the chain."""
        boot, _, record = self.chain.follow(line.rstrip(b"\n"))
        self.boot = max(self.boot, boot + 1)
        if not self.fits(len(line)):
            self.new_segment()
        self.write([(line, self.chain.last, record)])

    def fits(self, size):
        if self.newest < self.oldest or self.torn:
            return False
        return self.size + size <= self.segment_bytes

    def write(self, batch):
        """Append lines that the chain has moved past."""
        if not batch:
            return
        lines = [line for line, _, _ in batch]
        data = b"".join(lines)
        self.feed()  # one event of a full table may take seconds to write
        while True:
            try:
                self.store(self.name, data)
                self.has_failed = False
                break
            except SegmentFailed:
                # Written once more in another segment, whose head says that they do not count in this one.
                self.has_failed = True  # until they are there
                self.new_segment()
        self.recent = lines
        self.recent_first = self.last + 1
        for line, seal, record in batch:
            self.size += len(line)
            self.last += 1
            self.seal = seal
            self.notice(self.last, record, seal)

    def new_segment(self):
        torn, digest = 0, ""
        if self.newest >= self.oldest:
            torn = self.storage.size(name_of(self.newest)) - self.size
            while self.digest_some():
                self.feed()
            digest = hexlify(self.digest.digest()[:DIGEST_LENGTH]).decode()
        head = [HEAD, self.last + 1, self.boot, hexlify(self.seal).decode(), torn, digest]
        head += [[self.whole] + (self.block or [0, 0, False]), [], self.acknowledged, self.origin]
        line = self.chain.sealer.line(head, SEALED)
        while True:
            while self.newest - self.oldest + 1 >= self.storage.capacity:
                if not self.drop():
                    raise JournalFull()
            try:
                # Numbered through, not named by its first record: after a torn one two begin with the same.
                self.store(name_of(self.newest + 1), line)
                break
            except SegmentFailed:
                pass  # the storage has got smaller
        self.begin_segment(self.newest + 1, self.last + 1, len(line))

    def begin_segment(self, number, first, size):
        """From now on this is the newest segment."""
        self.newest = number
        self.name = name_of(number)
        self.is_ready = False
        self.first_in_newest = first
        self.size = size
        self.torn = 0
        self.digest = sha256()
        self.digested = 0

    def store(self, name, data):
        try:
            self.storage.append(name, data)
        except SegmentFailed:
            raise
        except Exception:
            self.has_failed = True
            raise

    def digest_some(self):
        """Digest one more piece of the newest segment; False once all of it is. Done ahead when there is time."""
        count = min(PIECE, self.size - self.digested)
        if count:
            self.digest.update(self.storage.read(name_of(self.newest), self.digested, count))
            self.digested += count
        return self.digested < self.size

    def prepare(self):
        """Make one more segment ready for the next round, by dropping old ones; False if nothing needs it.

        It may take long, so it is asked for while no card can come. It is asked in every pass of the table.
        """
        if self.is_ready:
            return False
        if self.storage.ready() < _READY and (self.storage.prepare() or self.drop()):
            return True
        self.is_ready = True
        return False

    def settle_down(self, is_dealing):
        """Do ahead, while nobody waits for a record, what one of the next would have to wait for: digest what was
        written and, while cards come, begin a new segment where the next records may not fit."""
        if self.has_failed or self.digest_some() or self.segment_bytes - self.size >= _NEXT_BYTES:
            return
        has_room = self.storage.ready() and self.newest - self.oldest + 1 < self.storage.capacity
        if is_dealing and has_room and self.last >= self.first_in_newest:
            self.new_segment()

    def drop(self):
        """Let the oldest segment go, if it may."""
        if self.oldest >= self.oldest_needed():
            return False
        self.storage.remove(name_of(self.oldest))
        self.oldest += 1
        return True

    def oldest_needed(self):
        """The oldest segment that may not go: the host lacks some of it, or a replay needs it.

        Ten rounds stay for recall, and more, as a segment is dropped when its room is needed and not before.
        """
        unneeded = min(self.acknowledged, (self.whole or 1) - 1)
        if self.needed[1] <= unneeded and self.needed[0] < self.newest:
            number = self.segment_with(unneeded + 1)
            last = self.first_of(number + 1) - 1 if number < self.newest else unneeded
            self.needed = (number, last)
        return max(self.needed[0], self.oldest)

    def used(self):
        """Bytes that are taken, by whole segments but for the newest."""
        return max(0, self.newest - self.oldest) * self.segment_bytes + self.size

    def free(self):
        """Room for records, that which may be freed included; asked for at every event, so it must be quick.

        A segment is not filled to its end, as it has a head and as no line goes over its end.
        """
        segments = self.storage.capacity - 1 - (self.newest - self.oldest_needed())
        return segments * (self.segment_bytes * 7 // 8) + max(0, self.segment_bytes - MAX_LINE - self.size)

    def has_room_for_round(self):
        """Whether a round may open: its longest course fits, and what must be written beside it."""
        return self.free() >= _ROUND_BYTES + _TIGHT_BYTES

    def since_whole(self):
        """Bytes that cannot go because a replay begins before them."""
        if self.found[0] != self.whole:
            self.found = (self.whole, self.segment_with(self.whole))
        return (self.newest - self.found[1]) * self.segment_bytes + self.size

    def notice(self, number, record, seal):
        """Remember from where the table can be replayed, and where each round began."""
        name = record[0]
        if number == 1:
            self.origin = hexlify(seal).decode()
        if name == BEGIN:
            self.block = [number, record[1], record[2] == OPENING]
        elif name == "event" and record[2][0] == "open":
            if self.block:
                self.whole = self.block[0]
                self.is_ready = False
            self.block = None
        elif name not in _BLOCK_RECORDS:
            self.block = None  # the power went before it was whole
        if self.block and not self.block[2] and number == self.block[0] + self.block[1]:
            self.whole = self.block[0]
            self.block = None
            self.is_ready = False

    # -- reading

    def acknowledge(self, number):
        """The host has committed everything up to this record."""
        self.acknowledged = max(self.acknowledged, min(number, self.chain.number))
        self.is_ready = False

    def first(self):
        """The number of the oldest record that is still here."""
        return self.first_of(self.oldest)

    def first_of(self, number):
        """The number of a segment's first record."""
        if number >= self.newest:
            return self.first_in_newest
        name = name_of(number)
        try:
            return int(self.storage.read(name, 0, _NUMBER_BYTES).split(b",")[1])
        except (ValueError, IndexError):
            raise BrokenChain(1, CHANGED, "head_unreadable", name)

    def segment_with(self, record):
        """The segment in which a record is, or the nearest."""
        low, high = self.oldest, self.newest
        while low < high:
            middle = (low + high + 1) // 2
            if self.first_of(middle) <= record:
                low = middle
            else:
                high = middle - 1
        return low

    def seal_of(self, number):
        """The hex seal of a record, also of the one just before the oldest here; None if it is not known."""
        first = self.first()
        if number == self.chain.number:
            return hexlify(self.chain.last)
        if number == first - 1:
            return Lines(self.storage, self.oldest).next().split(b'"')[3]
        line = Reader(self, number).next() if first <= number < self.chain.number else None
        return unsealed(line)[1] if line else None

    def lines_from(self, number):
        """The kept lines (without newline) from this record on."""
        reader = Reader(self, number)
        while True:
            line = reader.next()
            if line is None:
                return
            yield line


class Reader:
    """Reads lines one after the other from a record on, also those written meanwhile."""

    def __init__(self, journal, number):
        self.journal = journal
        self.seek(number)

    def seek(self, number):
        """Go to a record, or to the oldest after it."""
        self.number = max(number, self.journal.first())  # of the next line
        self.segment = 0
        self.last = 0  # record in that segment, if it is closed
        self.lines = None

    def next(self):
        """The next line without its newline, or None if there is none yet."""
        journal = self.journal
        if self.number > journal.last:
            if self.segment < journal.newest:
                self.find()  # where the next line will be, while nobody waits for it
            return None
        place = self.number - journal.recent_first
        if 0 <= place < len(journal.recent) and self.segment == journal.newest and not self.lines.ahead:
            line = journal.recent[place]
            self.number += 1
            self.lines.offset += len(line)
            return line[:-1]
        if journal.oldest <= self.segment < journal.newest and not self.last:
            self.last = journal.first_of(self.segment + 1) - 1  # it was closed meanwhile
        if self.segment < journal.oldest or (self.last and self.number > self.last):
            self.find()
        self.see_end()
        line = self.lines.next()
        self.number += 1
        return line

    def see_end(self):
        """Read no further than what is written."""
        self.lines.end = self.journal.size if self.segment == self.journal.newest else _ANY

    def find(self):
        journal = self.journal
        self.number = max(self.number, journal.first())
        self.segment = journal.segment_with(self.number)
        self.last = 0
        self.lines = Lines(journal.storage, self.segment)
        self.see_end()
        for _ in range(1 + self.number - journal.first_of(self.segment)):  # its head, and the records before
            self.lines.next()


class Lines:
    """Splits a segment into lines, reading it in pieces; `offset` is where the next line begins."""

    def __init__(self, storage, number):
        self.storage = storage
        self.name = name_of(number)
        self.offset = 0
        self.end = _ANY  # of what is to be read
        self.ahead = b""

    def next(self):
        """The next whole line without its newline, or None."""
        place = self.ahead.find(b"\n")
        while place < 0:
            start = self.offset + len(self.ahead)
            if start >= self.end or len(self.ahead) > MAX_LINE:
                return None
            more = self.storage.read(self.name, start, min(PIECE, self.end - start))
            if not more:
                return None
            self.ahead += more
            place = self.ahead.find(b"\n")
        line = self.ahead[:place]
        self.ahead = self.ahead[place + 1 :]
        self.offset += place + 1
        return line


def name_of(number):
    return "%08d" % number
