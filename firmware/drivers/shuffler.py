"""The shuffler, by Felt's line protocol (device_line.py).

    to it     SHUFFLE            shuffle the deck
              DEAL n             dispense n cards
    from it   READY n            shuffled, with n cards
              DEALT n            n cards are out
              FACEUP             the next card comes face up
              COUNT n            the deck has n cards, not 52
              EMPTY              no cards left, until it says READY or DEALT
              JAM, FREE          cards are stuck, and free again
              DOOR OPEN, DOOR SHUT
              HELLO, ALIVE

A shuffler that is silent, talks nonsense or is unplugged is a fault, and nothing is dealt until staff have
cleared it. A repetition is ignored. An unknown word is recorded.
"""

from firmware.drivers.device_line import LineDriver

FAULTS = {
    "SILENT": "shuffler_silent",
    "NONSENSE": "shuffler_nonsense",
    "JAM": "shuffler_jam",
    "EMPTY": "shuffler_empty",
}


class Shuffler(LineDriver):
    """`poll` gives what happened: ("fault", code, detail), ("dealt", n), ("ready", n), ("count", n), ("faceup",)
    or ("note", text)."""

    faults = FAULTS

    def __init__(self, port, now=0):
        super().__init__(port, now)
        self.lasting = {}  # what is wrong until the shuffler says otherwise: a word, and its fault
        self.is_asked = False  # whether that must be reported again

    def listen_again(self, now):
        super().listen_again(now)
        self.is_asked = True

    def poll(self, now):
        said = super().poll(now)
        if self.is_asked:
            self.is_asked = False
            said = list(said) + list(self.lasting.values())
        return said

    def deal(self, count, now):
        self.command("DEAL %d" % count, now)

    def shuffle(self, now):
        self.command("SHUFFLE", now)

    def forget(self):
        """Withdraw a command that the shuffler has not heard yet and nobody needs any more."""
        self.waiting = [one for one in self.waiting if one[0] == 0]

    def meaning(self, words):
        word = words[0]
        happening = self.own_meaning(words) or super().meaning(words)
        if word in ("DOOR", "EMPTY"):
            self.lasting.pop(word, None)
            if happening[0] == "fault":
                self.lasting[word] = happening
        elif word in ("READY", "DEALT"):
            self.lasting.pop("EMPTY", None)
        elif word == "HELLO":
            self.lasting = {}  # it has restarted, and says what is wrong
        return happening

    def own_meaning(self, words):
        word = words[0]
        if words == ["DOOR", "OPEN"]:
            return "fault", "shuffler_door", ""
        if word in ("DEALT", "READY", "COUNT") and len(words) == 2 and words[1].isdigit():
            return word.lower(), int(words[1])
        if words == ["FACEUP"]:
            return ("faceup",)
        return None
