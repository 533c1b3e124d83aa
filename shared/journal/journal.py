"""The journal: records kept on flash, sealed in a chain, until the host has them and the rounds are old.

It is a row of numbered segment files. A segment begins with a sealed head,

    ["seg",17,3,"9f2c...",0,"61b7...",[12,0,0],[3,12],16,"c01d...","5b1e..."]*0f3a77c1

which names its first record, the boot that began it, the seal before it, how many bytes at the end of the
segment before are a torn line, the digest of that whole segment, where the rounds kept for recall begin, what
the host has acknowledged, and the seal of the chain's first record. So a segment can be verified though older
ones are gone, and a closed one by its digest alone. Files only grow. A line that a power cut tore is left where
it is, and the next segment says so. After a failure of the storage nothing more is written until the journal is
opened again: only that tells what got there.

The storage is handed in: names(), size(name), read(name, start, count), append(name, data), which must be
durable when it returns, and remove(name).
"""

from binascii import hexlify
from hashlib import sha256

from shared.journal.chain import CHANGED, BrokenChain, Chain
from shared.journal.seal import unsealed
from shared.journal.wire import MAX_LINE
from shared.values import const

HEAD = "seg"
SEALED = b"felt segment "  # comes before what the seal of a head covers
SEGMENT_BYTES = 16 * 1024
TOTAL_BYTES = 512 * 1024
ROUND_BYTES = 64 * 1024  # what the longest round may need; without that much room none is opened
TIGHT_BYTES = 96 * 1024  # beside it, for what must be written: a round's end, and starts of the table
_RECALLED_ROUNDS = const(10)
_WRITE_BYTES = const(1024)  # records that follow from one event are written together, so much at a time
PIECE = 512
DIGEST_LENGTH = 16

# Records that say how the table stands, from where a replay can begin: how many, then each. Before a round they
# count once it has opened (a command may stand between), else as soon as they are all there.
BEGIN = "begin"
OPENING = "open"
BLOCK_RECORDS = (BEGIN, "config", "carried", "command")


class JournalFull(Exception):
    """There is no room and nothing that may go: the host has not acknowledged what is here."""


class JournalFailed(OSError):
    """The storage failed before; the journal must be opened again."""


class Segment:
    def __init__(self, name, first, before):
        self.name = name
        self.first = first  # number of its first record
        self.before = before  # the seal before that
        self.last = first - 1  # number of its last one
        self.seal = before  # of that
        self.size = 0  # of its whole lines
        self.torn = 0  # bytes after them
        self.digest = ""  # once it is closed


