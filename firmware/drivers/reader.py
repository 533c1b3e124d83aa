"""The card reader, by Felt's line protocol (device_line.py).

    CARD KS            a card passed
    CARD KS UP         a card passed face up
    UNREAD             a card passed and could not be read: it is dealt without a name
    ERROR code         the reader is out of order
    HELLO, ALIVE

A reader that is silent, talks nonsense or is unplugged is a fault. A repetition is recognised by its number and
ignored; the same card under a new number is a second card, and the round asks. A card that had no answer when the
table lost its power is repeated after the start; the journal knows it.
"""

from firmware.drivers.device_line import LineDriver
from shared.rules.cards import UNREAD

FAULTS = {
    "SILENT": "reader_silent",
    "NONSENSE": "reader_nonsense",
    "ERROR": "reader_error",
}


class CardReader(LineDriver):
    """`poll` gives what happened: ("card", text, face up), ("fault", code, detail) or ("note", text)."""

    SAYS_AGAIN = True  # after the table's start it repeats what was not answered
    faults = FAULTS

    def meaning(self, words):
        if words[0] == "CARD" and (len(words) == 2 or words[2:] == ["UP"]):
            return "card", words[1], len(words) == 3
        if words == ["UNREAD"]:
            return "card", UNREAD, False
        return super().meaning(words)

    def lock(self, locked, now):
        """Felt's reader has no lock."""
