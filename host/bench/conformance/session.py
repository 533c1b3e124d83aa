"""A driver and its scripted device, played pass by pass, for the conformance kit (conformance.py).

Runs on CPython and on MicroPython alike.
"""

PASS_MS = 10
ALIVE_MS = 800
TURN = 1 << 30  # milliseconds after which a table's time begins at 0 again
MOST_ASKED = 200  # times that a pass may ask a port that has nothing
MOST_A_PASS = 512  # bytes that a pass may take, so that no other device waits long
LENGTHS = {"card": 3, "dealt": 2, "ready": 2, "count": 2, "faceup": 1, "fault": 3, "note": 2}  # of happenings


class Failed(Exception):
    """What a driver does wrong."""


class Port:
    """A UART as a driver is handed it. It refuses what would make a table wait."""

    def __init__(self):
        self.incoming = b""
        self.outgoing = b""
        self.waited = 0  # how often more was read than was there
        self.begin()

    def begin(self):
        """A new pass."""
        self.asked = 0
        self.taken = 0

    def any(self):
        if not self.incoming:
            self.asked += 1
            if self.asked > MOST_ASKED:
                raise Failed("it waits for bytes")
        return len(self.incoming)

    def readinto(self, buffer):
        if not self.incoming:
            raise Failed("it reads though nothing is there, which waits")
        count = min(len(buffer), len(self.incoming))
        self.waited += count < len(buffer)
        buffer[:count] = self.incoming[:count]
        self.incoming = self.incoming[count:]
        self.taken += count
        if self.taken > MOST_A_PASS:
            raise Failed(f"it takes more than {MOST_A_PASS} bytes in one pass")
        return count

    def read(self, count=64):
        buffer = bytearray(count)
        return bytes(buffer[: self.readinto(buffer)])

    def write(self, data):
        self.outgoing += data
        return len(data)


class Session:
    """A driver and its device, pass by pass. `said` is what the driver said, less notes and details of faults."""

    def __init__(self, script, make, now=0):
        self.device = script()
        says = [happening for _, happening in script.SAYS]
        self.kinds = ["fault", "note"] + [one[0] for one in says]
        self.codes = [script.SILENT, script.NONSENSE, script.GAP] + [one[1] for one in says if one[0] == "fault"]
        self.port = Port()
        self.now = now
        self.said = []
        self.driver = make(self.port, now)
        self.start()
        self.said = []

    def start(self):
        """The device starts, or starts again."""
        self.send(self.device.start())

    def step(self, milliseconds=PASS_MS):
        """One pass. The device hears what the driver sends, and its answer is there in the next pass."""
        self.now = (self.now + milliseconds) % TURN
        self.port.begin()
        happenings = list(self.driver.poll(self.now))
        for one in happenings:
            self.take(one)
        sent, self.port.outgoing = self.port.outgoing, b""
        self.port.incoming += self.device.hear(sent)
        return happenings

    def take(self, happening):
        if not isinstance(happening, tuple) or LENGTHS.get(happening[0]) != len(happening):
            raise Failed(f"{happening!r} is not a happening")
        for part in happening:
            if not isinstance(part, (str, int, bool)):  # which is no int to MicroPython
                raise Failed(f"{happening!r} is not made of texts and numbers")
        if happening[0] not in self.kinds:
            raise Failed(f"{happening!r} is not what its device can say")
        if happening[0] == "fault" and happening[1] not in self.codes:
            raise Failed(f"{happening[1]!r} is not one of its faults")
        if happening[0] != "note":
            self.said.append(happening[:2] if happening[0] == "fault" else happening)

    def hear(self, data):
        self.port.incoming += data
        while self.port.incoming:
            self.step()
            if not self.port.taken:
                raise Failed("it leaves bytes unread")

    def stream(self, counts):
        """The bytes of several reports, with their copies."""
        return b"".join([self.device.report(count) * self.device.COPIES for count in counts])

    def settle(self):
        for _ in range(3):
            self.step()

    def send(self, frame):
        """Send the latest report as the device would: in copies, or again until it is answered."""
        device = self.device
        number = device.number
        self.hear(frame * device.COPIES)
        self.settle()
        if device.IS_ANSWERED:
            for _ in range(3):
                if number in device.answers[-3:]:
                    return
                self.run(300)
                self.hear(frame)
                self.settle()
            if number not in device.answers[-3:]:
                raise Failed(f"report {number} is not answered")

    def deliver(self, count):
        self.send(self.device.report(count))

    def run(self, milliseconds, alive=True):
        """Let time pass; the device says that it is alive, if it does that."""
        for passed in range(0, milliseconds, PASS_MS):
            if alive and passed and passed % ALIVE_MS == 0:
                self.port.incoming += self.device.alive()
            self.step()

    def expect(self, expected, where=""):
        if self.said != expected:
            raise Failed(f"{where}said {self.said[-6:]!r}, expected {expected[-6:]!r}")

    def expect_reports(self, counts, where=""):
        self.expect([self.device.expected(count) for count in counts], where)

    def expect_gap(self, before, after, where=""):
        """The reports before a lost one, the fault, and the reports after it, in this order."""
        before, after = [[self.device.expected(count) for count in counts] for counts in (before, after)]
        self.expect(before + [("fault", self.device.GAP)] + after, where)

    def faults(self):
        return [one[1] for one in self.said if one[0] == "fault"]
