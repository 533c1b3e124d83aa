"""Drivers that are each wrong in one way, to test the conformance kit. Runs on CPython and MicroPython alike."""

from firmware.drivers.angel_eye import AngelEye
from firmware.drivers.fixed_frames import LENGTH, SYNC, FixedFrames
from firmware.drivers.reader import CardReader
from firmware.drivers.shuffler import Shuffler


class TakesRepetitions(CardReader):
    """Takes a line that comes again for a new card."""

    def take_line(self, line, now, said):
        self.last_number = None
        super().take_line(line, now, said)


class Blocks(FixedFrames):
    """Waits until a whole frame is there."""

    def poll(self, now):
        while self.port.any() < LENGTH:
            pass
        return super().poll(now)


class TrustsAnyFrame(FixedFrames):
    """Does not look at the CRC."""

    def take(self, data, now, said):
        place = 0
        while len(data) - place >= LENGTH:
            if data[place] == SYNC:
                self.take_frame(data[place : place + LENGTH], now, said)
                place += LENGTH
            else:
                place += 1
        self.held = data[place:]


class LosesHalves(FixedFrames):
    """Forgets half a frame when a pass is over."""

    def poll(self, now):
        said = super().poll(now)
        self.held = b""
        return said


class IgnoresGaps(AngelEye):
    """Takes the card after a lost one as if nothing were missing."""

    def take_good(self, sequence, data, said):
        before = len(said)
        super().take_good(sequence, data, said)
        said[before:] = [one for one in said[before:] if one[:2] != ("fault", "reader_gap")]


class MakesLists(FixedFrames):
    """Makes a new list in every pass."""

    def poll(self, now):
        return list(super().poll(now))


class Grows(CardReader):
    """Keeps every line for later."""

    def __init__(self, port, now=0):
        self.history = []
        super().__init__(port, now)

    def take_line(self, line, now, said):
        self.history.append(line)
        super().take_line(line, now, said)


class RaisesOnNoise(CardReader):
    """Expects every line to be a text with a space."""

    def take_line(self, line, now, said):
        line.decode().index(" ")
        super().take_line(line, now, said)


class AnswersTooSoon(CardReader):
    """Answers a line before what it caused is on flash."""

    def poll(self, now):
        said = super().poll(now)
        while self.unanswered:
            self.port.write(self.unanswered.pop(0))
        return said


class AsksOnce(Shuffler):
    """Does not repeat a command that was not heard."""

    def send(self, now):
        super().send(now)
        self.sent_at = now + 1_000_000


class Reverses(FixedFrames):
    """Says last what came first."""

    def poll(self, now):
        said = super().poll(now)
        return list(reversed(list(said))) if said else said


class CountsOn(FixedFrames):
    """Does not know that numbers begin again."""

    def take_frame(self, frame, now, said):
        if self.number == 255:
            self.number = -2
        super().take_frame(frame, now, said)


class NeverMisses(FixedFrames):
    """Takes every pass for a sign of life."""

    def poll(self, now):
        self.heard_at = now
        return super().poll(now)


class TakesAll(FixedFrames):
    """Reads until nothing is left, however much that is."""

    def poll(self, now):
        said = super().poll(now)
        while self.port.any():
            said = list(said) + list(super().poll(now))
        return said


class LocksInEveryPass(AngelEye):
    """Sends the command whenever it is told."""

    def lock(self, locked, now):
        self.wanted = None
        super().lock(locked, now)
