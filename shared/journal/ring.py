"""The journal's storage: a ring of raw flash sectors.

Each sector is the only block of a file in the Pico's filesystem, so that the filesystem leaves it alone; it is
programmed and erased directly, never through its file. One segment of the journal lies in one sector, behind a
header of 32 bytes:

     0  magic, format, place in the ring, generation of the ring
     8  how often this sector was erased, and how often the next one was then; CRC-32 of all that
    20  the segment's number, and the same with every bit turned; all ones while the sector is ready for one
    28  one bit turned to 0 for each time the next sector was about to be erased
    31  turned to 0 if the sector did not take what it was given, so that it is not used again

Flash turns single bits from 1 to 0, a page at a time, and only an erase of the whole sector turns them back. So
everything is written behind what is there, a number counts only when all its bits are right, and a sector whose
header is wrong was being erased when the power went. All interrupts are off while flash is changed: a page takes
0.4 to 3 ms, an erase 45 to 400.
"""

import struct
from array import array
from binascii import crc32

from shared.journal.journal import SegmentFailed, name_of
from shared.values import const

SECTOR = 4096
PAGE = 256
HEADER = 32
_FIXED = const("<2sBBIII")  # followed by its CRC-32
_MAGIC = const(b"FR")
_FORMAT = const(1)
_NUMBER_AT = const(20)
_TALLY_AT = const(28)
_FLAW_AT = const(31)
_ERASE = const(6)  # as ioctl calls it

# What a sector is; those with a segment have the second bit.
_DIRTY = const(0)  # must be erased
_EMPTY = const(1)  # ready for a segment
_USED = const(2)
_FLAWED = const(3)  # used, but it failed and takes no more
_BAD = const(4)

BLANK = b"\xff" * PAGE


class RingFailed(OSError):
    """The ring is not as it should be: a code for host.words.faults."""


