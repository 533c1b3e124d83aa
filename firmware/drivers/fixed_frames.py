"""A card reader that sends frames of eight bytes and hears no answer. The example of how to write a driver.

    A5 43 07 4B 53 00 09 2B    sync, kind C, number 7, K, S, face down, CRC-16 of kind to data, high byte first

    C rank suit up    a card passed: characters as in KS; up is 1 if it lies face up, else 0
    U                 a card passed and could not be read
    E code            the reader is out of order
    S                 the reader has started, and its numbers begin anew
    A                 alive, at least once a second, with the number of the last report

Reports are numbered 0 to 255 and round again; A is not a report and has no number of its own. Nothing is
repeated, so if a number does not follow the last one, a report was lost: that is a fault, said before the report
that shows it. A shows that the last one was lost. A number that comes again is a repetition and is dropped.

If the reader is silent or unplugged for 3 s, that is a fault, and its return is recorded. If it talks nonsense,
bytes are skipped until a frame has the right CRC; 160 bytes without one are a fault. No more than half a frame is
ever kept.
"""

from firmware.drivers.device_line import NOTHING, READS_A_PASS, SILENT_MS, receive
from shared.rules.cards import UNREAD
from shared.values import since

SYNC = 0xA5
LENGTH = 8
CARD, NOT_READ, ERROR, START, ALIVE = b"CUESA"
SKIPPED_BYTES = 160  # without a good frame; as many as twenty frames have

# CRC-16/CCITT-FALSE, polynomial 1021h, four bits at a time
CRC_STEPS = tuple([0x1021 * step for step in range(8)] + [0x8108 + 0x1021 * step for step in range(8)])


def crc_of(data):
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 4 & 0xFFFF) ^ CRC_STEPS[crc >> 12 ^ byte >> 4]
        crc = (crc << 4 & 0xFFFF) ^ CRC_STEPS[crc >> 12 ^ byte & 15]
    return crc


def is_right(frame):
    return crc_of(frame[1:6]) == frame[6] << 8 | frame[7]


class FixedFrames:
    """`poll` gives what happened: ("card", text, face up), ("fault", code, detail) or ("note", text)."""

    SAYS_AGAIN = False  # it repeats nothing

    def __init__(self, port, now=0):
        self.port = port
        self.buffer = memoryview(bytearray(64))
        self.held = b""  # the start of a frame
        self.number = None  # of the last report
        self.skipped = 0
        self.heard_at = now
        self.is_silent = False

    def lock(self, locked, now):
        """This reader has no lock."""

    def listen_again(self, now):
        """Assume again that the reader is there; if it is silent, that is reported again."""
        self.skipped = 0
        if self.is_silent:
            self.is_silent = False
            self.heard_at = now

    def poll(self, now):
        said = NOTHING
        if self.port.any():
            said = []
            for _ in range(READS_A_PASS):
                if not self.port.any():
                    break
                self.take(self.held + receive(self.port, self.buffer), now, said)
        if not self.is_silent and since(self.heard_at, now) > SILENT_MS:
            self.is_silent = True
            said = list(said) + [("fault", "reader_silent", "")]
        return said

    def take(self, data, now, said):
        place = 0
        while len(data) - place >= LENGTH:
            if data[place] == SYNC and is_right(data[place : place + LENGTH]):
                self.skipped = 0
                self.take_frame(data[place : place + LENGTH], now, said)
                place += LENGTH
            else:
                place += 1
                self.skipped += 1
                if self.skipped == SKIPPED_BYTES:
                    said.append(("fault", "reader_nonsense", ""))
        self.held = data[place:]

    def take_frame(self, frame, now, said):
        self.heard_at = now
        if self.is_silent:
            self.is_silent = False
            said.append(("note", "BACK"))
        kind, number, last = frame[1], frame[2], self.number
        self.number = number
        if kind == START:
            said.append(("note", "HELLO"))
            return
        if last is not None and number != last and (kind == ALIVE or number != (last + 1) & 255):
            said.append(("fault", "reader_gap", "%d %d" % (last, number)))
        if kind != ALIVE and number != last:
            said.append(meaning(kind, frame))


def meaning(kind, frame):
    if kind == CARD:
        # A card that no deck has is for the round to ask about; only what can stand in a record gets there.
        return "card", "".join([chr(byte) if 32 < byte < 127 else "?" for byte in frame[3:5]]), frame[5] == 1
    if kind == NOT_READ:
        return "card", UNREAD, False
    if kind == ERROR:
        return "fault", "reader_error", "code %d" % frame[3]
    return "note", "unknown report"
