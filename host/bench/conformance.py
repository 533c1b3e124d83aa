"""The conformance kit: plays a driver against a scripted device and says which checks it fails.

Runs on CPython and on MicroPython alike (conformance_run.py). What each check asks of a driver stands in
firmware/drivers/README.md.
"""

PASS_MS = 10
ALIVE_MS = 800
MOST_ASKED = 200  # times that a pass may ask a port that has nothing
MOST_A_PASS = 512  # bytes that a pass may take, so that no other device waits long
MOST_HELD = 2048  # bytes that a driver may hold, all in all
NOISES = (
    b"\0\0\0",
    b"\xff\xff",
    b"\n",
    b"\r\n*",
    b"7 CARD K",
    b"\5",
    b"\x051D",
    b"\2\3\6",
    b"\x15",
    b"\xa5C\1KS",
)


class Failed(Exception):
    """What a driver does wrong."""


class Port:
    """A UART as a driver is handed it. It refuses what would make a table wait."""

    def __init__(self):
        self.incoming = b""
        self.outgoing = b""
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
    """A driver and its device, pass by pass. `said` is what the driver said, but for notes."""

    def __init__(self, script, make):
        self.device = script()
        self.port = Port()
        self.now = 0
        self.said = []
        self.driver = make(self.port, 0)
        self.hear(self.device.start())
        self.settle()
        self.said = []

    def step(self, milliseconds=PASS_MS):
        """One pass. The device hears what the driver sends, and its answer is there in the next pass."""
        self.now += milliseconds
        self.port.begin()
        happenings = list(self.driver.poll(self.now))
        for one in happenings:
            self.take(one)
        sent, self.port.outgoing = self.port.outgoing, b""
        self.port.incoming += self.device.hear(sent)
        return happenings

    def take(self, happening):
        if not isinstance(happening, tuple) or (happening[0], len(happening)) not in self.device.KINDS:
            raise Failed(f"{happening!r} is not a happening")
        for part in happening:
            if not isinstance(part, (str, int, bool)):  # which is no int to MicroPython
                raise Failed(f"{happening!r} is not made of texts and numbers")
        if happening[0] == "fault" and happening[1] not in self.device.CODES:
            raise Failed(f"{happening[1]!r} is not one of its faults")
        if happening[0] != "note":
            self.said.append(happening)

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

    def deliver(self, count):
        """Send a report as the device would: in copies, or again until it is answered."""
        frame = self.device.report(count)
        number = self.device.number
        self.hear(frame * self.device.COPIES)
        self.settle()
        if self.device.IS_ANSWERED:
            for _ in range(3):
                if number in self.device.answers[-3:]:
                    return
                self.run(300)
                self.hear(frame)
                self.settle()
            if number not in self.device.answers[-3:]:
                raise Failed(f"report {number} is not answered")

    def run(self, milliseconds, alive=True):
        """Let time pass; the device says that it is alive, if it does that."""
        end = self.now + milliseconds
        alive_at = self.now + ALIVE_MS
        while self.now < end:
            if alive and self.now >= alive_at:
                alive_at = self.now + ALIVE_MS
                self.port.incoming += self.device.alive()
            self.step()

    def expect(self, expected, where=""):
        if self.said != expected:
            raise Failed(f"{where}said {self.said[-6:]!r}, expected {expected[-6:]!r}")

    def expect_reports(self, counts, where=""):
        self.expect([self.device.expected(count) for count in counts], where)

    def faults(self):
        return [one[1] for one in self.said if one[0] == "fault"]


def random_bytes(seed, count):
    """From a plain generator, so that both runtimes play the same."""
    made = bytearray()
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) & 0x3FFFFFFF
        made.append(seed >> 16 & 255)
    return bytes(made)


# The checks. Each is handed `play`, which begins a session.


def never_waits(play):
    session = play()
    for _ in range(200):
        session.step()
    frame = session.device.report(0)
    for end in range(len(frame)):
        session = play()
        session.hear(frame[:end])
        session.settle()


def never_raises(play):
    session = play()
    for seed in range(60):
        frame = session.device.report(seed)
        noise = random_bytes(seed, 60)
        for piece in (noise, frame[: seed % len(frame)], noise[:7], frame, frame[seed % len(frame) :]):
            session.hear(piece)
        session.settle()
        session.driver.listen_again(session.now)


def order_kept(play):
    session = play()
    for count in range(0, 52, 4):
        session.deliver(count)
        session.hear(session.stream(range(count + 1, count + 4)))
    session.expect_reports(range(52))