class Journal:
    """`boot` is this start's number; `notes` say what opening found. Opening raises BrokenChain.

    `feed` is called while much is read or written, for a watchdog.

    With `later` closed segments are not digested at once, which takes a Pico a second for all of them, but by
    `check_some`. Their heads and the last segment are checked before anything else all the same, and a host
    that is sent an older line checks it too.
    """

    def __init__(
        self,
        storage,
        sealer,
        table,
        segment_bytes=SEGMENT_BYTES,
        total_bytes=TOTAL_BYTES,
        later=False,
        feed=lambda: None,
    ):
        self.storage = storage
        self.feed = feed
        self.chain = Chain(sealer, table)
        self.segment_bytes = segment_bytes
        self.total_bytes = total_bytes
        self.acknowledged = 0
        self.whole = 0  # the last record from which a replay can begin
        self.block = None  # [first record, how many follow, whether a round opens] of one that does not count yet
        self.origin = ""  # the hex seal of the first record, by which the chain is known
        self.has_failed = False
        self.round_starts = []  # where each round kept for recall can be replayed from
        self.notes = []
        self.later = later
        self.unchecked = []  # closed segments whose digest is still to be compared
        self.checking = None  # [segment, offset, digest so far]
        self.recent = []  # the lines written last, which are asked for next and need not be read again
        self.recent_first = 0
        self.segments = []
        self.boot = 0
        from shared.journal.journal_opening import open_segments  # here, as it makes room once the table runs

        open_segments(self, sorted(storage.names()))
        self.boot += 1

    def check_some(self):
        """Digest one more piece of what was put off; False once nothing is left. BrokenChain as on opening."""
        if self.checking is None:
            if not self.unchecked:
                return False
            self.checking = [self.unchecked.pop(0), 0, sha256()]
        segment, offset, digest = self.checking
        if segment not in self.segments:
            self.checking = None  # it was dropped meanwhile
            return True
        size = segment.size + segment.torn
        digest.update(self.storage.read(segment.name, offset, min(PIECE, size - offset)))
        self.checking[1] = offset + PIECE
        if offset + PIECE >= size:
            self.checking = None
            if hexlify(digest.digest()[:DIGEST_LENGTH]).decode() != segment.digest:
                raise BrokenChain(segment.first, CHANGED, "segment_altered", segment.name)
        return True

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

    def fits(self, size):
        segment = self.segments[-1] if self.segments else None
        if segment is None or segment.torn or segment.digest:
            return False
        return segment.size + size <= self.segment_bytes

    def write(self, batch):
        """Append lines that the chain has moved past."""
        if not batch:
            return
        segment = self.segments[-1]
        lines = [line for line, _, _ in batch]
        self.feed()  # one event of a full table may take seconds to write
        self.store(segment.name, b"".join(lines))
        self.recent = lines
        self.recent_first = segment.last + 1
        for line, seal, record in batch:
            segment.size += len(line)
            segment.last += 1
            segment.seal = seal
            self.notice(segment.last, record, seal)

    def new_segment(self):
        previous = self.segments[-1] if self.segments else None
        if previous and not previous.digest:
            previous.digest = self.segment_digest(previous.name)  # from now on nothing is added to it
        first = self.chain.number + 1
        head = [HEAD, first, self.boot, hexlify(self.chain.last).decode()]
        head += [previous.torn, previous.digest] if previous else [0, ""]
        head += [[self.whole] + (self.block or [0, 0, False]), self.round_starts, self.acknowledged, self.origin]
        line = self.chain.sealer.line(head, SEALED)
        self.make_room(self.segment_bytes)  # it may grow to that
        # Numbered through, not named by its first record: after a torn one two begin with the same.
        segment = Segment("%08d" % (int(previous.name) + 1 if previous else 1), first, self.chain.last)
        self.store(segment.name, line)
        segment.size = len(line)
        self.segments.append(segment)

    def store(self, name, data):
        try:
            self.storage.append(name, data)
        except Exception:
            self.has_failed = True
            raise

    def segment_digest(self, name):
        """The digest of a whole segment, torn line and all, read in pieces that a Pico has room for."""
        digest = sha256()
        size = self.storage.size(name)
        for start in range(0, size, PIECE):
            self.feed()
            digest.update(self.storage.read(name, start, min(PIECE, size - start)))
        return hexlify(digest.digest()[:DIGEST_LENGTH]).decode()

    def make_room(self, needed):
        while self.used() + needed > self.total_bytes:
            if not self.may_drop(self.segments[0]):
                raise JournalFull()
            self.storage.remove(self.segments[0].name)
            self.segments.pop(0)
            while self.round_starts and self.round_starts[0] < self.first():
                self.round_starts.pop(0)

    def used(self):
        return sum([segment.size + segment.torn for segment in self.segments])

    def may_drop(self, segment):
        """Only what the host has, and never what a replay needs.

        Rounds kept for recall go last: only when ten of them and a next one do not fit, because the oldest
        segment is dropped when its room is needed and not before.
        """
        if segment is self.segments[-1] or segment.last > self.acknowledged:
            return False
        return segment.last < (self.whole or 1)

    def free(self):
        """Room for records, that which may be freed included; asked for at every event, so it must be quick."""
        free = self.total_bytes
        for place in range(len(self.segments) - 1, -1, -1):
            segment = self.segments[place]
            if self.may_drop(segment):
                break  # and so may all before it
            free -= segment.size + segment.torn
        return free

    def has_room_for_round(self):
        """Whether a round may open: its longest course fits, and what must be written beside it."""
        return self.free() >= ROUND_BYTES + TIGHT_BYTES

    def since_whole(self):
        """Bytes that cannot go because a replay begins before them."""
        return sum([segment.size for segment in self.segments if segment.last >= self.whole])

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
            self.block = None
            self.round_starts = self.round_starts[1 - _RECALLED_ROUNDS :] + [self.whole]
        elif name not in BLOCK_RECORDS:
            self.block = None  # the power went before it was whole
        if self.block and not self.block[2] and number == self.block[0] + self.block[1]:
            self.whole = self.block[0]
            self.block = None

    # -- reading

    def acknowledge(self, number):
        """The host has committed everything up to this record."""
        self.acknowledged = max(self.acknowledged, min(number, self.chain.number))

    def first(self):
        """The number of the oldest record that is still here."""
        return self.segments[0].first if self.segments else self.chain.number + 1

    def seal_of(self, number):
        """The hex seal of a record, also of the one just before the oldest here; None if it is not known."""
        if number == self.first() - 1:
            return hexlify(self.segments[0].before if self.segments else self.chain.last)
        line = Reader(self, number).next() if self.first() <= number <= self.chain.number else None
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
        self.lines = None
        self.segment = None

    def next(self):
        """The next line without its newline, or None if there is none yet."""
        journal = self.journal
        if not journal.segments or self.number > journal.segments[-1].last:
            return None
        place = self.number - journal.recent_first
        if 0 <= place < len(journal.recent) and self.segment is journal.segments[-1] and not self.lines.ahead:
            line = journal.recent[place]
            self.number += 1
            self.lines.offset += len(line)
            return line[:-1]
        if self.segment not in self.journal.segments or self.number > self.segment.last:
            self.find()
        self.lines.end = self.segment.size
        line = self.lines.next()
        self.number += 1
        return line

    def find(self):
        self.number = max(self.number, self.journal.first())
        segment = next(one for one in self.journal.segments if one.last >= self.number)
        self.segment = segment
        self.lines = Lines(self.journal.storage, segment.name, 0, segment.size)
        for _ in range(1 + self.number - segment.first):  # its head, and the records before
            self.lines.next()


class Lines:
    """Splits a file into lines, reading it in pieces; `offset` is where the next line begins."""

    def __init__(self, storage, name, start, end):
        self.storage = storage
        self.name = name
        self.offset = start
        self.end = end
        self.ahead = b""

    def next(self):
        """The next whole line without its newline, or None."""
        place = self.ahead.find(b"\n")
        while place < 0:
            start = self.offset + len(self.ahead)
            if start >= self.end or len(self.ahead) > MAX_LINE:
                return None
            self.ahead += self.storage.read(self.name, start, min(PIECE, self.end - start))
            place = self.ahead.find(b"\n")
        line = self.ahead[:place]
        self.ahead = self.ahead[place + 1 :]
        self.offset += place + 1
        return line
