"""Felt's own line protocol with a device on a UART: the shuffler, and Felt's card reader.

    17 CARD KS*e97d7bb1    from the device: a number, a word and its values; a star; the CRC-32 of everything
    OK 17*163903e4         the answer to it            before the star in eight hex digits; and a newline
    3 DEAL 3*d57b2360      from the table: numbered likewise
    OK 3*b4a8b0e2          the answer to that

Each side numbers its lines 1 to 999 and round again, repeats a line every 300 ms until it is answered, and
takes a line with the number of the last one for a repetition: answered, and otherwise ignored. So nothing is
lost and nothing counts twice. A side that starts says `0 HELLO` first, and its numbers begin again. A device says
ALIVE at least once a second.

If the device is silent for 3 s, that is reported once, and once more when it is back. If it talks nonsense, the
line is ignored; twenty without a good one are reported. An unplugged device is a silent one; what was to be sent
is sent when it is back. If the buffer is full, the line is too long and is dropped to its end.
"""

from shared.journal.wire import CHECK_LENGTH, check_of
from shared.values import const, since

_MAX_DEVICE_LINE = const(56)
READS_A_PASS = 4  # of the buffer's size, so that a device that never stops talking delays nobody
SILENT_MS = 3000
_REPEAT_MS = const(300)
_BAD_LINES = const(20)
_STAR = b"*"  # only before the check; otherwise two lines joined by a lost newline could pass for one
NOTHING = ()  # what most polls return; a new list each time would soon fill the heap


def receive(port, buffer):
    """What is there, as much of it as a memoryview holds. A read of more would wait a millisecond for it."""
    some = buffer[: port.any()]
    return some[: port.readinto(some) or 0]


def with_check(text):
    """The line of a text, as bytes."""
    body = text.encode()
    return body + check_of(body) + b"\n"


def words_of(line):
    """The words of a line (without newline) if its check is right, else None."""
    body = line[:-CHECK_LENGTH]
    if not body or line[-CHECK_LENGTH:] != check_of(body):
        return None
    if min(body) < 32 or max(body) > 126 or _STAR in body:
        return None
    return [word.decode() for word in body.split(b" ")]


class DeviceLine:
    """`poll` gives what the device said since, as lists of words without number and check."""

    def __init__(self, port, now=0):
        self.port = port
        self.buffer = memoryview(bytearray(64))
        self.held = b""  # half a line
        self.is_overlong = False
        self.heard_at = now
        self.is_silent = False
        self.bad = 0
        self.unanswered = []  # numbers of lines that are answered once what they cause is on flash
        self.last_number = None
        self.sent = 0  # number of the last command
        self.waiting = [(0, with_check("0 HELLO"))]  # (number, line) of what has no answer yet
        self.send(now)

    def command(self, text, now):
        """Tell the device something; repeated until it answers."""
        self.sent = self.sent % 999 + 1
        self.waiting.append((self.sent, with_check("%d %s" % (self.sent, text))))
        if len(self.waiting) == 1:
            self.send(now)

    def send(self, now):
        self.port.write(self.waiting[0][1])
        self.sent_at = now

    def listen_again(self, now):
        """Assume again that the device is there; if it is silent, that is reported again."""
        self.bad = 0
        if self.is_silent:
            self.is_silent = False
            self.heard_at = now

    def poll(self, now) -> list | tuple:
        """What the device said, and ["SILENT"], ["BACK"] or ["NONSENSE"] if that is new.

        Lines are answered at the next poll, when everything they caused is on flash: after a power cut in between
        the device repeats them.
        """
        while self.unanswered:
            self.port.write(with_check("OK " + self.unanswered.pop(0)))
        said = NOTHING
        if self.port.any():
            said = []
            self.take_lines(now, said)
        if not self.is_silent and since(self.heard_at, now) > SILENT_MS:
            self.is_silent = True
            said = list(said) + [["SILENT"]]
        if self.waiting and since(self.sent_at, now) >= _REPEAT_MS:
            self.send(now)
        return said

    def take_lines(self, now, said):
        for _ in range(READS_A_PASS):
            if not self.port.any():
                return
            lines = (self.held + receive(self.port, self.buffer)).split(b"\n")
            for line in lines[:-1]:
                if self.is_overlong:
                    self.is_overlong = False
                    line = b""
                self.take_line(line, now, said)
            self.held = lines[-1]
            if len(self.held) > _MAX_DEVICE_LINE:
                self.is_overlong = True
                self.held = b""

    def take_line(self, line, now, said):
        words = words_of(line) if len(line) <= _MAX_DEVICE_LINE else None
        if words is None or len(words) < 2:
            self.bad += 1
            if self.bad == _BAD_LINES:
                said.append(["NONSENSE"])
            return
        self.bad = 0
        self.heard_at = now
        if self.is_silent:
            self.is_silent = False
            said.append(["BACK"])
        if words[0] == "OK":
            if self.waiting and words[1] == str(self.waiting[0][0]):
                self.waiting.pop(0)
                if self.waiting:
                    self.send(now)
            return
        self.unanswered.append(words[0])
        if words[0] != self.last_number:
            self.last_number = words[0]
            if words[1] != "ALIVE":
                said.append(words[1:])


class LineDriver(DeviceLine):
    """What the drivers of devices with this protocol share."""

    faults: dict  # a word that is a fault, and its code

    def poll(self, now):
        """What happened since, most of the time nothing."""
        said = super().poll(now)
        return list(map(self.meaning, said)) if said else NOTHING  # a comprehension would cost garbage each time

    def meaning(self, words) -> tuple:
        if words[0] in self.faults:
            return "fault", self.faults[words[0]], " ".join(words[1:])
        return "note", " ".join(words)