def every_byte_split(play):
    session = play()
    stream = session.stream(range(3))
    for place in range(len(stream)):
        session.hear(stream[place : place + 1])
    session.expect_reports(range(3), "byte by byte: ")
    for place in range(1, len(stream)):
        session = play()
        session.hear(stream[:place])
        session.settle()
        session.hear(stream[place:])
        session.expect_reports(range(3), f"split at byte {place}: ")


def noise_before_and_after(play):
    for noise in NOISES + (random_bytes(7, 20),):
        for pause in (0, 200):
            session = play()
            session.hear(noise)
            session.run(pause)
            session.deliver(0)
            session.hear(noise)
            session.run(pause)
            session.deliver(1)
            session.run(1500)
            session.expect_reports((0, 1), f"with {noise!r}: ")
            if session.device.heard:
                raise Failed(f"with {noise!r}: it sends a command that nobody gave")


def damages(frame):
    """The frame with one byte lost or doubled or one bit flipped, and with its end or its start cut off."""
    for place in range(len(frame)):
        yield frame[:place] + frame[place + 1 :]
        yield frame[: place + 1] + frame[place:]
        yield frame[:place]
        yield frame[place + 1 :]
        for bit in range(8):
            yield frame[:place] + bytes([frame[place] ^ 1 << bit]) + frame[place + 1 :]


def damaged_frames(play):
    session = play()
    session.device.report(0)
    for bad in list(damages(session.device.report(1))):
        session = play()
        device = session.device
        session.deliver(0)
        frame = device.report(1)
        where = f"{bad!r}: "
        if device.IS_ANSWERED or device.COPIES > 1:
            session.hear(bad + frame)
            session.settle()
            session.hear(frame)
            session.settle()
            session.deliver(2)
            session.expect_reports((0, 1, 2), where)
            continue
        session.hear(bad)
        session.settle()
        session.deliver(2)
        if device.expected(1) not in session.said:  # else nothing that matters was damaged
            expect_gap(session, (0,), (2,), where)
        else:
            session.expect_reports((0, 1, 2), where)


def expect_gap(session, before, after, where=""):
    """The reports before a lost one, the fault, and the reports after it, in this order."""
    device = session.device
    said = [one[:2] if one[0] == "fault" else one for one in session.said]
    expected = [device.expected(count) for count in before] + [("fault", device.GAP)]
    expected += [device.expected(count) for count in after]
    if said != expected:
        raise Failed(f"{where}said {said!r}, expected {expected!r}")


def repeated_frames(play):
    session = play()
    frame = session.device.report(0)
    for _ in range(6):
        session.hear(frame)
        session.settle()
    session.run(300)
    session.hear(frame)
    session.expect_reports((0,))
    session.deliver(0)
    session.expect_reports((0, 0), "the same again under a new number: ")


def lost_frames(play):
    session = play()
    device = session.device
    session.deliver(0)
    if device.GAP:
        for copies in range(1, device.COPIES):
            session.hear(device.report(copies) * copies)
        kept = tuple(range(device.COPIES))
        session.expect_reports(kept or (0,), "with one good copy of a report: ")
        device.report(50)
        session.deliver(7)
        expect_gap(session, kept or (0,), (7,))
        session.deliver(8)
        expect_gap(session, kept or (0,), (7, 8), "after the gap: ")
        return
    frame = device.report(1)
    number = device.number
    session.run(600)
    if number in device.answers:
        raise Failed("it answers a report that it has not heard")
    session.hear(frame)
    session.settle()
    if number not in device.answers:
        raise Failed("it does not answer a report")
    session.expect_reports((0, 1))


def answered_after_flash(play):
    """What a report caused is on flash when the next pass begins; only then may the device forget it."""
    session = play()
    device = session.device
    if not device.IS_ANSWERED:
        return
    session.port.incoming += device.report(0)
    before = len(device.answers)
    while not session.said:
        session.step()
    if len(device.answers) > before:
        raise Failed("it answers before the report is on flash")
    session.settle()
    if device.answers[before:] != [device.number]:
        raise Failed(f"it does not answer once: {device.answers[before:]!r}")


def numbers_wrap(play):
    session = play()
    for count in range(session.device.NUMBERS + 30):
        session.hear(session.device.report(count) * session.device.COPIES)
        session.step()
        session.expect_reports((count,), f"report {count}: ")
        session.said = []


def silence_is_a_fault(play):
    session = play()
    device = session.device
    session.run(3 * device.SILENT_MS)
    session.expect([], "while it is alive: ")
    begin_silence(session)
    session.run(device.SILENT_MS - 100, alive=False)
    session.expect([], "too early: ")
    session.run(600, alive=False)
    if session.faults() != [device.SILENT]:
        raise Failed(f"after {device.SILENT_MS + 500} ms of silence: {session.said!r}")
    session.run(5 * device.SILENT_MS, alive=False)
    if session.faults() != [device.SILENT]:
        raise Failed("it says its silence again and again")


