"""The card reader, by Felt's line protocol (device_line.py).

    CARD KS            a card passed
    CARD KS UP         a card passed face up
    UNREAD             a card passed and could not be read
    ERROR code         the reader is out of order
    HELLO, ALIVE

What it does when the reader is silent, talks nonsense or is unplugged: a fault. When it repeats itself: the
repetition is ignored, by its number; the same card under a new number is a second card, and the round asks.
"""

from firmware.device_line import NOTHING, DeviceLine

FAULTS = {
    "SILENT": "reader_silent",
    "NONSENSE": "reader_nonsense",
    "UNREAD": "card_unread",
    "ERROR": "reader_error",
}


class CardReader:
    """`poll` gives what happened: ("card", text, face up), ("fault", code, detail) or ("note", text)."""

    NAME = "reader"

    def __init__(self, uart, now=0):
        self.line = DeviceLine(uart, now)

    def listen_again(self, now):
        self.line.listen_again(now)

    def poll(self, now):
        said = self.line.poll(now)
        return [self.meaning(words) for words in said] if said else NOTHING

    def meaning(self, words):
        word = words[0]
        if word in FAULTS:
            return "fault", FAULTS[word], " ".join(words[1:])
        if word == "CARD" and len(words) == 2:
            return "card", words[1], False
        if word == "CARD" and len(words) == 3 and words[2] == "UP":
            return "card", words[1], True
        return "note", " ".join(words)

    def lock(self, locked, now):
        """Felt's reader has no lock."""
