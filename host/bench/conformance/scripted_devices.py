"""Scripted devices for the conformance kit, one a protocol. Runs on CPython and on MicroPython alike.

Each spells its protocol itself and shares no code with the driver that it is played against. It states what its
protocol promises and what it can say (the constants of `Script`), makes the bytes of its reports, and hears what
the driver sends.
"""

from binascii import crc32

DECK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


class Script:
    """What the kit asks of a device. `heard` are the commands that came, repetitions included."""

    COPIES = 1  # of each report, sent by itself
    IS_ANSWERED = False  # whether the driver answers each report, and the device repeats it until then
    GAP: str | None = None  # the fault by which a lost report shows, if it is not repeated
    NUMBERS = 256  # after so many reports the numbers begin again
    SILENT = "reader_silent"
    SILENT_MS = 3000  # after which silence is a fault; from an unanswered command on if `alive` is empty
    NONSENSE = "reader_nonsense"
    REPEAT_MS = 0  # between repetitions of a command; 0 if the device takes no commands
    HAS_LOCK = False
    # A report of every kind that it makes, and what the driver must make of it (a fault without its detail). The
    # driver may say happenings of these kinds only, and these faults, silence, nonsense and a gap.
    SAYS: tuple = ()

    def __init__(self):
        self.number = 0
        self.heard = []
        self.answers = []  # numbers of reports that the driver has answered
        self.is_deaf = False

    def start(self) -> bytes:
        """What it says when it starts; its numbers begin anew."""
        return b""

    def alive(self) -> bytes:
        """What it says when it has nothing to say."""
        return b""

    def say(self, what) -> bytes:
        """One copy of its next report, which says this."""
        return b""

    def report(self, count) -> bytes:
        """Likewise; the same `count` is the same card under a new number."""
        return b""

    def expected(self, count) -> tuple:
        """What the driver must make of it."""
        return "card", DECK[count % 52], False

    def hear(self, data) -> bytes:
        """What it answers to what the driver sends."""
        return b""

    def order(self, driver, count, now) -> str | bytes | None:
        """Have the driver send a command; returns what the device must hear."""


def line(text):
    return b"%s*%08x\n" % (text.encode(), crc32(text.encode()))


class FeltReader(Script):
    """Felt's line protocol: numbered, repeated until it is answered."""

    IS_ANSWERED = True
    NUMBERS = 999
    SAYS = (
        ("CARD KS", ("card", "KS", False)),
        ("CARD KS UP", ("card", "KS", True)),
        ("UNREAD", ("card", "??", False)),
        ("ERROR lamp", ("fault", "reader_error")),
    )

    def __init__(self):
        super().__init__()
        self.held = b""

    def start(self):
        self.number = 0
        return line("0 HELLO")

    def say(self, what):
        self.number = self.number % 999 + 1
        return line(f"{self.number} {what}")

    def alive(self):
        return self.say("ALIVE")

    def report(self, count):
        return self.say("CARD " + DECK[count % 52])

    def hear(self, data):
        lines = (self.held + data).split(b"\n")
        self.held = lines.pop()
        answer = b""
        for one in lines:
            text = one[:-9].decode()
            if line(text) != one + b"\n":
                raise ValueError("the driver sends a bad line")
            number, word = text.split(" ", 1)
            if number == "OK":
                self.answers.append(int(word))
                continue
            if word != "HELLO":
                self.heard.append(word)
            if not self.is_deaf:
                answer += line("OK " + number)
        return answer


class FeltShuffler(FeltReader):
    SILENT = "shuffler_silent"
    NONSENSE = "shuffler_nonsense"
    REPEAT_MS = 300
    SAYS = (
        ("DEALT 3", ("dealt", 3)),
        ("READY 52", ("ready", 52)),
        ("COUNT 51", ("count", 51)),
        ("FACEUP", ("faceup",)),
        ("JAM", ("fault", "shuffler_jam")),
        ("DOOR OPEN", ("fault", "shuffler_door")),
        ("EMPTY", ("fault", "shuffler_empty")),
    )

    def report(self, count):
        return self.say(f"DEALT {count % 52 + 1}")

    def expected(self, count):
        return "dealt", count % 52 + 1

    def order(self, driver, count, now):
        if count % 2:
            driver.shuffle(now)
            return "SHUFFLE"
        driver.deal(3, now)
        return "DEAL 3"


class AngelEyeShoe(Script):
    """Each report three times, counted from 0 to 9; silent while nobody draws; a lock that answers."""

    COPIES = 3
    GAP = "reader_gap"
    NUMBERS = 10
    SILENT_MS = 5000
    REPEAT_MS = 1000
    HAS_LOCK = True
    SAYS = (
        (b"D1\x3d", ("card", "KS", False)),
        (b"d1\x3d", ("card", "KS", False)),
        (b"D1\x7f", ("card", "??", False)),
        (b"E\x47", ("fault", "reader_error")),
    )

    def __init__(self):
        super().__init__()
        self.held = b""

    def start(self):
        self.number = -1
        return self.say(b"S")

    def say(self, what):
        self.number = (self.number + 1) % 10
        body = b"%d%s\x03" % (self.number, what)
        check = 0
        for one in body:
            check ^= one
        return b"\x05" + body + b"%02X" % check

    def report(self, count):
        card = DECK[count % 52]
        return self.say(b"D1" + bytes([" DCSH".index(card[1]) << 4 | " A23456789TJQK".index(card[0])]))

    def hear(self, data):
        self.held += data
        answer = b""
        while len(self.held) >= 10:
            self.heard.append(self.held[:10])
            self.held = self.held[10:]
            if not self.is_deaf:
                answer += b"\x06"
        return answer

    def order(self, driver, count, now):
        driver.lock(count % 2 == 0, now)
        return b"\x02OPLK01\x0318" if count % 2 else b"\x02OPLK02\x031B"


class FixedFramesReader(Script):
    """Frames of eight bytes, numbered, sent once."""

    GAP = "reader_gap"
    SAYS = (
        (b"CKS\0", ("card", "KS", False)),
        (b"CKS\1", ("card", "KS", True)),
        (b"U\0\0\0", ("card", "??", False)),
        (b"E\7\0\0", ("fault", "reader_error")),
    )

    def frame(self, what):
        body = what[:1] + bytes([self.number]) + what[1:]
        crc = 0xFFFF
        for byte in body:
            crc ^= byte << 8
            for _ in range(8):
                crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        return b"\xa5" + body + bytes([crc >> 8, crc & 255])

    def start(self):
        self.number = 0
        return self.frame(b"S\0\0\0")

    def alive(self):
        return self.frame(b"A\0\0\0")

    def say(self, what):
        self.number = (self.number + 1) % 256
        return self.frame(what)

    def report(self, count):
        return self.say(b"C" + DECK[count % 52].encode() + b"\0")


# The script of each driver, by the name of its module in firmware/drivers.
SCRIPTS = {
    "reader": FeltReader,
    "shuffler": FeltShuffler,
    "angel_eye": AngelEyeShoe,
    "fixed_frames": FixedFramesReader,
}
