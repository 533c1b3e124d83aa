"""The Angel Eye II-EX shoe, as read from two open-source readers of it; RS-232C, 4800 8N1.

A report is ENQ, a sequence byte, data, ETX and the BCC: two upper-case hex characters, the XOR of every byte
from the sequence byte through ETX. It comes three times.

If the shoe repeats itself, a report that is the same as the last one is dropped. If the sequence byte does not
follow the last one, all copies of a report were lost, and with it perhaps a card: that is a fault, said before
the report that shows it. A start begins anew. If it talks nonsense, a report with a wrong BCC is dropped, because
two more come; twenty in a row are a fault. If it is silent or
unplugged: a shoe says nothing while nobody draws, so it counts as missing when it does not answer a lock command,
which comes twice in every round; that is a fault, and a refusal is another one. If it reports another state of
its lock than it was told, it is told again. If the buffer is full, its oldest bytes go.

Sequence and data bytes may have the value of ENQ or ETX, so a report is taken wherever one ends whose BCC is
right, rather than from the first ENQ to the first ETX. A stray ENQ is forgotten after a moment's silence;
otherwise every answer of the shoe would be taken for a part of its report.
"""

from firmware.drivers.device_line import NOTHING, READS_A_PASS, receive
from shared.rules.cards import UNREAD
from shared.values import since

ENQ = 5
ETX = 3
STX = 2
ACK = 6
NAK = 21
MAX_REPORT = 16
SHORTEST = 6  # ENQ, sequence, one byte of data, ETX, BCC
BAD_REPORTS = 20
LOCK_REPEAT_MS = 1000
LOCK_MS = 5000  # within which it must obey
PAUSE_MS = 100  # no report has such a pause in it, so bytes before one belong to nothing
FIRST, LAST = 0x30, 0x39  # the sequence byte counts from 0 to 9 and begins again

SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
RANKS = " A23456789TJQK"


def check_of(data):
    check = 0
    for byte in data:
        check ^= byte
    return b"%02X" % check


def card_of(byte):
    """The card's text; a byte that is not a card is one that could not be read."""
    suit = SUITS.get(byte >> 4 & 7)
    rank = byte & 15
    if suit is None or not 1 <= rank <= 13:
        return UNREAD
    return RANKS[rank] + suit


def follows(last, sequence):
    """Whether this sequence byte is the next one. A shoe that counts past 9 is taken as it counts."""
    return sequence == (last + 1) & 255 or (last == LAST and sequence == FIRST)


def lock_command(locked):
    """The bytes that lock or unlock the shoe; a command's BCC includes its STX."""
    body = bytes([STX]) + b"OPLK" + (b"02" if locked else b"01") + bytes([ETX])
    return body + check_of(body)


class AngelEye:
    """`poll` gives what happened: ("card", text, False), ("fault", code, detail) or ("note", text)."""

    SAYS_AGAIN = False  # a report is long over when a table has started

    def __init__(self, port, now=0):
        self.port = port
        self.buffer = memoryview(bytearray(64))
        self.recent = bytearray()  # the last bytes, in which a report may end
        self.heard_at = now
        self.last = None  # sequence byte of the last report
        self.last_data = b""
        self.bad = 0
        self.wanted = None  # whether the shoe should be locked
        self.answered = True
        self.refused = False
        self.is_code_next = False  # the byte after NAK says why, and may look like anything
        self.wanted_at = 0
        self.asked_at = 0
        self.is_missed = False
        self.strayed = False  # it says that it is not as it should be

    def lock(self, locked, now):
        """Lock the shoe outside the deal; repeated until it answers."""
        if locked != self.wanted:
            self.wanted = locked
            self.answered = self.refused = False
            self.listen_again(now)
            self.ask(now)

    def listen_again(self, now):
        """Assume again that the shoe is there; if it does not obey, that is a fault again."""
        self.wanted_at = now
        self.is_missed = False
        self.bad = 0

    def ask(self, now):
        self.asked_at = now
        self.port.write(lock_command(self.wanted))

    def poll(self, now):
        said = NOTHING
        if self.port.any():
            said = []
            if since(self.heard_at, now) > PAUSE_MS:
                self.is_code_next = False
                if self.recent:
                    self.recent = bytearray()
            self.heard_at = now
            for _ in range(READS_A_PASS):
                if not self.port.any():
                    break
                for byte in receive(self.port, self.buffer):
                    self.take_byte(byte, said)
            if self.strayed:
                self.strayed = self.answered = False
                self.wanted_at = now
        if not self.answered:
            if not self.is_missed and since(self.wanted_at, now) > LOCK_MS:
                self.is_missed = True
                missed = ("fault", "reader_error" if self.refused else "reader_silent", "lock")
                said = list(said) + [missed]
            if since(self.asked_at, now) >= LOCK_REPEAT_MS:
                self.ask(now)
        return said

    def take_byte(self, byte, said):
        recent = self.recent
        if self.is_code_next:
            self.is_code_next = False
            return
        if not recent and byte != ENQ:
            if byte in (ACK, NAK) and self.wanted is not None:
                self.answered = byte == ACK
                self.refused = self.is_code_next = byte == NAK
            return
        recent.append(byte)
        if len(recent) >= SHORTEST and recent[-3] == ETX:
            self.take_report(said)
        if len(self.recent) > MAX_REPORT:
            self.recent = recent[1:]

    def take_report(self, said):
        """A report may end here: look for one with the right BCC."""
        recent = self.recent
        for start in range(len(recent) - SHORTEST, -1, -1):
            if recent[start] == ENQ and recent[-2:] == check_of(recent[start + 1 : -2]):
                self.recent = bytearray()
                self.bad = 0
                self.take_good(recent[start + 1], bytes(recent[start + 2 : -3]), said)
                return
        self.bad += 1
        if self.bad == BAD_REPORTS:
            said.append(("fault", "reader_nonsense", ""))

    def take_good(self, sequence, data, said):
        last = self.last
        if sequence == last and data == self.last_data:
            return  # another copy
        self.last = sequence
        self.last_data = data
        if last is not None and data != b"S" and not follows(last, sequence):
            said.append(("fault", "reader_gap", "%02X %02X" % (last, sequence)))
        said.append(self.meaning(data))

    def meaning(self, data):
        kind = data[:1]
        if (kind == b"D" and len(data) == 3) or (kind == b"d" and len(data) >= 2):
            return "card", card_of(data[-1]), False
        if kind == b"E" and len(data) == 2:
            return "fault", "reader_error", "code %d" % (data[1] & 63)
        if kind == b"e":
            return "note", "error cleared"
        if kind == b"L" and len(data) == 2 and self.wanted is not None:
            self.strayed = bool(data[1] & 1) != self.wanted
        names = {
            b"S": "start",
            b"P": "standby",
            b"C": "cutting card",
            b"R": "re-deal",
            b"L": "lock",
            b"G": "result",
        }
        return "note", names.get(kind, "unknown report")
