"""The journal: records kept on flash, sealed in a chain, until the host has them and the rounds are old.

It is a row of numbered segment files. A segment begins with a sealed head,

    ["seg",17,3,"9f2c0a4be17d55aa0c31d2e4",0,"5b1e..."]*0f3a77c1

which names its first record, the boot that began it, the seal before it, and how many bytes at the end of
the segment before are a torn line; so a segment can be verified though older ones are gone. Files only
grow. A line that a power cut tore is left where it is, and the next segment says so.

The storage is handed in: names(), read(name), append(name, data), which must be durable when it returns,
and remove(name).
"""

from binascii import hexlify, unhexlify

from shared.chain import CHANGED, SEAL_LENGTH, UNSEALED, BrokenChain, Chain
from shared.seal import same
from shared.wire import BadLine, body_of, decode, seal, spell

HEAD = "seg"
SEGMENT_BYTES = 16 * 1024
TOTAL_BYTES = 384 * 1024
ROUND_BYTES = 64 * 1024  # what the longest round may need; without that much room none is opened
RECALLED_ROUNDS = 10


class JournalFull(Exception):
    """There is no room and nothing that may go: the host has not acknowledged what is here."""


class Segment:
    def __init__(self, name, first):
        self.name = name
        self.first = first
        self.last = first - 1
        self.size = 0
        self.torn = 0


class Journal:
    """`boot` is this start's number; `notes` say what opening found. Opening raises BrokenChain."""

    def __init__(self, storage, sealer, table, segment_bytes=SEGMENT_BYTES, total_bytes=TOTAL_BYTES):
        self.storage = storage
        self.chain = Chain(sealer, table)
        self.segment_bytes = segment_bytes
        self.total_bytes = total_bytes
        self.acknowledged = 0
        self.round_starts = []
        self.notes = []
        self.segments = []
        self.boot = 0
        for name in sorted(storage.names()):
            self.open_segment(name)
        self.boot += 1

    # -- opening

    def open_segment(self, name):
        content = self.storage.read(name)
        head, _, rest = content.partition(b"\n")
        if len(head) == len(content):
            # The power went before even the head was whole, so nothing was ever kept in here.
            self.storage.remove(name)
            self.notes.append(["torn", name, len(content)])
            return
        segment = self.read_head(name, head)
        lines = rest.split(b"\n")
        for line in lines[:-1]:
            boot, number, record = self.chain.follow(line)
            self.boot = max(self.boot, boot)
            self.notice_round(number, record)
        segment.last = self.chain.number
        segment.size = len(content)
        segment.torn = len(lines[-1])
        if segment.torn:
            self.notes.append(["torn", name, segment.torn])
        self.segments.append(segment)

    def read_head(self, name, line):
        """Check a segment's head against the chain so far, or start the chain with it if it is the first."""
        wanted = self.chain.number + 1
        try:
            message = decode(line)
        except BadLine as problem:
            raise BrokenChain(wanted, CHANGED, "head of segment %s: %s" % (name, problem))
        if len(message) != 6 or message[0] != HEAD:
            raise BrokenChain(wanted, UNSEALED, "segment %s has no head" % name)
        first, boot, before, torn, mark = message[1:]
        if not same(mark.encode(), self.head_seal(body_of(line)[: -len(mark) - 4])):
            raise BrokenChain(wanted, CHANGED, "the head of segment %s is not sealed by this table" % name)
        if self.segments:
            previous = self.segments[-1]
            if first != wanted or unhexlify(before) != self.chain.last or torn != previous.torn:
                raise BrokenChain(wanted, CHANGED, "segment %s does not follow %s" % (name, previous.name))
        else:
            self.chain.number = first - 1
            self.chain.last = unhexlify(before)
        self.boot = max(self.boot, boot)
        return Segment(name, first)

    def head_seal(self, head):
        return hexlify(self.chain.sealer.seal(b"felt segment ", head)[:SEAL_LENGTH])

    # -- writing

    def append(self, record):
        """Keep a record; when this returns its line is on flash. Returns the line."""
        line, mark = self.chain.next_line(self.boot, record)
        segment = self.segments[-1] if self.segments else None
        if segment is None or segment.torn or segment.size + len(line) > self.segment_bytes:
            segment = self.new_segment()
        try:
            self.storage.append(segment.name, line)
        except Exception:
            # Part of the line may be there; it counts as torn, and the next record begins a new segment.
            segment.torn = len(self.storage.read(segment.name)) - segment.size
            raise
        self.chain.move(mark)
        segment.size += len(line)
        segment.last = self.chain.number
        self.notice_round(self.chain.number, record)
        return line

    def new_segment(self):
        previous = self.segments[-1] if self.segments else None
        first = self.chain.number + 1
        torn = previous.torn if previous else 0
        head = spell([HEAD, first, self.boot, hexlify(self.chain.last).decode(), torn])[:-1]
        line = seal(head + ',"' + self.head_seal(head.encode()).decode() + '"]')
        self.make_room(self.segment_bytes)  # it may grow to that
        # Numbered through, not named by its first record: after a torn one two begin with the same.
        segment = Segment("%08d" % (int(previous.name) + 1 if previous else 1), first)
        try:
            self.storage.append(segment.name, line)
        except Exception:
            if segment.name in self.storage.names():
                self.storage.remove(segment.name)
            raise
        segment.size = len(line)
        self.segments.append(segment)
        return segment

    def make_room(self, needed):
        while self.used() + needed > self.total_bytes:
            if not self.may_drop_oldest():
                raise JournalFull()
            self.storage.remove(self.segments[0].name)
            self.segments.pop(0)

    def used(self):
        return sum([segment.size for segment in self.segments])

    def may_drop_oldest(self):
        """Only what the host has, and only what is older than the rounds kept for recall."""
        if len(self.segments) < 2:
            return False
        last = self.segments[0].last
        recalled = self.round_starts[0] if len(self.round_starts) == RECALLED_ROUNDS else 0
        return last <= self.acknowledged and last < recalled

    def has_room_for_round(self):
        """Whether a round may open: its longest course fits, in free room or in room that may be freed."""
        free = self.total_bytes - self.used()
        recalled = self.round_starts[0] if len(self.round_starts) == RECALLED_ROUNDS else 0
        for segment in self.segments[:-1]:
            if segment.last <= self.acknowledged and segment.last < recalled:
                free += segment.size
        return free >= ROUND_BYTES

    def notice_round(self, number, record):
        if record[0] == "event" and record[2][0] == "open":
            self.round_starts = self.round_starts[1 - RECALLED_ROUNDS :] + [number]

    # -- reading

    def acknowledge(self, number):
        """The host has committed everything up to this record."""
        self.acknowledged = max(self.acknowledged, min(number, self.chain.number))

    def lines_from(self, number):
        """The kept lines (without newline) from this record on."""
        for segment in self.segments:
            if segment.last < number:
                continue
            lines = self.storage.read(segment.name).split(b"\n")
            for place in range(max(number - segment.first, 0), segment.last - segment.first + 1):
                yield lines[1 + place]

    def recall(self):
        """The lines of the last rounds, at most RECALLED_ROUNDS of them."""
        return self.lines_from(self.round_starts[0] if self.round_starts else self.chain.number + 1)
