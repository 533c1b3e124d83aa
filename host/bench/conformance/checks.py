"""The conformance kit: the checks that a driver must pass against the script of its device.

Runs on CPython and on MicroPython alike (runtimes.py). What each check asks of a driver stands in
firmware/drivers/README.md.
"""

import io
import sys

from host.bench.conformance.session import TURN, Failed, Session

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


def random_bytes(seed, count):
    """From a plain generator, so that both runtimes play the same."""
    made = bytearray()
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) & 0x3FFFFFFF
        made.append(seed >> 16 & 255)
    return bytes(made)


# The checks. Each is handed `play`, which begins a session, at the time 0 or another one.


def never_waits(play):
    session = play()
    for _ in range(200):
        session.step()
    frame = session.device.report(0)
    for end in range(len(frame)):
        session = play()
        session.hear(frame[:end])
        session.settle()
        if session.port.waited:
            raise Failed("it reads more than is there, which waits a millisecond")


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


def every_report(play):
    session = play()
    for what, happening in session.device.SAYS:
        session.said = []
        session.send(session.device.say(what))
        session.deliver(0)
        session.expect([happening, session.device.expected(0)], f"{what!r} and a report: ")


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
            session.expect_gap((0,), (2,), where)
        else:
            session.expect_reports((0, 1, 2), where)


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
        session.expect_gap(kept or (0,), (7,))
        session.deliver(8)
        session.expect_gap(kept or (0,), (7, 8), "after the gap: ")
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


def lost_again(play):
    """Every number around the wrap is lost once, several in a session; then many in a row."""
    device = play().device
    if not device.GAP:
        return
    for first in range(3):
        session = play()
        device = session.device
        expected = []
        for count in range(device.NUMBERS + 6):
            frame = device.report(count)
            if count > device.NUMBERS - 6 and count % 3 == first:
                expected = [("fault", device.GAP)]
                continue
            session.said = []
            session.hear(frame * device.COPIES)
            session.expect(expected + [device.expected(count)], f"report {count}, number {device.number}: ")
            expected = []
    for lost in (2, device.NUMBERS // 2, device.NUMBERS - 2):
        session = play()
        session.deliver(0)
        for count in range(lost):
            session.device.report(count)
        session.deliver(1)
        session.expect_gap((0,), (1,), f"{lost} lost: ")


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


def comes_back(play):
    for what in ("a silence", "a restart", "a silence and a restart"):
        session = play()
        session.deliver(0)
        if "silence" in what:
            begin_silence(session)
            session.run(2 * session.device.SILENT_MS, alive=False)
            session.device.is_deaf = False
        session.said = []
        if "restart" in what:
            session.start()
        session.deliver(0)
        session.deliver(1)
        session.expect_reports((0, 1), f"after {what}: ")


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
    before = len(device.heard)
    told = [device.order(session.driver, 0, session.now)]
    session.step()
    told.append(device.order(session.driver, 1, session.now))
    session.run(5 * device.REPEAT_MS)
    if device.heard[before:] != told:
        raise Failed(f"told {told!r} before it has an answer, it sends {device.heard[before:]!r}")


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


def time_turns(play):
    """The time begins at 0 again in the middle of a command, of a silence, and while all is well."""
    for check in (commands, listen_again, silence_is_a_fault):
        try:
            check(play)
        except Failed:
            continue  # it is wrong at any time
        try:
            check(lambda: play(TURN - 700))
        except Failed as problem:
            raise Failed(f"when the time begins at 0 again: {problem}") from None


CHECKS = (
    never_waits,
    never_raises,
    order_kept,
    every_report,
    every_byte_split,
    noise_before_and_after,
    damaged_frames,
    repeated_frames,
    lost_frames,
    lost_again,
    answered_after_flash,
    numbers_wrap,
    silence_is_a_fault,
    comes_back,
    too_much_at_once,
    nothing_said_twice,
    bounded_memory,
    commands,
    lock,
    listen_again,
    time_turns,
)
NAMES = tuple([check.__name__ for check in CHECKS])


def problem_of(name, script, make):
    """What a driver does wrong in the check of this name, or None. `make(port, now)` gives a new driver."""
    try:
        CHECKS[NAMES.index(name)](lambda now=0: Session(script, make, now))
    except Failed as problem:
        return str(problem)
    except Exception as problem:
        return f"it raises {problem!r} in {place_of(problem)}"
    return None


def place_of(problem):
    """File and line where it was raised."""
    trace = getattr(problem, "__traceback__", None)
    if trace:
        while trace.tb_next:
            trace = trace.tb_next
        return f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}, line {trace.tb_lineno}"
    text = io.StringIO()
    sys.print_exception(problem, text)  # pyright: ignore[reportAttributeAccessIssue]  # MicroPython has it
    last = text.getvalue().rstrip().rsplit('File "', 1)[-1].split("\n")[0]
    return last.split(", in ")[0].replace('"', "").rsplit("/", 1)[-1]