def begin_silence(session):
    device = session.device
    if device.alive():
        session.deliver(0)
        session.said = []
    else:  # it is missed when it does not answer a command
        device.is_deaf = True
        device.order(session.driver, 0, session.now)


def too_much_at_once(play):
    session = play()
    session.hear(session.stream(range(120)))
    session.expect_reports(range(120))


def nothing_said_twice(play):
    session = play()
    for count in range(52):
        frame = session.device.report(count)
        session.hear(frame * 3)
        session.driver.listen_again(session.now)
        session.hear(frame)
        if count % 5 == 0:
            session.run(1000)
            session.hear(frame * 2 if not session.device.alive() else b"")
    session.expect_reports(range(52))


def size_of(value, port):
    """Bytes and items that a value holds."""
    if value is port:
        return 0
    if isinstance(value, (bytes, bytearray, str)):
        return len(value)
    if isinstance(value, dict):
        return sum([8 + size_of(key, port) + size_of(value[key], port) for key in value])
    if isinstance(value, (list, tuple, set)):
        return sum([8 + size_of(one, port) for one in value])
    return sum([size_of(held, port) for held in value.__dict__.values()]) if hasattr(value, "__dict__") else 8


def bounded_memory(play):
    session = play()
    if session.driver.poll(session.now) != ():
        raise Failed("it makes an object in every pass, and does not return the same empty tuple")
    device = session.device
    frame = device.report(0)
    for count in range(400):
        for piece in (frame[:-1], b"A" * 60, device.report(count), NOISES[count % len(NOISES)]):
            session.hear(piece)
        held = size_of(session.driver, session.port)
        if held > MOST_HELD:
            raise Failed(f"it holds {held} bytes after {count} reports")


def commands(play):
    session = play()
    device = session.device
    if not device.REPEAT_MS:
        return
    device.is_deaf = True
    told = device.order(session.driver, 0, session.now)
    session.run(4 * device.REPEAT_MS + 100)
    if device.heard != [told] * 5:
        raise Failed(f"unanswered, {len(device.heard)} times in 4 intervals: {device.heard[:3]!r}")
    device.is_deaf = False
    session.run(2 * device.REPEAT_MS)
    before = len(device.heard)
    session.run(5 * device.REPEAT_MS)
    if len(device.heard) > before:
        raise Failed("it repeats a command that was answered")
    told = device.order(session.driver, 1, session.now)
    session.run(5 * device.REPEAT_MS)
    if device.heard[before:] != [told]:
        raise Failed(f"answered at once, and sent as {device.heard[before:]!r}")


def lock(play):
    session = play()
    device = session.device
    if not hasattr(session.driver, "lock"):
        return  # a shuffler
    for locked in (True, False, True):
        device.heard = []
        for _ in range(300):
            session.driver.lock(locked, session.now)
            session.step()
        if len(device.heard) != int(device.HAS_LOCK):
            raise Failed(f"told to lock in 300 passes, it sent {len(device.heard)} commands")


def listen_again(play):
    session = play()
    device = session.device
    begin_silence(session)
    for count in (1, 2):
        session.run(device.SILENT_MS + 500, alive=False)
        if session.faults() != [device.SILENT] * count:
            raise Failed(f"silent for the {count}. time: {session.said!r}")
        session.driver.listen_again(session.now)
    session = play()
    for count in (1, 2):
        for _ in range(45):
            session.hear(device.report(0)[:-2] + b"??" + device.report(0)[-1:])
        if session.faults() != [device.NONSENSE] * count:
            raise Failed(f"nonsense for the {count}. time: {session.said!r}")
        session.driver.listen_again(session.now)


CHECKS = (
    never_waits,
    never_raises,
    order_kept,
    every_byte_split,
    noise_before_and_after,
    damaged_frames,
    repeated_frames,
    lost_frames,
    answered_after_flash,
    numbers_wrap,
    silence_is_a_fault,
    too_much_at_once,
    nothing_said_twice,
    bounded_memory,
    commands,
    lock,
    listen_again,
)
NAMES = tuple([check.__name__ for check in CHECKS])


def problem_of(name, script, make):
    """What a driver does wrong in the check of this name, or None. `make(port, now)` gives a new driver."""
    try:
        CHECKS[NAMES.index(name)](lambda: Session(script, make))
    except Failed as problem:
        return str(problem)
    except Exception as problem:
        return f"it raises {problem!r}"
    return None