class Ring:
    """`flash` is an rp2.Flash, `blocks` are its blocks in the order of the ring."""

    def __init__(self, flash, generation, blocks):
        self.flash = flash
        self.generation = generation
        self.blocks = array("H", blocks)
        count = len(blocks)
        self.states = bytearray(count)
        self.page = bytearray(PAGE)
        self.back = memoryview(bytearray(PAGE))
        self.newest = count - 1  # place of the segment begun last
        self.number = 0  # of that segment
        self.end = 0  # of what is in it
        self.capacity = count
        self.look()

    def look(self):
        """Read every header."""
        for place in range(len(self.blocks)):
            header = self.header(place)
            fields = read_header(header)
            if fields is None:
                # Flash turns all bits of a sector to 0 before it erases them, so then the power may have gone.
                self.flash.readblocks(self.blocks[place], self.back, 0)
                is_bad = header == bytes(HEADER) and self.back != bytes(PAGE)
                self.states[place] = _BAD if is_bad else _DIRTY
                continue
            if fields[0] != place or fields[1] != self.generation:
                raise RingFailed("ring_not_ours")
            number = number_in(header)
            self.states[place] = _EMPTY if number is None else _USED if number else _DIRTY
            if not header[_FLAW_AT]:
                self.states[place] = _FLAWED if number else _BAD
            if number and number > self.number:
                self.number = number
                self.newest = place
        if self.number:
            self.end = self.size(name_of(self.number))
        following = self.next(_EMPTY)
        if following is not None and not self.is_blank(following, HEADER):
            # The power went before its number was there. It may go again before it is erased.
            self.program(following, _NUMBER_AT, bytes(8))
            self.states[following] = _DIRTY
        self.capacity -= self.count(_BAD)

    def header(self, place):
        header = bytearray(HEADER)
        self.flash.readblocks(self.blocks[place], header, 0)
        return header

    def erases(self, place):
        """How often a sector was erased. If its header is lost, the one before it knows; else as often as any."""
        fields = read_header(self.header(place))
        if fields:
            return fields[2]
        count = len(self.blocks)
        header = self.header((place - 1) % count)
        fields = read_header(header)
        if fields:
            return fields[3] + sum([8 - bin(byte).count("1") for byte in header[_TALLY_AT:_FLAW_AT]])
        every = [read_header(self.header(other)) for other in range(count)]
        return max([fields[2] for fields in every if fields] + [0])

    # -- as a journal's storage

    def names(self):
        places = [place for place in range(len(self.blocks)) if self.states[place] & _USED]
        return [name_of(number_in(self.header(place))) for place in places]

    def place_of(self, name):
        """Where a segment is; they lie one behind the other but for sectors that failed."""
        number = int(name)
        count = len(self.blocks)
        place = (self.newest - (self.number - number)) % count
        for _ in range(count):
            if self.states[place] & _USED and number_in(self.header(place)) == number:
                return place
            place = (place - 1) % count
        raise KeyError(name)

    def size(self, name):
        place = self.place_of(name)
        for at in range(SECTOR - PAGE, -1, -PAGE):
            self.flash.readblocks(self.blocks[place], self.back, at)
            if self.back != BLANK:
                return max(0, at + len(bytes(self.back).rstrip(b"\xff")) - HEADER)
        return 0

    def read(self, name, start, count):
        data = bytearray(max(0, min(count, SECTOR - HEADER - start)))
        self.flash.readblocks(self.blocks[self.place_of(name)], data, HEADER + start)
        return bytes(data)

    def append(self, name, data):
        number = int(name)
        if self.number != number or not self.states[self.newest] & _USED:
            self.begin(number, data)
            return
        # The first byte comes last: while it is missing, nothing of this counts.
        place, at, data = self.newest, HEADER + self.end, memoryview(data)
        if not (self.program(place, at + 1, data[1:]) and self.program(place, at, data[:1])):
            self.program(place, _FLAW_AT, b"\0")
            self.states[place] = _FLAWED
            raise SegmentFailed()
        self.end += len(data)

    def remove(self, name):
        place = self.place_of(name)
        if not self.program(place, _NUMBER_AT, bytes(8)):
            self.erase(place)  # or it would be there again at the next start
        elif self.states[place] == _FLAWED:
            self.capacity -= 1
            self.states[place] = _BAD
        else:
            self.states[place] = _DIRTY

    def ready(self):
        return self.count(_EMPTY)

    def prepare(self):
        """Erase one sector in which nothing is any more; False if there is none."""
        place = self.next(_DIRTY)
        if place is None:
            return False
        self.erase(place)
        return True

    # -- sectors

    def next(self, state):
        """The first sector of this state behind the newest segment, or None."""
        count = len(self.blocks)
        for step in range(1, count + 1):
            place = (self.newest + step) % count
            if self.states[place] == state:
                return place
        return None

    def begin(self, number, data):
        """Begin a segment. Its number comes last: it counts once all its head is there."""
        while True:
            place = self.next(_EMPTY)
            if place is None:
                if not self.prepare():
                    raise SegmentFailed()
                continue
            mark = struct.pack("<II", number, number ^ 0xFFFFFFFF)
            if self.program(place, HEADER, data) and self.program(place, _NUMBER_AT, mark):
                break
            self.spoil(place)
        self.states[place] = _USED
        self.number = number
        self.newest = place
        self.end = len(data)

    def erase(self, place):
        """Erase a sector and give it its header; the one before it counts the attempt, as the power may go."""
        before = (place - 1) % len(self.blocks)
        header = make_header(
            place, self.generation, self.erases(place) + 1, self.erases((place + 1) % len(self.blocks))
        )
        if self.states[before] in (_EMPTY, _USED, _FLAWED, _DIRTY):
            tally = self.header(before)[_TALLY_AT:_FLAW_AT]
            for at in range(len(tally)):
                if tally[at]:
                    self.program(before, _TALLY_AT + at, bytes((tally[at] & (tally[at] - 1),)))
                    break
        self.flash.ioctl(_ERASE, self.blocks[place])
        if self.is_blank(place) and self.program(place, 0, header):
            self.states[place] = _EMPTY
        else:
            self.spoil(place)

    def is_blank(self, place, start=0):
        for at in range(start, SECTOR, PAGE):
            back = self.back[: min(PAGE, SECTOR - at)]
            self.flash.readblocks(self.blocks[place], back, at)
            if back != BLANK[: len(back)]:
                return False
        return True

    def spoil(self, place):
        """Never use a sector again in which nothing is."""
        self.program(place, 0, bytes(HEADER))
        self.states[place] = _BAD
        self.capacity -= 1

    def count(self, state):
        return bytes(self.states).count(bytes((state,)))

    def program(self, place, offset, data):
        """Turn bits to 0, one page a call, and read each back; False if one is not as it should be."""
        block = self.blocks[place]
        done = 0
        while done < len(data):
            start = (offset + done) % PAGE
            part = data[done : done + PAGE - start]
            self.page[:] = BLANK
            self.page[start : start + len(part)] = part
            self.flash.writeblocks(block, self.page, offset + done - start)
            back = self.back[: len(part)]
            self.flash.readblocks(block, back, offset + done)
            if back != part:
                return False
            done += len(part)
        return True


def make_header(place, generation, erases, following):
    fixed = struct.pack(_FIXED, _MAGIC, _FORMAT, place, generation, erases, following)
    return fixed + struct.pack("<I", crc32(fixed))


def read_header(header):
    """(place, generation, erases, those of the next) of a sector's header, or None."""
    magic, form, place, generation, erases, following = struct.unpack_from(_FIXED, header, 0)
    if magic != _MAGIC or form != _FORMAT or struct.unpack_from("<I", header, 16)[0] != crc32(header[:16]):
        return None
    return place, generation, erases, following


def number_in(header):
    """The number of the segment in a sector; None if it is ready for one, 0 if there is none."""
    if header[_NUMBER_AT:_TALLY_AT] == b"\xff" * 8:
        return None
    number, turned = struct.unpack_from("<II", header, _NUMBER_AT)
    return number if number ^ turned == 0xFFFFFFFF else 0
